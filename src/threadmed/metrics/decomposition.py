"""A target's decline by turn: what its own answers cost, what questions differ by.

All later turns together come first (`contrasts.compare_settings`), then single turns,
whose tests are adjusted over the turns of one target and term.
"""

from collections.abc import Sequence
from typing import NamedTuple

import msgspec
import numpy as np

from threadmed.metrics.bootstrap import MOST_EMPTY, draw_totals, from_samples, stream
from threadmed.metrics.compared import (
    Comparison,
    Decomposition,
    FallShares,
    SameItems,
    TurnParts,
)
from threadmed.metrics.contrasts import (
    COMPARED,
    BySetting,
    adjust,
    flagged,
    on_same_items,
)
from threadmed.metrics.correction import Numbered, pcr
from threadmed.metrics.decline import (
    FEWEST_AT_A_TURN,
    NO_TARGET_TURN,
    fall_between,
)
from threadmed.metrics.estimates import Estimate, NotEstimable, Number
from threadmed.metrics.intervals import Values, few_threads
from threadmed.metrics.items import Items
from threadmed.metrics.within import own_answers_step, step


def decompose(target: str, settings: BySetting, *, number: Numbered) -> Decomposition:
    """Split a target's decline by turn, and follow it within threads.

    Args:
        target: Its name.
        settings: Its labelled items by setting; multi_turn is among them.
        number: Options and name.

    Example:
        >>> from threadmed.metrics.measurement import MeasureOptions
        >>> one = Items(np.arange(60), np.arange(60) // 30, np.ones(60), np.ones(60, bool))
        >>> later = one._replace(scores=np.where(one.turns > 0, one.threads % 2, 1.0))
        >>> found = decompose("m", {"multi_turn": later, "target_turn": one},
        ...     number=Numbered(MeasureOptions(), ("m",)))
        >>> found.together.fall.value, found.together.same.differences[0].difference.value
        (0.5, 0.5)
    """
    named, level = number / "decomposition", number.options.level
    multi_turn, target_turn = settings["multi_turn"], settings.get("target_turn")
    all_turns = np.unique(np.concatenate([each.turns for each in settings.values()]))
    turns = all_turns[all_turns > 0].tolist()
    found = [
        _parts(target, settings, (turn, turn), number=named / f"turn {turn}")
        for turn in turns
    ]
    together: TurnParts | NotEstimable = NotEstimable(
        reason="there is no later turn", n=0
    )
    if turns:
        span = (1, turns[-1])
        together = _parts(target, settings, span, number=named / "together")
        of_target = adjust(together.same.differences, named=f"settings of {target}")
        together = _with(together, of_target)
    return Decomposition(
        target=target,
        together=together,
        turns=_adjusted(target, found),
        step=step(multi_turn, level=level),
        own_answers_step=NO_TARGET_TURN
        if target_turn is None
        else own_answers_step(multi_turn, target_turn, level=level),
    )


class Later(NamedTuple):
    """Scored items of turn 0 and, on the same items, of a later turn."""

    first: Items
    multi_turn: Items
    target_turn: Items | None
    is_turn: str
    """Which turn it is, in words."""


def _parts(
    target: str, settings: BySetting, span: tuple[int, int], *, number: Numbered
) -> TurnParts:
    """Give the parts at the turns of a span, ends included."""
    turn, last = span
    at = {
        name: items.where((items.turns >= turn) & (items.turns <= last))
        for name, items in settings.items()
    }
    words = f"turn {turn}" if turn == last else "turn 1 and later"
    start = settings["multi_turn"].where(settings["multi_turn"].turns == 0)
    later = _later(start.scored, at, words)
    level = number.options.level
    fall = fall_between(later.first, later.multi_turn, later_is=words, level=level)
    return TurnParts(
        turn=turn,
        last_turn=last,
        same=_refused_if_few(on_same_items(target, at, number=number), words),
        first=pcr(start, number=number / "first"),
        threads_in_both=len(
            np.intersect1d(later.first.threads, later.multi_turn.threads)
        ),
        drift=_drift(start, later, at, level=level),
        fall=flagged(fall, start, at["multi_turn"]),
        shares=fall_shares(later, fall, number=number),
    )


def _later(first: Items, at: BySetting, words: str) -> Later:
    """Keep of a turn the items that are scored in every setting that is compared."""
    held = {name: at[name].scored for name in COMPARED if name in at}
    one, *others = held.values()
    kept = dict(zip(held, one.shared(*others), strict=True))
    return Later(first, kept["multi_turn"], kept.get("target_turn"), words)


def _refused_if_few(same: SameItems, words: str) -> SameItems:
    """Leave counts alone where a turn holds too few items to compare settings."""
    if same.n >= FEWEST_AT_A_TURN:
        return same
    few = NotEstimable(
        reason=f"{words} has fewer than {FEWEST_AT_A_TURN} scored items", n=same.n
    )
    return msgspec.structs.replace(
        same,
        differences=tuple(
            msgspec.structs.replace(each, difference=few, test=few)
            for each in same.differences
        ),
    )


def _drift(start: Items, later: Later, at: BySetting, *, level: float) -> Number:
    """Give target_turn at the later turn - turn 0."""
    if later.target_turn is None:
        return NO_TARGET_TURN
    found = fall_between(
        later.first, later.target_turn, later_is=later.is_turn, level=level
    )
    return negative(flagged(found, start, at["target_turn"]))


def negative(number: Number) -> Number:
    """Turn a difference round.

    Example:
        >>> fall = Estimate(value=0.2, low=0.1, high=0.3, level=0.95, n=40, threads=40,
        ...     method="linearised_t")
        >>> negative(fall).value, negative(fall).low, negative(fall).high
        (-0.2, -0.3, -0.1)
    """
    if isinstance(number, NotEstimable):
        return number
    return msgspec.structs.replace(
        number, value=-number.value, low=-number.high, high=-number.low
    )


def fall_shares(
    later: Later, fall: Number, *, number: Numbered
) -> FallShares | NotEstimable:
    """Say which share of a fall each part is, by a bootstrap over threads.

    Each draw takes whole threads with all they hold, at turn 0 and at the later turn,
    and computes the ratios anew.

    Args:
        later: What the fall is between.
        fall: The fall with its interval.
        number: Options and name.

    Returns:
        A reason without target_turn, without a fall, or where the interval of the
        fall holds 0: the ratio has no meaning then.

    Example:
        >>> from threadmed.metrics.measurement import MeasureOptions
        >>> one = Items(np.arange(9), np.zeros(9, int), np.ones(9), np.ones(9, bool))
        >>> found = fall_shares(Later(one, one, None, "turn 2"), NO_TARGET_TURN,
        ...     number=Numbered(MeasureOptions(), ("m",)))
        >>> found.reason
        'the table has no target_turn'
    """
    if later.target_turn is None:
        return NO_TARGET_TURN
    if isinstance(fall, NotEstimable):
        return fall
    if fall.low <= 0:
        return NotEstimable(
            reason="the interval of the fall is not wholly above 0", n=fall.n
        )
    rows = thread_rows(later.first, later.multi_turn, later.target_turn)
    totals = draw_totals(
        rows,
        draws=number.options.thread_draws,
        rng=stream(number.options.seed, *number.name, "shares"),
    )
    drawn, value = shares_of(totals), shares_of(rows.sum(axis=0)[None, :])[0]
    return FallShares(
        propagation=share_of_fall(float(value), drawn, fall=fall, number=number),
        drift=share_of_fall(1 - float(value), 1 - drawn, fall=fall, number=number),
    )


def thread_rows(first: Items, multi_turn: Items, target_turn: Items) -> Values:
    """Give what each thread adds to the totals of a fall.

    Args:
        first: Scored items of turn 0.
        multi_turn: Scored items of the later turn.
        target_turn: The same items in the other setting.

    Returns:
        Shape (G, 5): items of turn 0, corrected of them, items of the later turn,
        corrected of them in multi_turn, and in target_turn.

    Example:
        >>> one = Items(np.arange(2), np.zeros(2, int), np.ones(2), np.ones(2, bool))
        >>> other = one._replace(scores=np.zeros(2))
        >>> thread_rows(one.where(one.threads == 0), other, one)
        array([[1., 1., 1., 0., 1.],
               [0., 0., 1., 0., 1.]])
    """
    threads = np.union1d(first.threads, multi_turn.threads)
    rows = np.zeros((len(threads), 5))
    early = np.searchsorted(threads, first.threads)
    late = np.searchsorted(threads, multi_turn.threads)
    for column, places, values in (
        (0, early, np.ones(len(early))),
        (1, early, first.corrected),
        (2, late, np.ones(len(late))),
        (3, late, multi_turn.corrected),
        (4, late, target_turn.corrected),
    ):
        rows[:, column] = np.bincount(places, weights=values, minlength=len(threads))
    return rows


def shares_of(totals: Values) -> Values:
    """Compute propagation / fall from totals as of `thread_rows`, shape (draws, 5).

    Returns:
        Shape (at most draws,): draws without items on a side, or without a fall, have
        no share and are dropped.

    Example:
        >>> shares_of(np.array([[10.0, 9, 10, 5, 7]])).round(6)
        array([0.5])
    """
    n_first, first, n_later, multi_turn, target_turn = totals.T
    usable = (n_first > 0) & (n_later > 0)
    usable &= first * n_later != multi_turn * n_first
    with np.errstate(divide="ignore", invalid="ignore"):
        shares = (target_turn - multi_turn) / n_later
        shares = shares / (first / n_first - multi_turn / n_later)
    return np.asarray(shares[usable], dtype=np.float64)


def share_of_fall(
    value: float, drawn: Values, *, fall: Estimate, number: Numbered
) -> Number:
    """Give one share with the percentile interval of its draws.

    Args:
        value: The share.
        drawn: Shape (at most draws,), the share in each sample that has one.
        fall: What it is a share of.
        number: Options.

    Returns:
        A reason where more than 5 % of the samples have none, or all have the same.

    Example:
        >>> from threadmed.metrics.measurement import MeasureOptions
        >>> fall = Estimate(value=0.2, low=0.1, high=0.3, level=0.95, n=40, threads=40,
        ...     method="linearised_t")
        >>> drawn, options = np.arange(1, 1001) / 1000, MeasureOptions(thread_draws=1_000)
        >>> found = share_of_fall(0.5, drawn, fall=fall, number=Numbered(options, ()))
        >>> found.low, found.high
        (0.025, 0.975)
    """
    draws, level = number.options.thread_draws, number.options.level
    dropped = draws - len(drawn)
    if dropped > MOST_EMPTY * draws:
        reason = f"{dropped:,} of {draws:,} bootstrap samples hold no fall"
        return NotEstimable(reason=reason, n=fall.n)
    without = f"{dropped:,} of {draws:,} samples had no fall" if dropped else ""
    flag = without or few_threads(fall.threads)
    return from_samples(
        value, drawn, level=level, n=fall.n, threads=fall.threads, flag=flag
    )


def _adjusted(target: str, found: Sequence[TurnParts]) -> tuple[TurnParts, ...]:
    """Adjust each term's tests over the turns of the target."""
    terms = [
        adjust(of_term, named=f"{of_term[0].question} of {target} by turn")
        for of_term in zip(*(each.same.differences for each in found), strict=True)
    ]
    if not terms:
        return tuple(found)
    by_turn: list[tuple[Comparison, ...]] = list(zip(*terms, strict=True))
    return tuple(
        _with(each, differences)
        for each, differences in zip(found, by_turn, strict=True)
    )


def _with(parts: TurnParts, differences: tuple[Comparison, ...]) -> TurnParts:
    same = msgspec.structs.replace(parts.same, differences=differences)
    return msgspec.structs.replace(parts, same=same)
