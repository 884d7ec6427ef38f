"""How much likelier a failure is after a failure: EPR, a ratio of two shares."""

from typing import NamedTuple

import numpy as np

from threadmed.metrics.course import ErrorPropagation
from threadmed.metrics.estimates import Estimate, NotEstimable, Number
from threadmed.metrics.intervals import FEWEST_ITEMS, Interval, Values, few_threads
from threadmed.metrics.pairs import Pairs
from threadmed.metrics.quantiles import normal_quantile

FEW_PAIRS = 10
"""Below this many pairs on a side the ratio is flagged."""
SMOOTHING = 0.5
"""Added to each count before logarithms are taken, so that none is of 0."""


class Counts(NamedTuple):
    """Pairs by thread, each of shape (G,); threads without a pair may be there."""

    fail_fail: Values
    fail_corrected: Values
    corrected_fail: Values
    corrected_corrected: Values


def counts_of(pairs: Pairs) -> Counts:
    """Count the four kinds of pairs in every thread that has one.

    Example:
        >>> pairs = Pairs(np.array([7]), np.array([True]), np.array([False]))
        >>> counts_of(pairs).fail_fail, counts_of(pairs).fail_corrected
        (array([1.]), array([0.]))
    """
    failed, corrected = pairs.failed_first, pairs.corrected_next
    kinds = (
        failed & ~corrected,
        failed & corrected,
        ~failed & ~corrected,
        ~failed & corrected,
    )
    return Counts(*(pairs.totals(kind, kind).sums for kind in kinds))


def error_propagation(pairs: Pairs, *, level: float = 0.95) -> ErrorPropagation:
    """Count what follows what, and give EPR.

    Args:
        pairs: Consecutive turns of one target and setting.
        level: Coverage aimed at, in (0, 1).

    Example:
        >>> pairs = Pairs(np.array([7]), np.array([True]), np.array([False]))
        >>> found = error_propagation(pairs)
        >>> found.fail_fail, found.ratio.reason
        (1, 'no pair begins with a correction')
    """
    counts = counts_of(pairs)
    totals = [round(kind.sum()) for kind in counts]
    return ErrorPropagation(
        fail_fail=totals[0],
        fail_corrected=totals[1],
        corrected_fail=totals[2],
        corrected_corrected=totals[3],
        ratio=propagation_ratio(counts, level=level),
    )


def propagation_ratio(counts: Counts, *, level: float = 0.95) -> Number:
    """Estimate P(failure | failure before) / P(failure | correction before).

    The estimate is the plain ratio. Its interval is made on the logarithm with 0.5
    added to each count, and takes the larger of the variance over threads and the
    binomial one: each alone is too small where the other is right.

    Args:
        counts: By thread.
        level: Coverage aimed at, in (0, 1).

    Returns:
        The ratio, flagged below 10 pairs on a side; a reason without pairs on a
        side; counts alone below 5 pairs on a side, with pairs of one thread, or where
        no failure follows a correction.

    References:
        Katz et al. (1978), Biometrics 34:469, for the binomial variance.

    Example:
        >>> threads = np.array([[1, 0, 0, 1], [0, 1, 0, 0], [1, 1, 0, 0],
        ...     [0, 0, 1, 2], [0, 0, 0, 1], [0, 1, 1, 1], [2, 0, 0, 0]], dtype=float)
        >>> found = propagation_ratio(Counts(*threads.T))
        >>> found.value, round(found.low, 6), round(found.high, 6)
        (2.0, 0.544445, 5.95101)
    """
    held = sum(counts) > 0
    a, b, c, d = (float(kind.sum()) for kind in counts)
    threads = int(np.sum(held))
    if (reason := _refusal(a + b, c + d, repeats=c, threads=threads)) is not None:
        return NotEstimable(reason=reason, n=round(a + b + c + d))
    limits = _log_limits(Counts(*(kind[held] for kind in counts)), level=level)
    value = (a / (a + b)) / (c / (c + d))
    few = "rests on few pairs" if min(a + b, c + d) < FEW_PAIRS else ""
    return Estimate(
        value=value,
        low=min(limits.low, value),  # 0 where no failure repeats itself
        high=limits.high,
        level=level,
        n=round(a + b + c + d),
        threads=threads,
        method="log_ratio",
        flag=few or few_threads(threads),
    )


def _refusal(
    failed: float, corrected: float, *, repeats: float, threads: int
) -> str | None:
    """Say why there is no ratio; `repeats` are failures that follow a correction."""
    reasons = (
        (failed + corrected == 0, "no two turns in a row are scored"),
        (failed == 0, "no pair begins with a failure"),
        (corrected == 0, "no pair begins with a correction"),
        (
            min(failed, corrected) < FEWEST_ITEMS,
            f"fewer than {FEWEST_ITEMS} pairs begin with a failure or a correction",
        ),
        (threads < 2, "all pairs are of one thread"),
        (repeats == 0, "no failure follows a correction"),
    )
    return next((why for holds, why in reasons if holds), None)


def _log_limits(counts: Counts, *, level: float) -> Interval:
    """Give exp(log ratio -/+ z sqrt(max(cluster, binomial variance))), smoothed."""
    smoothed = smoothed_ratio(counts)
    half = normal_quantile(level) * max(smoothed.cluster, smoothed.binomial) ** 0.5
    centre = np.log(smoothed.value)
    return Interval(float(np.exp(centre - half)), float(np.exp(centre + half)))


class SmoothedRatio(NamedTuple):
    """A ratio of two smoothed shares, with two variances of its logarithm."""

    value: float
    cluster: float
    """Over threads, G/(G-1) sum u_i^2."""
    binomial: float
    """Of independent pairs."""


def smoothed_ratio(counts: Counts) -> SmoothedRatio:
    """Give the ratio with 0.5 added to each count.

    Args:
        counts: By thread, of two threads or more that hold pairs.

    References:
        Katz et al. (1978), Biometrics 34:469, for the binomial variance.

    Example:
        >>> found = smoothed_ratio(Counts(*np.array([[2.0, 1, 1, 3]] * 2).T))
        >>> round(found.value, 4), round(found.cluster, 4), round(found.binomial, 4)
        (2.3143, 0.0146, 0.3683)
    """
    after_failure = _side(counts.fail_fail, counts.fail_corrected)
    after_correction = _side(counts.corrected_fail, counts.corrected_corrected)
    influence = after_failure.influence - after_correction.influence
    threads = len(influence)
    return SmoothedRatio(
        value=after_failure.share / after_correction.share,
        cluster=threads / (threads - 1) * float((influence**2).sum()),
        binomial=after_failure.variance + after_correction.variance,
    )


class _Side(NamedTuple):
    share: float
    """Smoothed share of failures."""
    influence: Values
    """Shape (G,), by how much each thread moves the logarithm of the share."""
    variance: float
    """Binomial variance of that logarithm."""


def _side(failures: Values, corrections: Values) -> _Side:
    sizes = failures + corrections
    n = float(sizes.sum()) + 2 * SMOOTHING
    share = (float(failures.sum()) + SMOOTHING) / n
    return _Side(
        share=share,
        influence=(failures - share * sizes) / (n * share),
        variance=(1 - share) / (share * n),
    )
