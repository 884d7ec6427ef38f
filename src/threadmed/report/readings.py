"""From metrics' numbers to points of charts and cells of tables."""

from collections.abc import Callable, Iterable, Sequence
from typing import assert_never

import msgspec

from threadmed.metrics.agreement.coefficients import Coefficient
from threadmed.metrics.corrected.adjusted import Adjusted
from threadmed.metrics.estimates import Estimate, NotEstimable
from threadmed.metrics.measurement import Group, PairedTest
from threadmed.records import Setting
from threadmed.report.blocks import (
    Column,
    Interval,
    Note,
    Point,
    Quantity,
    Strip,
    Words,
)
from threadmed.report.links import answers_link
from threadmed.report.numbers import (
    MISSING,
    count,
    mean_score,
    p_value,
    percent,
    points,
    ratio,
    span,
)
from threadmed.report.theme import SETTING_NAMES

Write = Callable[[float], str]
Valued = Estimate | Adjusted | Coefficient
"""What has a value, an interval and an n, by whatever method."""
Number = Valued | NotEstimable


WITHOUT = "the table has no "
"""How a reason begins that names a setting which was not asked."""


def point(number: Number) -> Point:
    """Make the point of a number; without an estimate it has a reason."""
    match number:
        case Estimate() | Adjusted() | Coefficient():
            return Point(
                value=number.value,
                low=number.low,
                high=number.high,
                n=number.n,
                note=number.flag,
            )
        case NotEstimable():
            return Point(
                value=None, low=None, high=None, n=number.n, note=reason(number)
            )
        case _:
            assert_never(number)


def cells(
    number: Number, write: Write, *, href: str = "", is_share: bool = False
) -> tuple[Quantity, Interval]:
    """Make the cell of a number and that of its interval.

    Where there is no estimate a dash stands instead of it, or of a share the counts if
    there are any; the reason goes with them as a note.

    Args:
        number: What to show.
        write: How it is written.
        href: Where the answers are that it was made of; a number alone leads there.
        is_share: Whether it is its hits out of n, so that counts say what it would.
    """
    match number:
        case Estimate() | Adjusted() | Coefficient():
            shown = Quantity(
                value=number.value,
                text=write(number.value),
                note=number.flag,
                href=href,
            )
            text = span(write(number.low), write(number.high))
            return shown, Interval(low=number.low, high=number.high, text=text)
        case NotEstimable():
            return (
                Quantity(
                    value=None,
                    text=counts(number) if is_share else MISSING,
                    note=reason(number),
                ),
                Interval(low=None, high=None, text=MISSING),
            )
        case _:
            assert_never(number)


def estimate_columns(**titles: str) -> tuple[Column, ...]:
    """Give the two columns of each number that `cells` makes cells of.

    Args:
        titles: The heads, by the names that the numbers have in files.

    Example:
        >>> [each.key for each in estimate_columns(pcr="PCR, %", pcs="PCS")]
        ['pcr', 'pcr_ci', 'pcs', 'pcs_ci']
    """
    return tuple(
        column
        for key, title in titles.items()
        for column in (
            Column(key=key, title=title),
            Column(key=f"{key}_ci", title="95% CI", align="interval"),
        )
    )


def counts(number: NotEstimable) -> str:
    """Write the counts that there are instead of a rate.

    Example:
        >>> counts(NotEstimable(reason="few", n=3, hits=2))
        '2/3'
    """
    if number.hits is None or not number.n:
        return MISSING
    return f"{number.hits}/{number.n}"


def reason(number: NotEstimable) -> str:
    """Say why there is no number, as a reader of the page knows the settings.

    Example:
        >>> reason(NotEstimable(reason="the table has no target_turn", n=0))
        'this study has no target-turn setting'
        >>> reason(NotEstimable(reason="no failures", n=0))
        'no failures'
    """
    setting = number.reason.removeprefix(WITHOUT)
    for known, name in SETTING_NAMES.items():
        if setting == known and number.reason != setting:
            return f"this study has no {name.lower()} setting"
    return number.reason


def dashes(numbers: Iterable[Number]) -> str:
    r"""Say why a chart has dashes instead of numbers; empty where it has none.

    Example:
        >>> none = NotEstimable(reason="fewer than 5 scored items", n=3)
        >>> print(dashes([none, none]).replace(MISSING, "-"))
         - where there is no estimate: fewer than 5 scored items.
    """
    reasons = dict.fromkeys(reason(n) for n in numbers if isinstance(n, NotEstimable))
    if not reasons:
        return ""
    return f" {MISSING} where there is no estimate: {'; '.join(reasons)}."


def bounds_note(group: Group) -> str:
    """Say between which rates the missing scores leave PCR; empty where few miss."""
    wrong, right = group.bounds.all_wrong, group.bounds.all_right
    if not group.bounds.is_needed or not isinstance(group.pcr, Estimate):
        return ""
    if not (isinstance(wrong, Estimate) and isinstance(right, Estimate)):
        return ""
    ends = f"{percent(wrong.value)} and {percent(right.value)}%"
    share = percent(group.coverage)
    return f"{share}% have a score; the missing ones leave PCR between {ends}"


def group_rate(group: Group) -> tuple[Quantity, Interval]:
    """Make the cells of a group's PCR, noted where many scores are missing."""
    shown, interval = rate(group.pcr, href=group_link(group, 1))
    notes = [note for note in (shown.note, bounds_note(group)) if note]
    return msgspec.structs.replace(shown, note="; ".join(notes)), interval


def setting_cell(setting: Setting) -> Words:
    """Name a setting on the page as a reader knows it, in files as records do."""
    return Words(text=SETTING_NAMES[setting], value=setting)


def rate(number: Number, *, href: str = "") -> tuple[Quantity, Interval]:
    """Make the cells of a share of items, whose counts stand where it is refused."""
    return cells(number, percent, href=href, is_share=True)


def derived_rate(number: Number) -> tuple[Quantity, Interval]:
    """Make the cells of a rate that is weighted or corrected: no share of its n."""
    return cells(number, percent)


def agreement(number: Number) -> tuple[Quantity, Interval]:
    """Make the cells of a kappa, or of another ratio."""
    return cells(number, ratio)


def difference(number: Number) -> tuple[Quantity, Interval]:
    """Make the cells of a difference of shares, in points."""
    return cells(number, points)


def mean(number: Number) -> tuple[Quantity, Interval]:
    """Make the cells of a mean score."""
    return cells(number, mean_score)


def bound_cells(low: Number, high: Number) -> Interval:
    """Make the cell of two extremes between which a share must lie."""
    if isinstance(low, NotEstimable) or isinstance(high, NotEstimable):
        return Interval(low=None, high=None, text=MISSING)
    text = span(percent(low.value), percent(high.value))
    return Interval(low=low.value, high=high.value, text=text)


def strip(
    number: Number,
    write: Write,
    *,
    unit: str = "%",
    band: tuple[float, float] | None = None,
) -> Strip:
    """Make the drawing of a number in a row of a table, with its sentence."""
    match number:
        case Estimate() | Adjusted() | Coefficient():
            low, high = write(number.low), write(number.high)
            label = f"{write(number.value)}{unit}, interval {low} to {high}"
            return Strip(
                value=number.value,
                low=number.low,
                high=number.high,
                label=label,
                band=band,
            )
        case NotEstimable():
            return Strip(value=None, label=f"no estimate: {reason(number)}")
        case _:
            assert_never(number)


def said(number: Number, write: Write = percent, *, unit: str = "%") -> str:
    """Write a number with its interval and n, as it stands in a sentence.

    Example:
        >>> said(NotEstimable(reason="no failures", n=0))
        'not known (no failures)'
    """
    match number:
        case Estimate() | Adjusted() | Coefficient():
            interval = span(write(number.low), write(number.high))
            return (
                f"{write(number.value)}{unit} "
                f"({number.level:.0%} CI {interval}, n = {number.n:,})"
            )
        case NotEstimable():
            return f"not known ({reason(number)})"
        case _:
            assert_never(number)


def whole(n: int, *, href: str = "") -> Quantity:
    """Give the cell of a whole number; a number of nothing leads nowhere."""
    return Quantity(value=n, text=count(n), href=href if n else "")


def plain(value: float, write: Write, *, note: str = "") -> Quantity:
    """Give the cell of a number that is known and not estimated."""
    return Quantity(value=value, text=write(value), note=note)


def adjusted_p(test: PairedTest | NotEstimable) -> Quantity:
    """Make the cell of a p-value that is adjusted for its family."""
    if isinstance(test, NotEstimable):
        return Quantity(value=None, text=MISSING, note=test.reason)
    return Quantity(value=test.p_holm, text=p_value(test.p_holm))


def warned(texts: Sequence[str]) -> list[Note]:
    """Put warnings of metrics into one note, with settings as the page names them.

    Example:
        >>> warned(["m in target_turn has no control"])[0].items
        ('m in target-turn has no control',)
        >>> warned([])
        []
    """
    items = []
    for text in texts:
        said = text
        for setting, name in SETTING_NAMES.items():
            said = said.replace(setting, name.lower())
        items.append(said.replace(" %", "%"))
    return [Note(text="To be kept in mind", items=tuple(items))] if items else []


def group_link(group: Group, score: int | tuple[int, ...] | None = None) -> str:
    """Give the address of a group's answers, or of those with a score."""
    return answers_link(group.target, group.setting, score)
