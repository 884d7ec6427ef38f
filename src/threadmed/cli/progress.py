"""Shows how far a run is: bars on a terminal, plain lines elsewhere."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

Report = Callable[[str, int, int], None]
"""Told what is being done, how much of it is done, and of how much."""

EVERY_S = 5.0
"""Least time between two plain lines about the same thing."""


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
    last: dict[str, float] = {}

    def report(what: str, done: int, total: int) -> None:
        now = time.monotonic()
        if done < total and now - last.get(what, -EVERY_S) < EVERY_S:
            return
        last[what] = now
        print(f"{what}: {done:,} of {total:,}", file=sys.stderr, flush=True)  # noqa: T201

    return report
