"""The work of a build on a Ray cluster, or on all cores of this machine; edge.

A file is a task and a part is a task. What a task gives depends on its input alone,
so that Ray may run it anywhere and run it again where a worker died: the results are
those of the local executor, byte for byte.
Ray is imported where it is used, since most people have no need of it.
"""

import logging
import os
import pickle
import shutil
import socket
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar
from uuid import uuid4

from threadmed.dataset.dumps.streams import Progress
from threadmed.dataset.passes.executors import Executor, FileTask, Sorted
from threadmed.dataset.passes.workers import (
    OWN_MEMORY,
    PART_GROWTH,
    SHARED_GROWTH,
    Board,
    Far,
    Head,
    Job,
    memory_for,
    run_part,
    scratch_folder,
    sort_file,
)
from threadmed.errors import InputError, ThreadmedError

if TYPE_CHECKING:
    from ray import ObjectRef

Item = TypeVar("Item")
Shared = TypeVar("Shared")
Result = TypeVar("Result")

Outputs = Sequence["ObjectRef[Any]"]
"""References to what a file's task gives: its head, then what goes to each part."""

RETRIES = 3
"""Times that Ray runs a task again whose worker died."""
ASKED_EVERY_S = 0.5
ANSWER_S = 10.0
"""Longest that a cluster may take to answer at all."""


@contextmanager
def ray_cluster() -> Iterator[Executor]:
    """Give an executor on the Ray cluster that is there, or on one of its own.

    The cluster is the one that this process is connected to, or that of RAY_ADDRESS,
    or the one that `ray start` started on this machine. Where there is none, Ray is
    started for as long as the block lasts; what was there before is left running.

    Raises:
        InputError: If Ray is not installed, or its cluster cannot be reached.
    """
    try:
        import ray
    except ImportError as cause:
        raise InputError(
            "--executor ray needs the package ray; install it with "
            "pip install 'threadmed[ray]'"
        ) from cause
    is_ours = not ray.is_initialized()
    if is_ours:
        _connect()
    scratch = f"threadmed-{uuid4().hex}"
    try:
        yield RayExecutor(scratch)
    finally:
        if is_ours:
            ray.shutdown()
        # A worker that was killed could not tidy up after itself.
        shutil.rmtree(scratch_folder(scratch), ignore_errors=True)


def _connect() -> None:
    import ray

    check_answers(os.environ.get("RAY_ADDRESS", ""))
    try:
        # A cluster that is started like this reports its use to nobody.
        ray.init(
            include_dashboard=False, log_to_driver=False, logging_level=logging.ERROR
        )
    except (OSError, RuntimeError, ValueError) as cause:
        reason = str(cause).partition("\n")[0]
        raise InputError(f"Ray can neither be reached nor started: {reason}") from cause


def check_answers(address: str) -> None:
    """Refuse an address at which no cluster listens; Ray would try for a long time.

    Args:
        address: As Ray takes it. What has no port is left to Ray to judge.

    Raises:
        InputError: If nothing answers.
    """
    host, _, port = address.removeprefix("ray://").rpartition(":")
    if not port.isdigit():
        return
    try:
        socket.create_connection((host, int(port)), timeout=ANSWER_S).close()
    except (OSError, OverflowError) as cause:
        raise InputError(
            f"RAY_ADDRESS: no cluster answers at {address} ({cause})"
        ) from cause


class Piece(NamedTuple):
    """What one file gave to one part."""

    where: "ObjectRef[bytes]"
    size: int


class RayExecutor:
    """Runs tasks on the Ray that this process is connected to.

    Args:
        scratch: Name of the folder, among each node's temporary files, in which
            tasks sort their records.
    """

    def __init__(self, scratch: str) -> None:
        import ray

        self._scratch = scratch
        board: Any = ray.remote(Board).options(num_cpus=0, max_restarts=-1)
        self._board = board.remote()
        self._begun = 0
        """Files that tasks were handed out for, in all passes."""

    def sort(
        self,
        task: FileTask[Shared, Result],
        files: Sequence[Path],
        shared: Shared,
        *,
        parts: int,
        progress: Progress,
    ) -> Sorted[Result]:
        """Run a task for each file; what goes to the parts stays in the object store.

        Raises:
            InputError: What a task raises; if a file needs more memory than any node
                has; if workers die again and again.
        """
        import ray

        numbers = range(self._begun, self._begun + len(files))
        self._begun = numbers.stop
        by_number = dict(zip(numbers, files, strict=True))
        sent = SHARED_GROWTH * len(pickle.dumps(shared))
        needs = {number: memory_for(path) + sent for number, path in by_number.items()}
        _check_memory(by_number, needs)
        run: Any = ray.remote(sort_file)
        given = ray.put(shared)
        outputs: dict[int, Outputs] = {}
        for number, path in by_number.items():
            here = run.options(
                num_returns=parts + 1,
                memory=needs[number],
                max_retries=RETRIES,
                scheduling_strategy="SPREAD",
            )
            told = partial(_tell, self._board, number)
            job = Job(path.absolute(), parts, self._scratch, told)
            outputs[number] = here.remote(task, job, given)
        heads: dict[int, Head] = {}
        with _cancelled_unless_done([output[0] for output in outputs.values()]):
            for number in self._as_they_end(outputs, progress):
                with plain_errors(by_number[number]):
                    heads[number] = ray.get(outputs[number][0])
                if (far := heads[number].far) is not None:
                    progress(*far)
        return joined([heads[number] for number in numbers], [*outputs.values()])

    def _as_they_end(
        self, outputs: Mapping[int, Outputs], progress: Progress
    ) -> Iterator[int]:
        """Give the numbers of files whose tasks end, and show how far others are."""
        import ray

        waiting = {output[0]: number for number, output in outputs.items()}
        asked = self._board.fars.remote()
        while waiting:
            ended, _ = ray.wait([*waiting], timeout=ASKED_EVERY_S, fetch_local=False)
            for ref in ended:
                yield waiting.pop(ref)
            if ray.wait([asked], timeout=0)[0]:
                _show(asked, set(waiting.values()), progress)
                asked = self._board.fars.remote()

    def each(
        self, task: Callable[[Item], Result], items: Iterable[Item]
    ) -> Iterator[Result]:
        """Run a task for each value, here: what is left after the parts is little."""
        return map(task, items)

    def each_part(
        self, task: Callable[..., Result], *passes: Sorted[object]
    ) -> Iterator[Result]:
        """Run a task for each part; no more are under way than keep all cores busy.

        Raises:
            InputError: What a task raises; if workers die again and again.
        """
        under_way: deque[Any] = deque()
        most = _most_under_way()
        with _cancelled_unless_done(under_way):
            for pieces in zip(*(one.pieces for one in passes), strict=True):
                under_way.append(_begun(task, pieces))
                if len(under_way) > most:
                    yield _next_of(under_way)
            while under_way:
                yield _next_of(under_way)


def _most_under_way() -> int:
    """Twice as many as can run, so that no core waits for this process."""
    import ray

    cores = ray.cluster_resources().get("CPU", 1)  # type: ignore[no-untyped-call]
    return 2 * max(int(cores), 1)


def _begun(task: Callable[..., Result], pieces: Sequence[Sequence[object]]) -> Any:
    """Hand out the task of one part, without what is empty of it."""
    import ray

    full = [
        [piece for piece in of_one if isinstance(piece, Piece) and piece.size]
        for of_one in pieces
    ]
    flat = [piece for of_one in full for piece in of_one]
    need = OWN_MEMORY + PART_GROWTH * sum(piece.size for piece in flat)
    run: Any = ray.remote(run_part).options(
        # More than a node has would never be given.
        memory=min(need, _most_memory()),
        max_retries=RETRIES,
    )
    lengths = [len(of_one) for of_one in full]
    return run.remote(task, lengths, *(piece.where for piece in flat))


def _next_of(under_way: deque[Any]) -> Any:
    import ray

    with plain_errors():
        result = ray.get(under_way[0])
    under_way.popleft()
    return result


def joined(heads: Sequence[Head], outputs: Sequence[Outputs]) -> Sorted[Any]:
    """Bring together what all files gave to each part.

    Args:
        heads: One a file.
        outputs: One a file.

    Example:
        >>> one, two = Head("a", None, (5, 0)), Head("b", None, (7, 2))
        >>> found = joined([one, two], [["h", "a0", "a1"], ["h", "b0", "b1"]])
        >>> found.results
        ('a', 'b')
        >>> [[(piece.where, piece.size) for piece in part] for part in found.pieces]
        [[('a0', 5), ('b0', 7)], [('a1', 0), ('b1', 2)]]
    """
    pieces = [
        map(Piece, output[1:], head.sizes)
        for head, output in zip(heads, outputs, strict=True)
    ]
    return Sorted(
        results=tuple(head.result for head in heads),
        pieces=tuple(zip(*pieces, strict=True)),
    )


def _tell(board: Any, number: int, far: Far) -> None:
    board.tell.remote(number, far)


def _show(
    asked: "ObjectRef[dict[int, Far]]", numbers: Collection[int], progress: Progress
) -> None:
    import ray

    # Where the board is lost, only the bars are.
    with suppress(ray.exceptions.RayError):
        for number, far in ray.get(asked).items():
            if number in numbers:
                progress(*far)


@contextmanager
def _cancelled_unless_done(tasks: Collection[Any]) -> Iterator[None]:
    """Stop what is under way where the block is left early, by an interrupt too."""
    import ray

    try:
        yield
    except BaseException:
        for task in tasks:
            ray.cancel(task)
        raise


@contextmanager
def plain_errors(path: Path | None = None) -> Iterator[None]:
    """Raise what a task raised as the local executor does, in one line.

    Args:
        path: The task's file, as the user named it.

    Raises:
        InputError: If the task raised one, or no worker lived through it.
    """
    import ray

    try:
        yield
    except ray.exceptions.RayTaskError as error:
        if not isinstance(error.cause, ThreadmedError):
            raise
        message = str(error.cause)
        if path is not None:
            message = message.replace(str(path.absolute()), str(path))
        raise type(error.cause)(message) from None
    except ray.exceptions.RayError as error:
        what = path or "a part of the records"
        raise InputError(
            f"{what}: no worker of the cluster lived through it "
            f"({type(error).__name__}); nodes may have too little memory or disk"
        ) from error


def _most_memory() -> int:
    """Give the bytes of memory of the largest node."""
    import ray

    nodes = ray.nodes()  # type: ignore[no-untyped-call]
    return max(
        int(node["Resources"].get("memory", 0)) for node in nodes if node["Alive"]
    )


def _check_memory(files: Mapping[int, Path], needs: Mapping[int, int]) -> None:
    """Refuse what no node can hold; it would wait for ever.

    Raises:
        InputError: If a file needs more memory than any node has.
    """
    most = _most_memory()
    for number, need in needs.items():
        if need > most:
            raise InputError(
                f"{files[number]}: takes {need / 1e9:.1f} GB of memory to read, and "
                f"no node of the cluster gives more than {most / 1e9:.1f} GB"
            )
