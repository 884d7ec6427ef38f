"""From the first question to the third: what is lost, and to what."""

import msgspec

from threadmed.report.blocks import Loss, LossChart, Point
from threadmed.report.drawing import Drawing
from threadmed.report.marks import SMALL_CHARACTER, Dot, Line, Text, small
from threadmed.report.numbers import MISSING, percent, points, signed_points
from threadmed.report.rows import (
    Frame,
    estimate,
    frame,
    head,
    number,
    row_drawing,
    whisker,
)
from threadmed.report.theme import Shape, Token

APART = 0.25
"""Share of the scale that the labels of first and third question need."""


def loss_rows(chart: LossChart, *, is_narrow: bool) -> Drawing:
    """Draw turn 0, turn 2, and the two parts of what lies between."""
    names = [row.model for row in chart.rows]
    beside = max(SMALL_CHARACTER * len(_lost_and_own(row)) for row in chart.rows)
    place = msgspec.structs.replace(
        frame(names, is_narrow=is_narrow, right=252, top=46, row=39), beside=beside
    )
    lines: list[Line] = []
    dots: list[Dot] = []
    texts: list[Text] = []
    for index, row in enumerate(chart.rows):
        y = place.middle(index)
        lines += _bridge(row, y)
        for point, colour, shape in _ends(row):
            lines += whisker(point, y + 12, colour, width=1.2)
            dots += estimate(point, y, colour, shape)[1]
        texts += _narrow_loss(place, row, y) if is_narrow else _wide_loss(place, row, y)
    if not is_narrow:
        texts += _loss_head(place, chart.rows[0])
    return row_drawing(place, names, lines=lines, dots=dots, texts=texts)


def _ends(row: Loss) -> tuple[tuple[Point, Token, Shape], ...]:
    return ((row.first, "ink", "circle"), (row.third, "orange", "diamond"))


def _bridge(row: Loss, y: float) -> list[Line]:
    """Draw the loss as a thick and a thin bar that meet at the seam.

    Grey print keeps them apart; where a part is a gain, the thin one lies on the other.
    """
    first, seam, third = (_value(p) for p in (row.first, row.seam, row.third))
    return [
        Line(x=seam, x2=first, y=y, y2=y, colour="mid", width=8),
        Line(x=third, x2=seam, y=y, y2=y, colour="orange", width=3.5),
    ]


def _value(point: Point) -> float:
    if point.value is None:
        raise ValueError(f"a loss without a number cannot be drawn: {point.note}")
    return point.value


def _own_interval(row: Loss) -> str:
    """Write what its own answers cost, as a loss: with the sign turned."""
    if row.own.low is None or row.own.high is None:
        return MISSING
    return signed_points(-row.own.high, -row.own.low, decimals=0)


def _wide_loss(place: Frame, row: Loss, y: float) -> list[Text]:
    lost, own = (points(-_value(p), decimals=0) for p in (row.lost, row.own))
    return [
        *_end_labels(row, y),
        number(place, 716, y, lost, weight="bold"),
        number(place, 788, y, own, weight="bold", colour="orange"),
        number(place, 880, y, _own_interval(row), colour="ink-2"),
    ]


def _end_labels(row: Loss, y: float) -> list[Text]:
    """Write the two rates outside of all that is drawn between them."""
    first, seam, third = (_value(p) for p in (row.first, row.seam, row.third))
    lower, upper = sorted((first, third))
    low, high = (percent(end, decimals=0) for end in (lower, upper))
    left, right = min(lower, seam), max(upper, seam)
    return [
        Text(x=left, y=y, text=low, anchor="end", dx=-12, colour="ink-2"),
        Text(x=right, y=y, text=high, dx=12, colour="ink-2"),
    ]


def _narrow_loss(place: Frame, row: Loss, y: float) -> list[Text]:
    return [small(place.at(330), y - 26, _lost_and_own(row), anchor="end")]


def _lost_and_own(row: Loss) -> str:
    lost, own = (points(-_value(p), decimals=0) for p in (row.lost, row.own))
    return f"{lost} points, {own} own answers"


def _loss_head(place: Frame, row: Loss) -> list[Text]:
    first, seam, third = (_value(p) for p in (row.first, row.seam, row.third))
    fits = third < seam < first and first - third >= APART
    return [
        head(place, 716, "points", line=0),
        head(place, 716, "lost", line=1),
        head(place, 788, "to own", line=0, colour="orange"),
        head(place, 788, "answers", line=1, colour="orange"),
        head(place, 880, "95% CI", line=1),
        *(_labels(place, first, seam, third) if fits else _key(place)),
    ]


def _lines(place: Frame) -> tuple[float, float]:
    """Give the two lines above the plot."""
    return -place.top + 8, -place.top + 25


def _labels(place: Frame, first: float, seam: float, third: float) -> list[Text]:
    """Label the first row's points and bars where they are."""
    above, below = _lines(place)
    ends = ("1st question, turn 0", "3rd question, turn 2")
    parts = ("own earlier answers", "harder questions")
    one = Text(x=first, y=above, text=ends[0], anchor="middle", weight="bold")
    three = Text(x=third, y=above, text=ends[1], anchor="end", weight="bold", dx=6)
    own = Text(x=seam, y=below, text=parts[0], anchor="end", dx=-5, colour="orange")
    harder = Text(x=seam, y=below, text=parts[1], dx=5, colour="ink-3")
    return [one, msgspec.structs.replace(three, colour="orange"), own, harder]


def _key(place: Frame) -> list[Text]:
    """Say what is what where labels would lie on each other."""
    above, below = _lines(place)
    three, own = "\u25ca 3rd question, turn 2", "thin: own earlier answers"
    return [
        Text(x=0, y=above, text="\u25cf 1st question, turn 0", weight="bold"),
        Text(x=0.45, y=above, text=three, weight="bold", colour="orange"),
        Text(x=0, y=below, text="thick: harder questions", colour="ink-3"),
        Text(x=0.45, y=below, text=own, colour="orange"),
    ]
