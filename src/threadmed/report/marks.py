"""Altair layers that all charts are made of: intervals, points, lines and text.

Positions are data: a share along one axis, and along the other whatever the chart
takes; text that belongs beside the plot has a position outside of 0 to 1.
"""

from collections import defaultdict
from collections.abc import Sequence
from typing import Literal

import altair as alt

from threadmed.markup import UNSHOWN
from threadmed.records import Record
from threadmed.report.blocks import Point
from threadmed.report.numbers import FEW
from threadmed.report.theme import LABEL, LIGHT, SMALL, Shape, Token

Weight = Literal["normal", "bold"]
SIZES: dict[Shape, int] = {
    "circle": 90,
    "diamond": 105,
    "triangle-up": 88,
    "square": 80,
    "triangle-down": 88,
}
"""Areas in square px that look alike."""


ALIGNED: dict[str, Literal["left", "center", "right"]] = {
    "start": "left",
    "middle": "center",
    "end": "right",
}


class Text(Record, frozen=True, kw_only=True):
    """A piece of text at a place; dx and dy shift it by px."""

    x: float
    y: float
    text: str
    colour: Token = "ink"
    anchor: Literal["start", "middle", "end"] = "start"
    weight: Weight = "normal"
    size: float = LABEL
    dx: float = 0
    dy: float = 0


class Line(Record, frozen=True, kw_only=True):
    """A straight line from one place to another."""

    x: float
    y: float
    x2: float
    y2: float
    colour: Token
    width: float = 1.6


class Dot(Record, frozen=True, kw_only=True):
    """A point of a chart; hollow where it rests on few items."""

    x: float
    y: float
    colour: Token
    shape: Shape = "circle"
    is_hollow: bool = False
    is_small: bool = False


class Axes(Record, frozen=True, kw_only=True):
    """How x and y are mapped, and how large the plot is, in px."""

    x: tuple[float, float]
    y: tuple[float, float]
    width: float
    height: float


def dot_of(
    point: Point,
    *,
    x: float,
    y: float,
    colour: Token,
    shape: Shape = "circle",
    is_small: bool = False,
) -> Dot:
    """Make the dot of a point, hollow where n is below 100.

    Example:
        >>> point = Point(value=0.5, low=0.4, high=0.6, n=96)
        >>> dot_of(point, x=0.5, y=0, colour="blue").is_hollow
        True
    """
    return Dot(
        x=x,
        y=y,
        colour=colour,
        shape=shape,
        is_hollow=point.n < FEW,
        is_small=is_small,
    )


SMALL_CHARACTER = 6.2
"""Px that a character in the smallest size takes, about."""


def small(
    x: float,
    y: float,
    text: str,
    *,
    anchor: Literal["start", "middle", "end"],
    colour: Token = "ink-2",
) -> Text:
    """Make a piece of text in the smallest size."""
    return Text(x=x, y=y, text=text, colour=colour, anchor=anchor, size=SMALL)


def line_layers(lines: Sequence[Line], axes: Axes) -> list[alt.Chart]:
    """Draw lines, one layer a width."""
    by_width: dict[float, list[Line]] = defaultdict(list)
    for line in lines:
        by_width[line.width].append(line)
    return [
        alt.Chart(alt.InlineData(values=[_values(line, line.colour) for line in same]))
        .mark_rule(strokeWidth=width)
        .encode(
            **_place(axes),
            x2="x2:Q",
            y2="y2:Q",
            color=alt.Color("colour:N", scale=None),
        )
        for width, same in by_width.items()
    ]


def dot_layers(dots: Sequence[Dot], axes: Axes) -> list[alt.Chart]:
    """Draw points, one layer a shape; a hollow one is filled with paper."""
    layers = []
    for shape, size in SIZES.items():
        values = [
            {
                "x": dot.x,
                "y": dot.y,
                "fill": LIGHT["paper" if dot.is_hollow else dot.colour],
                "edge": LIGHT[dot.colour if dot.is_hollow else "paper"],
                "area": size * (0.6 if dot.is_small else 1),
            }
            for dot in dots
            if dot.shape == shape
        ]
        if values:
            layers.append(
                alt.Chart(alt.InlineData(values=values))
                .mark_point(shape=shape, strokeWidth=1.6, opacity=1)
                .encode(
                    **_place(axes),
                    fill=alt.Fill("fill:N", scale=None),
                    size=alt.Size("area:Q", scale=None),
                    stroke=alt.Stroke("edge:N", scale=None),
                )
            )
    return layers


def text_layers(texts: Sequence[Text], axes: Axes) -> list[alt.Chart]:
    """Draw text, one layer a manner."""
    manners: dict[tuple[object, ...], list[Text]] = defaultdict(list)
    for text in texts:
        manner = (text.anchor, text.weight, text.size, text.dx, text.dy)
        manners[manner].append(text)
    return [
        alt.Chart(alt.InlineData(values=[_values(text, text.colour) for text in same]))
        .mark_text(
            align=ALIGNED[same[0].anchor],
            fontWeight=600 if same[0].weight == "bold" else 400,
            fontSize=same[0].size,
            dx=same[0].dx,
            dy=same[0].dy,
            baseline="middle",
        )
        .encode(**_place(axes), text="text:N", color=alt.Color("colour:N", scale=None))
        for same in manners.values()
    ]


def _values(mark: Line | Text, colour: Token) -> dict[str, object]:
    values: dict[str, object] = {"x": mark.x, "y": mark.y, "colour": LIGHT[colour]}
    if isinstance(mark, Text):
        return {**values, "text": mark.text.translate(UNSHOWN)}
    return {**values, "x2": mark.x2, "y2": mark.y2}


def _place(axes: Axes) -> dict[str, alt.X | alt.Y]:
    """Encode a place; axes are drawn as lines and text, so none of Altair's."""

    def scale(domain: tuple[float, float]) -> alt.Scale:
        return alt.Scale(domain=list(domain), nice=False, zero=False)

    return {
        "x": alt.X("x:Q", scale=scale(axes.x), axis=None),
        "y": alt.Y("y:Q", scale=scale(axes.y), axis=None),
    }
