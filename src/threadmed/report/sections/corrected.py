"""Rates with the judges' errors taken out, beside those that the judges gave."""

from collections.abc import Sequence

from threadmed.metrics.corrected.records import (
    Corrected,
    CorrectedDifference,
    CorrectedMean,
    JudgeCorrection,
)
from threadmed.metrics.estimates import NotEstimable
from threadmed.report.blocks import (
    Block,
    Cell,
    Column,
    Prose,
    Quantity,
    Section,
    Table,
    Words,
)
from threadmed.report.material import Found
from threadmed.report.numbers import (
    MINUS,
    MISSING,
    count,
    percent,
    points,
    ratio,
    things,
)
from threadmed.report.readings import (
    Number,
    derived_rate,
    difference,
    estimate_columns,
    mean,
    plain,
    rate,
    setting_cell,
    strip,
    warned,
    whole,
)
from threadmed.report.sections.comparisons import DIFFERENCES, SHARES
from threadmed.report.theme import SETTING_NAMES


def corrected(found: Found) -> Section | None:
    """Show corrected rates beside raw ones; None where no expert scored an answer."""
    fixed = found.corrected
    if fixed is None:
        return None
    groups = [group for group in fixed.groups if group.n_labels or group.n_judged]
    blocks: list[Block] = [
        Prose(text=_opening(fixed)),
        *warned(fixed.warnings),
        _rates(groups),
    ]
    means = [each for each in fixed.means if len(each.targets) > 1]
    if means:
        blocks.append(_means(means))
    labelled = [each for each in fixed.differences if each.n_labels]
    if any(_is_known(each.difference.corrected) for each in labelled):
        blocks.append(_differences(labelled))
    if any(_is_known(group.rogan_gladen, group.pcs.corrected) for group in groups):
        blocks.append(_others([group for group in groups if group.n_labels]))
    return Section(
        id="corrected",
        title="Rates with the judges\u2019 errors taken out",
        short="Corrected rates",
        blocks=tuple(blocks),
    )


def _is_known(*numbers: Number) -> bool:
    return any(not isinstance(number, NotEstimable) for number in numbers)


def _opening(fixed: JudgeCorrection) -> str:
    done = sum(not isinstance(g.pcr.corrected, NotEstimable) for g in fixed.groups)
    return (
        f"Experts scored {things(fixed.n_labels, 'answer')} that the panel scored too. "
        "PPI++ takes out of each rate what the panel gets wrong on them, and lets the "
        "interval say how little is known of its errors. "
        f"{count(done)} of {things(len(fixed.groups), 'rate')} could be corrected; with "
        "fewer than 30 labels of a model and setting the experts\u2019 own rate stands "
        "beside the judges\u2019, and nothing is corrected."
    )


def _rates(groups: Sequence[Corrected]) -> Table:
    return Table(
        id="table-corrected",
        title="PCR by judges, by experts, and corrected",
        caption="Corrected: over all answers that were judged.",
        columns=(
            Column(key="model", title="Model", align="text"),
            Column(key="setting", title="Setting", align="text"),
            *estimate_columns(
                judge="Judges, %", humans="Experts, %", corrected="Corrected, %"
            ),
            Column(key="drawn", title="", align="drawing", scale=SHARES),
            Column(key="lam", title="\u03bb"),
            Column(key="judged", title="Judged"),
            Column(key="labels", title="Labels"),
            Column(key="needed", title="To halve"),
        ),
        rows=tuple(_row(group) for group in groups),
        note="Experts: their own rate on the labelled answers alone. \u03bb: how far "
        "the judges are believed, from 0 to 1. To halve: labels, in all, that would "
        "halve the interval.",
    )


def _row(group: Corrected) -> tuple[Cell, ...]:
    fixed, interval = derived_rate(group.pcr.corrected)
    notes = dict.fromkeys((fixed.note, *group.warnings))
    noted = "; ".join(note for note in notes if note)
    return (
        Words(text=group.target),
        setting_cell(group.setting),
        *rate(group.pcr.judge),
        *rate(group.pcr.humans),
        Quantity(value=fixed.value, text=fixed.text, note=noted),
        interval,
        strip(group.pcr.corrected, percent),
        _believed(group.lam),
        whole(group.n_judged),
        whole(group.n_labels),
        _needed(group),
    )


def _believed(lam: float | None) -> Quantity:
    if lam is None:
        return Quantity(value=None, text=MISSING, note="there is no correction")
    return plain(lam, ratio)


def _needed(group: Corrected) -> Quantity:
    if isinstance(group.to_halve, NotEstimable):
        return Quantity(value=None, text=MISSING, note=group.to_halve.reason)
    if group.to_halve.labels is None:
        note = "a label for every judged answer would not do"
        return Quantity(value=None, text=MISSING, note=note)
    return whole(group.to_halve.labels)


def _means(means: Sequence[CorrectedMean]) -> Table:
    return Table(
        id="table-corrected-means",
        title="Mean PCR over models",
        caption="For labels that are too few to correct each model.",
        columns=(
            Column(key="setting", title="Setting", align="text"),
            Column(key="models", title="Models"),
            *estimate_columns(judge="Judges, %", corrected="Corrected, %"),
            Column(key="lam", title="\u03bb"),
            Column(key="labels", title="Labels"),
        ),
        rows=tuple(
            (
                setting_cell(each.setting),
                whole(len(each.targets)),
                *rate(each.judge),
                *derived_rate(each.corrected),
                _believed(each.lam),
                whole(each.n_labels),
            )
            for each in means
        ),
    )


def _differences(found: Sequence[CorrectedDifference]) -> Table:
    return Table(
        id="table-corrected-differences",
        title="Differences, by judges and corrected",
        caption="PCR of the first minus that of the second, on the same items.",
        columns=(
            Column(key="what", title="What", align="text"),
            *estimate_columns(judge="Judges", humans="Experts", corrected="Corrected"),
            Column(key="drawn", title="", align="drawing", scale=DIFFERENCES),
            Column(key="judged", title="Judged"),
            Column(key="labels", title="Labels"),
        ),
        rows=tuple(
            (
                Words(text=_what(each)),
                *difference(each.difference.judge),
                *difference(each.difference.humans),
                *difference(each.difference.corrected),
                strip(each.difference.corrected, points, unit=" points"),
                whole(each.n_judged),
                whole(each.n_labels),
            )
            for each in found
        ),
        note="Pairs without an item that experts scored on both sides are left out.",
    )


def _what(each: CorrectedDifference) -> str:
    """Say what is taken from what: settings of one model, or models in one setting."""
    (one, setting), (other, against) = each.first, each.second
    names = [SETTING_NAMES[name].lower() for name in (setting, against)]
    if one == other:
        return f"{one}: {names[0]} {MINUS} {names[1]}"
    return f"{one} {MINUS} {other}, {names[0]}"


def _others(groups: Sequence[Corrected]) -> Table:
    by_verdict = any(not isinstance(g.post_stratified, NotEstimable) for g in groups)
    return Table(
        id="table-corrected-others",
        title="The same by other methods, and PCS",
        caption="Rogan\u2013Gladen and inversion use the labels of every model and "
        "setting, and assume that the panel errs alike in all.",
        columns=(
            Column(key="model", title="Model", align="text"),
            Column(key="setting", title="Setting", align="text"),
            *estimate_columns(
                rogan_gladen="Rogan\u2013Gladen, %",
                inverted="Inversion, %",
                pcs="PCS",
                pcs_corrected="PCS corrected",
                **({"stratified": "By verdict, %"} if by_verdict else {}),
            ),
            Column(key="labels", title="Labels"),
        ),
        rows=tuple(
            (
                Words(text=group.target),
                setting_cell(group.setting),
                *derived_rate(group.rogan_gladen),
                *derived_rate(group.inverted_pcr),
                *mean(group.pcs.judge),
                *mean(group.pcs.corrected),
                *(derived_rate(group.post_stratified) if by_verdict else ()),
                whole(group.n_labels),
            )
            for group in groups
        ),
    )
