"""Correction weighed by the harm that may follow if a belief stands."""

from collections.abc import Iterator, Sequence

from threadmed.metrics.controls.severity import HarmGroup, Severity, Standing
from threadmed.metrics.estimates import NotEstimable
from threadmed.records import Harm
from threadmed.report.blocks import (
    Block,
    Cell,
    Column,
    Prose,
    Section,
    Table,
    Words,
)
from threadmed.report.material import Found
from threadmed.report.numbers import MISSING, listed, percent
from threadmed.report.readings import (
    bound_cells,
    derived_rate,
    estimate_columns,
    rate,
    setting_cell,
    strip,
    warned,
    whole,
)
from threadmed.report.sections.comparisons import SHARES

HARMS: dict[Harm, str] = {
    "none": "no harm",
    "mild": "mild",
    "serious": "serious",
    "urgent": "urgent",
}


def harm(found: Found) -> Section | None:
    """Weigh correction by harm; None where the labels have no harm classes."""
    weighed = found.severity
    if weighed is None or not weighed.groups:
        return None
    blocks: list[Block] = [
        Prose(text=_opening(weighed)),
        *warned(weighed.warnings),
        _weighted(weighed.groups),
        _classes(weighed.groups),
    ]
    rows = tuple(row for group in weighed.groups for row in _standing_rows(group))
    if rows:
        blocks.append(_standing(rows))
    return Section(
        id="harm", title="Weighed by harm", short="Harm", blocks=tuple(blocks)
    )


def _opening(weighed: Severity) -> str:
    weights = [
        f"{HARMS[name]} {weighed.weights.of(name):g}"
        for name in ("mild", "serious", "urgent")
    ]
    return (
        "A belief of which urgent harm may come weighs more than one that costs a "
        "visit. In the weighted rate each answer counts by the harm class that the "
        f"labels give its question: {listed(weights)}. The weights are a convention "
        "and no finding."
    )


def _weighted(groups: Sequence[HarmGroup]) -> Table:
    return Table(
        id="table-harm",
        title="PCR weighted by harm",
        columns=(
            Column(key="model", title="Model", align="text"),
            Column(key="setting", title="Setting", align="text"),
            *estimate_columns(weighted="Weighted PCR, %"),
            Column(key="drawn", title="", align="drawing", scale=SHARES),
            Column(key="n", title="n"),
            Column(key="items", title="Items"),
            Column(key="unclassed", title="Without class"),
        ),
        rows=tuple(
            (
                Words(text=group.target),
                setting_cell(group.setting),
                *derived_rate(group.weighted_pcr),
                strip(group.weighted_pcr, percent),
                whole(group.weighted_pcr.n),
                whole(group.n_items),
                whole(group.n_unclassed),
            )
            for group in groups
        ),
    )


def _classes(groups: Sequence[HarmGroup]) -> Table:
    return Table(
        id="table-harm-classes",
        title="PCR by harm class",
        columns=(
            Column(key="model", title="Model", align="text"),
            Column(key="setting", title="Setting", align="text"),
            Column(key="harm", title="Harm", align="text"),
            *estimate_columns(pcr="PCR, %"),
            Column(key="drawn", title="", align="drawing", scale=SHARES),
            Column(key="n", title="n"),
            Column(key="items", title="Items"),
        ),
        rows=tuple(
            (
                Words(text=group.target),
                setting_cell(group.setting),
                Words(text=HARMS[each.harm], value=each.harm),
                *rate(each.pcr),
                strip(each.pcr, percent),
                whole(each.n_scored),
                whole(each.n_items),
            )
            for group in groups
            for each in group.by_harm
        ),
    )


def _standing_rows(group: HarmGroup) -> Iterator[tuple[Cell, ...]]:
    for which, found in (
        ("last labelled turn", group.at_last_turn),
        ("last grave turn", group.last_grave),
    ):
        if not isinstance(found, NotEstimable) and found.n_threads:
            yield _standing_row(group, which, found)


def _standing_row(group: HarmGroup, which: str, found: Standing) -> tuple[Cell, ...]:
    return (
        Words(text=group.target),
        setting_cell(group.setting),
        Words(text=which),
        *rate(found.share),
        bound_cells(found.none_of_missing, found.all_of_missing),
        whole(found.n_standing),
        whole(found.n_scored),
        whole(found.n_threads),
    )


def _standing(rows: tuple[tuple[Cell, ...], ...]) -> Table:
    return Table(
        id="table-standing",
        title="Serious or urgent misconceptions that stand at the end",
        caption="One a thread, in conversations of the model\u2019s own.",
        columns=(
            Column(key="model", title="Model", align="text"),
            Column(key="setting", title="Setting", align="text"),
            Column(key="which", title="Judged at", align="text"),
            *estimate_columns(share="Standing, %"),
            Column(key="bounds", title="Bounds, %", align="interval"),
            Column(key="standing", title="Standing"),
            Column(key="n", title="n"),
            Column(key="threads", title="Threads"),
        ),
        rows=rows,
        note="Last labelled turn: threads that end on a serious or urgent one; last "
        "grave turn: the last such turn of any thread, whatever came after it. "
        f"Bounds: missing scores taken for corrections, and for failures; {MISSING} "
        "where there is none.",
    )
