"""The door: a table of scores in, every number out."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple, get_args

import msgspec
import numpy as np

from threadmed.errors import InputError
from threadmed.metrics.compared import Decomposition, SameItems
from threadmed.metrics.contrasts import compare_settings, compare_targets
from threadmed.metrics.correction import (
    Numbered,
    bounds,
    by_turn,
    complement,
    pcr,
    pcs,
    published_oracle,
    score_counts,
)
from threadmed.metrics.decline import loss
from threadmed.metrics.decomposition import decompose
from threadmed.metrics.intervals import ranked
from threadmed.metrics.items import Items, items_of, thread_codes
from threadmed.metrics.measurement import (
    Group,
    Measurement,
    MeasureOptions,
    OutcomeCount,
    PublishedOracle,
)
from threadmed.metrics.trajectory import trajectory
from threadmed.metrics.trend import trend
from threadmed.records import ALL_SETTINGS, PanelScore, Question, ScoreOutcome, Setting

RECOMMENDED = MeasureOptions()
Rows = Sequence[PanelScore]
ByGroup = Mapping[tuple[str, Setting], Rows]


class Study(NamedTuple):
    """A checked table, set as columns once for however many ways to measure it."""

    rows: ByGroup
    """All rows by target and setting."""
    items: dict[str, dict[Setting, Items]]
    """Labelled items by target and setting; both in the order of the report."""
    arms: frozenset[str] = frozenset()
    """Targets that are arms; metrics.arms compares each with its own."""


def measure(
    scores: Rows,
    *,
    options: MeasureOptions = RECOMMENDED,
    arms: Iterable[str] = (),
) -> Measurement:
    """Compute every number of a scores table.

    Only rows whose question carries a misconception enter a rate. Neither the order
    of the rows nor which other targets are in the table changes a number (Holm's
    adjustment apart, which is over all targets).

    Args:
        scores: At most one row for a target, setting, thread and turn.
        options: Mode, level, and what else decides a number.
        arms: Targets that are arms of others, and are no part of the comparisons
            between targets.

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
    return measured(study_of(scores, arms=arms), options=options)


def study_of(scores: Rows, *, arms: Iterable[str] = ()) -> Study:
    """Check the rows of a table and set them as columns.

    Args:
        scores: The table.
        arms: Targets that are arms of others.

    Raises:
        InputError: If a row stands twice, or its outcome does not go with its score.

    Example:
        >>> from threadmed.records import ThreadId
        >>> row = PanelScore(target="m", setting="oracle", thread_id=ThreadId("T1"), turn=2,
        ...     score=1, outcome="scored")
        >>> study_of([row]).items["m"]["oracle"].turns
        array([2])
    """
    rows: defaultdict[tuple[str, Setting], list[PanelScore]] = defaultdict(list)
    for row in scores:
        rows[row.target, row.setting].append(row)
    for of_group in rows.values():
        _check(of_group)
    codes = thread_codes(scores)
    items: dict[str, dict[Setting, Items]] = {}
    for target in dict.fromkeys(target for target, _ in rows):
        found = {
            setting: items_of(rows[target, setting], codes)
            for setting in ALL_SETTINGS
            if (target, setting) in rows
        }
        items[target] = {name: each for name, each in found.items() if len(each[0])}
    return Study(rows, items, frozenset(arms))


def _check(rows: Rows) -> None:
    """Refuse rows of one target and setting that contradict each other or themselves."""
    seen: set[Question] = set()
    for row in rows:
        item = (row.thread_id, row.turn)
        if item in seen:
            raise InputError(
                f"{_place(row)} has two scores; a scores table has one row for each "
                "target, setting, thread and turn"
            )
        if (row.outcome == "scored") != (row.score is not None):
            raise InputError(
                f"{_place(row)} has outcome {row.outcome!r} and score {row.score!r}, "
                "which do not go together"
            )
        seen.add(item)


def _place(row: PanelScore) -> str:
    return f"turn {row.turn} of {row.thread_id} for {row.target} in {row.setting}"


def measured(
    study: Study,
    *,
    options: MeasureOptions,
    decompositions: tuple[Decomposition, ...] | None = None,
) -> Measurement:
    """Compute every number of a checked table.

    Args:
        study: From `study_of`.
        options: Mode, level, and what else decides a number.
        decompositions: Of the same study, where there are some already; the paper
            has none, so they are the same in both modes.

    Example:
        >>> from threadmed.records import ThreadId
        >>> row = PanelScore(target="m", setting="oracle", thread_id=ThreadId("T1"), turn=2,
        ...     score=1, outcome="scored")
        >>> (group,) = measured(study_of([row]), options=RECOMMENDED).groups
        >>> group.setting, group.n_scored, group.counts.corrected
        ('oracle', 1, 1)
    """
    number = Numbered(options, ())
    if decompositions is None:
        ours = Numbered(msgspec.structs.replace(options, mode="recommended"), ())
        decompositions = _decompositions(study, number=ours)
    return Measurement(
        options=options,
        n_rows=sum(map(len, study.rows.values())),
        n_without_misconception=sum(
            not row.misconception for rows in study.rows.values() for row in rows
        ),
        groups=_groups(study, number=number),
        settings_same_items=_same_items(study, number=number),
        comparisons=compare_targets(
            {name: own for name, own in study.items.items() if name not in study.arms},
            number=number / "targets",
        ),
        losses=tuple(
            loss(target, settings, number=number / target)
            for target, settings in study.items.items()
            if "multi_turn" in settings
        ),
        decompositions=decompositions,
        published_oracles=_published_oracles(study, number=number),
    )


def _decompositions(study: Study, *, number: Numbered) -> tuple[Decomposition, ...]:
    return tuple(
        decompose(target, settings, number=number / target)
        for target, settings in study.items.items()
        if "multi_turn" in settings
    )


def _groups(study: Study, *, number: Numbered) -> tuple[Group, ...]:
    return tuple(
        _group(study.rows[target, setting], items, number=number / target / setting)
        for target, settings in study.items.items()
        for setting, items in settings.items()
    )


def _same_items(study: Study, *, number: Numbered) -> tuple[SameItems, ...]:
    found = [
        compare_settings(target, settings, number=number / target)
        for target, settings in study.items.items()
    ]
    return tuple(each for each in found if each is not None)


def _group(rows: Rows, items: Items, *, number: Numbered) -> Group:
    target, setting = rows[0].target, rows[0].setting
    labelled = [row for row in rows if row.misconception]
    outcomes = Counter(row.outcome for row in labelled)
    known: tuple[ScoreOutcome, ...] = get_args(ScoreOutcome)
    scored = items.scored
    overall = pcr(items, number=number)
    followed = trajectory(items, options=number.options, name=number.name)
    return Group(
        target=target,
        setting=setting,
        n_items=len(items.turns),
        n_scored=len(scored.turns),
        n_threads=len(np.bincount(ranked(scored.threads))),
        n_without_misconception=len(rows) - len(labelled),
        outcomes=tuple(
            OutcomeCount(outcome=outcome, n=outcomes[outcome])
            for outcome in known
            if outcome in outcomes
        ),
        coverage=len(scored.turns) / len(items.turns),
        counts=score_counts(items),
        pcr=overall,
        uncorrected=complement(overall),
        pcs=pcs(items, number=number),
        bounds=bounds(items, overall, number=number),
        by_turn=by_turn(items, number=number),
        recovery=followed.consecutive
        if number.options.recovery_pairs == "consecutive"
        else followed.next_labelled,
        trajectory=followed,
        trend=trend(
            items,
            level=number.options.level,
            working_correlation=number.options.working_correlation,
        ),
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
        for target, settings in study.items.items()
        if "oracle" in settings and "multi_turn" in settings
    )
