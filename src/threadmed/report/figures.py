"""Charts as data to drawings: for the page with its tokens, for files as they print.

One grammar makes both. On the page each chart has a wide drawing and one for phones,
where text must not shrink; others are panels, one drawing each, which wrap.
"""

import re
from html import escape
from typing import assert_never

import altair as alt

from threadmed.records import Record
from threadmed.report.bars import bars_drawing
from threadmed.report.blocks import (
    BarsChart,
    Figure,
    FunnelChart,
    LossChart,
    RatesChart,
    SettingsChart,
    TurnsChart,
)
from threadmed.report.drawing import (
    Drawing,
    finished,
    layered,
    standing,
)
from threadmed.report.funnels import funnel_rows
from threadmed.report.losses import loss_rows
from threadmed.report.panels import panel_drawing
from threadmed.report.rates import rate_rows, setting_rows
from threadmed.report.theme import (
    SETTING_COLOURS,
    SETTING_NAMES,
    SETTING_READS,
    SETTING_SHAPES,
    SYMBOLS,
    Token,
    themed,
)

Panelled = TurnsChart | BarsChart
InRows = LossChart | RatesChart | SettingsChart | FunnelChart
Legend = tuple[str, str, Token]
"""A symbol, what it stands for, and its colour."""

PANEL_GAP = 10
"""Px between panels, as on the page."""


class Drawn(Record, frozen=True, kw_only=True):
    """An SVG for the page, with the heading that stands over it."""

    svg: str
    heading: str = ""


def page_drawings(figure: Figure) -> tuple[Drawn, ...]:
    """Draw a figure for the page; the colours are tokens of the style sheet."""
    chart = figure.chart
    if isinstance(chart, Panelled):
        return tuple(
            Drawn(
                svg=_page_svg(drawing, alt=_panel_alt(figure, index)), heading=heading
            )
            for index, (heading, drawing) in enumerate(_panels(chart, named=False))
        )
    return tuple(
        Drawn(
            svg=_page_svg(
                _rows(chart, is_narrow=is_narrow),
                alt=figure.alt,
                name="narrow" if is_narrow else "wide",
            )
        )
        for is_narrow in (False, True)
    )


def legend(figure: Figure) -> tuple[Legend, ...]:
    """Name shapes and colours where the drawing does not: settings everywhere, else on phones."""
    chart = figure.chart
    match chart:
        case LossChart():
            return (
                ("\u25cf", "1st question, turn 0", "ink"),
                ("\u25ca", "3rd question, turn 2", "orange"),
                ("\u2500", "own earlier answers", "orange"),
                ("\u25ac", "harder questions", "mid"),
            )
        case RatesChart():
            return (
                ("\u25cf", "corrected", "blue"),
                ("\u25ca", "not corrected", "orange"),
            )
        case SettingsChart():
            shown = dict.fromkeys(p.setting for row in chart.rows for p in row.points)
            return tuple(
                (
                    SYMBOLS[SETTING_SHAPES[s]],
                    f"{SETTING_NAMES[s]}: {SETTING_READS[s]}",
                    SETTING_COLOURS[s],
                )
                for s in shown
            )
        case FunnelChart():
            return (("\u25ac", "stay", "blue"), ("\u25ac", "leave", "mid"))
        case TurnsChart() | BarsChart():
            return ()
        case _:
            assert_never(chart)


def _panel_alt(figure: Figure, index: int) -> str:
    """Give the sentence of one panel: a figure of panels has one line for each."""
    return figure.alt.split("\n")[index]


def _panels(chart: Panelled, *, named: bool) -> list[tuple[str, Drawing]]:
    """Draw each panel, with the heading that it has on the page."""
    match chart:
        case TurnsChart():
            return [
                (panel.model, panel_drawing(chart, panel, named=named))
                for panel in chart.panels
            ]
        case BarsChart():
            return [
                (panel.name, bars_drawing(chart, panel, named=named))
                for panel in chart.panels
            ]
        case _:
            assert_never(chart)


def _rows(chart: InRows, *, is_narrow: bool) -> Drawing:
    match chart:
        case LossChart():
            return loss_rows(chart, is_narrow=is_narrow)
        case RatesChart():
            return rate_rows(chart, is_narrow=is_narrow)
        case SettingsChart():
            return setting_rows(chart, is_narrow=is_narrow)
        case FunnelChart():
            return funnel_rows(chart, is_narrow=is_narrow)
        case _:
            assert_never(chart)


def file_chart(figure: Figure, *, is_narrow: bool, width: float) -> dict[str, object]:
    """Make the Vega-Lite specification of a figure as a file.

    Args:
        figure: What to draw.
        is_narrow: Whether it is drawn for one column of a page.
        width: Px that panels have, side by side.
    """
    if not isinstance(figure.chart, Panelled):
        return standing(_rows(figure.chart, is_narrow=is_narrow))
    drawings = [drawing for _, drawing in _panels(figure.chart, named=True)]
    widest = max(drawing.width for drawing in drawings)
    chart = alt.concat(
        *map(layered, drawings),
        columns=max(1, int((width + PANEL_GAP) // (widest + PANEL_GAP))),
        spacing=PANEL_GAP,
    )
    return {**finished(chart), "padding": 2}


def _page_svg(drawing: Drawing, *, alt: str, name: str = "") -> str:
    """Draw for the page: our own frame and text alternative, no font, no ids."""
    import vl_convert

    drawn = vl_convert.vegalite_to_svg(standing(drawing))
    size = re.match(r'<svg[^>]* width="(\S+)" height="(\S+)"', drawn)
    if size is None:
        raise ValueError("vl-convert wrote an SVG without a size")
    width, height = size.groups()
    inner = drawn[drawn.index(">") + 1 :]
    return (
        f'<svg class="chart {name}" role="img" aria-label="{escape(alt)}" '
        f'width="{width}" height="{height}" viewBox="0 0 {width} {height}">'
        f"{themed(tidy(inner))}"
    )


def tidy(drawn: str, *, fonts: bool = False) -> str:
    """Leave out of an SVG what draws nothing, and digits that nobody sees.

    Args:
        drawn: The SVG.
        fonts: Whether the names of fonts stay, as a file needs them.

    Example:
        >>> tidy('<path transform="translate(33.33333,1)" font-family="Arial"/>')
        '<path transform="translate(33.33,1)"/>'
    """
    left_out = r"pointer-events|aria-\w+|role|class"
    if not fonts:
        left_out += "|font-family"

    def tag(match: re.Match[str]) -> str:
        kept = re.sub(rf' (?:{left_out})="[^"]*"', "", match[0])
        kept = re.sub(r"(\d+\.\d{2})\d+", r"\1", kept)
        return "" if re.fullmatch(r'<path d="[^"]*" display="none"/>', kept) else kept

    return re.sub(r"<[^<>]*>", tag, drawn)
