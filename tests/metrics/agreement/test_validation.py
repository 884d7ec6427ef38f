import numpy as np
import pytest
from msgspec.structs import replace

from threadmed.metrics.agreement.coefficients import Coefficient
from threadmed.metrics.agreement.raters import SCORES
from threadmed.metrics.agreement.records import Agreement
from threadmed.metrics.agreement.validation import (
    Place,
    place_of,
    validate_labels,
    validate_scores,
    versus,
)
from threadmed.metrics.estimates import Estimate, NotEstimable
from threadmed.records import ADJUDICATED, Rating, Score, ThreadId


def rating(number: int, rater: str, value: str | None, **more: float) -> Rating:
    return Rating(
        item=f"i{number}",
        rater=rater,
        value=value,
        thread_id=ThreadId(f"T{number}"),
        turn=0,
        target="m",
        setting="oracle",
        probability=more.get("probability"),
    )


def place(number: int) -> Place:
    return ("m", "oracle", f"T{number}", 0)


def scores(*said: Score | None) -> dict[Place, Score | None]:
    return {place(number): score for number, score in enumerate(said)}


def test_a_rating_without_a_place_is_refused() -> None:
    with pytest.raises(ValueError, match="expected a thread and a turn of item 'a'"):
        place_of(Rating(item="a", rater="x", value="1"))


def test_every_item_is_scored_or_missing_for_one_of_three_reasons() -> None:
    ratings = [
        rating(0, "x", "1"), rating(0, "y", "1"),
        rating(1, "x", "1"), rating(1, "y", "0"),
        rating(2, "x", None), rating(2, "y", None),
        rating(3, "x", "0"), rating(3, "y", None),
        rating(4, "x", "0"), rating(4, "y", "0"),
        rating(5, "x", "1"), rating(5, "y", "0"), rating(5, ADJUDICATED, "0"),
    ]  # fmt: skip
    said = {place(0): "1", place(1): "1", place(2): "1", place(3): None, place(5): "0"}

    found = versus(ratings, "j", said, scale=SCORES)

    assert found.n_total == 6
    assert (found.n_scored, found.n_missing) == (2, 4)
    assert (found.n_unrated, found.n_split, found.n_unscored) == (1, 1, 2)
    assert found.agreement.confusion.counts == ((0, 0, 0), (0, 1, 0), (0, 0, 1))
    assert (found.agreement.first, found.agreement.second) == ("experts", "j")


def test_two_lost_verdicts_are_told_and_not_dropped() -> None:
    # 61 of 70 is the only way to 87.14 % of 72 or fewer: two had no score.
    ratings = [rating(n, "md", "1" if n < 50 else "0") for n in range(72)]
    agreed: list[Score | None] = [1] * 50 + [0] * 11 + [-1] * 9 + [None] * 2

    found = validate_scores(ratings, {"j": scores(*agreed)}, scores(*agreed))
    judge = found.judges[0]

    assert (judge.n_total, judge.n_scored, judge.n_unscored) == (72, 70, 2)
    assert isinstance(judge.agreement.raw, Estimate)
    assert judge.agreement.raw.hits == 61
    assert round(100 * judge.agreement.raw.value, 2) == 87.14
    assert found.panel.agreement.raw == judge.agreement.raw


def test_identification_has_the_rates_of_the_papers_table() -> None:
    # Experts: 40 yes, 60 no. The identifier finds 30 of the 40 and 6 of the 60.
    experts = [rating(n, "md", "yes" if n < 40 else "no") for n in range(100)]
    said = {place(n): "yes" if n < 30 or 40 <= n < 46 else "no" for n in range(100)}

    (found,) = validate_labels(experts, {"gpt": said}).identifiers

    for number, hits, n in (
        (found.precision, 30, 36),
        (found.recall, 30, 40),
        (found.specificity, 54, 60),
        (found.versus.agreement.raw, 84, 100),
    ):
        assert isinstance(number, Estimate)
        assert (number.hits, number.n) == (hits, n)
    assert isinstance(found.f1, Estimate)
    assert found.f1.value == pytest.approx(60 / 76)
    kappa = found.versus.agreement.coefficients.kappa
    # po = .84, pe = .4 * .36 + .6 * .64 = .528.
    assert isinstance(kappa, Coefficient)
    assert kappa.value == pytest.approx((0.84 - 0.528) / 0.472)


def test_each_source_of_labels_is_held_against_the_experts() -> None:
    experts = [rating(n, "md", "yes" if n % 2 else "no") for n in range(20)]
    same = {place_of(each): each.value for each in experts}

    found = validate_labels(experts, {"reference": same, "gpt": {}})

    assert [each.versus.judge for each in found.identifiers] == ["reference", "gpt"]
    assert found.identifiers[1].versus.n_unscored == 20
    assert isinstance(found.identifiers[1].precision, NotEstimable)


def test_the_ceiling_is_that_of_items_that_several_rated() -> None:
    shared = [
        rating(n, rater, str(1 if (n + (rater == "y") * (n < 3)) % 2 else 0))
        for n in range(20)
        for rater in "xy"
    ]
    alone = [rating(n, "z", "1") for n in range(20, 30)]
    settled = [rating(n, ADJUDICATED, "0") for n in range(3)]

    found = validate_scores([*shared, *alone, *settled], {}, scores(*[1] * 30)).experts

    assert found.raters == ("x", "y", "z")
    assert (found.n_items, found.n_single, found.n_several) == (30, 10, 20)
    assert (found.n_split, found.n_adjudicated) == (0, 3)
    assert isinstance(found.ceiling, Agreement)
    assert [rater.rater for rater in found.ceiling.raters] == ["x", "y"]
    assert isinstance(found.ceiling.overall.raw, Estimate)
    assert found.ceiling.overall.raw.value == pytest.approx(17 / 20)


def test_one_expert_has_no_ceiling() -> None:
    found = validate_scores([rating(0, "x", "1")], {}, scores(1))

    assert found.experts.ceiling == NotEstimable(
        reason="no item has ratings of two experts", n=0
    )


def test_judges_are_compared_on_all_items_of_the_study() -> None:
    said: list[Score] = [1, 0, -1] * 10
    other: list[Score] = [1, 0, 0] * 10

    found = validate_scores(
        [rating(0, "x", "1")],
        {"a": scores(*said), "b": scores(*other), "silent": {}},
        scores(*said),
    )

    assert isinstance(found.between_judges, Agreement)
    (pair,) = found.between_judges.pairs
    assert (pair.first, pair.second, pair.n_scored) == ("a", "b", 30)
    assert isinstance(pair.raw, Estimate)
    assert pair.raw.hits == 20
    assert [each.judge for each in found.judges] == ["a", "b", "silent"]


def test_one_judge_has_nobody_to_agree_with() -> None:
    found = validate_scores([rating(0, "x", "1")], {"a": scores(1)}, scores(1))

    assert found.between_judges == NotEstimable(
        reason="there are no verdicts of two judges", n=0
    )


def test_unlike_chances_and_a_lazy_panel_are_said() -> None:
    ratings = [
        rating(0, "x", "1", probability=0.5),
        rating(1, "x", "1", probability=0.25),
    ]
    judges = {"a": scores(1, 1), "b": scores(1, 0), "c": scores(None, 1)}
    found = validate_scores(ratings, judges, scores(1, 1), selected=("c",))
    plain = validate_scores(ratings[:1], {}, scores(1, 1))

    assert len(found.warnings) == 2
    assert found.warnings[0].startswith("items were drawn with unlike probabilities")
    assert found.warnings[1].startswith("the panel is lazy: c scored only")
    assert [each.judge for each in found.judges] == ["a", "b"]
    assert isinstance(found.between_judges, Agreement)
    assert [(p.first, p.second) for p in found.between_judges.pairs] == [("a", "b")]
    assert plain.warnings == ()


def test_turns_of_one_thread_count_as_alike() -> None:
    rng = np.random.default_rng(0)
    ratings, said = [], {}
    for thread in range(12):
        errs = rng.random() < 0.3
        for turn in range(5):
            truth = str(int(rng.integers(2)))
            ratings.append(
                Rating(item=f"{thread}.{turn}", rater="x", value=truth,
                       thread_id=ThreadId(f"T{thread}"), turn=turn)
            )  # fmt: skip
            said[place_of(ratings[-1])] = str(1 - int(truth)) if errs else truth
    found = versus(ratings, "j", said, scale=SCORES).agreement.coefficients.kappa

    assert isinstance(found, Coefficient)
    assert (found.n, found.clusters) == (60, 12)


def in_settings(value: str, *, rater: str = "x") -> list[Rating]:
    """Ratings of both answers of ten threads of two turns, in two settings."""
    return [
        Rating(
            item=f"{setting}{thread}{turn}",
            rater=rater,
            value=value,
            thread_id=ThreadId(f"T{thread}"),
            turn=turn,
            target="m",
            setting=setting,
        )
        for setting in ("multi_turn", "isolated")
        for thread in range(10)
        for turn in (0, 1)
    ]


def test_one_answer_at_turn_0_is_one_item_of_judges_and_of_experts() -> None:
    ratings = in_settings("1")
    said: dict[Place, Score | None] = {place_of(each): 1 for each in ratings}
    other: dict[Place, Score | None] = dict.fromkeys(said, 0)

    found = validate_scores(ratings, {"j": said, "k": other}, said)

    # Ten answers to first questions, and twenty to second ones.
    assert isinstance(found.between_judges, Agreement)
    assert found.between_judges.pairs[0].n_total == 30
    assert found.experts.n_items == found.panel.n_scored == 30
    assert [each.n_total for each in found.judges] == [30, 30]


def test_two_answers_at_turn_0_stay_two_where_the_judges_differ_on_them() -> None:
    ratings = in_settings("1")
    said: dict[Place, Score | None] = {
        place_of(each): 1 if each.setting == "isolated" else 0 for each in ratings
    }

    found = validate_scores(ratings, {"j": said, "k": said}, said)

    assert isinstance(found.between_judges, Agreement)
    assert found.between_judges.pairs[0].n_total == found.experts.n_items == 40


def test_experts_who_scored_one_answer_in_two_settings_scored_the_same_item() -> None:
    first, second = in_settings("1"), in_settings("0", rater="y")
    ratings = [
        *[each for each in first if each.setting == "multi_turn" and not each.turn],
        *[each for each in second if each.setting == "isolated" and not each.turn],
        # A second look by one expert at the same answer.
        *[
            replace(each, value="-1")
            for each in first
            if each.setting == "isolated" and not each.turn
        ],
    ]
    said: dict[Place, Score | None] = {place_of(each): 1 for each in ratings}

    found = validate_scores(ratings, {"j": said}, said)

    assert (found.experts.n_items, found.experts.n_several) == (10, 10)
    assert found.experts.n_split == 10
    assert isinstance(found.experts.ceiling, Agreement)
    assert found.experts.ceiling.pairs[0].confusion.counts == (
        (0, 0, 0),
        (0, 0, 0),
        (0, 10, 0),
    )
