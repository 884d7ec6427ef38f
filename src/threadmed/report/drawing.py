"""A drawing as marks at places, and what makes an Altair chart of it."""

import textwrap

import altair as alt
import msgspec

from threadmed.records import Record
from threadmed.report.marks import (
    Axes,
    Dot,
    Line,
    Text,
    dot_layers,
    line_layers,
    text_layers,
)
from threadmed.report.theme import altair_config

GRID = (0.0, 0.25, 0.5, 0.75, 1.0)
"""Where rates have their gridlines."""
TITLE_CHARACTERS = 140
"""What fits into a line of a title 880 px wide; narrower drawings have none."""

EDGE = 8
"""Px of paper around a drawing that is a file."""


class Margins(Record, frozen=True, kw_only=True):
    """Room around the plot in px, where labels stand."""

    left: float
    right: float
    top: float
    bottom: float


class Drawing(Record, frozen=True, kw_only=True):
    """Marks in the order in which they are laid over each other."""

    axes: Axes
    margins: Margins
    behind: tuple[Line, ...] = ()
    lines: tuple[Line, ...] = ()
    dots: tuple[Dot, ...] = ()
    texts: tuple[Text, ...] = ()

    @property
    def width(self) -> float:
        """Give the width of all of it, in px."""
        return self.axes.width + self.margins.left + self.margins.right


class Headline(Record, frozen=True, kw_only=True):
    """What a file says above its chart; on the page the caption says it."""

    title: str
    lines: tuple[str, ...]


def layered(drawing: Drawing) -> alt.LayerChart:
    """Lay the marks of a drawing over each other."""
    axes = drawing.axes
    layers = [
        *line_layers(drawing.behind, axes),
        *line_layers(drawing.lines, axes),
        *dot_layers(drawing.dots, axes),
        *text_layers(drawing.texts, axes),
    ]
    return alt.LayerChart(layer=layers, width=axes.width, height=axes.height)


def standing(drawing: Drawing, headline: Headline | None = None) -> dict[str, object]:
    """Make the specification of a chart that stands alone, of exactly its size."""
    margins, height = drawing.margins, 0.0
    chart = layered(drawing)
    if headline:
        title = title_of(headline)
        height = 24.0 + 16 * (len(title.text) + len(title.subtitle))
        title.dx, title.frame = -margins.left, "group"
        chart = chart.properties(title=title)
        margins = msgspec.structs.replace(
            margins, left=margins.left + EDGE, right=margins.right + EDGE
        )
    chart = chart.properties(
        autosize=alt.AutoSizeParams(type="none"),
        padding={
            "left": margins.left,
            "right": margins.right,
            "top": margins.top + height,
            "bottom": margins.bottom,
        },
    )
    return finished(chart)


def title_of(headline: Headline) -> alt.TitleParams:
    """Break title and subtitle into lines that fit."""
    return alt.TitleParams(
        text=textwrap.wrap(headline.title, TITLE_CHARACTERS - 30),
        subtitle=[
            part
            for line in headline.lines
            for part in textwrap.wrap(line, TITLE_CHARACTERS)
        ],
    )


def finished(chart: alt.LayerChart | alt.ConcatChart) -> dict[str, object]:
    """Give a chart the theme, and make its specification."""
    specification: dict[str, object] = chart.to_dict()
    config = {**altair_config()}
    if "padding" in specification:
        config.pop("padding")
    return {**specification, "config": config}
