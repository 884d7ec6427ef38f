"""Do intervals cover? Simulated studies whose true values are known.

The quick test is part of every run; `pytest -m slow tests/metrics` runs the long one.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import pytest
from scipy.special import expit
from scipy.stats import norm

from threadmed.metrics.comparison import paired_difference, unpaired_difference
from threadmed.metrics.estimates import Estimate, Number
from threadmed.metrics.intervals import mean_score, rate
from threadmed.metrics.items import Items
from threadmed.metrics.trajectory import (
    Totals,
    pairs_of,
    recovery_rate,
    recovery_totals,
)


class Shape(NamedTuple):
    """Threads of a study: how many have so many labelled turns in a row."""

    name: str
    lengths: dict[int, int]


PAPER = Shape("paper", {1: 422, 2: 69, 3: 12, 4: 2})
DENSE = Shape("30x6", {6: 30})
FEW = Shape("10x5", {5: 10})
SPREAD = 1.5
"""Standard deviation of the threads' difficulty on the logit scale."""


class Study(NamedTuple):
    """Threads and turns of the items, and the numerators of truth."""

    threads: np.ndarray
    turns: np.ndarray
    wanted: float
    """Share of corrected answers over all threads that could be drawn."""
    intercept: float


def drawn(shape: Shape, share: float) -> Study:
    lengths = np.repeat(list(shape.lengths), list(shape.lengths.values()))
    threads = np.repeat(np.arange(len(lengths)), lengths)
    turns = np.concatenate([np.arange(length) for length in lengths])
    grid = norm.ppf((np.arange(4_000) + 0.5) / 4_000) * SPREAD
    ends = [-12.0, 12.0]
    for _ in range(60):
        middle = sum(ends) / 2
        ends[int(expit(grid + middle).mean() > share)] = middle
    return Study(threads, turns, share, ends[0])


def simulate(study: Study, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Scores in two settings that share the threads' difficulty."""
    difficulty = rng.normal(0, SPREAD, study.threads.max() + 1)[study.threads]
    chances = expit(difficulty + study.intercept)
    one, other = (rng.random(len(chances)) < chances for _ in range(2))
    return one.astype(float), other.astype(float)


def true_recovery(study: Study) -> float:
    """P(corrected next | failed): with independent answers given the thread."""
    grid = norm.ppf((np.arange(40_000) + 0.5) / 40_000) * SPREAD
    chances = expit(grid + study.intercept)
    return float((chances * (1 - chances)).mean() / (1 - chances).mean())


def recovered(study: Study, scores: np.ndarray) -> Number:
    items = Items(study.threads, study.turns, scores, np.ones(len(scores), bool))
    of = recovery_totals(pairs_of(items))
    held = of.sizes > 0
    return recovery_rate(Totals(of.sums[held], of.sizes[held]))


def between_turns(study: Study, scores: np.ndarray) -> Number:
    """Turn 0 less turn 1; in truth alike, and every thread of turn 1 is in turn 0."""
    first, second = (
        (scores[study.turns == turn], study.threads[study.turns == turn])
        for turn in (0, 1)
    )
    return unpaired_difference(first, second)


Numbers = Callable[[Study, np.ndarray, np.ndarray], Number]
NUMBERS: dict[str, tuple[Numbers, Callable[[Study], float]]] = {
    "PCR": (lambda s, one, _: rate(one, s.threads), lambda s: s.wanted),
    "PCS": (
        lambda s, one, other: mean_score(one + other - 1, s.threads),
        lambda s: 2 * s.wanted - 1,
    ),
    "difference": (
        lambda s, one, other: paired_difference(one, other, s.threads),
        lambda _: 0.0,
    ),
    "unpaired": (lambda s, one, _: between_turns(s, one), lambda _: 0.0),
    "RR": (lambda s, one, _: recovered(s, one), true_recovery),
}


def coverage(
    shape: Shape, share: float, *, replicates: int
) -> dict[str, tuple[float, int]]:
    """Share of intervals that hold the true value, and how many intervals there were.

    A study that refuses a number gives no interval of it.
    """
    study, rng = drawn(shape, share), np.random.default_rng(11)
    hits: dict[str, list[bool]] = {name: [] for name in NUMBERS}
    for _ in range(replicates):
        one, other = simulate(study, rng)
        for name, (number, truth) in NUMBERS.items():
            found = number(study, one, other)
            if isinstance(found, Estimate):
                hits[name].append(found.low <= truth(study) <= found.high)
    return {name: (float(np.mean(held)), len(held)) for name, held in hits.items()}


@pytest.mark.parametrize("shape", [PAPER, DENSE], ids=lambda shape: shape.name)
def test_intervals_cover_about_as_often_as_they_say(shape: Shape) -> None:
    # 150 replicates: Monte Carlo sd 1.8 points at 95 %, so 89 is more than 3 below.
    for name, (covered, n) in coverage(shape, 0.6, replicates=150).items():
        assert n > 140, name
        assert covered >= 0.89, name


@pytest.mark.slow
@pytest.mark.parametrize("share", [0.2, 0.6, 0.9])
@pytest.mark.parametrize("shape", [PAPER, DENSE], ids=lambda shape: shape.name)
def test_intervals_cover_in_93_to_98_of_100_studies(shape: Shape, share: float) -> None:
    # 1,500 replicates: Monte Carlo sd .56 points; the band allows it twice.
    for name, (covered, n) in coverage(shape, share, replicates=1_500).items():
        print(f"{shape.name} {share} {name}: {covered:.3f} of {n}")
        assert 0.93 - 0.011 <= covered <= 0.98 + 0.011, name


@pytest.mark.slow
@pytest.mark.parametrize("share", [0.2, 0.6, 0.9])
def test_intervals_of_ten_threads_err_on_the_wide_side(share: float) -> None:
    # No upper limit here: that they are too wide is said in docs/methods.md.
    for name, (covered, n) in coverage(FEW, share, replicates=1_500).items():
        print(f"{FEW.name} {share} {name}: {covered:.3f} of {n}")
        assert covered >= 0.93 - 0.011, name
