"""A thread as it is shown: settings side by side, from what they read to a score."""

from typing import Literal

from threadmed.records import Record, Setting


class Badge(Record, frozen=True, kw_only=True):
    """A score as it is shown: in one of four looks, never by colour alone."""

    text: str
    look: Literal["plus", "zero", "minus", "none"]
    meaning: str
    value: str
    """For filters: 1, 0, -1, or none."""


class Shown(Record, frozen=True, kw_only=True):
    """What a setting showed of one earlier turn."""

    kind: Literal["own", "physician", "nothing"]
    text: str
    badge: Badge | None = None


class Before(Record, frozen=True, kw_only=True):
    """An earlier question, and what each column showed after it."""

    turn: int
    question: str
    shown: tuple[Shown, ...]


class Opinion(Record, frozen=True, kw_only=True):
    """One judge's words."""

    judge: str
    badge: Badge
    words: str


class Given(Record, frozen=True, kw_only=True):
    """One answer, in the settings that share it."""

    settings: tuple[Setting, ...]
    name: str
    reads: str
    ids: tuple[str, ...]
    badge: Badge
    text: str
    detail: str
    opinions: tuple[Opinion, ...]
    differ: bool
    """Whether the judges' scores differ."""


class ModelView(Record, frozen=True, kw_only=True):
    """One model at one question."""

    id: str
    model: str
    before: tuple[Before, ...]
    given: tuple[Given, ...]


class OtherLabel(Record, frozen=True, kw_only=True):
    """What another source said of the question."""

    source: str
    text: str


class Asked(Record, frozen=True, kw_only=True):
    """One question that carries a misconception."""

    id: str
    turn: int
    question: str
    belief: str
    correction: str
    harm: str
    source: str
    physician: str | None
    others: tuple[OtherLabel, ...]
    models: tuple[ModelView, ...]


class Conversation(Record, frozen=True, kw_only=True):
    """One thread with its questions."""

    id: str
    thread_id: str
    n_turns: int
    asked: tuple[Asked, ...]
