"""True shares of the scores -1, 0 and 1, by turning a judge's confusion around."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from threadmed.metrics.bootstrap import draw_totals, from_samples
from threadmed.metrics.estimates import NotEstimable, Number
from threadmed.metrics.intervals import Codes, Values

FEWEST_OF_A_SCORE = 20
"""Below this many labels of a score its row of the confusion is not known."""
LEAST_DETERMINANT = 0.05
"""Below this a confusion can hardly be turned around."""
MOST_SINGULAR = 0.01
"""Largest share of draws whose confusion cannot be turned around."""
SCORES = np.array([-1.0, 0.0, 1.0])
CORRECTED = np.array([0.0, 0.0, 1.0])
ASSUMES = "assumes the judge errs alike on every target"


class Labels(NamedTuple):
    """Items that an expert and the judge scored, of whatever target."""

    expert: Values
    """Shape (m,), each -1, 0 or 1."""
    judge: Values
    """Shape (m,)."""
    threads: Codes
    """Shape (m,)."""


class Inverted(NamedTuple):
    """Corrected numbers of one target and setting."""

    pcr: Number
    pcs: Number


class _Counts(NamedTuple):
    """Of each thread: what the expert and the judge said, and what the judge said."""

    confusion: Values
    """Shape (G, 9), expert by judge, labelled items."""
    judged: Values
    """Shape (G, 3), all judged items of the target."""


def invert(
    judge: Values,
    threads: Codes,
    *,
    labels: Labels,
    draws: int,
    level: float,
    rng: np.random.Generator,
) -> Inverted:
    """Estimate PCR and PCS from a judge's scores and its 3x3 confusion.

    pi = (M')^-1 g with M the expert-by-judge table, each row summing to 1, and g the
    judge's shares; threads are drawn with replacement, labelled and judged together.

    Args:
        judge: Shape (n,), each -1, 0 or 1, at least one.
        threads: Shape (n,), coded as those of the labels.
        labels: What both scored.
        draws: Number of bootstrap samples.
        level: Coverage aimed at, in (0, 1).
        rng: Source of randomness.

    Returns:
        Numbers that are cut to their range and always flagged; a reason where a score
        has fewer than 20 labels, |det M| is below .05, or more than 1 % of the draws
        are so.

    Example:
        >>> said = np.repeat([-1.0, 0, 1], 20)
        >>> labels = Labels(said, said, np.arange(60))
        >>> found = invert(said[10:], np.arange(10, 60), labels=labels, draws=200,
        ...     level=0.95, rng=np.random.default_rng(0))
        >>> round(found.pcr.value, 3), round(found.pcs.value, 3)
        (0.4, 0.2)
    """
    counts = _counted(judge, threads, labels)
    given = counts.confusion.sum(axis=0).reshape(3, 3)
    if (reason := _refused(given)) is not None:
        return _neither(reason, labels)
    pis, usable = _drawn(counts, draws=draws, rng=rng)
    lost = draws - int(usable.sum())
    if lost > MOST_SINGULAR * draws:
        reason = f"the confusion of {lost:,} of {draws:,} samples cannot be inverted"
        return _neither(reason, labels)
    whole = _solved(given[None], counts.judged.sum(axis=0)[None])[0]
    return Inverted(
        pcr=_weighed(whole, pis[usable], labels, weights=CORRECTED, level=level),
        pcs=_weighed(whole, pis[usable], labels, weights=SCORES, level=level),
    )


def _neither(reason: str, labels: Labels) -> Inverted:
    refused = NotEstimable(reason=reason, n=len(labels.expert))
    return Inverted(refused, refused)


def _weighed(
    whole: Values, drawn: Values, labels: Labels, *, weights: Values, level: float
) -> Number:
    """Make a number of shares, shape (3,), and of those in samples, shape (draws, 3)."""
    least = float(weights.min())
    return from_samples(
        float(_cut(whole @ weights, least)),
        _cut(drawn @ weights, least),
        level=level,
        n=len(labels.expert),
        threads=len(np.unique(labels.threads)),
        flag=ASSUMES,
    )


def _cut(values: Values, least: float) -> Values:
    return np.clip(values, least, 1.0)


def _refused(confusion: Values) -> str | None:
    rows = confusion.sum(axis=1)
    if rows.min() < FEWEST_OF_A_SCORE:
        score = int(SCORES[rows.argmin()])
        return f"only {int(rows.min())} labels have score {score}"
    if abs(np.linalg.det(confusion / rows[:, None])) < LEAST_DETERMINANT:
        return "the judge hardly tells the scores apart"
    return None


def _counted(judge: Values, threads: Codes, labels: Labels) -> _Counts:
    everyone = np.union1d(threads, labels.threads)
    kinds = 3 * (labels.expert + 1) + labels.judge + 1
    return _Counts(
        _table(np.searchsorted(everyone, labels.threads), kinds, (len(everyone), 9)),
        _table(np.searchsorted(everyone, threads), judge + 1, (len(everyone), 3)),
    )


def _table(rows: Codes, columns: Values, shape: tuple[int, int]) -> Values:
    places = rows * shape[1] + columns.astype(np.int64)
    found = np.bincount(places, minlength=shape[0] * shape[1]).reshape(shape)
    return found.astype(np.float64)


def _drawn(
    counts: _Counts, *, draws: int, rng: np.random.Generator
) -> tuple[Values, NDArray[np.bool_]]:
    """Solve each sample of threads: shape (draws, 3), and which of them could be."""
    both = np.hstack([counts.confusion, counts.judged])
    totals = draw_totals(both, draws=draws, rng=rng)
    confusion = totals[:, :9].reshape(-1, 3, 3)
    rows = confusion.sum(axis=2, keepdims=True)
    shares = np.divide(confusion, rows, out=np.zeros_like(confusion), where=rows > 0)
    usable = np.abs(np.linalg.det(shares)) >= LEAST_DETERMINANT
    usable &= totals[:, 9:].sum(axis=1) > 0
    pis = np.zeros((draws, 3))
    pis[usable] = _solved(confusion[usable], totals[usable, 9:])
    return pis, usable


def _solved(confusion: Values, judged: Values) -> Values:
    """Solve M' pi = g for each of the first axis."""
    rows = confusion / confusion.sum(axis=2, keepdims=True)
    shares = judged / judged.sum(axis=1, keepdims=True)
    found = np.linalg.solve(np.swapaxes(rows, 1, 2), shares[..., None])
    return np.asarray(found[..., 0], dtype=np.float64)
