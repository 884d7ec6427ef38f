"""Shows how far a run is: bars on a terminal, plain lines elsewhere."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NamedTuple

Report = Callable[[str, int, int], None]
"""Told what is being done, how much of it is done, and of how much."""

EVERY_S = 10.0
"""Least time between two plain lines of counts."""
SILENT_S = 60.0
"""Most time between two of them while something is done, however little that is."""
EVERY_BYTES_S = 5.0
"""Least time between two plain lines of sizes."""


def nothing() -> str:
    """Add nothing."""
    return ""


@contextmanager
def shown(*, unit: str = "", more: Callable[[], str] = nothing) -> Iterator[Report]:
    """Give a function that shows progress for as long as the block lasts.

    Args:
        unit: "bytes" shows sizes instead of counts.
        more: Gives what stands behind the time in a plain line of counts, or nothing.
    """
    if sys.stderr.isatty():
        with _bars(unit) as report:
            yield report
    elif unit == "bytes":
        yield _sizes()
    else:
        counts = _Counts(more)
        try:
            yield counts.report
        finally:
            counts.end()


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

    def counted(self, name: str) -> str:
        """Say how many."""
        return f"{name} {self.done:,} of {self.total:,}"

    def sized(self, name: str) -> str:
        """Say how many bytes, with their rate and the time left."""
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


class _Counts:
    """Says all that is under way in one line, now and then, and how it ended.

    Now and then is where something new begins, at every tenth of all, and after a
    minute without either; a log of a long run stays short. There may be more to come of what is all done for now, so that this is no reason
    for a line.
    """

    def __init__(self, more: Callable[[], str]) -> None:
        self._more = more
        self._states: dict[str, _State] = {}
        self._begun = self._said_at = time.monotonic()
        self._is_told = True
        self._told_of, self._told_tenth = 0, 0

    def report(self, what: str, done: int, total: int) -> None:
        """Take note, and say it if the last line is long ago or there was none."""
        now = time.monotonic()
        is_first = not self._states
        self._states[what] = _State(done, total, now - self._begun)
        self._is_told = False
        silent = now - self._said_at
        if is_first or (
            silent >= EVERY_S and (silent >= SILENT_S or self._has_moved())
        ):
            self._tell(now)

    def _has_moved(self) -> bool:
        """Whether something began, or a tenth of all was done, since the last line."""
        return len(self._states) > self._told_of or self._tenth() > self._told_tenth

    def _tenth(self) -> int:
        """Say how many tenths are done of all that is known of by now."""
        states = self._states.values()
        total = sum(each.total for each in states)
        return 10 * sum(each.done for each in states) // total if total else 0

    def end(self) -> None:
        """Say how far it came."""
        if not self._is_told:
            self._tell(time.monotonic())

    def _tell(self, now: float) -> None:
        self._said_at, self._is_told = now, True
        self._told_of, self._told_tenth = len(self._states), self._tenth()
        counts = "; ".join(each.counted(name) for name, each in self._states.items())
        parts = (counts, f"{now - self._begun:,.0f} s", self._more())
        _print(", ".join(part for part in parts if part))


def _sizes() -> Report:
    """Say how far a file is, now and then, and when it is done."""
    begun: dict[str, float] = {}
    told: set[str] = set()
    said_at = float("-inf")

    def report(what: str, done: int, total: int) -> None:
        nonlocal said_at
        now = time.monotonic()
        if what in told:
            return
        state = _State(done, total, now - begun.setdefault(what, now))
        if state.is_done:
            told.add(what)
        elif now - said_at < EVERY_BYTES_S:
            return
        said_at = now
        _print(state.sized(what))

    return report


def _print(line: str) -> None:
    print(line, file=sys.stderr, flush=True)  # noqa: T201 - this is what it is for
