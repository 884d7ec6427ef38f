"""Runs of studies with arms: prompts, and answers that are changed on the way."""

import asyncio
import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from study_factory import MARKED, STUDY, Scripts, write_study
from threadmed.errors import InputError, ModelError, Stopped, StudyError
from threadmed.judgements.scores import panel_scores
from threadmed.llm.model import ChatModel, Request, RetryLater, ScriptedModel
from threadmed.metrics.arms import measure_arms
from threadmed.records import Answer, Intervention, Model, Stage, Verdict
from threadmed.run import run
from threadmed.run.forecast import Plan
from threadmed.run.plan import plan
from threadmed.store import read_json, read_records, read_scores
from threadmed.study import Folder, RunManifest, read_study

Open = Callable[[Model], ChatModel]

WARN = '\n[[arms]]\nname = "warn"\nprompt = "warn"\n'
TWO_CALLS = '\n[[arms]]\nname = "think"\nprompt = "identify_first"\nof = ["bad"]\n'
DERIVED = ("answers", "interventions", "verdicts", "scores", "manifest")


def changing(name: str, **by: object) -> str:
    """An arm of `bad` alone."""
    pairs = ", ".join(f"{key} = {json.dumps(value)}" for key, value in by.items())
    return f'\n[[arms]]\nname = "{name}"\nof = ["bad"]\nintervention = {{ {pairs} }}\n'


EVERYTHING = (
    WARN
    + TWO_CALLS
    + changing("first", policy="first")
    + changing("last", policy="last", act="flag")
    + changing("given", policy="turns", turns=[1], act="flag_and_correct")
    + changing("some", policy="random", k=2)
    + changing("once", policy="first_failing")
    + changing("each", policy="every_failing", act="flag")
    + changing("screened", policy="every_failing", screen="judge-c")
)


def conduct(
    folder: Folder,
    open_model: Open,
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


def foresee(folder: Folder) -> Plan:
    return asyncio.run(plan(folder, open_model=Scripts().open))


def interventions(folder: Folder) -> list[Intervention]:
    return read_records(folder.interventions, Intervention)


def contents(folder: Folder) -> dict[str, bytes]:
    return {name: getattr(folder, name).read_bytes() for name in DERIVED}


def texts(scripts: Scripts, name: str) -> list[list[str]]:
    """What a model was shown, request by request."""
    return [[m.content for m in r.messages] for r in scripts.models[name].requests]


def test_every_arm_has_answers_and_scores_under_a_name_of_its_own(
    tmp_path: Path,
) -> None:
    folder = write_study(tmp_path, text=STUDY + EVERYTHING)

    manifest = conduct(folder, Scripts().open)

    assert manifest.complete
    rows = Counter((row.target, row.setting) for row in read_scores(folder.scores))
    names = ("first", "last", "given", "some", "once", "each", "screened")
    assert {name: rows[f"bad+{name}", "intervention"] for name in names} == (
        dict.fromkeys(names, len(MARKED))
    )
    assert rows["good+warn", "multi_turn"] == rows["bad+think", "multi_turn"] == 3
    assert rows["bad+warn", "oracle"] == 2
    assert {row.outcome for row in read_scores(folder.scores)} == {"scored"}


def test_a_second_run_with_every_arm_pays_for_nothing_and_changes_nothing(
    tmp_path: Path,
) -> None:
    folder = write_study(tmp_path, text=STUDY + EVERYTHING)
    conduct(folder, Scripts().open)
    before, scripts = contents(folder), Scripts()

    conduct(folder, scripts.open)

    assert scripts.calls() == 0
    assert contents(folder) == before
    assert foresee(folder).to_pay.calls == 0


def test_the_stages_one_by_one_come_to_the_same_end(tmp_path: Path) -> None:
    whole = write_study(tmp_path / "whole", text=STUDY + EVERYTHING)
    parts = write_study(tmp_path / "parts", text=STUDY + EVERYTHING)
    conduct(whole, Scripts().open)

    for stage in ("identify", "answer", "judge"):
        conduct(parts, Scripts().open, only=stage)

    after, before = contents(parts), contents(whole)
    for name in ("answers", "interventions", "verdicts", "scores"):
        assert after[name] == before[name]


def test_a_run_that_stops_and_goes_on_ends_where_a_whole_one_does(
    tmp_path: Path,
) -> None:
    whole = write_study(tmp_path / "whole", text=STUDY + EVERYTHING)
    parts = write_study(tmp_path / "parts", text=STUDY + EVERYTHING)
    scripts, paid = Scripts(), 0
    conduct(whole, scripts.open)

    for budget in (0.008, 0.014, 0.02):
        again = Scripts()
        with pytest.raises(Stopped, match="is used up"):
            conduct(parts, again.open, budget=budget)
        paid += again.calls()
    again = Scripts()
    conduct(parts, again.open)

    assert paid > 0
    assert paid + again.calls() == scripts.calls()
    after, before = contents(parts), contents(whole)
    for name in ("answers", "interventions", "verdicts", "scores"):
        assert after[name] == before[name]


def test_what_a_conversation_waits_for_goes_into_no_batch(tmp_path: Path) -> None:
    text = STUDY.replace(
        'judges = ["judge-a", "judge-b", "judge-c"]', 'judges = ["judge-a"]'
    )
    batched = []
    for policy in ("first", "every_failing"):
        arm = changing("arm", policy=policy, act="flag")
        folder = write_study(tmp_path / policy, text=text + arm)
        study = folder.study.read_text().replace(
            '"openai:judge-a"\n', '"openai:judge-a"\nbatch = true\n'
        )
        folder.study.write_text(study)
        made = foresee(folder)
        (row,) = [r for r in made.rows if (r.stage, r.model) == ("judge", "judge-a")]
        (saving,) = [each for each in made.savings if each.by == "batches"]
        batched.append((row.calls, saving.calls))

    # Identification (10) and all verdicts; and without those of the arm's own answers.
    assert batched[0][1] == 10 + batched[0][0]
    assert batched[1][1] < 10 + batched[1][0]


def test_answering_alone_asks_judges_where_an_arm_must_know(tmp_path: Path) -> None:
    arm = changing("once", policy="first_failing")
    folder, scripts = write_study(tmp_path, text=STUDY + arm), Scripts()
    conduct(folder, scripts.open, only="identify")
    scripts = Scripts()

    manifest = conduct(folder, scripts.open, only="answer")

    looked = [each for each in interventions(folder) if each.score is not None]
    assert [(each.thread_id, each.turn, each.score) for each in looked] == [
        ("THREAD_0001", 0, -1)
    ]
    assert len(scripts.models["judge-b"].requests) == 1
    assert not manifest.complete
    rows = {row.outcome for row in read_scores(folder.scores) if row.target == "good"}
    assert rows == {"pending"}


def test_a_physicians_first_answer_is_the_oracles_and_is_paid_once(
    tmp_path: Path,
) -> None:
    text = STUDY + changing("first", policy="first")
    folder, scripts = write_study(tmp_path, text=text), Scripts()
    plain = Scripts()
    conduct(write_study(tmp_path / "plain"), plain.open)

    conduct(folder, scripts.open)

    # Turn 1 of THREAD_0001 is asked as in oracle; turns 1 and 2 of THREAD_0002 anew.
    extra = len(scripts.models["bad"].requests) - len(plain.models["bad"].requests)
    assert extra == 2


def test_an_arm_pays_only_for_what_comes_after_its_first_change(
    tmp_path: Path,
) -> None:
    plain = write_study(tmp_path / "plain")
    changed = write_study(
        tmp_path / "changed", text=STUDY + changing("given", policy="turns", turns=[1])
    )
    calls = []
    for folder in (plain, changed):
        scripts = Scripts()
        conduct(folder, scripts.open)
        calls.append(len(scripts.models["bad"].requests))

    # Turn 1 of THREAD_0001 is its last scored one, and no physician answered turn 1
    # of THREAD_0002: nothing is changed at all.
    assert calls[0] == calls[1]
    assert [(each.is_made, each.why) for each in interventions(changed)] == [
        (False, "nothing_to_say")
    ]


def test_a_correction_is_what_the_label_says_is_right(tmp_path: Path) -> None:
    arm = changing("told", policy="first", act="flag_and_correct")
    folder, scripts = write_study(tmp_path, text=STUDY + arm), Scripts()
    path = tmp_path / "reference.jsonl"
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    for line in lines:
        if line["misconception"]:
            line["correction"] = "It is otherwise."
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))

    conduct(folder, scripts.open)

    (shown,) = [
        said for said in texts(scripts, "bad") if "It is otherwise." in said[-1]
    ]
    assert shown[-1].endswith("]\n\nQuestion 1 of THREAD_0001?")


def test_a_screening_judge_is_kept_apart_from_the_panel(tmp_path: Path) -> None:
    """The study's judge-c gives 0 to everything: it lets no answer pass."""
    arm = changing("screened", policy="every_failing", screen="judge-c")
    text = STUDY.replace('"judge-b", "judge-c"]', '"judge-b"]')
    folder, scripts = write_study(tmp_path, text=text + arm), Scripts()
    told: list[tuple[str, str, int, int]] = []

    manifest = conduct(folder, scripts.open, told=told)

    found: list[Verdict] = read_records(folder.verdicts, Verdict)  # type: ignore[arg-type]
    assert {verdict.judge for verdict in found} == {"judge-a", "judge-b"}
    assert {each.score for each in interventions(folder)} == {0}
    roles = {used.name: used.roles for used in manifest.models}
    assert roles["judge-c"] == ("screen",)
    last = {(stage, model): (done, total) for stage, model, done, total in told}
    assert last["judge", "judge-c"] == (1, 1)
    assert all(done == total for done, total in last.values())


def test_a_lazy_panel_looks_as_the_whole_panel_does(tmp_path: Path) -> None:
    arm = changing("each", policy="every_failing")
    made = []
    for lazy in ("false", "true"):
        text = STUDY.replace("[panel]", f"[panel]\nlazy = {lazy}") + arm
        folder = write_study(tmp_path / lazy, text=text)
        conduct(folder, Scripts().open)
        made.append((interventions(folder), folder.scores.read_bytes()))

    assert made[0] == made[1]


def test_what_cannot_be_looked_at_is_asked_for_by_the_next_run(
    tmp_path: Path,
) -> None:
    """The screening judge is away once; nothing is paid for a way that is not gone."""
    arm = changing("s", policy="first_failing", act="flag", screen="judge-d")
    extra = (
        '\n[[models]]\nname = "judge-d"\nmodel = "openai:judge-d"\nattempts = 1\n'
        "price = { input = 1.0, output = 1.0 }\n"
    )
    folder = write_study(tmp_path, text=STUDY + arm)
    folder.study.write_text(folder.study.read_text() + extra)
    first = Scripts()

    def away(_: Request) -> str:
        raise RetryLater("connection refused")

    def opened(entry: Model) -> ChatModel:
        return ScriptedModel(away) if entry.name == "judge-d" else first.open(entry)

    with pytest.raises(ModelError, match="judge-d"):
        conduct(folder, opened)

    (lost,) = [
        answer
        for answer in read_records(folder.answers, Answer)
        if (answer.target, answer.thread_id, answer.turn) == ("bad+s", "THREAD_0001", 1)
    ]
    assert lost.outcome == "failed"
    assert lost.detail == "whether the answer to turn 0 failed could not be found out"
    second = Scripts()
    assert conduct(folder, second.open).complete
    assert len(second.models["bad"].requests) == 1


def test_the_prompts_of_arms_stand_in_the_manifest(tmp_path: Path) -> None:
    folder = write_study(tmp_path, text=STUDY + WARN + TWO_CALLS)

    manifest = conduct(folder, Scripts().open)

    prompts = {prompt.name: prompt for prompt in manifest.prompts}
    assert "not true" in prompts["warn-v1"].system
    assert prompts["warn-v1"].user == "{{question}}"
    assert "\n---answer---\n{{question}}" in prompts["identify-first-v1"].user


def test_a_warning_is_sent_and_the_baseline_is_not_warned(tmp_path: Path) -> None:
    folder, scripts = write_study(tmp_path, text=STUDY + WARN), Scripts()

    conduct(folder, scripts.open)

    warned = ["not true" in said[0] for said in texts(scripts, "good")]
    assert (sum(warned), len(warned)) == (11, 22)


def test_an_arm_of_one_setting_is_asked_there_alone(tmp_path: Path) -> None:
    text = STUDY + WARN + 'settings = ["oracle"]\n'
    folder = write_study(tmp_path, text=text)

    conduct(folder, Scripts().open)

    rows = [row for row in read_scores(folder.scores) if "+warn" in row.target]
    assert {row.setting for row in rows} == {"oracle"}


def test_a_prompt_file_that_is_not_there_is_one_line_before_anything_is_asked(
    tmp_path: Path,
) -> None:
    text = STUDY + '\n[[arms]]\nname = "own"\nprompt = "own.md"\n'
    folder, scripts = write_study(tmp_path, text=text), Scripts()

    with pytest.raises(InputError, match=r"own\.md: no such prompt file"):
        conduct(folder, scripts.open)

    assert scripts.calls() == 0


@pytest.mark.parametrize("arm", [WARN, TWO_CALLS, changing("a", policy="random", k=2)])
def test_arms_are_planned_as_they_are_run(tmp_path: Path, arm: str) -> None:
    folder, scripts = write_study(tmp_path, text=STUDY + arm), Scripts()
    before = foresee(folder)

    def unlike(entry: Model) -> ChatModel:
        """Say something else to every request, as the plan supposes."""
        model = scripts.open(entry)
        if entry.name in {"good", "bad"}:
            model.answer = lambda request: f"{entry.name} {hash(request.messages)}"
        return model

    conduct(folder, unlike)

    planned: Counter[str] = Counter()
    for row in before.rows:
        planned[row.model] += row.calls
    calls = {name: len(model.requests) for name, model in scripts.models.items()}
    assert planned == calls
    assert foresee(folder).to_pay.calls == 0


def test_a_plan_supposes_that_half_of_what_is_looked_at_fails(tmp_path: Path) -> None:
    arm = changing("each", policy="every_failing", act="flag")
    plain = foresee(write_study(tmp_path / "plain"))
    folder = write_study(tmp_path / "arm", text=STUDY + arm)

    made = foresee(folder)

    assert any("Half of the answers fail" in said for said in made.assumptions)
    assert not any("Half of the answers" in said for said in plain.assumptions)
    extra = made.at_most.calls - plain.at_most.calls
    # At most: turn 0 of THREAD_0001 fails, so that its turn 1 is asked anew, and its
    # three judges are each asked twice.
    assert extra == 1 + 2 * 3
    assert made.to_pay.calls - plain.to_pay.calls in {0, 1 + 3}


def test_a_removed_arm_leaves_no_interventions_behind(tmp_path: Path) -> None:
    folder = write_study(tmp_path, text=STUDY + changing("first", policy="first"))
    conduct(folder, Scripts().open)
    assert interventions(folder)
    text = folder.study.read_text()
    write_study(tmp_path)
    assert folder.study.read_text() != text

    conduct(folder, Scripts().open, only="judge")

    assert interventions(folder) == []
    assert read_json(folder.manifest, RunManifest).complete


def test_a_study_without_interventions_has_no_file_of_them(tmp_path: Path) -> None:
    folder = write_study(tmp_path, text=STUDY + WARN)

    conduct(folder, Scripts().open)

    assert not folder.interventions.exists()


def test_controls_are_asked_in_arms_too_and_are_never_looked_at(
    tmp_path: Path,
) -> None:
    text = STUDY + "\n[control]\nn = 7\n" + changing("each", policy="every_failing")
    folder = write_study(tmp_path, text=text + WARN)

    conduct(folder, Scripts().open)

    rows = read_scores(folder.scores)
    of_arms = {"bad+each", "bad+warn", "good+warn"}
    controls = Counter(
        row.target for row in rows if not row.misconception and row.target in of_arms
    )
    assert set(controls) == of_arms
    assert {(each.thread_id, each.turn) for each in interventions(folder)} <= MARKED


def test_judging_alone_needs_no_screening_judge(tmp_path: Path) -> None:
    arm = changing("screened", policy="every_failing", screen="judge-c")
    text = STUDY.replace('"judge-b", "judge-c"]', '"judge-b"]')
    folder = write_study(tmp_path, text=text + arm)
    conduct(folder, Scripts().open)
    before, scripts = contents(folder), Scripts()

    conduct(folder, scripts.open, only="judge")

    assert "judge-c" not in scripts.models
    assert contents(folder)["interventions"] == before["interventions"]
    assert contents(folder)["scores"] == before["scores"]


@pytest.mark.parametrize(
    ("arms", "complaint"),
    [
        (WARN + WARN, r"two \[\[arms\]\] have the name 'warn'"),
        (WARN + 'of = ["none"]\n', "no target; targets are good, bad"),
        (WARN + 'of = ["bad", "bad"]\n', "arm 'warn' is of 'bad' twice"),
        ('\n[[arms]]\nname = "x"\n', "needs a prompt or an intervention"),
        (WARN + 'intervention = { policy = "last" }\n', "and not both"),
        (WARN + 'settings = ["intervention"]\n', "settings are for prompts"),
        (changing("x", policy="turns"), 'turns go with the policy "turns"'),
        (changing("x", policy="first", turns=[1]), 'turns go with the policy "turns"'),
        (changing("x", policy="turns", turns=[-1]), "turns count from 0"),
        (changing("x", policy="random", k=0), "k is 0; expected at least 1"),
        (changing("x", policy="first", k=3), 'k goes with the policy "random"'),
        (changing("x", policy="last", screen="good"), "screen goes with policies"),
        (
            changing("x", policy="first_failing", screen="nobody"),
            "screen of arm 'x' names 'nobody'",
        ),
        ('\n[[arms]]\nname = ""\nprompt = "warn"\n', "the name '' of an arm is empty"),
    ],
)
def test_an_arm_that_does_not_fit_is_one_line(
    tmp_path: Path, arms: str, complaint: str
) -> None:
    folder = write_study(tmp_path, text=STUDY + arms)

    with pytest.raises(StudyError, match=complaint):
        conduct(folder, Scripts().open)


@pytest.mark.parametrize(
    ("arms", "complaint"),
    [
        (changing("x", policy="first"), "compared with its target in multi_turn"),
        (WARN + 'settings = ["isolated"]\n', "compared with its target in isolated"),
    ],
)
def test_an_arm_without_a_baseline_is_one_line(
    tmp_path: Path, arms: str, complaint: str
) -> None:
    text = STUDY.replace(
        '["multi_turn", "target_turn", "oracle", "isolated"]', '["oracle"]'
    )
    folder = write_study(tmp_path, text=text + arms)

    with pytest.raises(StudyError, match=complaint):
        conduct(folder, Scripts().open)


def test_an_adaptive_arm_needs_somebody_who_looks(tmp_path: Path) -> None:
    text = STUDY.replace(
        'judges = ["judge-a", "judge-b", "judge-c"]\nprimary = "judge-a"', "judges = []"
    )
    folder = write_study(tmp_path, text=text + changing("x", policy="every_failing"))

    with pytest.raises(StudyError, match="needs a screen, or judges in"):
        conduct(folder, Scripts().open)


def test_an_arm_with_the_name_of_a_model_is_one_line(tmp_path: Path) -> None:
    extra = '\n[[models]]\nname = "bad+warn"\nmodel = "openai:bad"\n'
    folder = write_study(tmp_path, text=STUDY + WARN)
    folder.study.write_text(folder.study.read_text() + extra)

    with pytest.raises(StudyError, match=r"has the name of a model, bad\+warn"):
        conduct(folder, Scripts().open)


def test_a_judge_that_holds_no_score_changes_nothing(tmp_path: Path) -> None:
    arm = changing("each", policy="every_failing", screen="judge-c")
    folder, scripts = write_study(tmp_path, text=STUDY + arm), Scripts()

    def opened(entry: Model) -> ChatModel:
        if entry.name == "judge-c":
            return ScriptedModel(lambda _: "I would rather not.")
        return scripts.open(entry)

    conduct(folder, opened)

    assert {(each.is_made, each.why) for each in interventions(folder)} == {
        (False, "unscored")
    }


def test_a_run_can_be_measured_by_its_arms(tmp_path: Path) -> None:
    """`bad` says of itself that it was put right wherever a clinician's note stands."""
    arm = changing("each", policy="every_failing", act="flag")
    folder, scripts = write_study(tmp_path, text=STUDY + arm + WARN), Scripts()

    def opened(entry: Model) -> ChatModel:
        model = scripts.open(entry)
        if entry.name == "bad":
            model.answer = lambda request: (
                "That is not so."
                if any("Note from a clinician" in m.content for m in request.messages)
                else f"Quite right. {len(request.messages)}"
            )
        return model

    conduct(folder, opened)

    found = measure_arms(
        panel_scores(read_scores(folder.scores), rule="majority", primary=None),
        interventions(folder),
        read_study(folder).contestants(),
    )
    (noted,) = found.interventions
    # Turn 0 of THREAD_0001 fails, and its turn 1 comes right; THREAD_0002 has a single
    # labelled turn, before which nothing is looked at.
    assert (noted.first.n, noted.first.changed_only, noted.none.n) == (1, 1, 2)
    assert {each.n for each in found.comparisons} == {2, 3}
    assert [each.first.target for each in found.comparisons].count("good+warn") == 4
