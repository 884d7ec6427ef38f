import math

import pytest
from inspect_ai.scorer import SampleScore, Score

from threadmed.inspection.scoring import mean_score, metrics, pcr, pcr_stderr, score_of
from threadmed.records import (
    Answer,
    PanelScore,
    Scored,
    ThreadId,
    Unscored,
)
from threadmed.study import Panel

PLACE = {"target": "t", "setting": "multi_turn", "thread_id": ThreadId("A"), "turn": 0}


def sampled(*rows: tuple[str, str, int]) -> list[SampleScore]:
    """Setting, thread and score of each sample."""
    return [
        SampleScore(
            score=Score(value=score),
            sample_metadata={"setting": setting, "thread": thread},
        )
        for setting, thread, score in rows
    ]


def test_settings_are_never_averaged_over() -> None:
    scores = sampled(
        ("multi_turn", "A", 1),
        ("multi_turn", "B", -1),
        ("multi_turn", "B", 0),
        ("oracle", "A", 1),
    )

    assert pcr()(scores) == {"multi_turn": pytest.approx(1 / 3), "oracle": 1.0}
    assert mean_score()(scores) == {"multi_turn": 0.0, "oracle": 1.0}


def test_the_standard_error_goes_by_thread() -> None:
    scores = sampled(
        *[("multi_turn", "A", 1)] * 3,
        ("multi_turn", "B", 0),
        ("oracle", "A", 1),
    )

    found = pcr_stderr()(scores)

    # Share 3/4. Sums of deviations by thread: A 3 * 1/4, B -3/4; their squares sum to
    # 9/8; times 2 clusters / (2 - 1), the root of 9/4 is 3/2, over 4 answers.
    assert isinstance(found, dict)
    assert found["multi_turn"] == pytest.approx(3 / 8)
    # One thread says nothing about how threads differ: no number, and never 0.
    assert math.isnan(float(found["oracle"]))


def test_every_judge_has_the_metrics_of_the_panel() -> None:
    found = metrics(["a", "b"])

    assert list(found) == ["panel", "a", "b"]
    assert {len(each) for each in found.values()} == {3}


def test_a_score_says_who_said_what() -> None:
    verdicts = [
        Scored(judge="a", **PLACE, score=0, explanation="vague", request="k"),  # type: ignore[arg-type]
        Scored(judge="b", **PLACE, score=1, explanation="clear", request="k"),  # type: ignore[arg-type]
        Unscored(judge="c", **PLACE, why="refused", detail="policy", request="k"),  # type: ignore[arg-type]
    ]
    row = PanelScore(**PLACE, score=0, outcome="scored", tie_break=True)  # type: ignore[arg-type]
    answer = Answer(**PLACE, outcome="answered", text="So \ud800 it is.")  # type: ignore[arg-type]

    score = score_of(
        row, verdicts, by=Panel(judges=("a", "b", "c", "d")), answer=answer
    )

    value = score.as_dict()
    assert {key: value[key] for key in ("panel", "a", "b")} == {
        "panel": 0,
        "a": 0,
        "b": 1,
    }
    assert math.isnan(float(value["c"] or 0))
    assert math.isnan(float(value["d"] or 0))
    assert score.explanation == "a: 0. vague\n\nb: +1. clear\n\nc: refused. policy"
    # JSON can spell half a character; no file can hold it.
    assert score.answer == "So ? it is."
    assert score.metadata == {"outcome": "scored", "tie_break": True}


def test_an_answer_that_never_came_has_a_reason_and_no_score() -> None:
    row = PanelScore(**PLACE, score=None, outcome="pending")  # type: ignore[arg-type]

    score = score_of(row, [], by=Panel(judges=("a",)), answer=None)

    assert all(math.isnan(float(each or 0)) for each in score.as_dict().values())
    assert (score.reason, score.explanation) == ("pending", "no score: pending.")
