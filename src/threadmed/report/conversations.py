"""Threads as the viewer reads them: an index to filter by, and pieces with the words.

What stands once in a study stands once here: a thread's questions and physician's
answers, an answer that several settings share, and what the judges said of it.
Rows that are many are written as arrays; the order of their fields is the order below.
"""

from collections.abc import Mapping
from typing import Literal

from threadmed.records import Harm, Record, Score, ScoreOutcome, Setting

Look = Literal["plus", "zero", "minus", "none"]

Disagreement = Literal["single", "agree", "differ", "opposed"]
"""How far the judges' scores of one answer lie apart: fewer than two scores, equal,
not equal, or both corrected and not noticed among them. Filters take `opposed` for a
part of `differ`."""

Shows = Literal["own", "physician", "questions", "nothing"]
"""What a setting shows of earlier turns: the model's own answers, the physician's, the
questions alone, or not even those."""


class State(Record, frozen=True, kw_only=True):
    """How an answer ended, as it is shown: never by colour alone."""

    text: str
    look: Look
    meaning: str
    score: Score | None
    outcome: ScoreOutcome


class TargetNamed(Record, frozen=True, kw_only=True):
    """A model under test, and its part of an answer's address."""

    name: str
    slug: str


class SettingNamed(Record, frozen=True, kw_only=True):
    """A setting, and in words what it lets a model see."""

    key: Setting
    name: str
    reads: str
    shows: Shows


class ThreadRow(Record, frozen=True, kw_only=True, array_like=True):
    """One thread of the index."""

    id: str
    thread_id: str
    n_turns: int
    piece: int
    """Number of the piece that holds its words."""


class QuestionRow(Record, frozen=True, kw_only=True, array_like=True):
    """One question that carries a misconception."""

    thread: int
    turn: int
    belief: str
    cells: str
    """Two letters an answer, model by model and in each setting by setting: a key of
    `Index.states` and one of `Index.disagreements`; dots where nothing was asked."""


class Index(Record, frozen=True, kw_only=True):
    """What the list and its filters need; it holds no message of anybody."""

    study: str
    targets: tuple[TargetNamed, ...]
    settings: tuple[SettingNamed, ...]
    judges: tuple[str, ...]
    rule: str
    """How the judges' scores become the panel's, in words."""
    primary: str
    states: Mapping[str, State]
    disagreements: Mapping[str, Disagreement]
    threads: tuple[ThreadRow, ...]
    questions: tuple[QuestionRow, ...]
    pieces: tuple[str, ...]
    """The hash of each piece, so that one of another report is not taken for it."""

    @property
    def n_answers(self) -> int:
        """Count the answers, those that settings share once for each of them."""
        return sum(
            letter != ABSENT for row in self.questions for letter in row.cells[::2]
        )


ABSENT = "."
"""Stands in `cells` where nothing was asked."""


class Exchange(Record, frozen=True, kw_only=True, array_like=True):
    """A question and the physician's answer."""

    question: str
    physician: str | None


class OtherLabel(Record, frozen=True, kw_only=True, array_like=True):
    """What another source said of the question."""

    source: str
    text: str


class Asked(Record, frozen=True, kw_only=True):
    """What is known of a question that carries a misconception."""

    turn: int
    belief: str
    correction: str
    harm: Harm | None
    """None where nobody was asked."""
    source: str
    others: tuple[OtherLabel, ...]


class Said(Record, frozen=True, kw_only=True, array_like=True):
    """A model's answer, or why there is none."""

    text: str
    detail: str


class Opinion(Record, frozen=True, kw_only=True, array_like=True):
    """What one judge said, the nth time that it was asked."""

    judge: int
    repeat: int
    score: Score | None
    words: str


class Item(Record, frozen=True, kw_only=True, array_like=True):
    """One answer: numbers are places in the index and in the thread's own lists."""

    target: int
    setting: int
    turn: int
    said: int
    opinions: int
    """Which of the thread's lists of opinions; -1 where nobody judged."""
    leader: int
    """The first setting whose request and score this one shares; else its own."""
    state: str
    """A key of `Index.states`; a dot where the answer was not to be scored."""
    judges: str
    """A key of `Index.disagreements`."""
    tie_break: bool


class Change(Record, frozen=True, kw_only=True, array_like=True):
    """What became of an arm's earlier answer before the patient went on."""

    target: int
    turn: int
    """Whose answer it is."""
    before: int
    """The only turn that it was changed for; -1 is all that follow."""
    replaced: bool
    """Whether the physician's answer, or a correction, stands in its place."""
    words: str


class Conversation(Record, frozen=True, kw_only=True):
    """One thread with all that was said in it."""

    id: str
    thread_id: str
    turns: tuple[Exchange, ...]
    asked: tuple[Asked, ...]
    said: tuple[Said, ...]
    opinions: tuple[tuple[Opinion, ...], ...]
    items: tuple[Item, ...]
    changes: tuple[Change, ...] = ()
