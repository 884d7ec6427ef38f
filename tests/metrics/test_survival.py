import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from factories_threads import items
from threadmed.metrics.course import FirstFailure
from threadmed.metrics.estimates import Estimate, NotEstimable
from threadmed.metrics.intervals import clopper_pearson
from threadmed.metrics.survival import (
    first_failure,
    first_failure_by_turn,
    life_table,
)


def rows(found: FirstFailure | NotEstimable) -> list[tuple[int, int, int]]:
    assert isinstance(found, FirstFailure)
    return [(point.step, point.at_risk, point.failures) for point in found.points]


def test_the_worked_life_table_has_its_known_limits() -> None:
    # Steps 1 1 2 2 2 3 3 4 4 5 with failures 1 0 1 1 0 1 0 1 0 0: at risk 10, 8, 5, 3,
    # 1; S = .9, .9 x 6/8 = .675, x 4/5 = .54, x 2/3 = .36, .36.
    found = life_table(np.array([10, 8, 5, 3, 1]), np.array([1, 2, 1, 1, 0]))

    assert [point.share for point in found] == pytest.approx(
        [0.9, 0.675, 0.54, 0.36, 0.36]
    )
    expected = [
        (0.473009, 0.985281),
        (0.290585, 0.882497),
        (0.181165, 0.800713),
        (0.062942, 0.685628),
    ]
    for point, limits in zip(found, expected, strict=False):
        assert point.limits == pytest.approx(limits, abs=5e-7)
    assert {point.method for point in found} == {"greenwood_log_log"}


def test_no_failure_so_far_and_nothing_but_failures_have_exact_limits() -> None:
    none, everyone = life_table(np.array([20, 12]), np.array([0, 12]))

    assert (none.share, none.limits) == (1, clopper_pearson(20, 20))
    assert (everyone.share, everyone.limits) == (0, clopper_pearson(0, 12))
    assert none.method == everyone.method == "clopper_pearson"


def test_a_step_is_a_labelled_turn_however_far_from_the_one_before() -> None:
    study = items(
        {0: 1, 5: 0, 6: 1},  # fails at its second labelled turn
        {3: 1, 4: 1, 9: 1},  # never fails; censored after its third
        {2: -1, 3: -1},  # fails at its first
        {1: 1, 2: None, 3: 0},  # censored before the turn without a score
        {7: None, 8: 0},  # never at risk
    )

    assert rows(first_failure(study)) == [(1, 4, 1), (2, 2, 1), (3, 1, 0)]


def test_a_point_is_shown_only_with_ten_threads_at_risk() -> None:
    study = items(*[{0: 1, 1: 1}] * 9, {0: 1, 1: 0}, {0: 0})

    first, second = first_failure(study).points
    (alone,) = first_failure(items(*[{0: 1}] * 9)).points

    assert isinstance(first.without_failure, Estimate)
    assert first.without_failure.value == pytest.approx(10 / 11)
    assert isinstance(second.without_failure, Estimate)
    assert second.without_failure.value == pytest.approx(9 / 11)
    assert alone.without_failure == NotEstimable(
        reason="fewer than 10 threads are at risk", n=9
    )


def test_the_clock_of_turns_is_refused_where_most_threads_have_no_history() -> None:
    # Eleven threads at turn 0, of which ten go on; eleven more enter at turn 1.
    study = items(*[{0: 1, 1: 1}] * 10, {0: 1}, *[{1: 1}] * 11)

    found = first_failure_by_turn(study)

    assert found == NotEstimable(
        reason="at turn 1 only 10 of 21 threads at risk have the turn before scored",
        n=21,
    )


@pytest.mark.parametrize(("entering", "refused"), [(2, False), (3, True)])
def test_four_of_five_threads_with_a_history_are_enough(
    entering: int, *, refused: bool
) -> None:
    # 8 of 10 threads at risk at turn 1 are 80 %, 8 of 11 are less.
    study = items(*[{0: 1, 1: 0}] * 8, *[{0: 1}] * 4, *[{1: 1}] * entering)

    found = first_failure_by_turn(study)

    assert isinstance(found, NotEstimable) is refused


def test_the_clock_of_turns_counts_turns() -> None:
    study = items(
        *[{0: 1, 1: 1, 2: 1}] * 10,
        {0: 0, 1: 1},  # fails at turn 0
        {0: 1, 2: 0},  # censored before turn 1, which is not labelled
        {0: 1, 1: None, 2: 0},  # censored before turn 1, which has no score
    )

    assert rows(first_failure_by_turn(study)) == [(0, 13, 1), (1, 10, 0), (2, 10, 0)]


def test_too_few_threads_at_any_turn_have_no_clock_of_turns() -> None:
    found = first_failure_by_turn(items(*[{0: 1, 1: 1}] * 9))

    assert found == NotEstimable(reason="no turn has 10 threads at risk", n=9)
    assert first_failure(items()).points == ()


tables = st.lists(
    st.dictionaries(
        st.integers(0, 6), st.sampled_from([-1, 0, 1, None]), max_size=5
    ).map(lambda drawn: dict(sorted(drawn.items()))),
    max_size=40,
)


@settings(deadline=None)
@given(tables)
def test_shares_fall_and_lie_inside_their_limits_in_any_order_of_threads(
    threads: list[dict[int, int | None]],
) -> None:
    found = first_failure(items(*threads))

    assert first_failure(items(*reversed(threads))) == found
    last = 1.0
    for before, point in zip((None, *found.points), found.points, strict=False):
        assert 0 <= point.failures <= point.at_risk
        if before is not None:
            assert point.at_risk <= before.at_risk - before.failures
        if isinstance(point.without_failure, Estimate):
            assert 0 <= point.without_failure.low <= point.without_failure.value
            assert point.without_failure.value <= point.without_failure.high <= 1
            assert point.without_failure.value <= last
            last = point.without_failure.value
    fails = sum(point.failures for point in found.points)
    assert fails <= sum(any(s in {-1, 0} for s in each.values()) for each in threads)


def test_threads_that_enter_late_make_no_earlier_point_surer() -> None:
    none = np.zeros(2, dtype=np.int64)

    found = life_table(np.array([10, 20]), none)

    assert found[1].limits == clopper_pearson(10, 10)
