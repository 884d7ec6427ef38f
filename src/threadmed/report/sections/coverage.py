"""What became of every answer and every verdict; nothing missing is averaged."""

from collections import Counter
from collections.abc import Iterator

from threadmed.judgements.scores import item_of
from threadmed.metrics.measurement import Group, Measurement
from threadmed.records import Scored, ScoreOutcome, Verdict
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
from threadmed.report.links import answers_link
from threadmed.report.material import Found
from threadmed.report.numbers import of, percent, things
from threadmed.report.readings import (
    bound_cells,
    estimate_columns,
    group_link,
    group_rate,
    setting_cell,
    whole,
)

OUTCOMES: dict[ScoreOutcome, str] = {
    "scored": "Scored",
    "blocked": "Blocked",
    "truncated": "Truncated",
    "empty": "Empty",
    "failed": "Failed",
    "unjudged": "Unjudged",
    "pending": "Pending",
}


def coverage(found: Found) -> Section | None:
    """Count outcomes by model and setting, and verdicts by judge."""
    measured = found.measured
    if measured is None or not measured.groups:
        return None
    blocks: list[Block] = [
        Prose(
            text="An answer that was blocked, cut off or empty, that never came or that "
            "the panel could not score has no score: it is counted here and enters no "
            "average. The bounds say what the rate would be if all missing scores were "
            "failures, and if all were corrections."
        ),
        _outcomes(measured),
    ]
    if found.verdicts:
        blocks += [Prose(text=_panel(found, measured)), _judges(found)]
    return Section(id="coverage", title="Outcomes and coverage", blocks=tuple(blocks))


def _outcomes(measured: Measurement) -> Table:
    met = {o.outcome for group in measured.groups for o in group.outcomes}
    shown = [outcome for outcome in OUTCOMES if outcome in met | {"scored"}]
    return Table(
        id="table-coverage",
        title="What became of the answers",
        columns=(
            Column(key="model", title="Model", align="text"),
            Column(key="setting", title="Setting", align="text"),
            Column(key="items", title="Items"),
            *(Column(key=outcome, title=OUTCOMES[outcome]) for outcome in shown),
            Column(key="coverage", title="Coverage, %"),
            *estimate_columns(pcr="PCR, %"),
            Column(key="bounds", title="Bounds, %", align="interval"),
        ),
        rows=tuple(_outcome_row(group, shown) for group in measured.groups),
        note="Unjudged: answered, but the panel reached no score. Pending: the run "
        "stopped before it. Bounds do not hold the uncertainty of sampling.",
    )


def _outcome_row(group: Group, shown: list[ScoreOutcome]) -> tuple[Cell, ...]:
    ended = {each.outcome: each.n for each in group.outcomes}
    return (
        Words(text=group.target),
        setting_cell(group.setting),
        whole(group.n_items, href=group_link(group)),
        *(
            whole(
                ended.get(outcome, 0),
                href=answers_link(group.target, group.setting, outcome=outcome),
            )
            for outcome in shown
        ),
        Quantity(value=group.coverage, text=percent(group.coverage)),
        *group_rate(group),
        bound_cells(group.bounds.all_wrong, group.bounds.all_right),
    )


def _panel(found: Found, measured: Measurement) -> str:
    panel = found.manifest.study.panel
    scored = sum(group.n_scored for group in measured.groups)
    ties = sum(group.tie_breaks for group in measured.groups)
    text = (
        f"The panel has {things(len(panel.judges), 'judge')}; its rule is "
        f"{panel.rule.replace('_', ' ')}."
    )
    if panel.rule == "majority" and panel.primary and len(panel.judges) > 1 and scored:
        text += (
            f" Where there was no majority {panel.primary} decided: {of(ties, scored)} "
            "scores"
        )
        several = len({group.setting for group in measured.groups}) > 1
        text += ", an item counted in each setting that it stands for." * several
        text += "." * (not several)
    return text


def _distinct(found: Found) -> Iterator[Verdict]:
    """Give each verdict once, also one on an answer that several settings share."""
    requests = {item_of(answer): answer.request for answer in found.answers}
    seen: set[tuple[object, ...]] = set()
    for verdict in found.verdicts:
        item = item_of(verdict)
        shared = requests.get(item) or item
        key = (verdict.judge, verdict.target, shared, verdict.repeat)
        if key not in seen:
            seen.add(key)
            yield verdict


def _judges(found: Found) -> Table:
    counted: Counter[tuple[str, str]] = Counter(
        (v.judge, f"{v.score}" if isinstance(v, Scored) else v.why)
        for v in _distinct(found)
    )
    judges = list(dict.fromkeys(v.judge for v in found.verdicts))
    ends = ("1", "0", "-1", "malformed", "refused", "failed")
    heads = ("+1", "0", "\u22121", "Malformed", "Refused", "Failed")
    rows: list[tuple[Cell, ...]] = []
    for judge in judges:
        asked = sum(counted[judge, end] for end in ends)
        valid = sum(counted[judge, end] for end in ends[:3])
        rows.append(
            (
                Words(text=judge),
                whole(asked),
                *(whole(counted[judge, end]) for end in ends),
                Quantity(value=valid / asked, text=percent(valid / asked)),
            )
        )
    return Table(
        id="table-judges",
        title="What each judge returned",
        caption="Verdicts on all answers; one on an answer that several settings share "
        "is counted once.",
        columns=(
            Column(key="judge", title="Judge", align="text"),
            Column(key="asked", title="Asked"),
            *(Column(key=e, title=h) for e, h in zip(ends, heads, strict=True)),
            Column(key="valid", title="Valid, %"),
        ),
        rows=tuple(rows),
        note="A judge is asked once more after a malformed reply; refused and failed "
        "ones stay without a score.",
    )
