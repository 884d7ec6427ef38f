"""Counts as bars that lie, one panel a kind of thing, each on its own scale from 0."""

from threadmed.report.blocks import BarsChart, BarsPanel
from threadmed.report.drawing import Drawing, Margins
from threadmed.report.marks import Axes, Line, Text
from threadmed.report.numbers import count
from threadmed.report.rows import WIDE

WIDEST = 340
"""Px: what a phone has room for."""
GAP = 10
"""Px between panels on the page, at least."""
ROW, BAR = 21, 11
"""Px from one bar to the next, and of a bar."""
CHARACTER = 7.0
"""Px that a character of a label takes, about."""


def bars_width(chart: BarsChart) -> float:
    """Give the width of each panel, the same for all."""
    return min(WIDEST, (WIDE + GAP) // len(chart.panels) - GAP)


def bars_drawing(chart: BarsChart, panel: BarsPanel, *, named: bool) -> Drawing:
    """Draw one panel.

    Args:
        chart: All panels; they share the room for labels.
        panel: The one to draw.
        named: Whether its name stands above, as in files; on the page a heading
            says it.
    """
    bars = [bar for each in chart.panels for bar in each.bars]
    left = 10 + CHARACTER * max(len(bar.label) for bar in bars)
    right = 12 + CHARACTER * max(len(count(bar.count)) for bar in bars)
    height = float(ROW * len(panel.bars))
    most = max(1, *(bar.count for bar in panel.bars))
    lines: list[Line] = []
    texts: list[Text] = []
    for index, bar in enumerate(panel.bars):
        y = ROW * (index + 0.5)
        if bar.count:
            lines.append(Line(x=0, x2=bar.count, y=y, y2=y, colour="blue-2", width=BAR))
        texts += _texts(bar.label, bar.count, y)
    if named:
        texts.append(Text(x=0, y=-14, text=panel.name, weight="bold"))
    return Drawing(
        axes=Axes(
            x=(0, most),
            y=(height, 0),
            width=bars_width(chart) - left - right,
            height=height,
        ),
        margins=Margins(left=left, right=right, top=2, bottom=2),
        behind=(Line(x=0, x2=0, y=0, y2=height, colour="line-2", width=1),),
        lines=tuple(lines),
        texts=tuple(texts),
    )


def _texts(label: str, number: int, y: float) -> list[Text]:
    """Write what a bar counts at its left and the count at its free end."""
    return [
        Text(x=0, y=y, text=label, anchor="end", dx=-8, colour="ink-2", size=12),
        Text(x=number, y=y, text=count(number), dx=6, size=12),
    ]
