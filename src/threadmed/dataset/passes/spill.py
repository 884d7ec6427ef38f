"""Records on their way from one pass to the next, in parts of a disk; edge.

What one pass finds of a post and what another finds of its comments meets in the
part that the post's id decides, so that no more than a part is ever in memory.
"""

import io
import zlib
from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import TypeVar

import msgspec

from threadmed.dataset.dumps.layout import Frame
from threadmed.errors import InputError

T = TypeVar("T")

HELD = 20_000
"""Records that wait in memory before they are written."""

LENGTH = 8
"""Bytes before the head of each frame that give its length."""


def part_of(post: str, parts: int) -> int:
    """Give the part that a post and all its comments belong to.

    The scanner in C finds the same (native/scanner.h).

    Example:
        >>> part_of("abc", 4) == part_of("abc", 4) < 4
        True
    """
    return zlib.crc32(post.encode()) % parts


class Parts:
    """Takes records of a part each, and writes them to files of a folder.

    A record is a tuple or an array-like struct; whoever adds to `waiting` calls
    `settle` now and then.

    Args:
        folder: Where the files lie.
        count: How many parts there are.
    """

    def __init__(self, folder: Path, count: int) -> None:
        self.waiting: list[list[object]] = [[] for _ in range(count)]
        self._folder = folder
        self._encode = msgspec.msgpack.Encoder().encode

    def settle(self, *, at: int = HELD) -> None:
        """Write what waits, once it is `at` records or more.

        Raises:
            InputError: If the disk is full or the folder cannot be written.
        """
        if sum(map(len, self.waiting)) < at:
            return
        for number, records in enumerate(self.waiting):
            if records:
                frame = Frame(records=memoryview(self._encode(records)))
                records.clear()
                self.add(number, frame)

    def add(self, number: int, frame: Frame) -> None:
        """Write records of a part.

        Raises:
            InputError: If the disk is full or the folder cannot be written.
        """
        path = self.path(number)
        sizes = len(frame.records), len(frame.rows)
        head = self._encode((*sizes, dict(frame.flairs)))
        length = len(head).to_bytes(LENGTH, "big")
        try:
            # Without a buffer, which megabytes would only be copied to.
            with path.open("ab", buffering=0) as file:
                for piece in (length + head, frame.records, frame.rows):
                    _write(file, piece)
        except OSError as cause:
            raise InputError(
                f"{path.parent}: cannot write what is to be sorted: {cause.strerror}"
            ) from cause

    def path(self, number: int) -> Path:
        """Give the file of a part; it is there only if the part has records."""
        return self._folder / f"{number:04}.msgpack"


def _write(file: io.FileIO, data: bytes | memoryview) -> None:
    """Write all, in as many turns as the system wants."""
    rest = memoryview(data)
    while rest:
        rest = rest[file.write(rest) :]


def records(pieces: Sequence[bytes], kind: type[T]) -> Iterator[T]:
    """Give the records of a part.

    Args:
        pieces: What was written to it, of one pass or several.
        kind: What they are.
    """
    decode = msgspec.msgpack.Decoder(list[kind]).decode  # type: ignore[valid-type]
    return chain.from_iterable(decode(frame.records) for frame in frames(pieces))


def frames(pieces: Sequence[bytes]) -> Iterator[Frame]:
    """Cut the frames of files apart."""
    decode = msgspec.msgpack.Decoder(tuple[int, int, dict[int, str]]).decode
    for whole in pieces:
        piece, place = memoryview(whole), 0
        while place < len(piece):
            head = place + LENGTH
            start = head + int.from_bytes(piece[place:head], "big")
            records_size, rows_size, flairs = decode(piece[head:start])
            middle = start + records_size
            place = middle + rows_size
            yield Frame(piece[start:middle], piece[middle:place], flairs)
