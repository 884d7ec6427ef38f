"""Where the work of a build is done; edge.

A build is two kinds of step: a pass over files, one file a task, whose records are
sorted into parts by the id of their post; and a step over parts, one part a task.
All tasks are functions of what they are given and of nothing else, so that it does
not matter where, in which order and how often they are run.
"""

import gc
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

from threadmed.dataset.dumps.streams import Progress
from threadmed.dataset.passes.spill import Parts
from threadmed.errors import InputError
from threadmed.records import Record

if TYPE_CHECKING:
    from threadmed.dataset.passes.processes import ProcessPool

Item = TypeVar("Item")
Shared = TypeVar("Shared")
Shared_contra = TypeVar("Shared_contra", contravariant=True)
Result = TypeVar("Result")
Result_co = TypeVar("Result_co", covariant=True)

SPREAD_FROM = 1 << 24
"""Bytes of dump files, as they are packed, that are worth the start of processes."""


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

    def each(
        self, task: Callable[[Item], Result], items: Iterable[Item]
    ) -> Iterator[Result]:
        """Run a task for each of some values; gives the results in their order.

        Args:
            task: Can be pickled, as the values and the results can.
            items: The values.
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
def local(
    *,
    beside: Path | None = None,
    workers: int | None = None,
    spread_from: int = SPREAD_FROM,
) -> Iterator["Local"]:
    """Give an executor on this machine, whose parts lie on the disk of a folder.

    Args:
        beside: The folder that is to be written; its parent is made where it is not
            there. None takes the system's folder for temporary files.
        workers: Processes that share the work; 1 does all of it in this one, None
            takes as many as there are cores. They change no result.
        spread_from: Bytes of dump files below which no process is started.

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
        executor = Local(Path(name), workers=workers, spread_from=spread_from)
        try:
            yield executor
        finally:
            executor.close()


class Local:
    """Runs tasks on this machine, and keeps parts in a folder.

    Files are read by this process; small ones are not worth the start of others to
    share what comes after.

    Args:
        folder: Where the parts lie; whoever gives it removes it.
        workers: As `local` takes them.
        spread_from: As `local` takes it.
    """

    def __init__(
        self,
        folder: Path,
        *,
        workers: int | None = None,
        spread_from: int = SPREAD_FROM,
    ) -> None:
        self._folder = folder
        self._workers = workers
        self._spread_from = spread_from
        self._processes: ProcessPool | None = None

    def close(self) -> None:
        """End the processes that were started."""
        if self._processes is not None:
            self._processes.close()
            self._processes = None

    def _start_processes(self, files: Sequence[Path]) -> None:
        """Start the workers, which get ready while this process reads the files."""
        if self._processes is None and _size(files) >= self._spread_from:
            from threadmed.dataset.passes.processes import ProcessPool, workers_here

            workers = self._workers or workers_here()
            # Where none can be started, this process does everything.
            with suppress(OSError):
                self._processes = ProcessPool(workers) if workers > 1 else None

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
        folder = Path(tempfile.mkdtemp(dir=self._folder, prefix="here-"))
        self._start_processes(files)
        sorted_into = Parts(folder, parts)
        with collection_paused():
            results = tuple(
                task(path, sorted_into, shared, progress=progress) for path in files
            )
        return Sorted(
            results=results,
            pieces=tuple((sorted_into.path(number),) for number in range(parts)),
        )

    def each(
        self, task: Callable[[Item], Result], items: Iterable[Item]
    ) -> Iterator[Result]:
        """Run a task for each value, by this process and the others if there are any."""
        paused = partial(_paused, task)
        if self._processes is None:
            return map(paused, items)
        return self._processes.each(paused, items)

    def each_part(
        self, task: Callable[..., Result], *passes: Sorted[object]
    ) -> Iterator[Result]:
        """Run a task for each part."""
        pieces = zip(*(one.pieces for one in passes), strict=True)
        return self.each(partial(_of_part, task), pieces)


def _paused(task: Callable[[Item], Result], item: Item) -> Result:
    with collection_paused():
        return task(item)


def _of_part(task: Callable[..., Result], pieces: Sequence[Sequence[object]]) -> Result:
    return task(*(_read(of_one) for of_one in pieces))


def _read(paths: Sequence[object]) -> list[bytes]:
    return [
        path.read_bytes() for path in paths if isinstance(path, Path) and path.exists()
    ]


def _size(files: Sequence[Path]) -> int:
    return sum(path.stat().st_size for path in files if path.is_file())


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
