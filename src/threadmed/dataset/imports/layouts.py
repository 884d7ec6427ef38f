"""Finds where a row of an unknown file keeps the turns of its thread.

    objects    a list of objects, each with a question and an answer
    chat       a list of messages, each with a role and a text
    pairs      a list of lists of two, a question and an answer
    columns    an object of two lists, as Parquet writes lists of objects at times
    parallel   two lists of the row itself, questions and answers

What is found by names alone is said; what is not certain is asked for.
"""

import re
from collections.abc import Collection, Iterator, Mapping
from typing import Literal

import msgspec

from threadmed.dataset.imports.mapping import ThreadMapping
from threadmed.dataset.imports.rows import MISSING, Cells, Row, pick, shown, wrong
from threadmed.errors import InputError
from threadmed.records import Record

Form = Literal["objects", "chat", "pairs", "columns", "parallel"]

QUESTION = frozenset(
    [
        "question",
        "patient_question",
        "patient_message",
        "patient_query",
        "patient",
        "user_question",
        "user_message",
        "user",
        "query",
        "q",
        "inquiry",
    ]
)
ANSWER = frozenset(
    [
        "answer",
        "physician_answer",
        "physician_response",
        "physician_reply",
        "physician",
        "doctor_answer",
        "doctor_response",
        "doctor_reply",
        "doctor",
        "response",
        "reply",
        "a",
        "expert_answer",
        "clinician_answer",
    ]
)
ROLE = frozenset(("role", "from", "speaker", "author_role", "sender"))
CONTENT = frozenset(("content", "value", "text", "message", "body", "utterance"))
TRIED = 20
"""Rows that are looked at for one that has turns."""


class Layout(Record, frozen=True, kw_only=True):
    """Where the turns of a thread are."""

    form: Form
    turns: str = ""
    """Key of the turns; empty where they lie in two lists of the row."""
    question: str = "question"
    """Key of a turn's question; of a message's role in a chat."""
    answer: str = "answer"
    """Key of a turn's answer; of a message's text in a chat."""

    def mapping(self) -> str:
        """Write what a mapping file would say.

        Example:
            >>> Layout(form="parallel", question="q", answer="a").mapping()
            'question = "q", answer = "a"'
        """
        first, second = ("question", "answer")
        if self.form == "chat":
            first, second = ("role", "content")
        parts = {"turns": self.turns, first: self.question, second: self.answer}
        if self.form == "pairs":
            parts = {"turns": self.turns}
        return ", ".join(f'{key} = "{value}"' for key, value in parts.items() if value)


def find_layout(rows: list[Row], mapping: ThreadMapping) -> Layout:
    """Find the one place where the turns of a thread can be.

    Args:
        rows: The file; the first rows decide, and reading the others holds them to it.
        mapping: What a person says of it.

    Raises:
        InputError: If there is no such place, or several; says what was looked at and
            what a mapping file could say.
    """
    for row in rows[:TRIED]:
        found = list(_layouts(row.cells, mapping))
        if len(found) > 1:
            listed = "; or ".join(each.mapping() for each in found)
            raise InputError(
                f"{row.where}: turns may be in several places; in a file for "
                f"--mapping: {listed}"
            )
        if found:
            return found[0]
    raise _lost(rows[0], mapping)


def _layouts(cells: Cells, mapping: ThreadMapping) -> Iterator[Layout]:
    named = mapping.turns
    for key in [named] if named else cells:
        value = opened(pick(cells, key))
        if isinstance(value, list) and value:
            yield from _listed(key, value, mapping)
        elif isinstance(value, Mapping):
            both = _both({k: v for k, v in value.items() if _texts(v)}, mapping)
            if both:
                yield Layout(
                    form="columns", turns=key, question=both[0], answer=both[1]
                )
    lists = {key: cells[key] for key in cells if _texts(opened(cells[key]))}
    if not named and (both := _both(lists, mapping)):
        yield Layout(form="parallel", question=both[0], answer=both[1])


def _listed(key: str, value: list[object], mapping: ThreadMapping) -> Iterator[Layout]:
    """Say what a list of turns can be."""
    first = value[0]
    if isinstance(first, Mapping):
        both = _both(first, mapping)
        chat = _two(first, (mapping.role, ROLE), (mapping.content, CONTENT))
        if both and not mapping.role:
            yield Layout(form="objects", turns=key, question=both[0], answer=both[1])
        elif chat:
            yield Layout(form="chat", turns=key, question=chat[0], answer=chat[1])
    elif all(_is_pair(each) for each in value):
        yield Layout(form="pairs", turns=key)


def _is_pair(value: object) -> bool:
    return isinstance(value, list) and len(value) == 2 and isinstance(value[0], str)


def _both(keys: Collection[str], mapping: ThreadMapping) -> tuple[str, str] | None:
    return _two(keys, (mapping.question, QUESTION), (mapping.answer, ANSWER))


def _two(
    keys: Collection[str],
    first: tuple[str | None, Collection[str]],
    second: tuple[str | None, Collection[str]],
) -> tuple[str, str] | None:
    """Find two keys, each as it is mapped or else as the only one with a known name."""
    found = []
    for mapped, known in (first, second):
        those = [
            key for key in keys if (key == mapped if mapped else _stem(key) in known)
        ]
        found.extend(those if len(those) == 1 else [])
    return (found[0], found[1]) if len(found) == 2 else None


def _stem(key: str) -> str:
    """Bring a key to the form of the lists above.

    Example:
        >>> _stem("Patient Questions"), _stem("answer_text")
        ('patient_question', 'answer')
    """
    snake = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", key)
    plain = re.sub(r"[^a-z]+", "_", snake.lower()).strip("_").removesuffix("_text")
    return plain.removesuffix("s")


def _texts(value: object) -> bool:
    return (
        isinstance(value, list)
        and bool(value)
        and all(isinstance(each, str | None) for each in value)
    )


def opened(value: object) -> object:
    """Read a value that was written as JSON within a text.

    Example:
        >>> opened('[{"q": 1}]'), opened("[deleted]")
        ([{'q': 1}], '[deleted]')
    """
    if isinstance(value, str) and value[:1] in {"[", "{"}:
        try:
            return msgspec.json.decode(value)
        except msgspec.DecodeError:
            return value
    return value


def _lost(row: Row, mapping: ThreadMapping) -> InputError:
    """Say what was looked at, and the line of a mapping file that might be meant."""
    if mapping.turns and pick(row.cells, mapping.turns) is MISSING:
        return wrong(row, mapping.turns, expected="the list of turns")
    for key, cell in row.cells.items():
        value = opened(cell)
        inner = value[0] if isinstance(value, list) and value else value
        if isinstance(inner, Mapping) and len(inner) >= 2:
            first, second, *_ = inner
            return InputError(
                f"{row.where}: {key} has turns with the keys {', '.join(inner)}, and "
                "which are question and answer is not certain; in a file for "
                f'--mapping: turns = "{key}", question = "{first}", answer = "{second}"'
            )
    keys = ", ".join(f"{key} ({shown(value)})" for key, value in row.cells.items())
    return InputError(
        f"{row.where}: no key holds a list of turns; keys are {keys}; one row a turn is "
        "the format `table`; in a file for --mapping: "
        'turns = "KEY", question = "KEY", answer = "KEY"'
    )
