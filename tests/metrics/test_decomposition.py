from collections.abc import Mapping

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from threadmed.metrics.bootstrap import draw_totals
from threadmed.metrics.comparison import paired_difference, unpaired_difference
from threadmed.metrics.correction import Numbered
from threadmed.metrics.decomposition import (
    decompose,
    negative,
    share_of_fall,
    shares_of,
    thread_rows,
)
from threadmed.metrics.estimates import Estimate, NotEstimable, Number
from threadmed.metrics.items import Items
from threadmed.metrics.measurement import (
    Decomposition,
    FallShares,
    MeasureOptions,
    PairedTest,
    TurnParts,
)
from threadmed.metrics.significance import holm
from threadmed.records import Setting

NUMBER = Numbered(MeasureOptions(thread_draws=2_000), ("m",))
MISSING = np.nan
Study = dict[Setting, Items]


def at(scores: Mapping[int, list[float]]) -> Items:
    """Items by turn; item number k of any turn is of thread k + 1000 turn."""
    rows = [
        (1000 * turn + place, turn, score)
        for turn, column in scores.items()
        for place, score in enumerate(column)
    ]
    columns = np.array(rows, dtype=float).reshape(-1, 3)
    return Items(
        threads=columns[:, 0].astype(np.int64),
        turns=columns[:, 1].astype(np.int64),
        scores=columns[:, 2],
        is_scored=~np.isnan(columns[:, 2]),
    )


def value(number: Number) -> float:
    assert isinstance(number, Estimate)
    return number.value


def ones(hits: int, n: int) -> list[float]:
    return [1.0] * hits + [0.0] * (n - hits)


def study() -> Study:
    """Turn 0: 72 of 80; turn 1: 30, 40, 45 of 60; turn 2: 5, 8, 9 of 12."""
    first = ones(72, 80)
    return {
        "multi_turn": at({0: first, 1: ones(30, 60), 2: ones(5, 12)}),
        "target_turn": at({0: first, 1: ones(40, 60), 2: ones(8, 12)}),
        "oracle": at({1: ones(45, 60), 2: ones(9, 12)}),
    }


def split(of: Study | None = None) -> Decomposition:
    return decompose("m", of or study(), number=NUMBER)


def together(found: Decomposition) -> TurnParts:
    assert isinstance(found.together, TurnParts)
    return found.together


def test_the_parts_of_a_turn_are_what_their_counts_give() -> None:
    turn = split().turns[0]

    propagation, information = (value(e.difference) for e in turn.same.differences)
    assert (turn.turn, turn.same.n, value(turn.first)) == (1, 60, 0.9)
    assert propagation == pytest.approx(10 / 60)
    assert information == pytest.approx(5 / 60)
    assert value(turn.same.remaining) == pytest.approx(15 / 60)
    assert value(turn.drift) == pytest.approx(40 / 60 - 0.9)
    assert value(turn.fall) == pytest.approx(0.9 - 0.5)


def test_a_fall_is_its_propagation_less_its_drift() -> None:
    for turn in (together(split()), split().turns[0]):
        propagation = value(turn.same.differences[0].difference)

        assert value(turn.fall) == pytest.approx(
            propagation - value(turn.drift), abs=1e-12
        )


def test_later_turns_together_come_first() -> None:
    found = together(split())

    assert (found.turn, found.last_turn, found.same.n) == (1, 2, 72)
    assert value(found.fall) == pytest.approx(0.9 - 35 / 72)
    assert value(found.drift) == pytest.approx(48 / 72 - 0.9)


def test_turns_of_few_items_hold_counts_alone() -> None:
    turn = split().turns[1]

    few = NotEstimable(reason="turn 2 has fewer than 20 scored items", n=12)
    assert (turn.turn, turn.same.n) == (2, 12)
    for difference in turn.same.differences:
        assert difference.difference == difference.test == few
    assert turn.same.differences[0].first_only == 3
    assert turn.fall == turn.shares == few
    assert isinstance(turn.drift, NotEstimable)


def test_the_tests_of_one_term_are_a_family_over_the_turns() -> None:
    found = split()

    for place, term in enumerate(("propagation", "information")):
        tests = [turn.same.differences[place].test for turn in found.turns]
        kept, refused = tests
        assert isinstance(refused, NotEstimable)
        assert isinstance(kept, PairedTest)
        assert (kept.family, kept.family_size) == (f"{term} of m by turn", 2)
        assert kept.p_holm == holm([kept.p, 1.0])[0]
    pooled = together(found).same.differences[0].test
    assert isinstance(pooled, PairedTest)
    assert (pooled.family, pooled.family_size) == ("settings of m", 2)


def test_each_part_has_the_interval_of_its_kind() -> None:
    of = study()
    later = {name: items.where(items.turns == 1) for name, items in of.items()}
    start = of["multi_turn"].where(of["multi_turn"].turns == 0)

    turn = split(of).turns[0]

    multi_turn, target_turn = later["multi_turn"], later["target_turn"]
    assert turn.same.differences[0].difference == paired_difference(
        target_turn.corrected, multi_turn.corrected, multi_turn.threads
    )
    assert turn.drift == unpaired_difference(
        (target_turn.corrected, target_turn.threads), (start.corrected, start.threads)
    )


def test_supports_that_differ_are_named_and_what_is_left_out_is_counted() -> None:
    of = study()
    of["oracle"] = at({1: [*ones(40, 55), *[MISSING] * 5], 2: ones(9, 12)})

    turn = split(of).turns[0]

    assert (turn.same.n, turn.same.n_left_out) == (55, 5)
    assert [each.n_scored for each in turn.same.supports] == [60, 60, 55]
    assert turn.same.unlike == (
        "settings do not hold the same scored items (multi_turn 60, target_turn 60, "
        "oracle 55); 55 are in all"
    )
    assert split().turns[0].same.unlike == ""


def test_uneven_coverage_is_said_beside_a_fall() -> None:
    of = study()
    of["multi_turn"] = at({0: ones(72, 80), 1: [*ones(30, 54), *[MISSING] * 6]})

    fall = split(of).turns[0].fall

    assert isinstance(fall, Estimate)
    assert fall.flag == "coverage differs by 10.0 points"


def test_shares_of_a_fall_add_up_and_come_from_whole_threads() -> None:
    found = together(split()).shares

    assert isinstance(found, FallShares)
    fall = 0.9 - 35 / 72
    assert value(found.propagation) == pytest.approx((13 / 72) / fall)
    assert value(found.propagation) + value(found.drift) == pytest.approx(1)
    assert isinstance(found.propagation, Estimate)
    assert isinstance(found.drift, Estimate)
    assert found.propagation.method == "thread_bootstrap"
    assert found.drift.low == pytest.approx(1 - found.propagation.high, abs=0.02)


def test_shares_agree_with_scipys_bootstrap() -> None:
    from scipy.stats import bootstrap

    of = study()
    early = of["multi_turn"].where(of["multi_turn"].turns == 0)
    late = [items.where(items.turns > 0) for items in of.values()]
    rows = thread_rows(early, late[0], late[1])

    def share(*columns: np.ndarray, axis: int = -1) -> np.ndarray:
        n0, first, n1, multi, target = (column.sum(axis=axis) for column in columns)
        return (target - multi) / n1 / (first / n0 - multi / n1)

    theirs = bootstrap(
        tuple(rows.T),
        share,
        paired=True,
        vectorized=True,
        n_resamples=4_000,
        method="percentile",
        rng=np.random.default_rng(0),
    ).confidence_interval

    found = together(split(of)).shares
    assert isinstance(found, FallShares)
    assert isinstance(found.propagation, Estimate)
    assert found.propagation.low == pytest.approx(theirs.low, abs=0.03)
    assert found.propagation.high == pytest.approx(theirs.high, abs=0.03)


def test_without_a_fall_there_are_no_shares_of_it() -> None:
    of = study()
    of["multi_turn"] = at({0: ones(40, 80), 1: ones(30, 60)})

    shares = split(of).turns[0].shares

    assert isinstance(shares, NotEstimable)
    assert shares.reason == "the interval of the fall is not wholly above 0"


def test_draws_without_a_fall_are_dropped() -> None:
    totals = np.array([[10, 9, 10, 5, 7], [0, 0, 10, 5, 7], [10, 5, 10, 5, 7.0]])

    assert shares_of(totals) == pytest.approx([0.5])


@pytest.mark.parametrize(
    ("drawn", "reason"),
    [
        (np.linspace(0, 1, 1_899), "101 of 2,000 bootstrap samples hold no fall"),
        (
            np.ones(2_000),
            "every bootstrap sample is the same, so the interval has no width",
        ),
    ],
)
def test_a_share_without_draws_enough_is_refused(
    drawn: np.ndarray, reason: str
) -> None:
    fall = split().turns[0].fall
    assert isinstance(fall, Estimate)

    found = share_of_fall(1.0, drawn, fall=fall, number=NUMBER)

    assert found == NotEstimable(reason=reason, n=fall.n)


def test_a_share_says_how_many_draws_had_none() -> None:
    fall = split().turns[0].fall
    assert isinstance(fall, Estimate)

    found = share_of_fall(0.5, np.linspace(0, 1, 1_900), fall=fall, number=NUMBER)

    assert isinstance(found, Estimate)
    assert found.flag == "100 of 2,000 samples had no fall"


def test_without_target_turn_only_the_fall_is_told() -> None:
    found = split({"multi_turn": study()["multi_turn"]})

    absent = NotEstimable(reason="the table has no target_turn", n=0)
    assert value(found.turns[0].fall) == pytest.approx(0.4)
    assert found.turns[0].same.differences == ()
    assert found.turns[0].drift == found.turns[0].shares == absent
    assert found.own_answers_step == absent


def test_a_table_of_first_turns_has_no_decline() -> None:
    found = split({"multi_turn": at({0: ones(5, 9)})})

    assert found.together == NotEstimable(reason="there is no later turn", n=0)
    assert found.turns == ()


def test_threads_of_both_turns_are_counted() -> None:
    first = at({0: ones(30, 40), 1: ones(10, 40)})
    chained = first._replace(
        threads=np.concatenate([np.arange(40), np.arange(40) + 35])
    )

    found = split({"multi_turn": chained})

    assert found.turns[0].threads_in_both == 5


def test_negative_turns_limits_round() -> None:
    reason = NotEstimable(reason="few", n=1)

    assert negative(reason) == reason


scores = st.sampled_from([-1.0, 0.0, 1.0, MISSING])
columns = st.integers(20, 50).flatmap(
    lambda n: st.tuples(*[st.lists(scores, min_size=n, max_size=n)] * 3)
)


@settings(max_examples=60, deadline=None)
@given(columns, st.lists(scores, min_size=20, max_size=50))
def test_parts_of_any_scores_add_up(
    later: tuple[list[float], ...], first: list[float]
) -> None:
    names: tuple[Setting, ...] = ("multi_turn", "target_turn", "oracle")
    of: Study = {
        name: at({0: first, 1: column} if name != "oracle" else {1: column})
        for name, column in zip(names, later, strict=True)
    }

    (turn,) = split(of).turns

    numbers = [each.difference for each in turn.same.differences]
    numbers += [turn.same.remaining, turn.same.rates[0].pcr]
    if all(isinstance(number, Estimate) for number in numbers):
        assert sum(value(n) for n in numbers) == pytest.approx(1, abs=1e-12)
    if isinstance(turn.fall, Estimate) and isinstance(turn.drift, Estimate):
        assert turn.fall.value + turn.drift.value == pytest.approx(
            value(turn.same.differences[0].difference), abs=1e-12
        )
    assert split({name: of[name] for name in reversed(names)}).turns == (turn,)


def test_equal_threads_are_drawn_as_one_cell() -> None:
    rows = np.array([[1.0, 0.0]] * 3 + [[2.0, -1.0]] * 5)

    drawn = draw_totals(rows, draws=4_000, rng=np.random.default_rng(1))

    # Eight draws of a thread: 8 x (3/8 + 2 x 5/8) = 13 and -5 on average.
    assert drawn.mean(axis=0) == pytest.approx([13, -5], abs=0.1)
    assert np.array_equal(drawn[:, 0] - 8, -drawn[:, 1])
