"""A study's files as flat tables, and those tables as CSV or Parquet."""

import csv
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from threadmed.judgements.scores import item_of, scores_by_judge
from threadmed.records import (
    Item,
    Labelled,
    PanelScore,
    Record,
    ScoreRow,
    Verdict,
)
from threadmed.run.export.results import Results, read_results
from threadmed.store import atomic, write_frame
from threadmed.study import Folder

if TYPE_CHECKING:
    import polars as pl

WHOLE = frozenset({"turn", "repeat", "score", "before"})
TRUTH = frozenset({"misconception", "tie_break", "is_made"})
CHANCES = frozenset({"probability"})

LABELS = (
    "source", "thread_id", "turn", "kind", "misconception", "belief", "correction",
    "harm", "why", "detail",
)  # fmt: skip
UNWORDED = tuple(name for name in LABELS if name not in {"belief", "correction"})
ANSWERS = (
    "target", "setting", "thread_id", "turn", "repeat", "outcome", "text", "detail",
    "request",
)  # fmt: skip
VERDICTS = (
    "judge", "target", "setting", "thread_id", "turn", "repeat", "kind", "score",
    "explanation", "why", "detail", "request",
)  # fmt: skip
INTERVENTIONS = (
    "target", "thread_id", "turn", "before", "act", "is_made", "why", "score",
)  # fmt: skip
QUESTIONS = ("thread_id", "turn", "question", "answer")
PLACE = ("target", "setting", "thread_id", "turn")
FOUND = ("outcome", "answer", "score", "tie_break")

Cell = str | float | bool | None


class Table(Record, frozen=True, kw_only=True):
    """A table and its name."""

    name: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]


def export_csv(folder: Folder, out: Path, *, words: bool = True) -> list[Path]:
    """Write a study's tables as CSV files.

    Args:
        folder: A study that has been run.
        out: A folder; files of the same names are replaced.
        words: Whether the words of patients and physicians are written.

    Returns:
        The files.

    Raises:
        InputError: If the study has not been run, or `out` cannot be written.
    """
    paths = []
    for table in tables(read_results(folder), words=words):
        paths.append(out / f"{table.name}.csv")
        write_csv(paths[-1], table)
    return paths


def tables(found: Results, *, words: bool = True) -> list[Table]:
    """Make every table that has a row; scores and items always."""
    every = [
        items(found, words=words),
        _of_records("labels", LABELS if words else UNWORDED, found.labels),
        _of_records("answers", ANSWERS, found.answers),
        _of_records("verdicts", VERDICTS, found.verdicts),
        _scores(found),
        _of_records("interventions", INTERVENTIONS, found.interventions),
    ]
    if words:
        every.append(_questions(found))
    return [each for each in every if each.rows or each.name in {"scores", "items"}]


def _of_records(
    name: str, columns: tuple[str, ...], records: Iterable[Record]
) -> Table:
    """Put records of a union below each other; a key that one lacks is empty."""
    return Table(
        name=name,
        columns=columns,
        rows=tuple(
            tuple(_value(record, column) for column in columns) for record in records
        ),
    )


def _value(record: Record, column: str) -> Cell:
    if column == "kind":
        return str(record.__struct_config__.tag)
    value: Cell = getattr(record, column, None)
    return value


def _scores(found: Results) -> Table:
    """Make the table of scores with all that it says of questions and targets."""
    columns = PanelScore.__struct_fields__
    more = found.questions.columns

    def row(score: ScoreRow) -> Iterator[Cell]:
        yield from (_value(score, column) for column in columns)
        for column, cell in zip(more, found.questions.cells(score), strict=True):
            yield float(cell) if cell and column in CHANCES else cell or None

    return Table(
        name="scores",
        columns=(*columns, *more),
        rows=tuple(tuple(row(score)) for score in found.rows),
    )


def _questions(found: Results) -> Table:
    return Table(
        name="turns",
        columns=QUESTIONS,
        rows=tuple(
            (thread.thread_id, number, turn.question, turn.answer)
            for thread in found.threads.values()
            for number, turn in enumerate(thread.turns)
        ),
    )


def items(found: Results, *, words: bool = True) -> Table:
    """Make the table of items: what was asked, said, and scored by whom, in one row.

    A judge has a column of its own, `judge NAME`, with its score; several verdicts of
    one judge are joined as the panel joins them.
    """
    answers = found.answer_of()
    given: dict[Item, list[Verdict]] = defaultdict(list)
    for verdict in found.verdicts:
        given[item_of(verdict)].append(verdict)
    judges = found.study.panel.judges

    def row(score: ScoreRow) -> Iterator[Cell]:
        item = item_of(score)
        label = found.marked.get((score.thread_id, score.turn))
        yield from item_cells(score)
        if words:
            yield _asked(found, score)
            yield from _known(label)
        answer = answers.get(item)
        yield from (score.outcome, answer.text if answer else None)
        yield from (score.score, score.tie_break)
        said = scores_by_judge(given[item], by=found.study.panel)
        yield from (said.get(judge) for judge in judges)

    known = ("question", "belief", "correction") if words else ()
    return Table(
        name="items",
        columns=(*PLACE, *known, *FOUND, *(f"judge {judge}" for judge in judges)),
        rows=tuple(tuple(row(score)) for score in found.rows),
    )


def item_cells(score: ScoreRow) -> tuple[Cell, ...]:
    """Give the cells of `PLACE`."""
    return (score.target, score.setting, score.thread_id, score.turn)


def _asked(found: Results, score: ScoreRow) -> str | None:
    thread = found.threads.get(score.thread_id)
    is_there = thread is not None and score.turn < len(thread.turns)
    return thread.turns[score.turn].question if thread and is_there else None


def _known(label: Labelled | None) -> tuple[str | None, str | None]:
    return (label.belief, label.correction) if label else (None, None)


def write_csv(path: Path, table: Table) -> None:
    """Write a table as CSV in UTF-8; truth as true and false, what is missing empty."""
    with (
        atomic(path) as temporary,
        temporary.open("w", encoding="utf-8", newline="") as file,
    ):
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow(table.columns)
        rows.writerows([_written(cell) for cell in row] for row in table.rows)


def _written(cell: Cell) -> str:
    if cell is None:
        return ""
    return str(cell).lower() if isinstance(cell, bool) else str(cell)


def write_table(path: Path, table: Table) -> None:
    """Write a table as Parquet; types go by the column and not by what is in it."""
    import polars as pl

    frame = pl.DataFrame(
        [list(row) for row in table.rows],
        schema=dict(zip(table.columns, _kinds(table.columns), strict=True)),
        orient="row",
    )
    write_frame(path, frame)


def _kinds(columns: Sequence[str]) -> "Iterator[pl.DataType]":
    import polars as pl

    for column in columns:
        if column in WHOLE or column.startswith("judge "):
            yield pl.Int64()
        elif column in CHANCES:
            yield pl.Float64()
        else:
            yield pl.Boolean() if column in TRUTH else pl.String()
