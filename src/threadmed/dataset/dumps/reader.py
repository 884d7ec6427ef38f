"""Records out of a dump file: JSON lines, a JSON array, or a page of an API; edge.

Plain lines are taken by the scanner in C, where it is there; the rest of a block is
decoded at once; only where a line of it cannot be decoded is it gone through line by
line, and what can be mended is mended.
Every line that gave no record and every one that was mended is counted by kind, with
the first place where it happened.
"""

from collections import Counter
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing, suppress
from pathlib import Path
from typing import Generic, Literal, Protocol, TypeVar

import msgspec

from threadmed.dataset.dumps.documents import START, elements
from threadmed.dataset.dumps.lines import BOM, Decoded, decode_line, is_blank
from threadmed.dataset.dumps.scanner import Scanned
from threadmed.dataset.dumps.streams import Progress, Stream
from threadmed.dataset.manifest import InputFile
from threadmed.errors import InputError

Raw = TypeVar("Raw")

BLOCK = 1 << 20
"""Bytes taken at once; smaller blocks cost more calls, and larger ones gain nothing."""

Accept = Callable[[list[Raw]], Sequence[tuple[int, str]]]
"""Takes records; returns the places of those that cannot be used, and why each."""


class Lines(msgspec.Struct, kw_only=True):
    """What the lines of a file gave."""

    records: int = 0
    """Records that were decoded and accepted."""
    bad: dict[str, int] = msgspec.field(default_factory=Counter)
    repaired: dict[str, int] = msgspec.field(default_factory=Counter)
    places: dict[str, int] = msgspec.field(default_factory=dict)
    """Number of the line, from 1, where each kind of either was first."""
    is_document: bool = False
    is_cut: bool = False
    """Whether a document does not end where it should."""


def read_file(
    path: Path,
    reading: "Reading[Raw]",
    *,
    side: Literal["posts", "comments"],
    allow_partial: bool,
    progress: Progress,
) -> InputFile:
    """Have the blocks of a file read, and say what that came to.

    Args:
        path: The file; how it is packed is found by content.
        reading: Takes the blocks; has taken none of another file.
        side: What the file is said to hold.
        allow_partial: Use a truncated or corrupt file as far as it goes.
        progress: Told the bytes read.

    Raises:
        InputError: If the file cannot be read, is truncated, or holds no record of
            this kind.
    """
    stream = Stream(path, allow_partial=allow_partial, progress=progress)
    with closing(blocks(stream)) as whole_lines:
        for block in whole_lines:
            reading.take_block(block)
    lines = reading.lines
    found = InputFile(
        name=path.name,
        side=side,
        format="json" if lines.is_document else stream.format,
        sha256=stream.sha256,
        bytes=stream.bytes,
        records=lines.records,
        bad=_sorted(lines.bad),
        repaired=_sorted(lines.repaired),
        examples=tuple(
            sorted(
                f"{kind} at {path.name}:{line}" for kind, line in lines.places.items()
            )
        ),
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


def blocks(stream: Chunks, *, size: int = BLOCK) -> Generator[memoryview, None, None]:
    """Cut the unpacked bytes at line breaks, never inside a line or a character.

    A file that is one JSON value comes as one block.
    What follows the last break of a file that ended too early is no line.

    Args:
        stream: The bytes; how they are cut into chunks changes no record.
        size: Fewest bytes of a block but the last, and but the first of a chunk.
    """
    pieces: list[bytes | memoryview] = []
    is_document: bool | None = None
    for chunk in stream.chunks():
        # What tells a document may stand some way behind its start.
        looked_from = size - sum(map(len, pieces)) if is_document is None else 0
        first = 0 if is_document else chunk.find(b"\n", max(looked_from, 0)) + 1
        whole = memoryview(chunk)
        if not first:
            pieces.append(whole)
            continue
        block = b"".join([*pieces, whole[:first]])
        if is_document is None:
            is_document = START.match(_bare(block)) is not None
        if is_document:
            pieces = [block, whole[first:]]
            continue
        yield memoryview(block)
        end = chunk.rfind(b"\n") + 1
        yield from _cut(chunk, first, end, size=size)
        pieces = [whole[end:]]
    last = b"".join(pieces)
    if stream.cut_at is not None and not is_document:
        last = last[: last.rfind(b"\n") + 1]
    if last:
        yield memoryview(last)


def _cut(chunk: bytes, start: int, end: int, *, size: int) -> Iterator[memoryview]:
    """Cut whole lines into blocks, of which none but the last is smaller than asked."""
    whole = memoryview(chunk)
    while start < end:
        stop = chunk.find(b"\n", start + size, end) + 1 or end
        yield whole[start:stop]
        start = stop


def _bare(block: bytes) -> bytes:
    return block.removeprefix(BOM)


class Reading(Generic[Raw]):
    """Decodes blocks of one file and keeps account of their lines.

    Args:
        kind: What a record is decoded to.
        accept: Takes some records, and says which cannot be used.
        scan: Takes what is plain of a block, if anything does.
    """

    def __init__(
        self,
        kind: type[Raw],
        accept: Accept[Raw],
        *,
        scan: Callable[[bytes | memoryview], Scanned] | None = None,
    ) -> None:
        self.lines = Lines()
        self._accept = accept
        self._scan = scan
        self._decode = msgspec.json.Decoder(kind).decode_lines
        self._is_first = True
        self._before = 0
        """Lines in the blocks before the one that is being read."""

    def take_block(self, block: bytes | memoryview) -> None:
        """Decode whole lines, or a whole document, and hand every record on.

        Args:
            block: Some lines; they come in the order of the file.
        """
        if self._is_first:
            self._is_first = False
            self._take_first(bytes(block))
        else:
            self._take_lines(block)

    def _take_first(self, block: bytes) -> None:
        if block.startswith(BOM):
            block = _bare(block)
            self._repair("bom", 1)
        if START.match(block):
            self._take_document(block)
        else:
            self._take_lines(block)

    def _take_lines(self, block: bytes | memoryview) -> None:
        if self._scan is None:
            text = bytes(block)
            breaks, returns = text.count(b"\n"), text.count(b"\r\n")
            first = text.count(b"\n", 0, text.find(b"\r\n")) + 1 if returns else 0
            self._take_rest(text, range(1, breaks + 2))
        else:
            scanned = self._scan(block)
            breaks, returns = scanned.breaks, scanned.returns
            first = scanned.first_return
            self.lines.records += scanned.records
            if scanned.odd:
                text = b"\n".join([line for _, line in scanned.odd])
                self._take_rest(text, [number for number, _ in scanned.odd])
        if returns:
            self._repair("crlf", first, times=returns)
        self._before += breaks

    def _take_rest(self, text: bytes, numbers: Sequence[int]) -> None:
        """Decode lines.

        Args:
            text: The lines.
            numbers: Of each line in its block, and perhaps of what is behind the last.
        """
        if is_a_record_a_line(text):
            with suppress(ValueError, RecursionError):
                records = self._decode(text)
                if len(records) == text.count(b"\n") + (not text.endswith(b"\n")):
                    self._hand_on(records, numbers)
                    return
        # Also where there are lines of none, two or half a record, so that what is
        # read does not depend on how the file is cut into blocks.
        for number, line in zip(numbers, text.split(b"\n"), strict=False):
            self._take_line(line, number)

    def _hand_on(self, records: list[Raw], numbers: Sequence[int]) -> None:
        faults = self._accept(records)
        self.lines.records += len(records) - len(faults)
        for place, fault in faults:
            self._fault(fault, numbers[place])

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
        match decode_line(line, self._decode):
            case Decoded(records=records, repairs=repairs):
                for repair in repairs:
                    self._repair(repair, number)
                for record in records:
                    self._hand_on([record], (number,))
            case bad:
                self._fault(bad, number)

    def _fault(self, kind: str, line: int) -> None:
        self.lines.bad[kind] += 1
        self.lines.places.setdefault(kind, self._before + line)

    def _repair(self, kind: str, line: int, *, times: int = 1) -> None:
        self.lines.repaired[kind] += times
        self.lines.places.setdefault(kind, self._before + line)


def is_a_record_a_line(text: bytes) -> bool:
    r"""Whether every line begins and ends as a record does, and all of them are UTF-8.

    Then no record goes on in the next line: what follows `}` in a record is no `{`.

    Example:
        >>> is_a_record_a_line(b'{}\n{}\r\n{}')
        True
        >>> is_a_record_a_line(b'{"a":\n{}}')
        False
        >>> is_a_record_a_line(b'{}\n\n{}\n'), is_a_record_a_line(b'{"a": "\xff"}')
        (False, False)
    """
    lines = text.count(b"\n") + (not text.endswith(b"\n"))
    begun = text.count(b"\n{") + text.startswith(b"{")
    ended = text.count(b"}\n") + text.count(b"}\r\n") + text.endswith((b"}", b"}\r"))
    if min(begun, ended) < lines:
        return False
    if text.isascii():
        return True
    # A decoder does not look at the letters of what it passes over.
    try:
        text.decode()
    except UnicodeDecodeError:
        return False
    return True
