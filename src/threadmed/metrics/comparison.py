"""Differences of two shares: paired on the same items, and between unlike items."""

from typing import NamedTuple

import numpy as np

from threadmed.metrics.estimates import Estimate, Method, NotEstimable, Number
from threadmed.metrics.intervals import (
    FEWEST_ITEMS,
    NO_VARIANCE,
    Codes,
    Interval,
    Totals,
    Values,
    cluster_variance,
    effective_n,
    few_threads,
    totals,
    wilson,
)
from threadmed.metrics.quantiles import t_quantile

FEW_DISCORDANT = 10
"""Below this many items that differ a t interval is too narrow."""
FEW_ON_A_SIDE = 30
"""Below this many items a side the linearised interval is too narrow."""


class Cells(NamedTuple):
    """How many items both, only the first, only the second, and neither corrected."""

    both: int
    first_only: int
    second_only: int
    neither: int


def cells(first: Values, second: Values) -> Cells:
    """Count the four kinds of pairs; both of shape (n,), each 0 or 1.

    Example:
        >>> cells(np.array([1.0, 1, 0]), np.array([1.0, 0, 0]))
        Cells(both=1, first_only=1, second_only=0, neither=1)
    """
    counts = np.bincount((2 * first + second).astype(np.int64), minlength=4)
    neither, second_only, first_only, both = (int(count) for count in counts)
    return Cells(both, first_only, second_only, neither)


def paired_difference(
    first: Values, second: Values, threads: Codes, *, level: float = 0.95
) -> Number:
    """Estimate share(first) - share(second) on the same items.

    CR2 over threads with t_{G-1}, cut to [-1, 1]; with fewer than 10 items that
    differ, or where all threads differ alike, Newcombe's paired interval on the
    effective number of items.

    Args:
        first: Shape (n,), each 0 or 1.
        second: Shape (n,), the same items in the same order.
        threads: Shape (n,), the thread that each item comes from.
        level: Coverage aimed at, in (0, 1).

    Returns:
        The difference, flagged below 10 threads; a reason below 5 items or 2 threads.

    References:
        Bell and McCaffrey (2002); Newcombe (1998), Statistics in Medicine 17:2635.

    Example:
        >>> found = paired_difference(
        ...     np.array([1.0] * 12 + [0.0] * 8), np.zeros(20), np.arange(20))
        >>> found.value, found.method, round(found.low, 3)
        (0.6, 'cr2_t', 0.365)
    """
    of = totals(first - second, threads)
    if of.n < FEWEST_ITEMS or of.threads < 2:
        few = f"fewer than {FEWEST_ITEMS} items have both scores"
        alone = "all items that have both scores are of one thread"
        return NotEstimable(reason=few if of.n < FEWEST_ITEMS else alone, n=of.n)
    limits, method = _paired_limits(of, cells(first, second), level=level)
    return Estimate(
        value=of.ratio,
        low=limits.low,
        high=limits.high,
        level=level,
        n=of.n,
        threads=of.threads,
        method=method,
        flag=few_threads(of.threads),
    )


def _paired_limits(
    of: Totals, table: Cells, *, level: float
) -> tuple[Interval, Method]:
    variance = cluster_variance(of)
    discordant = table.first_only + table.second_only
    if discordant < FEW_DISCORDANT or variance <= NO_VARIANCE:
        n_eff = _paired_n(of, table)
        return newcombe_paired(table, n_eff=n_eff, level=level), "newcombe_paired"
    return _around(of.ratio, variance, threads=of.threads, level=level), "cr2_t"


def _around(
    value: float, variance: float, *, threads: int, level: float, most: float = 1.0
) -> Interval:
    half = t_quantile(level, threads - 1) * variance**0.5
    return Interval(max(-most, value - half), min(most, value + half))


def _paired_n(of: Totals, table: Cells) -> float:
    """Say how many independent items a paired difference is worth."""
    if not of.is_clustered:
        return float(of.n)
    variance = cluster_variance(of)
    if variance <= NO_VARIANCE:
        return float(of.threads)
    spread = (table.first_only + table.second_only) / of.n - of.ratio**2
    return of.n / max(1.0, variance * of.n / spread)


def newcombe_paired(table: Cells, *, n_eff: float, level: float = 0.95) -> Interval:
    """Give Newcombe's interval of a paired difference (his method 10).

    Args:
        table: Counts of the four kinds of pairs, at least one pair.
        n_eff: Items, or the effective number of them, above 0.
        level: Coverage aimed at, in (0, 1).

    References:
        Newcombe (1998), Statistics in Medicine 17:2635, method 10.

    Example:
        >>> found = newcombe_paired(Cells(30, 12, 4, 14), n_eff=60)
        >>> round(found.low, 6), round(found.high, 6)
        (0.0023, 0.257307)
    """
    n = sum(table)
    first = (table.both + table.first_only) / n
    second = (table.both + table.second_only) / n
    return _newcombe(
        first,
        second,
        limits=(wilson(first, n_eff, level=level), wilson(second, n_eff, level=level)),
        phi=paired_phi(table),
    )


def paired_phi(table: Cells) -> float:
    """Correlate the two sides, with the continuity correction of method 10.

    q / sqrt of the product of the margins, with q = eh - fg: less N/2 where it is
    above that, and 0 where it lies between 0 and N/2.

    Args:
        table: Counts of the four kinds of pairs.

    Returns:
        In [-1, 1]; 0 where a margin is 0.

    References:
        Newcombe (1998), Statistics in Medicine 17:2635, method 10.

    Example:
        >>> round(paired_phi(Cells(30, 12, 4, 14)), 6)
        0.418349
    """
    both, first_only, second_only, neither = table
    margins = (
        (both + first_only)
        * (second_only + neither)
        * (both + second_only)
        * (first_only + neither)
    )
    if margins == 0:
        return 0.0
    excess = both * neither - first_only * second_only
    half = sum(table) / 2
    corrected = excess - half if excess > half else min(excess, 0)
    return float(corrected / margins**0.5)


def _newcombe(
    first: float, second: float, *, limits: tuple[Interval, Interval], phi: float
) -> Interval:
    (low1, high1), (low2, high2) = limits
    below = _join(first - low1, high2 - second, phi)
    above = _join(high1 - first, second - low2, phi)
    return Interval(first - second - below, first - second + above)


def _join(one: float, other: float, phi: float) -> float:
    return float(np.sqrt(max(0.0, one**2 - 2 * phi * one * other + other**2)))


def mean_difference(
    values: Values, threads: Codes, *, most: float, level: float = 0.95
) -> Number:
    """Estimate a mean of whole differences, with CR2 over threads and t_{G-1}.

    Args:
        values: Shape (n,), each in [-most, most].
        threads: Shape (n,), the thread that each comes from.
        most: What the limits are cut to, either way.
        level: Coverage aimed at, in (0, 1).

    Returns:
        The mean, flagged where fewer than 10 values are not 0; a reason below 5
        values or 2 threads, or where all threads differ alike.

    Example:
        >>> found = mean_difference(np.array([2.0, 0, -1, 1, 1]), np.arange(5), most=2)
        >>> found.value, round(found.low, 3), found.flag
        (0.6, -0.816, 'few threads; few differ')
    """
    of = totals(values, threads)
    refusals = (
        (of.n < FEWEST_ITEMS, f"fewer than {FEWEST_ITEMS} differences"),
        (of.threads < 2, "all differences are of one thread"),
    )
    reason = next((why for holds, why in refusals if holds), "")
    variance = 0.0 if reason else cluster_variance(of)
    if variance <= NO_VARIANCE:
        return NotEstimable(reason=reason or "threads do not differ at all", n=of.n)
    limits = _around(of.ratio, variance, threads=of.threads, level=level, most=most)
    few = [few_threads(of.threads)]
    if (values != 0).sum() < FEW_DISCORDANT:
        few.append("few differ")
    return Estimate(
        value=of.ratio,
        low=limits.low,
        high=limits.high,
        level=level,
        n=of.n,
        threads=of.threads,
        method="cr2_t",
        flag="; ".join(filter(None, few)),
    )


def unpaired_difference(
    first: tuple[Values, Codes], second: tuple[Values, Codes], *, level: float = 0.95
) -> Number:
    """Estimate the difference of two shares of unlike items, some of the same threads.

    The influence of thread i is u_i = (s_1i - p_1 n_1i)/N_1 - (s_2i - p_2 n_2i)/N_2;
    V = G/(G-1) sum u_i^2, with t_{G-1}, cut to [-1, 1]. Where a side has fewer than 30
    items or a share of 0 or 1: Newcombe's interval on effective numbers of items.

    Args:
        first: Values (n_1,), each 0 or 1, and the threads (n_1,) they come from.
        second: The same of the other side.
        level: Coverage aimed at, in (0, 1).

    Returns:
        The difference; a reason below 5 items or 2 threads on a side. `n` is that of
        both sides together.

    References:
        Newcombe (1998), Statistics in Medicine 17:873, method 10.

    Example:
        >>> some = (np.array([1.0] * 35 + [0.0] * 163), np.arange(198))
        >>> others = (np.array([1.0] * 60 + [0.0] * 49), np.arange(109))
        >>> round(unpaired_difference(some, others).value, 4)
        -0.3737
    """
    sides = totals(*first), totals(*second)
    threads = np.union1d(first[1], second[1])
    if any(of.n < FEWEST_ITEMS or of.threads < 2 for of in sides):
        return NotEstimable(
            reason=f"fewer than {FEWEST_ITEMS} scored items or 2 threads on a side",
            n=sides[0].n + sides[1].n,
        )
    influence = _influence(first, threads) - _influence(second, threads)
    limits, method = _unpaired_limits(*sides, influence, level=level)
    return Estimate(
        value=sides[0].ratio - sides[1].ratio,
        low=limits.low,
        high=limits.high,
        level=level,
        n=sides[0].n + sides[1].n,
        threads=len(threads),
        method=method,
        flag=few_threads(min(of.threads for of in sides)),
    )


def _unpaired_limits(
    first: Totals, second: Totals, influence: Values, *, level: float
) -> tuple[Interval, Method]:
    threads = len(influence)
    variance = threads / (threads - 1) * float((influence**2).sum())
    is_sparse = variance <= NO_VARIANCE or any(
        of.n < FEW_ON_A_SIDE or of.ratio in {0.0, 1.0} for of in (first, second)
    )
    if is_sparse:
        sides = [(of.ratio, effective_n(of)) for of in (first, second)]
        return newcombe_independent(*sides, level=level), "newcombe_independent"
    value = first.ratio - second.ratio
    return _around(value, variance, threads=threads, level=level), "linearised_t"


def _influence(side: tuple[Values, Codes], threads: Codes) -> Values:
    """Say by how much each of `threads`, shape (G,), moves the share of one side."""
    values, codes = side
    residuals = (values - values.mean()) / len(values)
    places = np.searchsorted(threads, codes)
    found = np.bincount(places, weights=residuals, minlength=len(threads))
    return found.astype(np.float64)


def newcombe_independent(
    first: tuple[float, float], second: tuple[float, float], *, level: float = 0.95
) -> Interval:
    """Give Newcombe's interval of the difference of two independent shares.

    Args:
        first: Share in [0, 1] and (effective) number of items.
        second: The same of the other side.
        level: Coverage aimed at, in (0, 1).

    Example:
        >>> found = newcombe_independent((35 / 198, 198), (60 / 109, 109))
        >>> round(found.low, 6), round(found.high, 6)
        (-0.475219, -0.263045)
    """
    limits = wilson(*first, level=level), wilson(*second, level=level)
    return _newcombe(first[0], second[0], limits=limits, phi=0.0)
