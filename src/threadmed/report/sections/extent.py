"""How far a dataset reaches: the years of its posts, and the length of its threads."""

from collections.abc import Sequence

from threadmed.dataset.manifest import Statistics, YearCount
from threadmed.report.blocks import (
    Bar,
    BarsChart,
    BarsPanel,
    Column,
    Figure,
    Quantity,
    Table,
)
from threadmed.report.numbers import count, listed, percent, things
from threadmed.report.readings import whole

SETS = ("Complete", "Fully answered")
LONGEST = 12
"""Questions in a thread beyond which threads are counted together in the chart."""


def lengths_figure(complete: Statistics, answered: Statistics) -> Figure | None:
    """Draw how many threads have so many questions; None where there is no thread."""
    both = [{c.turns: c.threads for c in s.turn_counts} for s in (complete, answered)]
    lengths = sorted(both[0])
    if not lengths:
        return None
    commonest = max(both[0], key=lambda length: (both[0][length], -length))
    part = percent(both[0][commonest] / sum(both[0].values()), decimals=0)
    panels = tuple(
        BarsPanel(name=f"{name} threads", bars=_bars(counts, lengths))
        for name, counts in zip(SETS, both, strict=True)
    )
    return Figure(
        id="figure-lengths",
        title=f"{part}% of the complete threads have {things(commonest, 'question')}",
        method="Threads by their number of questions; each panel has its own scale.",
        alt=alternatives(panels, "questions"),
        chart=BarsChart(panels=panels),
        numbers=Table(
            id="figure-lengths",
            title="Threads by their number of questions",
            columns=(
                Column(key="questions", title="Questions"),
                Column(key="complete", title=SETS[0]),
                Column(key="answered", title=SETS[1]),
            ),
            rows=tuple(
                (whole(length), *(whole(counts.get(length, 0)) for counts in both))
                for length in lengths
            ),
            judged=False,
        ),
        judged=False,
    )


def _bars(counts: dict[int, int], lengths: Sequence[int]) -> tuple[Bar, ...]:
    """Make a bar of each length, and one of all that are very long."""
    shown = range(lengths[0], min(lengths[-1], LONGEST) + 1)
    bars = [Bar(label=str(length), count=counts.get(length, 0)) for length in shown]
    if lengths[-1] > LONGEST:
        longer = sum(n for length, n in counts.items() if length > LONGEST)
        bars.append(Bar(label=f"over {LONGEST}", count=longer))
    return tuple(bars)


def alternatives(panels: Sequence[BarsPanel], what: str) -> str:
    """Say the counts of each panel in a sentence, one a line."""
    return "\n".join(
        f"{panel.name} by {what}: "
        + ", ".join(f"{bar.label}: {count(bar.count)}" for bar in panel.bars)
        + "."
        for panel in panels
    )


def years_figure(years: Sequence[YearCount]) -> Figure | None:
    """Draw what each year gave; None where years were not counted."""
    if not years:
        return None
    panels = tuple(
        BarsPanel(
            name=name,
            bars=tuple(
                Bar(label=str(row.year), count=getattr(row, part)) for row in years
            ),
        )
        for name, part in (
            ("Posts kept", "posts"),
            ("Complete threads", "complete"),
            ("Fully answered threads", "answered"),
        )
    )
    most = max(row.complete for row in years)
    richest = listed([str(row.year) for row in years if row.complete == most])
    ends = dict.fromkeys((str(years[0].year), str(years[-1].year)))
    return Figure(
        id="figure-years",
        title=f"Posts are from {' to '.join(ends)}; {richest} gave the most "
        f"complete threads, {count(most)}",
        method="By the year of the post, UTC; each panel has its own scale.",
        alt=alternatives(panels, "year"),
        chart=BarsChart(panels=panels),
        numbers=Table(
            id="figure-years",
            title="Posts and threads by year",
            columns=(
                Column(key="year", title="Year"),
                Column(key="posts", title="Posts kept"),
                Column(key="complete", title=SETS[0]),
                Column(key="answered", title=SETS[1]),
            ),
            rows=tuple(
                (
                    Quantity(value=row.year, text=str(row.year)),
                    whole(row.posts),
                    whole(row.complete),
                    whole(row.answered),
                )
                for row in years
            ),
            judged=False,
        ),
        judged=False,
    )
