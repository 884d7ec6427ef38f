"""Where two raters part: the confusion table, and precision, recall and F1 by value.

The first rater is held for the truth: precision is the share of the second's ratings of
a value that the first shares, recall the share of the first's that the second shares.
"""

import numpy as np

from threadmed.metrics.agreement.coefficients import (
    Statistic,
    cluster_sums,
    jackknife,
)
from threadmed.metrics.agreement.kappa import table_of
from threadmed.metrics.estimates import Estimate, NotEstimable, Number
from threadmed.metrics.intervals import (
    FEWEST_ITEMS,
    NO_VARIANCE,
    Codes,
    Values,
    few_threads,
    rate,
    wilson,
)
from threadmed.metrics.quantiles import t_factor
from threadmed.records import Record

FEW_OF_A_VALUE = 10
"""Below this many items of some value the interval of macro F1 is too narrow."""


class Confusion(Record, frozen=True, kw_only=True):
    """How often each pair of ratings occurs."""

    values: tuple[str, ...]
    counts: tuple[tuple[int, ...], ...]
    """A row for each value by the first rater, a column for each by the second."""


class ClassAgreement(Record, frozen=True, kw_only=True):
    """One value: how well the second rater finds what the first says."""

    value: str
    n_first: int
    """Items to which the first rater gave it."""
    n_second: int
    n_both: int
    precision: Number
    recall: Number
    f1: Number


def confusion(first: Codes, second: Codes, values: tuple[str, ...]) -> Confusion:
    """Count pairs of ratings, both of shape (n,), by place among `values`.

    Example:
        >>> confusion(np.array([0, 1, 1]), np.array([0, 1, 0]), ("no", "yes")).counts
        ((1, 0), (1, 1))
    """
    table = table_of(first, second, len(values)).astype(int)
    return Confusion(values=values, counts=tuple(map(tuple, table.tolist())))


def class_agreement(
    first: Codes,
    second: Codes,
    clusters: Codes,
    *,
    place: int,
    value: str,
    level: float = 0.95,
) -> ClassAgreement:
    """Hold the second rater against the first in one value.

    Args:
        first: Shape (n,), places on the scale, taken for the truth.
        second: Shape (n,).
        clusters: Shape (n,), the thread that each item comes from.
        place: The place of the value on the scale.
        value: Its name.
        level: Coverage aimed at, in (0, 1).

    Example:
        >>> truth, said = np.array([1] * 6 + [0] * 6), np.array([1] * 8 + [0] * 4)
        >>> found = class_agreement(
        ...     truth, said, np.arange(12), place=1, value="yes")
        >>> found.precision.value, found.recall.value, round(found.f1.value, 3)
        (0.75, 1.0, 0.857)
    """
    true, said = first == place, second == place
    both = (true & said).astype(np.float64)
    return ClassAgreement(
        value=value,
        n_first=int(true.sum()),
        n_second=int(said.sum()),
        n_both=int(both.sum()),
        precision=rate(both[said], clusters[said], level=level),
        recall=rate(both[true], clusters[true], level=level),
        f1=_f1(true, said, clusters, level=level),
    )


def _f1(true: Codes, said: Codes, clusters: Codes, *, level: float) -> Number:
    """Estimate 2 both / (first + second) on the items that either gave the value."""
    either = true | said
    features = np.column_stack([2.0 * (true & said), true.astype(float) + said])
    return _share(
        features[either],
        clusters[either],
        lambda totals: np.asarray(totals[..., 0] / totals[..., 1]),
        level=level,
    )


def macro_f1(
    first: Codes, second: Codes, clusters: Codes, *, size: int, level: float = 0.95
) -> Number:
    """Estimate the mean of F1 over the values that either rater used.

    Args:
        first: Shape (n,), places on the scale, taken for the truth.
        second: Shape (n,).
        clusters: Shape (n,), the thread that each item comes from.
        size: Number of values of the scale, K.
        level: Coverage aimed at, in (0, 1).

    Returns:
        The mean, flagged where a value in use has fewer than 10 items.

    Example:
        >>> truth, said = np.array([1] * 6 + [0] * 6), np.array([1] * 8 + [0] * 4)
        >>> round(macro_f1(truth, said, np.arange(12), size=2).value, 3)
        0.829
    """
    places = np.arange(size)
    true, said = first[:, None] == places, second[:, None] == places
    features = np.hstack([2.0 * (true & said), true.astype(float) + said])

    def mean(totals: Values) -> Values:
        both, either = totals[..., :size], totals[..., size:]
        used = either > 0
        found = np.where(used, both / np.where(used, either, 1.0), 0.0)
        return np.asarray(found.sum(axis=-1) / used.sum(axis=-1))

    rarest = (true | said).sum(axis=0)
    rare = ((rarest > 0) & (rarest < FEW_OF_A_VALUE)).any()
    flag = f"a value with fewer than {FEW_OF_A_VALUE} items" if rare else ""
    return _share(features, clusters, mean, level=level, flag=flag)


def _share(
    features: Values,
    clusters: Codes,
    statistic: Statistic,
    *,
    level: float,
    flag: str = "",
) -> Number:
    """Estimate what lies in [0, 1] with Wilson's interval on the jackknife's n_eff.

    n_eff = F(1-F)/V times (z/t)^2, and no more than the items; without variance it is
    the number of threads.
    """
    n, number = len(features), len(cluster_sums(features, clusters))
    if n < FEWEST_ITEMS or number < 2:
        reason = "all items are of one thread"
        if n < FEWEST_ITEMS:
            reason = f"fewer than {FEWEST_ITEMS} items" if n else "no items"
        return NotEstimable(reason=reason, n=n)
    found = jackknife(features, clusters, statistic)
    n_eff = float(number)
    if found.variance > NO_VARIANCE and 0 < found.value < 1:
        n_eff = min(n, found.value * (1 - found.value) / found.variance)
    n_eff *= t_factor(level, number - 1)
    limits = wilson(found.value, n_eff, level=level)
    return Estimate(
        value=found.value,
        low=limits.low,
        high=limits.high,
        level=level,
        n=n,
        threads=number,
        method="wilson_n_star",
        flag=", ".join(filter(None, (few_threads(number), flag))),
    )
