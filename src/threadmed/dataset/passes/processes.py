"""Processes of this machine that work for one build; edge.

They are started afresh and not forked, since a process with threads cannot be forked
safely, and they import nothing of the program that builds, so that it needs no guard.
Blocks of a dump reach them through memory that both sides see, everything else
through pipes.
"""

import contextlib
import json
import mmap
import os
import pickle
import queue
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from pathlib import Path
from typing import Any, TypeVar

from threadmed.dataset.passes.spill import Parts, Taking
from threadmed.errors import ThreadmedError

Item = TypeVar("Item")
Result = TypeVar("Result")
Taken = TypeVar("Taken")

MOST_WORKERS = 8
"""More would wait, since one file is unpacked by one core."""
PLACES = 4
"""Blocks that may be on their way to a worker."""
PLACE = 1 << 20
"""Most bytes of a block in shared memory; the few that are larger take the pipe."""

START = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[1]); "
    "from threadmed.dataset.passes.process_loop import work; work(sys.argv[2])"
)


def workers_here() -> int:
    """Say how many processes this one may keep busy; 1 where none can be started."""
    if not sys.executable:
        return 1
    # Not every system says which cores a process may use.
    affinity = getattr(os, "sched_getaffinity", None)
    cores = len(affinity(0)) if affinity else os.cpu_count() or 1
    return min(cores, MOST_WORKERS)


class ProcessPool:
    """Worker processes that live until the pool is closed.

    Args:
        workers: How many.
        folder: Where what they share lies; whoever gives it removes it.

    Raises:
        OSError: If the system does not let them be started.
    """

    def __init__(self, workers: int, folder: Path) -> None:
        self._processes: list[WorkerProcess] = []
        self._folder = folder
        self._passes = count()
        try:
            for number in range(workers):
                self._processes.append(WorkerProcess(folder / f"shared-{number}"))
        except OSError:
            self.close()
            raise

    def each(
        self, task: Callable[[Item], Result], items: Iterable[Item]
    ) -> Iterator[Result]:
        """Run a task for each of some values; gives the results in their order.

        Args:
            task: Can be pickled, as the values and the results can.
            items: The values.
        """
        pickled = pickle.dumps(task)
        free: queue.SimpleQueue[WorkerProcess] = queue.SimpleQueue()
        for process in self._processes:
            free.put(process)

        def one(item: Item) -> Result:
            process = free.get()
            try:
                result: Result = process.ask("do", pickled, item)
            finally:
                free.put(process)
            return result

        with ThreadPoolExecutor(len(self._processes)) as pool:
            yield from pool.map(one, items)

    def take(
        self,
        begin: Callable[[Parts], Taking[Taken]],
        blocks: Iterator[bytes],
        *,
        parts: int,
    ) -> tuple[list[Taken], list[Parts]]:
        """Share the blocks of a file among the workers, whoever is free.

        Args:
            begin: Makes of the parts of a worker what takes its blocks; can be pickled.
            blocks: In the order of the file.
            parts: How many parts records are sorted into.

        Returns:
            The results, and the parts that hold the records.
        """
        name = f"pass-{next(self._passes)}"
        folders = [self._folder / f"{name}-{n}" for n in range(len(self._processes))]
        pickled = pickle.dumps(begin)
        numbered, lock = enumerate(blocks), threading.Lock()
        is_over = threading.Event()

        def feed(process: "WorkerProcess", folder: Path) -> Taken:
            folder.mkdir()
            process.ask("begin", pickled, (folder, parts))
            with process.filling() as fill:
                while not is_over.is_set():
                    with lock:
                        number, block = next(numbered, (-1, b""))
                    if number < 0:
                        break
                    fill(number, block)
            taken: Taken = process.ask("end")
            return taken

        with ThreadPoolExecutor(len(self._processes)) as pool:
            try:
                results = list(pool.map(feed, self._processes, folders))
            finally:
                # After Ctrl-C, or where one of them failed, the others need not go on.
                is_over.set()
        return results, [Parts(folder, parts) for folder in folders]

    def close(self) -> None:
        """End the workers, whatever they do, and wait until they have ended."""
        for process in self._processes:
            process.close()
        for process in self._processes:
            process.wait()


class WorkerProcess:
    """One worker process, as the one that it works for sees it.

    Args:
        shared: A file to be made, through which blocks are handed over.
    """

    def __init__(self, shared: Path) -> None:
        with shared.open("wb") as file:
            file.truncate(PLACES * PLACE)
        with shared.open("r+b") as file:
            self._shared = mmap.mmap(file.fileno(), PLACES * PLACE)
        self._process = subprocess.Popen(  # noqa: S603 - our own interpreter
            [sys.executable, "-c", START, json.dumps(sys.path), str(shared)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )

    def ask(self, *message: object) -> Any:
        """Have something done, and wait for what it gives.

        Raises:
            ThreadmedError: If the process is gone; else what the task raised.
        """
        self._send(message)
        return self._answer()

    @contextlib.contextmanager
    def filling(self) -> Iterator[Callable[[int, bytes], None]]:
        """Give what hands blocks over, some of them before the first is done with."""
        waiting = 0

        def fill(number: int, block: bytes) -> None:
            nonlocal waiting
            if waiting == PLACES:
                waiting -= 1
                self._answer()
            waiting += 1
            if len(block) > PLACE:
                self._send(("block", number, block))
                return
            start = next(places) % PLACES * PLACE
            self._shared[start : start + len(block)] = block
            self._send(("block", number, (start, len(block))))

        places = count()
        try:
            yield fill
        finally:
            while waiting:
                waiting -= 1
                self._answer()

    def _send(self, message: Sequence[object]) -> None:
        with self._alive():
            pipe = self._process.stdin
            assert pipe is not None  # noqa: S101 - asked for when it was started
            pickle.dump(message, pipe, protocol=pickle.HIGHEST_PROTOCOL)
            pipe.flush()

    def _answer(self) -> Any:
        with self._alive():
            pipe = self._process.stdout
            assert pipe is not None  # noqa: S101 - asked for when it was started
            is_done, result = pickle.load(pipe)  # noqa: S301 - of our own process
        if not is_done:
            raise result
        return result

    @contextlib.contextmanager
    def _alive(self) -> Iterator[None]:
        try:
            yield
        except (OSError, EOFError, pickle.UnpicklingError) as cause:
            raise ThreadmedError(
                "a worker process of the build ended before its work was done, perhaps "
                "for want of memory; nothing was written"
            ) from cause

    def close(self) -> None:
        """Tell the process that nobody needs it any more."""
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()
        self._shared.close()

    def wait(self) -> None:
        """Wait until it has ended; one that is at work is stopped."""
        try:
            self._process.wait(timeout=1)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
