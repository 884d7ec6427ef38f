"""Draws the controls: questions without a misconception that are asked all the same.

What an answer calls wrong there was not wrong. The draw is stratified by turn, so that
every part of a conversation is held, and the chance of each question is known; pure.
"""

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from threadmed.records import Label, Labelled, Question, Record, Thread, ThreadId

LATE = 4
"""Turns from here on are one stratum: each of them holds few threads."""


class DrawnControl(Record, frozen=True, kw_only=True):
    """A question that was drawn to be a control; one line of controls.jsonl."""

    thread_id: ThreadId
    turn: int
    stratum: str
    """As in "turn 2", or "turn 4 or later"."""
    population: int
    """Questions of the stratum that could have been drawn."""
    probability: float
    """Chance with which it was drawn, in (0, 1]."""


def draw_controls(
    threads: Sequence[Thread],
    labels: Iterable[Label],
    *,
    source: str,
    n: int,
    seed: int,
) -> tuple[DrawnControl, ...]:
    """Draw questions that carry no misconception by one source.

    Each stratum gets its share by Adams' method (Balinski and Young 1982). A question's
    lot depends on the seed and its own name alone: a larger draw holds the smaller one.

    Args:
        threads: Those of the study; labels of others are passed over.
        labels: Of any source. A question whose label never came is not drawn.
        source: Whose labels decide.
        n: Questions to draw; all that there are where there are fewer.
        seed: Decides the draw.

    Returns:
        In the order of the threads and turns.

    Example:
        >>> from threadmed.records import Turn
        >>> one = Thread(thread_id=ThreadId("T"), turns=(Turn(question="q", answer=""),))
        >>> no = Labelled(
        ...     thread_id=ThreadId("T"), turn=0, misconception=False, source="a")
        >>> [c.probability for c in draw_controls([one], [no], source="a", n=5, seed=1)]
        [1.0]
    """
    strata = _strata(threads, labels, source=source)
    drawn = [
        DrawnControl(
            thread_id=thread_id,
            turn=turn,
            stratum=_named(stratum),
            population=len(strata[stratum]),
            probability=size / len(strata[stratum]),
        )
        for stratum, size in _sizes(strata, n).items()
        for thread_id, turn in _first(strata[stratum], size, seed=seed)
    ]
    places = {thread.thread_id: at for at, thread in enumerate(threads)}
    return tuple(sorted(drawn, key=lambda each: (places[each.thread_id], each.turn)))


def _strata(
    threads: Iterable[Thread], labels: Iterable[Label], *, source: str
) -> dict[int, list[Question]]:
    """Part the questions that could be drawn by turn, the late ones together."""
    names = {thread.thread_id for thread in threads}
    strata: dict[int, list[Question]] = defaultdict(list)
    for label in labels:
        if label.source == source and _is_plain(label) and label.thread_id in names:
            strata[min(label.turn, LATE)].append((label.thread_id, label.turn))
    return strata


def labels_of(
    drawn: Iterable[DrawnControl], labels: Iterable[Label], *, source: str
) -> dict[Question, Labelled]:
    """Give the label of each control by the source that decides."""
    wanted = {(each.thread_id, each.turn) for each in drawn}
    return {
        (label.thread_id, label.turn): label
        for label in labels
        if label.source == source
        and isinstance(label, Labelled)
        and (label.thread_id, label.turn) in wanted
    }


def _is_plain(label: Label) -> bool:
    return isinstance(label, Labelled) and not label.misconception


def _named(stratum: int) -> str:
    return f"turn {stratum} or later" if stratum == LATE else f"turn {stratum}"


def _sizes(strata: Mapping[int, Sequence[Question]], n: int) -> dict[int, int]:
    """Share `n` out: the next one goes where the drawn are the smallest part."""
    order = sorted(
        (taken / len(questions), stratum)
        for stratum, questions in strata.items()
        for taken in range(len(questions))
    )
    sizes: dict[int, int] = defaultdict(int)
    for _, stratum in order[: max(0, n)]:
        sizes[stratum] += 1
    return sizes


def _first(questions: Sequence[Question], size: int, *, seed: int) -> list[Question]:
    return sorted(questions, key=lambda question: _lot(seed, question))[:size]


def _lot(seed: int, question: Question) -> bytes:
    thread, turn = question
    return hashlib.sha256(f"{seed}:control:{turn}:{thread}".encode()).digest()
