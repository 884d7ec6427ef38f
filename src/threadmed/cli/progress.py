"""Shows how far a run is: bars on a terminal, plain lines elsewhere."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

Report = Callable[[str, int, int], None]
"""Told what is being done, how much of it is done, and of how much."""

EVERY_S = 5.0
"""Least time between two plain lines."""


@contextmanager
def shown(*, unit: str = "") -> Iterator[Report]:
    """Give a function that shows progress for as long as the block lasts.

    Args:
        unit: "bytes" shows sizes instead of counts.
    """
    if sys.stderr.isatty():
        with _bars(unit) as report:
            yield report
    else:
        yield _lines()


@contextmanager
def _bars(unit: str) -> Iterator[Report]:
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        DownloadColumn,
        MofNCompleteColumn,
        Progress,
        TaskID,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    tasks: dict[str, TaskID] = {}
    amount = DownloadColumn() if unit == "bytes" else MofNCompleteColumn()
    with Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        amount,
        TimeElapsedColumn(),
        TimeRemainingColumn(),
        console=Console(stderr=True),
    ) as progress:

        def report(what: str, done: int, total: int) -> None:
            if what not in tasks:
                tasks[what] = progress.add_task(what, total=total)
            progress.update(tasks[what], completed=done, total=total)

        yield report


def _lines() -> Report:
    """Say all that is under way in one line, now and then, and when it is done."""
    states: dict[str, tuple[int, int]] = {}
    said_at = float("-inf")

    def report(what: str, done: int, total: int) -> None:
        nonlocal said_at
        is_new = what not in states
        states[what] = (done, total)
        is_done = all(part == whole for part, whole in states.values())
        now = time.monotonic()
        if not (is_done and not is_new) and now - said_at < EVERY_S:
            return
        said_at = now
        line = "; ".join(f"{name} {n:,} of {m:,}" for name, (n, m) in states.items())
        print(line, file=sys.stderr, flush=True)  # noqa: T201 - this is what it is for

    return report
