import numpy as np
import pytest

from threadmed.metrics.bootstrap import (
    cells_of,
    draw_ratios,
    item_bootstrap,
    percentile,
    stream,
    thread_bootstrap,
)
from threadmed.metrics.estimates import Estimate, NotEstimable
from threadmed.metrics.intervals import Totals

TOTALS = Totals(
    sums=np.array([2.0, 0, 2, 0, 2, 0]), sizes=np.array([2.0, 1, 3, 1, 2, 1])
)
RECOVERY = Totals(
    sums=np.array([1.0, 0, 1, 0, 0, 1, 0]), sizes=np.array([1.0, 1, 2, 1, 0, 1, 2])
)


def rng() -> np.random.Generator:
    return np.random.default_rng(3)


def test_draws_of_threads_have_the_law_of_all_draws() -> None:
    # Over all 6^6 draws: mean .577770, sd .171054, ends .25 and .833333.
    ratios = draw_ratios(TOTALS, draws=40_000, rng=rng())

    assert ratios.mean() == pytest.approx(0.577770, abs=0.003)
    assert ratios.std() == pytest.approx(0.171054, abs=0.003)
    assert percentile(ratios, level=0.95) == pytest.approx((0.25, 0.833333), abs=1e-6)


def test_draws_equal_a_loop_over_threads_in_law() -> None:
    source = rng()
    loop = []
    for _ in range(4_000):
        drawn = source.integers(0, 6, size=6)
        loop.append(TOTALS.sums[drawn].sum() / TOTALS.sizes[drawn].sum())

    ours = draw_ratios(TOTALS, draws=4_000, rng=rng())

    assert np.quantile(ours, [0.1, 0.5, 0.9]) == pytest.approx(
        np.quantile(loop, [0.1, 0.5, 0.9]), abs=0.03
    )


def test_the_order_of_threads_does_not_change_the_draws() -> None:
    turned = Totals(sums=TOTALS.sums[::-1], sizes=TOTALS.sizes[::-1])

    one = draw_ratios(TOTALS, draws=200, rng=rng())

    assert np.array_equal(one, draw_ratios(turned, draws=200, rng=rng()))


def test_one_in_seven_to_the_seventh_draws_of_the_worked_threads_is_empty() -> None:
    # Every one of the 7^7 ways of drawing seven threads, as counts of starts.
    starts = np.zeros(1, dtype=np.int64)
    for _ in range(7):
        starts = (starts[:, None] + RECOVERY.sizes.astype(np.int64)).ravel()

    cells, counts = cells_of(starts[:, None].astype(float))

    assert len(starts) == 7**7
    assert (cells[0, 0], counts[0]) == (0, 1)


def test_empty_draws_are_dropped_as_often_as_they_occur() -> None:
    # Only thread 5 of 7 has no start: a draw is empty with probability (1/7)^7, about
    # 1 in 800,000; with one start among three threads it is (2/3)^3 = .2963.
    few = Totals(sums=np.array([1.0, 0, 0]), sizes=np.array([1.0, 0, 0]))

    dropped = 20_000 - len(draw_ratios(few, draws=20_000, rng=rng()))

    assert len(draw_ratios(RECOVERY, draws=2_000, rng=rng())) == 2_000
    assert dropped / 20_000 == pytest.approx(8 / 27, abs=0.01)


def test_many_empty_draws_leave_no_interval() -> None:
    few = Totals(sums=np.array([1.0, 0, 0, 0]), sizes=np.array([1.0, 1, 0, 0]))

    found = thread_bootstrap(few, draws=1_000, level=0.95, rng=rng())

    assert isinstance(found, NotEstimable)
    assert "of 1,000 bootstrap samples hold no item" in found.reason
    assert (found.n, found.hits) == (2, 1)


def test_a_few_empty_draws_are_counted_beside_the_number() -> None:
    # Four of eight threads hold a start: empty with probability (1/2)^8 = .0039.
    some = Totals(
        sums=np.array([1.0, 0, 1, 0, 0, 0, 0, 0]),
        sizes=np.array([1.0, 1, 1, 1, 0, 0, 0, 0]),
    )

    found = thread_bootstrap(some, draws=5_000, level=0.95, rng=rng())

    assert isinstance(found, Estimate)
    assert (found.value, found.n, found.threads) == (0.5, 4, 4)
    assert "of 5,000 samples were empty" in found.flag


def test_draws_that_are_all_the_same_leave_no_interval() -> None:
    same = Totals(sums=np.zeros(20), sizes=np.ones(20))

    found = thread_bootstrap(same, draws=200, level=0.95, rng=rng())

    assert isinstance(found, NotEstimable)
    assert "no width" in found.reason


def test_a_bootstrap_of_nothing_is_refused() -> None:
    nothing = Totals(sums=np.zeros(3), sizes=np.zeros(3))

    with pytest.raises(ValueError, match="at least one item"):
        thread_bootstrap(nothing, draws=100, level=0.95, rng=rng())


def test_the_item_bootstrap_takes_items_for_independent() -> None:
    # The interval of 377 of 604 is that of a binomial share: sd .0197, so about
    # .624 -/+ 1.96 x .0197 = .5855 to .6628.
    values = np.array([1.0] * 377 + [0.0] * 227)

    found = item_bootstrap(
        values, np.arange(604) // 2, shares=True, draws=20_000, level=0.95, rng=rng()
    )

    assert isinstance(found, Estimate)
    assert (found.low, found.high) == pytest.approx((0.5855, 0.6628), abs=0.003)
    assert (found.hits, found.n, found.threads) == (377, 604, 302)


def test_an_item_bootstrap_of_equal_values_claims_no_certainty() -> None:
    found = item_bootstrap(
        np.zeros(6), np.arange(6), shares=True, draws=100, level=0.95, rng=rng()
    )

    assert isinstance(found, NotEstimable)
    assert "no width" in found.reason
    assert (found.n, found.hits) == (6, 0)


def test_an_item_bootstrap_of_no_items_says_so() -> None:
    nothing = np.zeros(0)

    found = item_bootstrap(
        nothing, nothing.astype(int), shares=False, draws=9, level=0.95, rng=rng()
    )

    assert found == NotEstimable(reason="no scored items", n=0)


def test_every_number_has_its_own_stream() -> None:
    first = stream(0, "m", "pcr").random()

    assert first == stream(0, "m", "pcr").random()
    assert first != stream(1, "m", "pcr").random()
    assert first != stream(0, "mp", "cr").random()


@pytest.mark.parametrize(
    "rows",
    [
        np.array([[1.0, 2], [0, -1], [1, 2], [3, 0]]),  # counted in a table
        np.array([[0.5, 2], [0.5, 2], [0.25, 1]]),  # not whole
        np.array([[0.0, 0], [1e5, 1e5], [0, 0]]),  # too wide for a table
    ],
)
def test_cells_are_the_unlike_rows_in_order(rows: np.ndarray) -> None:
    cells, counts = cells_of(rows)

    expected, how_often = np.unique(rows, axis=0, return_counts=True)
    assert np.array_equal(cells, expected)
    assert counts.tolist() == how_often.tolist()
