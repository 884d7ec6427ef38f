from collections.abc import Sequence

import numpy as np
import pytest

from threadmed.metrics.contrasts import compare_settings, compare_targets
from threadmed.metrics.correction import Numbered
from threadmed.metrics.estimates import Estimate, NotEstimable, Number
from threadmed.metrics.items import Items
from threadmed.metrics.measurement import MeasureOptions, PairedTest, SameItems
from threadmed.metrics.significance import holm, mcnemar
from threadmed.records import Setting

NUMBER = Numbered(MeasureOptions(), ("m",))
MISSING = np.nan


def turn(scores: Sequence[float], *, at: int = 1, first_thread: int = 0) -> Items:
    """One item a thread at one turn, in threads numbered from `first_thread`."""
    column = np.array(scores, dtype=float)
    return Items(
        threads=np.arange(len(column)) + first_thread,
        turns=np.full(len(column), at),
        scores=column,
        is_scored=~np.isnan(column),
    )


def value(number: Number) -> float:
    assert isinstance(number, Estimate)
    return number.value


def outcome(test: PairedTest | NotEstimable) -> PairedTest:
    assert isinstance(test, PairedTest)
    return test


def in_multi_turn(items: dict[str, Items]) -> dict[str, dict[Setting, Items]]:
    return {target: {"multi_turn": own} for target, own in items.items()}


def same(settings: dict[str, Items]) -> SameItems:
    found = compare_settings("m", settings, number=NUMBER)  # type: ignore[arg-type]
    assert found is not None
    return found


def test_targets_are_compared_on_the_items_that_both_have_scored() -> None:
    # Items 0-9 shared; b lacks a score for 0 and a has no item 10.
    one = turn([1, 1, 1, 1, 1, 1, 0, 0, 0, 0])
    other = turn([MISSING, 1, 1, -1, -1, -1, 0, 0, 0, 0, 1])

    (found,) = compare_targets(in_multi_turn({"a": one, "b": other}), number=NUMBER)

    assert (found.n, found.n_left_out) == (9, 2)
    assert (found.first_only, found.second_only) == (3, 0)
    assert value(found.first.pcr) == pytest.approx(5 / 9)
    assert value(found.second.pcr) == pytest.approx(2 / 9)
    assert value(found.difference) == pytest.approx(3 / 9)
    assert outcome(found.test).p == pytest.approx(0.25)
    assert outcome(found.test).test == "mcnemar"


def test_every_two_targets_are_compared_and_adjusted_as_one_family() -> None:
    one = turn([1.0] * 30 + [0.0] * 30)
    other = turn([1.0] * 20 + [0.0] * 40)
    third = turn([1.0] * 10 + [0.0] * 50)

    found = compare_targets(
        in_multi_turn({"a": one, "b": other, "c": third}), number=NUMBER
    )

    p = [outcome(each.test).p for each in found]
    assert [(each.first.target, each.second.target) for each in found] == [
        ("a", "b"),
        ("a", "c"),
        ("b", "c"),
    ]
    assert p == [mcnemar(10, 0), mcnemar(20, 0), mcnemar(10, 0)]
    assert tuple(outcome(each.test).p_holm for each in found) == holm(p)
    assert {outcome(each.test).family_size for each in found} == {3}
    assert {outcome(each.test).family for each in found} == {"targets in multi_turn"}


def test_a_comparison_that_cannot_be_made_still_counts_in_its_family() -> None:
    one = turn([1.0] * 10 + [0.0] * 10)
    other = turn([0.0] * 20)
    elsewhere = turn([0.0] * 20, first_thread=100)

    found = compare_targets(
        in_multi_turn({"a": one, "b": other, "c": elsewhere}), number=NUMBER
    )

    first, *refused = found
    assert outcome(first.test).p == mcnemar(10, 0)
    assert outcome(first.test).p_holm == 3 * mcnemar(10, 0)
    for each in refused:
        assert each.test == each.difference
        assert each.difference == NotEstimable(
            reason="fewer than 5 items have both scores", n=0
        )
        assert each.n_left_out == 40


def test_uneven_coverage_is_said_beside_the_difference() -> None:
    # 2 of 40 labelled items lack a score on one side: 5 points of coverage.
    one = turn([1.0] * 20 + [0.0] * 20)
    other = turn([MISSING] * 2 + [0.0] * 38)

    (found,) = compare_targets(in_multi_turn({"a": one, "b": other}), number=NUMBER)

    assert isinstance(found.difference, Estimate)
    assert found.difference.flag == "coverage differs by 5.0 points"


def test_threads_with_two_items_are_flipped_as_one() -> None:
    both = turn([1] * 6).joined(turn([1] * 6, at=2))
    none = turn([0] * 6).joined(turn([0] * 6, at=2))

    (found,) = compare_targets(in_multi_turn({"a": both, "b": none}), number=NUMBER)

    # Six threads, each 2 apart: 2/2^6, and not the 2/2^12 of twelve items.
    assert outcome(found.test).p == pytest.approx(2 / 2**6)
    assert outcome(found.test).test == "sign_flip"


def test_settings_are_compared_on_items_that_all_of_them_have() -> None:
    # Twelve items of turn 1; multi_turn lacks item 0, oracle item 11. Turn 0 is left
    # aside: the oracle has none.
    first_turn = turn([1] * 12, at=0)
    multi = first_turn.joined(turn([MISSING, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 1]))
    target = first_turn.joined(turn([1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 1]))
    oracle = turn([1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, MISSING])

    found = same({"multi_turn": multi, "target_turn": target, "oracle": oracle})

    assert (found.n, found.n_left_out) == (10, 2)
    assert [each.setting for each in found.rates] == [
        "multi_turn",
        "target_turn",
        "oracle",
    ]
    assert [value(each.pcr) for each in found.rates] == [0.3, 0.5, 0.7]
    propagation, information = found.differences
    assert (propagation.question, information.question) == (
        "propagation",
        "information",
    )
    assert value(propagation.difference) == pytest.approx(0.2)
    assert value(information.difference) == pytest.approx(0.2)
    assert (propagation.n, propagation.n_left_out) == (10, 2)
    assert outcome(propagation.test).family == "settings of m"


def test_parts_of_any_three_settings_add_up_to_one() -> None:
    chance = np.random.default_rng(1)
    settings = {
        setting: turn(chance.integers(-1, 2, 300))
        for setting in ("multi_turn", "target_turn", "oracle")
    }

    found = same(settings)

    multi, _, oracle = (value(each.pcr) for each in found.rates)
    propagation, information = (value(e.difference) for e in found.differences)
    assert multi + propagation + information + (1 - oracle) == pytest.approx(
        1, abs=1e-12
    )


def test_without_target_turn_the_oracle_stands_against_multi_turn() -> None:
    found = same({"multi_turn": turn([0] * 20), "oracle": turn([1] * 10 + [0] * 10)})

    (gain,) = found.differences
    assert gain.question == "oracle_gain"
    assert value(gain.difference) == 0.5


def test_two_settings_give_the_one_difference_between_them() -> None:
    found = same({"target_turn": turn([0] * 20), "oracle": turn([1] * 10 + [0] * 10)})

    assert [each.question for each in found.differences] == ["information"]


def test_coverage_of_a_setting_is_said_beside_its_differences() -> None:
    found = same(
        {
            "multi_turn": turn([MISSING] * 4 + [0] * 36),
            "target_turn": turn([1] * 20 + [0] * 20),
        }
    )

    (propagation,) = found.differences
    assert isinstance(propagation.difference, Estimate)
    assert propagation.difference.flag == "coverage differs by 10.0 points"


def test_one_setting_is_compared_with_nothing() -> None:
    settings = {"multi_turn": turn([1] * 9), "isolated": turn([1] * 9)}

    assert compare_settings("m", settings, number=NUMBER) is None  # type: ignore[arg-type]


def test_what_remains_is_what_the_oracle_does_not_correct() -> None:
    found = same({"multi_turn": turn([0] * 20), "oracle": turn([1] * 15 + [0] * 5)})

    assert value(found.remaining) == 0.25
    assert found.unlike == ""


def test_without_an_oracle_what_remains_is_not_known() -> None:
    found = same({"multi_turn": turn([0] * 20), "target_turn": turn([1] * 20)})

    assert found.remaining == NotEstimable(reason="the table has no oracle", n=0)


def test_supports_are_named_where_they_differ() -> None:
    found = same(
        {"multi_turn": turn([0] * 20), "oracle": turn([1] * 12 + [MISSING] * 8)}
    )

    assert [each.n_scored for each in found.supports] == [20, 12]
    assert found.unlike.endswith("(multi_turn 20, oracle 12); 12 are in all")


def test_a_mid_p_is_used_and_named_where_it_is_asked_for() -> None:
    number = Numbered(MeasureOptions(p_value="mid"), ("m",))
    sides = {"a": turn([1] * 9 + [0] * 11), "b": turn([0] * 9 + [1] * 2 + [0] * 9)}

    (found,) = compare_targets(in_multi_turn(sides), number=number)

    assert outcome(found.test).p == pytest.approx(0.038574, abs=5e-7)
    assert (outcome(found.test).test, outcome(found.test).p_value) == ("mcnemar", "mid")


def test_targets_are_compared_in_the_setting_that_a_study_has() -> None:
    one, other = turn([1] * 15 + [0] * 5), turn([0] * 15 + [1] * 5)

    (found,) = compare_targets(
        {"a": {"isolated": one}, "b": {"isolated": other}}, number=NUMBER
    )

    assert (found.first.setting, found.second.setting) == ("isolated", "isolated")
    assert value(found.difference) == pytest.approx(0.5)
    assert outcome(found.test).family == "targets in isolated"


def test_targets_are_compared_in_the_first_setting_that_most_have() -> None:
    items = turn([1] * 20)
    both: dict[Setting, Items] = {"isolated": items, "multi_turn": items}
    alone: dict[Setting, Items] = {"isolated": items}

    equals = compare_targets({"a": both, "b": both}, number=NUMBER)
    most = compare_targets({"a": both, "b": alone}, number=NUMBER)

    assert [each.first.setting for each in equals] == ["multi_turn"]
    assert [(c.first.target, c.second.target) for c in most] == [("a", "b")]
    assert most[0].first.setting == "isolated"


def test_of_targets_in_other_settings_there_is_no_comparison() -> None:
    items = turn([1] * 20)

    assert compare_targets({}, number=NUMBER) == ()
    assert (
        compare_targets(
            {"a": {"oracle": items}, "b": {"isolated": items}}, number=NUMBER
        )
        == ()
    )
