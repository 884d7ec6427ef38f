"""Reads tables of text: CSV, as people and their spreadsheets write it.

Cells are separated by commas.
Where a comma stands in numbers, as in 0,5, spreadsheets write semicolons between cells
instead, and some write tabs.
The head tells: commas where it has one, else semicolons, else tabs; in a file ending in
.tsv always tabs.
A first line such as sep=; goes before all of that.
"""

import csv
import io
import re
from collections.abc import Container, Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from threadmed.errors import InputError
from threadmed.store.files import read_bytes

JSON = re.compile(r"""\s*(\{\s*"|\[\s*[{\[])""")
"""How JSON begins, and hardly a head."""
SAID = re.compile(r'"?sep=([^\w\s"]|\t)"?(?=[\r\n])', re.IGNORECASE)
"""The line before the head in which Excel says what stands between cells."""
NUMBER = re.compile(
    r"[+-]?(?:[0-9]+(?:[.,][0-9]*)?|[.,][0-9]+)(?:e[+-]?[0-9]+)?", re.IGNORECASE
)
"""A number with a point or a comma, in the digits 0 to 9 alone."""
LONGEST = 1 << 24
"""Characters that a cell may have; the csv module stops at fewer."""
SHOWN = 30
"""Characters of a cell with a line break that an error shows."""
UNCLOSED = "is a quotation mark not closed?"


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
    between: str = ","
    """What stands between cells."""


def read_csv(path: Path) -> CsvTable:
    """Read a table; rows of empty cells, which spreadsheets leave behind, are none.

    Raises:
        InputError: If it cannot be read, is no text, no CSV or JSON; and from its rows
            if one has more or fewer cells than the head; names file and line.
    """
    text = _text(path)
    if JSON.match(text):
        raise InputError(
            f"{path}: looks like JSON; a CSV is expected, with its columns in the "
            "first line"
        )
    said = SAID.match(text)
    between = said[1] if said else _between(path, text)
    # Its line stays, and is empty, so that those below keep their numbers.
    lines = _lines(path, text[said.end() :] if said else text, between)
    _, head = next(lines, ("", []))
    columns = tuple(name.strip() for name in head)
    return CsvTable(columns, _rows(lines, columns), between)


def _text(path: Path) -> str:
    data = read_bytes(path)
    # Of two bytes a letter, one is 0 in most heads, where no mark tells.
    if data.startswith((b"\xff\xfe", b"\xfe\xff")) or b"\0" in data[:2]:
        raise InputError(f"{path}: is UTF-16; save it as CSV UTF-8")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as cause:
        raise InputError(
            f"{path}: not a text file in UTF-8: {cause}; a spreadsheet writes one if "
            "it is told UTF-8 as it saves"
        ) from cause


def _between(path: Path, text: str) -> str:
    """Say what stands between the cells."""
    head = re.sub(r'"[^"]*"', "", text).lstrip("\r\n").partition("\n")[0]
    if path.suffix.lower() == ".tsv":
        return "\t"
    return next((each for each in ",;\t" if each in head), ",")


def _lines(path: Path, text: str, between: str) -> Iterator[tuple[str, list[str]]]:
    """Give the rows that are not empty, and the line in which each begins."""
    csv.field_size_limit(LONGEST)  # of the process; nothing else of ours reads CSV
    lines = csv.reader(io.StringIO(text, newline=""), strict=True, delimiter=between)
    begins = 1
    try:
        for cells in lines:
            if cells:
                yield f"{path}:{begins}", cells
            begins = lines.line_num + 1
    except csv.Error as cause:
        is_open = "unexpected end" in str(cause)
        raise InputError(
            f"{path}:{begins}: not a CSV row: {cause}"
            + (f"; {UNCLOSED}" if is_open else "")
        ) from cause


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


def refuse_breaks(
    where: str, cells: Mapping[str, str], *, texts: Container[str] = ()
) -> None:
    r"""Complain of a line break where no text runs.

    A quotation mark that somebody forgot takes the rows down to the next one into its
    cell, and they would be missing without a word.

    Args:
        where: File and line.
        cells: Of a row.
        texts: Columns of running text, which may have breaks.

    Raises:
        InputError: Names file, line and column.

    Example:
        >>> refuse_breaks("a.csv:2", {"item": "i1", "note": "a\nb"}, texts={"note"})
    """
    for column, cell in cells.items():
        if column not in texts and ("\n" in cell or "\r" in cell):
            begins = cell if len(cell) <= SHOWN else f"{cell[:SHOWN]}..."
            raise InputError(
                f"{where}: {column} is {begins!r}, with a line break; {UNCLOSED}"
            )


def number_of(text: str) -> float | None:
    """Read a number as a table has it: with a point, or with a comma in its place.

    Returns:
        None for what is no number, as are NaN, digits of other scripts, and digits
        with something between them.

    Example:
        >>> number_of("0,5"), number_of("-1.0"), number_of("1_0"), number_of("1.000,5")
        (0.5, -1.0, None, None)
    """
    return float(pointed(text)) if NUMBER.fullmatch(text) else None


def pointed(text: str) -> str:
    """Write a number with a point; what is no number stays.

    Example:
        >>> pointed("0,50"), pointed("well, 5")
        ('0.50', 'well, 5')
    """
    return text.replace(",", ".") if NUMBER.fullmatch(text) else text


def turn_of(text: str) -> int:
    """Read the number of a turn.

    Raises:
        ValueError: If it is no whole number, or longer than any conversation.

    Example:
        >>> turn_of("2"), turn_of("2.0"), turn_of("2,0")
        (2, 2, 2)
    """
    whole = pointed(text).removesuffix(".0")
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
    number = number_of(text)
    if number is None or not 0 < number <= 1:
        raise ValueError("expected a number above 0 and up to 1")
    return number
