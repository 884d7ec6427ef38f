"""How often a false belief is corrected: PCR, PCS, Uncorrected, by turn, and bounds.

PCR is the share of scored items with score 1, Uncorrected the share with 0 or -1,
PCS the mean score (paper, 4.5.1 and equation 1). Missing scores are in none of them;
coverage and bounds say what they could do.
"""

from typing import NamedTuple

import msgspec
import numpy as np

from threadmed.metrics.bootstrap import item_bootstrap, stream
from threadmed.metrics.estimates import NotEstimable, Number
from threadmed.metrics.intervals import Codes, Values, mean_score, rate
from threadmed.metrics.items import Items
from threadmed.metrics.measurement import (
    Bounds,
    MeasureOptions,
    PublishedOracle,
    ScoreCount,
    TurnRates,
)

FULL_ENOUGH = 0.95
"""Coverage below this calls for the bounds beside the rate."""


class Numbered(NamedTuple):
    """By what options a number is computed, and what it is called among all numbers."""

    options: MeasureOptions
    name: tuple[str, ...]
    """Target and setting, and what more tells it apart; seeds its bootstrap."""

    def __truediv__(self, part: str) -> "Numbered":
        """Name a number inside this one."""
        return Numbered(self.options, (*self.name, part))


def share(values: Values, threads: Codes, *, number: Numbered) -> Number:
    """Estimate a share of items in the way of the mode.

    Args:
        values: Shape (n,), each 0 or 1.
        threads: Shape (n,), the thread that each item comes from.
        number: Options and name.

    Example:
        >>> number = Numbered(MeasureOptions(), ("m", "oracle"))
        >>> found = share(np.array([1.0, 0] * 6), np.arange(12), number=number)
        >>> found.value, round(found.low, 3), found.method
        (0.5, 0.254, 'wilson')
    """
    if number.options.mode == "recommended":
        return rate(values, threads, level=number.options.level)
    return _as_published(values, threads, shares=True, number=number)


def mean(scores: Values, threads: Codes, *, number: Numbered) -> Number:
    """Estimate a mean of scores, shape (n,), in the way of the mode.

    Example:
        >>> number = Numbered(MeasureOptions(mode="as_published"), ("m", "oracle"))
        >>> found = mean(np.array([1.0, -1] * 6), np.arange(12), number=number)
        >>> found.value, found.low, found.high, found.method
        (0.0, -0.5, 0.5, 'item_bootstrap')
    """
    if number.options.mode == "recommended":
        return mean_score(scores, threads, level=number.options.level)
    return _as_published(scores, threads, shares=False, number=number)


def _as_published(
    values: Values, threads: Codes, *, shares: bool, number: Numbered
) -> Number:
    return item_bootstrap(
        values,
        threads,
        shares=shares,
        draws=number.options.draws,
        level=number.options.level,
        rng=stream(number.options.seed, *number.name),
    )


def pcr(items: Items, *, number: Numbered) -> Number:
    """Estimate the share of scored items with score 1.

    Args:
        items: Any labelled items; the unscored are left out.
        number: Options and name.

    References:
        ThReadMed-QA, 4.5.1.

    Example:
        >>> from threadmed.metrics.items import Items
        >>> scores = np.array([1.0, 1, 1, 0, -1, 1, np.nan])
        >>> items = Items(np.arange(7), np.zeros(7, int), scores, ~np.isnan(scores))
        >>> found = pcr(items, number=Numbered(MeasureOptions(), ("m", "oracle")))
        >>> found.hits, found.n
        (4, 6)
    """
    scored = items.scored
    return share(scored.corrected, scored.threads, number=number / "pcr")


def uncorrected(items: Items, *, number: Numbered) -> Number:
    """Estimate the share of scored items with score 0 or -1: 1 - PCR.

    Example:
        >>> items = Items(np.arange(8), np.zeros(8, int), np.ones(8), np.ones(8, bool))
        >>> uncorrected(items, number=Numbered(MeasureOptions(), ("m",))).value
        0.0
    """
    return complement(pcr(items, number=number))


def complement(number: Number) -> Number:
    """Give 1 - a share, with the interval turned round.

    Example:
        >>> from threadmed.metrics.estimates import NotEstimable
        >>> complement(NotEstimable(reason="few", n=4, hits=1)).hits
        3
    """
    hits = None if number.hits is None else number.n - number.hits
    if isinstance(number, NotEstimable):
        return msgspec.structs.replace(number, hits=hits)
    return msgspec.structs.replace(
        number,
        value=1 - number.value,
        low=1 - number.high,
        high=1 - number.low,
        hits=hits,
    )


def pcs(items: Items, *, number: Numbered) -> Number:
    """Estimate the mean score of scored items, in [-1, 1].

    Example:
        >>> items = Items(np.arange(8), np.zeros(8, int), -np.ones(8), np.ones(8, bool))
        >>> pcs(items, number=Numbered(MeasureOptions(), ("m",))).value
        -1.0
    """
    scored = items.scored
    return mean(scored.scores, scored.threads, number=number / "pcs")


def score_counts(items: Items) -> ScoreCount:
    """Count each score; the unscored are in none of the counts.

    Example:
        >>> scores = np.array([1.0, 1, 0, np.nan])
        >>> counts = score_counts(Items(np.arange(4), np.zeros(4, int), scores, scores < 2))
        >>> counts.corrected, counts.partly, counts.not_noticed
        (2, 1, 0)
    """
    return ScoreCount(
        not_noticed=int((items.scores == -1).sum()),
        partly=int((items.scores == 0).sum()),
        corrected=int((items.scores == 1).sum()),
    )


def bounds(items: Items, overall: Number, *, number: Numbered) -> Bounds:
    """Say what PCR would be with every missing score wrong, and with every one right.

    Args:
        items: All labelled items of one target and setting, at least one.
        overall: Their PCR, which both bounds are where nothing is missing.
        number: Options and name.

    Example:
        >>> scores = np.array([1.0, 1, 1, 0, 0, np.nan])
        >>> items = Items(np.arange(6), np.zeros(6, int), scores, scores < 2)
        >>> number = Numbered(MeasureOptions(), ("m",))
        >>> found = bounds(items, pcr(items, number=number), number=number)
        >>> found.n_missing, found.all_wrong.value, round(found.all_right.value, 3)
        (1, 0.5, 0.667)
    """
    missing = ~items.is_scored
    n_missing = int(missing.sum())
    if not n_missing:
        return Bounds(
            n_missing=0, all_wrong=overall, all_right=overall, is_needed=False
        )
    return Bounds(
        n_missing=n_missing,
        all_wrong=share(
            items.corrected, items.threads, number=number / "missing all wrong"
        ),
        all_right=share(
            items.corrected + missing,
            items.threads,
            number=number / "missing all right",
        ),
        is_needed=n_missing > (1 - FULL_ENOUGH) * len(missing),
    )


def by_turn(items: Items, *, number: Numbered) -> tuple[TurnRates, ...]:
    """Give PCR_t and PCS_t for every turn that has a labelled item (equation 1).

    Example:
        >>> items = Items(np.arange(8), np.arange(8) // 6, np.ones(8), np.ones(8, bool))
        >>> found = by_turn(items, number=Numbered(MeasureOptions(), ("m",)))
        >>> [(rates.turn, rates.n_scored) for rates in found]
        [(0, 6), (1, 2)]
    """
    found = []
    for turn in np.unique(items.turns):
        at = items.where(items.turns == turn)
        named = number / f"turn {turn}"
        found.append(
            TurnRates(
                turn=int(turn),
                n_items=len(at.turns),
                n_scored=int(at.is_scored.sum()),
                pcr=pcr(at, number=named),
                pcs=pcs(at, number=named),
            )
        )
    return tuple(found)


def published_oracle(
    oracle: Items, multi_turn: Items, *, number: Numbered
) -> PublishedOracle:
    """Give the oracle's aggregate with the scores of turn 0 copied in.

    The oracle has no turn 0, but the published aggregates can only be met over all
    items; a comparison should use the same items instead.

    Args:
        oracle: A target's labelled items in oracle.
        multi_turn: Its items in multi_turn, whose turn 0 is copied.
        number: Options and name.

    Example:
        >>> items = Items(np.arange(8), np.arange(8) // 6, np.ones(8), np.ones(8, bool))
        >>> number = Numbered(MeasureOptions(), ("m",))
        >>> found = published_oracle(items, items, number=number)
        >>> found.n_oracle, found.n_copied
        (2, 6)
    """
    copied = multi_turn.where(multi_turn.turns == 0).scored
    own = oracle.where(oracle.turns > 0).scored
    joined = copied.joined(own)
    named = number / "with turn 0"
    overall = pcr(joined, number=named)
    return PublishedOracle(
        target=number.name[0],
        n_oracle=len(own.turns),
        n_copied=len(copied.turns),
        pcr=overall,
        uncorrected=complement(overall),
    )
