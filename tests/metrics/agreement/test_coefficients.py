import numpy as np
import pytest

from threadmed.metrics.agreement.alpha import alpha, fleiss
from threadmed.metrics.agreement.coefficients import (
    Coefficient,
    cluster_sums,
    fisher,
    jackknife,
    jackknifed_coefficient,
    too_few,
)
from threadmed.metrics.estimates import NotEstimable
from threadmed.metrics.intervals import Values

RATED = np.array([[3.0, 0], [0, 3], [3, 0], [0, 3], [2, 1]] * 6)


def ratio(totals: Values) -> Values:
    return np.asarray(totals[..., 0] / totals[..., 1])


def test_fisher_gives_the_worked_limits() -> None:
    limits = fisher(0.553125, 0.187831**2, df=11, level=0.95)

    assert limits == pytest.approx((0.027214, 0.839219), abs=5e-6)


def test_fisher_stays_inside_at_the_very_end() -> None:
    limits = fisher(1.0, 0.01, df=9, level=0.95)

    assert -1 <= limits.low <= limits.high <= 1


def test_the_jackknife_of_a_mean_is_its_variance() -> None:
    values = np.array([1.0, 0, 0, 1, 1])
    found = jackknife(np.column_stack([values, np.ones(5)]), np.arange(5), ratio)

    assert found.value == pytest.approx(0.6)
    assert found.variance == pytest.approx(values.var(ddof=1) / 5)


def test_the_jackknife_leaves_out_whole_clusters() -> None:
    features = np.column_stack([np.array([1.0, 1, 0, 0]), np.ones(4)])
    found = jackknife(features, np.array([5, 5, 9, 9]), ratio)

    # Without one cluster the mean is 0 or 1: V = 1/2 (1/4 + 1/4).
    assert (found.variance, found.clusters) == (0.25, 2)


def test_sums_go_by_cluster_whatever_their_names() -> None:
    found = cluster_sums(np.array([[1.0], [2], [4]]), np.array([7, 3, 7]))

    assert found.tolist() == [[2], [5]]


def test_a_coefficient_of_many_raters_holds_its_value() -> None:
    prepared = fleiss(RATED)
    found = jackknifed_coefficient(
        prepared,
        np.arange(30),
        n=30,
        level=0.95,
    )

    assert isinstance(found, Coefficient)
    assert found.low < found.value < found.high
    assert (found.n, found.clusters, found.flag) == (30, 30, "")


def test_that_all_agree_is_no_certainty() -> None:
    prepared = alpha(np.array([[3.0, 0], [0, 3]] * 10), "nominal")
    found = jackknifed_coefficient(
        prepared,
        np.arange(20),
        n=20,
        level=0.95,
        flag="a flag",
    )

    assert isinstance(found, Coefficient)
    assert (found.value, found.high) == (1, 1)
    assert 0.3 < found.low < 0.95
    assert found.flag == "fewer than 30 items, a flag"


def test_a_value_that_hangs_on_one_item_has_no_interval() -> None:
    counts = np.array([[3.0, 0]] * 19 + [[2.0, 1]])
    prepared = fleiss(counts)
    found = jackknifed_coefficient(
        prepared,
        np.arange(20),
        n=20,
        level=0.95,
    )

    assert found == NotEstimable(
        reason="all ratings are the same, or would be without one thread or item", n=20
    )


@pytest.mark.parametrize(
    ("n", "clusters", "reason"),
    [
        (0, 0, "no items to compare"),
        (9, 9, "fewer than 10 items to compare"),
        (10, 1, "all rated items are of one thread"),
    ],
)
def test_too_few_have_a_reason(n: int, clusters: int, reason: str) -> None:
    assert too_few(n, clusters) == NotEstimable(reason=reason, n=n)


def test_ten_items_of_two_threads_are_enough() -> None:
    assert too_few(10, 2) is None


def test_too_few_items_of_many_raters_have_a_reason() -> None:
    prepared = fleiss(RATED[:5])
    found = jackknifed_coefficient(
        prepared,
        np.arange(5),
        n=5,
        level=0.95,
    )

    assert found == NotEstimable(reason="fewer than 10 items to compare", n=5)
