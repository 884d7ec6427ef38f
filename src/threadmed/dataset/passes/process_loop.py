"""What a worker process of this machine does, from its start to its end; edge."""

import gc
import os
import pickle
import signal
import sys
from collections.abc import Callable
from functools import lru_cache
from typing import BinaryIO


def work() -> None:
    """Do what is asked through standard input until that ends."""
    # Ctrl-C is meant for the process that waits for this one, and ends its input.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # Nothing that lives long here is circular, and there are millions of it.
    gc.disable()
    with os.fdopen(os.dup(sys.stdout.fileno()), "wb") as answers:
        # What a library might print is no answer.
        os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
        serve(sys.stdin.buffer, answers)


def serve(asked: BinaryIO, answers: BinaryIO) -> None:
    """Answer every message, which is a pickled task and what it is to be given.

    An answer says whether it could be done, and gives the result or the error.
    """
    while True:
        try:
            pickled, given = pickle.load(asked)  # noqa: S301 - of our own parent
        except EOFError:
            return
        try:
            answer = pickle.dumps((True, _task(pickled)(given)), protocol=5)
        except Exception as error:  # noqa: BLE001 - raised again where it was asked for
            answer = pickle.dumps((False, error), protocol=5)
        try:
            answers.write(answer)
            answers.flush()
        except OSError:
            return


@lru_cache(maxsize=1)
def _task(pickled: bytes) -> Callable[[object], object]:
    # It is the same for many messages.
    task: Callable[[object], object] = pickle.loads(pickled)  # noqa: S301 - of our own parent
    return task
