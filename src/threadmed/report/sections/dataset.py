"""Where the threads come from: the funnel, Table 2, and who answered."""

from collections import Counter
from collections.abc import Sequence

from threadmed.dataset.manifest import (
    Distribution,
    FunnelStep,
    Statistics,
    Step,
)
from threadmed.report.blocks import (
    Block,
    Column,
    Flow,
    Heading,
    Note,
    Prose,
    Quantity,
    Section,
    Station,
    Table,
    Words,
)
from threadmed.report.material import Dataset, Found
from threadmed.report.numbers import MINUS, MISSING, count, listed, percent, things
from threadmed.report.readings import whole

SHOWN = 3
"""Reasons that a station of the flow names; the table has all."""

STATIONS: dict[Step, str] = {
    "keep posts": "posts read",
    "select branch": "posts kept",
    "keep threads": "threads with a physician",
    "fully answered": "complete threads",
}
"""What comes into a step; comments have their place in the table."""
LAST = "fully answered threads"


def dataset(found: Found) -> Section | None:
    """Show the funnel and the statistics of a dataset that `threadmed build` made."""
    manifest = found.dataset
    if manifest is None:
        return None
    blocks: list[Block] = [
        Prose(
            text="Threads come from a dump in which verified physicians answer. A "
            "thread is complete when its patient asked on at least twice, and fully "
            "answered when a physician answered every question."
        )
    ]
    if manifest.partial:
        blocks.append(
            Note(
                text="A dump file was cut off and was used as far as it could be "
                "read; the counts below are of what was read."
            )
        )
    blocks += [
        flow(manifest.funnel),
        _statistics(manifest),
        _funnel(manifest.funnel),
        *_flair(manifest),
    ]
    return Section(id="dataset", title="Dataset", blocks=tuple(blocks))


def flow(funnel: Sequence[FunnelStep]) -> Flow:
    """Make the stations of a funnel, with the commonest reasons for leaving each."""
    stations: list[Station] = []
    rows: list[FunnelStep] = []
    for step, what in STATIONS.items():
        rows = [row for row in funnel if row.step == step]
        if rows:
            left = _reasons([row for row in rows if row.dropped])
            stations.append(Station(count=count(_left(rows[0])), what=what, left=left))
    if rows:
        stations.append(Station(count=count(_left(rows[-1])), what=LAST))
    return Flow(stations=tuple(stations))


def _left(row: FunnelStep) -> int:
    """Give what is left after a row, in the unit of its step."""
    left = {"posts": row.posts, "comments": row.comments, "threads": row.threads}
    return left[row.unit] or 0


def _reasons(steps: Sequence[FunnelStep]) -> tuple[str, ...]:
    leaving = sorted(steps, key=lambda step: (-step.dropped, step.reason))
    named = [
        f"{MINUS}{count(step.dropped)} {words(step.reason)}" for step in leaving[:SHOWN]
    ]
    rest = sum(step.dropped for step in leaving[SHOWN:])
    return (*named, f"{MINUS}{things(rest, 'other')}") if rest else tuple(named)


def words(name: str) -> str:
    """Write the name of a reason as words.

    Example:
        >>> words("too_few_words")
        'too few words'
    """
    return name.replace("_", " ")


def _funnel(funnel: Sequence[FunnelStep]) -> Table:
    return Table(
        id="table-funnel",
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
                whole(_left(row)),
            )
            for row in funnel
        ),
        judged=False,
    )


def _statistics(manifest: Dataset) -> Table:
    both = (manifest.statistics.complete, manifest.statistics.answered)
    rows = (
        _row("Threads", [whole(s.threads) for s in both]),
        _row("Questions", [whole(s.questions) for s in both]),
        _row("Answered questions", [whole(s.answered) for s in both]),
        _row("Answered questions, %", [_share(s) for s in both]),
        *_spread("Questions in a thread", [s.turns for s in both]),
        *_spread("Tokens in a question", [s.tokens_question for s in both]),
        *_spread(
            "Tokens in a physician\u2019s answer", [s.tokens_answer for s in both]
        ),
    )
    return Table(
        id="table-dataset",
        title="The dataset",
        caption="All complete threads, and those fully answered (paper, Table 2).",
        columns=(
            Column(key="statistic", title="", align="text"),
            Column(key="complete", title="Complete"),
            Column(key="answered", title="Fully answered"),
        ),
        rows=rows,
        note="Tokens are those of cl100k_base.",
        judged=False,
    )


def _row(name: str, numbers: Sequence[Quantity]) -> tuple[Words | Quantity, ...]:
    return (Words(text=name), *numbers)


def _share(statistics: Statistics) -> Quantity:
    share = statistics.answered_share
    if share is None:
        return Quantity(value=None, text=MISSING, note="there are no questions")
    return Quantity(value=share, text=percent(share))


def _spread(
    name: str, spreads: Sequence[Distribution | None]
) -> tuple[tuple[Words | Quantity, ...], ...]:
    def cell(spread: Distribution | None, part: str) -> Quantity:
        if spread is None:
            return Quantity(value=None, text=MISSING, note="there are none")
        value: float = getattr(spread, part)
        text = count(round(value)) if part == "max" else f"{value:,.1f}"
        return Quantity(value=value, text=text)

    return tuple(
        _row(f"{name}, {called}", [cell(spread, part) for spread in spreads])
        for part, called in (("mean", "mean"), ("median", "median"), ("max", "maximum"))
    )


def _flair(manifest: Dataset) -> list[Block]:
    """Say in a sentence and a short table whom the comments came from."""
    if not manifest.flair:
        return []
    roles: Counter[str] = Counter()
    for line in manifest.flair:
        roles[line.role] += line.comments
    named = [f"{things(n, 'comment')} as {role}" for role, n in roles.most_common()]
    commonest = manifest.flair[:10]
    return [
        Heading(text="Who answered"),
        Prose(
            text="What stands beside a user\u2019s name decides whether a comment is a "
            f"physician\u2019s. Under the posts kept this counted {listed(named)}."
        ),
        Table(
            id="table-flair",
            title="The commonest flairs, and what they were taken for",
            caption=f"The first {len(commonest)} of {len(manifest.flair)}.",
            columns=(
                Column(key="flair", title="Flair", align="text"),
                Column(key="role", title="Taken for", align="text"),
                Column(key="comments", title="Comments"),
            ),
            rows=tuple(
                (
                    Words(text=line.flair or "(none)"),
                    Words(text=line.role),
                    whole(line.comments),
                )
                for line in commonest
            ),
            judged=False,
        ),
    ]
