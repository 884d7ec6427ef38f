from threadmed.metrics import measure
from threadmed.metrics.agreement.validation import Validation
from threadmed.metrics.estimates import NotEstimable
from threadmed.records import PanelScore, Score, Setting, ThreadId
from threadmed.report.sections.questions import questions
from threadmed.report.sections.summary import finding, headline
from threadmed.report.sections.trust import trust_of

NOBODY = NotEstimable(reason="no expert has rated any", n=0)
UNKNOWN = trust_of(Validation(identification=NOBODY, scoring=NOBODY))


def scores(
    target: str,
    setting: Setting,
    turn: int,
    right: int,
    total: int,
    *,
    missing: int = 0,
) -> list[PanelScore]:
    """The first `right` of `total` threads corrected, the last `missing` unscored."""
    rows = []
    for number in range(total):
        score: Score | None = 1 if number < right else -1
        score = None if number >= total - missing else score
        rows.append(
            PanelScore(
                target=target,
                setting=setting,
                thread_id=ThreadId(f"T{turn}-{number}"),
                turn=turn,
                score=score,
                outcome="scored" if score is not None else "blocked",
            )
        )
    return rows


def fall(target: str, first: int, seam: int, later: int) -> list[PanelScore]:
    return [
        *scores(target, "multi_turn", 0, first, 100),
        *scores(target, "target_turn", 2, seam, 100),
        *scores(target, "multi_turn", 2, later, 100),
    ]


def test_a_fall_that_every_interval_shows_is_the_headline() -> None:
    measured = measure([*fall("a", 90, 70, 40), *fall("b", 80, 60, 30)])

    assert finding(measured) == (
        "every model corrects fewer false beliefs at the third question than at the "
        "first, and its own earlier answers are part of why"
    )


def test_own_answers_are_no_part_of_the_headline_where_one_interval_holds_zero() -> (
    None
):
    measured = measure([*fall("a", 90, 70, 40), *fall("b", 80, 31, 30)])

    assert "own earlier answers" not in finding(measured)


def test_a_fall_of_some_models_is_said_of_them_alone() -> None:
    measured = measure([*fall("a", 90, 70, 40), *fall("b", 50, 50, 50)])

    assert finding(measured) == (
        "one of two models corrects fewer false beliefs at the third question than at "
        "the first; for the others this study cannot tell"
    )


def test_no_fall_is_claimed_where_the_intervals_hold_zero() -> None:
    measured = measure(fall("a", 50, 50, 50))

    assert finding(measured) == (
        "this study cannot tell whether a corrects fewer false beliefs as the "
        "conversation goes on"
    )


def test_without_a_fall_the_headline_gives_the_rate_and_its_interval() -> None:
    measured = measure(scores("a", "multi_turn", 0, 10, 20))

    # Wilson at 10/20: (0.5 + 1.9207/20) / (1 + 3.8415/20) -/+ 0.2007 = 0.299, 0.701
    assert finding(measured) == (
        "a corrects 50 in 100 false beliefs (95% interval 30 to 70)"
    )


def test_the_headline_of_several_models_gives_the_rates_of_the_first_answer() -> None:
    measured = measure(
        [
            *scores("a", "multi_turn", 0, 10, 20),
            *scores("b", "multi_turn", 0, 20, 20),
        ]
    )
    first = questions(measured, UNKNOWN)[0]

    # Wilson at 20/20 has its upper end at 1.
    assert finding(measured) == (
        "models correct 50 to 100 in 100 false beliefs (95% intervals from 30 to 100)"
    )
    assert first.answer == "50\u2013100%"


def test_many_missing_scores_widen_what_the_headline_says() -> None:
    measured = measure(scores("a", "multi_turn", 0, 10, 40, missing=20))
    first = questions(measured, UNKNOWN)[0]

    # all wrong: Wilson at 10/40 has its lower end at 0.142;
    # all right: Wilson at 30/40 has its upper end at 0.858
    assert finding(measured) == (
        "a corrects 50 in 100 false beliefs (95% interval 14 to 86, with missing "
        "scores counted either way)"
    )
    assert "50.0% have a score" in first.detail
    assert "25.0 and 75.0%" in first.detail


def test_no_fall_is_claimed_where_many_scores_are_missing() -> None:
    measured = measure(
        [
            *scores("a", "multi_turn", 0, 90, 100),
            *scores("a", "target_turn", 2, 70, 100),
            *scores("a", "multi_turn", 2, 40, 100, missing=30),
        ]
    )

    assert finding(measured).endswith(", with missing scores counted either way)")


def test_too_few_scores_give_no_rate() -> None:
    measured = measure(scores("a", "multi_turn", 0, 1, 3))

    assert finding(measured).startswith("too few answers are scored")
    assert questions(measured, UNKNOWN)[0].answer == "Not known"


def test_models_that_cannot_be_told_apart_are_named() -> None:
    measured = measure(
        [
            *scores("a", "multi_turn", 0, 10, 20),
            *scores("b", "multi_turn", 0, 11, 20),
        ]
    )

    assert questions(measured, UNKNOWN)[0].answer == "50\u201355%"
    assert "a and b cannot be told apart" in questions(measured, UNKNOWN)[0].detail


def test_the_trust_in_judges_is_not_known_without_experts() -> None:
    last = questions(measure(scores("a", "multi_turn", 0, 10, 20)), UNKNOWN)[-1]

    assert (last.answer, last.is_warning) == ("Not known", True)


def test_losses_are_given_in_points_and_say_where_zero_is_inside() -> None:
    measured = measure([*fall("a", 90, 70, 40), *fall("b", 50, 51, 50)])
    _, lost, own, _ = questions(measured, UNKNOWN)

    assert lost.answer == "0\u201350 points"
    assert own.answer == "1\u201330 points"
    assert "the interval holds 0 for b" in own.detail


def test_the_share_of_own_answers_is_said_where_every_fall_is_one() -> None:
    measured = measure([*fall("a", 90, 70, 40), *fall("b", 80, 60, 30)])
    own = questions(measured, UNKNOWN)[2]

    # 30 of 50 points, and 30 of 50
    assert "60% of the fall" in own.detail


def test_no_share_is_said_where_a_fall_may_be_none() -> None:
    measured = measure([*fall("a", 90, 70, 40), *fall("b", 50, 51, 50)])

    assert "of the fall" not in questions(measured, UNKNOWN)[2].detail


def test_the_share_of_one_model_has_its_interval() -> None:
    own = questions(measure(fall("a", 90, 70, 40)), UNKNOWN)[2]

    assert "60% of the fall (CI " in own.detail


def test_what_own_answers_cost_was_not_asked_without_target_turn() -> None:
    rows = [row for row in fall("a", 90, 70, 40) if row.setting == "multi_turn"]
    own = questions(measure(rows), UNKNOWN)[2]

    assert (own.answer, own.detail) == (
        "Not asked",
        "this study has no target-turn setting.",
    )


def test_judges_stand_in_no_headline_that_says_nothing_of_theirs() -> None:
    few = measure(scores("a", "multi_turn", 0, 2, 4))
    many = measure(scores("a", "multi_turn", 0, 10, 20))

    assert headline(UNKNOWN.before, few).startswith("Too few answers are scored")
    assert headline(UNKNOWN.before, many).startswith("According to unvalidated judges")
