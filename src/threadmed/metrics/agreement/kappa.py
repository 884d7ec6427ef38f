"""Agreement of two raters: Cohen's kappa, Gwet's AC and Krippendorff's alpha.

All three are (po - pe) / (1 - pe) of a square table: po is what the raters agree in,
pe what they would by chance, and they differ in what they take for chance. Each comes
with its influence function, which gives the variance.
"""

from collections.abc import Callable
from typing import Literal, NamedTuple

import numpy as np

from threadmed.metrics.agreement.alpha import Difference, distances
from threadmed.metrics.agreement.coefficients import (
    Reliability,
    cluster_sums,
    coefficient,
    fisher,
    too_few,
)
from threadmed.metrics.estimates import NotEstimable
from threadmed.metrics.intervals import NO_VARIANCE, Codes, Values

Weights = Literal["plain", "linear", "quadratic"]
"""How far two values that differ still agree: not at all; less in proportion to their
distance on the scale; less in proportion to its square."""


class Agreed(NamedTuple):
    """A coefficient of a table, and how it moves with each cell."""

    value: float
    influence: Values
    """Shape (K, K), what an item in the cell adds, times the number of items."""


Measure = Callable[[Values], Agreed]
"""From counts of shape (K, K), rows the first rater's, to a coefficient."""


def weights(size: int, kind: Weights) -> Values:
    """Give the weight of each pair of values, shape (K, K), by place on the scale.

    Example:
        >>> weights(3, "quadratic")[0]
        array([1.  , 0.75, 0.  ])
    """
    if kind == "plain":
        return np.eye(size)
    ranks = np.arange(size)
    apart = np.abs(ranks[:, None] - ranks) / max(1, size - 1)
    return np.asarray(1 - (apart if kind == "linear" else apart**2))


def table_of(first: Codes, second: Codes, size: int) -> Values:
    """Count pairs of ratings, both of shape (n,), into a table of shape (K, K).

    Example:
        >>> table_of(np.array([0, 1, 1]), np.array([0, 1, 0]), 2)
        array([[1., 0.],
               [1., 1.]])
    """
    cells = np.bincount(first * size + second, minlength=size * size)
    return cells.reshape(size, size).astype(np.float64)


def cohen(table: Values, kind: Weights = "plain") -> Agreed:
    """Give Cohen's kappa, chance being both raters' own shares.

    pe = sum w_kl P_k. P_.l; the influence of an item in cell (k, l) is
    (w_kl - po)/(1-pe) - (1-po)/(1-pe)^2 (sum_j w_kj P_.j + sum_i w_il P_i. - 2 pe).

    Args:
        table: Counts, shape (K, K); not all in one cell of the diagonal.
        kind: How values that differ are weighed.

    References:
        Cohen (1960, 1968); the variance is that of Fleiss, Cohen and Everitt (1969).

    Example:
        >>> round(cohen(np.array([[20.0, 5], [10, 15]])).value, 3)
        0.4
    """
    shares, weighed = table / table.sum(), weights(len(table), kind)
    rows, columns = shares.sum(axis=1), shares.sum(axis=0)
    chance = float(rows @ weighed @ columns)
    moves = (weighed @ columns)[:, None] + rows @ weighed - 2 * chance
    return _agreed(shares, weighed, chance, moves)


def gwet(table: Values, kind: Weights = "plain") -> Agreed:
    """Give Gwet's AC1 (plain) or AC2, chance being how hard the values are to tell.

    pi_k is the mean of both raters' shares; pe = T/(K(K-1)) sum pi_k (1 - pi_k), with T
    the sum of all weights. K is the scale's, not the number of values that occur.

    Args:
        table: Counts, shape (K, K), K at least 2.
        kind: How values that differ are weighed.

    References:
        Gwet (2008, 2014).

    Example:
        >>> round(gwet(np.array([[20.0, 5], [10, 15]])).value, 3)
        0.406
    """
    shares, weighed, size = table / table.sum(), weights(len(table), kind), len(table)
    common = (shares.sum(axis=1) + shares.sum(axis=0)) / 2
    factor = weighed.sum() / (size * (size - 1))
    chance = float(factor * (common * (1 - common)).sum())
    slopes = 1 - 2 * common
    moves = factor * ((slopes[:, None] + slopes) / 2 - slopes @ common)
    return _agreed(shares, weighed, chance, moves)


def krippendorff(
    table: Values, difference: Difference, *, numbers: Values | None = None
) -> Agreed:
    """Give Krippendorff's alpha of two raters who both rated every item.

    The weights are 1 - delta/max delta; for ordinal differences they depend on how
    often each value occurs, which the influence takes as given.

    Args:
        table: Counts, shape (K, K); not all in one cell of the diagonal.
        difference: What two values are apart.
        numbers: Shape (K,), the values, for interval differences.

    References:
        Krippendorff (2011), computing note.

    Example:
        >>> round(krippendorff(np.array([[20.0, 5], [10, 15]]), "nominal").value, 3)
        0.4
    """
    shares, values = table / table.sum(), 2 * float(table.sum())
    common = (shares.sum(axis=1) + shares.sum(axis=0)) / 2
    apart = distances(common, difference, numbers=numbers)
    weighed = 1 - apart / apart.max()
    slopes = weighed @ common
    chance = float(common @ slopes)
    moves = slopes[:, None] + slopes - 2 * chance
    plain = _agreed(shares, weighed, chance, moves)
    return plain._replace(value=1 - (values - 1) / values * (1 - plain.value))


def _agreed(shares: Values, weighed: Values, chance: float, moves: Values) -> Agreed:
    observed, rest = float((weighed * shares).sum()), 1 - chance
    return Agreed(
        value=(observed - chance) / rest,
        influence=(weighed - observed) / rest - (1 - observed) / rest**2 * moves,
    )


def two_raters(
    first: Codes,
    second: Codes,
    clusters: Codes,
    *,
    size: int,
    measure: Measure,
    level: float = 0.95,
) -> Reliability:
    """Estimate a coefficient of two raters, with Fisher's z of the smoothed table.

    1/K^2 is added to each cell, one item in all, for the interval; the value printed is
    that of the table as it is. The variance is multiplied by what items of one thread
    being alike makes of it: deff = max(1, V_thread / V_item), of the table as it is.

    Args:
        first: Shape (n,), place on the scale, by the one rater.
        second: Shape (n,), by the other.
        clusters: Shape (n,), the thread that each item comes from.
        size: Number of values of the scale, K.
        measure: Which coefficient.
        level: Coverage aimed at, in (0, 1).

    Returns:
        The coefficient, flagged below 30 items or where one rater used one value only;
        a reason below 10 items, where all ratings are the same, or all of one thread.

    Example:
        >>> round(two_raters(*[np.arange(12)] * 3, size=12, measure=cohen).value, 6)
        1.0
    """
    n, number = len(first), len(np.unique(clusters))
    if (refused := too_few(n, number)) is not None:
        return refused
    if len(np.unique([first, second])) < 2:
        return NotEstimable(reason="all ratings are the same", n=n)
    table = table_of(first, second, size)
    found, smoothed = measure(table), measure(table + size**-2)
    variance = float(((table + size**-2) * smoothed.influence**2).sum()) / (n + 1) ** 2
    variance *= _design_effect(found.influence[first, second], clusters)
    is_constant = min(len(np.unique(first)), len(np.unique(second))) < 2
    return coefficient(
        found.value,
        fisher(smoothed.value, variance, df=number - 1, level=level),
        level=level,
        n=n,
        clusters=number,
        method="fisher_z_smoothed",
        flag="one of the raters used one value only" if is_constant else "",
    )


def _design_effect(influence: Values, clusters: Codes) -> float:
    """Say by what clusters multiply the variance; without variance it is n/G."""
    sums = cluster_sums(influence[:, None], clusters)[:, 0]
    n, number = len(influence), len(sums)
    if n == number:
        return 1.0
    by_item = float((influence**2).sum())
    if by_item / n**2 <= NO_VARIANCE:
        return n / number
    return max(1.0, number / (number - 1) * float((sums**2).sum()) / by_item)
