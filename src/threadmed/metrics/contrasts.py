"""What is compared with what: settings, targets, and turn 0 with a later turn.

Every comparison is paired: only items scored on both sides enter, and those left out
are counted.
"""

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

import msgspec

from threadmed.metrics.comparison import (
    cells,
    paired_difference,
    unpaired_difference,
)
from threadmed.metrics.correction import Numbered, pcr
from threadmed.metrics.estimates import NotEstimable, Number
from threadmed.metrics.intervals import totals
from threadmed.metrics.items import Items
from threadmed.metrics.measurement import (
    Comparison,
    Loss,
    PairedTest,
    Question,
    SameItems,
    SettingRate,
    Side,
)
from threadmed.metrics.significance import holm, sign_flip
from threadmed.records import Setting

COMPARED: tuple[Setting, ...] = ("multi_turn", "target_turn", "oracle")
"""The settings of the paper's Table 4."""
LATER_TURN = 2
"""The third question, to which the paper follows the fall."""
FEWEST_AT_A_TURN = 20
"""Below this many items a turn is not compared with another (convention)."""
UNEVEN = 0.02
"""A difference in coverage above this is said beside the comparison."""

BySetting = Mapping[Setting, Items]
Contrast = tuple[Question, Setting, Setting]
"""What is asked, the setting that counts as positive, and the other."""


class Scored(NamedTuple):
    """One side of a comparison: who, where, and all labelled items."""

    target: str
    setting: Setting
    items: Items


def compare(
    question: Question, first: Scored, second: Scored, *, number: Numbered
) -> Comparison:
    """Compare two sides on the items scored in both.

    The p-value is not adjusted yet: `adjust` does that for a family.

    Args:
        question: What the comparison asks.
        first: The side whose PCR counts as positive.
        second: The side that is taken away.
        number: Options, and the name for the sides' rates.
    """
    one, other = first.items.scored.shared(second.items.scored)
    difference = paired_difference(
        one.corrected, other.corrected, one.threads, level=number.options.level
    )
    table = cells(one.corrected, other.corrected)
    return Comparison(
        question=question,
        first=_side(first, one, number=number),
        second=_side(second, other, number=number),
        n=len(one.turns),
        n_left_out=first.items.united(second.items) - len(one.turns),
        first_only=table.first_only,
        second_only=table.second_only,
        difference=_flagged(difference, *first.items.shared(second.items)),
        test=_tested(one, other, difference),
    )


def _side(side: Scored, items: Items, *, number: Numbered) -> Side:
    named = number / side.target / side.setting
    return Side(target=side.target, setting=side.setting, pcr=pcr(items, number=named))


def _flagged(difference: Number, first: Items, second: Items) -> Number:
    """Say beside a difference where the labelled items of its sides differ in coverage.

    What is missing on one side only may be what made the difference.
    """
    if isinstance(difference, NotEstimable):
        return difference
    gap = abs(first.is_scored.mean() - second.is_scored.mean())
    if gap <= UNEVEN:
        return difference
    uneven = f"coverage differs by {100 * gap:.1f} points"
    flag = f"{difference.flag}; {uneven}" if difference.flag else uneven
    return msgspec.structs.replace(difference, flag=flag)


def _tested(one: Items, other: Items, difference: Number) -> PairedTest | NotEstimable:
    if isinstance(difference, NotEstimable):
        return difference
    by_thread = totals(one.corrected - other.corrected, one.threads)
    p = sign_flip(by_thread)
    return PairedTest(
        test="sign_flip" if by_thread.is_clustered else "mcnemar",
        p=p,
        p_holm=p,
        family="",
        family_size=1,
    )


def adjust(family: Sequence[Comparison], *, named: str) -> tuple[Comparison, ...]:
    """Adjust the tests of one family by Holm's method, in order.

    Args:
        family: Every comparison that was asked for; one that could not be made counts
            as p = 1.
        named: The family in words.
    """
    p_values = [
        found.test.p if isinstance(found.test, PairedTest) else 1.0 for found in family
    ]
    return tuple(
        msgspec.structs.replace(
            found,
            test=msgspec.structs.replace(
                found.test, p_holm=p_holm, family=named, family_size=len(family)
            ),
        )
        if isinstance(found.test, PairedTest)
        else found
        for found, p_holm in zip(family, holm(p_values), strict=True)
    )


def compare_targets(
    multi_turn: Mapping[str, Items], *, number: Numbered
) -> tuple[Comparison, ...]:
    """Compare every two targets in multi_turn; one family.

    Args:
        multi_turn: Labelled items by target, in the order of the report.
        number: Options, and the name for the sides' rates.
    """
    sides = [Scored(name, "multi_turn", items) for name, items in multi_turn.items()]
    found = [
        compare("targets", first, second, number=_pair(number, first, second))
        for first, second in combinations(sides, 2)
    ]
    return adjust(found, named="targets in multi_turn")


def _pair(number: Numbered, first: Scored, second: Scored) -> Numbered:
    """Name a pair of targets, whichever comes first in the table."""
    return number / " and ".join(sorted((first.target, second.target)))


def compare_settings(
    target: str, settings: BySetting, *, number: Numbered
) -> SameItems | None:
    """Compare a target's settings on the items of turn 1 and later that all have.

    Propagation is target_turn - multi_turn and information oracle - target_turn; with
    no target_turn in the table, oracle - multi_turn stands alone.

    Args:
        target: Its name.
        settings: Its labelled items by setting.
        number: Options and name.

    Returns:
        None where the table has fewer than two of the three settings.
    """
    late = {
        setting: settings[setting].where(settings[setting].turns > 0)
        for setting in COMPARED
        if setting in settings
    }
    if len(late) < 2:
        return None
    kept = [items.scored for items in late.values()]
    same = dict(zip(late, kept[0].shared(*kept[1:]), strict=True))
    first, *others = late.values()
    n = len(next(iter(same.values())).turns)
    n_left_out = first.united(*others) - n
    named = number / "same items"
    found = [
        _difference(contrast, target, late, same, number=named)
        for contrast in _contrasts(late)
    ]
    found = [msgspec.structs.replace(each, n_left_out=n_left_out) for each in found]
    return SameItems(
        target=target,
        n=n,
        n_left_out=n_left_out,
        rates=tuple(
            SettingRate(setting=setting, pcr=pcr(items, number=named / setting))
            for setting, items in same.items()
        ),
        differences=adjust(found, named=f"settings of {target}"),
    )


def _difference(
    contrast: Contrast,
    target: str,
    late: BySetting,
    same: BySetting,
    *,
    number: Numbered,
) -> Comparison:
    """Compare two settings on the items of `same`; `late` tells their coverage."""
    question, plus, minus = contrast
    found = compare(
        question,
        Scored(target, plus, same[plus]),
        Scored(target, minus, same[minus]),
        number=number,
    )
    flagged = _flagged(found.difference, late[plus], late[minus])
    return msgspec.structs.replace(found, difference=flagged)


def _contrasts(late: BySetting) -> list[Contrast]:
    """Name the differences that the settings allow: plus, minus."""
    if "target_turn" not in late:
        return [("oracle_gain", "oracle", "multi_turn")]
    wanted: list[Contrast] = [
        ("propagation", "target_turn", "multi_turn"),
        ("information", "oracle", "target_turn"),
    ]
    return [c for c in wanted if c[1] in late and c[2] in late]


def loss(target: str, settings: BySetting, *, number: Numbered) -> Loss:
    """Split a target's fall from turn 0 to turn 2 of multi_turn.

    The items of turn 2 are those scored in both multi_turn and target_turn; without
    target_turn the fall stands unsplit on those of multi_turn.

    Args:
        target: Its name.
        settings: Its labelled items by setting; multi_turn is among them.
        number: Options and name.
    """
    multi_turn = settings["multi_turn"]
    target_turn = settings.get("target_turn", multi_turn)
    first, later, seam = (
        multi_turn.where(multi_turn.turns == 0),
        multi_turn.where(multi_turn.turns == LATER_TURN),
        target_turn.where(target_turn.turns == LATER_TURN),
    )
    n_items = later.united(seam)
    later_same, seam_same = later.scored.shared(seam.scored)
    named, level = number / "loss", number.options.level
    fall = _flagged(_fall(first.scored, later_same, level=level), first, later)
    if "target_turn" in settings:
        seam_pcr = pcr(seam_same, number=named / "seam")
        harder = _flagged(_fall(first.scored, seam_same, level=level), first, seam)
        own = _flagged(_own(later_same, seam_same, level=level), seam, later)
    else:
        seam_pcr = harder = own = NotEstimable(
            reason="the table has no target_turn", n=0
        )
    return Loss(
        target=target,
        turn=LATER_TURN,
        first=pcr(first, number=named / "first"),
        later=pcr(later_same, number=named / "later"),
        seam=seam_pcr,
        n_left_out=n_items - len(later_same.turns),
        fall=fall,
        harder_questions=harder,
        own_earlier_answers=own,
    )


def _own(later: Items, seam: Items, *, level: float) -> Number:
    """Give seam - later, on the same items; both scored."""
    if (few := _few((LATER_TURN, later))) is not None:
        return few
    return paired_difference(seam.corrected, later.corrected, seam.threads, level=level)


def _fall(first: Items, later: Items, *, level: float) -> Number:
    """Give first - later; both scored."""
    if (few := _few((0, first), (LATER_TURN, later))) is not None:
        return few
    return unpaired_difference(
        (first.corrected, first.threads), (later.corrected, later.threads), level=level
    )


def _few(*turns: tuple[int, Items]) -> NotEstimable | None:
    """Refuse a comparison of turns when one of them holds few items."""
    for turn, items in turns:
        if len(items.turns) < FEWEST_AT_A_TURN:
            return NotEstimable(
                reason=f"turn {turn} has fewer than {FEWEST_AT_A_TURN} scored items",
                n=len(items.turns),
            )
    return None
