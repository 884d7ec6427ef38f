"""Records out of a dump file: JSON lines, a JSON array, or a page of an API; edge.

Whole blocks of lines are decoded at once; only a block with a line that cannot be
decoded is gone through line by line, and what can be mended is mended.
Every line that gave no record and every one that was mended is counted by kind, with
the first place where it happened.
"""

from collections import Counter
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing, suppress
from pathlib import Path
from typing import Generic, Literal, Protocol, TypeVar

import msgspec
import numpy as np

from threadmed.dataset.dumps.documents import START, elements
from threadmed.dataset.dumps.lines import BOM, Decoded, decode_line, is_blank
from threadmed.dataset.dumps.streams import Progress, Stream
from threadmed.dataset.manifest import InputFile
from threadmed.errors import InputError

Raw = TypeVar("Raw")

BLOCK = 1 << 18
"""Bytes decoded at once; larger blocks fall out of the processor's cache."""

Accept = Callable[[list[Raw]], Sequence[tuple[int, str]]]
"""Takes records; returns the places of those that cannot be used, and why each."""


class Lines(msgspec.Struct, kw_only=True):
    """What the lines of a file gave, or those of some of its blocks."""

    records: int = 0
    """Records that were decoded and accepted."""
    bad: dict[str, int] = msgspec.field(default_factory=Counter)
    repaired: dict[str, int] = msgspec.field(default_factory=Counter)
    places: dict[str, tuple[int, int]] = msgspec.field(default_factory=dict)
    """Where each kind of either was first: the block, and the line in it from 1."""
    breaks: dict[int, int] = msgspec.field(default_factory=dict)
    """Line breaks in each block."""
    is_document: bool = False
    is_cut: bool = False
    """Whether a document does not end where it should."""

    def add(self, other: "Lines") -> None:
        """Add what other blocks of the same file gave.

        Example:
            >>> one = Lines(places={"nul": (2, 5)}, breaks={0: 10, 2: 10})
            >>> one.add(Lines(places={"nul": (1, 3)}, breaks={1: 10}))
            >>> list(one.examples("RC.jsonl"))
            ['nul at RC.jsonl:13']
        """
        self.records += other.records
        for name in ("bad", "repaired"):
            getattr(self, name).update(getattr(other, name))
        for kind, place in other.places.items():
            self.places[kind] = min(place, self.places.get(kind, place))
        self.breaks |= other.breaks
        self.is_document |= other.is_document
        self.is_cut |= other.is_cut

    def examples(self, name: str) -> Iterator[str]:
        """Say where in a file of this name each kind was first."""
        for kind, (block, line) in self.places.items():
            before = sum(count for at, count in self.breaks.items() if at < block)
            yield f"{kind} at {name}:{before + line}"


def read_file(
    path: Path,
    read: Callable[[Iterator[bytes]], Lines],
    *,
    side: Literal["posts", "comments"],
    allow_partial: bool,
    progress: Progress,
) -> InputFile:
    """Have the blocks of a file read, and say what that came to.

    Args:
        path: The file; how it is packed is found by content.
        read: Takes the blocks, by whatever number of readings.
        side: What the file is said to hold.
        allow_partial: Use a truncated or corrupt file as far as it goes.
        progress: Told the bytes read.

    Raises:
        InputError: If the file cannot be read, is truncated, or holds no record of
            this kind.
    """
    stream = Stream(path, allow_partial=allow_partial, progress=progress)
    with closing(blocks(stream)) as whole_lines:
        lines = read(whole_lines)
    found = InputFile(
        name=path.name,
        side=side,
        format="json" if lines.is_document else stream.format,
        sha256=stream.sha256,
        bytes=stream.bytes,
        records=lines.records,
        bad=_sorted(lines.bad),
        repaired=_sorted(lines.repaired),
        examples=tuple(sorted(lines.examples(path.name))),
        cut_at=stream.bytes if lines.is_cut else stream.cut_at,
    )
    _refuse_what_is_none(found, lines, path, allow_partial=allow_partial)
    return found


def _refuse_what_is_none(
    found: InputFile, lines: Lines, path: Path, *, allow_partial: bool
) -> None:
    if lines.is_cut and not allow_partial:
        raise InputError(
            f"{path}: is truncated or corrupt: its JSON cannot be read to the last "
            "bracket; get it again, or use what it holds with --allow-partial"
        )
    if found.bad and not found.records:
        raise InputError(
            f"{path}: holds no {found.side}: {sum(found.bad.values()):,} lines could not be "
            f"read ({'; '.join(found.examples)}); are --posts and --comments mixed up?"
        )


def _sorted(counts: dict[str, int]) -> dict[str, int]:
    return dict(sorted(counts.items()))


class Chunks(Protocol):
    """Unpacked bytes in pieces of any size, as a Stream gives them."""

    cut_at: int | None
    """Where the file ended too early; known once all chunks are read."""

    def chunks(self) -> Iterator[bytes]:
        """Give the pieces."""


def blocks(stream: Chunks, *, size: int = BLOCK) -> Generator[bytes, None, None]:
    """Cut the unpacked bytes at line breaks, never inside a line or a character.

    A file that is one JSON value comes as one block.
    What follows the last break of a file that ended too early is no line.

    Args:
        stream: The bytes; how they are cut into chunks changes no record.
        size: Fewest bytes of a block but the last.
    """
    pieces: list[bytes] = []
    is_document: bool | None = None
    for chunk in stream.chunks():
        first = b"" if is_document else chunk[: chunk.find(b"\n", size) + 1]
        if not first:
            pieces.append(chunk)
            continue
        block = b"".join([*pieces, first])
        if is_document is None:
            is_document = START.match(_bare(block)) is not None
        if is_document:
            pieces = [block, chunk[len(first) :]]
            continue
        yield block
        start = len(first)
        while end := chunk.find(b"\n", start + size) + 1:
            yield chunk[start:end]
            start = end
        pieces = [chunk[start:]]
    last = b"".join(pieces)
    if stream.cut_at is not None and not is_document:
        last = last[: last.rfind(b"\n") + 1]
    if last:
        yield last


def _bare(block: bytes) -> bytes:
    return block.removeprefix(BOM)


class Reading(Generic[Raw]):
    """Decodes blocks of one file and keeps account of their lines.

    Args:
        kinds: What a record is decoded to, tried in this order.
        accept: Takes some records, and says which cannot be used.
    """

    def __init__(self, kinds: Sequence[type[Raw]], accept: Accept[Raw]) -> None:
        self.lines = Lines()
        self._accept = accept
        self._decoders = [msgspec.json.Decoder(kind).decode_lines for kind in kinds]
        self._number = 0
        """Of the block that is being read."""

    def take_block(self, block: bytes, number: int) -> None:
        """Decode whole lines, or a whole document, and hand every record on.

        Args:
            block: Some lines.
            number: Of the block in its file, from 0.
        """
        self._number = number
        if number == 0 and block.startswith(BOM):
            block = _bare(block)
            self._repair("bom", 1)
        if number == 0 and START.match(block):
            self._take_document(block)
        else:
            self._take_lines(block)

    def _take_lines(self, block: bytes) -> None:
        breaks = breaks_of(block)
        self.lines.breaks[self._number] = breaks.count
        if breaks.returns:
            self._repair("crlf", 1, times=breaks.returns)
        for decode in self._decoders if breaks.all_begin else ():
            with suppress(ValueError, RecursionError):
                records = decode(block)
                if len(records) == breaks.lines:
                    self._hand_on(records, 1)
                    return
        # Also where there are lines of none, two or half a record, so that what is
        # read does not depend on how the file is cut into blocks.
        for number, line in enumerate(block.split(b"\n"), 1):
            self._take_line(line, number)

    def _hand_on(self, records: list[Raw], first: int) -> None:
        faults = self._accept(records)
        self.lines.records += len(records) - len(faults)
        for place, fault in faults:
            self._fault(fault, first + place)

    def _take_document(self, block: bytes) -> None:
        found = elements(block)
        if found is None:
            # JSON lines may begin with a line that only looks like a document.
            self._take_lines(block)
            return
        self.lines.is_cut = not found.is_whole
        self.lines.is_document = True
        for number, item in enumerate(found.items, 1):
            self._take_line(item, number)

    def _take_line(self, line: bytes, number: int) -> None:
        if is_blank(line):
            return
        match decode_line(line, self._decoders[-1]):
            case Decoded(records=records, repairs=repairs):
                for repair in repairs:
                    self._repair(repair, number)
                for record in records:
                    self._hand_on([record], number)
            case bad:
                self._fault(bad, number)

    def _fault(self, kind: str, line: int) -> None:
        self.lines.bad[kind] += 1
        self.lines.places.setdefault(kind, (self._number, line))

    def _repair(self, kind: str, line: int, *, times: int = 1) -> None:
        self.lines.repaired[kind] += times
        self.lines.places.setdefault(kind, (self._number, line))


class Breaks(msgspec.Struct, frozen=True):
    """What the line breaks of a block say."""

    lines: int
    count: int
    returns: int
    """Lines that end in a carriage return."""
    all_begin: bool
    """Whether every line begins as a record does."""


def breaks_of(block: bytes) -> Breaks:
    r"""Look at the line breaks of a block, all at once.

    Example:
        >>> breaks_of(b'{}\n{}\r\n{}')
        Breaks(lines=3, count=2, returns=1, all_begin=True)
        >>> breaks_of(b'{}\n\n{}\n').all_begin
        False
    """
    signs = np.frombuffer(block, np.uint8)
    breaks = np.flatnonzero(signs == ord("\n"))
    count = len(breaks)
    is_ended = block.endswith(b"\n")
    behind = signs[(breaks[:-1] if is_ended else breaks) + 1]
    return Breaks(
        lines=count + (not is_ended),
        count=count,
        returns=block.count(b"\r\n") if b"\r" in block else 0,
        all_begin=block.startswith(b"{") and bool((behind == ord("{")).all()),
    )
