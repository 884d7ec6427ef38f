"""What is said of a run whose answers are lost, or whose questions are left out."""

import asyncio
from collections.abc import Callable
from pathlib import Path

from study_factory import STUDY, Scripts, labels, write_study
from threadmed.llm.model import ChatModel, Reply, Request, ScriptedModel
from threadmed.records import AnswerOutcome, Model, Stage, Usage
from threadmed.run import run
from threadmed.store import write_records
from threadmed.study import Folder


def told_of(
    folder: Folder,
    open_model: Callable[[Model], ChatModel],
    *,
    only: Stage | None = None,
) -> list[str]:
    """Run a study, and give what is said once its answers are there."""
    told: list[str] = []
    asyncio.run(
        run(
            folder,
            open_model=open_model,
            clock=lambda: 1.0,
            progress=lambda *_: None,
            only=only,
            on_answers=told.extend,
        )
    )
    return told


def ending(outcome: AnswerOutcome) -> Callable[[Model], ScriptedModel]:
    """Open models of which `good` ends all of its answers in one way."""

    def opened(entry: Model) -> ScriptedModel:
        model = Scripts().open(entry)
        if entry.name == "good":

            def answer(request: Request) -> Reply:
                del request
                text = "half a" if outcome == "truncated" else ""
                return Reply(outcome=outcome, text=text, usage=Usage(), served_by="x")

            model.answer = answer
        return model

    return opened


def test_answers_that_were_all_cut_off_are_told_of_with_the_limit(
    tmp_path: Path,
) -> None:
    folder = write_study(tmp_path, text=STUDY + "\n[answer]\nmax_tokens = 60\n")

    (line,) = told_of(folder, ending("truncated"))

    assert line == (
        "13 of 13 answers of good were cut off at max_tokens = 60; nothing of them is "
        "judged"
    )


def test_a_run_that_judges_alone_tells_of_the_answers_that_it_found(
    tmp_path: Path,
) -> None:
    folder = write_study(tmp_path)
    told_of(folder, ending("blocked"), only="identify")
    first = told_of(folder, ending("blocked"), only="answer")

    # A conversation does not go on after an answer that was blocked.
    assert first == [
        "10 of 13 answers of good were blocked; nothing of them is judged",
        "3 of 13 answers of good never came; nothing of them is judged",
    ]
    assert told_of(folder, ending("blocked"), only="judge") == first


def test_a_run_that_loses_nothing_says_nothing(tmp_path: Path) -> None:
    assert told_of(write_study(tmp_path), Scripts().open) == []


def test_questions_that_nobody_labels_are_told_of(tmp_path: Path) -> None:
    folder = write_study(tmp_path, text=STUDY.replace('model = "judge-a"\n', ""))
    write_records(tmp_path / "reference.jsonl", labels()[:8])

    assert told_of(folder, Scripts().open) == [
        "2 of 10 questions have no label and are left out"
    ]


def test_a_harm_class_of_a_question_that_is_not_here_is_told_of(tmp_path: Path) -> None:
    folder = write_study(tmp_path)
    folder.harms.parent.mkdir(exist_ok=True)
    folder.harms.write_text("thread_id,turn,rater,value\nTHREAD_9999,0,a,mild\n")

    assert told_of(folder, Scripts().open) == [
        "the harm class of 1 question in ratings/harm.csv is of no question here"
    ]
