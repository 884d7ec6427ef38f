import asyncio
import math
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from inspect_ai import score
from inspect_ai.log import read_eval_log

from study_factory import MODELS, Scripts, say, write_study
from threadmed.errors import StudyError
from threadmed.inspection.export import export_inspect
from threadmed.inspection.tasks import conversations, judgements
from threadmed.llm.model import ChatModel, Request
from threadmed.llm.providers import open_model
from threadmed.records import Model, Scored, Verdict
from threadmed.run import run
from threadmed.store import read_records, read_scores
from threadmed.study import Folder

Key = tuple[str, str, int, str]


def ours(
    folder: Folder, target: str, opened: Callable[[Model], ChatModel]
) -> dict[Key, int | None]:
    """Scores by setting, thread, turn and judge of a run of our own."""
    asyncio.run(
        run(
            folder,
            open_model=opened,
            clock=lambda: 1.0,
            progress=lambda *_: None,
        )
    )
    found: dict[Key, int | None] = {
        (row.setting, row.thread_id, row.turn, "panel"): row.score
        for row in read_scores(folder.scores)
        if row.target == target
    }
    for verdict in read_records(folder.verdicts, Verdict):  # type: ignore[arg-type]
        if verdict.target == target:
            score = verdict.score if isinstance(verdict, Scored) else None
            place = (verdict.setting, verdict.thread_id, verdict.turn)
            found[(*place, verdict.judge)] = score
    return found


def theirs(log: Any) -> dict[Key, int | None]:
    """Scores by setting, thread, turn and judge of a log of Inspect's."""
    return {
        (
            sample.metadata["setting"],
            sample.metadata["thread"],
            sample.metadata["turn"],
            judge,
        ): None if math.isnan(value) else value
        for sample in log.samples
        for judge, value in sample.scores["judgements"].value.items()
    }


@pytest.mark.parametrize("target", ["good", "bad"])
def test_both_roads_give_the_same_scores(
    folder: Folder, evaluate: Callable[..., Any], target: str
) -> None:
    log = evaluate(folder, target)

    assert log.status == "success", log.error
    expected = ours(folder, target, Scripts().open)
    # Three marked turns: multi_turn, target_turn, isolated have all, oracle two.
    assert len(expected) == (3 + 3 + 3 + 2) * 4
    assert theirs(log) == expected


def test_both_roads_make_the_same_numbers_of_the_same_words(
    tmp_path: Path, folder: Folder, evaluate: Callable[..., Any]
) -> None:
    ours(folder, "bad", Scripts().open)
    exported = read_eval_log(str(export_inspect(folder, tmp_path / "x") / "bad.eval"))

    log = evaluate(folder, "bad")

    assert numbers(log) == numbers(exported)
    # Three judges and the panel, by three metrics and four settings.
    assert len(numbers(log)) == 4 * 3 * 4


def numbers(log: Any) -> dict[tuple[str, str], float | str]:
    """Every metric of a log; NaN as a word, since it equals nothing."""
    return {
        (score.name, name): "none" if math.isnan(metric.value) else metric.value
        for score in log.results.scores
        for name, metric in score.metrics.items()
    }


def test_turns_of_one_conversation_are_asked_once_for_all_samples(
    folder: Folder, evaluate: Callable[..., Any], script: Any
) -> None:
    evaluate(folder, "good")

    # As few as a run of our own: THREAD_0001 has multi_turn 2, target_turn 1,
    # oracle 1, isolated 1; THREAD_0002 has 3, 1, 1, 1; turn 0 is one for all.
    assert script.calls("good") == 11
    # One answer to three questions, whatever the setting.
    assert [script.calls(f"judge-{x}") for x in "abc"] == [3, 3, 3]


def test_each_epoch_asks_anew(
    folder: Folder, evaluate: Callable[..., Any], script: Any
) -> None:
    log = evaluate(folder, "good", epochs=2)

    assert (len(log.samples), script.calls("good")) == (22, 22)


def test_a_sample_shows_the_conversation_and_the_verdicts(
    folder: Folder, evaluate: Callable[..., Any]
) -> None:
    log = evaluate(folder, "bad")

    (sample,) = [s for s in log.samples if s.id == "multi_turn/THREAD_0001/1"]
    assert [(message.role, message.text) for message in sample.messages] == [
        ("user", "Question 0 of THREAD_0001?"),
        ("assistant", "Quite right. 1"),
        ("user", "Question 1 of THREAD_0001?"),
        ("assistant", "Quite right. 3"),
    ]
    assert (sample.input, sample.target) == ("Question 1 of THREAD_0001?", "a belief")
    assert "judge-a: -1. judge-a says" in sample.scores["judgements"].explanation


def test_a_judge_that_cannot_be_read_is_unscored_and_never_0(
    folder: Folder, evaluate: Callable[..., Any], script: Any
) -> None:
    def mumble(name: str, request: Request) -> str:
        unreadable = name in {"judge-b", "judge-c"}
        return "I would rather not." if unreadable else say(name, request)

    script.says = mumble

    log = evaluate(folder, "good")

    for sample in log.samples:
        score = sample.scores["judgements"]
        assert math.isnan(score.value["judge-b"])
        # Without a majority of the configured three the primary judge decides.
        assert score.value["panel"] == 1
        assert score.metadata["tie_break"]
    (judge_b,) = [score for score in log.results.scores if score.name == "judge-b"]
    assert (judge_b.scored_samples, judge_b.unscored_samples) == (0, 11)


def test_a_lazy_panel_asks_no_more_judges_than_it_takes(
    folder: Folder, evaluate: Callable[..., Any], script: Any
) -> None:
    text = folder.study.read_text().replace("[panel]", "[panel]\nlazy = true")
    folder.study.write_text(text)

    log = evaluate(folder, "good")

    # Judges a and b agree, so that nothing that c says could change the score.
    assert script.calls("judge-c") == 0
    values = [sample.scores["judgements"].value for sample in log.samples]
    assert {value["panel"] for value in values} == {1}
    assert all(math.isnan(value["judge-c"]) for value in values)
    assert theirs(log) | ours(folder, "good", Scripts().open) == theirs(log)


def test_a_lazy_panel_goes_on_where_judges_differ(
    folder: Folder, evaluate: Callable[..., Any], script: Any
) -> None:
    text = folder.study.read_text().replace("[panel]", "[panel]\nlazy = true")
    folder.study.write_text(
        text.replace('"judge-b", "judge-c"', '"judge-c", "judge-b"')
    )

    log = evaluate(folder, "good")

    # Judge c says 0 to everything, so that b is needed.
    assert [script.calls(f"judge-{x}") for x in "acb"] == [3, 3, 3]
    values = [sample.scores["judgements"].value for sample in log.samples]
    assert {value["panel"] for value in values} == {1}


def test_an_answer_that_has_yet_to_come_is_unscored(
    tmp_path: Path, folder: Folder, script: Any
) -> None:
    ours(folder, "good", Scripts().open)
    text = folder.answers.read_text().splitlines()
    folder.answers.write_text("\n".join(text[1:]) + "\n")
    export_inspect(folder, tmp_path / "logs")
    log = read_eval_log(str(tmp_path / "logs" / "good.eval"))

    judged = score(
        log, judgements(str(folder.root)), action="overwrite", display="none"
    )

    reasons = [sample.scores["judgements"].reason for sample in judged.samples]
    assert reasons.count("pending") == 1
    assert script.calls("judge-a") > 0


def test_what_was_exported_can_be_judged_again_in_inspect(
    tmp_path: Path, folder: Folder, script: Any
) -> None:
    expected = ours(folder, "bad", Scripts().open)
    export_inspect(folder, tmp_path / "logs")
    log = read_eval_log(str(tmp_path / "logs" / "bad.eval"))

    judged = score(
        log, judgements(str(folder.root)), action="overwrite", display="none"
    )

    assert theirs(judged) == expected
    assert script.calls("judge-a") > 0


def test_a_filtered_answer_is_unscored_and_no_judge_is_asked(
    folder: Folder, evaluate: Callable[..., Any], script: Any
) -> None:
    script.says = lambda name, request: (
        "[filtered]" if name == "good" else say(name, request)
    )

    log = evaluate(folder, "good")

    scores = [sample.scores["judgements"] for sample in log.samples]
    assert {score.reason for score in scores} == {"refusal", "failed"}
    assert all(math.isnan(value) for s in scores for value in s.value.values())
    assert script.calls("judge-a") == 0
    # Turn 1 of a conversation whose turn 0 was filtered cannot be asked.
    (later,) = [s for s in log.samples if s.id == "multi_turn/THREAD_0001/1"]
    assert later.scores["judgements"].metadata["outcome"] == "failed"
    assert (
        "turn 0 has no answer to go on from" in later.scores["judgements"].explanation
    )


def test_a_call_that_fails_is_an_error_of_its_sample_and_no_score(
    folder: Folder, evaluate: Callable[..., Any], script: Any
) -> None:
    def fall(name: str, request: Request) -> str:
        if name == "judge-a" and "Question 2" in request.messages[-1].content:
            raise ConnectionError("the judge is away")
        return say(name, request)

    script.says = fall

    log = evaluate(folder, "good", fail_on_error=False)

    failed = [sample for sample in log.samples if sample.error]
    assert {sample.metadata["turn"] for sample in failed} == {2}
    assert all("the judge is away" in sample.error.message for sample in failed)
    assert not any(sample.scores for sample in failed)
    assert len(theirs_scored(log)) == (11 - len(failed)) * 4


def theirs_scored(log: Any) -> dict[Key, int | None]:
    log.samples = [sample for sample in log.samples if not sample.error]
    return theirs(log)


def test_a_role_of_a_judges_name_takes_its_place(
    folder: Folder, evaluate: Callable[..., Any], script: Any
) -> None:
    text = folder.study.read_text()
    folder.study.write_text(text.replace("inspect:scripted/judge-b", "embedded:x"))

    log = evaluate(folder, "good", model_roles={"judge-b": "scripted/judge-c"})

    assert log.status == "success"
    assert script.calls("judge-b") == 0
    assert {sample.scores["judgements"].value["judge-b"] for sample in log.samples} == {
        0
    }


def test_a_judge_that_inspect_cannot_reach_says_what_to_do(
    folder: Folder, evaluate: Callable[..., Any], script: Any
) -> None:
    text = folder.study.read_text()
    folder.study.write_text(text.replace("inspect:scripted/judge-b", "embedded:x"))

    log = evaluate(folder, "good")

    assert log.status == "error"
    assert "--model-role judge-b=PROVIDER/MODEL" in log.error.message
    # It is said before anything is paid for.
    assert script.calls("good") == 0


def test_the_target_is_called_as_the_study_says(folder: Folder) -> None:
    text = folder.study.read_text()
    folder.study.write_text(
        text.replace(
            'model = "inspect:scripted/bad"',
            'model = "inspect:scripted/bad"\ntemperature = 0.5\nmax_tokens = 77',
        )
    )

    config = conversations(str(folder.study), target="bad").config

    assert (config.temperature, config.max_tokens) == (0.5, 77)
    assert conversations(str(folder.root)).config.temperature == 0.0


def test_a_target_that_the_study_does_not_describe_is_one_line(folder: Folder) -> None:
    with pytest.raises(StudyError, match=r"no \[\[models\]\] has the name 'who'"):
        conversations(str(folder.root), target="who")


@pytest.mark.parametrize(
    ("before", "after", "complaint"),
    [
        ('["judge-a", "judge-b", "judge-c"]\nprimary = "judge-a"', "[]", "is empty"),
        ("judge-b", "panel", "a judge is called 'panel'"),
        ("[identify]", '[identify]\nsource = "judge-a"', "--only identify"),
    ],
)
def test_a_study_that_cannot_be_asked_here_is_one_line(
    folder: Folder, before: str, after: str, complaint: str
) -> None:
    folder.study.write_text(folder.study.read_text().replace(before, after))

    with pytest.raises(StudyError, match=complaint):
        conversations(str(folder.root))


def test_the_identifiers_labels_decide_where_the_study_says_so(folder: Folder) -> None:
    text = folder.study.read_text()
    folder.study.write_text(
        text.replace("[identify]", '[identify]\nsource = "judge-a"')
    )
    ours(folder, "good", Scripts().open)

    task = conversations(str(folder.root))

    assert {sample.metadata["turn"] for sample in task.dataset} == {1}


def test_inspects_own_command_finds_the_task_and_asks_over_http(
    tmp_path: Path, serve: Callable[..., Any]
) -> None:
    server = serve()
    models = "".join(
        f'\n[[models]]\nname = "{name}"\nmodel = "openai:{name}"\n'
        f'base_url = "{server.url}"\nprice = {{ input = 0.0, output = 0.0 }}\n'
        for name in MODELS
    )
    folder = write_study(tmp_path / "study", models=models)
    threads = tmp_path / "study" / "threads.jsonl"
    # The server judges by the length of what it reads.
    longer = threads.read_text().replace("Question 1", "Question 1b")
    threads.write_text(longer.replace("Question 2", "Question 2bc"))
    expected = ours(folder, "good", lambda entry: open_model(entry, environment={}))

    done = subprocess.run(
        [
            *(sys.executable, "-m", "inspect_ai", "eval", "threadmed/conversations"),
            *("-T", f"study={folder.root}", "--model", "openai/good"),
            *("--model-base-url", server.url, "-M", "responses_api=false"),
            *("--log-dir", str(tmp_path / "logs"), "--display", "none"),
        ],
        env={**os.environ, "OPENAI_API_KEY": "of-nobody"},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 0, done.stderr[-2000:]
    (path,) = (tmp_path / "logs").glob("*.eval")
    assert theirs(read_eval_log(str(path))) == expected
    assert set(expected.values()) == {-1, 0, 1}
