"""Records to files and back: JSON lines, JSON, Parquet; every write is atomic."""

import os
import re
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeVar, get_args, get_origin

import msgspec

from threadmed.errors import InputError
from threadmed.records import Record, Thread

if TYPE_CHECKING:
    from polars import DataFrame

T = TypeVar("T")


@contextmanager
def atomic(path: Path) -> Iterator[Path]:
    """Give a temporary file beside `path` that takes its place when all went well.

    Raises:
        InputError: If the folder cannot be written or the disk is full; `path` then
            is what it was before.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        os.close(handle)
    except OSError as cause:
        raise InputError(f"{path}: cannot write here: {cause.strerror}") from cause
    temporary = Path(name)
    try:
        yield temporary
        temporary.chmod(0o644)
        with temporary.open("rb+") as file:
            os.fsync(file.fileno())
        temporary.replace(path)
    except OSError as cause:
        raise InputError(f"{path}: cannot write: {cause.strerror}") from cause
    finally:
        temporary.unlink(missing_ok=True)


def write_bytes(path: Path, data: bytes) -> None:
    """Write a whole file or nothing."""
    with atomic(path) as temporary:
        temporary.write_bytes(data)


def write_text(path: Path, text: str) -> None:
    """Write a whole text file in UTF-8 or nothing."""
    write_bytes(path, text.encode())


def write_json(path: Path, value: object) -> None:
    """Write one value as indented JSON with a newline at the end."""
    write_bytes(path, msgspec.json.format(msgspec.json.encode(value), indent=2) + b"\n")


def write_records(path: Path, records: Iterable[Record]) -> None:
    """Write records as JSON lines, one a line, in the order given."""
    encode = msgspec.json.Encoder().encode
    with atomic(path) as temporary, temporary.open("wb") as file:
        for record in records:
            file.write(encode(record) + b"\n")


def write_parquet(path: Path, threads: Sequence[Thread]) -> None:
    """Write threads as one Parquet table, their turns as a nested column."""
    import polars as pl

    turn = pl.Struct({"question": pl.String(), "answer": pl.String()})
    table = pl.DataFrame(
        msgspec.to_builtins(list(threads)),
        # Said and not inferred: there may be no threads, or no answers.
        schema={"thread_id": pl.String(), "turns": pl.List(turn)},
    )
    write_frame(path, table)


def write_frame(path: Path, frame: "DataFrame") -> None:
    """Write a table of Polars as Parquet."""
    from polars.exceptions import PolarsError

    with atomic(path) as temporary:
        try:
            frame.write_parquet(temporary)
        except PolarsError as cause:
            # It has errors of its own for a full disk.
            reason = str(cause).partition("\n")[0]
            raise InputError(f"{path}: cannot write: {reason}") from cause


def read_bytes(path: Path) -> bytes:
    """Read a whole file.

    Raises:
        InputError: If it is not there or cannot be read.
    """
    try:
        return path.read_bytes()
    except FileNotFoundError as cause:
        raise InputError(f"{path}: no such file") from cause
    except (OSError, ValueError) as cause:
        raise InputError(f"{path}: cannot read: {cause}") from cause


def read_json(path: Path, kind: type[T]) -> T:
    """Read one JSON value of a known kind.

    Raises:
        InputError: If the file is missing or is not of that kind; names the place.
    """
    try:
        return msgspec.json.decode(read_bytes(path), type=kind)
    except msgspec.MsgspecError as cause:
        raise InputError(f"{path}: {cause}") from cause


def read_records(path: Path, kind: type[T]) -> list[T]:
    """Read JSON lines of a known kind; blank lines are passed over.

    Args:
        path: The file.
        kind: A record, or a union of tagged records.

    Raises:
        InputError: If the file is missing or a line is not of that kind; names file,
            line and field.
    """
    decoder = msgspec.json.Decoder(kind)
    records = []
    for number, line in enumerate(BytesIO(read_bytes(path)), start=1):
        try:
            if line.strip():
                records.append(decoder.decode(line))
        except (msgspec.MsgspecError, UnicodeDecodeError) as cause:
            raise InputError(
                f"{path}:{number}: {cause}{_allowed(kind, str(cause))}"
            ) from cause
    return records


def _allowed(kind: object, complaint: str) -> str:
    """Name the words that a key may have, where it has another one."""
    found = re.fullmatch(
        r"Invalid enum value .* - at `\$\.(\w+)`", complaint, re.DOTALL
    )
    words = {
        word
        for record in get_args(kind) or (kind,)
        for field in msgspec.structs.fields(record)
        if found and field.encode_name == found[1]
        for one in (field.type, *get_args(field.type))
        if get_origin(one) is Literal
        for word in get_args(one)
    }
    return f"; expected one of {', '.join(sorted(words))}" if words else ""
