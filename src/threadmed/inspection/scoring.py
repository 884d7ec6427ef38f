"""Scores and metrics as Inspect wants them: the panel's score, and one a judge.

What is missing is NaN, which is Inspect's word for unscored: it is counted and enters
no metric.
"""

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import assert_never

from inspect_ai.scorer import Metric, SampleScore, Value, metric, stderr
from inspect_ai.scorer import Score as InspectScore

from threadmed.inspection.material import PANEL
from threadmed.judgements.scores import scores_by_judge
from threadmed.llm.model import plain
from threadmed.records import (
    Answer,
    PanelScore,
    Scored,
    ScoreOutcome,
    ScoreRow,
    Unscored,
    Verdict,
)
from threadmed.study import Panel

CLUSTER = "thread"
"""Turns of one thread are not independent: standard errors go by thread."""

REASONS: Mapping[ScoreOutcome, str] = {
    "blocked": "refusal",
    "empty": "no_response",
    "truncated": "truncated",
    "failed": "failed",
    "unjudged": "grader_failed",
    "pending": "pending",
}
"""Why there is no score; Inspect's own words where it has one."""


def score_of(
    row: PanelScore | ScoreRow,
    verdicts: Iterable[Verdict],
    *,
    by: Panel,
    answer: Answer | None,
) -> InspectScore:
    """Put what the panel made of one answer into one of Inspect's scores.

    Args:
        row: The panel's score, or why there is none.
        verdicts: Those on this answer; a judge may be without one.
        by: The panel.
        answer: The answer; None where none has come yet.
    """
    given = list(verdicts)
    by_judge = scores_by_judge(given, by=by)
    value: dict[str, str | int | float | bool | None]
    value = {PANEL: math.nan if row.score is None else row.score}
    for judge in by.judges:
        score = by_judge.get(judge)
        value[judge] = math.nan if score is None else score
    lines = [_line(verdict) for verdict in given]
    why = f"no score: {row.outcome}. {answer.detail if answer else ''}".strip()
    return InspectScore(
        value=value,
        answer=plain(answer.text) if answer else None,
        explanation="\n\n".join(lines) or why,
        reason=REASONS.get(row.outcome),
        metadata={"outcome": row.outcome, "tie_break": row.tie_break},
    )


def _line(verdict: Verdict) -> str:
    match verdict:
        case Scored():
            said = f"{verdict.score:+d}" if verdict.score else "0"
            return plain(f"{verdict.judge}: {said}. {verdict.explanation}")
        case Unscored():
            return plain(f"{verdict.judge}: {verdict.why}. {verdict.detail}")
        case _:
            assert_never(verdict)


def by_arm(scores: Iterable[SampleScore], arm: str) -> dict[str, list[SampleScore]]:
    """Sort scores by what is never averaged over: the setting, or more."""
    found: dict[str, list[SampleScore]] = defaultdict(list)
    for score in scores:
        found[str((score.sample_metadata or {})[arm])].append(score)
    return found


def corrected(value: Value) -> float:
    """Say whether a score counts as corrected: 1 for a score of 1, else 0.

    Example:
        >>> corrected(1), corrected(0), corrected(-1)
        (1.0, 0.0, 0.0)
    """
    return float(value == 1)


@metric
def pcr(arm: str = "setting") -> Metric:
    """Share of scored answers with score 1, one number a setting.

    Args:
        arm: The metadata by which samples are told apart.
    """

    def shares(scores: list[SampleScore]) -> Value:
        return {
            name: sum(corrected(each.score.value) for each in group) / len(group)
            for name, group in by_arm(scores, arm).items()
        }

    return shares


@metric
def pcr_stderr(arm: str = "setting") -> Metric:
    """Standard error of the share, with threads as clusters, one a setting.

    A setting of which fewer than two threads are scored has none: NaN.
    """
    clustered = stderr(to_float=corrected, cluster=CLUSTER)

    def errors(scores: list[SampleScore]) -> Value:
        return {
            name: _error(clustered, group)
            for name, group in by_arm(scores, arm).items()
        }

    return errors


def _error(clustered: Metric, scores: list[SampleScore]) -> float:
    """Give a standard error; Inspect says 0 where there is one cluster alone."""
    threads = {(score.sample_metadata or {})[CLUSTER] for score in scores}
    if len(threads) < 2:
        return math.nan
    return float(clustered(scores))  # type: ignore[arg-type]


@metric
def mean_score(arm: str = "setting") -> Metric:
    """Mean score from -1 to 1, one number a setting."""

    def means(scores: list[SampleScore]) -> Value:
        return {
            name: sum(each.score.as_float() for each in group) / len(group)
            for name, group in by_arm(scores, arm).items()
        }

    return means


def metrics(judges: Iterable[str], *, arm: str = "setting") -> dict[str, list[Metric]]:
    """Give the metrics of the panel's score and of each judge's."""
    return {
        name: [pcr(arm=arm), pcr_stderr(arm=arm), mean_score(arm=arm)]
        for name in (PANEL, *judges)
    }
