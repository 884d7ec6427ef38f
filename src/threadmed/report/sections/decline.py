"""The decline by turn: what own answers cost, what harder questions do, and trends."""

from collections.abc import Sequence
from typing import NamedTuple

from threadmed.metrics.compared import Comparison, Question, Step
from threadmed.metrics.estimates import Estimate, NotEstimable, Number
from threadmed.metrics.measurement import (
    Decomposition,
    Measurement,
    SameItems,
    TurnParts,
)
from threadmed.report.blocks import (
    Block,
    Cell,
    Column,
    Heading,
    Part,
    Prose,
    Quantity,
    Scale,
    Stack,
    Swatch,
    Table,
    Words,
)
from threadmed.report.numbers import MINUS, MISSING, mean_score, percent, points
from threadmed.report.readings import (
    cells,
    difference,
    estimate_columns,
    mean,
    rate,
    setting_cell,
    strip,
    whole,
)
from threadmed.report.sections.comparisons import DIFFERENCES, turn_cell

SLOPES = Scale(
    low=-1.5,
    high=1.5,
    ticks=((-1.5, f"{MINUS}1.5"), (0, "0"), (1.5, "+1.5")),
    zero=True,
)


class Hundred(NamedTuple):
    """What becomes of answers to the same questions, as shares that add up to 1."""

    corrected: float
    own: float
    context: float
    remaining: float


def hundred_of(same: SameItems) -> Hundred | None:
    """Part a model's answers by what would have corrected them.

    None where a setting is missing, or where taking something away made it worse.

    Args:
        same: The model's settings on the same items.
    """
    rates = {each.setting: each.pcr for each in same.rates}
    known = [rates.get(name) for name in ("multi_turn", "target_turn", "oracle")]
    multi, target, oracle = (
        n.value if isinstance(n, Estimate) else None for n in known
    )
    if multi is None or target is None or oracle is None:
        return None
    parts = Hundred(multi, target - multi, oracle - target, 1 - oracle)
    return parts if min(parts) >= 0 else None


def hundred_table(same: Sequence[SameItems]) -> Table | None:
    """Show where 100 answers go; None where no model has all three settings."""
    three = [each for each in same if _difference(each, "information") is not None]
    if not three:
        return None
    return Table(
        id="table-hundred",
        title="Where 100 answers go",
        caption="The parts add up to 100, on the same items of turn 1 and later.",
        key=(
            Swatch(text="corrected", colour="blue"),
            Swatch(text="lost to own earlier answers", colour="orange"),
            Swatch(text="lost for want of the physician\u2019s", colour="orange-2"),
            Swatch(text="not corrected even so", colour="rest"),
        ),
        columns=(
            Column(key="model", title="Model", align="text"),
            Column(key="parts", title="Parts", align="drawing"),
            *estimate_columns(
                corrected="Corrected, %",
                own="Own answers",
                context="Physician\u2019s",
                remaining="Remaining, %",
            ),
            Column(key="n", title="n"),
        ),
        rows=tuple(_hundred_row(each) for each in three),
        note="Own answers: target-turn minus multi-turn, in points. Physician\u2019s: "
        "oracle minus target-turn. Remaining: 100 minus oracle. A model for which a "
        "part is below 0 has no bar.",
    )


def _hundred_row(same: SameItems) -> tuple[Cell, ...]:
    multi = next(each.pcr for each in same.rates if each.setting == "multi_turn")
    own, context = (_difference(same, q) for q in ("propagation", "information"))
    none = NotEstimable(reason="a setting is missing", n=same.n)
    return (
        Words(text=same.target),
        _bar(hundred_of(same)),
        *rate(multi),
        *difference(own.difference if own else none),
        *difference(context.difference if context else none),
        *rate(same.remaining),
        whole(same.n),
    )


def _difference(same: SameItems, question: Question) -> Comparison | None:
    return next((c for c in same.differences if c.question == question), None)


def _bar(parts: Hundred | None) -> Stack:
    if parts is None:
        return Stack(parts=(), label="a part is below 0 or not known")
    shares = [percent(part, decimals=0) for part in parts]
    return Stack(
        parts=(
            Part(share=parts.corrected, colour="blue"),
            Part(share=parts.own, colour="orange"),
            Part(share=parts.context, colour="orange-2"),
            Part(share=parts.remaining, colour="rest"),
        ),
        label=f"{shares[0]}% corrected, {shares[1]} lost to own answers, {shares[2]} "
        f"for want of the physician\u2019s, {shares[3]} not corrected even so",
    )


def decline(measured: Measurement) -> list[Block]:
    """Show the parts of the decline by turn, and what happens inside of threads."""
    whole_of = [
        (each.target, each.together)
        for each in measured.decompositions
        if isinstance(each.together, TurnParts)
    ]
    if not whole_of:
        return []
    single = [(e.target, part) for e in measured.decompositions for part in e.turns]
    return [
        Heading(text="The decline, turn by turn"),
        Prose(
            text="The fall from turn 0 is what a model\u2019s own earlier answers cost "
            "it, which is measured on the same questions, and what later questions are "
            "harder, which is measured between different ones. The two add up to the "
            "fall exactly. Shares are given only where the interval of the fall lies "
            "above 0."
        ),
        _parts_table(
            "table-decline", whole_of, title="The fall from turn 0 to all later turns"
        ),
        _by_turn(single),
        *_inside(measured),
    ]


def _by_turn(single: Sequence[tuple[str, TurnParts]]) -> Block:
    """Show the fall to each turn; in a sentence where none of it is a number."""
    refused = [
        part.fall.reason for _, part in single if isinstance(part.fall, NotEstimable)
    ]
    if len(refused) < len(single):
        title = "The fall from turn 0 to each turn"
        return _parts_table("table-decline-turns", single, title=title)
    why = "; ".join(dict.fromkeys(refused))
    reason = f": {why}" if why else ""
    return Prose(text=f"The fall from turn 0 to single turns is not known{reason}.")


def _parts_table(
    name: str, parts: Sequence[tuple[str, TurnParts]], *, title: str
) -> Table:
    return Table(
        id=name,
        title=title,
        caption="In points; shares in percent.",
        columns=(
            Column(key="model", title="Model", align="text"),
            Column(key="turn", title="Turn"),
            *estimate_columns(
                fall="Fall", own="Own answers", drift="Harder", share="Own, %"
            ),
            Column(key="n", title="n"),
            Column(key="both", title="In both"),
        ),
        rows=tuple(_parts_row(target, part) for target, part in parts),
        note="Fall = own answers + harder questions; own, %: of the fall. n: items scored in every setting "
        "that is compared; in both: threads with an item at turn 0 as well.",
    )


def _parts_row(target: str, part: TurnParts) -> tuple[Cell, ...]:
    own = _difference(part.same, "propagation")
    none = NotEstimable(reason="the study has no target-turn", n=part.same.n)
    shares = part.shares
    share: Number = shares if isinstance(shares, NotEstimable) else shares.propagation
    return (
        Words(text=target),
        turn_cell(part.turn, part.last_turn),
        *difference(part.fall),
        *difference(own.difference if own else none),
        *cells(turned(part.drift), points),
        *rate(share),
        whole(part.same.n),
        whole(part.threads_in_both),
    )


def turned(number: Number) -> Number:
    """Give a difference with its sign turned.

    Example:
        >>> turned(NotEstimable(reason="few", n=3)).reason
        'few'
    """
    if isinstance(number, NotEstimable):
        return number
    return Estimate(
        value=-number.value,
        low=-number.high,
        high=-number.low,
        level=number.level,
        n=number.n,
        threads=number.threads,
        method=number.method,
        flag=number.flag,
    )


def _inside(measured: Measurement) -> list[Block]:
    """Follow correction from one turn to the next, and over all turns."""
    return [
        Heading(text="Inside of threads"),
        Prose(
            text="Here the same threads are followed from one labelled turn to the next. "
            "Where few threads have two labelled turns this checks a direction and is "
            "no evidence; the slope of those is one between questions."
        ),
        _steps(measured.decompositions),
        _trends(measured),
    ]


def _steps(found: Sequence[Decomposition]) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for each in found:
        rows.append(
            (Words(text=each.target), Words(text="correction"), *_step(each.step))
        )
        if isinstance(each.own_answers_step, Step):
            words = Words(text="cost of own answers", value="own_answers")
            rows.append((Words(text=each.target), words, *_step(each.own_answers_step)))
    return Table(
        id="table-steps",
        title="From one turn to the next in the same thread",
        caption="Mean change in points, over scored turns next to each other, multi-turn.",
        columns=(
            Column(key="model", title="Model", align="text"),
            Column(key="what", title="Of what", align="text"),
            *estimate_columns(change="Change"),
            Column(key="drawn", title="", align="drawing", scale=DIFFERENCES),
            Column(key="up", title="Up"),
            Column(key="down", title="Down"),
            Column(key="pairs", title="Pairs"),
            Column(key="threads", title="Threads"),
        ),
        rows=tuple(rows),
        note="Cost of own answers: multi-turn minus target-turn; below 0 it grows.",
    )


def _step(step: Step) -> tuple[Cell, ...]:
    return (
        *difference(step.change),
        strip(step.change, points, unit=" points"),
        whole(step.up),
        whole(step.down),
        whole(step.pairs),
        whole(step.threads),
    )


def _trends(measured: Measurement) -> Table:
    groups = [g for g in measured.groups if g.trend.n]
    return Table(
        id="table-trend",
        title="Slope of correction over turns",
        caption="Log odds a turn, by model and setting.",
        columns=(
            Column(key="model", title="Model", align="text"),
            Column(key="setting", title="Setting", align="text"),
            *estimate_columns(slope="Slope"),
            Column(key="drawn", title="", align="drawing", scale=SLOPES),
            Column(key="n", title="n"),
            Column(key="threads", title="Threads"),
            Column(key="several", title="With two turns"),
            Column(key="several_share", title="%"),
        ),
        rows=tuple(
            (
                Words(text=g.target),
                setting_cell(g.setting),
                *mean(g.trend.slope),
                strip(g.trend.slope, mean_score, unit=" log odds"),
                whole(g.trend.n),
                whole(g.trend.threads),
                whole(g.trend.threads_several),
                Quantity(
                    value=g.trend.share_several, text=percent(g.trend.share_several)
                )
                if g.trend.threads
                else Quantity(value=None, text=MISSING, note="there is no thread"),
            )
            for g in groups
        ),
        note="Below 0 correction falls as the conversation goes on; at \u22121 the odds "
        "are not much more than a third a turn later.",
    )
