"""What happens in a thread after a failure (paper, 4.5.2)."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from threadmed.metrics.bootstrap import stream, thread_bootstrap
from threadmed.metrics.estimates import NotEstimable, Number
from threadmed.metrics.intervals import (
    FEWEST_ITEMS,
    Codes,
    Totals,
    effective_n,
    share_estimate,
    wilson,
)
from threadmed.metrics.items import Items
from threadmed.metrics.measurement import MeasureOptions, Recovery, RecoveryPairs

FEW_STARTS = 10
"""Below this many failure-start pairs RR is flagged."""


class Pairs(NamedTuple):
    """Pairs of turns of one thread, both labelled and scored; columns of shape (m,)."""

    threads: Codes
    failed_first: NDArray[np.bool_]
    """Whether the first turn does not have score 1."""
    corrected_next: NDArray[np.bool_]
    """Whether the second turn has."""


def pairs_of(items: Items, *, kind: RecoveryPairs = "consecutive") -> Pairs:
    """Find the pairs of turns that recovery is counted over.

    Args:
        items: All labelled items of one target and setting, scored or not.
        kind: `consecutive` pairs turns t and t+1; `next_labelled` pairs a turn with
            the thread's next labelled one, however far. An unscored turn ends a pair
            and is never stepped over.
    """
    same_thread = items.threads[1:] == items.threads[:-1]
    if kind == "consecutive":
        follows = same_thread & (items.turns[1:] == items.turns[:-1] + 1)
    else:
        follows = same_thread
    is_pair = follows & items.is_scored[1:] & items.is_scored[:-1]
    corrected = items.scores == 1
    return Pairs(
        threads=items.threads[:-1][is_pair],
        failed_first=~corrected[:-1][is_pair],
        corrected_next=corrected[1:][is_pair],
    )


def recovery_totals(pairs: Pairs) -> Totals:
    """Count by thread the recoveries (sums) and the failure-start pairs (sizes).

    Every thread that holds a pair has an entry, one without failures a size of 0.
    """
    _, codes = np.unique(pairs.threads, return_inverse=True)
    recovered = pairs.failed_first & pairs.corrected_next
    return Totals(
        sums=np.bincount(codes, weights=recovered).astype(np.float64),
        sizes=np.bincount(codes, weights=pairs.failed_first).astype(np.float64),
    )


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
    items: Items, *, options: MeasureOptions, name: tuple[str, ...]
) -> Recovery:
    """Count recoveries and give RR.

    Args:
        items: All labelled items of one target and setting.
        options: Kind of pairs; the mode decides the interval.
        name: Of the target and setting, for the bootstrap's source of randomness.
    """
    pairs = pairs_of(items, kind=options.recovery_pairs)
    by_thread = recovery_totals(pairs)
    held = by_thread.sizes > 0
    starts = Totals(sums=by_thread.sums[held], sizes=by_thread.sizes[held])
    rate: Number
    if not len(pairs.threads) or not starts.threads:
        none = "no failures to recover from"
        rate = NotEstimable(
            reason=none if len(pairs.threads) else "no two turns in a row are scored",
            n=0,
            hits=0,
        )
    elif options.mode == "as_published":
        rate = thread_bootstrap(
            by_thread,
            draws=options.draws,
            level=options.level,
            rng=stream(options.seed, *name, "recovery"),
        )
    else:
        rate = recovery_rate(starts, level=options.level)
    return Recovery(
        pairs=len(pairs.threads),
        starts=starts.n,
        recovered=round(starts.sums.sum()),
        threads=starts.threads,
        rate=rate,
    )
