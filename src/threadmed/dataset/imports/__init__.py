"""Other people's data as threads; the door is `read_data`."""

from pathlib import Path
from typing import Literal, TypeVar, assert_never, get_args

from threadmed.dataset.imports.imported import Imported
from threadmed.dataset.imports.mapping import (
    ChatMapping,
    FileMapping,
    MythMapping,
    TableMapping,
    ThreadMapping,
    chosen,
)
from threadmed.dataset.imports.rows import Row, read_rows
from threadmed.study import read_toml

__all__ = ["FORMATS", "Format", "Imported", "read_data"]

Format = Literal["cancer-myth", "threadmed-qa", "messages", "table"]

FORMATS: tuple[Format, ...] = get_args(Format)

M = TypeVar("M", bound=FileMapping)


def read_data(kind: Format, path: Path, *, mapping: Path | None = None) -> Imported:
    """Read a file that was not made by threadmed.

    Args:
        kind: Its format.
        path: JSON, JSON lines, CSV or Parquet.
        mapping: A TOML file that says which key is what; see docs/import.md.

    Raises:
        InputError: If either file is not what it must be; names the first row, key
            and value at fault, and what a mapping could say.
    """
    from threadmed.dataset.imports.cancer_myth import import_cancer_myth
    from threadmed.dataset.imports.messages import import_messages
    from threadmed.dataset.imports.table import import_table
    from threadmed.dataset.imports.threadmed_qa import import_threadmed_qa

    match kind:
        case "cancer-myth":
            myths = _mapping(mapping, MythMapping) or MythMapping()
            return import_cancer_myth(_rows(path, myths), myths)
        case "threadmed-qa":
            threads = _mapping(mapping, ThreadMapping) or ThreadMapping()
            return import_threadmed_qa(_rows(path, threads), threads)
        case "messages":
            chats = _mapping(mapping, ChatMapping) or ChatMapping()
            return import_messages(_rows(path, chats, own=chats.messages), chats)
        case "table":
            columns = _mapping(mapping, TableMapping)
            return import_table(_rows(path, columns or TableMapping()), columns)
        case _:
            assert_never(kind)


def _mapping(path: Path | None, kind: type[M]) -> M | None:
    return read_toml(path, kind) if path else None


def _rows(path: Path, mapping: FileMapping, *, own: str = "") -> list[Row]:
    return chosen(read_rows(path, inside=mapping.rows, own=own), mapping)
