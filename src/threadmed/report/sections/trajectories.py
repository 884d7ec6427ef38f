"""How threads go on: the first failure, flips, and failures that follow failures."""

from collections.abc import Sequence

from threadmed.metrics.course import SELECTION, FirstFailure
from threadmed.metrics.estimates import Estimate
from threadmed.metrics.measurement import Group
from threadmed.report.blocks import (
    Block,
    Cell,
    Column,
    Figure,
    Note,
    Part,
    Prose,
    Scale,
    Section,
    Stack,
    Swatch,
    Table,
    TurnPoint,
    TurnsChart,
    TurnsPanel,
    Words,
)
from threadmed.report.material import Found
from threadmed.report.numbers import count, ratio
from threadmed.report.readings import (
    agreement,
    dashes,
    estimate_columns,
    point,
    rate,
    said,
    strip,
    whole,
)
from threadmed.report.sections.recovery import followed

RATIOS = Scale(low=0, high=4, ticks=((0, "0"), (1, "1"), (2, "2"), (4, "4")))


def trajectories(found: Found) -> Section | None:
    """Show how threads go on, where any has two scored turns."""
    groups = followed(found)
    if not groups:
        return None
    blocks: list[Block] = [
        Prose(
            text="A thread is followed over its labelled turns until a belief is not "
            "corrected for the first time. A thread that ends before, or lacks a score, "
            "counts as long as it could be followed."
        )
    ]
    rates = [p.without_failure for g in groups for p in _life(g).points]
    if any(isinstance(rate, Estimate) for rate in rates):
        blocks.append(_figure(groups))
    blocks += [_pairs(groups), Note(text=SELECTION), _repeats(groups)]
    return Section(id="trajectories", title="Trajectories", blocks=tuple(blocks))


def _life(group: Group) -> FirstFailure:
    return group.trajectory.first_failure


def _figure(groups: Sequence[Group]) -> Figure:
    rates = [p.without_failure for g in groups for p in _life(g).points]
    return Figure(
        id="figure-first-failure",
        title="Share of threads without a failure so far",
        method="Multi-turn; percent, by labelled turn of the thread (the first is 1); "
        "vertical lines are 95% intervals, the threads still followed stand below; "
        "hollow points rest on fewer than 100; grey lines are the other models."
        + dashes(rates),
        alt="\n".join(
            f"{g.target}, share of threads without a failure: "
            + "; ".join(
                f"labelled turn {p.step}, {said(p.without_failure)}"
                for p in _life(g).points
            )
            + "."
            for g in groups
        ),
        chart=TurnsChart(
            axis="step",
            is_stepped=True,
            panels=tuple(
                TurnsPanel(
                    model=g.target,
                    points=tuple(
                        TurnPoint(turn=p.step, point=point(p.without_failure))
                        for p in _life(g).points
                    ),
                )
                for g in groups
            ),
        ),
        numbers=_life_table(groups),
    )


def _life_table(groups: Sequence[Group]) -> Table:
    return Table(
        id="figure-first-failure",
        title="Life table of threads",
        columns=(
            Column(key="model", title="Model", align="text"),
            Column(key="step", title="Labelled turn"),
            Column(key="at_risk", title="Followed"),
            Column(key="failures", title="First failures"),
            *estimate_columns(without="Without failure, %"),
        ),
        rows=tuple(
            (
                Words(text=g.target),
                whole(p.step),
                whole(p.at_risk),
                whole(p.failures),
                *rate(p.without_failure),
            )
            for g in groups
            for p in _life(g).points
        ),
    )


def _pairs(groups: Sequence[Group]) -> Table:
    return Table(
        id="table-flips",
        title="From one question to the next",
        caption="Pairs of turns next to each other, both labelled and scored, multi-turn.",
        key=(
            Swatch(text="corrected both times", colour="blue"),
            Swatch(text="recovered", colour="blue-2"),
            Swatch(text="lost", colour="orange-2"),
            Swatch(text="corrected neither time", colour="orange"),
        ),
        columns=(
            Column(key="model", title="Model", align="text"),
            Column(key="parts", title="Pairs", align="drawing"),
            Column(key="kept", title="Kept"),
            Column(key="recovered", title="Recovered"),
            Column(key="lost", title="Lost"),
            Column(key="neither", title="Neither"),
            *estimate_columns(flips="Flips, %"),
            Column(key="pairs", title="Pairs"),
            *estimate_columns(extremes="Both ends, %"),
            Column(key="threads", title="Threads"),
        ),
        rows=tuple(_pairs_row(group) for group in groups),
        note="Flips: pairs that change either way. Both ends: threads with +1 at one "
        "turn and \u22121 at another, of the threads with two scored turns.",
    )


def _pairs_row(group: Group) -> tuple[Cell, ...]:
    went = group.trajectory
    after = went.error_propagation
    kinds = (
        after.corrected_corrected,
        after.fail_corrected,
        after.corrected_fail,
        after.fail_fail,
    )
    return (
        Words(text=group.target),
        _stack(kinds),
        *(whole(kind) for kind in kinds),
        *rate(went.flips.share),
        whole(went.flips.pairs),
        *rate(went.both_extremes),
        whole(went.both_extremes.n),
    )


def _stack(kinds: Sequence[int]) -> Stack:
    total = sum(kinds)
    if not total:
        return Stack(parts=(), label="no two turns in a row are scored")
    kept, back, lost, neither = (kind / total for kind in kinds)
    words = ("kept", "recovered", "lost", "corrected neither time")
    return Stack(
        parts=(
            Part(share=kept, colour="blue"),
            Part(share=back, colour="blue-2"),
            Part(share=lost, colour="orange-2"),
            Part(share=neither, colour="orange"),
        ),
        label=", ".join(
            f"{count(kind)} {word}" for kind, word in zip(kinds, words, strict=True)
        ),
    )


def _repeats(groups: Sequence[Group]) -> Table:
    return Table(
        id="table-repeats",
        title="How much likelier a failure is after a failure",
        caption="EPR: share of failures after a failure over that after a correction, "
        "multi-turn.",
        columns=(
            Column(key="model", title="Model", align="text"),
            Column(key="after_failure", title="After a failure"),
            Column(key="after_correction", title="After a correction"),
            *estimate_columns(epr="EPR"),
            Column(key="drawn", title="", align="drawing", scale=RATIOS),
            Column(key="pairs", title="Pairs"),
        ),
        rows=tuple(_repeats_row(group) for group in groups),
        note="Failures of pairs. At 1 an earlier failure says nothing of the next turn.",
    )


def _repeats_row(group: Group) -> tuple[Cell, ...]:
    found = group.trajectory.error_propagation
    failed = found.fail_fail + found.fail_corrected
    corrected = found.corrected_fail + found.corrected_corrected
    return (
        Words(text=group.target),
        Words(text=f"{count(found.fail_fail)} of {count(failed)}"),
        Words(text=f"{count(found.corrected_fail)} of {count(corrected)}"),
        *agreement(found.ratio),
        strip(found.ratio, ratio, unit=""),
        whole(failed + corrected),
    )
