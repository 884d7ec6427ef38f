"""How often 95 % intervals hold the truth: `python -m bench.coverage`.

Made studies whose truth is known by construction go through the functions that print
the numbers. The same seed gives the same table.
"""

import argparse
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from math import isfinite
from typing import NamedTuple

from bench import coverage_of_agreement, coverage_of_corrections, coverage_of_rates
from bench.made import Case, draws
from threadmed.metrics.estimates import NotEstimable

STUDIES = 2_000
SHARES = (0.2, 0.6, 0.9)
LEAST, MOST = 0.93, 0.97
ERRORS = 2
"""A coverage is outside when it is so many Monte Carlo errors beyond an end."""
FEWEST = 200
"""Fewer studies that print the number tell nothing of its coverage."""

CASES = (
    *coverage_of_rates.CASES,
    *coverage_of_agreement.CASES,
    *coverage_of_corrections.CASES,
)

DISCRETE = "few items: coverage jumps from one count to the next"
FEW_CORRECTED = "too narrow where few threads hold a correction, wide with few failures"
SELECTED = "printed while ten threads are at risk, which only some studies have"
FEW_OUTCOMES = "ten threads and few items of the rarer outcome"
LIMITS: dict[tuple[str, str], str] = {
    ("PCR", "10 x 5"): "wide near 1 with nine degrees of freedom",
    ("PCR at a turn of 11 items", "paper"): DISCRETE,
    ("PCR at a turn of 6 items", "paper"): DISCRETE,
    ("EPR", "10 x 5"): FEW_CORRECTED,
    ("EPR", "20 x 5"): FEW_CORRECTED,
    ("EPR", "50 x 5"): FEW_CORRECTED,
    ("no failure up to labelled turn 2", "10 x 5"): SELECTED,
    ("no failure up to labelled turn 3", "10 x 5"): SELECTED,
    ("no failure up to labelled turn 3", "100 x 5"): SELECTED,
    ("paired difference", "10 x 5"): "wide near 1, where fewer than ten items differ",
    (
        "fall from turn 0 to turn 2",
        "20 x 5",
    ): "wide: below 30 items a turn nothing is made of threads that are in both",
    ("slope over turns", "10 x 5"): FEW_OUTCOMES,
    ("slope over turns, exchangeable", "10 x 5"): FEW_OUTCOMES,
}
"""By number and shape, why the coverage leaves 93-97 %."""


class Covered(NamedTuple):
    """How one number fares at one share."""

    printed: int
    """Studies that print it; the others refuse it, with a reason."""
    share: float
    """Of these, those whose interval holds the truth."""
    width: float
    """Mean, of those that are numbers."""
    broken: int = 0
    """Intervals with a limit that is no number; they hold nothing."""

    @property
    def error(self) -> float:
        """Monte Carlo standard error of the share."""
        if not self.printed:
            return 0.0
        return float((self.share * (1 - self.share) / self.printed) ** 0.5)

    @property
    def is_told(self) -> bool:
        """Whether enough studies print it."""
        return self.printed >= FEWEST

    @property
    def is_outside(self) -> bool:
        """Whether the coverage lies outside 93 to 97 %, beyond chance."""
        room = ERRORS * self.error
        return self.is_told and not LEAST - room <= self.share <= MOST + room


def covered(case: Case, shape: str, share: float, *, studies: int) -> Covered:
    """Let every study print the number, and look whether its interval holds the truth."""
    truth, numbers = case.run(draws(shape, studies), share)
    limits = [
        (each.low, each.high) for each in numbers if not isinstance(each, NotEstimable)
    ]
    if not limits:
        return Covered(0, 0.0, 0.0)
    held = sum(low <= truth <= high for low, high in limits)
    widths = [high - low for low, high in limits if isfinite(high - low)]
    return Covered(
        printed=len(limits),
        share=held / len(limits),
        width=sum(widths) / max(1, len(widths)),
        broken=len(limits) - len(widths),
    )


class Row(NamedTuple):
    """A line of the table."""

    case: Case
    shape: str
    found: tuple[Covered, ...]
    """One a share."""

    @property
    def lacks_limit(self) -> bool:
        """Whether a coverage is outside and nothing is said of it."""
        outside = any(each.is_outside for each in self.found)
        return outside and (self.case.number, self.shape) not in LIMITS


def measured(cases: Sequence[Case], *, studies: int) -> Iterator[Row]:
    """Go through all cases, shape by shape, so that each is drawn once."""
    wanted = sorted(
        ((shape, place) for place, case in enumerate(cases) for shape in case.shapes),
    )
    found = {}
    for shape, places in groupby(wanted, key=lambda each: each[0]):
        for _, place in places:
            case = cases[place]
            found[place, shape] = Row(
                case,
                shape,
                tuple(covered(case, shape, share, studies=studies) for share in SHARES),
            )
            print(case.number, shape, file=sys.stderr)
    for place, case in enumerate(cases):
        yield from (found[place, shape] for shape in case.shapes)


def cell(found: Covered, *, studies: int) -> str:
    """Write coverage, mean width and, where any refuse, how many print."""
    if not found.is_told:
        return f"- ({found.printed:,} print it)"
    mark = "\\*" if found.is_outside else ""
    some = f", {found.printed:,} print it" if found.printed < studies else ""
    error = f"{100 * found.share:.1f} ± {100 * found.error:.1f}"
    return f"{error}{mark} ({found.width:.2f}{some})"


def table(rows: Iterable[Row], *, studies: int) -> Iterator[str]:
    """Write all as Markdown."""
    heads = " | ".join(f"share {share}" for share in SHARES)
    yield f"| number | study | {heads} | limit |"
    yield f"| --- | --- | {' | '.join('---' for _ in SHARES)} | --- |"
    for row in rows:
        cells = " | ".join(cell(each, studies=studies) for each in row.found)
        limit = LIMITS.get((row.case.number, row.shape), "")
        yield f"| {row.case.number} | {row.shape} | {cells} | {limit} |"


def main() -> None:
    """Print the table, and fail where a limit is not stated."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--studies", type=int, default=STUDIES)
    parser.add_argument("--only", default="", help="numbers whose name begins so")
    options = parser.parse_args()
    begin = time.process_time()
    cases = [case for case in CASES if case.number.startswith(options.only)]
    rows = list(measured(cases, studies=options.studies))
    for line in table(rows, studies=options.studies):
        print(line)
    print(
        f"\n{options.studies:,} studies; Monte Carlo error "
        f"{100 * (0.95 * 0.05 / options.studies) ** 0.5:.2f} points at 95 %; "
        f"{time.process_time() - begin:.0f} s of CPU"
    )
    silent = [f"{row.case.number}, {row.shape}" for row in rows if row.lacks_limit]
    broken = [
        f"{row.case.number}, {row.shape}: {each.broken}"
        for row in rows
        for each in row.found
        if each.broken
    ]
    if broken:
        sys.exit(f"limits that are no numbers, in studies: {'; '.join(broken)}")
    if silent:
        sys.exit(f"outside 93 to 97 % without a stated limit: {'; '.join(silent)}")


if __name__ == "__main__":
    main()
