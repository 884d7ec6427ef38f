"""What a person can say of a foreign file, in a TOML file for --mapping.

Every key is optional.
A value that names a key of the file may have dots, for keys within keys.
"""

from typing import Literal

import msgspec

from threadmed.dataset.imports.imported import REFERENCE, LabelKeys
from threadmed.dataset.imports.rows import MISSING, Row, pick, refuse_unknown
from threadmed.errors import InputError
from threadmed.records import Record


class FileMapping(Record, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What can be said of any file."""

    rows: str = ""
    """Key of the list of rows, where a JSON document holds several."""
    only: dict[str, str | int | bool] = msgspec.field(default_factory=dict)
    """Takes the rows that have these values."""
    thread_id: str | None = None
    """Key of the thread's name; empty numbers the threads."""


class LabelMapping(FileMapping, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What can be said where turns may have labels."""

    question: str | None = None
    answer: str | None = None
    misconception: str | None = None
    belief: str | None = None
    correction: str | None = None
    harm: str | None = None
    source: str = REFERENCE
    """Who labelled."""

    def labels(self) -> LabelKeys:
        """Give the keys of a label."""
        return LabelKeys(
            misconception=self.misconception,
            belief=self.belief,
            correction=self.correction,
            harm=self.harm,
            source=self.source,
        )


class MythMapping(FileMapping, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What can be said of a file of Cancer-Myth."""

    question: str = "example_question"
    belief: str = "example_assumption"
    correction: str = "source_info.fact"
    category: str = "category"
    answers: str = "answers"
    scores: str = "scores"
    source: str = REFERENCE


class TableMapping(LabelMapping, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What can be said of a table with one turn a row."""

    turn: str | None = None
    """Column of the turn's number; None takes the order of the rows."""
    first_turn: Literal[0, 1] | None = None
    """Number of a thread's first turn; None is found."""


class ChatMapping(FileMapping, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What can be said of chats, one a row."""

    messages: str = "messages"
    role: str = "role"
    content: str = "content"
    patient: tuple[str, ...] = ("user",)
    """Roles of the patient."""
    answering: tuple[str, ...] = ("assistant",)
    """Roles of whoever answers."""
    skip: tuple[str, ...] = ("system", "developer")
    """Roles whose messages are passed over."""
    answers_by: Literal["model", "physician"] = "model"
    """Who answered: a model, so that there are no physician's answers and the oracle
    setting has nothing to show; or a physician."""
    target: str = "assistant"
    """Name of that model."""


class ThreadMapping(
    LabelMapping, frozen=True, kw_only=True, forbid_unknown_fields=True
):
    """What can be said of a file with one thread a row."""

    turns: str | None = None
    """Key of the list of turns."""
    role: str | None = None
    content: str | None = None
    patient: tuple[str, ...] = ()
    physician: tuple[str, ...] = ()
    skip: tuple[str, ...] = ("system",)


def chosen(rows: list[Row], mapping: FileMapping) -> list[Row]:
    """Take the rows that the mapping asks for.

    Raises:
        InputError: If a row lacks a key that decides, or none is left.
    """
    refuse_unknown(rows, mapping.only)
    for key, wanted in mapping.only.items():
        found = {_plain(pick(row.cells, key)) for row in rows}
        rows = [row for row in rows if _plain(pick(row.cells, key)) == _plain(wanted)]
        if not rows:
            values = ", ".join(sorted(found)[:5])
            raise InputError(
                f"the mapping takes rows whose {key} is {wanted!r}, and there are none; "
                f"values are {values}"
            )
    return rows


def _plain(value: object) -> str:
    """Write a value as it is compared: CSV holds texts where JSON holds numbers.

    Example:
        >>> _plain(True) == _plain("true"), _plain(3) == _plain("3")
        (True, True)
    """
    return "" if value is MISSING else str(value).casefold()
