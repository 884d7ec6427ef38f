"""What a worker process of this machine does, from its start to its end; edge."""

import gc
import mmap
import os
import pickle
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO

from threadmed.dataset.passes.spill import Parts, Taking


def work(shared: str) -> None:
    """Do what is asked through standard input until that ends.

    Args:
        shared: The file through which blocks come.
    """
    # Ctrl-C is meant for the process that waits for this one, and ends its input.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # Nothing that lives long here is circular, and there are millions of it.
    gc.disable()
    with os.fdopen(os.dup(sys.stdout.fileno()), "wb") as answers:
        # What a library might print is no answer.
        os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
        with Path(shared).open("r+b") as file, mmap.mmap(file.fileno(), 0) as memory:
            serve(sys.stdin.buffer, answers, memory)


def serve(asked: BinaryIO, answers: BinaryIO, memory: mmap.mmap) -> None:
    """Answer every message: whether it could be done, and the result or the error."""
    worker = Worker(memory)
    while True:
        try:
            kind, *given = pickle.load(asked)  # noqa: S301 - of our own parent
        except EOFError:
            return
        try:
            answer = pickle.dumps((True, worker.do(kind, *given)), protocol=5)
        except Exception as error:  # noqa: BLE001 - raised again where it was asked for
            answer = pickle.dumps((False, error), protocol=5)
        try:
            answers.write(answer)
            answers.flush()
        except OSError:
            return


class Worker:
    """Does what messages ask for, and keeps what they began.

    Args:
        memory: Where blocks are handed over.
    """

    def __init__(self, memory: mmap.mmap) -> None:
        self._memory = memory
        self._taking: Taking[object] | None = None
        self._pickled = b""
        self._task: Callable[[object], object] = repr

    def do(
        self,
        kind: str,
        what: bytes | int = b"",
        given: Any = None,
    ) -> object:
        """Do what one message asks for."""
        match kind, what, given:
            case "do", bytes(), _:
                return self._named(what)(given)
            case "begin", bytes(), (folder, parts):
                self._taking = pickle.loads(what)(Parts(folder, parts))  # noqa: S301 - of our own parent
            case "block", int(), (start, length):
                self._took.take(self._memory[start : start + length], what)
            case "block", int(), bytes():
                self._took.take(given, what)
            case _:
                taking, self._taking = self._took, None
                return taking.end()
        return None

    @property
    def _took(self) -> Taking[object]:
        if self._taking is None:
            raise RuntimeError("no file was begun")
        return self._taking

    def _named(self, pickled: bytes) -> Callable[[object], object]:
        """Give a task, which is the same for many messages."""
        if pickled != self._pickled:
            self._task = pickle.loads(pickled)  # noqa: S301 - of our own parent
            self._pickled = pickled
        return self._task
