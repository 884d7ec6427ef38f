"""What becomes of correction as the conversation goes on (paper, Figure 5, Table 8)."""

from collections.abc import Sequence

from threadmed.metrics.estimates import Estimate
from threadmed.metrics.measurement import Group, TurnRates
from threadmed.report.blocks import (
    Cell,
    Column,
    Figure,
    Prose,
    Quantity,
    Section,
    Table,
    TurnPoint,
    TurnsChart,
    TurnsPanel,
    Words,
)
from threadmed.report.links import answers_link
from threadmed.report.material import Found
from threadmed.report.panels import LAST
from threadmed.report.readings import (
    dashes,
    estimate_columns,
    mean,
    point,
    rate,
    said,
    whole,
)


def by_turn(found: Found) -> Section | None:
    """Show PCR at each turn of multi_turn, where there is more than one."""
    if found.plain is None:
        return None
    groups = [g for g in found.plain.groups if g.setting == "multi_turn"]
    turns = {rates.turn for group in groups for rates in group.by_turn}
    if len(turns) < 2:
        return None
    opening = Prose(
        text="Questions of different turns are different questions: a fall by turn may "
        "be that later ones are harder. Only settings compare the same questions."
    )
    rates = [rates.pcr for group in groups for rates in group.by_turn]
    figures = (
        (_figure(groups, last=max(turns)),)
        if any(isinstance(rate, Estimate) for rate in rates)
        else ()
    )
    return Section(
        id="turns", title="By turn", blocks=(opening, *figures, _table(groups))
    )


def _figure(groups: Sequence[Group], *, last: int) -> Figure:
    rates = [rates.pcr for group in groups for rates in group.by_turn]
    beyond = f" Turns after {LAST} are in the table." if last > LAST else ""
    return Figure(
        id="figure-turns",
        title="Share of false beliefs that each model corrects, by turn",
        method="Multi-turn; percent; vertical lines are 95% intervals, n stands below; "
        "hollow points rest on fewer than 100 answers; grey lines are the other "
        f"models (paper, Figure 5).{beyond}" + dashes(rates),
        alt="\n".join(_sentence(group) for group in groups),
        chart=TurnsChart(
            panels=tuple(
                TurnsPanel(
                    model=group.target,
                    points=tuple(
                        TurnPoint(turn=rates.turn, point=point(rates.pcr))
                        for rates in group.by_turn
                    ),
                )
                for group in groups
            )
        ),
        numbers=_table(groups, name="figure-turns"),
    )


def _sentence(group: Group) -> str:
    turns = "; ".join(f"turn {r.turn}, {said(r.pcr)}" for r in group.by_turn)
    return f"{group.target}, share corrected by turn: {turns}."


def _table(groups: Sequence[Group], name: str = "table-turns") -> Table:
    return Table(
        id=name,
        title="PCR and PCS by turn",
        caption="Multi-turn (paper, Table 8).",
        columns=(
            Column(key="model", title="Model", align="text"),
            Column(key="turn", title="Turn"),
            *estimate_columns(pcr="PCR, %", pcs="PCS"),
            Column(key="n", title="n"),
            Column(key="items", title="Items"),
        ),
        rows=tuple(_row(group, rates) for group in groups for rates in group.by_turn),
        note="n: answers scored, of the items at that turn.",
    )


def _link(
    group: Group, rates: TurnRates, score: int | tuple[int, ...] | None = None
) -> str:
    return answers_link(group.target, group.setting, score, turn=rates.turn)


def _row(group: Group, rates: TurnRates) -> tuple[Cell, ...]:
    return (
        Words(text=group.target),
        Quantity(value=rates.turn, text=str(rates.turn)),
        *rate(rates.pcr, href=_link(group, rates, 1)),
        *mean(rates.pcs),
        whole(rates.n_scored, href=_link(group, rates, (1, 0, -1))),
        whole(rates.n_items, href=_link(group, rates)),
    )
