"""What other prompts, and changed answers, add to a model."""

from collections.abc import Iterator, Sequence

from threadmed.metrics.interventions import ByNumber, Intervened, Pairs
from threadmed.metrics.measurement import Comparison
from threadmed.records import Policy
from threadmed.report.blocks import (
    Block,
    Cell,
    Column,
    Heading,
    Prose,
    Section,
    Table,
    Words,
)
from threadmed.report.material import Found
from threadmed.report.numbers import points
from threadmed.report.readings import (
    difference,
    estimate_columns,
    rate,
    setting_cell,
    strip,
    warned,
    whole,
)
from threadmed.report.sections.comparisons import DIFFERENCES, Naming, compared_table
from threadmed.report.theme import ACTS, SETTING_NAMES, WHY_CHANGED

POLICIES: dict[Policy, str] = {
    "first": "the first answer",
    "last": "the answer before the question",
    "turns": "answers of given turns",
    "random": "answers at random",
    "first_failing": "the first answer that fails",
    "every_failing": "every answer that fails",
}


def arms(found: Found) -> Section | None:
    """Compare each arm with its model asked plainly; None where there is no arm."""
    measured = found.arms
    if measured is None or not measured.comparisons:
        return None
    blocks: list[Block] = [
        Prose(
            text="An arm asks a model in another way, or changes some of its earlier "
            "answers. It is compared with the same model asked plainly, on the same "
            "questions, so that a difference has a cause."
        ),
        _compared(measured.comparisons),
    ]
    if measured.interventions:
        blocks += _changed(measured.interventions)
    return Section(
        id="arms", title="Other prompts, and changed answers", short="Arms",
        blocks=tuple(blocks),
    )  # fmt: skip


def _compared(compared: Sequence[Comparison]) -> Table:
    return compared_table(
        "table-arms",
        compared,
        title="What each arm changes, in points",
        caption="PCR of the arm minus that of its model asked plainly.",
        naming=Naming(
            (
                Column(key="arm", title="Arm", align="text"),
                Column(key="setting", title="Setting", align="text"),
            ),
            lambda c: (Words(text=c.first.target), setting_cell(c.first.setting)),
            "all arms",
        ),
    )


def _changed(found: Sequence[Intervened]) -> list[Block]:
    cautions = dict.fromkeys(each.caution for each in found if each.caution)
    return [
        Heading(text="Changed answers"),
        Prose(text=" ".join(_told(each) for each in found)),
        *warned(list(cautions)),
        _worth(found),
        _doses(found),
        _reasons(found),
        *_screenings(found),
    ]


def _told(each: Intervened) -> str:
    what, how = POLICIES[each.policy], ACTS[each.act]
    return f"{each.arm}: {what}, {how}."


def _worth(found: Sequence[Intervened]) -> Table:
    multi = SETTING_NAMES["multi_turn"].lower()
    return Table(
        id="table-interventions",
        title="What changed answers are worth",
        caption=f"PCR after the change minus PCR in {multi}, on the same items; not "
        "tested, as these are many looks at one comparison.",
        columns=(
            Column(key="arm", title="Arm", align="text"),
            Column(key="items", title="Items", align="text"),
            *estimate_columns(
                changed="Changed, %", plain="Own, %", difference="Difference"
            ),
            Column(key="drawn", title="", align="drawing", scale=DIFFERENCES),
            Column(key="n", title="n"),
            Column(key="threads", title="Threads"),
        ),
        rows=tuple(row for each in found for row in _rows(each)),
        note="No change before: the same requests on both sides, so that a difference "
        "there is a mistake. First change alone: items with one change before them. "
        "Dose-response: by the number of changes before the item.",
    )


def _rows(each: Intervened) -> Iterator[tuple[Cell, ...]]:
    yield _row(each.arm, "no change before", each.none)
    yield _row(each.arm, "any change before", each.any)
    yield from _numbered(each.arm, each.by_changes, "changes before: {}")
    yield _row(each.arm, "first change alone", each.first)
    yield from _numbered(each.arm, each.by_turn, "change at turn {}")
    yield from _numbered(each.arm, each.by_distance, "turns since: {}")


def _numbered(
    arm: str, found: Sequence[ByNumber], words: str
) -> Iterator[tuple[Cell, ...]]:
    for each in found:
        yield _row(arm, words.format(each.at), each.pairs)


def _row(arm: str, items: str, pairs: Pairs) -> tuple[Cell, ...]:
    return (
        Words(text=arm),
        Words(text=items),
        *rate(pairs.changed),
        *rate(pairs.plain),
        *difference(pairs.difference),
        strip(pairs.difference, points, unit=" points"),
        whole(pairs.n),
        whole(pairs.threads),
    )


def _doses(found: Sequence[Intervened]) -> Table:
    return Table(
        id="table-doses",
        title="How many answers were changed in a thread",
        columns=(
            Column(key="arm", title="Arm", align="text"),
            Column(key="changes", title="Changes"),
            Column(key="threads", title="Threads"),
        ),
        rows=tuple(
            (Words(text=each.arm), whole(dose.changes), whole(dose.threads))
            for each in found
            for dose in each.doses
        ),
        judged=False,
    )


def _reasons(found: Sequence[Intervened]) -> Table:
    return Table(
        id="table-changed",
        title="Why answers were changed, or were not",
        columns=(
            Column(key="arm", title="Arm", align="text"),
            Column(key="is_made", title="Changed", align="text"),
            Column(key="why", title="Why", align="text"),
            Column(key="answers", title="Answers"),
        ),
        rows=tuple(
            (
                Words(text=each.arm),
                Words(text="yes" if reason.is_made else "no"),
                Words(text=WHY_CHANGED.get(reason.why, reason.why), value=reason.why),
                whole(reason.n),
            )
            for each in found
            for reason in each.reasons
        ),
        judged=False,
    )


def _screenings(found: Sequence[Intervened]) -> list[Block]:
    """Hold screening judges against the panel, where one looked in its place."""
    screened = [(e.arm, e.screening) for e in found if e.screening is not None]
    if not screened:
        return []
    return [
        Table(
            id="table-screening",
            title="The judge that looked in the panel\u2019s place",
            columns=(
                Column(key="arm", title="Arm", align="text"),
                Column(key="screen", title="Judge", align="text"),
                *estimate_columns(misses="Misses, %"),
                Column(key="misses_n", title="n"),
                *estimate_columns(false="False alarms, %"),
                Column(key="false_n", title="n"),
                Column(key="looked", title="Looked at"),
            ),
            rows=tuple(
                (
                    Words(text=arm),
                    Words(text=each.screen),
                    *rate(each.misses),
                    whole(each.misses.n),
                    *rate(each.false_alarms),
                    whole(each.false_alarms.n),
                    whole(each.n_looked),
                )
                for arm, each in screened
            ),
            note="Misses: of answers that failed by the panel, those it passed. False "
            "alarms: of corrected ones, those it failed.",
        )
    ]
