"""The numbers that the paper prints, as it computes them, beside our own."""

from collections.abc import Iterator
from typing import NamedTuple

from threadmed.metrics.estimates import Number
from threadmed.metrics.measurement import SideBySide
from threadmed.metrics.modes import COPIED, why
from threadmed.records import Setting
from threadmed.report.blocks import (
    Block,
    Cell,
    Column,
    Interval,
    Prose,
    Quantity,
    Table,
    Words,
)
from threadmed.report.numbers import things
from threadmed.report.readings import (
    Valued,
    estimate_columns,
    rate,
    setting_cell,
    whole,
)


class Beside(NamedTuple):
    """A number in both modes."""

    target: str
    setting: Setting
    name: str
    ours: Number
    theirs: Number
    why: str


def published_numbers(both: SideBySide) -> list[Block]:
    """Show the paper's rates in both modes, and count what else the modes give unlike."""
    shown = [each for each in _beside(both) if each.ours != each.theirs]
    if not shown:
        return []
    return [
        Prose(
            text="Both ways of computing were carried out. They give "
            f"{things(len(both.differs), 'number')} unlike, all of which are in "
            "report.json; those that the paper prints stand here."
        ),
        Table(
            id="table-as-published",
            title="Rates as published beside those used here",
            columns=(
                Column(key="model", title="Model", align="text"),
                Column(key="setting", title="Setting", align="text"),
                Column(key="number", title="Number", align="text"),
                *estimate_columns(here="Here, %"),
                Column(key="here_n", title="n"),
                *estimate_columns(published="As published, %"),
                Column(key="published_n", title="n"),
            ),
            rows=tuple(_row(each) for each in shown),
        ),
    ]


def _beside(both: SideBySide) -> Iterator[Beside]:
    ours, theirs = both.recommended, both.as_published
    for one, other in zip(ours.groups, theirs.groups, strict=True):
        yield _pair(one.target, one.setting, "PCR", one.pcr, other.pcr)
    for one, other in zip(ours.groups, theirs.groups, strict=True):
        if one.setting == "multi_turn" and one.recovery.pairs:
            rates = one.recovery.rate, other.recovery.rate
            yield _pair(one.target, one.setting, "RR", *rates)
    oracle = {g.target: g.pcr for g in ours.groups if g.setting == "oracle"}
    for each in theirs.published_oracles:
        yield Beside(
            each.target,
            "oracle",
            "PCR, turn 0 copied in",
            oracle[each.target],
            each.pcr,
            COPIED,
        )


def _pair(
    target: str, setting: Setting, name: str, ours: Number, theirs: Number
) -> Beside:
    return Beside(target, setting, name, ours, theirs, why(ours, theirs))


def _row(each: Beside) -> tuple[Cell, ...]:
    return (
        Words(text=each.target),
        setting_cell(each.setting),
        Words(text=each.name),
        *rate(each.ours),
        whole(each.ours.n),
        *_noted(each),
        whole(each.theirs.n),
    )


def _noted(each: Beside) -> tuple[Quantity, Interval]:
    """Give the published number with the reason why it is another."""
    shown, interval = rate(each.theirs)
    notes = (shown.note, each.why) if isinstance(each.theirs, Valued) else (shown.note,)
    text = "; ".join(note for note in notes if note)
    return Quantity(value=shown.value, text=shown.text, note=text), interval
