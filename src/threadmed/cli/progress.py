"""Shows how far a run is: bars on a terminal, plain lines elsewhere."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NamedTuple

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
        yield _lines(unit)


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
        TransferSpeedColumn,
    )

    tasks: dict[str, TaskID] = {}
    amounts = (
        (DownloadColumn(), TransferSpeedColumn())
        if unit == "bytes"
        else (MofNCompleteColumn(),)
    )
    with Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        *amounts,
        TimeElapsedColumn(),
        TimeRemainingColumn(),
        console=Console(stderr=True),
    ) as progress:

        def report(what: str, done: int, total: int) -> None:
            if what not in tasks:
                tasks[what] = progress.add_task(what, total=total)
            progress.update(tasks[what], completed=done, total=total)

        yield report


class _State(NamedTuple):
    """How far one thing is."""

    done: int
    total: int
    since: float
    """When it was first heard of, by a clock that only runs forward."""

    def line(self, name: str, unit: str, now: float) -> str:
        """Say it: counts as they are, bytes with their rate and the time left."""
        if unit != "bytes":
            return f"{name} {self.done:,} of {self.total:,}"
        rate = self.done / max(now - self.since, 1e-3)
        text = (
            f"{name} {self.done / 1e6:,.1f} of {self.total / 1e6:,.1f} MB, "
            f"{rate / 1e6:,.1f} MB/s"
        )
        if 0 < self.done < self.total:
            text += f", {(self.total - self.done) / rate:,.0f} s left"
        return text


def _lines(unit: str) -> Report:
    """Say all that is under way in one line, now and then, and when it is done."""
    states: dict[str, _State] = {}
    said_at = float("-inf")

    def report(what: str, done: int, total: int) -> None:
        nonlocal said_at
        now = time.monotonic()
        is_new = what not in states
        since = now if is_new else states[what].since
        states[what] = _State(done, total, since)
        is_done = all(state.done == state.total for state in states.values())
        if not (is_done and not is_new) and now - said_at < EVERY_S:
            return
        said_at = now
        line = "; ".join(state.line(name, unit, now) for name, state in states.items())
        print(line, file=sys.stderr, flush=True)  # noqa: T201 - this is what it is for

    return report
