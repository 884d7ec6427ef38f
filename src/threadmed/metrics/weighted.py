"""Shares of items that count unlike, with intervals that know threads and weights."""

import numpy as np

from threadmed.metrics.estimates import Estimate, Number
from threadmed.metrics.intervals import (
    NO_VARIANCE,
    Codes,
    Totals,
    Values,
    cluster_variance,
    few_threads,
    ranked,
    rate,
    too_little,
    totals,
    wilson,
)
from threadmed.metrics.quantiles import t_factor


def weighted_rate(
    values: Values, weights: Values, threads: Codes, *, level: float = 0.95
) -> Number:
    """Estimate a weighted share of items, with Wilson's interval.

    p = sum w y / sum w (Hajek). With s_i and m_i the sums of w y and of w in thread i
    and M the sum of all w, V = sum (s_i - p m_i)^2 / (1 - m_i/M) / M^2 (CR2), and
    n_eff = p(1-p)/V, at most (sum w)^2 / sum w^2 (Kish); where V is 0 it is the smaller
    of that and the number of threads. Wilson's interval is on n_eff (z/t_{G-1})^2.
    Where all weights are alike it is `intervals.rate`.

    Args:
        values: Shape (n,), each 0 or 1.
        weights: Shape (n,), each above 0.
        threads: Shape (n,), the thread that each item comes from.
        level: Coverage aimed at, in (0, 1).

    Returns:
        The share with n items and no count of successes, which would not be its
        numerator; a reason below 5 items or 2 threads, with the count.

    Raises:
        ValueError: If a weight is not above 0 and finite.

    Example:
        >>> found = weighted_rate(
        ...     np.array([1.0, 0, 0, 0, 0, 0]), np.array([3.0, 1, 1, 1, 1, 1]), np.arange(6))
        >>> found.value, found.method
        (0.375, 'wilson_n_star')
    """
    _check(weights)
    if not len(weights) or weights.min() == weights.max():
        return rate(values, threads, level=level)
    counted = totals(values, threads)
    if (refused := too_little(counted)) is not None:
        return refused
    share, n_eff = _share(values, weights / weights.sum(), threads)
    n_eff *= t_factor(level, counted.threads - 1)
    limits = wilson(share, n_eff, level=level)
    return Estimate(
        value=share,
        low=limits.low,
        high=limits.high,
        level=level,
        n=counted.n,
        threads=counted.threads,
        method="wilson_n_star",
        flag=few_threads(counted.threads),
    )


def _check(weights: Values) -> None:
    if not (np.isfinite(weights) & (weights > 0)).all():
        raise ValueError("expected weights above 0")


def _share(values: Values, weights: Values, threads: Codes) -> tuple[float, float]:
    """Give a weighted share, and how many independent items it is worth.

    Args:
        values: Shape (n,), each 0 or 1.
        weights: Shape (n,), summing to 1.
        threads: Shape (n,).
    """
    codes = ranked(threads)
    of = Totals(
        sums=np.bincount(codes, weights=weights * values).astype(np.float64),
        sizes=np.bincount(codes, weights=weights).astype(np.float64),
    )
    share, variance = min(1.0, max(0.0, of.ratio)), cluster_variance(of)
    most = 1 / float(weights @ weights)
    if variance <= NO_VARIANCE or not 0 < share < 1:
        return share, min(of.threads, most)
    return share, min(most, share * (1 - share) / variance)
