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


BREAK_AND_BRACE = int.from_bytes(b"\n{", "little")


def read_dump(
    path: Path,
    kinds: Sequence[type[Raw]],
    accept: Accept[Raw],
    *,
    side: Literal["posts", "comments"],
    allow_partial: bool,
    progress: Progress,
) -> InputFile:
    """Hand all records of a file to `accept`, and say what reading came to.

    Args:
        path: The file; how it is packed is found by content.
        kinds: What a record is decoded to, tried in this order on many lines at once;
            the last takes a record of any year.
        accept: Takes some records, and says which cannot be used (counted as bad).
        side: What the file is said to hold.
        allow_partial: Use a truncated or corrupt file as far as it goes.
        progress: Told the bytes read.

    Raises:
        InputError: If the file cannot be read, is truncated, or holds no record of
            this kind.
    """
    stream = Stream(path, allow_partial=allow_partial, progress=progress)
    reading = Reading(kinds, accept, name=path.name)
    with closing(blocks(stream)) as whole_lines:
        for block in whole_lines:
            reading.take_block(block)
    found = InputFile(
        name=path.name,
        side=side,
        format="json" if reading.is_document else stream.format,
        sha256=stream.sha256,
        bytes=stream.bytes,
        records=reading.records,
        bad=_sorted(reading.bad),
        repaired=_sorted(reading.repaired),
        examples=tuple(sorted(reading.examples.values())),
        cut_at=stream.bytes if reading.is_cut else stream.cut_at,
    )
    _refuse_what_is_none(found, reading, path, allow_partial=allow_partial)
    return found


def _refuse_what_is_none(
    found: InputFile, reading: "Reading[Raw]", path: Path, *, allow_partial: bool
) -> None:
    if reading.is_cut and not allow_partial:
        raise InputError(
            f"{path}: is truncated or corrupt: its JSON cannot be read to the last "
            "bracket; get it again, or use what it holds with --allow-partial"
        )
    if found.bad and not found.records:
        raise InputError(
            f"{path}: holds no {found.side}: {sum(found.bad.values()):,} lines could not be "
            f"read ({'; '.join(found.examples)}); are --posts and --comments mixed up?"
        )


def _sorted(counts: Counter[str]) -> dict[str, int]:
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
    """Decodes the blocks of one file and keeps account of its lines."""

    def __init__(
        self, kinds: Sequence[type[Raw]], accept: Accept[Raw], *, name: str
    ) -> None:
        self.records = 0
        """Records that were decoded and accepted."""
        self.bad: Counter[str] = Counter()
        self.repaired: Counter[str] = Counter()
        self.examples: dict[str, str] = {}
        self.is_document = False
        self.is_cut = False
        """Whether a document does not end where it should."""
        self._accept = accept
        self._decoders = [msgspec.json.Decoder(kind).decode_lines for kind in kinds]
        self._name = name
        self._next_line = 1

    def take_block(self, block: bytes) -> None:
        """Decode whole lines, or a whole document, and hand every record on."""
        first = self._next_line
        if first == 1 and block.startswith(BOM):
            block = _bare(block)
            self._repair("bom", 1)
        if first == 1 and START.match(block):
            self._take_document(block)
        else:
            self._take_lines(block, first)

    def _take_lines(self, block: bytes, first: int) -> None:
        lines = lines_of(block)
        self._next_line += lines.breaks
        if lines.returns:
            self._repair("crlf", first, times=lines.returns)
        for decode in self._decoders if lines.all_begin else ():
            with suppress(ValueError, RecursionError):
                records = decode(block)
                if len(records) == lines.count:
                    self._hand_on(records, first)
                    return
        # Also where there are lines of none, two or half a record, so that what is
        # read does not depend on how the file is cut into blocks.
        for number, line in enumerate(block.split(b"\n"), first):
            self._take_line(line, number)

    def _hand_on(self, records: list[Raw], first: int) -> None:
        faults = self._accept(records)
        self.records += len(records) - len(faults)
        for place, fault in faults:
            self._fault(fault, first + place)

    def _take_document(self, block: bytes) -> None:
        found = elements(block)
        if found is None:
            # JSON lines may begin with a line that only looks like a document.
            self._take_lines(block, 1)
            return
        self.is_cut = not found.is_whole
        self.is_document = True
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
        self.bad[kind] += 1
        self.examples.setdefault(kind, f"{kind} at {self._name}:{line}")

    def _repair(self, kind: str, line: int, *, times: int = 1) -> None:
        self.repaired[kind] += times
        self.examples.setdefault(kind, f"{kind} at {self._name}:{line}")


class Lines(msgspec.Struct, frozen=True):
    """What the line breaks of a block say."""

    count: int
    breaks: int
    returns: int
    """Lines that end in a carriage return."""
    all_begin: bool
    """Whether every line begins as a record does."""


def lines_of(block: bytes) -> Lines:
    r"""Look at the line breaks of a block, all at once.

    Example:
        >>> lines_of(b'{}\n{}\r\n{}')
        Lines(count=3, breaks=2, returns=1, all_begin=True)
        >>> lines_of(b'{}\n\n{}\n').all_begin
        False
    """
    signs = np.frombuffer(block, np.uint8)
    breaks = int(np.count_nonzero(signs == ord("\n")))
    count = breaks + (not block.endswith(b"\n"))
    # Two signs are looked at as one number, at even places and at odd ones.
    begun = sum(
        int(np.count_nonzero(signs[start:end].view("<u2") == BREAK_AND_BRACE))
        for start, end in ((0, len(signs) & ~1), (1, (len(signs) - 1 & ~1) + 1))
    )
    return Lines(
        count=count,
        breaks=breaks,
        returns=block.count(b"\r\n") if b"\r" in block else 0,
        all_begin=block.startswith(b"{") and begun == count - 1,
    )
