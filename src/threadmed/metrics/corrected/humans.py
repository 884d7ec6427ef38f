"""What experts' labels say alone, without the judge."""

from threadmed.metrics.corrected.debias import (
    FEWEST_LABEL_THREADS,
    Sample,
    share_of,
    to_scores,
)
from threadmed.metrics.estimates import NotEstimable, Number
from threadmed.metrics.intervals import FEWEST_ITEMS, mean_score, rate


def humans_rate(sample: Sample, *, level: float = 0.95) -> Number:
    """Estimate a share from the labels alone, without the judge.

    Wilson on n* as for any rate; on n_eff of the weighted mean where labels were drawn
    with unlike chances.

    Args:
        sample: Scores 0 and 1.
        level: Coverage aimed at, in (0, 1).

    Example:
        >>> import numpy as np
        >>> y = np.array([1.0, 1, 1, 0, 0, 0, np.nan])
        >>> humans_rate(Sample(np.ones(7), y, np.arange(7))).value
        0.5
    """
    labelled = sample.is_labelled
    if sample.m == 0 or not sample.is_weighted:
        return rate(sample.expert[labelled], sample.threads[labelled], level=level)
    return _weighted_rate(sample, level=level)


def humans_mean(sample: Sample, *, level: float = 0.95) -> Number:
    """Estimate a mean of scores in [-1, 1] from the labels alone.

    Example:
        >>> import numpy as np
        >>> y = np.array([1.0, 1, 1, 0, -1, -1, np.nan])
        >>> round(humans_mean(Sample(np.ones(7), y, np.arange(7))).value, 3)
        0.167
    """
    labelled = sample.is_labelled
    if sample.m == 0 or not sample.is_weighted:
        return mean_score(
            sample.expert[labelled], sample.threads[labelled], level=level
        )
    found = _weighted_rate(sample.scaled(1, 2), level=level)
    return found if isinstance(found, NotEstimable) else to_scores(found)


def _weighted_rate(sample: Sample, *, level: float) -> Number:
    if sample.m < FEWEST_ITEMS or sample.label_threads < FEWEST_LABEL_THREADS:
        reason = f"fewer than {FEWEST_ITEMS} labels or {FEWEST_LABEL_THREADS} threads"
        return NotEstimable(reason=reason, n=sample.m)
    return share_of(sample, lam=0.0, level=level)
