"""Records on their way from one pass to the next, in parts of a disk; edge.

What one pass finds of a post and what another finds of its comments meets in the
part that the post's id decides, so that no more than a part is ever in memory.
"""

import zlib
from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import Protocol, TypeVar

import msgspec

from threadmed.errors import InputError

T = TypeVar("T")
Taken = TypeVar("Taken")
Taken_co = TypeVar("Taken_co", covariant=True)

HELD = 20_000
"""Records that wait in memory before they are written."""

LENGTH = 8
"""Bytes before each frame that give its length."""


def part_of(post: str, parts: int) -> int:
    """Give the part that a post and all its comments belong to.

    Example:
        >>> part_of("abc", 4) == part_of("abc", 4) < 4
        True
    """
    return zlib.crc32(post.encode()) % parts


class Taking(Protocol[Taken_co]):
    """Takes blocks of a file."""

    @property
    def take(self) -> Callable[[bytes, int], None]:
        """Takes a block and its number in the file; the numbers ascend."""

    def end(self) -> Taken_co:
        """Give what came of them."""


class Processes(Protocol):
    """Other processes that take blocks."""

    def take(
        self,
        begin: Callable[["Parts"], Taking[Taken]],
        blocks: Iterator[bytes],
        *,
        parts: int,
    ) -> tuple[list[Taken], list["Parts"]]:
        """Give what came of the blocks, and the parts that hold the records."""


class Parts:
    """Takes records of a part each, and writes them to files of a folder.

    A record is a tuple or an array-like struct; whoever adds to `waiting` calls
    `settle` now and then.

    Args:
        folder: Where the files lie.
        count: How many parts there are.
        processes: Take the blocks of files, if others are to, into parts of their own,
            which from then on are of these.
    """

    def __init__(
        self, folder: Path, count: int, *, processes: Processes | None = None
    ) -> None:
        self.waiting: list[list[object]] = [[] for _ in range(count)]
        self._folder = folder
        self._processes = processes
        self._others: list[Parts] = []
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
                frame = self._encode(records)
                records.clear()
                self._append(number, frame)

    def take(
        self, begin: Callable[["Parts"], Taking[Taken]], blocks: Iterator[bytes]
    ) -> list[Taken]:
        """Have the blocks of a file taken; gives what came of them, in any order.

        Args:
            begin: Makes of parts what takes blocks and adds their records to these.
            blocks: In the order of the file.
        """
        if self._processes is not None:
            taken, parts = self._processes.take(begin, blocks, parts=len(self.waiting))
            self._others += parts
            return taken
        taking = begin(self)
        for number, block in enumerate(blocks):
            taking.take(block, number)
        return [taking.end()]

    def _append(self, number: int, frame: bytes) -> None:
        path = self.path(number)
        try:
            with path.open("ab") as file:
                file.write(len(frame).to_bytes(LENGTH, "big"))
                file.write(frame)
        except OSError as cause:
            raise InputError(
                f"{path.parent}: cannot write what is to be sorted: {cause.strerror}"
            ) from cause

    def path(self, number: int) -> Path:
        """Give the file of a part; it is there only if the part has records."""
        return self._folder / f"{number:04}.msgpack"

    def paths(self, number: int) -> tuple[Path, ...]:
        """Give all files of a part, of which not every one need be there."""
        return (self.path(number), *(other.path(number) for other in self._others))


def records(pieces: Sequence[bytes], kind: type[T]) -> Iterator[T]:
    """Give the records of a part.

    Args:
        pieces: What was written to it, of one pass or several.
        kind: What they are.
    """
    decode = msgspec.msgpack.Decoder(list[kind]).decode  # type: ignore[valid-type]
    return chain.from_iterable(map(decode, frames(pieces)))


def frames(pieces: Sequence[bytes]) -> Iterator[memoryview]:
    """Cut the frames of files apart."""
    for whole in pieces:
        piece, start = memoryview(whole), 0
        while start < len(piece):
            end = start + LENGTH + int.from_bytes(piece[start : start + LENGTH], "big")
            yield piece[start + LENGTH : end]
            start = end
