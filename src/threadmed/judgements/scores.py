"""From answers and verdicts to the table of scores; pure."""

from collections import defaultdict
from collections.abc import Container, Iterable, Mapping, Sequence

from msgspec.structs import replace

from threadmed.errors import InputError
from threadmed.judgements.panel import PanelVerdict, is_decided, panel
from threadmed.records import (
    Answer,
    Item,
    PanelRule,
    PanelScore,
    Question,
    Score,
    Scored,
    ScoreOutcome,
    ScoreRow,
    Verdict,
)
from threadmed.study import Panel


def item_of(record: Answer | Verdict | ScoreRow | PanelScore) -> Item:
    """Name what an answer, a verdict or a row of a table is about."""
    return (record.target, record.setting, record.thread_id, record.turn)


def score_of(verdict: Verdict) -> Score | None:
    """Give a judge's score; None where there is none."""
    return verdict.score if isinstance(verdict, Scored) else None


def scores_by_judge(
    verdicts: Iterable[Verdict], *, by: Panel
) -> dict[str, Score | None]:
    """Give the score of each judge that has been asked as often as it should.

    Of several verdicts of one judge it is the middle one, and none where a missing one
    could move it.

    Args:
        verdicts: Those on one answer.
        by: The panel.
    """
    given: dict[str, dict[str, Score | None]] = defaultdict(dict)
    for verdict in verdicts:
        given[verdict.judge][str(verdict.repeat)] = score_of(verdict)
    times = [str(number) for number in range(by.repeats)]
    return {
        judge: panel(scores, judges=times, rule="median", primary=None).score
        for judge, scores in given.items()
        if len(scores) == by.repeats
    }


def score_table(
    items: Iterable[Item],
    answers: Mapping[Item, Answer],
    verdicts: Iterable[Verdict],
    *,
    by: Panel,
    controls: Container[Question] = (),
) -> tuple[PanelScore, ...]:
    """Say for every item what the panel made of it, or why there is no score.

    Args:
        items: What was to be answered and judged; each gets one row.
        answers: The answers that are there.
        verdicts: The verdicts that are there.
        by: The panel.
        controls: The questions that carry no misconception.

    Returns:
        One row an item, in the order of `items`. An item without an answer, and an
        answered one for which not all judges have been asked, is `pending`; of a lazy
        panel, one whose score the judges that were asked leave open.
    """
    given: dict[Item, list[Verdict]] = defaultdict(list)
    for verdict in verdicts:
        given[item_of(verdict)].append(verdict)
    rows = (
        _row(item, answers.get(item), scores_by_judge(given[item], by=by), by=by)
        for item in items
    )
    return tuple(
        replace(row, misconception=False)
        if (row.thread_id, row.turn) in controls
        else row
        for row in rows
    )


def _row(
    item: Item, answer: Answer | None, said: Mapping[str, Score | None], *, by: Panel
) -> PanelScore:
    target, setting, thread_id, turn = item
    judged = by.judges and (
        is_decided(said, judges=by.judges, rule=by.rule, primary=by.primary)
        if by.lazy
        else all(judge in said for judge in by.judges)
    )
    found = PanelVerdict(score=None, tie_break=False)
    outcome: ScoreOutcome
    if answer is None or (answer.outcome == "answered" and not judged):
        outcome = "pending"
    elif answer.outcome == "answered":
        found = panel(said, judges=by.judges, rule=by.rule, primary=by.primary)
        outcome = "unjudged" if found.score is None else "scored"
    else:
        outcome = answer.outcome
    return PanelScore(
        target=target,
        setting=setting,
        thread_id=thread_id,
        turn=turn,
        score=found.score,
        outcome=outcome,
        tie_break=found.tie_break,
    )


def panel_scores(
    rows: Sequence[ScoreRow],
    *,
    rule: PanelRule,
    primary: str | None,
    table: str = "the scores table",
) -> tuple[PanelScore, ...]:
    """Bring a scores table to one row an item, by the panel's rule where it has judges.

    Args:
        rows: The panel's scores, or those of single judges.
        rule: How the judges' scores become one.
        primary: The judge that decides without a majority; None leaves such an item
            unjudged: no order of rows may decide a score.
        table: What errors call the table: its file.

    Returns:
        One row an item, in the order of first appearance. The panel is the set of
        judges of the whole table: a judge that lacks an item has no score there.

    Raises:
        InputError: If some rows name a judge and others do not, if a judge or the
            panel scores an item twice, or if `primary` is not in the table.
    """
    judges = sorted({row.judge for row in rows if row.judge})
    if judges and any(not row.judge for row in rows):
        raise InputError(f"{table}: some rows name a judge and others do not")
    if primary is not None and primary not in judges:
        known = ", ".join(judges) or "none"
        raise InputError(
            f"{table}: the primary judge {primary!r} is not in it; it has {known}"
        )
    if rule == "primary" and primary is None:
        raise InputError(
            f'{table}: rule "primary" needs to be told which judge is the primary'
        )
    by_item = _by_item(rows, table=table)
    if not judges:
        return tuple(_same(next(iter(found.values()))) for found in by_item.values())
    return tuple(
        _joined(list(found.values()), judges=judges, rule=rule, primary=primary)
        for found in by_item.values()
    )


def _by_item(
    rows: Sequence[ScoreRow], *, table: str
) -> dict[Item, dict[str, ScoreRow]]:
    """Give the judges' rows of each item, which must not contradict each other."""
    by_item: dict[Item, dict[str, ScoreRow]] = defaultdict(dict)
    for row in rows:
        theirs = by_item[item_of(row)]
        place = f"turn {row.turn} of {row.thread_id}"
        if row.judge in theirs:
            raise InputError(
                f"{table}: {place} stands twice for {row.target} in {row.setting}"
                + (f" by {row.judge}" if row.judge else "")
            )
        if any(row.misconception != other.misconception for other in theirs.values()):
            raise InputError(
                f"{table}: {place} carries a misconception in one row and none in "
                "another"
            )
        theirs[row.judge] = row
    return by_item


def _same(row: ScoreRow) -> PanelScore:
    return PanelScore(
        target=row.target,
        setting=row.setting,
        thread_id=row.thread_id,
        turn=row.turn,
        score=row.score,
        outcome=row.outcome,
        misconception=row.misconception,
        tie_break=row.tie_break,
    )


def _joined(
    rows: Sequence[ScoreRow],
    *,
    judges: Sequence[str],
    rule: PanelRule,
    primary: str | None,
) -> PanelScore:
    """Apply the rule to the judges' rows of one item."""
    first = rows[0]
    scores = {row.judge: row.score for row in rows}
    found = panel(scores, judges=judges, rule=rule, primary=primary)
    # What became of the answer is said by all judges' rows alike; else it was there.
    outcomes = {row.outcome for row in rows}
    lost = outcomes.pop() if len(outcomes) == 1 else "unjudged"
    if lost == "scored":
        lost = "unjudged"
    return PanelScore(
        target=first.target,
        setting=first.setting,
        thread_id=first.thread_id,
        turn=first.turn,
        score=found.score,
        outcome="scored" if found.score is not None else lost,
        misconception=first.misconception,
        tie_break=found.tie_break,
    )
