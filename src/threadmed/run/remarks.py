"""What a person should know of a run beside its numbers: what is lost, or left out."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from threadmed.labels.harms import strangers
from threadmed.llm.model import Request
from threadmed.llm.providers.capabilities import most_tokens
from threadmed.records import (
    Answer,
    AnswerOutcome,
    Harm,
    Label,
    Labelled,
    Question,
    Thread,
)
from threadmed.run.conduct import Run
from threadmed.study import Contestant, Study

LOST: Mapping[AnswerOutcome, str] = {
    "blocked": "were blocked",
    "truncated": "were cut off",
    "empty": "were empty",
    "failed": "never came",
}
"""How an answer ended that nobody judges."""


def remarks(this: Run, *, experts: Mapping[Question, Harm]) -> list[str]:
    """Say what of a run is left out, and which answers are lost.

    Args:
        this: A pass whose answers are there.
        experts: Harm classes that experts gave.
    """
    left_out = unlabelled(this.material.threads, this.labels, this.material.source)
    questions = sum(len(thread.turns) for thread in this.material.threads)
    return [
        *left_out_line(left_out, questions),
        *strangers(experts, this.material.threads),
        *_lost(this.study, this.answers.values()),
    ]


def unlabelled(threads: Sequence[Thread], labels: Iterable[Label], source: str) -> int:
    """Count the questions that the deciding source has not labelled."""
    questions = {
        (thread.thread_id, turn)
        for thread in threads
        for turn in range(len(thread.turns))
    }
    return len(
        questions
        - {
            (label.thread_id, label.turn)
            for label in labels
            if isinstance(label, Labelled) and label.source == source
        }
    )


def left_out_line(left_out: int, questions: int) -> Iterator[str]:
    """Say how many questions are left out for want of a label, where any are.

    Example:
        >>> list(left_out_line(2, 6))
        ['2 of 6 questions have no label and are left out']
        >>> list(left_out_line(0, 6))
        []
    """
    if left_out:
        verbs = "has no label and is" if left_out == 1 else "have no label and are"
        yield f"{left_out:,} of {questions:,} questions {verbs} left out"


def _lost(study: Study, answers: Iterable[Answer]) -> Iterator[str]:
    """Give a line for each model or arm and way in which answers of it were lost."""
    ends = Counter((each.target, each.outcome) for each in answers)
    for each in study.contestants():
        asked = sum(ends[each.name, end] for end in ("answered", *LOST))
        for outcome, how in LOST.items():
            lost = ends[each.name, outcome]
            if not lost:
                continue
            why = _limit(study, each) if outcome == "truncated" else ""
            ended = how.replace("were", "was") if lost == 1 else how
            yield (
                f"{lost:,} of {asked:,} answers of {each.name} {ended}{why}; nothing "
                f"of {'it' if lost == 1 else 'them'} is judged"
            )


def _limit(study: Study, each: Contestant) -> str:
    request = Request(messages=(), max_tokens=study.answer.max_tokens)
    return f" at max_tokens = {most_tokens(study.model(each.target), request)}"
