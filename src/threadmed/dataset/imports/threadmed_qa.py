"""Files with one thread a row, as the authors' release of ThReadMed-QA is.

The names of its fields are not taken for granted: the layout is found, and said.
"""

from collections.abc import Iterator, Mapping

from threadmed.dataset.imports.chat import ChatKeys, turns_of
from threadmed.dataset.imports.imported import (
    Imported,
    LabelKeys,
    extent,
    label_of,
    numbered,
    refuse_twice,
    thread_name,
)
from threadmed.dataset.imports.layouts import Layout, find_layout, opened
from threadmed.dataset.imports.mapping import ThreadMapping
from threadmed.dataset.imports.rows import (
    Row,
    perhaps,
    pick,
    refuse_unknown,
    shown,
    words,
    wrong,
)
from threadmed.errors import InputError
from threadmed.records import Labelled, Thread, ThreadId, Turn

NAMES = ("thread_id", "conversation_id", "dialogue_id", "thread", "id")
"""Keys that are taken for the name of a thread, the first that each row has.

Ids of posts are not: they lead to people.
"""
PATIENT = ("user", "patient", "human", "op")
PHYSICIAN = ("assistant", "physician", "doctor", "gpt", "clinician")


def import_threadmed_qa(rows: list[Row], mapping: ThreadMapping) -> Imported:
    """Read rows that each hold a whole thread.

    Returns:
        The threads; labels where the mapping names a key of a turn for them. `said`
        tells the layout.

    Raises:
        InputError: If the layout is not certain, or a row does not have it; names
            row, key and value, and what a mapping file could say.
    """
    layout = find_layout(rows, mapping)
    names, named = _names(rows, mapping)
    threads: list[Thread] = []
    labels: list[Labelled] = []
    every: list[Row] = []
    for row, name in zip(rows, names, strict=True):
        if layout.form == "chat":
            turns = _chat(row, layout, mapping)
        else:
            lines = _lines(row, layout)
            every.extend(lines)
            turns = tuple(_turn(line, layout) for line in lines)
            labels.extend(_labels(lines, name, mapping.labels()))
        threads.append(Thread(thread_id=name, turns=turns))
    refuse_unknown(every or rows, mapping.labels().named())
    return Imported(
        threads=tuple(threads),
        labels=tuple(labels),
        said=tuple(_said(threads[0], layout, named)),
    )


def _said(first: Thread, layout: Layout, named: str) -> Iterator[str]:
    """Say what was taken for what, and show the first row as read."""
    yield (
        f"detected: a thread a row, its turns as {layout.form}; {layout.mapping()}; "
        f"{named}"
    )
    yield (
        f"first row: {extent([first])}; the first question begins "
        f"{shown(first.turns[0].question)}"
    )


def _names(rows: list[Row], mapping: ThreadMapping) -> tuple[list[ThreadId], str]:
    key = mapping.thread_id
    if key is None:
        known = (k for k in NAMES if all(k in row.cells for row in rows))
        key = next(known, "")
    if not key:
        return numbered("THREAD", len(rows)), "threads are numbered"
    names = [thread_name(row, key) for row in rows]
    refuse_twice(rows, names, key=key)
    return names, f'thread_id = "{key}"'


def _list(row: Row, key: str, layout: Layout) -> list[object]:
    value = opened(pick(row.cells, key))
    if not isinstance(value, list) or not value:
        raise wrong(
            row, key, expected="a list of turns, not empty", mapping=layout.mapping()
        )
    return value


def _lines(row: Row, layout: Layout) -> list[Row]:
    """Give each turn of a row as a row of its own."""
    q, a = layout.question, layout.answer
    match layout.form:
        case "parallel":
            return _zipped(row, layout, questions=q, answers=a)
        case "columns":
            key = layout.turns
            inner = opened(pick(row.cells, key))
            if not isinstance(inner, Mapping):
                raise wrong(row, key, expected="lists of questions and of answers")
            where = f"{row.where}: {key}"
            return _zipped(Row(where, inner), layout, questions=q, answers=a)
        case "pairs":
            return _pairs(row, layout)
        case _:
            return _objects(row, layout)


def _zipped(row: Row, layout: Layout, *, questions: str, answers: str) -> list[Row]:
    both = [_list(row, key, layout) for key in (questions, answers)]
    if len(both[0]) != len(both[1]):
        raise InputError(
            f"{row.where}: {questions} has {len(both[0])} entries and {answers} "
            f"{len(both[1])}; expected as many, null where there is no answer"
        )
    return [
        Row(f"{row.where}: turn {number}", {layout.question: q, layout.answer: a})
        for number, (q, a) in enumerate(zip(*both, strict=True))
    ]


def _pairs(row: Row, layout: Layout) -> list[Row]:
    lines = []
    for number, pair in enumerate(_list(row, layout.turns, layout)):
        where = f"{row.where}: {layout.turns}[{number}]"
        if not isinstance(pair, list) or len(pair) != 2:
            raise InputError(f"{where} is {shown(pair)}; expected question and answer")
        lines.append(Row(where, {layout.question: pair[0], layout.answer: pair[1]}))
    return lines


def _objects(row: Row, layout: Layout) -> list[Row]:
    lines = []
    for number, turn in enumerate(_list(row, layout.turns, layout)):
        where = f"{row.where}: {layout.turns}[{number}]"
        if not isinstance(turn, Mapping):
            raise InputError(f"{where} is {shown(turn)}; expected an object with keys")
        lines.append(Row(where, turn))
    return lines


def _turn(line: Row, layout: Layout) -> Turn:
    return Turn(
        question=words(line, layout.question, mapping='question = "KEY"'),
        answer=perhaps(line, layout.answer, mapping='answer = "KEY"'),
    )


def _chat(row: Row, layout: Layout, mapping: ThreadMapping) -> tuple[Turn, ...]:
    keys = ChatKeys(
        list_key=layout.turns,
        role=layout.question,
        content=layout.answer,
        patient=mapping.patient or PATIENT,
        answering=mapping.physician or PHYSICIAN,
        skip=mapping.skip,
        answering_is_called="physician",
    )
    return turns_of(row, _list(row, layout.turns, layout), keys)[0]


def _labels(lines: list[Row], name: ThreadId, keys: LabelKeys) -> list[Labelled]:
    found = (
        label_of(line, keys, thread_id=name, turn=turn)
        for turn, line in enumerate(lines)
    )
    return [label for label in found if label is not None]
