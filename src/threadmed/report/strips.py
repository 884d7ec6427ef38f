"""Small drawings that stand in a cell of a table; hand-made SVG, coloured by class."""

from collections.abc import Iterable, Sequence
from html import escape
from typing import Literal

from threadmed.report.blocks import Part, Scale, Stack, Strip, Table
from threadmed.report.numbers import MINUS

WIDTH, HEIGHT = 124, 28
EDGE = 6
"""Room at both ends, so that a point at the end of the scale is whole, and for arrows."""
BAR = 13
SLACK = 1e-9
"""Share of a scale by which a value may pass its end, as sums of fractions do."""


def strip(cell: Strip, scale: Scale) -> str:
    """Draw one estimate with its interval.

    What lies off the scale is not drawn at its end: an arrow beyond the end says on
    which side it is, a large one that the estimate itself is there.

    Example:
        >>> scale = Scale(low=0, high=1, ticks=((0, "0"), (1, "100")))
        >>> drawn = strip(Strip(value=0.5, low=0.4, high=0.6, label="50%"), scale)
        >>> '<circle cx="62.0"' in drawn, 'aria-label="50%"' in drawn
        (True, True)
    """
    middle = HEIGHT / 2
    drawn = [
        _line(_at(tick, scale), 0, _at(tick, scale), HEIGHT, "grid")
        for tick, _ in scale.ticks
    ]
    if scale.zero:
        drawn.append(_line(_at(0, scale), 0, _at(0, scale), HEIGHT, "axis"))
    if cell.band is not None:
        left, right = (_at(end, scale) for end in cell.band)
        drawn.insert(
            0,
            f'<rect x="{left:.1f}" y="0" width="{right - left:.1f}" '
            f'height="{HEIGHT}" class="f-rest"/>',
        )
    if cell.low is not None and cell.high is not None:
        low, high = _at(cell.low, scale), _at(cell.high, scale)
        if low < high:
            drawn.append(_line(low, middle, high, middle, "s-blue", width=2))
    drawn += _arrows(cell, scale)
    if cell.value is not None and not beyond(cell.value, scale):
        x = _at(cell.value, scale)
        drawn.append(
            f'<circle cx="{x:.1f}" cy="{middle:.1f}" r="4.5" class="f-blue dot"/>'
        )
    return _svg(drawn, height=HEIGHT, label=cell.label)


def beyond(value: float, scale: Scale) -> Literal[-1, 0, 1]:
    """Say on which side of the scale a value lies; 0 is on it.

    Example:
        >>> scale = Scale(low=0, high=1, ticks=())
        >>> beyond(-0.18, scale), beyond(1, scale), beyond(1.2, scale)
        (-1, 0, 1)
    """
    slack = SLACK * (scale.high - scale.low)
    if value < scale.low - slack:
        return -1
    return 1 if value > scale.high + slack else 0


def is_cut(table: Table) -> bool:
    """Whether a strip of a table goes on beyond its scale."""
    return any(
        beyond(value, column.scale)
        for row in table.rows
        for cell, column in zip(row, table.columns, strict=True)
        if isinstance(cell, Strip) and column.scale is not None
        for value in (cell.value, cell.low, cell.high)
        if value is not None
    )


def reaching(scale: Scale, strips: Iterable[Strip]) -> Scale:
    """Let a scale that begins at 0 begin lower where an estimate needs it, at most at -1.

    Args:
        scale: From 0 to 1.
        strips: What is drawn on it, each perhaps before a band.

    Example:
        >>> unit = Scale(low=0, high=1, ticks=((0, "0"), (1, "1")))
        >>> reaching(unit, [Strip(value=-0.18, low=-0.4, high=0.1, label="")]).low
        -0.5
        >>> reaching(unit, [Strip(value=0.2, label="")]) == unit
        True
    """
    least = min((end for each in strips for end in _ends(each)), default=0.0)
    if least >= scale.low:
        return scale
    low = -0.5 if least >= -0.5 else -1.0
    ticks = ((low, f"{MINUS}{abs(low):g}"), (0.0, "0"), scale.ticks[-1])
    return Scale(low=low, high=scale.high, ticks=ticks, zero=True)


def _ends(cell: Strip) -> list[float]:
    known = (cell.value, cell.low, *(cell.band or ()))
    return [end for end in known if end is not None]


def scale_head(scale: Scale) -> str:
    """Draw the axis of a column of strips, for its head."""
    drawn = [
        f'<text x="{_at(tick, scale):.1f}" y="12" text-anchor="middle">{text}</text>'
        for tick, text in ((at, escape(text)) for at, text in scale.ticks)
    ]
    return _svg(drawn, height=16, label="")


def stack(cell: Stack) -> str:
    """Draw parts of a whole, from left to right.

    Example:
        >>> half = Part(share=0.5, colour="blue"), Part(share=0.5, colour="orange")
        >>> stack(Stack(parts=half, label="half")).count("<rect")
        3
    """
    if not cell.parts:
        return f'<span role="img" aria-label="{escape(cell.label)}">\u2013</span>'
    top = (HEIGHT - BAR) / 2
    drawn = _bars(cell.parts, top)
    drawn.append(
        f'<rect x="0.5" y="{top + 0.5}" width="{WIDTH - 2}" height="{BAR - 1}" '
        'class="outline"/>'
    )
    return _svg(drawn, height=HEIGHT, label=cell.label)


def _bars(parts: Sequence[Part], top: float) -> list[str]:
    drawn, left = [], 0.0
    for part in parts:
        width = part.share * (WIDTH - 1)
        if width > 0:
            gap = 1.5 if width > 3 else 0
            drawn.append(
                f'<rect x="{left:.1f}" y="{top}" width="{width - gap:.1f}" '
                f'height="{BAR}" class="f-{part.colour}"/>'
            )
        left += width
    return drawn


def _arrows(cell: Strip, scale: Scale) -> list[str]:
    """Point to what lies beyond either end, larger to the estimate than to a limit."""
    values = [v for v in (cell.low, cell.value, cell.high) if v is not None]
    drawn = []
    for side in (-1, 1):
        if not any(beyond(value, scale) == side for value in values):
            continue
        is_value = cell.value is not None and beyond(cell.value, scale) == side
        half = 6 if is_value else 3.5
        base, tip = (EDGE, 0) if side < 0 else (WIDTH - EDGE, WIDTH)
        middle = HEIGHT / 2
        drawn.append(
            f'<path d="M{base},{middle - half}L{tip},{middle}L{base},{middle + half}Z" '
            'class="f-blue"/>'
        )
    return drawn


def _at(value: float, scale: Scale) -> float:
    """Give the x of a value, or that of the end beyond which it lies."""
    share = (value - scale.low) / (scale.high - scale.low)
    return EDGE + min(1.0, max(0.0, share)) * (WIDTH - 2 * EDGE)


def _line(
    x: float, y: float, x2: float, y2: float, name: str, *, width: int = 1
) -> str:
    return (
        f'<line x1="{x:.1f}" y1="{y:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" '
        f'class="{name}" stroke-width="{width}"/>'
    )


def _svg(drawn: Sequence[str], *, height: int, label: str) -> str:
    said = f'role="img" aria-label="{escape(label)}"' if label else 'aria-hidden="true"'
    return (
        f'<svg {said} width="{WIDTH}" height="{height}" '
        f'viewBox="0 0 {WIDTH} {height}">{"".join(drawn)}</svg>'
    )
