"""What each step of a build kept and dropped, and why (paper, Figure 2)."""

from collections.abc import Sequence

from threadmed.dataset.manifest import FunnelStep, Step
from threadmed.report.blocks import (
    Column,
    Figure,
    FunnelChart,
    Leaving,
    Stage,
    Table,
    Words,
)
from threadmed.report.numbers import count, listed
from threadmed.report.readings import whole

STAGES: dict[Step, str] = {
    "keep posts": "posts read",
    "select branch": "posts kept",
    "keep threads": "threads with a physician",
    "fully answered": "complete threads",
}
"""What comes into a step that passes things on to the next."""
LAST = "fully answered threads"
BESIDE: dict[Step, str] = {
    "keep comments": "comments read",
    "hydrate": "threads of the release",
}
"""What comes into a step that stands for itself."""


def funnel_figure(funnel: Sequence[FunnelStep]) -> Figure | None:
    """Draw the funnel with the commonest reasons; None where nothing was counted."""
    stages = stages_of(funnel)
    if not stages:
        return None
    posts = [stage for stage in stages if stage.name not in BESIDE.values()]
    beside = [stage for stage in stages if stage.name in BESIDE.values()]
    ends = [f"{count(stage.came)} {stage.name}" for stage in (posts or stages)]
    title = f"From {ends[0]} to {ends[-1]}" if posts[1:] else ends[0]
    return Figure(
        id="figure-funnel",
        title=title,
        method="Each bar is all that came into a step, drawn as 100%; blue stays and "
        "goes on to the next step, grey leaves. Reasons stand below in the order of "
        "the bar (paper, Figure 2).",
        alt=_sentence(ends, beside),
        chart=FunnelChart(stages=stages),
        numbers=_table(funnel),
        judged=False,
    )


def stages_of(funnel: Sequence[FunnelStep]) -> tuple[Stage, ...]:
    """Make the stages of posts and threads in their order, and then the others."""
    stages = _stages(funnel, STAGES)
    if stages and stages[-1].name == STAGES["fully answered"]:
        stages.append(Stage(name=LAST, came=stages[-1].stayed or 0, stayed=None))
    return (*stages, *_stages(funnel, BESIDE))


def _stages(funnel: Sequence[FunnelStep], named: dict[Step, str]) -> list[Stage]:
    return [
        _stage(name, rows)
        for step, name in named.items()
        if (rows := [row for row in funnel if row.step == step])
    ]


def _stage(name: str, rows: Sequence[FunnelStep]) -> Stage:
    leaving = sorted(rows, key=lambda row: (-row.dropped, row.reason))
    return Stage(
        name=name,
        came=rows[0].left + rows[0].dropped,
        stayed=rows[-1].left,
        left=tuple(
            Leaving(reason=words(row.reason), count=row.dropped)
            for row in leaving
            if row.dropped
        ),
    )


def words(name: str) -> str:
    """Write the name of a reason as words.

    Example:
        >>> words("too_few_words")
        'too few words'
    """
    return name.replace("_", " ")


def _sentence(ends: Sequence[str], beside: Sequence[Stage]) -> str:
    text = f"What is left after each step: {listed(ends)}."
    for stage in beside:
        kept = count(stage.stayed or 0)
        text += f" Of {count(stage.came)} {stage.name}, {kept} are kept."
    return text


def _table(funnel: Sequence[FunnelStep]) -> Table:
    return Table(
        id="figure-funnel",
        title="What each step of the build dropped, and why",
        columns=(
            Column(key="step", title="Step", align="text"),
            Column(key="reason", title="Reason", align="text"),
            Column(key="unit", title="Of", align="text"),
            Column(key="dropped", title="Dropped"),
            Column(key="left", title="Left"),
        ),
        rows=tuple(
            (
                Words(text=row.step),
                Words(text=words(row.reason) if row.reason else "came in"),
                Words(text=row.unit),
                whole(row.dropped),
                whole(row.left),
            )
            for row in funnel
        ),
        judged=False,
    )
