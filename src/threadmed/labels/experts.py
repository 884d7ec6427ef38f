"""Reads and writes ratings tables: what people said of items, one rating a row.

A table is CSV, Parquet or JSON lines, by the ending of its name, in one of two forms:

    long   item,rater,value and, where known, the columns of `PLACE` and `MORE`
    wide   one row an item: `item`, or the columns of its place, and one column a rater

An empty cell is a missing rating; store.csv_rows says what may stand between cells.
"""

import csv
import io
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, TypeVar

import msgspec

from threadmed.errors import InputError, boundary
from threadmed.records import ALL_SETTINGS, Rating, Setting, ThreadId
from threadmed.store import (
    UNCLOSED,
    atomic,
    chance_of,
    number_of,
    pointed,
    read_bytes,
    read_csv,
    refuse_breaks,
    turn_of,
)

T = TypeVar("T")

LONG = ("item", "rater", "value")
PLACE = ("thread_id", "turn", "target", "setting")
MORE = ("probability", "stratum", "note", "belief")
COLUMNS = (*LONG, *PLACE, *MORE)
TEXTS = frozenset({"note", "belief"})
"""What people wrote, as they wrote it."""
NOT_EMPTY = frozenset({"na", "n/a", "#n/a", "nan", "null"})
"""What other tools write for a missing value; it must not become a category."""
YES_NO = {
    **dict.fromkeys(("yes", "true", "1", "1.0"), "yes"),
    **dict.fromkeys(("no", "false", "0", "0.0", "-0.0"), "no"),
}
"""How people write whether a question carries a misconception."""
GROUPED = re.compile(r"[+-]?[1-9][0-9]{0,2}(,[0-9]{3})+")
"""Thousands, or a number with three decimals: nobody knows."""
FOREIGN = re.compile(r"[+-]?\d+([.,]\d*)?")
"""A number in digits of any script, which would be no number but a word."""
SETTING: Mapping[str, Setting] = {setting: setting for setting in ALL_SETTINGS}


class Reading(NamedTuple):
    """How the values of a table are read."""

    values: tuple[str, ...] = ()
    """What they can be, as threadmed writes them; empty takes any."""
    aliases: Mapping[str, str] = {}
    """Other spellings, in lower case."""

    def read(self, text: str) -> str:
        """Give the one spelling of a value; numbers lose zeros that say nothing.

        Raises:
            ValueError: If it is not one of the values; says what is expected.

        Example:
            >>> Reading(("no", "yes"), YES_NO).read("TRUE"), Reading().read("-1.0")
            ('yes', '-1')
        """
        if GROUPED.fullmatch(text):
            raise ValueError("a comma before three digits; write it with a point")
        if FOREIGN.fullmatch(text) and not text.isascii():
            raise ValueError("write numbers in the digits 0 to 9")
        spelt = _spelt(text)
        found = self.aliases.get(text.lower()) or self.aliases.get(spelt, spelt)
        if text.lower() in NOT_EMPTY and found not in self.values:
            raise ValueError("leave the cell of a missing rating empty")
        if self.values and found not in self.values:
            raise ValueError(f"expected one of {', '.join(self.values)}")
        return found


ANY = Reading()
IDENTIFICATION = Reading(("no", "yes"), YES_NO)
SCORING = Reading(("-1", "0", "1"))


def scale_reading(declared: str) -> Reading:
    """Read a scale as a person writes it: values with commas between them.

    Raises:
        InputError: If a value is empty or stands twice, be it in capitals, or if
            there is only one.

    Example:
        >>> scale_reading("-1, 0, 1").values
        ('-1', '0', '1')
    """
    values = tuple(_spelt(value.strip()) for value in declared.split(","))
    aliases = {value.lower(): value for value in values}
    if len(values) < 2 or "" in values or len(aliases) < len(values):
        raise InputError(
            f"the scale {declared!r} is not two values or more with commas between "
            "them, each once, and capitals make no other value"
        )
    return Reading(values, aliases)


def _spelt(text: str) -> str:
    """Write a whole number as one, others with a point; what is no number stays."""
    number = number_of(text)
    if number is None or not math.isfinite(number):
        return text
    is_plain = number.is_integer() and abs(number) < 1e15
    return str(int(number)) if is_plain else pointed(text)


class _Line(NamedTuple):
    """A row of a table, and where it stands."""

    where: str
    cells: dict[str, str]


def read_ratings(path: Path, *, reading: Reading = ANY) -> list[Rating]:
    """Read a ratings table in either form.

    Args:
        path: A file ending in .csv, .parquet or .jsonl.
        reading: What values there can be, and how else they may be spelt.

    Returns:
        A rating for each row, or in the wide form for each item and rater, missing
        ones among them.

    Raises:
        InputError: If the file cannot be read, lacks a column, holds a wrong value or
            two ratings of one item by one rater; names file, line and column.
    """
    columns, lines = _lines(path)
    rows = _long if _is_long(path, columns) else _wide
    ratings: list[Rating] = []
    seen: dict[tuple[str, str], Rating] = {}
    for line in lines:
        refuse_breaks(line.where, line.cells, texts=TEXTS)
        for rating in rows(line, columns, reading=reading):
            _refuse_contradiction(line.where, rating, seen)
            ratings.append(rating)
    if not ratings:
        raise InputError(f"{path}: has no rows; a ratings table has one a rating")
    return ratings


def _refuse_contradiction(
    where: str, rating: Rating, seen: dict[tuple[str, str], Rating]
) -> None:
    """Complain of a second rating by one rater, and of an item in two places."""
    both = (rating.item, rating.rater)
    if both in seen:
        raise InputError(f"{where}: {rating.rater} rates {rating.item} a second time")
    seen[both] = rating
    first = seen.setdefault((rating.item, ""), rating)  # no rater has no name
    for column in PLACE:
        if getattr(first, column) != getattr(rating, column):
            raise InputError(
                f"{where}: {column} of {rating.item} is {getattr(rating, column)!r}, "
                f"and {getattr(first, column)!r} in an earlier row"
            )


def _is_long(path: Path, columns: Sequence[str]) -> bool:
    """Tell the form by the columns, and complain of those that fit neither."""
    for column in columns:
        refuse_breaks(f"{path}:1", {"the name of a column": column})
        if not column or columns.count(column) > 1:
            raise InputError(f"{path}:1: column {column!r} has no name or stands twice")
    is_long = "rater" in columns or "value" in columns
    if not is_long and {"target", "setting", "score"} <= set(columns):
        raise InputError(
            f"{path}:1: is a table of scores, which `threadmed measure` reads; a table "
            "of ratings has item,rater,value, or item and a column for each rater"
        )
    missing = [column for column in LONG[1:] if is_long and column not in columns]
    if "item" not in columns and not {"thread_id", "turn"} <= set(columns):
        missing.insert(0, "item")
    if missing:
        raise InputError(
            f"{path}:1: has no column {', '.join(missing)}; found "
            f"{', '.join(columns) or 'none'}; a table has item,rater,value, or item and "
            "a column for each rater"
        )
    unknown = [column for column in columns if is_long and column not in COLUMNS]
    if unknown:
        raise InputError(
            f"{path}:1: column {unknown[0]!r} is not known; known are "
            f"{', '.join(COLUMNS)}; rename it or leave it out"
        )
    if not is_long and not set(columns) - set(COLUMNS):
        raise InputError(f"{path}:1: has no column of a rater")
    return is_long


def _long(line: _Line, columns: Sequence[str], *, reading: Reading) -> Iterator[Rating]:
    del columns
    yield _rating(line, line.cells["rater"], column="value", reading=reading)


def _wide(line: _Line, columns: Sequence[str], *, reading: Reading) -> Iterator[Rating]:
    for rater in columns:
        if rater not in COLUMNS:
            yield _rating(line, rater, column=rater, reading=reading)


def _rating(line: _Line, rater: str, *, column: str, reading: Reading) -> Rating:
    where, cells = line
    thread, turn = cells.get("thread_id", ""), cells.get("turn", "")
    place = [cells.get(name, "") for name in PLACE]
    item = cells.get("item", "") or "/".join(filter(None, place))
    if not (item and rater):
        raise InputError(f"{where}: {'rater' if item else 'item'} must not be empty")
    return Rating(
        item=item,
        rater=rater,
        value=_cell(where, column, cells[column], reading.read),
        thread_id=ThreadId(thread) if thread else None,
        turn=_cell(where, "turn", turn, turn_of),
        target=cells.get("target", ""),
        setting=_cell(where, "setting", cells.get("setting", ""), _setting),
        probability=_cell(
            where, "probability", cells.get("probability", ""), chance_of
        ),
        stratum=cells.get("stratum", ""),
        note=cells.get("note", ""),
        belief=cells.get("belief", ""),
    )


def _cell(where: str, column: str, text: str, read: Callable[[str], T]) -> T | None:
    """Read one cell; None where it is empty."""
    if not text:
        return None
    try:
        return read(text)
    except ValueError as cause:
        raise InputError(f"{where}: {column} is {text!r}: {cause}") from cause


def _setting(text: str) -> Setting:
    if text not in SETTING:
        raise ValueError(f"expected one of {', '.join(SETTING)}")
    return SETTING[text]


def _lines(path: Path) -> tuple[list[str], list[_Line]]:
    """Read columns and rows, all cells as text."""
    match path.suffix.lower():
        case ".parquet":
            return _parquet_lines(path)
        case ".jsonl" | ".ndjson":
            return _json_lines(path)
        case _:
            return _csv_lines(path)


def _csv_lines(path: Path) -> tuple[list[str], list[_Line]]:
    table = read_csv(path)
    lines = [_Line(where, _stripped(cells.items())) for where, cells in table.rows]
    _refuse_rows_within(table.columns, lines, between=table.between)
    if table.between != ",":
        lines = [_Line(where, _with_points(cells)) for where, cells in lines]
    return list(table.columns), lines


def _refuse_rows_within(
    columns: Sequence[str], lines: Sequence[_Line], *, between: str
) -> None:
    """Complain of a text with rows of this very table in it.

    A text may have line breaks, but a quotation mark that somebody forgot takes rows
    into it. Such a line has the cells of a row, and in one of them what stands in that
    column elsewhere; the last one ends where the text does.
    """
    known = {
        column: {line.cells[column] for line in lines} - {""}
        for column in columns
        if column not in TEXTS
    }
    for where, cells in lines:
        for place, column in enumerate(columns):
            below = cells[column].splitlines()[1:] if column in TEXTS else []
            for left, text in enumerate(below, start=1 - len(below)):
                row = text.split(between)
                width = len(columns) if left else place + 1
                named = zip(columns, row, strict=False)
                if len(row) == width and any(
                    cell in known.get(name, ()) for name, cell in named
                ):
                    raise InputError(
                        f"{where}: {column} holds a row, {text!r}; {UNCLOSED}"
                    )


def _with_points(cells: Mapping[str, str]) -> dict[str, str]:
    """Write values with points: where no comma parts cells, one can part decimals."""
    return {
        column: pointed(cell) if column == "value" or column not in COLUMNS else cell
        for column, cell in cells.items()
    }


def _stripped(cells: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Take blanks from around what is looked up, and leave what people wrote."""
    return {column: cell if column in TEXTS else cell.strip() for column, cell in cells}


Cell = str | int | float | bool | None


def _json_lines(path: Path) -> tuple[list[str], list[_Line]]:
    decoder = msgspec.json.Decoder(dict[str, Cell])
    found: list[tuple[str, dict[str, Cell]]] = []
    for number, line in enumerate(read_bytes(path).split(b"\n"), start=1):
        if not line.strip():
            continue
        try:
            found.append((f"{path}:{number}", decoder.decode(line)))
        except (msgspec.MsgspecError, UnicodeDecodeError) as cause:
            raise InputError(f"{path}:{number}: {cause}") from cause
    return _typed_lines(found)


def _parquet_lines(path: Path) -> tuple[list[str], list[_Line]]:
    import polars as pl

    data = read_bytes(path)
    with boundary(InputError, f"{path}: reading Parquet"):
        frame = pl.read_parquet(io.BytesIO(data))
    nested = [
        name
        for name, kind in zip(frame.columns, frame.dtypes, strict=True)
        if kind.is_nested()
    ]
    if nested:
        raise InputError(f"{path}: column {nested[0]!r} holds no single values")
    rows = enumerate(frame.iter_rows(named=True), start=1)
    columns, lines = _typed_lines([(f"{path}: row {n}", row) for n, row in rows])
    return columns or list(frame.columns), lines


def _typed_lines(
    rows: Sequence[tuple[str, Mapping[str, Cell]]],
) -> tuple[list[str], list[_Line]]:
    """Write cells of any type as a CSV would; a column that a row lacks is empty."""
    columns = list(dict.fromkeys(name for _, row in rows for name in row))
    return columns, [
        _Line(where, _stripped((name, _written(row.get(name))) for name in columns))
        for where, row in rows
    ]


def _written(value: Cell) -> str:
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    return str(value).lower() if isinstance(value, bool) else str(value)


def write_ratings(path: Path, ratings: Iterable[Rating]) -> None:
    """Write a ratings table as CSV in the long form, with every column.

    Half a surrogate, which no file can hold, becomes a question mark.
    """
    with (
        atomic(path) as temporary,
        temporary.open("w", encoding="utf-8", errors="replace", newline="") as file,
    ):
        plain = csv.writer(file, lineterminator="\n")
        quoted = csv.writer(file, lineterminator="\n", quoting=csv.QUOTE_ALL)
        plain.writerow(COLUMNS)
        for rating in ratings:
            found = (getattr(rating, column) for column in COLUMNS)
            cells = ["" if cell is None else str(cell) for cell in found]
            # A reader takes a bare carriage return for the end of a row, and the
            # writer quotes only the end of row that it writes itself.
            rows = quoted if any("\r" in cell for cell in cells) else plain
            rows.writerow(cells)
