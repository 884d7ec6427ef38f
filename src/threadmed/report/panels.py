"""Shares by turn: one panel a model, the other models as thin lines behind."""

from collections.abc import Sequence

from threadmed.report.blocks import TurnPoint, TurnsChart, TurnsPanel
from threadmed.report.drawing import Drawing, Margins
from threadmed.report.marks import Axes, Dot, Line, Text, dot_of, small
from threadmed.report.numbers import MISSING, count, percent
from threadmed.report.rows import WIDE

LEFT, HEIGHT = 30, 136
NARROWEST, WIDEST = 168, 340
"""Px: two panels side by side on a phone, or one."""
GAP = 10
"""Px between panels on the page, at least."""
STEP = 24
"""Px a turn, so that the counts under it do not touch."""
LAST = 10
"""Turns beyond this one are in the table only."""


def panel_width(chart: TurnsChart) -> float:
    """Give the width of each panel, the same for all."""
    held = [p.turn for panel in chart.panels for p in panel.points]
    turns = 1 + max(held) - min(held)
    if len(chart.panels) <= 2:
        return WIDEST
    needed = LEFT + 16 + STEP * min(turns, LAST + 1)
    share = (WIDE + GAP) // len(chart.panels) - GAP
    return min(WIDEST, max(NARROWEST, needed, share))


def panel_drawing(chart: TurnsChart, panel: TurnsPanel, *, named: bool) -> Drawing:
    """Draw one model's panel.

    Args:
        chart: All panels; the others stand behind.
        panel: The one to draw.
        named: Whether the model's name stands above, as in files; on the page a
            heading says it.
    """
    shown = [p for p in panel.points if p.turn <= LAST]
    last = max(p.turn for each in chart.panels for p in each.points if p.turn <= LAST)
    first = min(p.turn for each in chart.panels for p in each.points)
    axes = Axes(
        x=(first - 0.5, last + 0.5),
        y=(0, 1),
        width=panel_width(chart) - LEFT - 4,
        height=HEIGHT,
    )
    grid = [
        Line(
            x=axes.x[0],
            x2=axes.x[1],
            y=at,
            y2=at,
            colour="line" if at else "line-2",
            width=1,
        )
        for at in (0.0, 0.5, 1.0)
    ]
    join = _steps if chart.is_stepped else _path
    others = [join(each, width=1.0) for each in chart.panels if each != panel]
    lines, dots = _marks(panel)
    texts = [*_axis(axes, chart.axis), *_counts(shown)]
    texts += [] if chart.is_stepped else _values(shown)
    if named:
        texts.append(Text(x=axes.x[0], y=1.16, text=panel.model, weight="bold"))
    return Drawing(
        axes=axes,
        margins=Margins(left=LEFT, right=4, top=8, bottom=52),
        behind=(*grid, *(line for path in others for line in path)),
        lines=(*join(panel, width=2.0), *lines),
        dots=tuple(dots),
        texts=tuple(texts),
    )


def _path(panel: TurnsPanel, *, width: float) -> list[Line]:
    """Join the estimates of consecutive turns; where one is missing the line breaks."""
    at = {p.turn: p.point.value for p in panel.points if p.turn <= LAST}
    lines = []
    for turn, value in at.items():
        after = at.get(turn + 1)
        if value is not None and after is not None:
            lines.append(
                Line(
                    x=turn,
                    y=value,
                    x2=turn + 1,
                    y2=after,
                    colour="blue" if width > 1 else "pale",
                    width=width,
                )
            )
    return lines


def _steps(panel: TurnsPanel, *, width: float) -> list[Line]:
    """Hold each share until the next one, where it drops: all begin at 1."""
    lines: list[Line] = []
    before = 1.0
    for p in panel.points:
        if p.point.value is None or p.turn > LAST:
            break
        start, end = p.turn - 0.5, p.turn + 0.5
        drop = (before, p.point.value)
        ends = ((start, *drop, start), (start, drop[1], drop[1], end))
        lines += [
            Line(
                x=x,
                y=y,
                x2=x2,
                y2=y2,
                colour="blue" if width > 1 else "pale",
                width=width,
            )
            for x, y, y2, x2 in ends
        ]
        before = p.point.value
    return lines


def _marks(panel: TurnsPanel) -> tuple[list[Line], list[Dot]]:
    lines, dots = [], []
    for p in panel.points:
        point = p.point
        if point.value is None or p.turn > LAST:
            continue
        dots.append(
            dot_of(point, x=p.turn, y=point.value, colour="blue", is_small=True)
        )
        if point.low is not None and point.high is not None:
            lines.append(
                Line(
                    x=p.turn,
                    x2=p.turn,
                    y=point.low,
                    y2=point.high,
                    colour="blue",
                    width=1.4,
                )
            )
    return lines, dots


def _axis(axes: Axes, name: str) -> list[Text]:
    start = axes.x[0]
    sides = [
        Text(
            x=start,
            y=at,
            text=percent(at, decimals=0),
            anchor="end",
            dx=-6,
            colour="ink-2",
            size=12,
        )
        for at in (0.0, 0.5, 1.0)
    ]
    names = [
        Text(
            x=start, y=0, text=text, anchor="end", dx=-2, dy=dy, colour="ink-2", size=12
        )
        for text, dy in ((name, 18), ("n", 38))
    ]
    return [*sides, *names]


def _counts(shown: Sequence[TurnPoint]) -> list[Text]:
    """Write under each point its turn, and the number of items that it rests on."""
    texts = []
    for p in shown:
        below = ((str(p.turn), 18), (count(p.point.n), 38))
        texts += [
            Text(
                x=p.turn,
                y=0,
                text=text,
                anchor="middle",
                dy=dy,
                colour="ink-2",
                size=12,
            )
            for text, dy in below
        ]
        if p.point.value is None:
            texts.append(small(p.turn, 0.06, MISSING, anchor="middle"))
    return texts


def _values(shown: Sequence[TurnPoint]) -> list[Text]:
    """Print the two rates that the summary speaks of: the first and the third.

    They stand over the line, or under it where it rises from them.
    """
    at = {p.turn: p.point.value for p in shown}
    return [
        Text(
            x=p.turn,
            y=p.point.value,
            text=percent(p.point.value, decimals=0),
            weight="bold",
            dx=7,
            dy=12 if (at.get(p.turn + 1) or 0.0) > p.point.value else -7,
        )
        for p in shown
        if p.turn in {0, 2} and p.point.value is not None
    ]
