"""All raters of a table together, on the items that at least two rated."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from threadmed.metrics.agreement.alpha import Difference, alpha, fleiss, gwet_many
from threadmed.metrics.agreement.coefficients import (
    Reliability,
    Totalled,
    jackknifed_coefficient,
)
from threadmed.metrics.agreement.kappa import Weights, weights
from threadmed.metrics.agreement.raters import Ratings, Scale
from threadmed.metrics.agreement.records import (
    Coefficients,
    OverallAgreement,
    PairAgreement,
    fitting,
)
from threadmed.metrics.estimates import Estimate, NotEstimable, Number
from threadmed.metrics.intervals import Codes, Values, mean_score, rate

FEW_OTHERS = 10
"""Below this many items with a rarer rating the intervals of alpha are too narrow."""


def overall_of(
    table: Ratings, pairs: Sequence[PairAgreement], *, scale: Scale, level: float
) -> OverallAgreement:
    """Compute the agreement of all raters of a table.

    Args:
        table: The ratings.
        pairs: What each pair of its raters came to; of two raters it is that pair's.
        scale: What values there are.
        level: Coverage aimed at, in (0, 1).

    Example:
        >>> from threadmed.metrics.agreement.raters import YES_NO
        >>> codes = np.column_stack([np.arange(12) % 2] * 2 + [np.arange(12) // 6])
        >>> table = Ratings(tuple("xyz"), tuple("abcdefghijkl"), codes, np.arange(12), False)
        >>> found = overall_of(table, (), scale=YES_NO, level=0.95)
        >>> found.unanimous.value, round(found.raw.value, 3), found.fleiss_raters
        (0.5, 0.667, 0)
    """
    counts = table.counts(scale.size)
    raters = counts.sum(axis=1)
    shared = raters >= 2
    some, numbers = counts[shared], raters[shared]
    agreeing = (some * (some - 1)).sum(axis=1) / (numbers * (numbers - 1))
    most = int(np.bincount(numbers.astype(np.int64)).argmax()) if len(numbers) else 0
    if len(pairs) == 1:
        found = pairs[0].coefficients
    else:
        found = _of_many(table, counts, most, scale=scale, level=level)
    clusters = table.clusters[shared]
    return OverallAgreement(
        raw=_mean(agreeing, clusters, level=level),
        unanimous=rate(
            (some.max(axis=1, initial=0) == numbers).astype(np.float64),
            clusters,
            level=level,
        ),
        coefficients=found,
        n_left_out_of_fleiss=int((numbers != most).sum()) if len(pairs) > 1 else 0,
        fleiss_raters=most if len(pairs) > 1 else 0,
    )


def _mean(values: Values, clusters: Codes, *, level: float) -> Number:
    """Estimate a mean of what lies in [0, 1]."""
    found = mean_score(2 * values - 1, clusters, level=level)
    if not isinstance(found, Estimate):
        return found
    low, high = ((limit + 1) / 2 for limit in (found.low, found.high))
    return Estimate(
        value=float(values.mean()),
        low=low,
        high=high,
        level=found.level,
        n=found.n,
        threads=found.threads,
        method=found.method,
        flag=found.flag,
    )


def _of_many(
    table: Ratings, counts: Values, most: int, *, scale: Scale, level: float
) -> Coefficients:
    raters = counts.sum(axis=1)
    rated, shared, equal = raters >= 1, raters >= 2, raters == most
    n = int(shared.sum())
    if n == 0:
        return _nothing_of_many()

    def of(prepared: Totalled, where: NDArray[np.bool_], compared: int) -> Reliability:
        used = counts[where]
        if np.count_nonzero(used.sum(axis=0)) < 2:
            return NotEstimable(reason="all ratings are the same", n=compared)
        return jackknifed_coefficient(
            prepared,
            table.clusters[where],
            n=compared,
            level=level,
            flag=_rare(used),
        )

    def ac(kind: Weights) -> Reliability:
        return of(gwet_many(counts[rated], weights(scale.size, kind)), rated, n)

    def alpha_of(difference: Difference) -> Reliability:
        prepared = alpha(counts[shared], difference, numbers=scale.numbers)
        return of(prepared, shared, n)

    unweighted = NotEstimable(reason="Fleiss' kappa has no weights", n=n)
    return fitting(
        Coefficients(
            kappa=of(fleiss(counts[equal]), equal, int(equal.sum())),
            kappa_linear=unweighted,
            kappa_quadratic=unweighted,
            ac1=ac("plain"),
            ac2_linear=ac("linear"),
            ac2_quadratic=ac("quadratic"),
            alpha_nominal=alpha_of("nominal"),
            alpha_ordinal=alpha_of("ordinal"),
            alpha_interval=alpha_of("interval"),
        ),
        scale,
        n=n,
    )


def _nothing_of_many() -> Coefficients:
    """Give the reason where no item has two ratings."""
    nothing = NotEstimable(reason="no items to compare", n=0)
    return Coefficients(**dict.fromkeys(Coefficients.__struct_fields__, nothing))


def _rare(counts: Values) -> str:
    """Flag where few items have any rating but the commonest."""
    commonest = int(counts.sum(axis=0).argmax())
    others = int((counts.sum(axis=1) > counts[:, commonest]).sum())
    few = f"fewer than {FEW_OTHERS} items with a rarer rating"
    return few if others < FEW_OTHERS else ""
