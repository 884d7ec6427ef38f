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
    # A row of bytes holds more, and must stay within the 80 columns of a terminal.
    columns = (
        (BarColumn(bar_width=12), DownloadColumn(), TransferSpeedColumn())
        if unit == "bytes"
        else (BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    )
    with Progress(
        TextColumn("{task.description}", markup=False),
        *columns,
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
    seconds: float
    """Since it was first heard of; stands still once it is done."""

    @property
    def is_done(self) -> bool:
        """Whether nothing is left of it."""
        return self.done >= self.total

    def line(self, name: str, unit: str) -> str:
        """Say it: counts as they are, bytes with their rate and the time left."""
        if unit != "bytes":
            return f"{name} {self.done:,} of {self.total:,}"
        text = f"{name} {_size(self.done)} of {_size(self.total)}"
        if self.seconds < LEAST_S:
            return text
        rate = self.done / self.seconds
        text += f", {_size(int(rate))}/s"
        if 0 < self.done < self.total:
            text += f", {(self.total - self.done) / rate:,.0f} s left"
        return text


LEAST_S = 0.2
"""Seconds before which a rate says nothing."""


def _size(count: int) -> str:
    """Give a number of bytes in a unit that fits.

    Example:
        >>> _size(900), _size(91_330), _size(41_820_976)
        ('900 B', '91.3 kB', '41.8 MB')
    """
    if count < 1_000:
        return f"{count} B"
    return f"{count / 1e3:,.1f} kB" if count < 1_000_000 else f"{count / 1e6:,.1f} MB"


def _lines(unit: str) -> Report:
    """Say all that is under way in one line, now and then.

    A file is also told of when it is done; counts, of which there may be more to come,
    when all of them are.
    """
    states: dict[str, _State] = {}
    begun: dict[str, float] = {}
    said: set[str] = set()
    said_at = float("-inf")

    def report(what: str, done: int, total: int) -> None:
        nonlocal said_at
        now = time.monotonic()
        was_done = what in states and states[what].is_done
        if was_done and done >= total:
            return
        states[what] = _State(done, total, now - begun.setdefault(what, now))
        if unit == "bytes":
            is_done = states[what].is_done
        else:
            is_done = what in said and all(one.is_done for one in states.values())
        said.add(what)
        if not is_done and now - said_at < EVERY_S:
            return
        said_at = now
        names = [what] if unit == "bytes" else states
        line = "; ".join(states[name].line(name, unit) for name in names)
        print(line, file=sys.stderr, flush=True)  # noqa: T201 - this is what it is for

    return report
