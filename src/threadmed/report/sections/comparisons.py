"""Differences on the same items: models against models, and one model's settings.

Every table of differences on the page is made here.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from threadmed.metrics.measurement import Comparison, Question, SameItems
from threadmed.report.blocks import (
    Block,
    Cell,
    Column,
    Prose,
    Quantity,
    Scale,
    Section,
    Strip,
    Table,
    Words,
)
from threadmed.report.links import flips_link
from threadmed.report.material import Found
from threadmed.report.numbers import MINUS, count, points
from threadmed.report.readings import (
    adjusted_p,
    difference,
    estimate_columns,
    strip,
    whole,
)
from threadmed.report.strips import reaching
from threadmed.report.theme import SETTING_READS

SHARES = Scale(low=0, high=1, ticks=((0, "0"), (0.5, "50"), (1, "100")))
UNIT = Scale(low=0, high=1, ticks=((0, "0"), (0.5, "0.5"), (1, "1")))
DIFFERENCES = Scale(
    low=-0.5,
    high=0.5,
    ticks=((-0.5, f"{MINUS}50"), (0, "0"), (0.5, "+50")),
    zero=True,
)

ASKED: dict[Question, str] = {
    "propagation": "own answers taken out",
    "information": "physician\u2019s added to none",
    "oracle_gain": "physician\u2019s instead of own",
    "targets": "one model against another",
    "arm": "an arm against its model",
}

COMPARED = (
    *estimate_columns(difference="Difference"),
    Column(key="drawn", title="", align="drawing", scale=DIFFERENCES),
    Column(key="first_only", title="Only first"),
    Column(key="second_only", title="Only second"),
    Column(key="p_holm", title="p, Holm"),
    Column(key="n", title="n"),
    Column(key="left_out", title="Left out"),
)
"""What is shown of every difference."""


def kappa_scale(rows: Sequence[Sequence[Cell]]) -> Scale:
    """Give the axis of a column of kappas: from 0, or lower where a strip needs it."""
    cells = (cell for row in rows for cell in row)
    return reaching(UNIT, [cell for cell in cells if isinstance(cell, Strip)])


NOTE = (
    "Only first, only second: items that one side alone corrected. p: exact, over whole "
    "threads, adjusted by Holm within {family}. Left out: items that lack a score on "
    "the other side."
)


class Naming(NamedTuple):
    """What stands before a difference and says what is compared."""

    columns: tuple[Column, ...]
    cells: Callable[[Comparison], tuple[Cell, ...]]
    family: str
    """Among what the p-values are adjusted, in words."""


def comparisons(found: Found) -> Section | None:
    """Compare models with each other in their main setting."""
    measured = found.measured
    if measured is None or not measured.comparisons:
        return None
    between = measured.comparisons
    is_later = any(t.turn for group in measured.groups for t in group.by_turn)
    setting = between[0].first.setting
    after = f", {SETTING_READS[setting]}" if is_later else ""
    opening = (
        f"Models are compared on the questions that both answered{after}. "
        f"{_settled(between)}"
    )
    blocks: tuple[Block, ...] = (
        Prose(text=opening),
        compared_table(
            "table-comparisons",
            between,
            title="Differences between models",
            caption="PCR, paired on the same items, in points in favour of the first.",
            naming=Naming(
                (
                    Column(key="first", title="First", align="text"),
                    Column(key="second", title="Second", align="text"),
                ),
                _sides,
                "all pairs of models",
            ),
        ),
    )
    return Section(id="comparisons", title="Comparisons", blocks=blocks)


def _settled(between: Sequence[Comparison]) -> str:
    """Say how many pairs this study cannot tell apart."""
    unsettled, pairs = sum(not_settled(c) for c in between), len(between)
    if not unsettled:
        return "Every adjusted p is below 0.05."
    which = "The two" if pairs == 1 else f"{count(unsettled)} of {count(pairs)} pairs"
    return (
        f"{which} cannot be told apart by this study: the adjusted p is above 0.05. "
        "That is no evidence that they are alike; the interval says how far apart "
        "they may be."
    )


def not_settled(c: Comparison) -> bool:
    """Tell whether this study cannot say which side is better."""
    p = adjusted_p(c.test).value
    return p is None or p > 0.05


def _sides(c: Comparison) -> tuple[Cell, ...]:
    return (Words(text=c.first.target), Words(text=c.second.target))


def compared_table(
    name: str,
    compared: Sequence[Comparison],
    *,
    title: str,
    caption: str,
    naming: Naming,
) -> Table:
    """Make a table of differences.

    Args:
        name: Of its files.
        compared: A row each.
        title: What it shows.
        caption: What is taken from what.
        naming: What stands before the differences.
    """
    return Table(
        id=name,
        title=title,
        caption=caption,
        columns=(*naming.columns, *COMPARED),
        rows=tuple((*naming.cells(c), *_compared(c)) for c in compared),
        note=NOTE.format(family=naming.family),
    )


def _compared(c: Comparison) -> tuple[Cell, ...]:
    """Make the cells that every difference has."""
    return (
        *difference(c.difference),
        strip(c.difference, points, unit=" points"),
        whole(c.first_only, href=_flips(c)),
        whole(c.second_only, href=_flips(c, turned=True)),
        adjusted_p(c.test),
        whole(c.n),
        whole(c.n_left_out),
    )


def _flips(c: Comparison, *, turned: bool = False) -> str:
    """Lead to what one side corrected and the other did not."""
    better, worse = (c.second, c.first) if turned else (c.first, c.second)
    return flips_link(
        better.setting,
        worse.setting,
        target=better.target,
        than="" if better.target == worse.target else worse.target,
    )


def settings_table(name: str, same: Sequence[SameItems]) -> Table | None:
    """Show what each setting changes; None where no two settings are compared."""
    compared = [c for each in same for c in each.differences]
    if not compared:
        return None
    return compared_table(
        name,
        compared,
        title="What each setting changes, in points",
        caption="Paired differences of PCR on the same items of turn 1 and later "
        "(paper, Table 4).",
        naming=Naming(
            (
                Column(key="model", title="Model", align="text"),
                Column(key="question", title="What", align="text"),
            ),
            lambda c: (
                Words(text=c.first.target),
                Words(text=ASKED[c.question], value=c.question),
            ),
            "the settings of one model",
        ),
    )


def turn_cell(turn: int, last: int) -> Quantity | Words:
    """Name a turn, or several that are taken together."""
    if turn == last:
        return Quantity(value=turn, text=str(turn))
    return Words(text=f"{turn} to {last}")
