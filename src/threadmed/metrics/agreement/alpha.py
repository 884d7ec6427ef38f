"""Agreement of any number of raters: Krippendorff's alpha, Gwet's AC, Fleiss' kappa.

Each is a function of totals over items, so that leaving out items is a subtraction.
`counts` is everywhere of shape (n, K): how many raters gave the item each value.
"""

from typing import Literal, assert_never

import numpy as np

from threadmed.metrics.agreement.coefficients import Totalled, cluster_sums
from threadmed.metrics.intervals import Codes, Values

Difference = Literal["nominal", "ordinal", "interval"]
"""How far two values are apart: they differ or not; by what lies between them on the
scale, as often as it occurs; by the square of their difference as numbers."""


def distances(
    totals: Values, difference: Difference, *, numbers: Values | None = None
) -> Values:
    """Give how far values are apart, shape (..., K, K).

    Nominal: 1 where they differ. Ordinal: (sum of n_g from c to k - (n_c + n_k)/2)^2.
    Interval: the squared difference.

    Args:
        totals: Shape (..., K), how often each value occurs; any scale of counting.
        difference: Which.
        numbers: Shape (K,), the values, for interval differences; None is 0, 1, 2 ...

    References:
        Krippendorff (2011), computing note.

    Example:
        >>> distances(np.array([2.0, 4.0, 2.0]), "ordinal")[0]
        array([ 0.,  9., 36.])
    """
    size = totals.shape[-1]
    match difference:
        case "nominal":
            return np.broadcast_to(1 - np.eye(size), (*totals.shape, size))
        case "ordinal":
            middles = np.cumsum(totals, axis=-1) - totals / 2
            return np.asarray((middles[..., :, None] - middles[..., None, :]) ** 2)
        case "interval":
            values = np.arange(size) if numbers is None else numbers
            squared = (values[:, None] - values).astype(np.float64) ** 2
            return np.broadcast_to(squared, (*totals.shape, size))
        case _:
            assert_never(difference)


def alpha(
    counts: Values, difference: Difference, *, numbers: Values | None = None
) -> Totalled:
    """Prepare Krippendorff's alpha.

    o_ck = sum over items of n_c (n_k - [c=k]) / (m - 1), n_c = sum_k o_ck, n = sum n_c;
    alpha = 1 - (n-1) sum o_ck delta_ck / sum n_c n_k delta_ck.

    Args:
        counts: Items with at least two ratings.
        difference: What two values are apart.
        numbers: Shape (K,), the values, for interval differences.

    References:
        Krippendorff (2011), computing note.

    Example:
        >>> found = alpha(np.array([[2.0, 0], [0, 2], [1, 1]]), "nominal")
        >>> round(float(found.statistic(found.features.sum(axis=0))), 3)
        0.444
    """
    size = counts.shape[1]
    raters = counts.sum(axis=1)
    pairs = counts[:, :, None] * (counts[:, None, :] - np.eye(size))
    together = pairs / (raters - 1)[:, None, None]

    def statistic(totals: Values) -> Values:
        pairs = totals.reshape(*totals.shape[:-1], size, size)
        occur = pairs.sum(axis=-1)
        apart = distances(occur, difference, numbers=numbers)
        seen = (pairs * apart).sum(axis=(-2, -1))
        expected = np.einsum("...c,...ck,...k->...", occur, apart, occur)
        return np.asarray(1 - (occur.sum(axis=-1) - 1) * seen / expected)

    return Totalled(
        features=together.reshape(len(counts), size * size),
        statistic=statistic,
        uniform=np.full(size * size, raters.mean() / size**2),
    )


def gwet_many(counts: Values, weighed: Values) -> Totalled:
    """Prepare Gwet's AC1 or AC2 of any number of raters.

    po is the mean over items with two ratings or more of
    sum_k r_k (r*_k - 1) / (r (r-1)), r*_k = sum_l w_kl r_l; pi_k the mean of r_k / r
    over all rated items; pe = T/(K(K-1)) sum pi_k (1 - pi_k), T the sum of weights.

    Args:
        counts: Items with at least one rating.
        weighed: Shape (K, K), the weights; see kappa.weights.

    References:
        Gwet (2008, 2014).

    Example:
        >>> found = gwet_many(np.array([[2.0, 0], [0, 2], [1, 1]]), np.eye(2))
        >>> round(float(found.statistic(found.features.sum(axis=0))), 3)
        0.333
    """
    size = counts.shape[1]
    raters = counts.sum(axis=1)
    is_shared = raters >= 2
    agreeing = (counts * (counts @ weighed - 1)).sum(axis=1)
    observed = np.where(is_shared, agreeing / np.maximum(raters * (raters - 1), 1), 0.0)
    features = np.column_stack(
        [observed, is_shared, np.ones(len(counts)), counts / raters[:, None]]
    )
    factor = weighed.sum() / (size * (size - 1))

    def statistic(totals: Values) -> Values:
        common = totals[..., 3:] / totals[..., 2:3]
        chance = factor * (common * (1 - common)).sum(axis=-1)
        return np.asarray((totals[..., 0] / totals[..., 1] - chance) / (1 - chance))

    mean = weighed.sum() / size**2
    return Totalled(features, statistic, np.array([mean, 1, 1, *[1 / size] * size]))


def gwet_standard_error(counts: Values, weighed: Values, clusters: Codes) -> float:
    """Give Gwet's linearised standard error of AC1 or AC2 of any number of raters.

    With a_i the agreement in item i (0 with one rating), n' the number of items with
    two ratings or more and pe_i = T/(K(K-1)) sum_k (r_ik/r_i)(1 - pi_k),
    I_i = n/n' [r_i >= 2] (a_i - pe)/(1-pe) - 2 (1-AC) (pe_i - pe)/(1-pe) - AC;
    V = G/(G-1) sum over clusters of (sum I_i)^2 / n^2, which for items that are a
    cluster each is sum I_i^2 / (n(n-1)).

    Nothing printed rests on it: near 1 an interval of so many standard errors covers
    too seldom, and where all agree it is 0, which is no certainty. Where some items have
    one rating alone it is larger than the jackknife's, since it does not take their
    share for given.

    Args:
        counts: Items with at least one rating, two or more of them with two.
        weighed: Shape (K, K), the weights; see kappa.weights.
        clusters: Shape (n,), the thread that each item comes from, two or more.

    References:
        Gwet (2008, 2014).

    Example:
        >>> counts = np.array([[2.0, 0], [0, 2], [1, 1]])
        >>> round(gwet_standard_error(counts, np.eye(2), np.arange(3)), 4)
        0.6667
    """
    prepared, size = gwet_many(counts, weighed), counts.shape[1]
    value = float(prepared.statistic(prepared.features.sum(axis=0)))
    observed, is_shared, _, *columns = prepared.features.T
    shares = np.column_stack(columns)
    common = shares.mean(axis=0)
    by_item = weighed.sum() / (size * (size - 1)) * (shares @ (1 - common))
    chance = float(by_item.mean())
    agreed = is_shared / is_shared.mean() * (observed - chance)
    moved = (agreed - 2 * (1 - value) * (by_item - chance)) / (1 - chance) - value
    sums = cluster_sums(moved[:, None], clusters)
    spread = float((sums**2).sum()) / len(counts) ** 2
    return float((spread * len(sums) / (len(sums) - 1)) ** 0.5)


def fleiss(counts: Values) -> Totalled:
    """Prepare Fleiss' kappa.

    po is the mean of sum_k n_k (n_k - 1) / (m (m-1)), pe the sum of squared shares.

    Args:
        counts: Items that all have the same number m of ratings, at least two.

    References:
        Fleiss (1971).

    Example:
        >>> found = fleiss(np.array([[3.0, 0], [0, 3], [2, 1]]))
        >>> round(float(found.statistic(found.features.sum(axis=0))), 2)
        0.55
    """
    size = counts.shape[1]
    raters = counts.sum(axis=1)
    agreeing = (counts * (counts - 1)).sum(axis=1) / (raters * (raters - 1))
    shares = counts / raters[:, None]
    features = np.column_stack([agreeing, np.ones(len(counts)), shares])

    def statistic(totals: Values) -> Values:
        common = totals[..., 2:] / totals[..., 1:2]
        chance = (common**2).sum(axis=-1)
        return np.asarray((totals[..., 0] / totals[..., 1] - chance) / (1 - chance))

    return Totalled(features, statistic, np.array([1 / size, 1, *[1 / size] * size]))
