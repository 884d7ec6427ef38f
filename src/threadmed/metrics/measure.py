"""The door: a table of scores in, every number out."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import get_args

from threadmed.errors import InputError
from threadmed.metrics.contrasts import compare_settings, compare_targets, loss
from threadmed.metrics.correction import (
    Numbered,
    bounds,
    by_turn,
    pcr,
    pcs,
    published_oracle,
    score_counts,
    uncorrected,
)
from threadmed.metrics.items import Items, items_of, thread_codes
from threadmed.metrics.measurement import (
    Group,
    Measurement,
    MeasureOptions,
    OutcomeCount,
    PublishedOracle,
    SameItems,
)
from threadmed.metrics.trajectory import recovery
from threadmed.records import SETTINGS, PanelScore, ScoreOutcome, Setting

RECOMMENDED = MeasureOptions()
Rows = Sequence[PanelScore]
Study = dict[str, dict[Setting, Items]]
"""Labelled items by target and setting; both in the order of the report."""


def measure(scores: Rows, *, options: MeasureOptions = RECOMMENDED) -> Measurement:
    """Compute every number of a scores table.

    Only rows whose question carries a misconception enter a rate. Neither the order
    of the rows nor which other targets are in the table changes a number (Holm's
    adjustment apart, which is over all targets).

    Args:
        scores: At most one row for a target, setting, thread and turn.
        options: Mode, level, and what else decides a number.

    Raises:
        InputError: If a row stands twice, or its outcome does not go with its score.

    Example:
        >>> from threadmed.records import ThreadId
        >>> rows = [
        ...     PanelScore(target="m", setting="multi_turn", turn=0, outcome="scored",
        ...         thread_id=ThreadId(f"T{n}"), score=1 if n < 6 else 0)
        ...     for n in range(12)
        ... ]
        >>> (group,) = measure(rows).groups
        >>> group.pcr.hits, group.pcr.n, group.pcr.value, round(group.pcr.low, 3)
        (6, 12, 0.5, 0.254)
    """
    _check(scores)
    rows: defaultdict[tuple[str, Setting], list[PanelScore]] = defaultdict(list)
    for row in scores:
        rows[row.target, row.setting].append(row)
    study, number = _study(scores, rows), Numbered(options, ())
    multi_turn = {
        target: settings["multi_turn"]
        for target, settings in study.items()
        if "multi_turn" in settings
    }
    return Measurement(
        options=options,
        n_rows=len(scores),
        n_without_misconception=sum(not row.misconception for row in scores),
        groups=_groups(study, rows, number=number),
        settings_same_items=_same_items(study, number=number),
        comparisons=compare_targets(multi_turn, number=number / "targets"),
        losses=tuple(
            loss(target, study[target], number=number / target) for target in multi_turn
        ),
        published_oracles=_published_oracles(study, number=number),
    )


def _check(scores: Rows) -> None:
    """Refuse rows that contradict each other or themselves."""
    seen = set()
    for row in scores:
        item = (row.target, row.setting, row.thread_id, row.turn)
        where = f"turn {row.turn} of {row.thread_id} for {row.target} in {row.setting}"
        if item in seen:
            raise InputError(
                f"{where} has two scores; a scores table has one row for each "
                "target, setting, thread and turn"
            )
        if (row.outcome == "scored") != (row.score is not None):
            raise InputError(
                f"{where} has outcome {row.outcome!r} and score {row.score!r}, which "
                "do not go together"
            )
        seen.add(item)


def _study(scores: Rows, rows: Mapping[tuple[str, Setting], Rows]) -> Study:
    """Set the labelled items of every target and setting as columns."""
    codes = thread_codes(scores)
    study: Study = {}
    for target in dict.fromkeys(row.target for row in scores):
        found = {
            setting: items_of(rows[target, setting], codes)
            for setting in SETTINGS
            if (target, setting) in rows
        }
        study[target] = {name: items for name, items in found.items() if len(items[0])}
    return study


def _groups(
    study: Study, rows: Mapping[tuple[str, Setting], Rows], *, number: Numbered
) -> tuple[Group, ...]:
    return tuple(
        _group(rows[target, setting], items, number=number / target / setting)
        for target, settings in study.items()
        for setting, items in settings.items()
    )


def _same_items(study: Study, *, number: Numbered) -> tuple[SameItems, ...]:
    found = [
        compare_settings(target, settings, number=number / target)
        for target, settings in study.items()
    ]
    return tuple(each for each in found if each is not None)


def _group(rows: Rows, items: Items, *, number: Numbered) -> Group:
    target, setting = rows[0].target, rows[0].setting
    labelled = [row for row in rows if row.misconception]
    outcomes = Counter(row.outcome for row in labelled)
    known: tuple[ScoreOutcome, ...] = get_args(ScoreOutcome)
    scored = items.scored
    return Group(
        target=target,
        setting=setting,
        n_items=len(items.turns),
        n_scored=len(scored.turns),
        n_threads=len(set(scored.threads.tolist())),
        n_without_misconception=len(rows) - len(labelled),
        outcomes=tuple(
            OutcomeCount(outcome=outcome, n=outcomes[outcome])
            for outcome in known
            if outcome in outcomes
        ),
        coverage=len(scored.turns) / len(items.turns),
        counts=score_counts(items),
        pcr=pcr(items, number=number),
        uncorrected=uncorrected(items, number=number),
        pcs=pcs(items, number=number),
        bounds=bounds(items, number=number),
        by_turn=by_turn(items, number=number),
        recovery=recovery(items, options=number.options, name=number.name),
        tie_breaks=sum(row.tie_break for row in labelled),
    )


def _published_oracles(
    study: Study, *, number: Numbered
) -> tuple[PublishedOracle, ...]:
    """Give the paper's oracle aggregates where they are asked for."""
    if number.options.mode != "as_published":
        return ()
    return tuple(
        published_oracle(
            settings["oracle"],
            settings["multi_turn"],
            number=number / target / "oracle",
        )
        for target, settings in study.items()
        if "oracle" in settings and "multi_turn" in settings
    )
