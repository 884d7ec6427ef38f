"""How often each model corrects (paper, Figure 4), and models against each other."""

from threadmed.metrics.estimates import Estimate, NotEstimable
from threadmed.metrics.measurement import Comparison, Group, Measurement
from threadmed.records import Setting
from threadmed.report.blocks import (
    Block,
    Cell,
    Column,
    Figure,
    Part,
    Prose,
    Quantity,
    Rates,
    RatesChart,
    Scale,
    Section,
    Stack,
    Swatch,
    Table,
    Words,
)
from threadmed.report.links import answers_link
from threadmed.report.material import Found
from threadmed.report.numbers import MINUS, MISSING, count, p_value, percent, points
from threadmed.report.readings import (
    dashes,
    difference,
    group_rate,
    mean,
    point,
    rate,
    said,
    setting_cell,
    strip,
    whole,
)
from threadmed.report.theme import SETTING_NAMES

SHARES = Scale(low=0, high=1, ticks=((0, "0"), (0.5, "50"), (1, "100")))
DIFFERENCES = Scale(
    low=-0.5,
    high=0.5,
    ticks=((-0.5, f"{MINUS}50"), (0, "0"), (0.5, "+50")),
    zero=True,
)


def correction(found: Found) -> Section | None:
    """Show PCR, Uncorrected and the scores of each model."""
    measured = found.measured
    if measured is None or not measured.groups:
        return None
    blocks: list[Block] = [
        Prose(
            text="Scores are those of the panel, over all turns whose question carries "
            "a misconception. PCR is the share of scored answers that correct it "
            "fully, Uncorrected the rest, PCS the mean of the scores."
        )
    ]
    figure = rates_figure(measured, found.main_setting)
    if figure:
        blocks.append(figure)
    blocks.append(_scores(measured))
    between = [c for c in measured.comparisons if c.question == "targets"]
    if between:
        blocks += _between(between)
    return Section(id="correction", title="Correction by model", blocks=tuple(blocks))


def rates_figure(measured: Measurement, setting: Setting) -> Figure | None:
    """Draw PCR and Uncorrected of each model in one setting; None without a rate."""
    groups = [group for group in measured.groups if group.setting == setting]
    if not any(isinstance(group.pcr, Estimate) for group in groups):
        return None
    rows = tuple(
        Rates(
            model=group.target,
            corrected=point(group.pcr),
            uncorrected=point(group.uncorrected),
        )
        for group in groups
    )
    sentences = [f"{group.target}: {said(group.pcr)} corrected." for group in groups]
    return Figure(
        id="figure-correction",
        title="How often each model corrects the false belief, and how often it does not",
        method=f"{SETTING_NAMES[setting]}, all turns; lines are 95% intervals that "
        "allow for several turns of one thread; hollow points rest on fewer than 100 "
        "answers (paper, Figure 4)." + dashes(group.pcr for group in groups),
        alt="Share of scored answers that fully correct the false belief. "
        + " ".join(sentences),
        chart=RatesChart(rows=rows),
        numbers=Table(
            id="figure-correction",
            title="PCR and Uncorrected, %",
            columns=(
                Column(key="model", title="Model", align="text"),
                Column(key="pcr", title="PCR, %"),
                Column(key="pcr_ci", title="95% CI", align="interval"),
                Column(key="uncorrected", title="Uncorrected, %"),
                Column(key="uncorrected_ci", title="95% CI", align="interval"),
                Column(key="n", title="n"),
            ),
            rows=tuple(
                (
                    Words(text=group.target),
                    *group_rate(group),
                    *rate(group.uncorrected),
                    whole(group.n_scored),
                )
                for group in groups
            ),
        ),
    )


def _scores(measured: Measurement) -> Table:
    return Table(
        id="table-correction",
        title="Scores by model and setting",
        key=(
            Swatch(text="corrected (+1)", colour="blue"),
            Swatch(text="partly (0)", colour="pale"),
            Swatch(text=f"not noticed ({MINUS}1)", colour="orange"),
        ),
        columns=(
            Column(key="model", title="Model", align="text"),
            Column(key="setting", title="Setting", align="text"),
            Column(key="scores", title="Scores", align="drawing"),
            Column(key="corrected", title="+1"),
            Column(key="partly", title="0"),
            Column(key="not_noticed", title=f"{MINUS}1"),
            Column(key="pcr", title="PCR, %"),
            Column(key="pcr_ci", title="95% CI", align="interval"),
            Column(key="pcs", title="PCS"),
            Column(key="pcs_ci", title="95% CI", align="interval"),
            Column(key="n", title="n"),
            Column(key="coverage", title="Coverage, %"),
        ),
        rows=tuple(_score_row(group) for group in measured.groups),
        note="The counts lead to the answers. n: answers scored; coverage: their share "
        "of all items.",
    )


def _score_row(group: Group) -> tuple[Cell, ...]:
    counts = group.counts
    by_score = ((1, counts.corrected), (0, counts.partly), (-1, counts.not_noticed))
    return (
        Words(text=group.target),
        setting_cell(group.setting),
        _stack(group),
        *(
            Quantity(
                value=n,
                text=count(n),
                href=answers_link(group.target, group.setting, score) if n else "",
            )
            for score, n in by_score
        ),
        *group_rate(group),
        *mean(group.pcs),
        whole(group.n_scored),
        Quantity(value=group.coverage, text=percent(group.coverage)),
    )


def _stack(group: Group) -> Stack:
    counts, n = group.counts, group.n_scored
    if not n:
        return Stack(parts=(), label="no scored answer")
    return Stack(
        parts=(
            Part(share=counts.corrected / n, colour="blue"),
            Part(share=counts.partly / n, colour="pale"),
            Part(share=counts.not_noticed / n, colour="orange"),
        ),
        label=f"{counts.corrected} corrected, {counts.partly} partly, "
        f"{counts.not_noticed} not noticed, of {n}",
    )


def _between(comparisons: list[Comparison]) -> list[Block]:
    return [
        Prose(
            text="Models are compared on the questions that both answered. Where the "
            "adjusted p is above 0.05 the two cannot be told apart by this study."
        ),
        Table(
            id="table-comparisons",
            title="Differences between models",
            caption="PCR, paired on the same items; points in favour of the first.",
            columns=(
                Column(key="first", title="First", align="text"),
                Column(key="second", title="Second", align="text"),
                Column(key="difference", title="Difference"),
                Column(key="difference_ci", title="95% CI", align="interval"),
                Column(key="drawn", title="", align="drawing", scale=DIFFERENCES),
                Column(key="first_only", title="Only first"),
                Column(key="second_only", title="Only second"),
                Column(key="p_holm", title="p, Holm"),
                Column(key="n", title="n"),
            ),
            rows=tuple(_comparison(c) for c in comparisons),
            note="Only first: items that the first model alone corrected. p: exact, "
            "signs of whole threads turned; Holm over all pairs.",
        ),
    ]


def _comparison(c: Comparison) -> tuple[Cell, ...]:
    return (
        Words(text=c.first.target),
        Words(text=c.second.target),
        *difference(c.difference),
        strip(c.difference, points, unit=" points"),
        whole(c.first_only),
        whole(c.second_only),
        adjusted_p(c),
        whole(c.n),
    )


def adjusted_p(c: Comparison) -> Quantity:
    """Make the cell of a comparison's p-value, adjusted for its family."""
    if isinstance(c.test, NotEstimable):
        return Quantity(value=None, text=MISSING, note=c.test.reason)
    return Quantity(value=c.test.p_holm, text=p_value(c.test.p_holm))
