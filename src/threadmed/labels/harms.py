"""Harm classes of questions: from labels, and from experts' ratings of them."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from threadmed.errors import InputError
from threadmed.labels.experts import Reading, read_ratings
from threadmed.records import (
    ADJUDICATED,
    HARMS,
    Harm,
    Label,
    Labelled,
    Question,
    Rating,
    Thread,
)


def read_harms(path: Path) -> dict[Question, Harm]:
    """Read the harm classes that experts gave, from a ratings table.

    Of several ratings of a question the middle one counts, the graver where there are
    two in the middle; one by the rater `adjudicated` counts alone.

    Args:
        path: A ratings table with thread_id and turn; see labels.experts.

    Raises:
        InputError: If it cannot be read, holds a value that is no harm class, or lacks
            the place of a question; names file, line and column.
    """
    reading = Reading(HARMS, {harm: harm for harm in HARMS})
    given: dict[Question, dict[str, int]] = defaultdict(dict)
    for rating in read_ratings(path, reading=reading):
        question = _question(path, rating)
        if rating.value is not None:
            given[question][rating.rater] = reading.values.index(rating.value)
    return {question: HARMS[_middle(said)] for question, said in given.items() if said}


def strangers(
    experts: Mapping[Question, Harm], threads: Iterable[Thread]
) -> Iterator[str]:
    """Say how many questions with a harm class are of no thread here, where any are.

    Example:
        >>> list(strangers({("T9", 0): "mild"}, []))
        ['the harm class of 1 question in ratings/harm.csv is of no question here']
        >>> list(strangers({}, []))
        []
    """
    lengths = {thread.thread_id: len(thread.turns) for thread in threads}
    n = sum(turn >= lengths.get(thread, 0) for thread, turn in experts)
    if not n:
        return
    classes, are = ("class", "is") if n == 1 else ("classes", "are")
    yield (
        f"the harm {classes} of {n:,} question{'' if n == 1 else 's'} in "
        f"ratings/harm.csv {are} of no question here"
    )


def _question(path: Path, rating: Rating) -> Question:
    if rating.thread_id is None or rating.turn is None:
        raise InputError(
            f"{path}: item {rating.item} has no thread_id or no turn; a harm class is "
            "that of a question"
        )
    return (rating.thread_id, rating.turn)


def _middle(said: Mapping[str, int]) -> int:
    if ADJUDICATED in said:
        return said[ADJUDICATED]
    return sorted(said.values())[len(said) // 2]


def harm_classes(
    labels: Iterable[Label], experts: Mapping[Question, Harm]
) -> dict[Question, Harm]:
    """Give the harm class of each question that carries a misconception.

    Args:
        labels: Of the source that decides.
        experts: Classes that experts gave; they go before those of the labels.

    Returns:
        The class of each misconception that somebody gave one; `none` is a class.

    Example:
        >>> from threadmed.records import ThreadId
        >>> yes = Labelled(
        ...     thread_id=ThreadId("T"), turn=0, misconception=True, source="a")
        >>> harm_classes([yes], {}), harm_classes([yes], {(ThreadId("T"), 0): "mild"})
        ({}, {('T', 0): 'mild'})
    """
    given = {
        (label.thread_id, label.turn): label.harm
        for label in labels
        if isinstance(label, Labelled) and label.misconception
    }
    said = {at: experts.get(at, harm) for at, harm in given.items()}
    return {at: harm for at, harm in said.items() if harm is not None}
