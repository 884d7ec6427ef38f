"""The same questions after different conversations (paper, Figure 6, Table 4)."""

from collections.abc import Sequence

from threadmed.metrics.estimates import Estimate
from threadmed.metrics.measurement import Comparison, Measurement, SameItems
from threadmed.report.blocks import (
    Block,
    Column,
    Figure,
    Note,
    Prose,
    Section,
    SettingPoint,
    SettingsChart,
    SettingsRow,
    Table,
    Words,
)
from threadmed.report.material import Found
from threadmed.report.numbers import between, listed
from threadmed.report.readings import (
    dashes,
    estimate_columns,
    group_rate,
    point,
    rate,
    said,
    setting_cell,
    whole,
)
from threadmed.report.sections.comparisons import settings_table
from threadmed.report.sections.decline import decline, hundred_table
from threadmed.report.theme import SETTING_NAMES


def settings(found: Found) -> Section | None:
    """Compare settings on the items that all of them have."""
    measured = found.plain
    same = measured.settings_same_items if measured else ()
    if measured is None or not any(has_later_turns(each) for each in same):
        return None
    blocks: list[Block] = [
        Prose(
            text="The same questions, of turn 1 and later, are asked after the "
            "model\u2019s own answers, after the patient\u2019s messages alone, and after "
            "the physician\u2019s answers. Only what the model has read changes between them, so "
            "here a difference has a cause."
        )
    ]
    blocks += unlike(same)
    if any(isinstance(r.pcr, Estimate) for each in same for r in each.rates):
        blocks.append(same_items_figure(same))
    for table in (hundred_table(same), settings_table("table-settings", same)):
        blocks += [table] if table else []
    blocks += decline(measured)
    return Section(
        id="settings",
        title="Settings and what they separate",
        short="Settings",
        blocks=tuple(blocks),
    )


def has_later_turns(same: SameItems) -> bool:
    """Whether any setting has a scored item after turn 0, where all are one request."""
    return any(support.n_scored for support in same.supports)


def unlike(same: Sequence[SameItems]) -> list[Block]:
    """Say that settings do not hold the same items, where they do not."""
    models = [each.target for each in same if each.unlike]
    if not models:
        return []
    text = (
        "Some settings lack scores that others have "
        f"({listed(models)}). Only items scored in all of them are compared, and the "
        "column Left out counts the rest."
    )
    return [Note(text=text)]


def same_items_figure(same: Sequence[SameItems]) -> Figure:
    """Draw each model's settings on the same items."""
    rows = tuple(
        SettingsRow(
            model=each.target,
            points=tuple(
                SettingPoint(setting=rate.setting, point=point(rate.pcr))
                for rate in each.rates
            ),
        )
        for each in same
    )
    sizes = "; ".join(f"{each.target} n = {each.n:,}" for each in same)
    return Figure(
        id="figure-settings",
        title=settings_finding([c for each in same for c in each.differences]),
        method=f"Fully corrected answers on the same items, turns 1 and later ({sizes});"
        " lines are 95% intervals (paper, Figure 6)."
        + dashes(r.pcr for each in same for r in each.rates),
        alt="Share corrected in each setting on the same items. "
        + " ".join(
            f"{each.target}: "
            + ", ".join(f"{SETTING_NAMES[r.setting]} {said(r.pcr)}" for r in each.rates)
            + "."
            for each in same
        ),
        chart=SettingsChart(rows=rows, is_paired=True),
        numbers=_rates(same),
    )


def settings_finding(differences: Sequence[Comparison]) -> str:
    """Say what the intervals of the differences allow, and no more."""
    cost = [c.difference for c in differences if c.question == "propagation"]
    added = [c.difference for c in differences if c.question == "information"]
    every = "every model corrects" if len(cost) > 1 else "the model corrects"
    above = [isinstance(d, Estimate) and d.low > 0 for d in cost]
    if cost and all(above):
        more = [isinstance(d, Estimate) and d.low > 0 for d in added]
        end = "; with the physician\u2019s, more still" if more and all(more) else ""
        return f"Without its own earlier answers {every} more{end}"
    return "The same questions, asked after different conversations"


def _rates(same: Sequence[SameItems]) -> Table:
    return Table(
        id="figure-settings",
        title="PCR by setting on the same items, %",
        columns=(
            Column(key="model", title="Model", align="text"),
            Column(key="setting", title="Setting", align="text"),
            *estimate_columns(pcr="PCR, %"),
            Column(key="n", title="n"),
            Column(key="left_out", title="Left out"),
        ),
        rows=tuple(
            (
                Words(text=each.target),
                setting_cell(r.setting),
                *rate(r.pcr),
                whole(each.n),
                whole(each.n_left_out),
            )
            for each in same
            for r in each.rates
        ),
        note="Left out: items that lack a score in one of the settings.",
    )


def all_items_figure(measured: Measurement) -> Figure:
    """Draw PCR by model and setting, each on all of its own items."""
    targets = dict.fromkeys(group.target for group in measured.groups)
    groups = {
        target: [group for group in measured.groups if group.target == target]
        for target in targets
    }
    return Figure(
        id="figure-overview",
        title="How often each model corrects the false belief, by what it had read",
        method="All turns; settings hold different items, so they are not compared "
        f"here; n = {between([g.n_scored for g in measured.groups])} scored answers; lines "
        "are 95% intervals; hollow points rest on fewer than 100."
        + dashes(g.pcr for g in measured.groups),
        alt="Share of scored answers that fully correct the false belief. "
        + " ".join(
            f"{g.target}, {SETTING_NAMES[g.setting].lower()}: {said(g.pcr)}."
            for g in measured.groups
        ),
        chart=SettingsChart(
            rows=tuple(
                SettingsRow(
                    model=target,
                    points=tuple(
                        SettingPoint(setting=g.setting, point=point(g.pcr))
                        for g in groups[target]
                    ),
                )
                for target in targets
            )
        ),
        numbers=_all_rates(measured),
    )


def _all_rates(measured: Measurement) -> Table:
    return Table(
        id="figure-overview",
        title="PCR by model and setting, %",
        columns=(
            Column(key="model", title="Model", align="text"),
            Column(key="setting", title="Setting", align="text"),
            *estimate_columns(pcr="PCR, %"),
            Column(key="n", title="n"),
        ),
        rows=tuple(
            (
                Words(text=g.target),
                setting_cell(g.setting),
                *group_rate(g),
                whole(g.n_scored),
            )
            for g in measured.groups
        ),
    )
