"""Rates that a judge gave, corrected by an expert's scores of some of the same items.

PPI++ in its difference form: theta = y_m + lam (f_N - f_m). The judge f scored all N
items, the expert y scored m of them. What the judge says of the N sharpens what the
expert says of the m, and by how much is tuned on the labelled items, so that a useless
judge does no harm. docs/methods.md has the formulas.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from threadmed.metrics.comparison import FEW_DISCORDANT
from threadmed.metrics.estimates import Estimate, NotEstimable, Number
from threadmed.metrics.intervals import (
    FEW_THREADS,
    NO_VARIANCE,
    Codes,
    Interval,
    Values,
    wilson,
)
from threadmed.metrics.quantiles import t_factor, t_quantile

FEWEST_LABELS = 30
"""Below this many labels there is no correction: the interval would not cover."""
FEWEST_LABEL_THREADS = 3
"""Below this many threads with a label there is no variance between them."""


class Sample(NamedTuple):
    """Items that a judge scored, some of which an expert scored as well."""

    judge: Values
    """Shape (N,), no missing value."""
    expert: Values
    """Shape (N,), NaN where the expert did not score."""
    threads: Codes
    """Shape (N,), the thread that each item comes from."""
    probability: Values | None = None
    """Shape (N,), the chance in (0, 1] with which each item was drawn to be labelled,
    read where there is a label; None takes the labels for a plain random sample."""

    @property
    def is_labelled(self) -> NDArray[np.bool_]:
        """Shape (N,), whether the expert scored the item."""
        return ~np.isnan(self.expert)

    @property
    def m(self) -> int:
        """Labelled items."""
        return int(self.is_labelled.sum())

    @property
    def label_threads(self) -> int:
        """Threads with a labelled item."""
        return len(np.unique(self.threads[self.is_labelled]))

    @property
    def is_clustered(self) -> bool:
        """Whether any thread has more than one item."""
        return len(np.unique(self.threads)) < len(self.threads)

    @property
    def is_weighted(self) -> bool:
        """Whether labelled items were drawn with unlike chances."""
        return len(np.unique(self.weights)) > 1

    @property
    def weights(self) -> Values:
        """Shape (m,), what each label counts: 1/probability, summing to 1 (Hajek)."""
        if self.probability is None:
            return np.full(self.m, 1 / max(1, self.m))
        chance = self.probability[self.is_labelled]
        if not ((chance > 0) & (chance <= 1)).all():
            raise ValueError("expected probabilities of labelled items in (0, 1]")
        return np.asarray(1 / chance / (1 / chance).sum(), dtype=np.float64)

    def scaled(self, shift: float, scale: float) -> "Sample":
        """Give (score + shift) / scale of both."""
        return self._replace(
            judge=(self.judge + shift) / scale, expert=(self.expert + shift) / scale
        )


class Fit(NamedTuple):
    """A corrected mean before it has an interval."""

    value: float
    """Not cut to the range of the scores."""
    lam: float
    """How far the judge is believed, in [0, 1]; 0 is the experts alone."""
    variance: float
    df: int


def ppi(sample: Sample, *, lam: float | None = None) -> Fit:
    """Estimate what the mean of the expert's scores of all N items would be.

    lam = cov(y, f) over the labelled / var(f) over the N, cut to [0, 1];
    theta = y_m + lam (f_N - f_m). With plain random labels of at most one item a
    thread V = s2 (1/m - 1/N) + var(y)/N, s2 = sum(((y-y_m) - lam (f-f_m))^2)/(m-2),
    with m - 2 degrees of freedom. Else each item has the influence
    [labelled] w ((y-y_m) - lam (f-f_m)) + lam (f-f_N)/N, with w = 1/m or, of known
    chances, 1/probability over their sum; they are summed in threads and
    V = G/(G-1) sum u^2 g/(g-2), g threads with a label and g - 2 degrees of freedom.

    Args:
        sample: At least 3 labels, of at least 3 threads.
        lam: How far to believe the judge; None tunes it, 1 is plain PPI.

    Raises:
        ValueError: If there are fewer labels or threads with one.

    References:
        Angelopoulos et al. (2023), arXiv 2301.09633 and 2311.01453; the difference
        form keeps the judge's scores of labelled items, which the textbook form does
        not use.

    Example:
        >>> y = np.array([1.0, 1, 0, 0] + [np.nan] * 4)
        >>> f = np.array([1.0, 1, 0, 1, 1, 1, 1, 1])
        >>> found = ppi(Sample(f, y, np.arange(8)), lam=1)
        >>> found.value, found.df
        (0.625, 2)
    """
    labelled = sample.is_labelled
    if min(sample.m, sample.label_threads) < FEWEST_LABEL_THREADS:
        raise ValueError(f"expected labels of 3 items and threads, got {sample.m}")
    weights = sample.weights
    y, f = sample.expert[labelled], sample.judge[labelled]
    y_off, f_off = y - weights @ y, f - weights @ f
    lam = tuned(sample, float(weights @ (y_off * f_off))) if lam is None else lam
    theta = float(weights @ y + lam * (sample.judge.mean() - weights @ f))
    rest = y_off - lam * f_off
    if sample.is_weighted or sample.is_clustered:
        variance, df = _clustered(sample, weights * rest, lam=lam)
        return Fit(theta, lam, variance, df)
    m, n = sample.m, len(sample.judge)
    spread = float(rest @ rest) / (m - 2)
    variance = spread * (1 / m - 1 / n) + float(y.var(ddof=1)) / n
    return Fit(theta, lam, variance, m - 2)


def tuned(sample: Sample, covariance: float, *, ddof: int = 0) -> float:
    """Say how far the judge is worth believing; one who never varies is worth 0.

    Example:
        >>> tuned(Sample(np.array([1.0, 0]), np.ones(2), np.arange(2)), 0.2)
        0.8
    """
    spread = float(sample.judge.var(ddof=ddof))
    return 0.0 if spread <= NO_VARIANCE else min(1.0, max(0.0, covariance / spread))


def influence(sample: Sample, rest: Values, *, lam: float) -> Values:
    """Say by how much each item moves the corrected mean.

    Args:
        sample: N items, m of them labelled.
        rest: Shape (m,), what the judge does not explain of each label, times its
            weight.
        lam: How far the judge is believed.

    Returns:
        Shape (N,).

    Example:
        >>> one = Sample(np.array([1.0, 0]), np.array([1.0, np.nan]), np.arange(2))
        >>> influence(one, np.array([0.25]), lam=0.5)
        array([ 0.375, -0.125])
    """
    moved = lam * (sample.judge - sample.judge.mean()) / len(sample.judge)
    moved[sample.is_labelled] += rest
    return np.asarray(moved, dtype=np.float64)


def _clustered(sample: Sample, rest: Values, *, lam: float) -> tuple[float, int]:
    _, codes = np.unique(sample.threads, return_inverse=True)
    by_thread = np.bincount(codes, weights=influence(sample, rest, lam=lam))
    among, held = len(by_thread), sample.label_threads
    variance = among / (among - 1) * float(by_thread @ by_thread)
    return variance * held / (held - 2), held - 2


def wilson_limits(fit: Fit, *, at_least: int, level: float) -> Interval:
    """Put Wilson's interval around a corrected share.

    Args:
        fit: A share.
        at_least: n_eff where theta is not within (0, 1): the labels, or their threads
            where threads have several items.
        level: Coverage aimed at, in (0, 1).

    Example:
        >>> found = wilson_limits(Fit(0.5, 1.0, 0.0025, 98), at_least=100, level=0.95)
        >>> [round(limit, 3) for limit in found]
        [0.403, 0.597]
    """
    share = min(1.0, max(0.0, fit.value))
    if fit.variance <= NO_VARIANCE or not 0 < fit.value < 1:
        return wilson(share, at_least, level=level)
    return wilson(share, effective_labels(fit, level=level), level=level)


def effective_labels(fit: Fit, *, level: float) -> float:
    """Give n_eff = theta (1-theta)/V (z/t)^2, for a theta within (0, 1).

    Example:
        >>> round(effective_labels(Fit(0.5, 1.0, 0.0025, 98), level=0.95), 2)
        97.55
    """
    return fit.value * (1 - fit.value) / fit.variance * t_factor(level, fit.df)


def corrected_rate(
    sample: Sample, *, lam: float | None = None, level: float = 0.95
) -> Number:
    """Estimate the share of items that the expert would give score 1.

    Args:
        sample: Scores 0 and 1; 1 is corrected.
        lam: How far to believe the judge; None tunes it, 1 is plain PPI.
        level: Coverage aimed at, in (0, 1).

    Returns:
        The share, cut to [0, 1], with n and threads of the labels; flagged where these
        come from fewer than 10 threads; a reason below 30 labels or 3 threads.

    Example:
        >>> f = np.tile([1.0, 0, 1, 1], 30)
        >>> y = np.where(np.arange(120) < 40, f, np.nan)
        >>> found = corrected_rate(Sample(f, y, np.arange(120)))
        >>> found.value, found.n, found.method
        (0.75, 40, 'wilson_n_star')
    """
    if (refused := too_few_labels(sample)) is not None:
        return refused
    return share_of(sample, lam=lam, level=level)


def share_of(sample: Sample, *, lam: float | None, level: float) -> Estimate:
    """Estimate a corrected share, however few the labels; 3 of 3 threads at least.

    Example:
        >>> f = np.tile([1.0, 0, 1, 1], 3)
        >>> share_of(Sample(f, f, np.arange(12)), lam=None, level=0.95).value
        0.75
    """
    fit = ppi(sample, lam=lam)
    worth = sample.label_threads if sample.is_clustered else sample.m
    limits = wilson_limits(fit, at_least=worth, level=level)
    return Estimate(
        value=min(1.0, max(0.0, fit.value)),
        low=limits.low,
        high=limits.high,
        level=level,
        n=sample.m,
        threads=sample.label_threads,
        method="wilson_n_star",
        flag=few_label_threads(sample),
    )


def corrected_mean(
    sample: Sample, *, lam: float | None = None, level: float = 0.95
) -> Number:
    """Estimate the mean of the expert's scores in [-1, 1], rescaled as a share is.

    Args:
        sample: Scores from -1 to 1.
        lam: How far to believe the judge; None tunes it, 1 is plain PPI.
        level: Coverage aimed at, in (0, 1).

    Returns:
        As `corrected_rate`.

    Example:
        >>> f = np.tile([1.0, 0, -1, 1], 30)
        >>> y = np.where(np.arange(120) < 40, f, np.nan)
        >>> corrected_mean(Sample(f, y, np.arange(120))).value
        0.25
    """
    found = corrected_rate(sample.scaled(1, 2), lam=lam, level=level)
    return found if isinstance(found, NotEstimable) else to_scores(found)


def to_scores(share: Estimate) -> Estimate:
    """Map a share in [0, 1] back to a mean of scores in [-1, 1].

    Example:
        >>> f = np.tile([1.0, 0, 1, 1], 3)
        >>> to_scores(share_of(Sample(f, f, np.arange(12)), lam=None, level=0.95)).value
        0.5
    """
    return Estimate(
        value=2 * share.value - 1,
        low=2 * share.low - 1,
        high=2 * share.high - 1,
        level=share.level,
        n=share.n,
        threads=share.threads,
        method="wilson_rescaled",
        flag=share.flag,
    )


def corrected_difference(
    sample: Sample, *, lam: float | None = None, level: float = 0.95
) -> Number:
    """Estimate a paired difference of two shares from the differences of the items.

    Args:
        sample: Differences in {-1, 0, 1}: of the judge on items judged on both sides,
            of the expert on items labelled on both.
        lam: How far to believe the judge; None tunes it, 1 is plain PPI.
        level: Coverage aimed at, in (0, 1).

    Returns:
        theta -/+ t sqrt(V), cut to [-1, 1]; flagged where fewer than 10 labelled items
        differ; a reason below 30 labels or 3 threads, or where nothing varies.

    Example:
        >>> f = np.tile([1.0, 0, -1, 0, 1, 0], 20)
        >>> y = np.where(np.arange(120) < 60, f, np.nan)
        >>> found = corrected_difference(Sample(f, y, np.arange(120)))
        >>> round(found.value, 4), found.method
        (0.1667, 'linearised_t')
    """
    if (refused := too_few_labels(sample)) is not None:
        return refused
    fit = ppi(sample, lam=lam)
    if fit.variance <= NO_VARIANCE:
        return NotEstimable(reason="no two labelled items differ", n=sample.m)
    value = min(1.0, max(-1.0, fit.value))
    half = t_quantile(level, fit.df) * fit.variance**0.5
    differing = int((sample.expert[sample.is_labelled] != 0).sum())
    few = (
        f"only {differing} labelled item{'s' * (differing != 1)} "
        f"differ{'s' * (differing == 1)}"
        if differing < FEW_DISCORDANT
        else ""
    )
    return Estimate(
        value=value,
        low=max(-1.0, min(value, fit.value - half)),
        high=min(1.0, max(value, fit.value + half)),
        level=level,
        n=sample.m,
        threads=sample.label_threads,
        method="linearised_t",
        flag="; ".join(part for part in (few, few_label_threads(sample)) if part),
    )


def too_few_labels(sample: Sample) -> NotEstimable | None:
    """Say why there is no correction, or None.

    Example:
        >>> too_few_labels(Sample(np.ones(9), np.ones(9), np.arange(9))).reason
        'fewer than 30 labels'
    """
    if sample.m < FEWEST_LABELS:
        reason = f"fewer than {FEWEST_LABELS} labels"
    elif sample.label_threads < FEWEST_LABEL_THREADS:
        reason = f"labels of fewer than {FEWEST_LABEL_THREADS} threads"
    else:
        return None
    return NotEstimable(reason=reason, n=sample.m)


def few_label_threads(sample: Sample) -> str:
    """Give the flag of a number whose labels come from few threads, or nothing.

    Example:
        >>> few_label_threads(Sample(np.ones(9), np.ones(9), np.arange(9)))
        'labels from fewer than 10 threads'
    """
    few = f"labels from fewer than {FEW_THREADS} threads"
    return few if sample.label_threads < FEW_THREADS else ""
