"""What a coefficient of agreement is, and the two ways to its interval.

Coefficients lie in [-1, 1], are skewed near the ends and rest on few ratings of the
rarer values: intervals are made on Fisher's z scale, and never of no width.
"""

from collections.abc import Callable
from typing import Literal, NamedTuple

import numpy as np

from threadmed.metrics.estimates import NotEstimable
from threadmed.metrics.intervals import NO_VARIANCE, Codes, Interval, Values
from threadmed.metrics.quantiles import t_quantile
from threadmed.records import Record

FEWEST_RATED = 10
"""Below this many items no interval of a coefficient covers what it should."""
FEW_RATED = 30
"""Below this many items a coefficient is flagged."""
ALL_THE_SAME = "all ratings are the same, or would be without one thread or item"
END = 1 - 1e-9
"""Values beyond this have no place on Fisher's z scale."""


class Coefficient(
    Record, frozen=True, kw_only=True, tag="coefficient", tag_field="kind"
):
    """A coefficient of agreement: 1 is perfect, 0 what chance gives."""

    value: float
    low: float
    high: float
    level: float
    """Coverage aimed at, in (0, 1)."""
    n: int
    """Items that it rests on."""
    clusters: int
    """Threads that hold them; an item whose thread is not told is its own."""
    method: Literal["fisher_z_smoothed", "fisher_z_jackknife"]
    flag: str = ""
    """What a reader must be told beside it; empty is nothing."""


Reliability = Coefficient | NotEstimable
"""A coefficient, or the reason why there is none."""

Statistic = Callable[[Values], Values]
"""From totals of shape (..., d) to values of shape (...); NaN where undefined."""


class Totalled(NamedTuple):
    """What each item adds to the totals, and the coefficient of totals."""

    features: Values
    """Shape (n, d)."""
    statistic: Statistic
    uniform: Values
    """Shape (d,), what an item adds on average whose ratings are uniform."""


class Jackknifed(NamedTuple):
    """A statistic of totals, with how it varies when clusters are left out."""

    value: float
    variance: float
    """NaN where the statistic is undefined without some cluster."""
    clusters: int


def fisher(value: float, variance: float, *, df: int, level: float) -> Interval:
    """Give tanh(atanh(value) -/+ t_df sqrt(variance) / (1 - value^2)).

    Args:
        value: In [-1, 1]; the very ends are taken for what is next to them.
        variance: Of the value, above 0.
        df: Degrees of freedom of Student's t.
        level: Coverage aimed at, in (0, 1).

    References:
        Fisher (1921) for the scale.

    Example:
        >>> limits = fisher(0.553125, 0.187831**2, df=11, level=0.95)
        >>> round(limits.low, 4), round(limits.high, 4)
        (0.0272, 0.8392)
    """
    inside = float(np.clip(value, -END, END))
    half = t_quantile(level, df) * variance**0.5 / (1 - inside**2)
    centre = np.arctanh(inside)
    return Interval(float(np.tanh(centre - half)), float(np.tanh(centre + half)))


def jackknife(features: Values, clusters: Codes, statistic: Statistic) -> Jackknifed:
    """Leave out each cluster in turn: V = (G-1)/G sum (c_(-g) - mean)^2.

    Args:
        features: Shape (n, d), what each item adds to the totals.
        clusters: Shape (n,), the cluster that each item comes from.
        statistic: Takes the totals, also many of them at once.

    Example:
        >>> found = jackknife(np.array([[1.0, 1], [0, 1]]), np.array([0, 1]),
        ...     lambda totals: totals[..., 0] / totals[..., 1])
        >>> found.value, found.variance
        (0.5, 0.25)
    """
    sums = cluster_sums(features, clusters)
    total = sums.sum(axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        value, left = float(statistic(total)), statistic(total - sums)
    spread = float(((left - left.mean()) ** 2).sum())
    number = len(sums)
    return Jackknifed(value, spread * (number - 1) / number, number)


def cluster_sums(features: Values, clusters: Codes) -> Values:
    """Sum features of shape (n, d) within clusters of shape (n,), to shape (G, d).

    Example:
        >>> cluster_sums(np.array([[1.0], [2.0], [4.0]]), np.array([7, 3, 7]))
        array([[2.],
               [5.]])
    """
    _, codes = np.unique(clusters, return_inverse=True)
    sums = np.zeros((codes.max(initial=-1) + 1, features.shape[1]))
    np.add.at(sums, codes, features)
    return sums


def jackknifed_coefficient(
    prepared: Totalled, clusters: Codes, *, n: int, level: float, flag: str = ""
) -> Reliability:
    """Estimate a coefficient of three raters or more, with the jackknife on z.

    Where the variance is 0 or the coefficient at an end (all agree), one item more is
    made up, whose ratings are independent and uniform, and is left out in its turn as
    clusters are: that all agree is no certainty.

    Args:
        prepared: What the items add, and the coefficient of their totals.
        clusters: Shape (n,), the cluster that each of them comes from.
        n: Items that can be compared; some coefficients use others, too.
        level: Coverage aimed at, in (0, 1).
        flag: What more a reader must be told.

    References:
        Efron and Stein (1981) for the jackknife's variance; the item that is made up
        is ours, after the smoothing for two raters.

    Example:
        >>> few = Totalled(np.ones((9, 1)), np.ravel, np.ones(1))
        >>> jackknifed_coefficient(few, np.arange(9), n=9, level=0.95).n
        9
    """
    if (refused := too_few(n, len(np.unique(clusters)))) is not None:
        return refused
    features, statistic, uniform = prepared
    found = jackknife(features, clusters, statistic)
    if not np.isfinite(found.value) or not np.isfinite(found.variance):
        return NotEstimable(reason=ALL_THE_SAME, n=n)
    base = found
    if found.variance <= NO_VARIANCE or abs(found.value) >= END:
        made_up = clusters.max() + 1
        base = jackknife(
            np.vstack([features, uniform]), np.append(clusters, made_up), statistic
        )
        total = features.sum(axis=0) + uniform
        base = base._replace(value=float(statistic(total)))
    limits = fisher(base.value, base.variance, df=found.clusters - 1, level=level)
    return coefficient(
        found.value,
        limits,
        level=level,
        n=n,
        clusters=found.clusters,
        method="fisher_z_jackknife",
        flag=flag,
    )


def coefficient(  # noqa: PLR0913 - all but the value and its limits by keyword
    value: float,
    limits: Interval,
    *,
    level: float,
    n: int,
    clusters: int,
    method: Literal["fisher_z_smoothed", "fisher_z_jackknife"],
    flag: str = "",
) -> Coefficient:
    """Join a coefficient and its limits, which never leave the value outside.

    Example:
        >>> found = coefficient(0.5, Interval(0.6, 0.9), level=0.95, n=12, clusters=12,
        ...     method="fisher_z_jackknife")
        >>> found.low, found.flag
        (0.5, 'fewer than 30 items')
    """
    few = f"fewer than {FEW_RATED} items" if n < FEW_RATED else ""
    return Coefficient(
        value=value,
        low=min(limits.low, value),
        high=max(limits.high, value),
        level=level,
        n=n,
        clusters=clusters,
        method=method,
        flag=", ".join(filter(None, (few, flag))),
    )


def too_few(n: int, clusters: int) -> NotEstimable | None:
    """Say why there can be no coefficient, or None.

    Example:
        >>> too_few(9, 9).reason
        'fewer than 10 items to compare'
        >>> too_few(30, 1).reason
        'all rated items are of one thread'
    """
    if n == 0:
        reason = "no items to compare"
    elif n < FEWEST_RATED:
        reason = f"fewer than {FEWEST_RATED} items to compare"
    elif clusters < 2:
        reason = "all rated items are of one thread"
    else:
        return None
    return NotEstimable(reason=reason, n=n)
