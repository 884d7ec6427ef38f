"""A funnel: each step as one bar of what came in, parted into what stays and leaves.

The bars are shares and not counts: a build keeps few threads of very many posts, and
on one scale the last steps would be thinner than a hair.
"""

import itertools
import textwrap

from threadmed.records import Record
from threadmed.report.blocks import FunnelChart, Leaving, Stage
from threadmed.report.drawing import Drawing, Margins
from threadmed.report.marks import SMALL_CHARACTER, Axes, Line, Text, small
from threadmed.report.numbers import MINUS, count, percent, things
from threadmed.report.rows import CHARACTER, Frame, frame, head, number
from threadmed.report.theme import Token

SHOWN = 3
"""Reasons that are named and drawn one by one; the table has all."""

BAR, EDGE, GAP = 13, 1.0, 1.5
"""Px: a bar, the outline around it, and the paper between two parts."""


LINE = 16
"""Px from one line of reasons to the next."""

LEAVING: tuple[Token, ...] = ("mid", "pale", "rest")
"""Colours of the commonest reasons, in their order; all others share the last."""


class Part(Record, frozen=True, kw_only=True):
    """A piece of a bar."""

    count: int
    colour: Token


def funnel_rows(chart: FunnelChart, *, is_narrow: bool) -> Drawing:
    """Draw the steps of a build, one under the other (paper, Figure 2)."""
    stages = chart.stages
    names = [stage.name for stage in stages]
    place = frame(names, is_narrow=is_narrow, right=232, top=22, row=0)
    written = [_reasons(stage, place) for stage in stages]
    tops = _tops(stages, written, place)
    lines: list[Line] = []
    outlines: list[Line] = []
    texts: list[Text] = [] if is_narrow else _heads(place)
    for stage, reasons, top in zip(stages, written, tops[:-1], strict=True):
        y = top + (31 if is_narrow else 11)
        texts += _names(stage, place, top)
        if stage.stayed is not None:
            outlines.append(_outline(place, y))
            lines += _bar(stage, place, y)
        texts += [
            small(0, y + 19 + LINE * index, reason, anchor="start")
            for index, reason in enumerate(reasons)
        ]
    height = tops[-1]
    return Drawing(
        axes=Axes(x=(0, 1), y=(height, 0), width=place.width, height=height),
        margins=Margins(left=place.left, right=place.right, top=place.top, bottom=4),
        behind=tuple(outlines),
        lines=tuple(lines),
        texts=tuple(texts),
    )


def _reasons(stage: Stage, place: Frame) -> list[str]:
    """Write the commonest reasons in as many lines as they need."""
    text = ", ".join(named(stage.left))
    # A count keeps to its reason, wherever the line ends.
    text = text.replace(" ", "\N{NO-BREAK SPACE}").replace(",\N{NO-BREAK SPACE}", ", ")
    return textwrap.wrap(
        text, int(place.width / SMALL_CHARACTER), break_long_words=False
    )


def named(left: tuple[Leaving, ...]) -> list[str]:
    r"""Name the commonest reasons, and how many the others took together.

    Example:
        >>> some = (Leaving(reason="deleted", count=7), Leaving(reason="bot", count=1))
        >>> named(some) == ["\u22127 deleted", "\u22121 bot"]
        True
    """
    texts = [f"{MINUS}{count(each.count)} {each.reason}" for each in left[:SHOWN]]
    rest = sum(each.count for each in left[SHOWN:])
    return [*texts, f"{MINUS}{things(rest, 'other')}"] if rest else texts


def _tops(
    stages: tuple[Stage, ...], written: list[list[str]], place: Frame
) -> list[float]:
    """Give the line on which each stage begins, and at last the one after them."""
    bare, last = (50.0, 40.0) if place.is_narrow else (36.0, 46.0)
    heights = [
        last if stage.stayed is None else bare + LINE * len(reasons)
        for stage, reasons in zip(stages, written, strict=True)
    ]
    return list(itertools.accumulate(heights, initial=0.0))


def _heads(place: Frame) -> list[Text]:
    return [
        head(place, px, text, line=0)
        for px, text in ((744, "came in"), (820, "stay"), (880, "%"))
    ]


def _names(stage: Stage, place: Frame, top: float) -> list[Text]:
    """Write what a stage holds and how many, beside its bar or over it on phones."""
    y = top + 11
    if place.is_narrow:
        return [
            Text(x=0, y=y, text=stage.name, weight="bold"),
            number(place, 330, y, count(stage.came), weight="bold"),
        ]
    fits = int((place.left - 10) / CHARACTER)
    texts = [
        Text(x=place.at(0), y=y, text=stage.name[:fits], weight="bold"),
        number(place, 744, y, count(stage.came), weight="bold"),
    ]
    if stage.stayed is not None:
        texts.append(number(place, 820, y, count(stage.stayed), colour="blue"))
        if stage.came:
            share = percent(stage.stayed / stage.came)
            texts.append(number(place, 880, y, share, colour="ink-2"))
    return texts


def _outline(place: Frame, y: float) -> Line:
    edge = EDGE / place.width
    return Line(x=-edge, x2=1 + edge, y=y, y2=y, colour="line-2", width=BAR + 2 * EDGE)


def _bar(stage: Stage, place: Frame, y: float) -> list[Line]:
    """Draw what stays and what leaves over a ground of paper, to scale."""
    drawn = [Line(x=0, x2=1, y=y, y2=y, colour="paper", width=BAR)]
    start = 0.0
    for part in _parts(stage):
        end = start + part.count / stage.came
        gap = GAP / place.width
        # A part that is thinner than the gap would be lost if it gave way to it.
        stop = end - gap if end - start > 2 * gap and end < 1 else end
        drawn.append(Line(x=start, x2=stop, y=y, y2=y, colour=part.colour, width=BAR))
        start = end
    return drawn


def _parts(stage: Stage) -> list[Part]:
    """List the parts of a bar from the left: those who stay, then by reason."""
    parts = [Part(count=stage.stayed or 0, colour="blue")]
    parts += [
        Part(count=each.count, colour=colour)
        for each, colour in zip(stage.left[:SHOWN], LEAVING, strict=False)
    ]
    parts.append(
        Part(count=sum(each.count for each in stage.left[SHOWN:]), colour=LEAVING[-1])
    )
    return [part for part in parts if part.count]
