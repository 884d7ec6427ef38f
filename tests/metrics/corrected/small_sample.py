"""Twelve labelled items and thirty others, whose corrected rates are known."""

import numpy as np

from threadmed.metrics.corrected.debias import Sample

EXPERT = np.array([1, 1, 0, 1, 0, 1, 1, 0, 1, 0, 1, 1], float)
JUDGE = np.array([1, 1, 0, 1, 1, 1, 0, 0, 1, 0, 1, 1], float)


def sample(expert: np.ndarray, judge: np.ndarray, rest: np.ndarray) -> Sample:
    """Labelled items first, then the judge's scores of the others; a thread each."""
    scores = np.concatenate([judge, rest])
    labels = np.concatenate([expert, np.full(len(rest), np.nan)])
    return Sample(scores, labels, np.arange(len(scores)))


SMALL = sample(EXPERT, JUDGE, np.repeat([1.0, 0.0], [22, 8]))
