"""What the calls came to."""

from threadmed.records import Spend
from threadmed.report.blocks import Cell, Column, Prose, Quantity, Section, Table, Words
from threadmed.report.material import Found
from threadmed.report.numbers import things, usd
from threadmed.report.readings import whole


def cost(found: Found) -> Section | None:
    """Show calls, tokens and money per stage and model."""
    spend = found.manifest.spend
    if not spend:
        return None
    total = sum(each.cost_usd for each in spend)
    reused = sum(each.reused for each in spend)
    calls = sum(each.calls for each in spend)
    text = f"The whole study made {things(calls, 'call')} and cost {usd(total)} USD."
    if reused:
        text += f" Replies that served more than once saved {things(reused, 'further call')}."
    return Section(
        id="cost",
        title="Cost",
        blocks=(
            Prose(text=text),
            Table(
                id="table-cost",
                title="Calls, tokens and price",
                columns=(
                    Column(key="stage", title="Stage", align="text"),
                    Column(key="model", title="Model", align="text"),
                    Column(key="calls", title="Calls"),
                    Column(key="reused", title="Used again"),
                    Column(key="tokens_in", title="Tokens in"),
                    Column(key="tokens_out", title="Tokens out"),
                    Column(key="cost_usd", title="USD"),
                ),
                rows=tuple(
                    (Words(text=each.stage), Words(text=each.model), *_numbers([each]))
                    for each in spend
                ),
                total=(Words(text="All"), Words(text=""), *_numbers(list(spend))),
                note="Used again: a reply that was paid for once and served another "
                "item as well. Prices are list prices unless the study gives its own.",
                judged=False,
            ),
        ),
    )


def _numbers(spend: list[Spend]) -> tuple[Cell, ...]:
    totals = (
        sum(each.calls for each in spend),
        sum(each.reused for each in spend),
        sum(each.tokens_in for each in spend),
        sum(each.tokens_out for each in spend),
    )
    total = sum(each.cost_usd for each in spend)
    return (
        *(whole(value) for value in totals),
        Quantity(value=total, text=usd(total)),
    )
