"""Processes of this machine that work for one build; edge.

They are started afresh and not forked, since a process with threads cannot be forked
safely, and they import nothing of the program that builds, so that it needs no guard.
"""

import contextlib
import json
import os
import pickle
import queue
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from threadmed.errors import ThreadmedError

Item = TypeVar("Item")
Result = TypeVar("Result")

MOST_WORKERS = 8
"""More would wait, since what they hand back is joined by one core."""

START = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[1]); "
    "from threadmed.dataset.passes.process_loop import work; work()"
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
    """Worker processes that live until the pool is closed; this process works too.

    Args:
        workers: How many work, with this one.

    Raises:
        OSError: If the system does not let them be started.
    """

    def __init__(self, workers: int) -> None:
        self._processes: list[WorkerProcess] = []
        try:
            for _ in range(workers - 1):
                self._processes.append(WorkerProcess())
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
        free: queue.SimpleQueue[WorkerProcess | None] = queue.SimpleQueue()
        workers = [*self._processes, None]
        for worker in workers:
            free.put(worker)

        def one(item: Item) -> Result:
            worker = free.get()
            try:
                if worker is None:
                    return task(item)
                result: Result = worker.ask(pickled, item)
            finally:
                free.put(worker)
            return result

        with ThreadPoolExecutor(len(workers)) as pool:
            yield from pool.map(one, items)

    def close(self) -> None:
        """End the workers, whatever they do, and wait until they have ended."""
        for process in self._processes:
            process.close()
        for process in self._processes:
            process.wait()


class WorkerProcess:
    """One worker process, as the one that it works for sees it."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(  # noqa: S603 - our own interpreter
            # -P: nothing is imported from the folder that a person happens to be in.
            [sys.executable, "-P", "-c", START, json.dumps(sys.path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )

    def ask(self, pickled: bytes, given: object) -> Any:
        """Have a task done, and wait for what it gives.

        Args:
            pickled: The task.
            given: What it takes.

        Raises:
            ThreadmedError: If the process is gone; else what the task raised.
        """
        asked, answers = self._process.stdin, self._process.stdout
        assert asked is not None  # noqa: S101 - a pipe was asked for
        assert answers is not None  # noqa: S101 - a pipe was asked for
        try:
            pickle.dump((pickled, given), asked, protocol=pickle.HIGHEST_PROTOCOL)
            asked.flush()
            is_done, result = pickle.load(answers)  # noqa: S301 - of our own process
        except (OSError, EOFError, pickle.UnpicklingError) as cause:
            raise ThreadmedError(
                "a worker process of the build ended before its work was done, perhaps "
                "for want of memory; nothing was written"
            ) from cause
        if not is_done:
            raise result
        return result

    def close(self) -> None:
        """Tell the process that nobody needs it any more."""
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()

    def wait(self) -> None:
        """Wait until it has ended; one that is at work is stopped."""
        try:
            self._process.wait(timeout=1)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
