"""Whether a model comes back after a failure (paper, Table 3)."""

from collections.abc import Sequence

from threadmed.metrics.course import Recovery
from threadmed.metrics.measurement import Group
from threadmed.report.blocks import Cell, Column, Prose, Section, Table, Words
from threadmed.report.material import Found
from threadmed.report.numbers import percent
from threadmed.report.readings import estimate_columns, rate, strip, whole
from threadmed.report.sections.comparisons import SHARES
from threadmed.report.theme import SETTING_NAMES


def followed(found: Found) -> list[Group]:
    """Give the groups of multi_turn in which a thread has two scored turns or more."""
    groups = found.plain.groups if found.plain else ()
    return [
        g
        for g in groups
        if g.setting == "multi_turn" and g.trajectory.next_labelled.pairs
    ]


def recovery(found: Found) -> Section | None:
    """Show RR, over turns that follow each other and over the next labelled turn."""
    groups = followed(found)
    if not groups:
        return None
    return Section(
        id="recovery",
        title="Recovery",
        blocks=(
            Prose(
                text="Of the times that a model failed at one turn, how often did it "
                "correct the belief at the next? Each model is asked about its own "
                "failures, so the rows are not a ranking; and a thread that is hard "
                "at one turn tends to be hard at the next, so this is no effect of "
                "the first failure."
            ),
            _table(groups),
        ),
    )


def _table(groups: Sequence[Group]) -> Table:
    return Table(
        id="table-recovery",
        title="Recovery after a failure",
        caption="Two turns of one thread that both carry a misconception, "
        f"{SETTING_NAMES['multi_turn'].lower()} (paper, Table 3).",
        columns=(
            Column(key="model", title="Model", align="text"),
            Column(key="pairs_are", title="Next turn is", align="text"),
            Column(key="recovered", title="Recovered"),
            Column(key="starts", title="Failures"),
            *estimate_columns(rr="RR, %"),
            Column(key="drawn", title="", align="drawing", scale=SHARES),
            Column(key="threads", title="Threads"),
            Column(key="pairs", title="Pairs"),
        ),
        rows=tuple(
            _row(group.target, pairs_are, found)
            for group in groups
            for pairs_are, found in (
                ("the very next", group.trajectory.consecutive),
                ("the next labelled", group.trajectory.next_labelled),
            )
        ),
        note="The paper takes the very next turn. Failures: turns without full "
        "correction whose next turn is scored; threads: that hold them; pairs: all "
        "pairs of such turns.",
    )


def _row(target: str, pairs_are: str, found: Recovery) -> tuple[Cell, ...]:
    return (
        Words(text=target),
        Words(text=pairs_are),
        whole(found.recovered),
        whole(found.starts),
        *rate(found.rate),
        strip(found.rate, percent),
        whole(found.threads),
        whole(found.pairs),
    )
