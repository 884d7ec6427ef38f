"""Tables with one turn a row: CSV, Parquet, or JSON of that form."""

from collections import defaultdict
from collections.abc import Sequence

from msgspec.structs import replace

from threadmed.dataset.imports.imported import (
    Imported,
    label_of,
    numbered,
    thread_name,
)
from threadmed.dataset.imports.mapping import TableMapping
from threadmed.dataset.imports.rows import (
    Row,
    perhaps,
    pick,
    refuse_unknown,
    text_key,
    words,
    wrong,
)
from threadmed.errors import InputError
from threadmed.records import Labelled, Thread, ThreadId, Turn
from threadmed.store import refuse_breaks, turn_of

OWN = (
    "thread_id",
    "turn",
    "question",
    "answer",
    "misconception",
    "belief",
    "correction",
    "harm",
)
"""Columns that are found by their names, where there is no mapping."""


def import_table(rows: list[Row], mapping: TableMapping | None) -> Imported:
    """Read a table of turns as threads.

    Args:
        rows: The table.
        mapping: Which column is which; None goes by `OWN`. Without one for the
            thread's name a row is a thread; without one for the turn's number turns
            are in the order of their rows.

    Returns:
        Threads in the order in which they first appear, and labels where there are
        columns for them.

    Raises:
        InputError: If a value is not what it must be, or if turns of a thread are
            missing or stand twice; names row, column and value.
    """
    first = rows[0]
    names = TableMapping() if mapping is None else mapping
    if mapping is None:
        names = replace(names, **{key: key for key in OWN if key in first.cells})
    if names.question is None:
        raise wrong(
            first,
            "question",
            expected="a column of questions",
            mapping=f'question = "{text_key(first.cells)}"',
        )
    refuse_unknown(rows, (names.answer, *names.labels().named()))
    grouped = _grouped(rows, names)
    start = _start(rows, names)
    labels: list[Labelled] = []
    threads: list[Thread] = []
    for name, theirs in grouped.items():
        in_order = _in_order(theirs, names, start=start)
        threads.append(_thread(name, in_order, names))
        found = (
            label_of(row, names.labels(), thread_id=name, turn=turn)
            for turn, row in enumerate(in_order)
        )
        labels.extend(label for label in found if label is not None)
    return Imported(
        threads=tuple(threads), labels=tuple(labels), said=tuple(_said(names))
    )


def _said(names: TableMapping) -> list[str]:
    used = [f"{key} = {name!r}" for key in OWN if (name := getattr(names, key))]
    without = {
        "thread_id": "every row is a thread",
        "turn": "turns are in the order of their rows",
    }
    passed = [what for key, what in without.items() if not getattr(names, key)]
    if not names.thread_id:
        passed = passed[:1]
    return ["columns: " + ", ".join(used) + "".join(f"; {what}" for what in passed)]


def _grouped(rows: Sequence[Row], names: TableMapping) -> dict[ThreadId, list[Row]]:
    if not names.thread_id:
        own = numbered("THREAD", len(rows))
        return {name: [row] for name, row in zip(own, rows, strict=True)}
    grouped: dict[ThreadId, list[Row]] = defaultdict(list)
    for row in rows:
        name = thread_name(row, names.thread_id)
        refuse_breaks(row.where, {names.thread_id: name})
        grouped[name].append(row)
    return grouped


def _start(rows: Sequence[Row], names: TableMapping) -> int:
    """Find whether turns count from 0 or from 1."""
    if names.first_turn is not None or names.turn is None:
        return names.first_turn or 0
    key = names.turn
    return min(1, *(_number(row, key) for row in rows))


def _number(row: Row, key: str) -> int:
    value = pick(row.cells, key)
    try:
        return turn_of("" if isinstance(value, bool) else str(value).strip())
    except ValueError:
        raise wrong(
            row, key, expected="a whole number", mapping='turn = "COLUMN"'
        ) from None


def _in_order(rows: list[Row], names: TableMapping, *, start: int) -> list[Row]:
    """Order the rows of one thread by turn; none may be missing or stand twice."""
    key = names.turn
    if key is None or not names.thread_id:
        return rows
    ordered = sorted(rows, key=lambda row: _number(row, key))
    for expected, row in enumerate(ordered, start=start):
        number = _number(row, key)
        if number != expected:
            twice = "stands twice" if number < expected else f"lacks turn {expected}"
            raise InputError(
                f"{row.where}: {key} is {number}, and the thread {twice}; expected "
                f"each turn of a thread once, from {start}; without `turn` in the file "
                "for --mapping turns are in the order of their rows"
            )
    return ordered


def _thread(name: ThreadId, rows: Sequence[Row], names: TableMapping) -> Thread:
    question = names.question or ""
    return Thread(
        thread_id=name,
        turns=tuple(
            Turn(
                question=words(
                    row, question, mapping=f'question = "{text_key(row.cells)}"'
                ),
                answer=perhaps(
                    row,
                    names.answer,
                    mapping=f'answer = "{text_key(row.cells, but=(question,))}"',
                ),
            )
            for row in rows
        ),
    )
