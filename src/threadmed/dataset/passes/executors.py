"""Where the work of a build is done; edge.

A build is two kinds of step: a pass over files, one file a task, whose records are
sorted into parts by the id of their post; and a step over parts, one part a task.
All tasks are functions of what they are given and of nothing else, so that it does
not matter where, in which order and how often they are run.
"""

import gc
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Generic, Protocol, TypeVar

from threadmed.dataset.dumps.streams import Progress
from threadmed.dataset.passes.spill import Parts
from threadmed.errors import InputError
from threadmed.records import Record

Shared = TypeVar("Shared")
Shared_contra = TypeVar("Shared_contra", contravariant=True)
Result = TypeVar("Result")
Result_co = TypeVar("Result_co", covariant=True)


class Sorted(Record, Generic[Result_co], frozen=True, kw_only=True):
    """What a pass over files came to."""

    results: tuple[Result_co, ...]
    """One a file, in the order of the files."""
    pieces: tuple[tuple[object, ...], ...]
    """For each part, what the executor needs to get at the records in it."""


class FileTask(Protocol[Shared_contra, Result_co]):
    """Reads one file and sorts its records into parts."""

    def __call__(
        self, path: Path, parts: Parts, shared: Shared_contra, /, *, progress: Progress
    ) -> Result_co:
        """Do it."""


class Executor(Protocol):
    """Runs the tasks of a build."""

    def sort(
        self,
        task: FileTask[Shared, Result],
        files: Sequence[Path],
        shared: Shared,
        *,
        parts: int,
        progress: Progress,
    ) -> Sorted[Result]:
        """Run a task for each file.

        Args:
            task: Can be pickled.
            files: One a task.
            shared: Given to every task.
            parts: How many parts there are.
            progress: Told the bytes read of each file.
        """

    def each_part(
        self, task: Callable[..., Result], *passes: Sorted[object]
    ) -> Iterator[Result]:
        """Run a task for each part, and give its results in the order of the parts.

        Args:
            task: Takes the pieces of one part of each of the passes.
            passes: What was sorted, into the same number of parts.
        """


@contextmanager
def local(*, beside: Path | None = None) -> Iterator["Local"]:
    """Give an executor in this process, whose parts lie on the disk of a folder.

    Args:
        beside: The folder that is to be written; its parent is made where it is not
            there. None takes the system's folder for temporary files.

    Raises:
        InputError: If the disk cannot be written.
    """
    try:
        if beside is not None and beside.exists() and not beside.is_dir():
            raise InputError(
                f"{beside}: is there already and is no folder; take another name"
            )
        if beside is not None:
            beside.parent.mkdir(parents=True, exist_ok=True)
        folder = tempfile.TemporaryDirectory(
            dir=beside and beside.parent, prefix=".threadmed-"
        )
    except OSError as cause:
        raise InputError(
            f"{beside or 'temporary files'}: cannot write here: {cause.strerror}"
        ) from cause
    with folder as name:
        yield Local(Path(name))


class Local:
    """Runs one task after another in this process, and keeps parts in a folder.

    Args:
        folder: Where the parts lie; whoever gives it removes it.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def sort(
        self,
        task: FileTask[Shared, Result],
        files: Sequence[Path],
        shared: Shared,
        *,
        parts: int,
        progress: Progress,
    ) -> Sorted[Result]:
        """Run a task for each file; all of them add to the same files of parts."""
        sorted_into = Parts(
            Path(tempfile.mkdtemp(dir=self._folder, prefix="pass-")), parts
        )
        with collection_paused():
            results = tuple(
                task(path, sorted_into, shared, progress=progress) for path in files
            )
        return Sorted(
            results=results,
            pieces=tuple((sorted_into.path(number),) for number in range(parts)),
        )

    def each_part(
        self, task: Callable[..., Result], *passes: Sorted[object]
    ) -> Iterator[Result]:
        """Run a task for each part."""
        for pieces in zip(*(one.pieces for one in passes), strict=True):
            with collection_paused():
                result = task(*(_read(of_one) for of_one in pieces))
            yield result


def _read(paths: Sequence[object]) -> list[bytes]:
    return [
        path.read_bytes() for path in paths if isinstance(path, Path) and path.exists()
    ]


@contextmanager
def collection_paused() -> Iterator[None]:
    """Keep the collector from walking millions of records that all live on."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
