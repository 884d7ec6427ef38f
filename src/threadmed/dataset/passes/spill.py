"""Records on their way from one pass to the next, in parts of a disk; edge.

What one pass finds of a post and what another finds of its comments meets in the
part that the post's id decides, so that no more than a part is ever in memory.
"""

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
"""Bytes before each frame that give its length."""


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
        written = self._encode(frame)
        try:
            with path.open("ab") as file:
                file.write(len(written).to_bytes(LENGTH, "big"))
                file.write(written)
        except OSError as cause:
            raise InputError(
                f"{path.parent}: cannot write what is to be sorted: {cause.strerror}"
            ) from cause

    def path(self, number: int) -> Path:
        """Give the file of a part; it is there only if the part has records."""
        return self._folder / f"{number:04}.msgpack"


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
    decode = msgspec.msgpack.Decoder(Frame).decode
    for whole in pieces:
        piece, start = memoryview(whole), 0
        while start < len(piece):
            end = start + LENGTH + int.from_bytes(piece[start : start + LENGTH], "big")
            yield decode(piece[start + LENGTH : end])
            start = end
