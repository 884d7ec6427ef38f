"""What the calls came to, stage by stage (paper, Tables 9 to 11)."""

from collections.abc import Iterator, Mapping, Sequence

from threadmed.records import Spend, Stage
from threadmed.report.blocks import Cell, Column, Prose, Quantity, Section, Table, Words
from threadmed.report.material import Found
from threadmed.report.numbers import MISSING, percent, things, usd
from threadmed.report.readings import whole

STAGES: Mapping[Stage, str] = {
    "identify": "Identification",
    "answer": "Answers",
    "judge": "Judging",
}
"""In the order in which they are carried out."""


def cost(found: Found) -> Section | None:
    """Show calls, tokens and money of each stage, by model."""
    spend = found.manifest.spend
    if not spend:
        return None
    total = sum(each.cost_usd for each in spend)
    reused = sum(each.reused for each in spend)
    calls = sum(each.calls for each in spend)
    text = f"The whole study made {things(calls, 'call')} and cost {usd(total)} USD."
    if reused:
        text += f" Replies that served more than once saved {things(reused, 'further call')}."
    stages = [stage for stage in STAGES if any(s.stage == stage for s in spend)]
    return Section(
        id="cost",
        title="Cost",
        blocks=(
            Prose(text=text),
            *(_table(found, stage) for stage in stages),
            *([_together(spend, stages)] if len(stages) > 1 else []),
        ),
    )


def _heads() -> tuple[Column, ...]:
    return (
        Column(key="calls", title="Calls"),
        Column(key="reused", title="Used again"),
        Column(key="tokens_in", title="Tokens in"),
        Column(key="tokens_out", title="Tokens out"),
        Column(key="cost_usd", title="USD"),
        Column(key="share", title="Of all, %"),
    )


def _table(found: Found, stage: Stage) -> Table:
    """Show one stage, a row for each model that was called in it."""
    spend = found.manifest.spend
    here = [each for each in spend if each.stage == stage]
    return Table(
        id=f"table-cost-{stage}",
        title=f"{STAGES[stage]}: calls, tokens and price",
        columns=(Column(key="model", title="Model", align="text"), *_heads()),
        rows=tuple((Words(text=s.model), *_numbers([s], spend)) for s in here),
        total=(Words(text="All"), *_numbers(here, spend)),
        note=" ".join(_notes(found, here)),
        judged=False,
    )


def _together(spend: Sequence[Spend], stages: Sequence[Stage]) -> Table:
    return Table(
        id="table-cost",
        title="The whole study",
        columns=(Column(key="stage", title="Stage", align="text"), *_heads()),
        rows=tuple(
            (
                Words(text=STAGES[stage], value=stage),
                *_numbers([s for s in spend if s.stage == stage], spend),
            )
            for stage in stages
        ),
        total=(Words(text="All"), *_numbers(spend, spend)),
        judged=False,
    )


def _notes(found: Found, here: Sequence[Spend]) -> Iterator[str]:
    yield (
        "Used again: a reply that was paid for once and served another item as well. "
        "Prices are list prices unless the study gives its own."
    )
    batched = {model.name for model in found.manifest.study.models if model.batch}
    models = list(dict.fromkeys(each.model for each in here if each.model in batched))
    if models:
        yield f"Through the provider\u2019s batch API where calls could wait: {', '.join(models)}."


def _numbers(spend: Sequence[Spend], everything: Sequence[Spend]) -> tuple[Cell, ...]:
    counts = (
        sum(each.calls for each in spend),
        sum(each.reused for each in spend),
        sum(each.tokens_in for each in spend),
        sum(each.tokens_out for each in spend),
    )
    paid = sum(each.cost_usd for each in spend)
    return (
        *(whole(value) for value in counts),
        Quantity(value=paid, text=usd(paid)),
        _share(paid, sum(each.cost_usd for each in everything)),
    )


def _share(paid: float, total: float) -> Quantity:
    if not total:
        return Quantity(value=None, text=MISSING, note="nothing was paid")
    return Quantity(value=paid / total, text=percent(paid / total))
