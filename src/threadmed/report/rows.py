"""Rows of a chart: one a model, with rates from 0 to 100 % along it."""

from collections.abc import Sequence
from typing import Literal

from threadmed.records import Record
from threadmed.report.blocks import Point
from threadmed.report.drawing import GRID, Drawing, Margins
from threadmed.report.marks import Axes, Dot, Line, Text, dot_of, small
from threadmed.report.numbers import percent
from threadmed.report.theme import Shape, Token

WIDE, NARROW = 880, 340
CHARACTER = 7.0
"""Px that a character of a bold label takes, about."""
AXIS_TITLE = "answers that fully correct the false belief, %"


class Frame(Record, frozen=True, kw_only=True):
    """Where the rows of a chart lie, in px."""

    is_narrow: bool
    left: float
    right: float
    """Room at the right of the plot, where numbers stand."""
    top: float
    row: float
    rows: int
    beside: float = 0.0
    """Px that words behind a name, on its line, take on phones."""

    @property
    def width(self) -> float:
        """Give the width of the plot alone."""
        return (NARROW if self.is_narrow else WIDE) - self.left - self.right

    @property
    def height(self) -> float:
        """Give the height of the plot alone."""
        return self.row * self.rows

    def at(self, px: float) -> float:
        """Turn px from the left edge of the drawing into a place on the scale."""
        return (px - self.left) / self.width

    def grid(self) -> list[tuple[float, float]]:
        """Give from where to where gridlines go; on phones they stop at each name."""
        if not self.is_narrow:
            return [(-4, self.height)]
        return [(self.above(row) + 9, self.row * (row + 1)) for row in range(self.rows)]

    def above(self, row: int) -> float:
        """Give the line over a row's points, where its name stands on phones."""
        return self.row * row + 13

    def middle(self, row: int) -> float:
        """Give the line on which a row's points lie."""
        return self.row * row + (self.row - 26 if self.is_narrow else self.row / 2)


def frame(
    names: Sequence[str],
    *,
    is_narrow: bool,
    right: float,
    top: float,
    row: float,
    narrow_right: float = 10,
) -> Frame:
    """Lay out rows; the label of a row stands at its left, or above it on phones."""
    longest = max(len(name) for name in names)
    left = min(230.0, max(112.0, CHARACTER * longest + 24))
    return Frame(
        is_narrow=is_narrow,
        left=4 if is_narrow else left,
        right=narrow_right if is_narrow else right,
        top=8 if is_narrow else top,
        row=row + 26 if is_narrow else row,
        rows=len(names),
    )


def row_drawing(
    place: Frame,
    names: Sequence[str],
    *,
    lines: Sequence[Line],
    dots: Sequence[Dot],
    texts: Sequence[Text],
    title: str = AXIS_TITLE,
) -> Drawing:
    """Put gridlines, axis with its title and the names of the rows around the marks."""
    axis = [
        small(at, place.height + 15, percent(at, decimals=0), anchor="middle")
        for at in GRID
    ]
    if not place.is_narrow:
        axis.append(small(0.5, place.height + 33, title, anchor="middle"))
    labels = [_row_label(place, row, name) for row, name in enumerate(names)]
    return Drawing(
        axes=Axes(
            x=(0, 1), y=(place.height, 0), width=place.width, height=place.height
        ),
        margins=Margins(
            left=place.left,
            right=place.right,
            top=place.top,
            bottom=24 if place.is_narrow else 42,
        ),
        behind=tuple(
            Line(
                x=at,
                x2=at,
                y=top,
                y2=end,
                colour="line" if at else "line-2",
                width=1,
            )
            for at in GRID
            for top, end in place.grid()
        ),
        lines=tuple(lines),
        dots=tuple(dots),
        texts=(*axis, *labels, *texts),
    )


def _row_label(place: Frame, row: int, name: str) -> Text:
    y = place.above(row) if place.is_narrow else place.middle(row)
    room = (
        NARROW - place.left - 26 - place.beside if place.is_narrow else place.left - 10
    )
    fits = int(room / CHARACTER)
    text = name if len(name) <= fits else name[: fits - 1] + "\u2026"
    return Text(x=place.at(0), y=y, text=text, weight="bold")


def whisker(point: Point, y: float, colour: Token, *, width: float = 1.6) -> list[Line]:
    """Draw an interval; nothing where there is none."""
    if point.low is None or point.high is None:
        return []
    return [Line(x=point.low, x2=point.high, y=y, y2=y, colour=colour, width=width)]


def estimate(
    point: Point, y: float, colour: Token, shape: Shape
) -> tuple[list[Line], list[Dot]]:
    """Draw a point over its interval; nothing where there is no estimate."""
    if point.value is None:
        return [], []
    dot = dot_of(point, x=point.value, y=y, colour=colour, shape=shape)
    return whisker(point, y, colour), [dot]


def head(
    place: Frame, px: float, text: str, *, line: int, colour: Token = "ink-2"
) -> Text:
    """Write the head of a column of numbers, in one of two lines above the plot."""
    y = -place.top + 8 + 17 * line
    return small(place.at(px), y, text, anchor="end", colour=colour)


def number(
    place: Frame,
    px: float,
    y: float,
    text: str,
    *,
    colour: Token = "ink",
    weight: Literal["normal", "bold"] = "normal",
) -> Text:
    """Write a number so that it ends at `px` from the left edge."""
    return Text(
        x=place.at(px), y=y, text=text, anchor="end", colour=colour, weight=weight
    )
