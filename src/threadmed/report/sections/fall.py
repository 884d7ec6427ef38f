"""The picture of the fall from the first question to the third."""

from collections.abc import Sequence

from threadmed.metrics.estimates import NotEstimable
from threadmed.metrics.measurement import Loss
from threadmed.report import blocks
from threadmed.report.blocks import Column, Figure, LossChart, Table, Words
from threadmed.report.numbers import between, points
from threadmed.report.readings import difference, estimate_columns, point, rate, said


def loss_row(loss: Loss) -> blocks.Loss | None:
    """Make the row of a loss whose parts all are numbers."""
    parts = (loss.first, loss.later, loss.seam, loss.fall, loss.own_earlier_answers)
    if any(isinstance(part, NotEstimable) for part in parts):
        return None
    first, later, seam, fall, own = (point(part) for part in parts)
    return blocks.Loss(
        model=loss.target, first=first, third=later, seam=seam, lost=fall, own=own
    )


def loss_figure(losses: Sequence[Loss]) -> Figure:
    """Draw the falls whose parts all are numbers."""
    rows = tuple(row for row in (loss_row(each) for each in losses) if row)
    firsts = sorted({row.first.n for row in rows})
    thirds = sorted({row.third.n for row in rows})
    ends = f"{between(firsts)} first and {between(thirds)} third questions"
    return Figure(
        id="figure-loss",
        title="What each model loses between the first and the third question",
        method=f"Lines under the points are 95% intervals; {ends}; hollow points rest "
        "on fewer than 100. Own earlier answers: on the same questions, what is gained "
        "when those answers are taken out of the conversation.",
        alt="Share of answers that fully correct the false belief at the first and at "
        "the third question. " + " ".join(_loss_alt(loss) for loss in losses),
        chart=LossChart(rows=rows),
        numbers=_loss_table(losses),
    )


def _loss_alt(loss: Loss) -> str:
    return (
        f"{loss.target}: {said(loss.first)} at the first, {said(loss.later)} at the "
        f"third; lost {said(loss.fall, points, unit=' points')}, of which to its own "
        f"earlier answers {said(loss.own_earlier_answers, points, unit=' points')}."
    )


def _loss_table(losses: Sequence[Loss]) -> Table:
    return Table(
        id="figure-loss",
        title="First and third question",
        columns=(
            Column(key="model", title="Model", align="text"),
            *estimate_columns(
                turn_0="Turn 0, %",
                turn_2="Turn 2, %",
                target_turn_2="Target-turn 2, %",
                lost="Lost, points",
                harder="To harder questions",
                own="To own answers",
            ),
        ),
        rows=tuple(
            (
                Words(text=loss.target),
                *rate(loss.first),
                *rate(loss.later),
                *rate(loss.seam),
                *difference(loss.fall),
                *difference(loss.harder_questions),
                *difference(loss.own_earlier_answers),
            )
            for loss in losses
        ),
        note="Lost = to harder questions + to own answers.",
    )
