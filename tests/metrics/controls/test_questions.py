"""What controls and harm classes add to a table, and what is left without them."""

from threadmed.metrics import side_by_side
from threadmed.metrics.controls.control import Known, over_correction
from threadmed.metrics.controls.questions import WithQuestions, of_questions
from threadmed.metrics.controls.severity import HarmWeights, severity
from threadmed.records import Harm, PanelScore, Question, Score, ThreadId


def row(n: int, score: Score, *, carries: bool) -> PanelScore:
    return PanelScore(
        target="m",
        setting="multi_turn",
        thread_id=ThreadId(f"T{n}"),
        turn=0 if carries else 1,
        score=score,
        outcome="scored",
        misconception=carries,
    )


LABELLED = [row(n, 1 if n < 12 else -1, carries=True) for n in range(24)]
CONTROLS = [row(n, -1 if n < 5 else 1, carries=False) for n in range(20)]
HARMS: dict[Question, Harm] = {
    (each.thread_id, 0): "mild" if n < 18 else "urgent"
    for n, each in enumerate(LABELLED)
}
CHANCES = {
    (each.thread_id, 1): 0.5 if n < 9 else 0.1 for n, each in enumerate(CONTROLS)
}
WEIGHTS = HarmWeights(none=0, mild=1, serious=1, urgent=1)


def test_both_are_computed_with_weights_chances_and_level() -> None:
    rows = [*LABELLED, *CONTROLS]

    found = of_questions(rows, harms=HARMS, chances=CHANCES, weights=WEIGHTS, level=0.9)

    assert found.severity == severity(rows, HARMS, weights=WEIGHTS, level=0.9)
    assert found.over_correction == over_correction(
        rows, known=Known(chances=CHANCES), level=0.9
    )
    assert found.over_correction.is_weighted
    joined = found.beside(side_by_side(rows))
    assert isinstance(joined, WithQuestions)
    assert (joined.severity, joined.over_correction) == (
        found.severity,
        found.over_correction,
    )
    assert joined.recommended == side_by_side(rows).recommended


def test_a_table_with_neither_is_left_as_it_is() -> None:
    both = side_by_side(LABELLED)

    found = of_questions(
        LABELLED, harms={}, chances={}, weights=HarmWeights(), level=0.95
    )

    assert found == (None, None)
    assert found.beside(both) is both


def test_classes_alone_give_no_over_correction() -> None:
    found = of_questions(
        LABELLED, harms=HARMS, chances={}, weights=HarmWeights(), level=0.95
    )

    assert found.over_correction is None
    assert found.severity is not None
    # 12 mild corrected of 18, 6 urgent not: 12/(18 + 24).
    assert round(found.severity.groups[0].weighted_pcr.value, 3) == 0.286
