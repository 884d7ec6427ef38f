"""Whether correction falls over turns: a logistic slope with threads as clusters."""

from typing import assert_never

import numpy as np

from threadmed.metrics.course import Trend, WorkingCorrelation
from threadmed.metrics.estimates import Estimate, NotEstimable, Number
from threadmed.metrics.gee import Fit, NoFit, fit, fit_exchangeable
from threadmed.metrics.intervals import FEW_THREADS, ranked
from threadmed.metrics.items import Items
from threadmed.metrics.quantiles import t_quantile

NO_WIDTH = 1e-6
"""A standard error below this, for a turn as far apart as turns are, is rounding: real
ones are above a thousandth."""


def trend(
    items: Items,
    *,
    level: float = 0.95,
    working_correlation: WorkingCorrelation = "independence",
) -> Trend:
    """Estimate by how much the log odds of score 1 change from turn to turn.

    Args:
        items: All labelled items of one target and setting; the unscored are left out.
        level: Coverage aimed at, in (0, 1).
        working_correlation: How the equations weigh items of one thread.

    Returns:
        The slope with bias-reduced standard errors and t_{G-2}; a reason in its place
        with fewer than 10 threads, one turn, one outcome, outcomes that a turn parts
        wholly, or an exchangeable correlation that cannot be had.

    Example:
        >>> threads, turns = np.arange(12) // 2, np.arange(12) % 2
        >>> few = Items(threads, turns, np.ones(12), np.ones(12, dtype=bool))
        >>> found = trend(few)
        >>> found.threads, found.threads_several, found.slope.reason
        (6, 6, 'fewer than 10 threads')
    """
    scored = items.scored
    sizes = np.bincount(ranked(scored.threads))
    several = int((sizes > 1).sum())
    found = _fit(scored, threads=len(sizes), working_correlation=working_correlation)
    return Trend(
        n=len(scored.turns),
        threads=len(sizes),
        threads_several=several,
        share_several=several / len(sizes) if len(sizes) else 0.0,
        working_correlation=working_correlation,
        alpha=found.alpha if isinstance(found, Fit) else None,
        slope=_slope(scored, found, threads=len(sizes), level=level),
    )


def _fit(
    scored: Items, *, threads: int, working_correlation: WorkingCorrelation
) -> Fit | NoFit:
    if (reason := _refusal(scored, threads=threads)) is not None:
        return NoFit(reason)
    columns = scored.turns, scored.corrected, scored.threads
    match working_correlation:
        case "independence":
            return fit(*columns)
        case "exchangeable":
            return fit_exchangeable(*columns)
        case _:
            assert_never(working_correlation)


def _slope(scored: Items, found: Fit | NoFit, *, threads: int, level: float) -> Number:
    n, hits = len(scored.turns), round(scored.corrected.sum())
    if isinstance(found, NoFit):
        return NotEstimable(reason=found.reason, n=n, hits=hits)
    spread = float(scored.turns.std())
    if found.bias_reduced_se is None or found.bias_reduced_se * spread < NO_WIDTH:
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
