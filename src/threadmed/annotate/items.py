"""What there is to rate, and what of it a rater may see."""

from typing import Literal

from threadmed.records import Record, Setting, ThreadId


class Earlier(Record, frozen=True, kw_only=True):
    """A message before the question."""

    who: Literal["patient", "physician"]
    text: str


class Shown(Record, frozen=True, kw_only=True):
    """All of an item that ever reaches a rater: words, and nobody's name."""

    question: str
    earlier: tuple[Earlier, ...] = ()
    """For scoring only the patient's: earlier answers would tell the setting."""
    belief: str = ""
    answer: str = ""


class Candidate(Record, frozen=True, kw_only=True):
    """Something that may be drawn."""

    thread_id: ThreadId
    turn: int
    target: str = ""
    """Empty where a question is labelled."""
    setting: Setting | None = None
    """The first setting of those that share the answer (turn 0)."""
    stratum: tuple[str, ...]
    """What the sample is spread over, the most important first."""
    weight: float = 1.0
    """How much likelier than others it is to be drawn; equal within a stratum."""
    shown: Shown


class Item(Record, frozen=True, kw_only=True):
    """A candidate that was drawn."""

    item: str
    """A name that tells nothing of the place."""
    thread_id: ThreadId
    turn: int
    target: str
    setting: Setting | None
    stratum: str
    probability: float
    """Chance with which it was drawn, in (0, 1]."""
    gold: bool
    """Whether every rater gets it."""
    shown: Shown


def place(candidate: Candidate) -> str:
    """Write the place of a candidate as one text.

    Example:
        >>> place(Candidate(thread_id=ThreadId("T1"), turn=2, stratum=(),
        ...                 shown=Shown(question="?")))
        'T1|2||'
    """
    return "|".join(
        (
            candidate.thread_id,
            str(candidate.turn),
            candidate.target,
            candidate.setting or "",
        )
    )
