"""What happens in a thread after a failure (paper, 4.5.2)."""

import numpy as np

from threadmed.metrics.bootstrap import stream, thread_bootstrap
from threadmed.metrics.course import Flips, Recovery, RecoveryPairs, Trajectory
from threadmed.metrics.estimates import NotEstimable, Number
from threadmed.metrics.intervals import (
    FEWEST_ITEMS,
    Totals,
    effective_n,
    rate,
    share_estimate,
    wilson,
)
from threadmed.metrics.items import Items
from threadmed.metrics.measurement import MeasureOptions
from threadmed.metrics.pairs import Pairs, pairs_of
from threadmed.metrics.propagation import error_propagation
from threadmed.metrics.survival import first_failure, first_failure_by_turn

FEW_STARTS = 10
"""Below this many failure-start pairs RR is flagged."""


def recovery_totals(pairs: Pairs) -> Totals:
    """Count by thread the recoveries (sums) and the failure-start pairs (sizes).

    Every thread that holds a pair has an entry, one without failures a size of 0.

    Example:
        >>> pairs = Pairs(np.array([7, 7]), np.array([True, True]), np.array([True, False]))
        >>> recovery_totals(pairs)
        Totals(sums=array([1.]), sizes=array([2.]))
    """
    return pairs.totals(pairs.failed_first & pairs.corrected_next, pairs.failed_first)


def recovery_rate(of: Totals, *, level: float = 0.95) -> Number:
    """Estimate P(score 1 at the next turn, given none now), with Wilson on n_eff.

    Unlike a rate over items it takes z and not t: few starts make n_eff small enough.

    Args:
        of: Recoveries and failure-start pairs by thread, threads without such pairs
            left out; at least one pair.
        level: Coverage aimed at, in (0, 1).

    Returns:
        RR, flagged below 10 starts; counts alone below 5 starts or 2 threads.

    References:
        ThReadMed-QA, equation 2.

    Example:
        >>> starts = Totals(sums=np.array([1.0] * 3 + [0.0] * 9), sizes=np.ones(12))
        >>> found = recovery_rate(starts)
        >>> found.value, round(found.low, 3), round(found.high, 3)
        (0.25, 0.089, 0.532)
    """
    if of.n < FEWEST_ITEMS or of.threads < 2:
        few = f"fewer than {FEWEST_ITEMS} failures to recover from"
        return NotEstimable(
            reason=few if of.n < FEWEST_ITEMS else "all failures are of one thread",
            n=of.n,
            hits=round(of.sums.sum()),
        )
    limits = wilson(of.ratio, effective_n(of), level=level)
    flag = "rests on few pairs" if of.n < FEW_STARTS else ""
    return share_estimate(of, limits, level=level, method="wilson_n_eff", flag=flag)


def recovery(
    items: Items,
    *,
    options: MeasureOptions,
    name: tuple[str, ...],
    kind: RecoveryPairs | None = None,
) -> Recovery:
    """Count recoveries and give RR.

    Args:
        items: All labelled items of one target and setting.
        options: Kind of pairs; the mode decides the interval.
        name: Of the target and setting, for the bootstrap's source of randomness.
        kind: Of pairs; the options' unless said.

    Example:
        >>> scores = np.tile([0.0, 1, 0, 0], 10)
        >>> one = Items(np.arange(40) // 2, np.arange(40) % 2, scores, scores < 2)
        >>> found = recovery(one, options=MeasureOptions(), name=("m",))
        >>> found.starts, found.recovered, found.rate.value
        (20, 10, 0.5)
    """
    pairs = pairs_of(items, kind=kind or options.recovery_pairs)
    by_thread = recovery_totals(pairs)
    held = by_thread.sizes > 0
    starts = Totals(sums=by_thread.sums[held], sizes=by_thread.sizes[held])
    found: Number
    if not len(pairs.threads) or not starts.threads:
        none = "no failures to recover from"
        found = NotEstimable(
            reason=none if len(pairs.threads) else "no two turns in a row are scored",
            n=0,
            hits=0,
        )
    elif options.mode == "as_published":
        found = thread_bootstrap(
            by_thread,
            draws=options.draws,
            level=options.level,
            rng=stream(options.seed, *name, "recovery"),
        )
    else:
        found = recovery_rate(starts, level=options.level)
    return Recovery(
        pairs=len(pairs.threads),
        starts=starts.n,
        recovered=round(starts.sums.sum()),
        threads=starts.threads,
        rate=found,
    )


def trajectory(
    items: Items, *, options: MeasureOptions, name: tuple[str, ...]
) -> Trajectory:
    """Follow the threads of one target in one setting.

    The paper prints RR alone; the rest is computed alike in both modes.

    Args:
        items: All its labelled items.
        options: Mode and level.
        name: Of the target and setting, for the bootstrap's source of randomness.

    Example:
        >>> one = Items(np.arange(20), np.zeros(20, int), np.ones(20), np.ones(20, bool))
        >>> found = trajectory(one, options=MeasureOptions(), name=("m",))
        >>> found.first_failure.points[0].at_risk, found.flips.pairs
        (20, 0)
    """
    level = options.level
    pairs = pairs_of(items)
    return Trajectory(
        consecutive=recovery(items, options=options, name=name, kind="consecutive"),
        next_labelled=recovery(items, options=options, name=name, kind="next_labelled"),
        error_propagation=error_propagation(pairs, level=level),
        first_failure=first_failure(items, level=level),
        first_failure_by_turn=first_failure_by_turn(items, level=level),
        flips=flips(pairs, level=level),
        both_extremes=both_extremes(items, level=level),
    )


def flips(pairs: Pairs, *, level: float = 0.95) -> Flips:
    """Count pairs of which one turn is corrected and the other is not.

    Args:
        pairs: Consecutive turns of one target and setting.
        level: Coverage aimed at, in (0, 1).

    Example:
        >>> pairs = Pairs(np.arange(6), np.arange(6) < 2, np.arange(6) < 3)
        >>> found = flips(pairs)
        >>> found.regained, found.lost, found.share.hits, found.share.n
        (2, 3, 5, 6)
    """
    is_flip = pairs.failed_first == pairs.corrected_next
    return Flips(
        pairs=len(is_flip),
        lost=int((is_flip & ~pairs.failed_first).sum()),
        regained=int((is_flip & pairs.failed_first).sum()),
        threads=len(np.unique(pairs.threads[is_flip])),
        share=rate(is_flip.astype(np.float64), pairs.threads, level=level),
    )


def both_extremes(items: Items, *, level: float = 0.95) -> Number:
    """Estimate the share of threads that hold both score 1 and score -1.

    Args:
        items: Labelled items of one target and setting; only threads with two scored
            ones or more can hold both, so only they are counted.
        level: Coverage aimed at, in (0, 1).

    Example:
        >>> threads, turns = np.arange(12) // 2, np.arange(12) % 2
        >>> scores = np.where((turns == 1) & (threads < 3), -1.0, 1.0)
        >>> both_extremes(Items(threads, turns, scores, scores < 2)).value
        0.5
    """
    scored = items.scored
    threads, codes, sizes = np.unique(
        scored.threads, return_inverse=True, return_counts=True
    )
    holds = [
        np.bincount(codes, weights=scored.scores == score, minlength=len(threads)) > 0
        for score in (-1, 1)
    ]
    both, several = holds[0] & holds[1], sizes > 1
    if not several.any():
        return NotEstimable(reason="no thread has two scored items", n=0, hits=0)
    return rate(both[several].astype(np.float64), threads[several], level=level)
