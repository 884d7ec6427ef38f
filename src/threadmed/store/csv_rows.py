"""Reads tables of text: CSV, as people and their spreadsheets write it.

Cells are separated by commas.
Where a comma stands in numbers, as in 0,5, spreadsheets write semicolons between cells
instead, and some write tabs.
The head tells: commas where it has one, else semicolons, else tabs; in a file ending in
.tsv always tabs.
"""

import csv
import io
import math
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from threadmed.errors import InputError
from threadmed.store.files import read_bytes

JSON = re.compile(r"""\s*(\{\s*"|\[\s*[{\[])""")
"""How JSON begins, and hardly a head."""


class CsvRow(NamedTuple):
    """A row of a table."""

    where: str
    """File and line, for a person to find it again."""
    cells: dict[str, str]
    """By column, as they stand in the file."""


class CsvTable(NamedTuple):
    """A table whose rows have a cell for each column."""

    columns: tuple[str, ...]
    """As in the head, without blanks around them; one may stand twice."""
    rows: Iterator[CsvRow]
    """Read as one goes on, and so after a look at the columns."""


def read_csv(path: Path) -> CsvTable:
    """Read a table; rows of empty cells, which spreadsheets leave behind, are none.

    Raises:
        InputError: If it cannot be read, is no text, no CSV or JSON; and from its rows
            if one has more or fewer cells than the head; names file and line.
    """
    try:
        text = read_bytes(path).decode("utf-8-sig")
    except UnicodeDecodeError as cause:
        raise InputError(
            f"{path}: not a text file in UTF-8: {cause}; a spreadsheet writes one if "
            "it is told UTF-8 as it saves"
        ) from cause
    if JSON.match(text):
        raise InputError(
            f"{path}: looks like JSON; a CSV is expected, with its columns in the "
            "first line"
        )
    lines = _lines(path, text)
    _, head = next(lines, ("", []))
    columns = tuple(name.strip() for name in head)
    return CsvTable(columns, _rows(lines, columns))


def _between(path: Path, text: str) -> str:
    """Say what stands between the cells."""
    head = re.sub(r'"[^"]*"', "", text).lstrip("\r\n").partition("\n")[0]
    if path.suffix.lower() == ".tsv":
        return "\t"
    return next((each for each in ",;\t" if each in head), ",")


def _lines(path: Path, text: str) -> Iterator[tuple[str, list[str]]]:
    """Give the lines that are not empty, and where each stands."""
    lines = csv.reader(
        io.StringIO(text, newline=""), strict=True, delimiter=_between(path, text)
    )
    try:
        for cells in lines:
            if cells:
                yield f"{path}:{lines.line_num}", cells
    except csv.Error as cause:
        raise InputError(f"{path}:{lines.line_num}: not a CSV row: {cause}") from cause


def _rows(
    lines: Iterable[tuple[str, list[str]]], columns: tuple[str, ...]
) -> Iterator[CsvRow]:
    for where, cells in lines:
        # A cell that is a row by itself, and empty, is one that somebody put in quotes.
        if not "".join(cells).strip() and (len(cells), len(columns)) != (1, 1):
            continue
        if len(cells) != len(columns):
            raise InputError(
                f"{where}: has {len(cells)} cells, and the head {len(columns)}"
            )
        yield CsvRow(where, dict(zip(columns, cells, strict=True)))


def turn_of(text: str) -> int:
    """Read the number of a turn.

    Raises:
        ValueError: If it is no whole number, or longer than any conversation.

    Example:
        >>> turn_of("2"), turn_of("2.0")
        (2, 2)
    """
    whole = text.removesuffix(".0")
    # int() would take the digits of other scripts, too.
    if not (whole.isascii() and whole.isdecimal() and len(whole) <= 6):
        raise ValueError("expected a whole number from 0")
    return int(whole)


def chance_of(text: str) -> float:
    """Read a chance in (0, 1], written with a point or a comma.

    Raises:
        ValueError: If it is no such number.

    Example:
        >>> chance_of("0.25"), chance_of("0,25")
        (0.25, 0.25)
    """
    try:
        number = float(text.replace(",", ".", 1))
    except ValueError:
        number = math.nan
    if not 0 < number <= 1:
        raise ValueError("expected a number above 0 and up to 1")
    return number
