"""Reads foreign files as rows: JSON, JSON lines, CSV and Parquet.

A row is a mapping of keys to values as they stand in the file; what they mean is for
the formats to say.
"""

import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec

from threadmed.errors import InputError, boundary
from threadmed.store import read_bytes, read_csv

Cells = Mapping[str, object]

WIDE = 48
"""Characters of a wrong value that an error shows."""


class Row(NamedTuple):
    """A row of a foreign file."""

    where: str
    """File and row, for a person to find it again."""
    cells: Cells


class _Missing:
    """A key that is not there, which is not the same as null."""


MISSING = _Missing()


def read_rows(path: Path, *, inside: str = "", own: str = "") -> list[Row]:
    """Read the rows of a file; its kind is told by the ending of its name.

    Args:
        path: .csv or .tsv, see store.csv_rows; .parquet; or else JSON: a list, an
            object that holds one list, or an object a line.
        inside: Key of the list, where an object holds several.
        own: Key of a list that is a row's own, so that an object with it is a row.

    Raises:
        InputError: If the file cannot be read, has no rows, or one is no object.
    """
    match path.suffix.lower():
        case ".csv" | ".tsv":
            rows = _csv(path)
        case ".parquet":
            rows = _parquet(path)
        case _:
            rows = _json(path, inside=inside, own=own)
    if not rows:
        raise InputError(f"{path}: has no rows")
    return rows


def _csv(path: Path) -> list[Row]:
    table = read_csv(path)
    for name in table.columns:
        if table.columns.count(name) > 1:
            raise InputError(f"{path}:1: column {name!r} stands twice")
    return [Row(where, cells) for where, cells in table.rows]


def _parquet(path: Path) -> list[Row]:
    import polars as pl

    data = io.BytesIO(read_bytes(path))
    with boundary(InputError, f"{path}: not a Parquet file"):
        table = pl.read_parquet(data)
    return [
        Row(f"{path}: row {number}", cells)
        for number, cells in enumerate(table.iter_rows(named=True), start=1)
    ]


def _json(path: Path, *, inside: str, own: str) -> list[Row]:
    data = read_bytes(path).removeprefix(b"\xef\xbb\xbf")
    try:
        whole: object = msgspec.json.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError) as cause:
        if b"\n" not in data.strip() or data.lstrip().startswith(b"["):
            raise InputError(f"{path}: not JSON: {cause}") from cause
        return list(_lines(path, data))
    if isinstance(whole, dict):
        is_row = bool(own) and not inside and own in whole
        whole = [whole] if is_row else _held(path, whole, inside=inside)
    if not isinstance(whole, list):
        raise InputError(f"{path}: holds {shown(whole)}; expected a list of objects")
    return [
        _row(f"{path}: row {number}", each)
        for number, each in enumerate(whole, start=1)
    ]


def _lines(path: Path, data: bytes) -> Iterator[Row]:
    for number, line in enumerate(data.splitlines(), start=1):
        if not line.strip():
            continue
        try:
            value: object = msgspec.json.decode(line)
        except (msgspec.DecodeError, UnicodeDecodeError) as cause:
            raise InputError(f"{path}:{number}: not JSON: {cause}") from cause
        yield _row(f"{path}:{number}", value)


def _held(path: Path, whole: Cells, *, inside: str) -> object:
    """Give the list of rows that an object holds, or the object as the only row."""
    lists = [key for key, value in whole.items() if _is_rows(value)]
    if inside:
        if inside not in lists:
            raise InputError(
                f"{path}: has no list of objects under {inside!r}; lists are under "
                f"{', '.join(lists) or 'no key'}"
            )
        return whole[inside]
    if len(lists) > 1:
        raise InputError(
            f"{path}: holds lists under {', '.join(lists)}; say which in a mapping "
            f'file: rows = "{lists[0]}"'
        )
    # One line of JSON lines looks the same as a document.
    return whole[lists[0]] if len(whole) == 1 and lists else [whole]


def _is_rows(value: object) -> bool:
    return (
        isinstance(value, list)
        and bool(value)
        and all(isinstance(each, dict) for each in value)
    )


def _row(where: str, value: object) -> Row:
    if not isinstance(value, dict):
        raise InputError(f"{where}: is {shown(value)}; expected an object with keys")
    return Row(where, value)


def pick(cells: Cells, key: str) -> object:
    """Give a value by its key, or by keys with dots between them, one in the other.

    Example:
        >>> pick({"a": {"b": 1}}, "a.b"), pick({"a.b": 2}, "a.b")
        (1, 2)
        >>> pick({}, "a") is MISSING
        True
    """
    if key in cells:
        return cells[key]
    first, _, rest = key.partition(".")
    inner = cells.get(first)
    return pick(inner, rest) if rest and isinstance(inner, Mapping) else MISSING


def shown(value: object) -> str:
    """Show the start of a value in an error.

    Example:
        >>> shown(None), shown("x" * 60)[:10], shown(MISSING)
        ('null', "'xxxxxxxxx", 'missing')
    """
    if value is None:
        return "null"
    if value is MISSING:
        return "missing"
    text = repr(value)
    return text if len(text) <= WIDE else f"{text[: WIDE - 3]}..."


def wrong(row: Row, key: str, *, expected: str, mapping: str = "") -> InputError:
    """Say which value of a row is not what it must be, and what would mend it.

    Args:
        row: Where it stands.
        key: Whose value it is.
        expected: What was expected.
        mapping: The line of a mapping file that would mend it; empty where none can.
    """
    value = pick(row.cells, key)
    keys = ", ".join(row.cells)
    has = f" (the row has {keys})" if value is MISSING else ""
    mend = f"; in a file for --mapping: {mapping}" if mapping else ""
    return InputError(
        f"{row.where}: {key} is {shown(value)}{has}; expected {expected}{mend}"
    )


def words(row: Row, key: str, *, mapping: str = "") -> str:
    """Give a text that must not be empty.

    Raises:
        InputError: If it is missing, no text, or blank.
    """
    value = pick(row.cells, key)
    if not isinstance(value, str) or not value.strip():
        raise wrong(row, key, expected="text", mapping=mapping)
    return value.strip()


def perhaps(row: Row, key: str | None, *, mapping: str = "") -> str | None:
    """Give a text that may be missing, null or blank, which all become None.

    Raises:
        InputError: If it is something else than text.
    """
    value = pick(row.cells, key) if key else None
    if value is None or value is MISSING:
        return None
    if not isinstance(value, str):
        raise wrong(row, key or "", expected="text or null", mapping=mapping)
    return value.strip() or None


def refuse_unknown(rows: Sequence[Row], keys: Iterable[str | None]) -> None:
    """Complain of a key that no row has: misspelt, it would leave out without a word.

    Raises:
        InputError: Names the key and those of the first row.
    """
    for key in keys:
        if key and all(pick(row.cells, key) is MISSING for row in rows):
            raise InputError(
                f"{rows[0].where}: neither this row nor any other has the key {key}, "
                f"which the mapping names; keys here are {', '.join(rows[0].cells)}"
            )


def text_key(cells: Cells, *, but: Sequence[str] = ()) -> str:
    """Guess the key of a row that holds running text: the longest of them.

    Example:
        >>> text_key({"id": "7", "body": "Is it so?", "n": 3})
        'body'
    """
    texts = {
        key: len(value)
        for key, value in cells.items()
        if isinstance(value, str) and key not in but
    }
    return max(texts, key=lambda key: texts[key], default="KEY")
