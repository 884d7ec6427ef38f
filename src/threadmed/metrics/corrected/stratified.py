"""Means over several groups of items, each with labels of its own."""

from collections.abc import Sequence

import numpy as np

from threadmed.metrics.corrected.debias import (
    FEWEST_LABELS,
    Fit,
    Sample,
    few_label_threads,
    influence,
    wilson_limits,
)
from threadmed.metrics.estimates import Estimate, NotEstimable, Number
from threadmed.metrics.intervals import (
    FEWEST_ITEMS,
    NO_VARIANCE,
    Codes,
    Interval,
    Values,
    wilson,
)
from threadmed.metrics.quantiles import t_factor


def mean_over_groups(
    groups: Sequence[Sample], *, lam: float | None = None, level: float = 0.95
) -> Number:
    """Estimate the plain mean of the corrected shares of several groups.

    It needs few labels of each group, as long as they are many together. One lam for
    all groups is tuned within them. The influences of items are summed in threads over
    all groups, as targets answer the same questions, and V = G/(G-1) sum u^2 with
    m - H or g - H degrees of freedom (H groups, m labels of g threads), whichever is
    less.

    Args:
        groups: Scores 0 and 1, for instance of each target in one setting; their
            threads are coded alike.
        lam: How far to believe the judge; None tunes it.
        level: Coverage aimed at, in (0, 1).

    Returns:
        The mean with Wilson's interval on n_eff, n and threads those of the labels; a
        reason below 30 labels together or 5 of a group.

    Example:
        >>> f = np.tile([1.0, 0, 1, 1], 30)
        >>> y = np.where(np.arange(120) < 40, f, np.nan)
        >>> one = Sample(f, y, np.arange(120))
        >>> mean_over_groups([one, one._replace(threads=one.threads + 120)]).value
        0.75
    """
    m = sum(group.m for group in groups)
    pooled = joined(groups)
    if (reason := _refused(groups, pooled)) is not None:
        return NotEstimable(reason=reason, n=m)
    fit = fit_over_groups(groups, lam=lam)
    worth = pooled.label_threads if pooled.is_clustered else m
    limits = wilson_limits(fit, at_least=worth, level=level)
    return Estimate(
        value=min(1.0, max(0.0, fit.value)),
        low=limits.low,
        high=limits.high,
        level=level,
        n=m,
        threads=pooled.label_threads,
        method="wilson_n_star",
        flag=few_label_threads(pooled),
    )


def joined(groups: Sequence[Sample]) -> Sample:
    """Put the items of all groups together, without their probabilities.

    Example:
        >>> one = Sample(np.array([1.0, 0]), np.array([1.0, np.nan]), np.arange(2))
        >>> joined([one, one]).m
        2
    """
    return Sample(
        judge=np.concatenate([group.judge for group in groups]),
        expert=np.concatenate([group.expert for group in groups]),
        threads=np.concatenate([group.threads for group in groups]),
    )


def _refused(groups: Sequence[Sample], pooled: Sample) -> str | None:
    if min(group.m for group in groups) < FEWEST_ITEMS:
        return f"a target has fewer than {FEWEST_ITEMS} labels"
    if pooled.m < FEWEST_LABELS:
        return f"fewer than {FEWEST_LABELS} labels of all targets together"
    if pooled.label_threads <= len(groups) + 1:
        return "labels of too few threads"
    return None


def fit_over_groups(groups: Sequence[Sample], *, lam: float | None = None) -> Fit:
    """Give the mean over groups, and the variance, before there is an interval.

    Example:
        >>> f = np.tile([1.0, 0, 1, 1], 30)
        >>> y = np.where(np.arange(120) < 40, f, np.nan)
        >>> one = Sample(f, y, np.arange(120))
        >>> fit = fit_over_groups([one, one._replace(threads=one.threads + 120)])
        >>> fit.value, round(fit.lam, 6), fit.df
        (0.75, 1.0, 78)
    """
    lam = _tuned(groups) if lam is None else lam
    pooled = joined(groups)
    values, moved = [], []
    m, h = pooled.m, len(groups)
    for group in groups:
        labelled, weights = group.is_labelled, group.weights
        y, f = group.expert[labelled], group.judge[labelled]
        values.append(weights @ y + lam * (group.judge.mean() - weights @ f))
        rest = weights * ((y - weights @ y) - lam * (f - weights @ f))
        # Each group's mean takes one degree of freedom, and lam one of them all.
        lost = group.m / (group.m - 1) * (m - h) / (m - h - 1)
        moved.append(influence(group, rest * lost**0.5, lam=lam) / h)
    _, codes = np.unique(pooled.threads, return_inverse=True)
    by_thread = np.bincount(codes, weights=np.concatenate(moved))
    among = len(by_thread)
    variance = among / (among - 1) * float(by_thread @ by_thread)
    df = min(m, pooled.label_threads) - h
    return Fit(float(np.mean(values)), lam, variance, df)


def _tuned(groups: Sequence[Sample]) -> float:
    """Tune one lam on what varies within groups, each weighed by its variance."""
    covariance = spread = 0.0
    for group in groups:
        labelled, weights = group.is_labelled, group.weights
        y, f = group.expert[labelled], group.judge[labelled]
        together = weights @ ((y - weights @ y) * (f - weights @ f))
        covariance += float(together) / group.m
        spread += float(group.judge.var()) / group.m
    return 0.0 if spread <= NO_VARIANCE else min(1.0, max(0.0, covariance / spread))


def judged_mean(judges: Sequence[tuple[Values, Codes]], *, level: float) -> Number:
    """Estimate the plain mean of the judge's own shares of several groups.

    Args:
        judges: Scores 0 and 1 and their threads, of each group.
        level: Coverage aimed at, in (0, 1).

    Example:
        >>> one, other = np.tile([1.0, 0], 20), np.tile([1.0, 1, 1, 0], 10)
        >>> threads = np.arange(40)
        >>> found = judged_mean([(one, threads), (other, threads)], level=0.95)
        >>> round(found.value, 6)
        0.625
    """
    groups = [Sample(judge, judge, threads) for judge, threads in judges]
    return mean_over_groups(groups, lam=0.0, level=level)


def by_verdict(sample: Sample, *, level: float = 0.95) -> Number:
    """Estimate a share from labels that were drawn by what the judge had said.

    theta = sum of W_k q_k over the judge's verdicts k: W_k is the verdict's share of
    all N items, q_k the expert's share of 1 among its m_k labels. Limits are Wilson's
    around theta with each q_k = (c_k + .5)/(m_k + 1), on n_eff from the larger of
    sum W_k^2 q_k (1-q_k)/(m_k+2) + sum W_k (q_k - theta)^2/N and the same over threads.

    Args:
        sample: The judge's verdicts, whatever their codes, and the expert's 0 and 1.
        level: Coverage aimed at, in (0, 1).

    Returns:
        The share; a reason below 30 labels, or where a verdict has fewer than 5.

    Example:
        >>> f = np.repeat([1.0, 0.0], 50)
        >>> y = np.where(np.arange(100) % 50 < 20, f, np.nan)
        >>> by_verdict(Sample(f, y, np.arange(100))).value
        0.5
    """
    labelled = sample.is_labelled
    _, kinds = np.unique(sample.judge, return_inverse=True)
    shares = np.bincount(kinds) / len(kinds)
    m_k = np.bincount(kinds[labelled], minlength=len(shares)).astype(np.float64)
    if sample.m < FEWEST_LABELS or m_k.min() < FEWEST_ITEMS:
        fewest = f"fewer than {FEWEST_LABELS} labels, or {FEWEST_ITEMS} of a verdict"
        return NotEstimable(reason=fewest, n=sample.m)
    given = sample.expert[labelled]
    hits = np.bincount(kinds[labelled], weights=given).astype(np.float64)
    limits = _verdict_limits(sample, kinds, hits=hits, m_k=m_k, level=level)
    value = float(shares @ (hits / m_k))
    return Estimate(
        value=value,
        low=min(value, limits.low),
        high=max(value, limits.high),
        level=level,
        n=sample.m,
        threads=sample.label_threads,
        method="wilson_n_star",
        flag=few_label_threads(sample),
    )


def _verdict_limits(
    sample: Sample, kinds: Codes, *, hits: Values, m_k: Values, level: float
) -> Interval:
    """Put limits around a post-stratified share.

    Args:
        sample: The items.
        kinds: Shape (N,), number of each item's verdict.
        hits: Shape (K,), labels with score 1 by verdict.
        m_k: Shape (K,), all labels by verdict.
        level: Coverage aimed at, in (0, 1).
    """
    shares = np.bincount(kinds) / len(kinds)
    smooth = (hits + 0.5) / (m_k + 1)
    middle = float(shares @ smooth)
    within = float(shares**2 @ (smooth * (1 - smooth) / (m_k + 2)))
    variance = within + float(shares @ (smooth - middle) ** 2) / len(kinds)
    if sample.is_clustered:
        rest = shares[kinds] / m_k[kinds] * (sample.expert - smooth[kinds])
        moved = np.where(sample.is_labelled, rest, 0.0)
        moved += (smooth[kinds] - middle) / len(kinds)
        _, codes = np.unique(sample.threads, return_inverse=True)
        by_thread = np.bincount(codes, weights=moved)
        among = len(by_thread) / (len(by_thread) - 1)
        variance = max(variance, among * float(by_thread @ by_thread))
    df = max(1, min(sample.m, sample.label_threads) - len(shares))
    n_eff = middle * (1 - middle) / variance * t_factor(level, df)
    return wilson(middle, n_eff, level=level)
