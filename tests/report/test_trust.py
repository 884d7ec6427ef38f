from threadmed.metrics.agreement.validation import Validation, place_of, validate_scores
from threadmed.metrics.estimates import NotEstimable
from threadmed.records import Rating, ThreadId
from threadmed.report.analyses import mark_of_study, report_of
from threadmed.report.material import Found
from threadmed.report.sections.trust import (
    BARELY,
    BY_CHANCE,
    UNVALIDATED,
    Trust,
    trust_of,
)

NOBODY = NotEstimable(reason="no expert has rated any", n=0)


def trust(
    experts: list[int], panel: list[int | None], *, second: bool = False
) -> Trust:
    """Trust where experts and panel said these of as many answers."""
    rows = [
        Rating(
            item=f"{n}",
            rater=rater,
            value=str(score),
            thread_id=ThreadId(f"T{n}"),
            turn=0,
            target="m",
            setting="oracle",
        )
        for n, score in enumerate(experts)
        for rater in (("x", "y") if second else ("x",))
    ]
    said = {place_of(row): panel[int(row.item)] for row in rows}
    scoring = validate_scores(rows, {"j": said}, said)  # type: ignore[arg-type, dict-item]
    return trust_of(Validation(identification=NOBODY, scoring=scoring))


def test_judges_are_not_validated_without_experts() -> None:
    found = trust_of(Validation(identification=NOBODY, scoring=NOBODY))

    assert (found.mark, found.answer) == (UNVALIDATED, "Not known")
    assert found.before == "According to unvalidated judges, "


def test_scores_of_answers_that_the_panel_did_not_score_validate_nothing() -> None:
    assert trust([1, 0] * 20, [None] * 40).mark == UNVALIDATED


def test_few_scores_hardly_validate() -> None:
    found = trust([1, 0, -1] * 8, [1, 0, -1] * 8)

    assert found.mark == BARELY
    assert "experts scored only 24 answers" in found.detail


def test_a_panel_that_agrees_with_experts_is_marked_with_nothing() -> None:
    # 40 answers, 36 alike: po = .9, pe = .5, kappa = .8
    found = trust([1, 0] * 20, [1, 0] * 18 + [0, 1] * 2)

    assert (found.mark, found.before) == ("", "")
    assert found.answer == "\u03ba 0.80"
    assert "n = 40" in found.detail
    assert "how far experts agree with each other is not known" in found.detail


def test_a_panel_that_guesses_is_no_better_than_chance() -> None:
    found = trust([1, 1, 0, 0] * 10, [1, 0, 1, 0] * 10)

    assert found.mark == BY_CHANCE
    assert found.before == "According to judges no better than chance, "
    assert found.answer == "\u03ba 0.00"


def test_the_agreement_of_experts_stands_beside_that_of_the_panel() -> None:
    found = trust([1, 0] * 20, [1, 0] * 20, second=True)

    assert "experts with each other 1.00 (n = 40)" in found.detail


def test_the_mark_of_a_study_is_that_of_its_report(rated: Found, armed: Found) -> None:
    for found in (rated, armed):
        assert mark_of_study(found) == report_of(found).mark

    assert mark_of_study(rated) == ""
    assert mark_of_study(armed) == UNVALIDATED
