"""A drawing as marks at places, and what makes an Altair chart of it."""

import altair as alt

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


def standing(drawing: Drawing) -> dict[str, object]:
    """Make the specification of a chart that stands alone, of exactly its size."""
    margins = drawing.margins
    chart = layered(drawing).properties(
        autosize=alt.AutoSizeParams(type="none"),
        padding={
            "left": margins.left,
            "right": margins.right,
            "top": margins.top,
            "bottom": margins.bottom,
        },
    )
    return finished(chart)


def finished(chart: alt.LayerChart | alt.ConcatChart) -> dict[str, object]:
    """Give a chart the theme, and make its specification."""
    specification: dict[str, object] = chart.to_dict()
    config = {**altair_config()}
    if "padding" in specification:
        config.pop("padding")
    return {**specification, "config": config}
