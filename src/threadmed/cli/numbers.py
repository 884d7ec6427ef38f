"""The numbers of a scores table as lines for a terminal."""

from collections.abc import Iterator

from threadmed.metrics.estimates import Estimate, Number
from threadmed.metrics.measurement import Group, Measurement


def lines(measured: Measurement) -> Iterator[str]:
    """Give one block a target and setting, then what is compared on the same items."""
    for group in measured.groups:
        yield from _group(group)
    for same in measured.settings_same_items:
        yield f"{same.target}, settings on the same {same.n} items (turn 1 and later)"
        for each in same.rates:
            yield f"  {each.setting:13} PCR {percent(each.pcr)}"
        for difference in same.differences:
            first, second = difference.first.setting, difference.second.setting
            yield f"  {first} - {second}: {points(difference.difference)}"
    yield ""
    yield "Intervals aim at 95 % and are described in docs/methods.md."


def _group(group: Group) -> Iterator[str]:
    yield (
        f"{group.target}, {group.setting}: {group.n_scored} of {group.n_items} items "
        f"scored ({100 * group.coverage:.1f} %), {group.n_threads} threads"
    )
    yield f"  PCR           {percent(group.pcr)}"
    yield f"  Uncorrected   {percent(group.uncorrected)}"
    yield f"  PCS           {plain(group.pcs)}"
    for each in group.by_turn:
        yield f"  PCR at turn {each.turn} {percent(each.pcr)}"
    yield f"  RR            {percent(group.recovery.rate)}"
    if group.n_scored < group.n_items:
        bounds = group.bounds
        yield (
            f"  missing scores all wrong {percent(bounds.all_wrong)}, all right "
            f"{percent(bounds.all_right)}"
        )
    yield ""


def percent(number: Number) -> str:
    """Write a rate in percent with its interval and n, or why there is none."""
    return _written(number, scale=100, digits=1)


def plain(number: Number) -> str:
    """Write a mean with its interval and n."""
    return _written(number, scale=1, digits=2)


def points(number: Number) -> str:
    """Write a difference of rates in points."""
    return _written(number, scale=100, digits=1, sign="+") + (
        " points" if isinstance(number, Estimate) else ""
    )


def _written(number: Number, *, scale: int, digits: int, sign: str = "") -> str:
    if not isinstance(number, Estimate):
        counted = "" if number.hits is None else f"{number.hits} of {number.n}, "
        return f"- ({counted}{number.reason})"
    value, low, high = (
        f"{scale * each:{sign}.{digits}f}"
        for each in (number.value, number.low, number.high)
    )
    flag = f", {number.flag}" if number.flag else ""
    return f"{value} [{low}, {high}] n = {number.n}{flag}"
