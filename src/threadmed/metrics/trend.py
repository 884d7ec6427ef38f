"""Whether correction falls over turns: a logistic slope with threads as clusters."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from threadmed.metrics.course import Trend
from threadmed.metrics.estimates import Estimate, NotEstimable, Number
from threadmed.metrics.intervals import FEW_THREADS, Codes, Values, ranked, t_quantile
from threadmed.metrics.items import Items

STEPS = 100
"""Most steps of Newton's method; a handful are needed."""
CLOSE = 1e-12
"""A step of less than this ends it."""
ALONE = 1e-9
"""A determinant below this says that one thread decides the slope by itself."""


class Fit(NamedTuple):
    """A logistic model of score 1 on the turn, by the independence estimating equation.

    Standard errors are of the slope.
    """

    intercept: float
    slope: float
    robust_se: float
    """Liang and Zeger's, too small with few threads."""
    bias_reduced_se: float | None
    """Mancl and DeRouen's; None where without one thread there would be no slope."""


def fit(turns: Codes, corrected: Values, threads: Codes) -> Fit:
    """Fit the model.

    With independence as working correlation the estimates are those of a logistic
    regression. H_ii is the leverage of thread i; that X'(I - VXA^{-1}X')^{-1} r is
    (I - X'VXA^{-1})^{-1} X'r keeps every matrix two by two.

    Args:
        turns: Shape (n,), two or more different ones.
        corrected: Shape (n,), each 0 or 1; neither outcome may lie wholly before or
            after the other.
        threads: Shape (n,).

    References:
        Liang and Zeger (1986); Mancl and DeRouen (2001), Biometrics 57:126.

    Example:
        >>> found = fit(np.array([0, 1, 0, 1, 0, 1]), np.array([1.0, 0, 1, 1, 0, 0]),
        ...     np.array([0, 0, 1, 1, 2, 2]))
        >>> round(found.slope, 4), round(found.robust_se, 4)
        (-1.3863, 1.2247)
    """
    design = np.column_stack([np.ones(len(turns)), turns]).astype(np.float64)
    weights = _solve(design, corrected)
    chance = _chance(design, weights)
    spread = chance * (1 - chance)
    inverse = np.linalg.inv(design.T @ (spread[:, None] * design)).astype(np.float64)
    scores = _by_thread(design * (corrected - chance)[:, None], threads)
    leverage = _leverage(design, spread, threads, inverse=inverse)
    reduced = None
    if np.abs(np.linalg.det(leverage)).min() > ALONE:
        solved = np.linalg.solve(leverage, scores[:, :, None])[:, :, 0]
        reduced = _slope_se(solved.astype(np.float64), inverse)
    return Fit(
        intercept=float(weights[0]),
        slope=float(weights[1]),
        robust_se=_slope_se(scores, inverse),
        bias_reduced_se=reduced,
    )


def _solve(design: Values, corrected: Values) -> Values:
    """Find the weights, shape (2,), by Newton's method; a step too far is halved."""
    weights = np.zeros(2)
    best = _likelihood(design, corrected, weights)
    for _ in range(STEPS):
        chance = _chance(design, weights)
        information = design.T @ ((chance * (1 - chance))[:, None] * design)
        step = np.linalg.solve(information, design.T @ (corrected - chance))
        while (found := _likelihood(design, corrected, weights + step)) < best - CLOSE:
            step = step / 2
        weights, best = weights + step, found
        if np.abs(step).max() < CLOSE:
            break
    return np.asarray(weights, dtype=np.float64)


def _chance(design: Values, weights: Values) -> Values:
    from scipy.special import expit

    return np.asarray(expit(design @ weights), dtype=np.float64)


def _likelihood(design: Values, corrected: Values, weights: Values) -> float:
    from scipy.special import log_expit

    return float(log_expit((2 * corrected - 1) * (design @ weights)).sum())


def _by_thread(rows: Values, threads: Codes) -> Values:
    """Sum the rows of each thread, shape (n, k) to (G, k)."""
    codes = ranked(threads)
    columns = [np.bincount(codes, weights=column) for column in rows.T]
    return np.asarray(np.column_stack(columns), dtype=np.float64)


def _leverage(
    design: Values, spread: Values, threads: Codes, *, inverse: Values
) -> NDArray[np.float64]:
    """Give I - X_i'V_iX_i A^{-1} of each thread, shape (G, 2, 2)."""
    squares = (design[:, :, None] * design[:, None, :]) * spread[:, None, None]
    own = _by_thread(squares.reshape(-1, 4), threads).reshape(-1, 2, 2)
    return np.asarray(np.eye(2) - own @ inverse, dtype=np.float64)


def _slope_se(scores: Values, inverse: Values) -> float:
    # A variance of 0 may be rounded to less.
    return float(max(0.0, (inverse @ (scores.T @ scores) @ inverse)[1, 1]) ** 0.5)


def trend(items: Items, *, level: float = 0.95) -> Trend:
    """Estimate by how much the log odds of score 1 change from turn to turn.

    Args:
        items: All labelled items of one target and setting; the unscored are left out.
        level: Coverage aimed at, in (0, 1).

    Returns:
        The slope with bias-reduced standard errors and t_{G-2}; a reason in its place
        with fewer than 10 threads, one turn, one outcome, or outcomes that a turn
        parts wholly.
    """
    scored = items.scored
    sizes = np.bincount(ranked(scored.threads))
    several = int((sizes > 1).sum())
    return Trend(
        n=len(scored.turns),
        threads=len(sizes),
        threads_several=several,
        share_several=several / len(sizes) if len(sizes) else 0.0,
        slope=_slope(scored, threads=len(sizes), level=level),
    )


def _slope(scored: Items, *, threads: int, level: float) -> Number:
    n, hits = len(scored.turns), round(scored.corrected.sum())
    if (reason := _refusal(scored, threads=threads)) is not None:
        return NotEstimable(reason=reason, n=n, hits=hits)
    found = fit(scored.turns, scored.corrected, scored.threads)
    if found.bias_reduced_se is None or found.bias_reduced_se < ALONE:
        alone = "without one thread there would be no slope"
        alike = "threads do not differ, so the interval would have no width"
        reason = alone if found.bias_reduced_se is None else alike
        return NotEstimable(reason=reason, n=n, hits=hits)
    half = t_quantile(level, threads - 2) * found.bias_reduced_se
    return Estimate(
        value=found.slope,
        low=found.slope - half,
        high=found.slope + half,
        level=level,
        n=n,
        threads=threads,
        method="gee_bias_reduced_t",
    )


def _refusal(scored: Items, *, threads: int) -> str | None:
    if threads < FEW_THREADS:
        return f"fewer than {FEW_THREADS} threads"
    corrected = scored.corrected == 1
    yes, no = scored.turns[corrected], scored.turns[~corrected]
    if not len(yes) or not len(no):
        return "every scored item has the same outcome"
    if scored.turns.min() == scored.turns.max():
        return "all scored items are of one turn"
    if yes.max() <= no.min() or no.max() <= yes.min():
        return "a turn parts the corrected items from the others"
    return None
