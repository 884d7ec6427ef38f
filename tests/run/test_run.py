import asyncio
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from study_factory import MARKED, STUDY, Scripts, say, write_study
from threadmed.errors import InputError, ModelError, Stopped, StudyError
from threadmed.llm.model import ChatModel, Request, RetryLater, ScriptedModel
from threadmed.records import Answer, Label, Labelled, Model, Stage, Unscored, Verdict
from threadmed.run import run
from threadmed.store import read_json, read_records, read_scores
from threadmed.study import Folder, RunManifest

DERIVED = ("labels", "answers", "verdicts", "scores", "manifest")


def conduct(
    folder: Folder,
    open_model: Callable[[Model], ChatModel],
    *,
    only: Stage | None = None,
    budget: float | None = None,
    told: list[tuple[str, str, int, int]] | None = None,
) -> RunManifest:
    return asyncio.run(
        run(
            folder,
            open_model=open_model,
            clock=lambda: 1.0,
            progress=lambda *what: told.append(what) if told is not None else None,
            only=only,
            budget_usd=budget,
        )
    )


def content(folder: Folder) -> dict[str, bytes]:
    return {name: getattr(folder, name).read_bytes() for name in DERIVED}


def test_a_study_is_answered_judged_and_scored(tmp_path: Path) -> None:
    folder = write_study(tmp_path)

    manifest = conduct(folder, Scripts().open)

    rows = read_scores(folder.scores)
    # Three marked turns: multi_turn, target_turn, isolated have all, oracle two.
    assert len(rows) == 2 * (3 + 3 + 3 + 2)
    assert {(row.thread_id, row.turn) for row in rows} == MARKED
    assert {row.score for row in rows if row.target == "good"} == {1}
    assert {row.score for row in rows if row.target == "bad"} == {-1}
    assert manifest.complete
    assert manifest.label_source == "reference"


def test_multi_turn_is_answered_up_to_the_last_marked_turn(tmp_path: Path) -> None:
    folder = write_study(tmp_path)

    conduct(folder, Scripts().open)

    asked = [
        (answer.thread_id, answer.turn)
        for answer in read_records(folder.answers, Answer)
        if (answer.target, answer.setting) == ("bad", "multi_turn")
    ]
    assert asked == [
        ("THREAD_0001", 0),
        ("THREAD_0001", 1),
        ("THREAD_0002", 0),
        ("THREAD_0002", 1),
        ("THREAD_0002", 2),
    ]


def test_two_runs_of_one_study_give_the_same_bytes(tmp_path: Path) -> None:
    folders = [write_study(tmp_path / name) for name in ("one", "two")]

    for folder in folders:
        conduct(folder, Scripts().open)

    assert content(folders[0]) == content(folders[1])


def test_a_second_run_pays_for_nothing_and_changes_nothing(tmp_path: Path) -> None:
    folder = write_study(tmp_path)
    conduct(folder, Scripts().open)
    before = content(folder)
    scripts = Scripts()

    conduct(folder, scripts.open)

    assert scripts.calls() == 0
    assert content(folder) == before


def test_settings_that_ask_the_same_at_turn_0_are_paid_for_once(tmp_path: Path) -> None:
    folder = write_study(tmp_path)
    scripts = Scripts()

    manifest = conduct(folder, scripts.open)

    # THREAD_0001: multi 2, target 1 (turn 1), oracle 1, isolated 1 = 5 calls;
    # THREAD_0002: multi 3, target 1, oracle 1, isolated 1 = 6; turn 0 shared twice.
    assert len(scripts.models["good"].requests) == 11
    (spend,) = [s for s in manifest.spend if (s.stage, s.model) == ("answer", "good")]
    assert (spend.calls, spend.reused) == (11, 2)


def test_labels_of_both_sources_are_kept_and_the_given_ones_decide(
    tmp_path: Path,
) -> None:
    folder = write_study(tmp_path)

    conduct(folder, Scripts().open)

    found = read_records(folder.labels, Label)  # type: ignore[arg-type]
    by_model = {
        (label.thread_id, label.turn)
        for label in found
        if isinstance(label, Labelled)
        and label.source == "judge-a"
        and label.misconception
    }
    assert by_model == {(f"THREAD_000{n}", 1) for n in (1, 2, 3)}
    assert len(found) == 2 * 10


def test_the_identifier_decides_where_the_study_says_so(tmp_path: Path) -> None:
    text = STUDY.replace("[identify]", '[identify]\nsource = "judge-a"')
    folder = write_study(tmp_path, text=text)

    conduct(folder, Scripts().open)

    assert {row.turn for row in read_scores(folder.scores)} == {1}


def test_stages_can_be_run_one_by_one_to_the_same_end(tmp_path: Path) -> None:
    whole, parts = write_study(tmp_path / "whole"), write_study(tmp_path / "parts")
    conduct(whole, Scripts().open)

    for stage in ("identify", "answer", "judge"):
        conduct(parts, Scripts().open, only=stage)

    names = [name for name in DERIVED if name != "manifest"]
    before, after = content(whole), content(parts)
    assert {name: after[name] for name in names} == {
        name: before[name] for name in names
    }


def test_a_stage_without_what_comes_before_it_is_one_line(tmp_path: Path) -> None:
    folder = write_study(tmp_path)

    with pytest.raises(InputError, match=r"labels\.jsonl: no such file"):
        conduct(folder, Scripts().open, only="answer")


def test_a_used_up_budget_stops_the_run_and_keeps_what_was_paid(tmp_path: Path) -> None:
    folder = write_study(tmp_path)

    with pytest.raises(Stopped, match="budget of 0.01 USD is used up"):
        conduct(folder, Scripts().open, budget=0.01)

    manifest = read_json(folder.manifest, RunManifest)
    paid = sum(spend.calls for spend in manifest.spend)
    assert not manifest.complete
    assert paid > 0
    scripts = Scripts()
    conduct(folder, scripts.open)
    assert (
        scripts.calls()
        == sum(spend.calls for spend in read_json(folder.manifest, RunManifest).spend)
        - paid
    )


def test_an_unreachable_model_is_an_error_and_not_a_finding(tmp_path: Path) -> None:
    folder = write_study(tmp_path)
    scripts = Scripts()

    def refuse(_: Request) -> str:
        raise RetryLater("connection refused")

    def opened(entry: Model) -> ChatModel:
        return ScriptedModel(refuse) if entry.name == "bad" else scripts.open(entry)

    text = folder.study.read_text().replace(
        '"openai:bad"', '"openai:bad"\nattempts = 1'
    )
    folder.study.write_text(text)

    with pytest.raises(ModelError, match="bad.*connection refused"):
        conduct(folder, opened)

    assert scripts.calls() > 0
    assert read_scores(folder.scores)


def test_a_judge_that_cannot_be_read_gives_no_score(tmp_path: Path) -> None:
    folder = write_study(tmp_path)
    scripts = Scripts()

    def opened(entry: Model) -> ChatModel:
        if entry.name in {"judge-b", "judge-c"}:
            return ScriptedModel(lambda _: "I would rather not.")
        return scripts.open(entry)

    conduct(folder, opened)

    verdicts = read_records(folder.verdicts, Verdict)  # type: ignore[arg-type]
    lost = [verdict for verdict in verdicts if isinstance(verdict, Unscored)]
    assert {verdict.judge for verdict in lost} == {"judge-b", "judge-c"}
    # Without a majority of the three configured judges the primary decides.
    assert all(row.tie_break for row in read_scores(folder.scores))


def test_a_label_of_a_turn_that_is_not_there_is_one_line(tmp_path: Path) -> None:
    folder = write_study(tmp_path)
    with (tmp_path / "reference.jsonl").open("a") as file:
        file.write(
            '{"kind": "labelled", "thread_id": "THREAD_0001", "turn": 7, '
            '"misconception": true, "source": "reference"}\n'
        )

    with pytest.raises(InputError, match="labels turn 7 of THREAD_0001, which has"):
        conduct(folder, Scripts().open)


def test_a_selection_that_is_not_there_is_one_line(tmp_path: Path) -> None:
    text = STUDY + '\n[select]\nthread_ids = ["THREAD_9"]\n'
    folder = write_study(tmp_path, text=text)

    with pytest.raises(StudyError, match="THREAD_9"):
        conduct(folder, Scripts().open)


def test_progress_ends_with_everything_done(tmp_path: Path) -> None:
    folder = write_study(tmp_path)
    told: list[tuple[str, str, int, int]] = []

    conduct(folder, Scripts().open, told=told)

    last = {(stage, model): (done, total) for stage, model, done, total in told}
    assert last["identify", "judge-a"] == (10, 10)
    assert last["answer", "good"] == (13, 13)
    assert all(done == total for done, total in last.values())


def test_an_error_of_our_own_making_is_shown_whole(tmp_path: Path) -> None:
    folder = write_study(tmp_path)

    def broken(_: Request) -> str:
        raise ZeroDivisionError

    with pytest.raises(BaseExceptionGroup) as caught:
        conduct(folder, lambda _: ScriptedModel(broken))

    assert caught.group_contains(ZeroDivisionError)


def test_judging_alone_passes_over_answers_that_the_study_no_longer_asks_for(
    tmp_path: Path,
) -> None:
    folder = write_study(tmp_path)
    conduct(folder, Scripts().open)
    text = folder.study.read_text().replace('["good", "bad"]', '["good"]')
    folder.study.write_text(text + '\n[select]\nthread_ids = ["THREAD_0001"]\n')

    manifest = conduct(folder, Scripts().open, only="judge")

    rows = read_scores(folder.scores)
    assert {(row.target, row.thread_id) for row in rows} == {("good", "THREAD_0001")}
    assert manifest.complete


def test_a_study_of_which_a_stage_is_missing_is_not_complete(tmp_path: Path) -> None:
    folder = write_study(tmp_path)

    assert not conduct(folder, Scripts().open, only="identify").complete
    assert not conduct(folder, Scripts().open, only="answer").complete
    assert {row.outcome for row in read_scores(folder.scores)} == {"pending"}
    assert conduct(folder, Scripts().open, only="judge").complete


def test_a_thread_that_stands_twice_is_one_line_before_anything_is_asked(
    tmp_path: Path,
) -> None:
    folder, scripts = write_study(tmp_path), Scripts()
    path = tmp_path / "threads.jsonl"
    path.write_text(path.read_text() * 2)

    with pytest.raises(InputError, match="threads.jsonl: THREAD_0001 stands twice"):
        conduct(folder, scripts.open)

    assert scripts.calls() == 0


def test_a_file_without_threads_is_one_line(tmp_path: Path) -> None:
    folder = write_study(tmp_path)
    (tmp_path / "threads.jsonl").write_text("")

    with pytest.raises(InputError, match="threads.jsonl: holds no threads"):
        conduct(folder, Scripts().open)


def test_a_file_without_labels_does_not_leave_the_choice_to_the_identifier(
    tmp_path: Path,
) -> None:
    folder = write_study(tmp_path)
    (tmp_path / "reference.jsonl").write_text("")

    with pytest.raises(InputError, match="reference.jsonl: holds no label of any"):
        conduct(folder, Scripts().open)


def test_a_question_labelled_twice_is_one_line_before_anything_is_asked(
    tmp_path: Path,
) -> None:
    folder, scripts = write_study(tmp_path), Scripts()
    path = tmp_path / "reference.jsonl"
    path.write_text(path.read_text() * 2)

    with pytest.raises(InputError, match="reference labels turn 0 of .* twice"):
        conduct(folder, scripts.open)

    assert scripts.calls() == 0


def test_a_lazy_panel_gives_the_same_scores_for_fewer_calls(tmp_path: Path) -> None:
    """The third judge differs from the first two on some answers and not on others."""

    def say_of(name: str) -> Callable[[Request], str]:
        def said(request: Request) -> str:
            text = request.messages[-1].content
            if name == "judge-b" and "Quite right" in text:
                return '{"score": 0, "explanation": "perhaps"}'
            return say(name, request)

        return said

    def opened(entry: Model) -> ChatModel:
        return ScriptedModel(say_of(entry.name), identity=entry.model)

    tables, calls = [], []
    for lazy in ("false", "true"):
        text = STUDY.replace("[panel]", f"[panel]\nlazy = {lazy}")
        folder = write_study(tmp_path / lazy, text=text)
        manifest = conduct(folder, opened)
        assert manifest.complete
        tables.append(folder.scores.read_bytes())
        calls.append(
            {spend.model: spend.calls for spend in manifest.spend
             if spend.stage == "judge"}
        )  # fmt: skip

    assert tables[0] == tables[1]
    assert calls[1]["judge-a"] == calls[0]["judge-a"]
    assert 0 < calls[1]["judge-c"] < calls[0]["judge-c"]


def test_a_judge_that_is_asked_several_times_gives_its_middle_score(
    tmp_path: Path,
) -> None:
    """One judge says something else each time; the others do not."""

    def opened(entry: Model) -> ChatModel:
        def said(request: Request) -> str:
            if entry.name == "judge-b" and "misconception" not in (
                request.schema.json if request.schema else ""
            ):
                return json.dumps({"score": request.repeat - 1, "explanation": "?"})
            return say(entry.name, request)

        return ScriptedModel(said, identity=entry.model)

    text = STUDY.replace("[panel]", '[panel]\nrepeats = 3\nrule = "lowest"')
    folder = write_study(tmp_path, text=text)
    manifest = conduct(folder, opened)

    verdicts: list[Verdict] = read_records(folder.verdicts, Verdict)  # type: ignore[arg-type]
    rows = read_scores(folder.scores)
    assert manifest.complete
    assert len(verdicts) == 3 * 3 * len(rows)
    assert {row.score for row in rows if row.target == "good"} == {0}
    assert {(v.repeat, v.score) for v in verdicts if v.judge == "judge-b"} == {
        (0, -1), (1, 0), (2, 1)
    }  # type: ignore[union-attr]  # fmt: skip
