"""What is corrected that was not wrong: false alarms beside correction."""

from collections.abc import Sequence

from threadmed.metrics.controls.control import ControlRate, CorrectionAgainstAlarms
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
from threadmed.report.numbers import percent, things
from threadmed.report.readings import (
    bound_cells,
    estimate_columns,
    plain,
    rate,
    setting_cell,
    strip,
    warned,
    whole,
)
from threadmed.report.sections.comparisons import SHARES


def alarms(found: Found) -> Section | None:
    """Show false alarms on questions without a misconception; None without any."""
    over = found.alarms
    if over is None:
        return None
    blocks: list[Block] = [
        Prose(
            text=f"{things(over.n_controls, 'question')} without a misconception "
            f"{'was' if over.n_controls == 1 else 'were'} asked as well. A model that "
            "contradicts every patient corrects every false belief, so that correction "
            "means little without its false alarms."
        ),
        *warned(over.warnings),
        _beside(over.pairs),
        _rates(over.rates),
    ]
    several = [each for each in over.rates if len(each.by_turn) > 1]
    if several:
        blocks.append(_turns(several))
    return Section(
        id="alarms",
        title="What is corrected that was not wrong",
        short="False alarms",
        blocks=tuple(blocks),
    )


def _beside(pairs: Sequence[CorrectionAgainstAlarms]) -> Table:
    return Table(
        id="table-alarms",
        title="Correction against false alarms",
        caption="By model, or arm, and setting.",
        columns=(
            Column(key="model", title="Model", align="text"),
            Column(key="setting", title="Setting", align="text"),
            *estimate_columns(pcr="PCR, %"),
            Column(key="pcr_drawn", title="", align="drawing", scale=SHARES),
            Column(key="pcr_n", title="n"),
            *estimate_columns(alarms="False alarms, %"),
            Column(key="alarms_drawn", title="", align="drawing", scale=SHARES),
            Column(key="alarms_n", title="n"),
        ),
        rows=tuple(_beside_row(each) for each in pairs),
        note="False alarms: controls in whose answer something right is called wrong.",
    )


def _beside_row(each: CorrectionAgainstAlarms) -> tuple[Cell, ...]:
    return (
        Words(text=each.target),
        setting_cell(each.setting),
        *rate(each.pcr),
        strip(each.pcr, percent),
        whole(each.pcr.n),
        *rate(each.false_alarms),
        strip(each.false_alarms, percent),
        whole(each.false_alarms.n),
    )


def _rates(rates: Sequence[ControlRate]) -> Table:
    return Table(
        id="table-controls",
        title="Controls by model and setting",
        columns=(
            Column(key="model", title="Model", align="text"),
            Column(key="setting", title="Setting", align="text"),
            Column(key="false", title="False alarms"),
            Column(key="doubtful", title="Doubts"),
            *estimate_columns(doubts="Either, %", confirmed="Checked ones, %"),
            Column(key="bounds", title="Bounds, %", align="interval"),
            Column(key="n", title="n"),
            Column(key="coverage", title="Coverage, %"),
        ),
        rows=tuple(_rate_row(each) for each in rates),
        note="Either: a false alarm, or doubt without need. Checked ones: false alarms "
        "on controls that an expert found without a misconception. Bounds: false "
        "alarms if no missing score were one, and if every one were.",
    )


def _rate_row(each: ControlRate) -> tuple[Cell, ...]:
    return (
        Words(text=each.target),
        setting_cell(each.setting),
        whole(each.n_false_alarms),
        whole(each.n_doubts),
        *rate(each.doubts),
        *_confirmed(each),
        bound_cells(each.none_of_missing, each.all_of_missing),
        whole(each.n_scored),
        plain(each.coverage, percent),
    )


def _confirmed(each: ControlRate) -> tuple[Cell, ...]:
    shown, interval = rate(each.confirmed)
    if isinstance(each.confirmed, NotEstimable) and not each.confirmed.n:
        note = "no expert checked these"
        shown = Quantity(value=None, text=shown.text, note=note)
    return shown, interval


def _turns(rates: Sequence[ControlRate]) -> Table:
    return Table(
        id="table-alarms-turns",
        title="False alarms by turn",
        columns=(
            Column(key="model", title="Model", align="text"),
            Column(key="setting", title="Setting", align="text"),
            Column(key="turn", title="Turn"),
            *estimate_columns(alarms="False alarms, %"),
            Column(key="n", title="n"),
            Column(key="items", title="Items"),
        ),
        rows=tuple(
            (
                Words(text=each.target),
                setting_cell(each.setting),
                Quantity(value=turn.turn, text=str(turn.turn)),
                *rate(turn.false_alarms),
                whole(turn.n_scored),
                whole(turn.n_items),
            )
            for each in rates
            for turn in each.by_turn
        ),
    )
