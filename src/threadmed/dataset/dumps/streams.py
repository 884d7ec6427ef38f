"""Bytes out of a dump file, whatever it was packed with; edge.

Packing is recognised by content, since names lie: a browser unpacks a download and
leaves the suffix.
A file that ends before its last frame does is told apart from one that is whole,
which the usual readers of zstd do not do.
"""

import bz2
import hashlib
import lzma
import queue
import re
import threading
import zlib
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from functools import partial
from pathlib import Path
from typing import Generic, NamedTuple, Protocol, TypeVar

import zstandard

from threadmed.errors import InputError

Progress = Callable[[str, int, int], None]
"""Told what is being done, how many bytes are done, and of how many."""

T = TypeVar("T")

COMPRESSED_CHUNK = 1 << 17
PLAIN_CHUNK = 1 << 20
PATIENCE_S = 2.0
AHEAD = 4
"""Chunks that may wait unpacked; each is a megabyte or two."""
MOST_UNHASHED = 4 * AHEAD
"""Pieces of the file that wait to be hashed: more than those of chunks that wait, and
of a plain file no more than 16 MB."""
SHOWN_EVERY = 1 << 20
"""Bytes between two reports of progress."""

LARGEST_WINDOW = 1 << 31
"""Dumps are packed with windows up to this; decoders refuse it unless told."""


class Decoder(Protocol):
    """What the four libraries have in common."""

    @property
    def eof(self) -> bool:
        """Whether the frame is complete."""

    @property
    def unused_data(self) -> bytes:
        """What came after the frame."""

    def decompress(self, data: bytes, /) -> bytes:
        """Unpack some more."""


class _Spare:
    """Decompressors of zstd that no file is unpacked with now, with their memory."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._free: list[zstandard.ZstdDecompressor] = []
        self._keepers = 0

    def take(self) -> zstandard.ZstdDecompressor:
        """Give one, a new one where none is there."""
        with self._lock:
            if self._free:
                return self._free.pop()
        return zstandard.ZstdDecompressor(max_window_size=LARGEST_WINDOW)

    def give_back(self, one: zstandard.ZstdDecompressor) -> None:
        """Keep one while anybody wants it kept."""
        with self._lock:
            if self._keepers:
                self._free.append(one)

    @contextmanager
    def kept(self) -> Iterator[None]:
        """Keep what is given back, while this lasts."""
        with self._lock:
            self._keepers += 1
        try:
            yield
        finally:
            with self._lock:
                self._keepers -= 1
                if not self._keepers:
                    self._free.clear()


_SPARE = _Spare()


def memory_kept() -> AbstractContextManager[None]:
    """Unpack files of this process in the memory that those before took.

    A window has up to 2 GiB, and to get that much anew takes a second. While this lasts
    it stays taken between the files.
    """
    return _SPARE.kept()


NewDecoder = Callable[[], Decoder]
"""Starts a frame."""


@contextmanager
def _zstd() -> Iterator[NewDecoder]:
    one = _SPARE.take()
    # Room for all that a chunk mostly unpacks to, so that nothing is joined. It begins
    # anew, also where the frame before was cut off.
    yield partial(one.decompressobj, write_size=1 << 22)
    # Not where the reader went away, since it may be at work still.
    _SPARE.give_back(one)


Unpacker = Callable[[], AbstractContextManager[NewDecoder]]
"""Gives, for one file, what starts each of its frames."""


def _anew(new_decoder: NewDecoder) -> Unpacker:
    """Keep nothing from file to file: these need little memory."""
    return lambda: nullcontext(new_decoder)


SKIPPABLE = tuple(bytes([0x50 + n, 0x2A, 0x4D, 0x18]) for n in range(16))
"""Starts of zstd frames that hold no content; a file may begin with one."""

FORMATS: tuple[tuple[tuple[bytes, ...], str, Unpacker], ...] = (
    ((b"\x28\xb5\x2f\xfd", *SKIPPABLE), "zstd", _zstd),
    ((b"\x1f\x8b",), "gzip", _anew(partial(zlib.decompressobj, wbits=31))),
    ((b"BZh",), "bzip2", _anew(bz2.BZ2Decompressor)),
    ((b"\xfd7zXZ\x00",), "xz", _anew(lzma.LZMADecompressor)),
)

BLOCKS = ".zst_blocks"

SNIFFED = 16
"""Bytes by which other files are known; further on a stray sign is one to repair."""
MAGICS = tuple(magic for magics, _, _ in FORMATS for magic in magics)

CONTROL = re.compile(rb"[\x01-\x08\x0e-\x1f]")
"""Bytes that no text holds; NULs are left out, since unfinished downloads have them."""
OTHER_FILES = (b"PAR1", b"PK", b"\xff\xfe", b"\xfe\xff", b"%PDF", b"<")

BROKEN = (zstandard.ZstdError, zlib.error, lzma.LZMAError, OSError, EOFError)
"""What the libraries raise on corrupt bytes."""


class Stream:
    """A dump file that is read once, from its start to its end."""

    def __init__(self, path: Path, *, allow_partial: bool, progress: Progress) -> None:
        self.path = path
        self.format = "plain"
        self.cut_at: int | None = None
        """Offset in the file where it ended too early; None while it has not."""
        self._allow_partial = allow_partial
        self._progress = progress
        self._hash = hashlib.sha256()
        self._hashing = threading.Lock()
        self._unhashed: deque[bytes] = deque()
        self._done = 0
        if path.name.endswith(BLOCKS):
            raise InputError(
                f"{path}: {BLOCKS} is a container that Arctic Shift used until 2024; "
                "make .zst or JSON lines of it with its own reader"
            )
        try:
            self.bytes = path.stat().st_size
            self._file = path.open("rb")
        except FileNotFoundError as cause:
            raise InputError(f"{path}: no such file") from cause
        except OSError as cause:
            raise InputError(f"{path}: cannot read: {cause.strerror}") from cause

    @property
    def sha256(self) -> str:
        """Hash of the bytes read so far: of the file, once it is read."""
        self._hash_what_is_read()
        return self._hash.hexdigest()

    def _hash_what_is_read(self) -> None:
        with self._hashing:
            while self._unhashed:
                self._hash.update(self._unhashed.popleft())

    def chunks(self) -> Iterator[bytes]:
        """Give the unpacked bytes, the next of them unpacked in another thread.

        Raises:
            InputError: If the file is empty, truncated or corrupt, with the offset,
                unless partial input is allowed; if it is no dump at all.
        """
        for chunk in ahead(self._chunks()):
            # Here, since the thread that unpacks mostly has more to do.
            self._hash_what_is_read()
            yield chunk

    def _chunks(self) -> Iterator[bytes]:
        with self._file:
            start = self._read(COMPRESSED_CHUNK)
            if not start:
                self._end_early(0, "is empty")
            elif any(magic.startswith(start) for magic in MAGICS):
                self._end_early(0, "is truncated within its first bytes")
                return
            for magics, name, unpacker in FORMATS:
                if start.startswith(magics):
                    self.format = name
                    with unpacker() as new_decoder:
                        yield from self._unpacked(start, new_decoder)
                    return
            self._refuse_other_files(start)
            while start:
                yield start
                start = self._read(PLAIN_CHUNK)

    def _read(self, size: int = COMPRESSED_CHUNK) -> bytes:
        try:
            data = self._file.read(size)
        except OSError as cause:
            raise InputError(f"{self.path}: cannot read: {cause.strerror}") from cause
        self._unhashed.append(data)
        if len(self._unhashed) > MOST_UNHASHED:
            # There is much that gives no chunk, such as padding.
            self._hash_what_is_read()
        # Counted, since a pipe cannot tell.
        done = self._done = self._done + len(data)
        if done // SHOWN_EVERY != (done - len(data)) // SHOWN_EVERY or not data:
            self._progress(f"reading {self.path.name}", done, self.bytes)
        return data

    def _unpacked(self, data: bytes, new_decoder: NewDecoder) -> Iterator[bytes]:
        decoder = new_decoder()
        while data:
            try:
                unpacked = decoder.decompress(data)
            except BROKEN as cause:
                offset = self._done - len(data)
                self._end_early(offset, f"is corrupt ({cause})")
                return
            if unpacked:
                yield unpacked
            if decoder.eof:
                data = self._next_frame(decoder.unused_data)
                decoder = new_decoder()
            else:
                data = self._read()
                if not data:
                    self._end_early(
                        self.bytes, "is truncated: its last frame is not whole"
                    )

    def _next_frame(self, rest: bytes) -> bytes:
        # Files are padded with zeros, and no frame begins with one.
        while not rest.strip(b"\0"):
            rest = self._read()
            if not rest:
                return b""
        return rest.lstrip(b"\0")

    def _end_early(self, offset: int, what: str) -> None:
        if not self._allow_partial:
            raise InputError(
                f"{self.path}: {what}, at compressed offset {offset:,} of "
                f"{self.bytes:,}; get it again, or use what it holds with "
                "--allow-partial"
            )
        self.cut_at = offset
        while self._read():
            pass

    def _refuse_other_files(self, start: bytes) -> None:
        if CONTROL.search(start[:SNIFFED]) or start.startswith(OTHER_FILES):
            raise InputError(
                f"{self.path}: is no dump; expected JSON lines, plain or packed with "
                f"zstd, gzip, bzip2 or xz; it starts with {start[:8]!r}"
            )


def ahead(items: Iterator[T], *, depth: int = AHEAD) -> Iterator[T]:
    """Take items in a thread of their own, so that the next ones come meanwhile.

    The libraries that unpack let other threads run while they work.
    What the items raise is raised here; a reader that goes away ends the thread.

    Args:
        items: Used by the other thread alone from here on.
        depth: Most items that wait.

    Example:
        >>> list(ahead(iter("abc")))
        ['a', 'b', 'c']
    """
    handed: _Handed[T] = _Handed(depth)
    thread = threading.Thread(
        target=handed.put_all, args=(items,), name="unpack", daemon=True
    )
    thread.start()
    try:
        yield from handed.all()
    finally:
        handed.is_over.set()
        # A thread that waits for a pipe or a disk that is stuck may wait on.
        thread.join(PATIENCE_S)


class _Handed(Generic[T]):
    """Items on their way from one thread to another."""

    def __init__(self, depth: int) -> None:
        self.is_over = threading.Event()
        self._waiting: queue.Queue[T | _End] = queue.Queue(depth)

    def put_all(self, items: Iterator[T]) -> None:
        """Hand items on until they end or nobody wants them."""
        end = _End(None)
        try:
            for item in items:
                if not self._put(item):
                    return
        except BaseException as error:  # noqa: BLE001 - raised again by the reader
            end = _End(error)
        self._put(end)

    def _put(self, item: "T | _End") -> bool:
        while not self.is_over.is_set():
            with suppress(queue.Full):
                self._waiting.put(item, timeout=0.1)
                return True
        return False

    def all(self) -> Iterator[T]:
        """Give what is handed on; raises what the items raised."""
        while not isinstance(item := self._waiting.get(), _End):
            yield item
        if item.error is not None:
            raise item.error


class _End(NamedTuple):
    """No items come any more."""

    error: BaseException | None
