"""The same questions after different conversations (paper, Figure 6, Table 4)."""

from collections.abc import Sequence

from threadmed.metrics.estimates import Estimate
from threadmed.metrics.measurement import Comparison, Measurement, SameItems
from threadmed.report.blocks import (
    Block,
    Cell,
    Column,
    Figure,
    Prose,
    Section,
    SettingPoint,
    SettingsChart,
    SettingsRow,
    Table,
    Words,
)
from threadmed.report.material import Found
from threadmed.report.numbers import between, points
from threadmed.report.readings import (
    dashes,
    difference,
    group_rate,
    point,
    rate,
    said,
    setting_cell,
    strip,
    whole,
)
from threadmed.report.sections.correction import DIFFERENCES, adjusted_p
from threadmed.report.theme import SETTING_NAMES

ASKED = {
    "propagation": "own answers taken out",
    "information": "physician\u2019s added to none",
    "oracle_gain": "physician\u2019s instead of own",
    "targets": "one model against another",
}


def settings(found: Found) -> Section | None:
    """Compare settings on the items that all of them have."""
    measured = found.measured
    if measured is None or not measured.settings_same_items:
        return None
    same = measured.settings_same_items
    blocks: list[Block] = [
        Prose(
            text="The same questions, of turn 1 and later, are asked after the "
            "model\u2019s own answers, after no answers, and after the "
            "physician\u2019s. Only what the model has read changes between them, so "
            "here a difference has a cause."
        )
    ]
    if any(isinstance(r.pcr, Estimate) for each in same for r in each.rates):
        blocks.append(same_items_figure(same))
    compared = [c for each in same for c in each.differences]
    if compared:
        blocks.append(_differences(compared))
    return Section(
        id="settings", title="Settings and what they separate", blocks=tuple(blocks)
    )


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
            Column(key="pcr", title="PCR, %"),
            Column(key="pcr_ci", title="95% CI", align="interval"),
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


def _differences(compared: Sequence[Comparison]) -> Table:
    return Table(
        id="table-settings",
        title="What each setting changes, in points",
        caption="Paired differences of PCR on the same items (paper, Table 4).",
        columns=(
            Column(key="model", title="Model", align="text"),
            Column(key="question", title="What", align="text"),
            Column(key="difference", title="Difference"),
            Column(key="difference_ci", title="95% CI", align="interval"),
            Column(key="drawn", title="", align="drawing", scale=DIFFERENCES),
            Column(key="first_only", title="Gained"),
            Column(key="second_only", title="Lost"),
            Column(key="p_holm", title="p, Holm"),
            Column(key="n", title="n"),
        ),
        rows=tuple(_row(c) for c in compared),
        note="Own answers taken out: target-turn minus multi-turn. Physician\u2019s "
        "answers: oracle minus target-turn, or minus multi-turn. Gained, lost: items corrected "
        "in the first setting alone, in the second alone. p: exact, signs of whole "
        "threads turned; Holm within the model.",
    )


def _row(c: Comparison) -> tuple[Cell, ...]:
    return (
        Words(text=c.first.target),
        Words(text=ASKED[c.question]),
        *difference(c.difference),
        strip(c.difference, points, unit=" points"),
        whole(c.first_only),
        whole(c.second_only),
        adjusted_p(c),
        whole(c.n),
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
            Column(key="pcr", title="PCR, %"),
            Column(key="pcr_ci", title="95% CI", align="interval"),
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
