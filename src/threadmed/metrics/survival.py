"""When threads fail for the first time: a life table with censoring."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from threadmed.metrics.course import FirstFailure, LifePoint
from threadmed.metrics.estimates import Estimate, Method, NotEstimable, Number
from threadmed.metrics.intervals import Interval, clopper_pearson, ranked
from threadmed.metrics.items import Items
from threadmed.metrics.quantiles import normal_quantile

FEWEST_AT_RISK = 10
"""Below this many threads at risk a point of the table is not shown."""
ENOUGH_HISTORY = 0.8
"""Share of the threads at risk whose turn before is scored; less refuses the clock of
turns (convention)."""

Counts = NDArray[np.int64]


class Survival(NamedTuple):
    """A share without failure after a step, and its limits."""

    share: float
    limits: Interval
    method: Method


def first_failure(items: Items, *, level: float = 0.95) -> FirstFailure:
    """Follow threads over their labelled turns until one is not corrected.

    Step k is a thread's k-th labelled turn, however far from the one before. A thread
    ends uncensored at its first failure and censored before a labelled turn without a
    score, or after its last labelled one. It fails once at most, so that threads need
    no correction for clusters.

    Args:
        items: All labelled items of one target and setting, scored or not.
        level: Coverage aimed at, in (0, 1).

    References:
        Kaplan and Meier (1958).

    Example:
        >>> failed = np.array([0.0] * 3 + [1.0] * 9)
        >>> items = Items(np.arange(12), np.arange(12), failed, failed > -2)
        >>> (point,) = first_failure(items).points
        >>> point.at_risk, point.failures, point.without_failure.value
        (12, 3, 0.75)
    """
    first = _first_of_thread(items)
    steps = np.arange(len(items.turns)) - first
    is_followed = _none_so_far(~items.is_scored, first)
    return FirstFailure(
        clock="labelled_turn",
        points=_points(items, steps, is_followed=is_followed, start=1, level=level),
    )


def first_failure_by_turn(
    items: Items, *, level: float = 0.95
) -> FirstFailure | NotEstimable:
    """Give the same table on the number of the turn, where threads have a history.

    A thread enters at its first labelled turn and is censored before the first turn
    that has no label or no score. Where most threads at risk at a turn have just
    entered, the product is over unrelated threads and means nothing.

    Args:
        items: All labelled items of one target and setting, scored or not.
        level: Coverage aimed at, in (0, 1).

    Returns:
        A reason where at any turn up to the last one shown fewer than 80 % of the
        threads at risk have the turn before scored.

    Example:
        >>> one = Items(np.arange(9), np.zeros(9, int), np.ones(9), np.ones(9, bool))
        >>> first_failure_by_turn(one).reason
        'no turn has 10 threads at risk'
    """
    first = _first_of_thread(items)
    is_gap = items.turns != items.turns[first] + np.arange(len(first)) - first
    is_followed = _none_so_far(is_gap | ~items.is_scored, first)
    at_risk = is_followed & _none_before(_failed(items), first)
    everyone = np.bincount(items.turns[at_risk])
    entered = at_risk & (np.arange(len(first)) == first)
    new = np.bincount(items.turns[entered], minlength=len(everyone))
    shown = np.flatnonzero(everyone >= FEWEST_AT_RISK)
    until = int(shown[-1]) + 1 if len(shown) else 0
    if not until:
        reason = f"no turn has {FEWEST_AT_RISK} threads at risk"
        return NotEstimable(reason=reason, n=len(np.unique(items.threads)))
    too_new = new[1:until] > (1 - ENOUGH_HISTORY) * everyone[1:until] + 1e-9
    if too_new.any():
        turn = int(np.argmax(too_new)) + 1
        reason = (
            f"at turn {turn} only {everyone[turn] - new[turn]} of {everyone[turn]} "
            "threads at risk have the turn before scored"
        )
        return NotEstimable(reason=reason, n=int(everyone[turn]))
    return FirstFailure(
        clock="turn",
        points=_points(
            items, items.turns, is_followed=is_followed, start=0, level=level
        ),
    )


def _first_of_thread(items: Items) -> NDArray[np.intp]:
    """Give for each item the place of its thread's first one; items are in order."""
    codes = ranked(items.threads)
    first = np.cumsum(np.bincount(codes)) - np.bincount(codes)
    return np.asarray(first[codes], dtype=np.intp)


def _none_so_far(mask: NDArray[np.bool_], first: NDArray[np.intp]) -> NDArray[np.bool_]:
    """Say for each item whether neither it nor one before it in its thread is marked."""
    return _none_before(mask, first) & ~mask


def _none_before(mask: NDArray[np.bool_], first: NDArray[np.intp]) -> NDArray[np.bool_]:
    before = np.concatenate([[0], np.cumsum(mask)])[:-1]
    return np.asarray(before == before[first], dtype=np.bool_)


def _failed(items: Items) -> NDArray[np.bool_]:
    return np.asarray(items.is_scored & (items.scores != 1), dtype=np.bool_)


def _points(
    items: Items,
    steps: NDArray[np.int64],
    *,
    is_followed: NDArray[np.bool_],
    start: int,
    level: float,
) -> tuple[LifePoint, ...]:
    """Make the table from each item's step, counted from 0."""
    failed = _failed(items)
    at_risk = is_followed & _none_before(failed, _first_of_thread(items))
    everyone = np.bincount(steps[at_risk])
    failures = np.bincount(steps[at_risk & failed], minlength=len(everyone))
    held = np.flatnonzero(everyone)
    found = life_table(everyone[held], failures[held], level=level)
    return tuple(
        LifePoint(
            step=int(step) + start,
            at_risk=int(everyone[step]),
            failures=int(failures[step]),
            without_failure=_number(point, int(everyone[step]), level=level),
        )
        for step, point in zip(held, found, strict=True)
    )


def _number(found: Survival, at_risk: int, *, level: float) -> Number:
    if at_risk < FEWEST_AT_RISK:
        return NotEstimable(
            reason=f"fewer than {FEWEST_AT_RISK} threads are at risk", n=at_risk
        )
    return Estimate(
        value=found.share,
        low=found.limits.low,
        high=found.limits.high,
        level=level,
        n=at_risk,
        threads=at_risk,
        method=found.method,
    )


def life_table(
    at_risk: Counts, failures: Counts, *, level: float = 0.95
) -> tuple[Survival, ...]:
    """Give the share without failure after each step, with limits.

    S_k is the product of 1 - d_j/r_j; Greenwood's g_k is the sum of d_j/(r_j(r_j-d_j));
    the limits are S^exp(-/+ z sqrt(g)/|log S|). While none has failed, and after all
    have, the limits are the exact ones of the threads at risk.

    Args:
        at_risk: Shape (K,), r_k, each above 0 and at most the one before in a table
            without late entries.
        failures: Shape (K,), d_k, each at most r_k.
        level: Coverage aimed at, in (0, 1).

    References:
        Kaplan and Meier (1958); Kalbfleisch and Prentice (1980) for the limits.

    Example:
        >>> second = life_table(np.array([10, 8]), np.array([1, 2]))[1]
        >>> second.share, [round(limit, 6) for limit in second.limits]
        (0.675, [0.290585, 0.882497])
    """
    found = []
    share, greenwood, fewest = 1.0, 0.0, np.inf
    for risk, failed in zip(at_risk.tolist(), failures.tolist(), strict=True):
        fewest = min(fewest, risk)
        share *= 1 - failed / risk
        if share > 0:
            greenwood += failed / (risk * (risk - failed))
        if share in {0.0, 1.0}:
            exact = clopper_pearson(share * fewest, fewest, level=level)
            found.append(Survival(share, exact, "clopper_pearson"))
        else:
            limits = _log_log(share, greenwood, level=level)
            found.append(Survival(share, limits, "greenwood_log_log"))
    return tuple(found)


def _log_log(share: float, greenwood: float, *, level: float) -> Interval:
    width = normal_quantile(level) * greenwood**0.5 / abs(np.log(share))
    return Interval(
        float(share ** np.exp(width)),
        float(share ** np.exp(-width)),
    )
