"""How often each model corrects (paper, Figure 4), and models against each other."""

from collections.abc import Sequence

from threadmed.metrics.estimates import Estimate
from threadmed.metrics.measurement import Group, Measurement
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
    Section,
    Stack,
    Swatch,
    Table,
    Words,
)
from threadmed.report.material import Found
from threadmed.report.numbers import MINUS, listed, percent
from threadmed.report.readings import (
    dashes,
    estimate_columns,
    group_link,
    group_rate,
    mean,
    point,
    rate,
    said,
    setting_cell,
    whole,
)
from threadmed.report.sections.fall import loss_row
from threadmed.report.theme import SETTING_NAMES


def correction(found: Found) -> Section | None:
    """Show PCR, Uncorrected and the scores of each model."""
    measured = found.measured
    if measured is None or not measured.groups:
        return None
    which = (
        "questions that carry"
        if found.is_single_turn
        else "turns whose question carries"
    )
    blocks: list[Block] = [
        Prose(
            text=f"Scores are those of the panel, over all {which} a misconception. "
            "PCR is the share of scored answers that correct it fully, Uncorrected the "
            "rest, PCS the mean of the scores." + _shared(found)
        )
    ]
    plain = found.plain or measured
    figure = rates_figure(plain, found.main_setting)
    if figure and not opens_with_rates(plain):
        blocks.append(figure)
    blocks.append(_scores(measured))
    return Section(id="correction", title="Correction by model", blocks=tuple(blocks))


def _shared(found: Found) -> str:
    """Say which settings are one request, where they are throughout."""
    if not found.shared:
        return ""
    names = listed([SETTING_NAMES[setting].lower() for setting in found.shared])
    return (
        " Every question is the first of its conversation, so that nothing stands "
        f"before it and {names} are one request: it is counted once, as "
        f"{SETTING_NAMES[found.shared[0]].lower()}."
    )


def opens_with_rates(measured: Measurement) -> bool:
    """Whether the first figure of the page is `rates_figure`, for want of a better."""
    if any(loss_row(loss) is not None for loss in measured.losses):
        return False
    is_later = any(t.turn for group in measured.groups for t in group.by_turn)
    return not (is_later and len({group.setting for group in measured.groups}) > 1)


def rates_figure(
    measured: Measurement, setting: Setting, *, name: str = "figure-correction"
) -> Figure | None:
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
        id=name,
        title="How often each model corrects the false belief, and how often it does not",
        method=f"{_span(groups, setting)}; hollow points rest on fewer than 100 "
        "answers (paper, Figure 4)." + dashes(group.pcr for group in groups),
        alt="Share of scored answers that fully correct the false belief. "
        + " ".join(sentences),
        chart=RatesChart(rows=rows),
        numbers=Table(
            id=name,
            title="PCR and Uncorrected, %",
            columns=(
                Column(key="model", title="Model", align="text"),
                *estimate_columns(pcr="PCR, %", uncorrected="Uncorrected, %"),
                Column(key="n", title="n"),
            ),
            rows=tuple(
                (
                    Words(text=group.target),
                    *group_rate(group),
                    *rate(group.uncorrected, href=group_link(group, (0, -1))),
                    whole(group.n_scored, href=group_link(group, (1, 0, -1))),
                )
                for group in groups
            ),
        ),
    )


def _span(groups: Sequence[Group], setting: Setting) -> str:
    """Say what the rates are over, and what their intervals allow for."""
    if any(t.turn for group in groups for t in group.by_turn):
        return (
            f"{SETTING_NAMES[setting]}, all turns; lines are 95% intervals that allow "
            "for several turns of one thread"
        )
    return f"{SETTING_NAMES[setting]}; lines are 95% intervals"


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
            *estimate_columns(pcr="PCR, %", pcs="PCS"),
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
        *(whole(n, href=group_link(group, score)) for score, n in by_score),
        *group_rate(group),
        *mean(group.pcs),
        whole(group.n_scored, href=group_link(group, (1, 0, -1))),
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
