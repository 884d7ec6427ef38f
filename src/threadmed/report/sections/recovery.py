"""Whether a model comes back after a failure (paper, Table 3)."""

from threadmed.metrics.measurement import Group
from threadmed.report.blocks import Cell, Column, Prose, Section, Table, Words
from threadmed.report.material import Found
from threadmed.report.numbers import percent
from threadmed.report.readings import rate, strip, whole
from threadmed.report.sections.correction import SHARES
from threadmed.report.theme import SETTING_NAMES


def recovery(found: Found) -> Section | None:
    """Show RR where any two labelled turns of a thread follow each other."""
    if found.measured is None:
        return None
    groups = [
        g
        for g in found.measured.groups
        if g.setting == "multi_turn" and g.recovery.pairs
    ]
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


def _table(groups: list[Group]) -> Table:
    return Table(
        id="table-recovery",
        title="Recovery after a failure",
        caption="Consecutive turns of one thread that both carry a misconception, "
        f"{SETTING_NAMES['multi_turn'].lower()} (paper, Table 3).",
        columns=(
            Column(key="model", title="Model", align="text"),
            Column(key="recovered", title="Recovered"),
            Column(key="starts", title="Failures"),
            Column(key="rr", title="RR, %"),
            Column(key="rr_ci", title="95% CI", align="interval"),
            Column(key="drawn", title="", align="drawing", scale=SHARES),
            Column(key="threads", title="Threads"),
            Column(key="pairs", title="Pairs"),
        ),
        rows=tuple(_row(group) for group in groups),
        note="Failures: turns without full correction whose next turn is labelled and "
        "scored; threads: that hold them; pairs: all pairs of such turns.",
    )


def _row(group: Group) -> tuple[Cell, ...]:
    found = group.recovery
    return (
        Words(text=group.target),
        whole(found.recovered),
        whole(found.starts),
        *rate(found.rate),
        strip(found.rate, percent),
        whole(found.threads),
        whole(found.pairs),
    )
