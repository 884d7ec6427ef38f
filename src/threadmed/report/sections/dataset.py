"""Where the threads come from: the funnel, Table 2, and who answered."""

from collections import Counter
from collections.abc import Sequence

from threadmed.dataset.manifest import (
    Distribution,
    FunnelStep,
    Manifest,
    Statistics,
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
    Step,
    Table,
    Words,
)
from threadmed.report.material import Found
from threadmed.report.numbers import MINUS, MISSING, count, listed, percent, things

SHOWN = 3
"""Reasons that a station of the flow names; the table has all."""

STATIONS = {
    "read": "posts read",
    "keep posts": "posts kept",
    "select branch": "threads with a physician",
    "keep threads": "complete threads",
    "fully answered": "fully answered threads",
}
"""What is there when a step is done; comments have their place in the table."""


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
    steps: list[Step] = []
    names = [name for name in STATIONS if any(s.step == name for s in funnel)]
    for place, name in enumerate(names):
        rows = [step for step in funnel if step.step == name]
        after = names[place + 1] if place + 1 < len(names) else None
        leaving = [s for s in funnel if s.step == after and s.dropped]
        steps.append(
            Step(
                count=count(_left(rows[-1])), what=STATIONS[name], left=_reasons(leaving)
            )
        )
    return Flow(steps=tuple(steps))


def _left(step: FunnelStep) -> int:
    """Give what is left after a step, in the unit that matters most there."""
    for left in (step.threads, step.posts, step.comments):
        if left is not None:
            return left
    return 0


def _reasons(steps: Sequence[FunnelStep]) -> tuple[str, ...]:
    leaving = sorted(steps, key=lambda step: (-step.dropped, step.reason))
    named = [
        f"{MINUS}{count(step.dropped)} {words(step.reason)}" for step in leaving[:SHOWN]
    ]
    rest = sum(step.dropped for step in leaving[SHOWN:])
    return (*named, f"{MINUS}{count(rest)} others") if rest else tuple(named)


def words(name: str) -> str:
    """Write the name of a reason as words.

    Example:
        >>> words("too_few_words")
        'too few words'
    """
    return name.replace("_", " ")


def _funnel(funnel: Sequence[FunnelStep]) -> Table:
    columns = (
        Column(key="step", title="Step", align="text"),
        Column(key="reason", title="Reason", align="text"),
        Column(key="unit", title="Of", align="text"),
        Column(key="dropped", title="Dropped"),
        Column(key="posts", title="Posts left"),
        Column(key="comments", title="Comments left"),
        Column(key="threads", title="Threads left"),
    )
    rows = tuple(
        (
            Words(text=step.step),
            Words(text=words(step.reason) if step.reason else "came in"),
            Words(text=step.unit),
            _number(step.dropped),
            _number(step.posts),
            _number(step.comments),
            _number(step.threads),
        )
        for step in funnel
    )
    return Table(
        id="table-funnel",
        title="What each step of the build dropped, and why",
        columns=columns,
        rows=rows,
        note=f"{MISSING}: the step does not concern this.",
        judged=False,
    )


def _number(value: int | None) -> Quantity:
    return Quantity(value=value, text=MISSING if value is None else count(value))


def _statistics(manifest: Manifest) -> Table:
    both = (manifest.statistics.complete, manifest.statistics.answered)
    rows = (
        _row("Threads", [_number(s.threads) for s in both]),
        _row("Questions", [_number(s.questions) for s in both]),
        _row("Answered questions", [_number(s.answered) for s in both]),
        _row("Answered questions, %", [_share(s) for s in both]),
        *_spread("Questions in a thread", [s.turns for s in both]),
        *_spread("Tokens in a question", [s.tokens_question for s in both]),
        *_spread("Tokens in a physician\u2019s answer", [s.tokens_answer for s in both]),
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
        return Quantity(value=value, text=f"{value:,.1f}")

    return tuple(
        _row(f"{name}, {called}", [cell(spread, part) for spread in spreads])
        for part, called in (("mean", "mean"), ("median", "median"), ("max", "maximum"))
    )


def _flair(manifest: Manifest) -> list[Block]:
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
                    _number(line.comments),
                )
                for line in commonest
            ),
            judged=False,
        ),
    ]
