"""What an import gives: threads, and what came with them."""

from collections.abc import Iterable, Sequence

from threadmed.dataset.imports.rows import MISSING, Row, pick, wrong
from threadmed.errors import InputError
from threadmed.records import (
    Answer,
    Harm,
    Labelled,
    PanelScore,
    Record,
    Thread,
    ThreadId,
)

REFERENCE = "reference"
"""Source of labels that came with data."""

TRUTH = {"true": True, "1": True, "1.0": True, "yes": True}
TRUTH |= {"false": False, "0": False, "0.0": False, "no": False}

HARMS: dict[str, Harm] = {
    "none": "none",
    "mild": "mild",
    "serious": "serious",
    "urgent": "urgent",
}


class Imported(Record, frozen=True, kw_only=True):
    """Threads from elsewhere, and what came with them."""

    threads: tuple[Thread, ...]
    labels: tuple[Labelled, ...] = ()
    answers: tuple[Answer, ...] = ()
    """Of models, as they came."""
    scores: tuple[PanelScore, ...] = ()
    """Of those answers, as they came."""
    said: tuple[str, ...] = ()
    """What was detected, taken or passed over, for a person to read."""


class LabelKeys(Record, frozen=True, kw_only=True):
    """Which keys of a turn hold its label; None is none."""

    misconception: str | None = None
    belief: str | None = None
    correction: str | None = None
    harm: str | None = None
    source: str = REFERENCE

    def named(self) -> tuple[str | None, ...]:
        """Give the keys alone."""
        return (self.misconception, self.belief, self.correction, self.harm)


def label_of(
    row: Row, keys: LabelKeys, *, thread_id: ThreadId, turn: int
) -> Labelled | None:
    """Read the label of a turn.

    Args:
        row: The turn and where it stands.
        keys: Where its label is.
        thread_id: Its thread.
        turn: Its number, from 0.

    Returns:
        The label; None where the turn has none. Without a key for `misconception` a
        turn with a belief carries one, and nothing is known of the others.

    Raises:
        InputError: If a value is not what it must be, or if there is a belief where
            there is no misconception.
    """
    belief, correction = _text(row, keys.belief), _text(row, keys.correction)
    carries = _carries(row, keys.misconception)
    if keys.misconception is None and belief:
        carries = True
    if carries is None:
        return None
    if belief and not carries:
        raise wrong(
            row,
            keys.belief or "",
            expected=f"nothing, since {keys.misconception} says no",
        )
    return Labelled(
        thread_id=thread_id,
        turn=turn,
        misconception=carries,
        belief=belief,
        correction=correction if carries else "",
        harm=_harm(row, keys.harm) if carries else None,
        source=keys.source,
    )


def _text(row: Row, key: str | None) -> str:
    value = pick(row.cells, key) if key else None
    if isinstance(value, str):
        return value.strip()
    if key and value is not None and value is not MISSING:
        raise wrong(row, key, expected="text, or null for none")
    return ""


def _carries(row: Row, key: str | None) -> bool | None:
    """Read a yes, a no, or neither."""
    value = pick(row.cells, key) if key else None
    if value in (None, MISSING) or (isinstance(value, str) and not value.strip()):
        return None
    found = TRUTH.get(str(value).strip().lower())
    if found is None and key:
        raise wrong(row, key, expected="yes, no, true, false, 1, 0, or nothing")
    return found


def _harm(row: Row, key: str | None) -> Harm | None:
    said = _text(row, key).lower()
    if said and said not in HARMS:
        raise wrong(row, key or "", expected=f"one of {', '.join(HARMS)}, or nothing")
    return HARMS[said] if said else None


def numbered(prefix: str, total: int) -> list[ThreadId]:
    """Name threads by their place in the file.

    Example:
        >>> numbered("THREAD", 2)
        ['THREAD_0001', 'THREAD_0002']
    """
    wide = max(4, len(str(total)))
    return [ThreadId(f"{prefix}_{n:0{wide}}") for n in range(1, total + 1)]


def thread_name(row: Row, key: str) -> ThreadId:
    """Read the name of a thread: a text or a whole number.

    Raises:
        InputError: If it is something else.
    """
    value = pick(row.cells, key)
    is_number = isinstance(value, int) and not isinstance(value, bool)
    text = str(value).strip() if isinstance(value, str) or is_number else ""
    if not text:
        raise wrong(
            row, key, expected="the name of a thread", mapping='thread_id = "" numbers'
        )
    return ThreadId(text)


def refuse_twice(rows: Sequence[Row], names: Iterable[ThreadId], *, key: str) -> None:
    """Complain of two rows with one name, where each is a thread of its own.

    Raises:
        InputError: Names the second row, and where the first is.
    """
    seen: dict[ThreadId, Row] = {}
    for row, name in zip(rows, names, strict=True):
        if name in seen:
            raise InputError(
                f"{row.where}: {key} is {name!r}, as in {seen[name].where}; expected "
                "a thread once; in a file for --mapping: "
                'only = { COLUMN = "VALUE" } takes some rows, thread_id = "" numbers'
            )
        seen[name] = row


def extent(threads: Sequence[Thread]) -> str:
    """Say how much there is.

    Example:
        >>> from threadmed.records import Turn
        >>> turns = (Turn(question="q", answer=None), Turn(question="r", answer="a"))
        >>> extent([Thread(thread_id=ThreadId("T"), turns=turns)])
        '1 thread, 2 questions, 1 with an answer'
    """
    turns = [turn for thread in threads for turn in thread.turns]
    answered = sum(turn.answer is not None for turn in turns)
    threads_, questions = (
        f"{number:,} {name}{'' if number == 1 else 's'}"
        for number, name in ((len(threads), "thread"), (len(turns), "question"))
    )
    return f"{threads_}, {questions}, {answered:,} with an answer"
