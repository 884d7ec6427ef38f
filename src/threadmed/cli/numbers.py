"""Measures a scores table, and writes its numbers as lines for a terminal."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from threadmed.cli.beyond import beyond_lines, harm_weights
from threadmed.cli.commands import say
from threadmed.cli.measuring import HARM_WEIGHTS
from threadmed.cli.outcomes import unscored
from threadmed.cli.written import percent, plain, points
from threadmed.judgements.scores import item_of, panel_scores
from threadmed.metrics import MeasureOptions, measure, side_by_side
from threadmed.metrics.compared import (
    Comparison,
    Decomposition,
    FallShares,
    PairedTest,
    SameItems,
    Step,
    TurnParts,
)
from threadmed.metrics.controls.questions import of_questions
from threadmed.metrics.course import SELECTION, Trajectory, Trend
from threadmed.metrics.estimates import Estimate, NotEstimable
from threadmed.metrics.intervals import FEWEST_ITEMS
from threadmed.metrics.measurement import Group, Measurement
from threadmed.records import PanelRule, PanelScore, ScoreRow
from threadmed.store import read_questions, read_scores, write_json


class MeasureRequest(NamedTuple):
    """What `threadmed measure` was asked."""

    scores: Path
    json: Path | None
    rule: PanelRule
    primary: str | None
    options: MeasureOptions
    harm_weights: str = HARM_WEIGHTS
    """Of none, mild, serious and urgent."""


def run_measure(asked: MeasureRequest) -> None:
    """Measure a table, print its numbers, and write both modes where asked."""
    table = read_scores(asked.scores)
    rows = panel_scores(
        table, rule=asked.rule, primary=asked.primary, table=str(asked.scores)
    )
    questions = read_questions(asked.scores)
    more = of_questions(
        rows,
        harms=questions.harms,
        chances=questions.chances,
        weights=harm_weights(asked.harm_weights),
        level=asked.options.level,
    )
    if asked.json is None:
        measured = measure(rows, options=asked.options, arms=questions.baselines)
    else:
        both = side_by_side(rows, options=asked.options, arms=questions.baselines)
        is_ours = asked.options.mode == "recommended"
        measured = both.recommended if is_ours else both.as_published
        write_json(asked.json, more.beside(both))
    if asked.rule == "majority" and asked.primary is None:
        for line in undecided(table, rows):
            say(line)
    for line in lines(measured, more=(*unscored(rows), *beyond_lines(more))):
        say(line)
    for line in arms_apart(questions.baselines):
        say(line)
    if asked.json is not None:
        say(f"{asked.json}: every number, in both modes, and what differs")


def undecided(table: Sequence[ScoreRow], rows: Sequence[PanelScore]) -> Iterator[str]:
    """Say on how many items the judges' scores make no majority, where there are any.

    Args:
        table: The judges' rows.
        rows: What their majority made of them, without a judge that decides.
    """
    judges = {row.judge for row in table if row.judge}
    scored = Counter(item_of(row) for row in table if row.score is not None)
    split = [row for row in rows if row.outcome == "unjudged"]
    n = sum(scored[item_of(row)] == len(judges) for row in split)
    if judges and n:
        yield (
            f"{n:,} of {len(rows):,} items have no score: their judges differ, and "
            "there is no majority; --primary names the judge that decides then, --rule "
            "another way"
        )
        yield ""


def arms_apart(baselines: Mapping[str, str]) -> Iterator[str]:
    """Say which targets are arms, so that they are missing from no comparison unseen.

    Args:
        baselines: Target that an arm is compared with, by the arm's name.

    Example:
        >>> list(arms_apart({"m+warn": "m"}))[0]
        'Arms are not compared with other targets: m+warn (baseline m).'
    """
    if baselines:
        named = ", ".join(f"{arm} (baseline {of})" for arm, of in baselines.items())
        yield f"Arms are not compared with other targets: {named}."
        yield "The report of their study compares each with its baseline."


def lines(measured: Measurement, *, more: Iterable[str] = ()) -> Iterator[str]:
    """Give one block a target and setting, then what is compared on the same items.

    Args:
        measured: The numbers.
        more: What stands between the two.
    """
    for group in measured.groups:
        yield from _group(group, kind=measured.options.recovery_pairs)
    yield from more
    for same in measured.settings_same_items:
        yield f"{same.target}, settings on the same {same.n} items (turn 1 and later)"
        yield from _same_items(same)
        yield ""
    for each in measured.decompositions:
        yield from _decomposition(each)
    if measured.comparisons:
        setting = measured.comparisons[0].first.setting
        yield f"Targets in {setting}, on the items that both have"
        for comparison in measured.comparisons:
            pair = f"{comparison.first.target} - {comparison.second.target}"
            yield f"  {pair}: {_compared(comparison)}"
        yield ""
    if any(group.recovery.pairs for group in measured.groups):
        yield SELECTION
    yield (
        f"Intervals aim at {100 * measured.options.level:g} % and are described in "
        "docs/methods.md."
    )


def _group(group: Group, *, kind: str) -> Iterator[str]:
    yield (
        f"{group.target}, {group.setting}: {group.n_scored} of {group.n_items} items "
        f"scored ({100 * group.coverage:.1f} %), {group.n_threads} threads"
    )
    if isinstance(group.pcr, NotEstimable) and isinstance(group.pcs, NotEstimable):
        yield f"  PCR and PCS   {percent(group.pcr)}"
    else:
        yield f"  PCR           {percent(group.pcr)}"
        yield f"  Uncorrected   {percent(group.uncorrected)}"
        yield f"  PCS           {plain(group.pcs)}"
    yield from _turns(group)
    which = "" if kind == "consecutive" else " (next labelled turn)"
    yield f"  RR            {percent(group.recovery.rate)}{which}"
    if group.trajectory.consecutive.pairs >= FEWEST_ITEMS:
        yield from _trajectory(group.trajectory)
    yield from _trend(group.trend)
    if group.n_scored < group.n_items:
        bounds = group.bounds
        yield (
            f"  missing scores all wrong {percent(bounds.all_wrong)}, all right "
            f"{percent(bounds.all_right)}"
        )
    yield ""


def _turns(group: Group) -> Iterator[str]:
    """Give the turns that have a rate, and the others in one line a reason."""
    refused: dict[str, list[str]] = {}
    for each in group.by_turn:
        if not isinstance(each.pcr, NotEstimable):
            yield f"  PCR at turn {each.turn} {percent(each.pcr)}"
        elif each.pcr.hits is None:
            refused.setdefault(each.pcr.reason, []).append(f"{each.turn}")
        else:
            told = f"{each.turn} ({each.pcr.hits} of {each.pcr.n})"
            refused.setdefault(each.pcr.reason, []).append(told)
    for reason, turns in refused.items():
        yield f"  no PCR at turn {', '.join(turns)}: {reason}"


def _trajectory(found: Trajectory) -> Iterator[str]:
    counts, flips = found.error_propagation, found.flips
    failed = counts.fail_fail + counts.fail_corrected
    corrected = counts.corrected_fail + counts.corrected_corrected
    yield (
        f"  EPR           {plain(counts.ratio)} (failures: {counts.fail_fail} of "
        f"{failed} after a failure, {counts.corrected_fail} of {corrected} after a "
        "correction)"
    )
    yield (
        f"  flips         {percent(flips.share)} ({flips.lost} lost, "
        f"{flips.regained} regained)"
    )
    yield f"  both 1 and -1 {percent(found.both_extremes)}"
    for point in found.first_failure.points:
        if isinstance(point.without_failure, Estimate):
            yield (
                f"  no failure up to labelled turn {point.step} "
                f"{percent(point.without_failure)} at risk"
            )


def _trend(found: Trend) -> Iterator[str]:
    is_exchangeable = found.working_correlation == "exchangeable"
    alike = "" if found.alpha is None else f", alpha {found.alpha:.2f}"
    which = f" (exchangeable{alike})" if is_exchangeable else ""
    if isinstance(found.slope, Estimate):
        yield (
            f"  trend         {plain(found.slope)}, log odds a turn{which}; a slope "
            f"between questions where few threads have two: {found.threads_several} of "
            f"{found.threads} do"
        )
    elif is_exchangeable:
        yield f"  trend         {plain(found.slope)}{which}"


def _same_items(same: SameItems) -> Iterator[str]:
    for each in same.rates:
        yield f"  {each.setting:13} PCR {percent(each.pcr)}"
    for difference in same.differences:
        first, second = difference.first.setting, difference.second.setting
        yield f"  {first} - {second}: {_compared(difference)}"
    if isinstance(same.remaining, Estimate):
        yield f"  remaining     {percent(same.remaining)}"
    if same.n_left_out:
        yield f"  left out: {same.n_left_out} items that lack a score in one setting"
    if same.unlike:
        yield f"  {same.unlike}"


def _compared(found: Comparison) -> str:
    written = points(found.difference)
    if isinstance(found.test, PairedTest):
        test = found.test
        name = test.test if test.p_value == "exact" else f"{test.test}, mid-p"
        written += f", p = {test.p:.3g} ({name}; Holm of {test.family_size}: "
        written += f"{test.p_holm:.3g})"
    return written


def _decomposition(found: Decomposition) -> Iterator[str]:
    yield f"{found.target}, the decline by turn and within threads"
    if isinstance(found.together, TurnParts):
        yield from _parts(found.together)
        refused: dict[str, list[str]] = {}
        for parts in found.turns:
            if isinstance(parts.fall, Estimate):
                yield from _parts(parts)
            else:
                why = parts.fall.reason.removeprefix(f"turn {parts.turn} has ")
                refused.setdefault(why, []).append(f"{parts.turn}")
        for why, turns in refused.items():
            yield f"  no fall at turn {', '.join(turns)}: {why}"
    yield f"  a step within a thread: {points(found.step.change)}"
    own = found.own_answers_step
    if isinstance(own, Step):
        yield f"  a step of multi_turn - target_turn: {points(own.change)}"
    yield ""


def _parts(parts: TurnParts) -> Iterator[str]:
    is_one = parts.turn == parts.last_turn
    turn = f"turn {parts.turn}" if is_one else "turn 1 and later"
    yield f"  {turn}: fall {points(parts.fall)}"
    if not isinstance(parts.fall, Estimate):
        return
    # Those of all later turns stand in the block of settings on the same items.
    for difference in parts.same.differences if is_one else ():
        question = difference.question.replace("_", " ")
        yield f"    {question} {_compared(difference)}"
    if isinstance(parts.drift, Estimate):
        yield f"    drift {points(parts.drift)}"
    if isinstance(parts.shares, FallShares):
        yield (
            f"    of the fall, propagation {percent(parts.shares.propagation)}, "
            f"drift {percent(parts.shares.drift)}"
        )
