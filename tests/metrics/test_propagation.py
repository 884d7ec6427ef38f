import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from factories_threads import items
from threadmed.metrics.estimates import Estimate, NotEstimable
from threadmed.metrics.pairs import pairs_of
from threadmed.metrics.propagation import (
    Counts,
    counts_of,
    error_propagation,
    propagation_ratio,
    smoothed_ratio,
)

# Seven threads: failures after a failure, corrections after one, failures after a
# correction, corrections after one.
WORKED = np.array(
    [
        [1, 0, 0, 1],
        [0, 1, 0, 0],
        [1, 1, 0, 0],
        [0, 0, 1, 2],
        [0, 0, 0, 1],
        [0, 1, 1, 1],
        [2, 0, 0, 0],
    ],
    dtype=float,
)


def counts(rows: np.ndarray) -> Counts:
    return Counts(*np.asarray(rows, dtype=float).T)


def test_the_worked_ratio_has_its_known_limits() -> None:
    # 4/7 over 2/7 is 2; smoothed (4.5/8)/(2.5/8) = 1.8, V_b = .4375/(.5625 x 8) +
    # .6875/(.3125 x 8) = .372222, which is more than V_c = .228040: limits
    # 1.8 exp(-/+ 1.959964 sqrt(.372222)).
    found, smoothed = propagation_ratio(counts(WORKED)), smoothed_ratio(counts(WORKED))

    assert isinstance(found, Estimate)
    assert found.value == 2
    assert smoothed == pytest.approx((1.8, 0.228040, 0.372222), abs=5e-7)
    assert (found.low, found.high) == pytest.approx((0.544445, 5.951010), abs=5e-7)
    assert (found.n, found.threads, found.method) == (14, 7, "log_ratio")
    assert found.flag == "rests on few pairs"


def test_threads_that_repeat_themselves_widen_the_interval() -> None:
    # Five threads that fail twelve times after a failure and five that never do: each
    # moves the logarithm by 6/(60.5 x 121/120), so V_c is about 10/9 x 10 x .1^2 = .11;
    # V_b is 1/121 + 1/241 = .012, which is all that there is where threads are alike.
    after = [[12, 0, 0, 0]] * 5 + [[0, 12, 0, 0]] * 5
    rows = np.array([*after, *[[0, 0, 12, 12]] * 10])
    apart = np.array([[6, 6, 12, 12]] * 10)

    clustered, alike = propagation_ratio(counts(rows)), propagation_ratio(counts(apart))

    assert isinstance(clustered, Estimate)
    assert isinstance(alike, Estimate)
    assert clustered.value == alike.value == 1
    assert np.log(alike.high) == pytest.approx(1.96 * 0.0124**0.5, abs=0.005)
    assert np.log(clustered.high) == pytest.approx(1.96 * 0.104**0.5, abs=0.02)


def test_pairs_are_counted_by_what_follows_what() -> None:
    study = items({0: -1, 1: 0, 2: 1, 3: 1, 4: 0}, {0: 1, 2: 0}, {0: None, 1: 0})

    found = error_propagation(pairs_of(study))

    # -1 -> 0, 0 -> 1, 1 -> 1, 1 -> 0; the other threads hold no consecutive pair.
    assert (found.fail_fail, found.fail_corrected) == (1, 1)
    assert (found.corrected_fail, found.corrected_corrected) == (1, 1)


@pytest.mark.parametrize(
    ("rows", "reason"),
    [
        ([[0, 0, 0, 0]], "no two turns in a row are scored"),
        ([[0, 0, 4, 9]] * 2, "no pair begins with a failure"),
        ([[4, 9, 0, 0]] * 2, "no pair begins with a correction"),
        ([[2, 2, 4, 9]], "fewer than 5 pairs begin with a failure or a correction"),
        ([[2, 9, 4, 0]], "fewer than 5 pairs begin with a failure or a correction"),
        ([[3, 3, 4, 9]], "all pairs are of one thread"),
        ([[3, 3, 0, 9]] * 2, "no failure follows a correction"),
    ],
)
def test_a_ratio_that_the_pairs_cannot_give_is_refused(
    rows: list[list[int]], reason: str
) -> None:
    found = propagation_ratio(counts(np.array(rows)))

    assert found == NotEstimable(reason=reason, n=int(np.sum(rows)))


def test_no_failure_that_repeats_is_a_ratio_of_zero_inside_its_interval() -> None:
    found = propagation_ratio(counts(np.array([[0, 1, 1, 1]] * 30)))

    assert isinstance(found, Estimate)
    assert found.value == found.low == 0
    assert 0 < found.high < 1


tables = st.lists(st.tuples(*[st.integers(0, 3)] * 4), min_size=2, max_size=40).map(
    lambda rows: np.array(rows, dtype=float)
)


@settings(deadline=None)
@given(tables)
def test_the_order_of_threads_changes_nothing_and_the_value_lies_inside(
    rows: np.ndarray,
) -> None:
    order = np.random.default_rng(len(rows)).permutation(len(rows))

    found, turned = (
        propagation_ratio(counts(rows)),
        propagation_ratio(counts(rows[order])),
    )

    if isinstance(found, NotEstimable):
        assert turned == found
    else:
        assert isinstance(turned, Estimate)
        assert 0 <= found.low <= found.value <= found.high < np.inf
        assert turned.low == pytest.approx(found.low)
        assert turned.high == pytest.approx(found.high)


def test_counts_have_an_entry_for_each_thread_with_a_pair() -> None:
    study = items({0: 0, 1: 0}, {0: 1}, {0: 1, 1: 1})

    assert counts_of(pairs_of(study)).fail_fail.tolist() == [1, 0]
