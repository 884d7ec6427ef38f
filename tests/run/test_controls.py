"""Controls and harm classes through a whole run."""

import asyncio
import hashlib
import json
from collections import Counter
from pathlib import Path

import msgspec
import pytest

from study_factory import MARKED, STUDY, Scripts, labels, say, write_study
from threadmed.errors import StudyError
from threadmed.judgements.scores import panel_scores
from threadmed.labels.control import DrawnControl
from threadmed.llm.model import Request, ScriptedModel
from threadmed.metrics import measure
from threadmed.metrics.controls.control import Known, over_correction
from threadmed.metrics.estimates import Estimate
from threadmed.records import Answer, Model, PanelScore, Stage
from threadmed.run import run
from threadmed.run.plan import plan
from threadmed.store import (
    read_questions,
    read_records,
    read_scores,
    write_records,
)
from threadmed.study import Folder, RunManifest

ASKS = "correct something in the patient's question that was not wrong?"
"""What only the prompt for controls ends with."""
WITH = STUDY.replace("[panel]", "[control]\nn = 5\n\n[panel]")


class Alarmed(Scripts):
    """Judges for whom the good target corrects what was not wrong."""

    def open(self, entry: Model) -> ScriptedModel:
        def answer(request: Request) -> str:
            last = request.messages[-1].content
            if last.endswith(ASKS):
                score = -1 if "That is not so." in last else 1
                return json.dumps({"explanation": "as scripted", "score": score})
            return say(entry.name, request)

        model = ScriptedModel(answer, identity=entry.name)
        self.models[entry.name] = model
        return model


def conduct(
    folder: Folder, scripts: Scripts, *, only: Stage | None = None
) -> RunManifest:
    return asyncio.run(
        run(
            folder,
            open_model=scripts.open,
            clock=lambda: 1.0,
            progress=lambda *_: None,
            only=only,
        )
    )


def controls(folder: Folder) -> set[tuple[str, int]]:
    found = read_records(folder.root / "controls.jsonl", DrawnControl)
    return {(each.thread_id, each.turn) for each in found}


def scores(folder: Folder) -> tuple[PanelScore, ...]:
    return panel_scores(read_scores(folder.scores), rule="majority", primary=None)


def test_controls_are_asked_in_the_same_settings_and_judged_by_their_own_rubric(
    tmp_path: Path,
) -> None:
    folder = write_study(tmp_path, text=WITH)

    manifest = conduct(folder, Alarmed())

    drawn = controls(folder)
    rows = [row for row in scores(folder) if not row.misconception]
    assert len(drawn) == 5
    assert not drawn & MARKED
    assert {(row.thread_id, row.turn) for row in rows} == drawn
    late = sum(turn > 0 for _, turn in drawn)
    assert Counter(row.setting for row in rows if row.target == "good") == {
        "multi_turn": 5, "target_turn": 5, "isolated": 5, "oracle": late,
    }  # fmt: skip
    assert {row.score for row in rows if row.target == "good"} == {-1}
    assert {row.score for row in rows if row.target == "bad"} == {1}
    assert manifest.complete
    assert [prompt.name for prompt in manifest.prompts] == [
        "identify-v1",
        "score-v1",
        "control-v1",
    ]


def test_what_is_measured_of_misconceptions_is_what_it_is_without_controls(
    tmp_path: Path,
) -> None:
    plain = write_study(tmp_path / "plain")
    mixed = write_study(tmp_path / "mixed", text=WITH)
    conduct(plain, Scripts())
    conduct(mixed, Alarmed())

    one, other = measure(scores(plain)), measure(scores(mixed))

    assert [
        msgspec.structs.replace(each, n_without_misconception=0)
        for each in other.groups
    ] == list(one.groups)
    labelled = [row for row in scores(mixed) if row.misconception]
    assert labelled == list(scores(plain))
    assert not (plain.root / "controls.jsonl").exists()


def test_chances_go_with_the_scores_and_weigh_the_false_alarms(tmp_path: Path) -> None:
    folder = write_study(tmp_path, text=WITH)
    conduct(folder, Alarmed())

    questions = read_questions(folder.scores)

    drawn = read_records(folder.root / "controls.jsonl", DrawnControl)
    assert questions.chances == {
        (each.thread_id, each.turn): each.probability for each in drawn
    }
    found = over_correction(scores(folder), known=Known(chances=questions.chances))
    assert found.is_weighted
    by_group = {(each.target, each.setting): each.false_alarms for each in found.rates}
    good, bad = by_group["good", "multi_turn"], by_group["bad", "multi_turn"]
    assert isinstance(good, Estimate)
    assert isinstance(bad, Estimate)
    assert (good.value, bad.value, good.n) == (1, 0, 5)


def test_a_conversation_goes_on_to_the_last_control(tmp_path: Path) -> None:
    folder = write_study(tmp_path, text=WITH.replace("n = 5", "n = 99"))

    conduct(folder, Alarmed())

    asked = {
        (answer.thread_id, answer.turn)
        for answer in read_records(folder.answers, Answer)
        if answer.setting == "multi_turn"
    }
    assert asked == {(label.thread_id, label.turn) for label in labels()}
    assert len(controls(folder)) == 7


def test_a_second_run_pays_for_nothing_and_more_controls_only_for_themselves(
    tmp_path: Path,
) -> None:
    folder = write_study(tmp_path, text=WITH)
    conduct(folder, Alarmed())
    first, table = controls(folder), folder.scores.read_bytes()
    again = Alarmed()
    conduct(folder, again)
    assert again.calls() == 0
    assert folder.scores.read_bytes() == table
    whole, more = Alarmed(), Alarmed()
    text = folder.study.read_text().replace("n = 5", "n = 7")
    fresh = write_study(tmp_path / "fresh")
    fresh.study.write_text(text)
    conduct(fresh, whole)

    folder.study.write_text(text)
    conduct(folder, more)

    assert first < controls(folder) == controls(fresh)
    assert 0 < more.calls() < whole.calls() / 2


def test_controls_that_are_no_longer_wanted_leave_the_files(tmp_path: Path) -> None:
    folder = write_study(tmp_path, text=WITH)
    conduct(folder, Alarmed())
    folder.study.write_text(folder.study.read_text().replace("n = 5", "n = 0"))

    conduct(folder, Alarmed())

    assert controls(folder) == set()
    assert all(row.misconception for row in scores(folder))


def test_stages_one_by_one_give_the_same_scores(tmp_path: Path) -> None:
    whole = write_study(tmp_path / "whole", text=WITH)
    parts = write_study(tmp_path / "parts", text=WITH)
    conduct(whole, Alarmed())

    for stage in ("identify", "answer", "judge"):
        conduct(parts, Alarmed(), only=stage)

    assert parts.scores.read_bytes() == whole.scores.read_bytes()
    assert controls(parts) == controls(whole)


class Unlike(Alarmed):
    """Targets that say something else to every request, as a plan supposes."""

    def open(self, entry: Model) -> ScriptedModel:
        model = super().open(entry)
        scripted = model.answer

        def answer(request: Request) -> str:
            said = scripted(request)
            assert isinstance(said, str)
            if entry.name.startswith("judge"):
                return said
            seen = "".join(message.content for message in request.messages)
            return f"{said} {hashlib.sha256(seen.encode()).hexdigest()}"

        model.answer = answer
        return model


def test_a_plan_counts_controls_as_the_run_asks_them(tmp_path: Path) -> None:
    folder = write_study(tmp_path, text=WITH)
    plain = write_study(tmp_path / "plain")

    made = asyncio.run(plan(folder, open_model=Unlike().open))
    without = asyncio.run(plan(plain, open_model=Unlike().open))
    manifest = conduct(folder, Unlike())

    planned = {(row.stage, row.model): row.to_pay.calls for row in made.rows}
    assert planned == {(s.stage, s.model): s.calls for s in manifest.spend}
    assert made.to_pay.calls > without.to_pay.calls
    assert "Up to 5 questions without a misconception" in " ".join(made.assumptions)
    assert "controls" not in " ".join(without.assumptions)


def test_an_arm_has_the_controls_of_its_target(tmp_path: Path) -> None:
    arm = '\n[[arms]]\nname = "warn"\nof = ["good"]\nprompt = "warn"\n'
    folder = write_study(tmp_path, text=WITH + arm)

    conduct(folder, Alarmed())

    found = over_correction(scores(folder))
    pairs = {(each.target, each.setting) for each in found.pairs}
    assert ("good+warn", "multi_turn") in pairs
    held = {
        target: {(r.thread_id, r.turn) for r in scores(folder)
                 if r.target == target and not r.misconception}
        for target in ("good", "good+warn")
    }  # fmt: skip
    assert held["good"] == held["good+warn"] == controls(folder)
    assert not any("has no control" in line for line in found.warnings)


def test_a_number_of_controls_below_zero_is_one_line(tmp_path: Path) -> None:
    folder = write_study(tmp_path, text=WITH.replace("n = 5", "n = -1"))

    with pytest.raises(StudyError, match="control.n is -1"):
        conduct(folder, Scripts())


def test_harm_classes_of_labels_and_experts_reach_the_scores(tmp_path: Path) -> None:
    folder = write_study(tmp_path)
    write_records(
        tmp_path / "reference.jsonl",
        [
            msgspec.structs.replace(label, harm="mild" if label.misconception else None)
            for label in labels()
        ],
    )
    folder.ratings.mkdir()
    (folder.ratings / "harm.csv").write_text(
        "item,rater,value,thread_id,turn\ni,ann,urgent,THREAD_0002,2\n"
    )

    conduct(folder, Scripts())

    assert read_questions(folder.scores).harms == {
        ("THREAD_0001", 0): "mild",
        ("THREAD_0001", 1): "mild",
        ("THREAD_0002", 2): "urgent",
    }


def test_the_identifier_gives_harm_classes_where_the_study_asks_for_them(
    tmp_path: Path,
) -> None:
    text = STUDY.replace(
        "[identify]", '[identify]\nsource = "judge-a"\nprompt = "harm"'
    )
    folder = write_study(tmp_path, text=text)

    class Classing(Scripts):
        def open(self, entry: Model) -> ScriptedModel:
            def answer(request: Request) -> str:
                said = say(entry.name, request)
                if request.schema is None or '"harm"' not in request.schema.json:
                    return said
                return json.dumps({**json.loads(said), "harm": "serious"})

            self.models[entry.name] = ScriptedModel(answer, identity=entry.name)
            return self.models[entry.name]

    manifest = conduct(folder, Classing())

    assert set(read_questions(folder.scores).harms.values()) == {"serious"}
    assert manifest.prompts[0].name == "identify-harm-v1"
    planned = asyncio.run(plan(folder, open_model=Classing().open))
    assert planned.to_pay.calls == 0


def test_labels_without_harm_classes_leave_the_table_as_it_was(tmp_path: Path) -> None:
    folder = write_study(tmp_path)

    conduct(folder, Scripts())

    assert folder.scores.read_text().splitlines()[0].endswith(",tie_break")
