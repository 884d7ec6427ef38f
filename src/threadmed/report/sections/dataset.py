"""Where the threads come from: the funnel, Table 2, and what else the build counted."""

from collections.abc import Sequence

from threadmed.dataset.manifest import Distribution, Statistics
from threadmed.report.blocks import (
    Block,
    Cell,
    Column,
    Note,
    Prose,
    Quantity,
    Section,
    Table,
    Words,
)
from threadmed.report.material import Dataset, Found
from threadmed.report.numbers import MISSING, percent
from threadmed.report.readings import whole
from threadmed.report.sections.census import census
from threadmed.report.sections.extent import SETS, lengths_figure, years_figure
from threadmed.report.sections.funnel import funnel_figure

NO_SPREAD = "there are none"


def dataset(found: Found) -> Section | None:
    """Show the funnel and the statistics of a dataset that `threadmed build` made."""
    manifest = found.dataset
    if manifest is None:
        return None
    blocks: list[Block | None] = [
        Prose(
            text=f"{_origin(manifest)} A thread is complete when its patient asked on at least twice, and fully "
            "answered when a physician answered every question."
        ),
        _cut_off(manifest),
        funnel_figure(manifest.funnel),
        _statistics(manifest),
        _spreads(manifest),
        lengths_figure(*_both(manifest)),
        years_figure(manifest.years),
        *census(manifest.flair),
    ]
    return Section(
        id="dataset",
        title="Dataset",
        blocks=tuple(block for block in blocks if block is not None),
    )


def _origin(manifest: Dataset) -> str:
    """Say where threads come from; of the sample that nobody wrote it."""
    if manifest.is_invented:
        return (
            "Threads come from the invented sample dump of threadmed: nobody wrote "
            "these messages, and those who answer as physicians are invented too."
        )
    return (
        "Threads come from a dump in which people answer whose flair says that they "
        "are physicians."
    )


def _cut_off(manifest: Dataset) -> Note | None:
    if not manifest.partial:
        return None
    return Note(
        text="A dump file was cut off and was used as far as it could be read; the "
        "counts below are of what was read."
    )


def _both(manifest: Dataset) -> tuple[Statistics, Statistics]:
    return manifest.statistics.complete, manifest.statistics.answered


def _statistics(manifest: Dataset) -> Table:
    both = _both(manifest)

    def row(name: str, numbers: Sequence[Quantity]) -> tuple[Cell, ...]:
        return (Words(text=name), *numbers)

    rows = (
        row("Threads", [whole(s.threads) for s in both]),
        row("Questions", [whole(s.questions) for s in both]),
        row("Answered questions", [whole(s.answered) for s in both]),
        row("Answered questions, %", [_share(s) for s in both]),
        row("Questions in a thread, mean", [_mean(s.turns) for s in both]),
        row("Tokens in a question, mean", [_mean(s.tokens_question) for s in both]),
        row("Tokens in an answer, mean", [_mean(s.tokens_answer) for s in both]),
    )
    return Table(
        id="table-dataset",
        title="The dataset",
        caption="All complete threads, and those fully answered (paper, Table 2).",
        columns=(
            Column(key="statistic", title="", align="text"),
            Column(key="complete", title=SETS[0]),
            Column(key="answered", title=SETS[1]),
        ),
        rows=rows,
        note="Tokens are those of cl100k_base; an answer is all that physicians wrote "
        "to one question.",
        judged=False,
    )


def _share(statistics: Statistics) -> Quantity:
    share = statistics.answered_share
    if share is None:
        return Quantity(value=None, text=MISSING, note="there are no questions")
    return Quantity(value=share, text=percent(share))


def _mean(spread: Distribution | None) -> Quantity:
    return _number(None if spread is None else spread.mean)


def _number(value: float | None) -> Quantity:
    if value is None:
        return Quantity(value=None, text=MISSING, note=NO_SPREAD)
    return Quantity(value=value, text=f"{value:,.1f}")


def _spreads(manifest: Dataset) -> Table | None:
    """Show means with their quantiles, where there is anything to spread."""
    rows: list[tuple[Cell, ...]] = []
    for name, part in (
        ("Questions in a thread", "turns"),
        ("Tokens in a question", "tokens_question"),
        ("Tokens in an answer", "tokens_answer"),
    ):
        for called, statistics in zip(SETS, _both(manifest), strict=True):
            spread: Distribution | None = getattr(statistics, part)
            if spread is not None:
                rows.append((Words(text=name), Words(text=called), *_spread(spread)))
    if not rows:
        return None
    heads = ("Mean", "Least", "25%", "Median", "75%", "95%", "Most")
    keys = ("mean", "min", "q25", "median", "q75", "q95", "max")
    return Table(
        id="table-spread",
        title="How long threads, questions and answers are",
        caption="Half of them lie between 25% and 75%, one in twenty above 95%.",
        columns=(
            Column(key="what", title="", align="text"),
            Column(key="set", title="Threads", align="text"),
            Column(key="n", title="n"),
            *(Column(key=k, title=t) for k, t in zip(keys, heads, strict=True)),
        ),
        rows=tuple(rows),
        judged=False,
    )


def _spread(spread: Distribution) -> tuple[Cell, ...]:
    quantiles = (spread.q25, spread.median, spread.q75, spread.q95)
    return (
        whole(spread.n),
        _number(spread.mean),
        whole(round(spread.min)),
        *map(_number, quantiles),
        whole(round(spread.max)),
    )
