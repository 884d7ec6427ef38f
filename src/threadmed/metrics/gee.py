"""A logistic model of score 1 on the turn, by estimating equations over threads.

Turns of one thread are alike. The working correlation says how the equations weigh
them: as if they were not (independence), or as if any two were alike to one degree,
alpha (exchangeable). The slope is consistent whichever is taken, and so are standard
errors, which come from how threads differ and not from the working correlation.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from threadmed.metrics.intervals import Codes, Values, ranked

STEPS = 100
"""Most steps to the weights; a handful are needed."""
EXCHANGES = 500
"""The same where alpha moves along with the weights, which may take many."""
CLOSE = 1e-12
"""A step of less than this ends Newton's method."""
CLOSE_TOGETHER = 1e-10
"""The same where alpha moves along."""
ALONE = 1e-9
"""A determinant below this says that one thread decides the slope by itself."""
EDGE = 1e-6
"""How far from the limits a correlation must be, so that it is not rounding alone that
keeps the equations from having no solution."""
CERTAIN = 1e-12
"""A variance below this says that the weights run away."""
WEIGHTS = 2
"""Intercept and slope."""


class Fit(NamedTuple):
    """A logistic model of score 1 on the turn; standard errors are of the slope."""

    intercept: float
    slope: float
    robust_se: float
    """Liang and Zeger's, too small with few threads."""
    bias_reduced_se: float | None
    """Mancl and DeRouen's; None where without one thread there would be no slope."""
    alpha: float = 0.0
    """Correlation of two items of one thread that the equations took for true."""


class NoFit(NamedTuple):
    """Equations that have no solution to be used."""

    reason: str


class Parts(NamedTuple):
    """What each thread adds to the equations, at some weights."""

    scores: Values
    """Shape (G, 2), D_i'V_i^-1 r_i; their sum is 0 at the solution."""
    information: NDArray[np.float64]
    """Shape (G, 2, 2), D_i'V_i^-1 D_i."""


def fit(turns: Codes, corrected: Values, threads: Codes) -> Fit:
    """Fit the model with independence as working correlation.

    Its estimates are those of a logistic regression.

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
    parts = _independent(design, corrected, ranked(threads), weights=weights)
    return _fitted(parts, weights)


def fit_exchangeable(turns: Codes, corrected: Values, threads: Codes) -> Fit | NoFit:
    """Fit the model with an exchangeable working correlation.

    With e = (y - p)/sqrt(p(1-p)), phi = sum e^2 / (n - 2) and M pairs of items that
    share a thread, alpha = sum over these of e_j e_k / (phi (M - 2)). Weights and alpha
    take turns until neither moves.

    Args:
        turns: As for `fit`.
        corrected: As for `fit`.
        threads: As for `fit`.

    Returns:
        The model; a reason where fewer than 3 pairs share a thread, where alpha is one
        that so many items cannot have (not between -1/(size of the largest thread - 1)
        and 1), or where the steps do not come to an end.

    References:
        Liang and Zeger (1986); Mancl and DeRouen (2001), Biometrics 57:126.

    Example:
        >>> found = fit_exchangeable(np.array([0, 1, 0, 1, 0, 1, 0, 1]),
        ...     np.array([1.0, 0, 1, 1, 0, 0, 1, 1]), np.array([0, 0, 1, 1, 2, 2, 3, 3]))
        >>> round(found.slope, 3), round(found.alpha, 3)
        (-1.099, 0.866)
    """
    codes, middle = ranked(threads), float(turns.mean())
    sizes = np.bincount(codes)
    if (sizes * (sizes - 1)).sum() / 2 <= WEIGHTS:
        return NoFit("too few items share a thread to tell how alike they are")
    design = np.column_stack([np.ones(len(turns)), turns - middle])
    weights = _solve(design, corrected)
    for _ in range(EXCHANGES):
        chance = _chance(design, weights)
        if (chance * (1 - chance)).min() < CERTAIN:
            break
        alpha = _alpha(corrected, chance, codes)
        if (refused := _impossible(alpha, largest=int(sizes.max()))) is not None:
            return refused
        parts = _exchangeable(design, corrected, codes, weights=weights, alpha=alpha)
        step = np.linalg.solve(parts.information.sum(axis=0), parts.scores.sum(axis=0))
        weights = np.asarray(weights + step, dtype=np.float64)
        if np.abs(step).max() < CLOSE_TOGETHER:
            weights[0] -= weights[1] * middle
            return _fitted(parts, weights, alpha=alpha)
    return NoFit("slope and correlation within threads do not settle")


def _solve(design: Values, corrected: Values) -> Values:
    """Find the weights, shape (2,), by Newton's method; a step too far is halved."""
    weights = np.zeros(WEIGHTS)
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


def _impossible(alpha: float, *, largest: int) -> NoFit | None:
    """Refuse a correlation that a thread of so many items cannot have."""
    least = -1 / (largest - 1)
    if least + EDGE < alpha < 1 - EDGE:
        return None
    return NoFit(
        f"items of one thread would correlate by {alpha:.3f}, which cannot be: it has to "
        f"lie between {least:.3f} and 1"
    )


def _alpha(corrected: Values, chance: Values, codes: Codes) -> float:
    """Estimate the correlation of two items of one thread from their residuals."""
    sizes = np.bincount(codes)
    pairs = float((sizes * (sizes - 1)).sum()) / 2
    residuals = (corrected - chance) / np.sqrt(chance * (1 - chance))
    squares = float((residuals**2).sum())
    products = (float((np.bincount(codes, residuals) ** 2).sum()) - squares) / 2
    phi = squares / (len(residuals) - WEIGHTS)
    return products / (phi * (pairs - WEIGHTS))


def _by_thread(rows: Values, codes: Codes) -> Values:
    """Sum the rows of each thread, shape (n, k) to (G, k)."""
    columns = [np.bincount(codes, weights=column) for column in rows.T]
    return np.asarray(np.column_stack(columns), dtype=np.float64)


def _independent(
    design: Values, corrected: Values, codes: Codes, *, weights: Values
) -> Parts:
    chance = _chance(design, weights)
    spread = chance * (1 - chance)
    squares = (design[:, :, None] * design[:, None, :]) * spread[:, None, None]
    return Parts(
        scores=_by_thread(design * (corrected - chance)[:, None], codes),
        information=_by_thread(squares.reshape(-1, 4), codes).reshape(-1, 2, 2),
    )


def _exchangeable(
    design: Values, corrected: Values, codes: Codes, *, weights: Values, alpha: float
) -> Parts:
    """Take from the independent parts what items of one thread share.

    The inverse of the correlation of k items is (I - c J)/(1 - alpha), J all ones and
    c = alpha/(1 + (k-1) alpha), so that thread i needs no matrix of its own size.
    """
    plain = _independent(design, corrected, codes, weights=weights)
    chance = _chance(design, weights)
    deviation = np.sqrt(chance * (1 - chance))
    rows = _by_thread(design * deviation[:, None], codes)
    residuals = np.bincount(codes, (corrected - chance) / deviation)
    shared = alpha / (1 + (np.bincount(codes) - 1) * alpha)
    outer = rows[:, :, None] * rows[:, None, :]
    return Parts(
        scores=(plain.scores - (shared * residuals)[:, None] * rows) / (1 - alpha),
        information=(plain.information - shared[:, None, None] * outer) / (1 - alpha),
    )


def _fitted(parts: Parts, weights: Values, *, alpha: float = 0.0) -> Fit:
    """Put the sandwich together.

    Mancl and DeRouen's residuals are (I - H_ii)^-1 r_i with H_ii = D_i A^-1 D_i'V_i^-1;
    that D'V^-1 (I - D A^-1 D'V^-1)^-1 r is (I - D'V^-1 D A^-1)^-1 D'V^-1 r keeps every
    matrix two by two.
    """
    inverse = np.linalg.inv(parts.information.sum(axis=0)).astype(np.float64)
    leverage = np.eye(WEIGHTS) - parts.information @ inverse
    reduced = None
    if np.abs(np.linalg.det(leverage)).min() > ALONE:
        solved = np.linalg.solve(leverage, parts.scores[:, :, None])[:, :, 0]
        reduced = _slope_se(solved.astype(np.float64), inverse)
    return Fit(
        intercept=float(weights[0]),
        slope=float(weights[1]),
        robust_se=_slope_se(parts.scores, inverse),
        bias_reduced_se=reduced,
        alpha=alpha,
    )


def _slope_se(scores: Values, inverse: Values) -> float:
    # Squared last: in the product of all three matrices a variance of 0 would be lost.
    return float(((scores @ inverse[1]) ** 2).sum() ** 0.5)
