"""CPU and memory of every number, beside loops over draws and scipy's bootstrap.

5 targets in 4 settings on 604 labelled items of 505 threads, 10,000 draws, both modes.
The rivals compute less: the loops rates, RR and paired differences, scipy only rates
and means of items, which it cannot draw by threads. Imports are in no figure.
"""

import argparse
import json
import random
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from threadmed.metrics import Estimate, MeasureOptions, SideBySide, side_by_side
from threadmed.records import SETTINGS, PanelScore, Score, ThreadId

ROOT = Path(__file__).parent.parent
DRAWS = 10_000
TARGETS = 5
RUNS = ((422, 1), (69, 2), (12, 3), (2, 4))
"""Threads with so many labelled turns in a row: 604 items in 505 threads."""
LAST_START = 5
SCORES: tuple[Score, ...] = (-1, 0, 1)
GOALS = {"cpu_s": 3.0, "loop": 50.0, "peak_mb": 2_000.0}
Values = NDArray[np.float64]
Codes = NDArray[np.int64]


class Columns(NamedTuple):
    """One target in one setting; columns of shape (n,), ordered by thread and turn."""

    threads: Codes
    turns: Codes
    scores: Values


class Took(NamedTuple):
    """What a process of its own took for all numbers."""

    rows: int
    cpu_s: float
    peak_mb: float


def studies(copies: int) -> Iterator[tuple[int, int, Columns]]:
    """Make up scores, the same threads for all; threads and items differ in difficulty.

    Args:
        copies: How many times the paper's number of threads.
    """
    chance = np.random.default_rng(11)
    lengths = np.repeat([length for _, length in RUNS], [n * copies for n, _ in RUNS])
    starts = chance.integers(0, LAST_START + 1, len(lengths))
    threads = np.repeat(np.arange(len(lengths)), lengths)
    first = np.repeat(np.cumsum(lengths) - lengths, lengths)
    turns = np.repeat(starts, lengths) + np.arange(len(threads)) - first
    hard = chance.normal(0, 0.8, len(lengths))[threads] + chance.normal(
        0, 1, len(threads)
    )
    for target in range(TARGETS):
        for setting in range(len(SETTINGS)):
            slope = -0.35 if SETTINGS[setting] == "multi_turn" else -0.1
            easy = 1.2 - 0.3 * target + 0.2 * setting + slope * turns + hard
            drawn = chance.random(len(threads)) < 1 / (1 + np.exp(-easy))
            partly = chance.integers(-1, 1, len(threads))
            scores = np.where(drawn, 1.0, partly)
            yield target, setting, Columns(threads, turns, scores)


def table(copies: int) -> list[PanelScore]:
    """Set the same scores as rows."""
    names = [ThreadId(f"THREAD_{n:06}") for n in range(505 * copies)]
    return [
        PanelScore(
            target=f"target-{target}",
            setting=SETTINGS[setting],
            thread_id=names[thread],
            turn=turn,
            score=SCORES[int(score) + 1],
            outcome="scored",
        )
        for target, setting, columns in studies(copies)
        for thread, turn, score in zip(
            *(column.tolist() for column in columns), strict=True
        )
    ]


def cpu_of(work: Callable[[], object]) -> float:
    """CPU seconds, user and system, of this process."""
    before = time.process_time()
    work()
    return time.process_time() - before


def ours(copies: int) -> tuple[SideBySide, Took]:
    """Measure the whole table in both modes; its rows are made beforehand."""
    import scipy.special  # noqa: F401 - no part of what is measured

    rows = table(copies)
    options = MeasureOptions(draws=DRAWS, thread_draws=DRAWS)
    found: list[SideBySide] = []
    cpu_s = cpu_of(lambda: found.append(side_by_side(rows, options=options)))
    return found[0], Took(len(rows), cpu_s, peak_mb())


def peak_mb() -> float:
    """Give the peak of resident memory, MB.

    `getrusage` is no use here: a process begins there with the peak of its parent.
    """
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return int(status.split("VmHWM:")[1].split()[0]) / 1024


def in_own_process(copies: int) -> Took:
    """Measure in a fresh process, so that the peak of memory is its own."""
    done = subprocess.run(  # noqa: S603 - our own interpreter
        [sys.executable, "-m", "bench.metrics", f"--copies={copies}"],
        cwd=ROOT,
        check=True,
        stdout=subprocess.PIPE,
    )
    return Took(*json.loads(done.stdout))


def loop(draws: int) -> list[Values]:
    """Bootstrap the straightforward way: one sample after the other, items in numpy.

    Returns:
        For each target and setting, PCR of the samples of items, shape (draws,).
    """
    chance = np.random.default_rng(5)
    groups = {(t, s): columns for t, s, columns in studies(1)}
    found = [group_loop(each, draws=draws, chance=chance) for each in groups.values()]
    for first, second in compared():
        difference_loop(groups[first], groups[second], draws=draws, chance=chance)
    return found


def group_loop(of: Columns, *, draws: int, chance: np.random.Generator) -> Values:
    """Give PCR, Uncorrected, PCS, both bounds, and those of each turn; RR by threads."""
    n, kinds = len(of.turns), np.unique(of.turns)
    follows = (of.threads[1:] == of.threads[:-1]) & (of.turns[1:] == of.turns[:-1] + 1)
    failed = follows & (of.scores[:-1] != 1)
    n_threads = int(of.threads.max()) + 1
    starts = np.bincount(of.threads[:-1], weights=failed, minlength=n_threads)
    again = failed & (of.scores[1:] == 1)
    recovered = np.bincount(of.threads[:-1], weights=again, minlength=n_threads)
    rates = []
    for _ in range(draws):
        drawn = chance.integers(0, n, n)
        scores, turns = of.scores[drawn], of.turns[drawn]
        rates.append((scores == 1).mean())
        (scores != 1).mean()
        scores.mean()
        for turn in kinds:
            at = scores[turns == turn]
            if len(at):
                (at == 1).mean()
                at.mean()
        for _ in ("missing all wrong", "missing all right"):
            (of.scores[chance.integers(0, n, n)] == 1).mean()
        for _ in ("consecutive", "next labelled"):
            threads = chance.integers(0, n_threads, n_threads)
            recovered[threads].sum() / max(1.0, starts[threads].sum())
    return np.array(rates)


def difference_loop(
    first: Columns, second: Columns, *, draws: int, chance: np.random.Generator
) -> None:
    """Give the difference of PCR of two sides on the same items, by threads."""
    differences = (first.scores == 1).astype(float) - (second.scores == 1)
    n_threads = int(first.threads.max()) + 1
    sums = np.bincount(first.threads, weights=differences, minlength=n_threads)
    sizes = np.bincount(first.threads, minlength=n_threads)
    for _ in range(draws):
        threads = chance.integers(0, n_threads, n_threads)
        sums[threads].sum() / sizes[threads].sum()


def plain_loop(draws: int) -> None:
    """Bootstrap as one writes it at first: lists, `random.choices` and sums.

    It leaves out bounds, EPR, life tables, trends and all that is by turn but rates.
    """
    chance = random.Random(5)
    studied = {(t, s): columns for t, s, columns in studies(1)}
    for columns in studied.values():
        threads, turns, scores = (column.tolist() for column in columns)
        items = list(zip(turns, scores, strict=True))
        by_thread: dict[int, list[tuple[int, float]]] = {}
        for thread, item in zip(threads, items, strict=True):
            by_thread.setdefault(thread, []).append(item)
        conversations = list(by_thread.values())
        for _ in range(draws):
            plain_rates(chance.choices(items, k=len(items)))
            plain_recovery(chance.choices(conversations, k=len(conversations)), reach=1)
            plain_recovery(chance.choices(conversations, k=len(conversations)), reach=9)
    for first, second in compared():
        columns = studied[first].threads, studied[first].scores, studied[second].scores
        differences: dict[int, list[int]] = {}
        for thread, one, other in zip(*(c.tolist() for c in columns), strict=True):
            differences.setdefault(thread, []).append((one == 1) - (other == 1))
        paired = list(differences.values())
        for _ in range(draws):
            drawn = chance.choices(paired, k=len(paired))
            sum(map(sum, drawn)) / sum(map(len, drawn))


def compared() -> Iterator[tuple[tuple[int, int], tuple[int, int]]]:
    """Name the sides of paired differences: target and setting, twice."""
    for one in range(TARGETS):
        yield from (((one, 0), (other, 0)) for other in range(one + 1, TARGETS))
        yield (one, 1), (one, 0)
        yield (one, 2), (one, 1)


def plain_rates(items: list[tuple[int, float]]) -> tuple[float, ...]:
    """Give PCR and PCS, overall and by turn."""
    by_turn: dict[int, list[float]] = {}
    for turn, score in items:
        by_turn.setdefault(turn, []).append(score)
    return (
        sum(score == 1 for _, score in items) / len(items),
        sum(score for _, score in items) / len(items),
        *(sum(s == 1 for s in at) / len(at) for at in by_turn.values()),
        *(sum(at) / len(at) for at in by_turn.values()),
    )


def plain_recovery(
    conversations: list[list[tuple[int, float]]], *, reach: int
) -> float:
    """Give RR over turns that lie so far apart at most."""
    starts = recovered = 0
    for turns in conversations:
        for (turn, score), (later, after) in pairwise(turns):
            if later <= turn + reach and score != 1:
                starts += 1
                recovered += after == 1
    return recovered / max(1, starts)


def scipy_bootstrap(bootstrap: Callable[..., object]) -> None:
    """Give the rates and means of the first target, over items, by scipy's bootstrap."""
    for target, _, of in studies(1):
        if target:
            return
        corrected = (of.scores == 1).astype(float)
        at_turn = [of.turns == turn for turn in np.unique(of.turns)]
        wanted = [corrected, 1 - corrected, of.scores, corrected, corrected]
        wanted += [values[at] for at in at_turn for values in (corrected, of.scores)]
        for values in (each for each in wanted if len(each) > 1):
            bootstrap(
                (values,),
                np.mean,
                n_resamples=DRAWS,
                method="percentile",
                rng=np.random.default_rng(3),
                batch=1_000,
            )


def check(found: SideBySide, rates: list[Values]) -> float:
    """Give the largest distance of our published limits of PCR from the loop's."""
    worst = 0.0
    for group, drawn in zip(found.as_published.groups, rates, strict=True):
        if not isinstance(group.pcr, Estimate):
            raise TypeError(f"expected an estimate, got {group.pcr!r}")
        low, high = np.quantile(drawn, [0.025, 0.975])
        worst = max(worst, abs(group.pcr.low - low), abs(group.pcr.high - high))
    return worst


def main(arguments: list[str] | None = None) -> None:
    """Print the figures, each beside its goal."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--copies", type=int, help="Only ours, as JSON, so many times.")
    parser.add_argument("--loop-draws", type=int, default=200)
    parser.add_argument(
        "--small", action="store_true", help="Neither 10 nor 100 times."
    )
    asked = parser.parse_args(arguments)
    if asked.copies:
        print(json.dumps(ours(asked.copies)[1]))
        return
    found, took = ours(1)
    rates: list[Values] = []
    loop_s = cpu_of(lambda: rates.extend(loop(asked.loop_draws)))
    loop_s *= DRAWS / asked.loop_draws
    plain_draws = max(1, asked.loop_draws // 10)
    plain_s = cpu_of(lambda: plain_loop(plain_draws)) * DRAWS / plain_draws
    from scipy.stats import bootstrap

    scipy_s = TARGETS * cpu_of(lambda: scipy_bootstrap(bootstrap))
    print(
        f"all numbers of {took.rows:,} rows, {DRAWS:,} draws, both modes: "
        f"{took.cpu_s:.2f} s of CPU (goal {GOALS['cpu_s']:.0f})"
    )
    print(
        f"a plain Python loop: {plain_s:.0f} s, {plain_s / took.cpu_s:.0f} times ours "
        f"(goal {GOALS['loop']:.0f}; {plain_draws} draws, scaled)"
    )
    print(
        f"a loop over draws in numpy: {loop_s:.0f} s, {loop_s / took.cpu_s:.0f} times "
        f"ours ({asked.loop_draws} draws, scaled); its limits of PCR are "
        f"{100 * check(found, rates):.1f} points from ours at most"
    )
    print(
        f"scipy.stats.bootstrap, rates and means only: {scipy_s:.0f} s, "
        f"{scipy_s / took.cpu_s:.0f} times ours (one target of {TARGETS}, scaled)"
    )
    for copies in () if asked.small else (1, 10, 100):
        alone = in_own_process(copies)
        print(
            f"{copies:3} times the items: {alone.rows:9,} rows, {alone.cpu_s:6.2f} s, "
            f"{alone.peak_mb:5.0f} MB (goal {GOALS['peak_mb']:,.0f} at 100 times)"
        )


if __name__ == "__main__":
    main()
