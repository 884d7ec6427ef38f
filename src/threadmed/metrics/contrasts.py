"""What is compared with what: settings, and targets.

Every comparison is paired: only items scored on both sides enter, and those left out
are counted.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from typing import Literal, NamedTuple

import msgspec

from threadmed.metrics.compared import (
    Comparison,
    PairedTest,
    Question,
    SameItems,
    SettingRate,
    Side,
    Support,
)
from threadmed.metrics.comparison import cells, paired_difference
from threadmed.metrics.correction import Numbered, complement, pcr
from threadmed.metrics.estimates import NotEstimable, Number
from threadmed.metrics.intervals import totals
from threadmed.metrics.items import Items
from threadmed.metrics.measurement import PValue
from threadmed.metrics.significance import holm, mcnemar, sign_flip
from threadmed.records import ALL_SETTINGS, Setting

COMPARED: tuple[Setting, ...] = ("multi_turn", "target_turn", "oracle")
"""The settings of the paper's Table 4."""
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
    pcr: Number | None = None
    """On the items of the comparison, where it is known already."""


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

    Example:
        >>> import numpy as np
        >>> from threadmed.metrics.measurement import MeasureOptions
        >>> one = Items(np.arange(20), np.ones(20, int), np.ones(20), np.ones(20, bool))
        >>> other = one._replace(scores=np.where(np.arange(20) < 12, 0.0, 1.0))
        >>> sides = Scored("a", "oracle", one), Scored("b", "oracle", other)
        >>> found = compare("targets", *sides, number=Numbered(MeasureOptions(), ()))
        >>> found.first_only, found.difference.value, round(found.test.p, 6)
        (12, 0.6, 0.000488)
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
        difference=flagged(difference, *first.items.shared(second.items)),
        test=_tested(one, other, difference, p_value=number.options.p_value),
    )


def _side(side: Scored, items: Items, *, number: Numbered) -> Side:
    named = number / side.target / side.setting
    known = side.pcr or pcr(items, number=named)
    return Side(target=side.target, setting=side.setting, pcr=known)


def flagged(difference: Number, first: Items, second: Items) -> Number:
    """Say beside a difference where the labelled items of its sides differ in coverage.

    What is missing on one side only may be what made the difference.

    Args:
        difference: Of the two sides.
        first: Its labelled items, scored or not.
        second: Those of the other side.

    Example:
        >>> import numpy as np
        >>> from threadmed.metrics.comparison import paired_difference
        >>> one = Items(np.arange(20), np.ones(20, int), np.ones(20), np.ones(20, bool))
        >>> other = one._replace(is_scored=np.arange(20) > 0)
        >>> found = paired_difference(one.corrected, 1 - one.corrected, one.threads)
        >>> flagged(found, one, other).flag
        'coverage differs by 5.0 points'
    """
    if isinstance(difference, NotEstimable):
        return difference
    gap = abs(first.is_scored.mean() - second.is_scored.mean())
    if gap <= UNEVEN:
        return difference
    uneven = f"coverage differs by {100 * gap:.1f} points"
    flag = f"{difference.flag}; {uneven}" if difference.flag else uneven
    return msgspec.structs.replace(difference, flag=flag)


def _tested(
    one: Items, other: Items, difference: Number, *, p_value: PValue
) -> PairedTest | NotEstimable:
    """Test over threads; over items, by McNemar, only where no thread has two."""
    if isinstance(difference, NotEstimable):
        return difference
    by_thread = totals(one.corrected - other.corrected, one.threads)
    test: Literal["sign_flip", "mcnemar"] = "sign_flip"
    if by_thread.is_clustered:
        p = sign_flip(by_thread, p_value=p_value)
    else:
        test, table = "mcnemar", cells(one.corrected, other.corrected)
        p = mcnemar(table.first_only, table.second_only, p_value=p_value)
    return PairedTest(
        test=test, p_value=p_value, p=p, p_holm=p, family="", family_size=1
    )


def adjust(family: Sequence[Comparison], *, named: str) -> tuple[Comparison, ...]:
    """Adjust the tests of one family by Holm's method, in order.

    Args:
        family: Every comparison that was asked for; one that could not be made counts
            as p = 1.
        named: The family in words.

    Example:
        >>> import numpy as np
        >>> from threadmed.metrics.measurement import MeasureOptions
        >>> one = Items(np.arange(20), np.ones(20, int), np.ones(20), np.ones(20, bool))
        >>> other = one._replace(scores=np.where(np.arange(20) < 6, 0.0, 1.0))
        >>> sides = Scored("a", "oracle", one), Scored("b", "oracle", other)
        >>> found = compare("targets", *sides, number=Numbered(MeasureOptions(), ()))
        >>> test = adjust([found, found], named="targets in oracle")[0].test
        >>> test.p, test.p_holm, test.family_size
        (0.03125, 0.0625, 2)
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


def main_setting(settings: Iterable[Setting]) -> Setting:
    """Give the setting in which targets are compared: the one that most of them have.

    Of several it is the first in the order of settings, which begins with multi_turn.

    Args:
        settings: Those of every target, one or more.

    Example:
        >>> main_setting(["oracle", "multi_turn"]), main_setting(["isolated"])
        ('multi_turn', 'isolated')
        >>> main_setting(["multi_turn", "isolated", "isolated"])
        'isolated'
    """
    return max(ALL_SETTINGS, key=Counter(settings).__getitem__)


def compare_targets(
    targets: Mapping[str, BySetting], *, number: Numbered
) -> tuple[Comparison, ...]:
    """Compare every two targets in their main setting; one family.

    Args:
        targets: Labelled items of each target by setting, in the order of the report.
        number: Options, and the name for the sides' rates.

    Example:
        >>> import numpy as np
        >>> from threadmed.metrics.measurement import MeasureOptions
        >>> one = Items(np.arange(20), np.ones(20, int), np.ones(20), np.ones(20, bool))
        >>> targets = dict.fromkeys("abc", {"isolated": one})
        >>> found = compare_targets(targets, number=Numbered(MeasureOptions(), ()))
        >>> [(each.first.target, each.second.target, each.test.p_holm) for each in found]
        [('a', 'b', 1.0), ('a', 'c', 1.0), ('b', 'c', 1.0)]
        >>> found[0].test.family
        'targets in isolated'
    """
    setting = main_setting(name for settings in targets.values() for name in settings)
    sides = [
        Scored(name, setting, settings[setting])
        for name, settings in targets.items()
        if setting in settings
    ]
    found = [
        compare("targets", first, second, number=_pair(number, first, second))
        for first, second in combinations(sides, 2)
    ]
    return adjust(found, named=f"targets in {setting}")


def _pair(number: Numbered, first: Scored, second: Scored) -> Numbered:
    """Name a pair of targets, whichever comes first in the table."""
    return number / " and ".join(sorted((first.target, second.target)))


def compare_settings(
    target: str, settings: BySetting, *, number: Numbered
) -> SameItems | None:
    """Compare a target's settings on the items of turn 1 and later that all have.

    Args:
        target: Its name.
        settings: Its labelled items by setting.
        number: Options and name.

    Returns:
        None where the table has fewer than two of the three settings.

    Example:
        >>> import numpy as np
        >>> from threadmed.metrics.measurement import MeasureOptions
        >>> one = Items(np.arange(20), np.ones(20, int), np.zeros(20), np.ones(20, bool))
        >>> settings = {"multi_turn": one, "oracle": one._replace(scores=np.ones(20))}
        >>> found = compare_settings("m", settings, number=Numbered(MeasureOptions(), ()))
        >>> found.n, found.differences[0].difference.value, found.remaining.value
        (20, 1.0, 0.0)
    """
    late = {
        name: settings[name].where(settings[name].turns > 0)
        for name in COMPARED
        if name in settings
    }
    if len(late) < 2:
        return None
    found = on_same_items(target, late, number=number / "same items")
    adjusted = adjust(found.differences, named=f"settings of {target}")
    return msgspec.structs.replace(found, differences=adjusted)


def on_same_items(target: str, settings: BySetting, *, number: Numbered) -> SameItems:
    """Compare settings on the items that are scored in each; tests not adjusted.

    Propagation is target_turn - multi_turn, information oracle - target_turn and
    remaining 1 - oracle; without target_turn there is oracle - multi_turn alone.

    Args:
        target: Its name.
        settings: Its labelled items of the turns that are looked at, in one or more.
        number: Options and name.

    Example:
        >>> import numpy as np
        >>> from threadmed.metrics.measure import RECOMMENDED as options
        >>> one = Items(np.arange(9), np.ones(9, int), np.ones(9), np.ones(9, bool))
        >>> on_same_items("m", {"oracle": one}, number=Numbered(options, ())).remaining.value
        0.0
    """
    held = {name: settings[name] for name in COMPARED if name in settings}
    kept = [items.scored for items in held.values()]
    same = dict(zip(held, kept[0].shared(*kept[1:]), strict=True))
    first, *others = held.values()
    n = len(next(iter(same.values())).turns)
    n_left_out = first.united(*others) - n
    rates = {name: pcr(items, number=number / name) for name, items in same.items()}
    found = [
        _difference(
            contrast,
            [Scored(target, name, same[name], rates[name]) for name in contrast[1:]],
            held,
            number=number,
        )
        for contrast in _contrasts(held)
    ]
    supports = tuple(
        Support(setting=name, n_scored=len(items.turns))
        for name, items in zip(held, kept, strict=True)
    )
    return SameItems(
        target=target,
        n=n,
        n_left_out=n_left_out,
        rates=tuple(SettingRate(setting=s, pcr=rate) for s, rate in rates.items()),
        differences=tuple(
            msgspec.structs.replace(each, n_left_out=n_left_out) for each in found
        ),
        remaining=_remaining(rates),
        supports=supports,
        unlike=_unlike(supports, n),
    )


def _remaining(rates: Mapping[Setting, Number]) -> Number:
    if "oracle" not in rates:
        return NotEstimable(reason="the table has no oracle", n=0)
    return complement(rates["oracle"])


def _unlike(supports: Sequence[Support], n: int) -> str:
    """Name the supports where a setting has scored items that another lacks."""
    if all(each.n_scored == n for each in supports):
        return ""
    sizes = ", ".join(f"{each.setting} {each.n_scored}" for each in supports)
    return f"settings do not hold the same scored items ({sizes}); {n} are in all"


def _difference(
    contrast: Contrast,
    sides: Sequence[Scored],
    held: BySetting,
    *,
    number: Numbered,
) -> Comparison:
    """Compare two settings on the same items; `held` tells their coverage."""
    question, plus, minus = contrast
    found = compare(question, *sides, number=number)
    difference = flagged(found.difference, held[plus], held[minus])
    return msgspec.structs.replace(found, difference=difference)


def _contrasts(held: BySetting) -> list[Contrast]:
    """Name the differences that the settings allow: plus, minus."""
    wanted: list[Contrast] = [
        ("propagation", "target_turn", "multi_turn"),
        ("information", "oracle", "target_turn"),
    ]
    if "target_turn" not in held:
        wanted = [("oracle_gain", "oracle", "multi_turn")]
    return [c for c in wanted if c[1] in held and c[2] in held]
