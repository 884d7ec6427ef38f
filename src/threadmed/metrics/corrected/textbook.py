"""PPI as its papers have it, to be held against what others compute."""

from threadmed.metrics.corrected.debias import Fit, Sample, tuned


def textbook(sample: Sample, *, lam: float | None = None) -> Fit:
    """Give the form of the papers, in which labelled and unlabelled items are disjoint.

    theta = lam f_u + y_m - lam f_m; V = lam^2 var(f_u)/n_u + var(y - lam f)_m/m;
    tuned lam = cov(y, f)_m / ((1 + m/n_u) var(f over all N)), cut to [0, 1], the
    last variance with N - 1. It is here to be held against other implementations;
    `ppi` is what threadmed prints.

    Args:
        sample: Plain random labels, at least 2, and at least 2 unlabelled items.
        lam: None tunes it.

    Returns:
        The mean; its normal interval is value -/+ z sqrt(variance).

    References:
        Angelopoulos et al. (2023), arXiv 2301.09633 and 2311.01453.

    Example:
        >>> import numpy as np
        >>> y = np.array([1.0, 1, 0, 1, 0, 1, 1, 0, 1, 0, 1, 1, *[np.nan] * 30])
        >>> f = np.array([1.0, 1, 0, 1, 1, 1, 0, 0, 1, 0, 1, 1, *[1] * 22, *[0] * 8])
        >>> found = textbook(Sample(f, y, np.arange(42)))
        >>> round(found.lam, 6), round(found.value, 6)
        (0.474537, 0.698302)
    """
    labelled = sample.is_labelled
    y, f, rest = (
        sample.expert[labelled],
        sample.judge[labelled],
        sample.judge[~labelled],
    )
    if lam is None:
        covariance = float(((y - y.mean()) * (f - f.mean())).mean())
        lam = tuned(sample, covariance / (1 + len(y) / len(rest)), ddof=1)
    value = float(lam * rest.mean() + (y - lam * f).mean())
    variance = lam**2 * rest.var() / len(rest) + (y - lam * f).var() / len(y)
    return Fit(value, lam, float(variance), len(y) - 1)
