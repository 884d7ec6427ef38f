"""Takes the plain lines of a dump at the speed of memory, by a scanner in C; edge.

The scanner takes the records whose fields are of the forms that nearly all have, and
what it makes of them is what `threadmed.dataset.dumps.reddit` does; all others, the odd
ones, it hands back. Where it was not built all lines are read in Python: the results
are the same bytes, only later.
"""

import ctypes
import os
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Literal, NamedTuple, TypeVar
from weakref import finalize

import msgspec
import numpy as np

from threadmed.dataset.dumps.layout import COMMENT_ROW, VERSION, Frame
from threadmed.records import Record

Found = TypeVar("Found")

Side = Literal["posts", "comments"]

FOLDER = Path(__file__).parent / "native"
NAMES = {"darwin": "scan.dylib", "win32": "scan.dll"}

SEPARATED = frozenset("\0\n")
"""What stands between the ids and authors of posts."""
NOT_PLAIN = "?"
"""Stands for a name that holds one; no comment that the scanner takes has either."""

FLAIR = re.compile(rb'"((?:[^"\\]|\\.)*)')


class Task(Record, frozen=True, kw_only=True):
    """What is to be taken."""

    side: Side
    parts: int
    wanted: Mapping[str, str] | None
    """Author, empty where it is gone, by the id of each post that is wanted, or whose
    comments are; None for all posts."""
    is_flair_wanted: Callable[[str | None], bool] = bool
    """Whether the words of people with a flair are wanted."""
    window: tuple[int, int] = (0, 0)
    least_words: int = 1
    subreddit: str = ""
    bots: frozenset[str] = frozenset()
    losses: Mapping[str, str] = msgspec.field(default_factory=dict)
    """What each category of a removed post is as a loss."""


class Scanned(NamedTuple):
    """What the scanner made of a block."""

    breaks: int
    """Line breaks."""
    returns: int
    """Lines that end in a carriage return."""
    first_return: int
    """The first of these, from 1; 0 for none."""
    records: int
    """Records that were used, with those of no interest."""
    elsewhere: int
    """Of these, posts of another subreddit, or comments under posts not wanted."""
    odd: tuple[tuple[int, bytes], ...]
    """Lines that are to be read in Python, with their numbers in the block from 1."""
    held: int
    """Bytes that wait in the scanner."""


class _Settings(ctypes.Structure):
    _fields_ = [
        (name, ctypes.c_int64)
        for name in (
            "parts", "window_start", "window_end", "least_words", "are_posts",
            "is_any_post_wanted",
        )
    ]  # fmt: skip


class _Tally(ctypes.Structure):
    _fields_ = [
        (name, ctypes.c_int64)
        for name in (
            "lines", "breaks", "returns", "first_return", "taken", "elsewhere", "passed",
            "odd", "held",
        )
    ]  # fmt: skip


class _OddLine(ctypes.Structure):
    _fields_ = [(name, ctypes.c_int64) for name in ("number", "start", "end")]


_SIZE, _HANDLE, _TEXT = ctypes.c_int64, ctypes.c_void_p, ctypes.c_char_p
_SIZE_OUT = ctypes.POINTER(_SIZE)
_PLACE_OUT = ctypes.POINTER(_HANDLE)

FUNCTIONS = {
    "open": (_HANDLE, ctypes.POINTER(_Settings)),
    "close": (None, _HANDLE),
    "subreddit": (ctypes.c_int, _HANDLE, _TEXT, _SIZE),
    "bot": (ctypes.c_int, _HANDLE, _TEXT, _SIZE),
    "category": (ctypes.c_int, _HANDLE, _TEXT, _SIZE, _TEXT),
    "wanted": (ctypes.c_int, _HANDLE, _TEXT, _SIZE),
    "flair": (ctypes.c_int, _HANDLE, ctypes.c_int),
    "flair_texts": (_HANDLE, _HANDLE, _SIZE_OUT),
    "scan": (ctypes.POINTER(_Tally), _HANDLE, _HANDLE, _SIZE),
    "odd": (ctypes.POINTER(_OddLine), _HANDLE),
    "part": (_SIZE, _HANDLE, _SIZE, _PLACE_OUT, _SIZE_OUT, _PLACE_OUT, _SIZE_OUT),
    "clear": (None, _HANDLE),
}


def library() -> ctypes.CDLL | None:
    """Give the scanner's library, or None where it was not built for this machine.

    With `THREADMED_PURE=1` in the environment there is none either, so that anybody can
    see that it changes nothing.
    """
    return None if os.environ.get("THREADMED_PURE") == "1" else _loaded()


@cache
def _loaded() -> ctypes.CDLL | None:
    try:
        loaded = ctypes.CDLL(str(FOLDER / NAMES.get(sys.platform, "scan.so")))
        if loaded.scanner_version() != VERSION:
            # It was left by another version, and would be misread.
            return None
        for name, (gives, *takes) in FUNCTIONS.items():
            function = getattr(loaded, f"scanner_{name}")
            function.restype, function.argtypes = gives, takes
    except (OSError, AttributeError):
        return None
    return loaded


class Scanner:
    """Takes blocks of one file and holds their records until they are fetched.

    Args:
        task: What is to be taken.
        loaded: The scanner's library.

    Raises:
        MemoryError: If there is no memory, in every function.
    """

    def __init__(self, task: Task, loaded: ctypes.CDLL) -> None:
        self._library = loaded
        self._task = task
        self._flairs: list[str | None] = []
        self._flair_bytes = 0
        settings = _Settings(
            task.parts,
            *task.window,
            task.least_words,
            task.side == "posts",
            task.wanted is None,
        )
        self._handle = _there(loaded.scanner_open(ctypes.byref(settings)))
        finalize(self, loaded.scanner_close, self._handle)
        self._tell("subreddit", task.subreddit)
        for bot in filter(str.isascii, task.bots):
            self._tell("bot", bot)
        for category, loss in task.losses.items():
            self._tell("category", category, loss.encode())
        self._tell("wanted", _written(task.wanted or {}))
        self._learn(None)

    def _tell(self, name: str, text: str, *more: object) -> None:
        written = text.encode(errors="replace")
        _there(self._call(name, written, len(written), *more))

    def _call(self, name: str, *given: object) -> int | None:
        found: int | None = getattr(self._library, f"scanner_{name}")(
            self._handle, *given
        )
        return found

    def _learn(self, flair: str | None) -> None:
        self._flairs.append(flair)
        _there(self._call("flair", self._task.is_flair_wanted(flair)))

    def scan(self, block: bytes | memoryview) -> Scanned:
        """Take the plain lines of a block."""
        first = self._scan(block)
        if not self._learns():
            return first
        # Lines with a flair that was new were handed back until it was known.
        again = self._scan(b"".join([line + b"\n" for _, line in first.odd]))
        return first._replace(
            records=first.records + again.records,
            elsewhere=first.elsewhere + again.elsewhere,
            odd=tuple(first.odd[number - 1] for number, _ in again.odd),
            held=again.held,
        )

    def _scan(self, block: bytes | memoryview) -> Scanned:
        place = np.frombuffer(block, np.uint8).ctypes.data
        tally = self._library.scanner_scan(self._handle, place, len(block))
        told = _there(tally).contents
        lines = self._library.scanner_odd(self._handle)[: told.odd] if told.odd else ()
        return Scanned(
            breaks=told.breaks,
            returns=told.returns,
            first_return=told.first_return,
            records=told.taken + told.elsewhere + told.passed,
            elsewhere=told.elsewhere,
            odd=tuple(
                (line.number, bytes(block[line.start : line.end])) for line in lines
            ),
            held=told.held,
        )

    def _learns(self) -> bool:
        """Find out of flairs that are new whether they are wanted, if there are any."""
        size = _SIZE()
        place = self._library.scanner_flair_texts(self._handle, ctypes.byref(size))
        if size.value == self._flair_bytes:
            return False
        new = ctypes.string_at(place, size.value)[self._flair_bytes :]
        self._flair_bytes = size.value
        for written in FLAIR.findall(new):
            self._learn(msgspec.json.decode(b'"%s"' % written, type=str))
        return True

    def fetch(self) -> Iterator[tuple[int, Frame]]:
        """Give what is held, by part, and forget it once all was given.

        A frame is good until the next one is asked for.
        """
        for number in range(self._task.parts):
            frame = self._frame(number)
            if frame is not None:
                yield number, frame
        self._library.scanner_clear(self._handle)

    def _frame(self, number: int) -> Frame | None:
        records, rows = _HANDLE(), _HANDLE()
        records_size, rows_size = _SIZE(), _SIZE()
        found = self._library.scanner_part(
            self._handle,
            number,
            ctypes.byref(records),
            ctypes.byref(records_size),
            ctypes.byref(rows),
            ctypes.byref(rows_size),
        )
        if not found:
            return None
        rows_there = _bytes_at(rows, rows_size)
        return Frame(
            records=_bytes_at(records, records_size),
            rows=rows_there,
            flairs=self._flairs_in(rows_there),
        )

    def _flairs_in(self, rows: memoryview) -> dict[int, str]:
        if self._task.side == "posts":
            return {}
        met = np.unique(np.frombuffer(rows, COMMENT_ROW)["flair"]).tolist()
        # The first of all stands for none.
        return {number: self._flairs[number] or "" for number in met if number}


def _bytes_at(place: ctypes.c_void_p, size: ctypes.c_int64) -> memoryview:
    return memoryview((ctypes.c_char * size.value).from_address(place.value or 0))


def _written(wanted: Mapping[str, str]) -> str:
    """Write posts as the scanner reads them: id, zero, author and line break of each."""
    lines = "".join([f"{post}\0{author}\n" for post, author in wanted.items()])
    if lines.count("\0") == lines.count("\n") == len(wanted):
        return lines
    # Only where a name or an id has such signs of its own.
    plain = {
        post: author if SEPARATED.isdisjoint(author) else NOT_PLAIN
        for post, author in wanted.items()
        if SEPARATED.isdisjoint(post)
    }
    return _written(plain)


def _there(found: Found | None) -> Found:
    if not found:
        raise MemoryError("no memory for the lines of a dump")
    return found
