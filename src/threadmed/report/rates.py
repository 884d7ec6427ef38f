"""PCR and Uncorrected by model, and PCR by setting."""

import itertools
from collections.abc import Sequence
from typing import Literal

from threadmed.records import Setting
from threadmed.report.blocks import (
    Point,
    RatesChart,
    SettingPoint,
    SettingsChart,
    SettingsRow,
)
from threadmed.report.drawing import Drawing
from threadmed.report.marks import SMALL_CHARACTER, Dot, Line, Text, small
from threadmed.report.numbers import MISSING, count, percent, percents
from threadmed.report.rows import (
    NARROW,
    WIDE,
    Frame,
    estimate,
    frame,
    head,
    number,
    row_drawing,
)
from threadmed.report.theme import (
    SETTING_COLOURS,
    SETTING_NAMES,
    SETTING_READS,
    SETTING_SHAPES,
    SYMBOLS,
    Shape,
    Token,
)

NARROW_RIGHT = 58
"""Px at the right of a drawing for phones, where n stands: room for five digits."""


def rate_rows(chart: RatesChart, *, is_narrow: bool) -> Drawing:
    """Draw PCR and Uncorrected with their intervals (paper, Figure 4)."""
    names = [row.model for row in chart.rows]
    place = frame(
        names,
        is_narrow=is_narrow,
        right=232,
        top=34,
        row=46,
        narrow_right=NARROW_RIGHT,
    )
    lines: list[Line] = []
    dots: list[Dot] = []
    texts: list[Text] = []
    kinds: tuple[tuple[Token, Shape, int, str], ...] = (
        ("blue", "circle", -8, "corrected"),
        ("orange", "diamond", 8, "not corrected"),
    )
    for index, row in enumerate(chart.rows):
        for point, (colour, shape, shift, _) in zip(
            (row.corrected, row.uncorrected), kinds, strict=True
        ):
            y = place.middle(index) + shift
            whiskers, dot = estimate(point, y, colour, shape)
            lines += whiskers
            dots += dot
            texts += _beside(place, point, y, colour) if is_narrow else []
        if is_narrow:
            texts.append(_items(place, NARROW - 4, place.middle(index), row.corrected))
        else:
            texts += _rate_numbers(place, row.corrected, row.uncorrected, index)
    if not is_narrow:
        texts += [
            head(place, 740, "\u25cf corrected", line=0, colour="blue"),
            head(place, 836, "\u25ca not corrected", line=0, colour="orange"),
            head(place, 880, "n", line=0),
        ]
    return row_drawing(
        place, names, lines=lines, dots=dots, texts=texts, title="scored answers, %"
    )


def _rate_numbers(
    place: Frame, corrected: Point, uncorrected: Point, index: int
) -> list[Text]:
    y = place.middle(index)
    return [
        number(place, 740, y - 8, written(corrected)),
        *_interval(place, 740, y + 8, corrected),
        number(place, 836, y - 8, written(uncorrected)),
        *_interval(place, 836, y + 8, uncorrected),
        number(place, 880, y - 8, count(corrected.n), colour="ink-2"),
    ]


def _interval(place: Frame, px: float, y: float, point: Point) -> list[Text]:
    """Write the interval under its rate, to end at `px`; nothing without one."""
    if point.low is None or point.high is None:
        return []
    text = percents(point.low, point.high, decimals=0)
    return [small(place.at(px), y, text, anchor="end")]


def _items(place: Frame, px: float, y: float, point: Point) -> Text:
    """Write on how many items a rate rests, to end at `px`."""
    return small(place.at(px), y, f"n {count(point.n)}", anchor="end")


def written(point: Point) -> str:
    r"""Write a point as percent, or the dash that its caption explains.

    Example:
        >>> written(Point(value=None, low=None, high=None, n=3)) == "\u2013"
        True
    """
    return MISSING if point.value is None else percent(point.value)


def _beside(place: Frame, point: Point, y: float, colour: Token) -> list[Text]:
    """Write a rate at the free end of its interval, for want of columns."""
    if point.value is None:
        return [small(0.02, y, MISSING, anchor="start", colour=colour)]
    text = percent(point.value, decimals=0)
    low, high = point.low or 0.0, point.high or 1.0
    if high < 0.86:
        return [small(high + 7 / place.width, y, text, anchor="start", colour=colour)]
    return [small(low - 7 / place.width, y, text, anchor="end", colour=colour)]


def setting_rows(chart: SettingsChart, *, is_narrow: bool) -> Drawing:
    """Draw the settings of each model on the same items (paper, Figure 6)."""
    names = [row.model for row in chart.rows]
    settings = list(dict.fromkeys(p.setting for row in chart.rows for p in row.points))
    right = 32.0 + 84 * len(settings)
    row_height = max(54.0, 16.0 + 14 * len(settings))
    place = frame(
        names,
        is_narrow=is_narrow,
        right=right,
        top=28,
        row=row_height,
        narrow_right=NARROW_RIGHT,
    )
    lines: list[Line] = []
    dots: list[Dot] = []
    texts: list[Text] = []
    for index, row in enumerate(chart.rows):
        marked = _setting_marks(place, row, index, is_joined=chart.is_paired)
        lines += marked[0]
        dots += marked[1]
        texts += marked[2]
        if index == 0 and not is_narrow:
            texts += _reads(place, row)
    if not is_narrow:
        texts += [_setting_head(place, settings, setting) for setting in settings]
        texts += [
            text
            for index, row in enumerate(chart.rows)
            for p in row.points
            for text in _setting_numbers(
                place, _column(settings, p.setting), place.middle(index), p.point
            )
        ]
    return row_drawing(place, names, lines=lines, dots=dots, texts=texts)


def _setting_numbers(place: Frame, px: float, y: float, point: Point) -> list[Text]:
    """Write a rate, its interval and its n under each other."""
    return [
        number(place, px, y - 15, written(point)),
        *_interval(place, px, y, point),
        _items(place, px, y + 15, point),
    ]


def _setting_head(place: Frame, settings: Sequence[Setting], setting: Setting) -> Text:
    symbol = SYMBOLS[SETTING_SHAPES[setting]]
    text = f"{symbol} {SETTING_NAMES[setting].lower()}"
    colour = SETTING_COLOURS[setting]
    return head(place, _column(settings, setting), text, line=0, colour=colour)


def _column(settings: Sequence[str], setting: str) -> float:
    return WIDE - 84.0 * (len(settings) - 1 - settings.index(setting))


def _setting_marks(
    place: Frame, row: SettingsRow, index: int, *, is_joined: bool
) -> tuple[list[Line], list[Dot], list[Text]]:
    lines: list[Line] = []
    dots: list[Dot] = []
    texts: list[Text] = []
    for p, y in _levels(place, row, index):
        colour, shape = SETTING_COLOURS[p.setting], SETTING_SHAPES[p.setting]
        whiskers, dot = estimate(p.point, y, colour, shape)
        lines += whiskers
        dots += dot
        if place.is_narrow:
            texts += _beside(place, p.point, y, colour)
            texts.append(_items(place, NARROW - 4, y, p.point))
    joins = [
        Line(x=a.x, y=a.y, x2=b.x, y2=b.y, colour="pale", width=1.5)
        for a, b in itertools.pairwise(dots)
    ]
    return [*(joins if is_joined else []), *lines], dots, texts


def _levels(
    place: Frame, row: SettingsRow, index: int
) -> list[tuple[SettingPoint, float]]:
    """Give each setting its own line within the row, 14 px apart."""
    top = place.middle(index) - 7.0 * (len(row.points) - 1)
    if place.is_narrow:
        top = place.row * index + 34
    return [(p, top + 14 * order) for order, p in enumerate(row.points)]


def _reads(place: Frame, row: SettingsRow) -> list[Text]:
    """Say beside the first row's points what each setting shows.

    All stand on one side, where that has room for all; else none does.
    """
    shown = [(p, y, *_ends(p.point)) for p, y in _levels(place, row, 0)]
    gap = 8 / place.width
    rooms = [
        (SMALL_CHARACTER * len(SETTING_READS[p.setting])) / place.width + gap
        for p, *_ in shown
    ]
    if any(p.point.value is None for p, *_ in shown):
        return []
    both = list(zip(shown, rooms, strict=True))
    anchor: Literal["start", "end"]
    if all(low >= room for (_, _, low, _), room in both):
        anchor = "end"
    elif all(high + room <= 1 for (_, _, _, high), room in both):
        anchor = "start"
    else:
        return []
    return [
        small(
            low - gap if anchor == "end" else high + gap,
            y,
            SETTING_READS[p.setting],
            anchor=anchor,
            colour=SETTING_COLOURS[p.setting],
        )
        for p, y, low, high in shown
    ]


def _ends(point: Point) -> tuple[float, float]:
    """Give the ends of an interval, or those of the scale where there is none."""
    return (
        0.0 if point.low is None else point.low,
        1.0 if point.high is None else point.high,
    )
