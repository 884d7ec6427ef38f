"""What the workers of a cluster do, and what it takes to do it; edge."""

import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import NamedTuple, TypeVar, cast

import zstandard

from threadmed.dataset.dumps.streams import SKIPPABLE
from threadmed.dataset.passes.executors import FileTask, collection_paused, local

Shared = TypeVar("Shared")
Result = TypeVar("Result")

Far = tuple[str, int, int]
"""What is being done, how many bytes are done, and of how many."""

OWN_MEMORY = 400 * 10**6
"""Bytes that a task may take besides what the size of its input asks for."""
PART_GROWTH = 4
"""Bytes of memory for each byte of a part, with the threads that are made of it."""
SHARED_GROWTH = 12
"""Bytes of memory for each byte that is sent to all workers, as names of posts are."""
FRAME_HEADER = 18
"""Most bytes of a zstd frame that come before its content."""
TOLD_EVERY_S = 1.0


def scratch_folder(scratch: str) -> Path:
    """Give the folder of that name among this node's temporary files."""
    return Path(tempfile.gettempdir()) / scratch


class Job(NamedTuple):
    """What a worker is told about a file."""

    path: Path
    """Absolute, since workers have folders of their own."""
    parts: int
    scratch: str
    """Name of the folder for records that are being sorted."""
    told: Callable[[Far], object]


class Head(NamedTuple):
    """What is known of a file that was read, beside its records."""

    result: object
    far: Far | None
    """The last that its progress was."""
    sizes: tuple[int, ...]
    """Bytes for each part."""


def sort_file(
    task: FileTask[Shared, Result], job: Job, shared: Shared
) -> Iterator[Head | bytes]:
    """Read one file; runs on a worker.

    Gives what is known of it, and then what goes to each part, of which no more than
    one is in memory.
    """
    telling = Telling(job.told)
    with local(beside=scratch_folder(job.scratch) / "part", workers=1) as executor:
        done = executor.sort(
            task, [job.path], shared, parts=job.parts, progress=telling
        )
        files = [cast("Path", file) for (file,) in done.pieces]
        yield Head(
            result=done.results[0],
            far=telling.far,
            sizes=tuple(file.stat().st_size if file.exists() else 0 for file in files),
        )
        for file in files:
            yield file.read_bytes() if file.exists() else b""


def run_part(
    task: Callable[..., Result], lengths: Sequence[int], *pieces: bytes
) -> Result:
    """Do what is to be done with one part; runs on a worker.

    Args:
        task: Takes the pieces of each pass.
        lengths: How many of the pieces are of each pass.
        pieces: Those of the first pass, then those of the second.

    Example:
        >>> run_part(lambda posts, comments: (posts, comments), [1, 2], b"a", b"b", b"c")
        ([b'a'], [b'b', b'c'])
    """
    rest = iter(pieces)
    with collection_paused():
        return task(*[list(islice(rest, length)) for length in lengths])


class Telling:
    """Takes the progress of a file, and passes it on about once a second.

    Args:
        told: Takes what is passed on.
    """

    def __init__(self, told: Callable[[Far], object]) -> None:
        self.far: Far | None = None
        self._told = told
        self._next_s = float("-inf")

    def __call__(self, what: str, done: int, total: int) -> None:
        """Take how far the file is."""
        self.far = (what, done, total)
        now = time.monotonic()
        if now >= self._next_s:
            self._next_s = now + TOLD_EVERY_S
            self._told(self.far)


class Board:
    """Where workers write how far their files are; an actor."""

    def __init__(self) -> None:
        self._fars: dict[int, Far] = {}

    def tell(self, number: int, far: Far) -> None:
        """Write how far a file is, by its number in the build."""
        self._fars[number] = far

    def fars(self) -> dict[int, Far]:
        """Say how far each file is that has begun."""
        return self._fars


def memory_for(path: Path) -> int:
    """Give the bytes of memory to ask for when a file is to be read.

    A file packed by zstd says how far back its content may refer; all of that must
    be in memory to unpack it, up to 2 GiB.
    """
    try:
        with path.open("rb") as file:
            start = file.read(FRAME_HEADER)
            while start.startswith(SKIPPABLE):
                file.seek(int.from_bytes(start[4:8], "little") - len(start) + 8, 1)
                start = file.read(FRAME_HEADER)
        frame = zstandard.get_frame_parameters(start)
    except (OSError, zstandard.ZstdError):
        # It is packed otherwise; or there is none, which its task will say.
        return OWN_MEMORY
    return OWN_MEMORY + min(frame.window_size, frame.content_size)
