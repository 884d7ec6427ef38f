import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.stats.proportion import confint_proportions_2indep

from threadmed.metrics.comparison import (
    Cells,
    newcombe_independent,
    newcombe_paired,
    paired_difference,
    paired_phi,
    unpaired_difference,
)
from threadmed.metrics.estimates import Estimate, NotEstimable
from threadmed.metrics.intervals import Interval
from threadmed.metrics.quantiles import t_quantile

pairs = st.lists(
    st.tuples(st.integers(0, 11), st.booleans(), st.booleans()),
    min_size=5,
    max_size=60,
).map(lambda rows: np.array(rows, dtype=float).T)


def estimate(found: object) -> Estimate:
    assert isinstance(found, Estimate)
    return found


def columns(both: int, first: int, second: int, neither: int) -> list[np.ndarray]:
    """Two columns with so many items of each kind."""
    counts = [both, first, second, neither]
    return [
        np.repeat(np.array(kinds, float), counts)
        for kinds in ([1, 1, 0, 0], [1, 0, 1, 0])
    ]


def test_newcombe_paired_gives_the_known_limits() -> None:
    # delta = 42/60 - 34/60; eh - fg = 420 - 48 = 372, less 60/2 = 342, over
    # sqrt(42 x 18 x 34 x 26) = 817.499: phi = .418349.
    table = Cells(30, 12, 4, 14)

    found = newcombe_paired(table, n_eff=60)
    difference = estimate(paired_difference(*columns(*table), np.arange(60)))

    assert difference.value == pytest.approx(0.133333, abs=5e-7)
    assert paired_phi(table) == pytest.approx(0.418349, abs=5e-7)
    assert found == pytest.approx((0.002300, 0.257307), abs=5e-7)


@pytest.mark.parametrize(
    ("table", "phi"),
    [
        # 5 x 5 - 4 x 4 = 9 is no more than 18/2; 0 - 25 stays as it is, over 5^2.
        (Cells(5, 4, 4, 5), 0),
        (Cells(0, 5, 5, 0), -1),
        (Cells(0, 5, 0, 5), 0),
    ],
)
def test_a_correlation_of_two_sides_is_corrected_towards_none(
    table: Cells, phi: float
) -> None:
    assert paired_phi(table) == phi


def test_newcombe_independent_gives_the_known_limits() -> None:
    found = newcombe_independent((35 / 198, 198), (60 / 109, 109))

    assert found == pytest.approx((-0.475219, -0.263045), abs=5e-7)


@settings(deadline=None)
@given(st.integers(0, 50), st.integers(0, 80))
def test_newcombe_independent_agrees_with_statsmodels(one: int, other: int) -> None:
    theirs = confint_proportions_2indep(
        one, 50, other, 80, method="newcomb", compare="diff"
    )

    assert newcombe_independent((one / 50, 50), (other / 80, 80)) == pytest.approx(
        theirs, abs=1e-9
    )


@pytest.mark.parametrize(
    ("table", "sign"),
    [(Cells(20, 2, 3, 20), 1), (Cells(3, 20, 21, 2), -1), (Cells(10, 5, 5, 10), 1)],
)
def test_sides_that_go_together_are_compared_more_sharply(
    table: Cells, sign: int
) -> None:
    first = (table.both + table.first_only) / sum(table)
    second = (table.both + table.second_only) / sum(table)
    apart = newcombe_independent((first, sum(table)), (second, sum(table)))

    found = newcombe_paired(table, n_eff=sum(table))

    assert sign * (found.high - found.low) < sign * (apart.high - apart.low)


def test_a_weak_relation_is_not_taken_for_one() -> None:
    # eh - fg = 5 x 5 - 4 x 4 = 9, which is no more than N/2 = 9: phi counts as 0.
    table = Cells(5, 4, 4, 5)

    assert newcombe_paired(table, n_eff=18) == newcombe_independent(
        (0.5, 18), (0.5, 18)
    )


def test_a_paired_difference_is_worked_by_hand() -> None:
    # Twelve threads of one item, d = 1 in ten and 0 in two: delta = 5/6.
    # sum (d - delta)^2 = 10/36 + 2 x 25/36 = 60/36; CR2 = 60/36 x 12/11 / 144 =
    # .0126263; t_11 = 2.200985; half-width .247317; 1.080650 is cut to 1.
    first, second = columns(1, 10, 0, 1)

    found = estimate(paired_difference(first, second, np.arange(12)))

    assert t_quantile(0.95, 11) == pytest.approx(2.200985)
    assert (found.value, found.low, found.high) == pytest.approx(
        (5 / 6, 5 / 6 - 0.247317, 1.0), abs=1e-6
    )
    assert (found.method, found.n, found.hits) == ("cr2_t", 12, None)


def test_few_items_that_differ_take_newcombe() -> None:
    first, second = columns(30, 7, 2, 21)

    found = estimate(paired_difference(first, second, np.arange(60)))

    assert found.method == "newcombe_paired"
    assert Interval(found.low, found.high) == newcombe_paired(
        Cells(30, 7, 2, 21), n_eff=60
    )


def test_clusters_shrink_what_newcombe_is_worth() -> None:
    # Six threads of five items; in one thread all five differ. delta = 5/30 and the
    # thread sums are 5, 0 x 5: sum (D - 5/6)^2 = 17.3611 + 5 x .694444 = 20.8333;
    # V = 20.8333 x 6/5 / 900 = .0277778; deff = V x 30 / (5/30 - 1/36) = 6; n_eff = 5.
    first, second = columns(0, 5, 0, 25)

    found = estimate(paired_difference(first, second, np.repeat(np.arange(6), 5)))

    assert Interval(found.low, found.high) == pytest.approx(
        newcombe_paired(Cells(0, 5, 0, 25), n_eff=5)
    )


def test_threads_that_all_differ_alike_are_no_certainty() -> None:
    first, second = columns(0, 24, 0, 0)

    found = estimate(paired_difference(first, second, np.repeat(np.arange(12), 2)))

    assert found.method == "newcombe_paired"
    assert found.value == 1
    assert Interval(found.low, found.high) == newcombe_paired(
        Cells(0, 24, 0, 0), n_eff=12
    )
    assert found.low < 0.8


@pytest.mark.parametrize(
    ("n", "threads", "reason"),
    [
        (4, 4, "fewer than 5 items have both scores"),
        (9, 1, "all items that have both scores are of one thread"),
    ],
)
def test_too_little_to_compare_is_a_reason(n: int, threads: int, reason: str) -> None:
    found = paired_difference(np.ones(n), np.zeros(n), np.arange(n) % threads)

    assert found == NotEstimable(reason=reason, n=n)


@settings(deadline=None)
@given(pairs)
def test_a_paired_difference_lies_in_its_interval_and_turns_with_its_sides(
    drawn: np.ndarray,
) -> None:
    threads, first, second = drawn[0].astype(int), drawn[1], drawn[2]

    one = paired_difference(first, second, threads)
    other = paired_difference(second, first, threads)

    if isinstance(one, Estimate):
        turned = estimate(other)
        assert -1 <= one.low <= one.value <= one.high <= 1
        assert one.high > one.low
        assert (one.low, one.high) == pytest.approx((-turned.high, -turned.low))


def test_an_unpaired_difference_of_separate_threads_is_the_textbooks() -> None:
    # No thread on both sides, one item each: V = G/(G-1) (p1 q1/n1 + p2 q2/n2)
    # = 307/306 (.480 x .520/198 + .881 x .119/109) = 307/306 x .0022242
    first = np.array([1.0] * 95 + [0.0] * 103)
    second = np.array([1.0] * 96 + [0.0] * 13)

    found = estimate(
        unpaired_difference((first, np.arange(198)), (second, np.arange(198, 307)))
    )
    variance = 307 / 306 * (95 * 103 / 198**3 + 96 * 13 / 109**3)
    half = t_quantile(0.95, 306) * variance**0.5

    assert found.method == "linearised_t"
    assert (found.n, found.threads) == (307, 307)
    assert (found.low, found.high) == pytest.approx(
        (found.value - half, found.value + half)
    )


def test_threads_on_both_sides_count_in_the_variance() -> None:
    # The same threads on both sides with the same outcomes but one: nearly no variance.
    first = np.tile([1.0, 0.0], 30)
    second = first.copy()
    second[0] = 0.0
    threads = np.arange(60)

    together = estimate(unpaired_difference((first, threads), (second, threads)))
    apart = estimate(unpaired_difference((first, threads), (second, threads + 60)))

    assert together.threads == 60
    assert together.high - together.low < 0.3 * (apart.high - apart.low)


def test_equal_sides_of_the_same_threads_keep_a_width() -> None:
    values, threads = np.tile([1.0, 0.0], 30), np.arange(60)

    found = estimate(unpaired_difference((values, threads), (values, threads)))

    assert found.method == "newcombe_independent"
    assert found.high > found.low


@pytest.mark.parametrize("values", [np.ones(40), np.tile([0.0, 1.0], 10)])
def test_a_side_that_is_small_or_all_alike_takes_newcombe(values: np.ndarray) -> None:
    other = np.tile([0.0, 1.0], 50)
    side, n = (values, np.arange(len(values))), len(values)

    found = estimate(unpaired_difference(side, (other, np.arange(100) + 500)))

    assert found.method == "newcombe_independent"
    assert Interval(found.low, found.high) == newcombe_independent(
        (values.mean(), n), (0.5, 100)
    )


def test_a_side_of_few_items_is_a_reason() -> None:
    found = unpaired_difference(
        (np.ones(3), np.arange(3)), (np.ones(50), np.arange(50))
    )

    assert found == NotEstimable(
        reason="fewer than 5 scored items or 2 threads on a side", n=53
    )
