import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import permutation_test
from statsmodels.stats.contingency_tables import mcnemar as their_mcnemar
from statsmodels.stats.multitest import multipletests

from threadmed.metrics.intervals import Totals
from threadmed.metrics.significance import holm, mcnemar, sign_flip


def flip(*sums: int) -> float:
    return sign_flip(Totals(sums=np.array(sums, float), sizes=np.full(len(sums), 9.0)))


@pytest.mark.parametrize(
    ("first_only", "second_only", "p"),
    [(9, 2, 0.065430), (3, 0, 0.25), (15, 7, 0.133801)],
)
def test_mcnemar_gives_the_known_values(
    first_only: int, second_only: int, p: float
) -> None:
    assert mcnemar(first_only, second_only) == pytest.approx(p, abs=5e-7)


@settings(deadline=None)
@given(st.integers(0, 400), st.integers(0, 400))
def test_mcnemar_agrees_with_statsmodels(first_only: int, second_only: int) -> None:
    theirs = their_mcnemar([[0, first_only], [second_only, 0]], exact=True).pvalue

    assert mcnemar(first_only, second_only) == pytest.approx(theirs, rel=1e-6)


def test_flipping_thread_sums_gives_the_known_value() -> None:
    assert flip(2, 1, 1, -1, 1, 0, 1, 2, -1, 1) == pytest.approx(0.121094, abs=5e-7)


def test_flipping_three_sums_is_counted_by_hand() -> None:
    # Sums 3 1 -1 add to 3. Signs of (3, 1, 1) give 5, 3, 3, 1, -1, -3, -3, -5: six of
    # the eight are at least 3 away from 0.
    assert flip(3, 1, -1) == pytest.approx(6 / 8)


@settings(deadline=None)
@given(st.lists(st.integers(-4, 4), min_size=2, max_size=9))
def test_flipping_agrees_with_the_complete_permutation_test_of_scipy(
    sums: list[int],
) -> None:
    theirs = permutation_test(
        (np.array(sums, float),),
        np.sum,
        permutation_type="samples",
        n_resamples=np.inf,
        alternative="two-sided",
    ).pvalue

    assert flip(*sums) == pytest.approx(theirs)


@settings(deadline=None)
@given(st.lists(st.integers(-1, 1), max_size=300))
def test_one_item_a_thread_is_mcnemar(sums: list[int]) -> None:
    expected = mcnemar(sums.count(1), sums.count(-1))

    assert flip(*sums) == pytest.approx(expected)


def test_no_difference_anywhere_is_no_evidence() -> None:
    assert flip(0, 0, 0) == 1
    assert flip(2, -2) == 1


def test_a_very_small_p_is_not_lost_to_rounding() -> None:
    assert mcnemar(1_500, 0) == pytest.approx(0, abs=1e-300)
    assert mcnemar(200, 0) == pytest.approx(2.0**-199, rel=1e-9)


def test_holm_gives_the_known_values() -> None:
    found = holm([0.001, 0.012, 0.02, 0.04, 0.3])

    assert found == pytest.approx((0.005, 0.048, 0.06, 0.08, 0.3))


@settings(max_examples=8, deadline=None)  # theirs takes a tenth of a second a call
@given(st.lists(st.floats(0, 1), min_size=1, max_size=30))
def test_holm_agrees_with_statsmodels_in_any_order(p_values: list[float]) -> None:
    theirs = multipletests(p_values, method="holm")[1]

    assert holm(p_values) == pytest.approx(theirs)


def test_an_empty_family_needs_no_adjustment() -> None:
    assert holm([]) == ()


@pytest.mark.parametrize(
    ("first_only", "second_only", "p"),
    [(9, 2, 0.038574), (3, 0, 0.125), (15, 7, 0.093140)],
)
def test_the_mid_p_of_mcnemar_gives_the_known_values(
    first_only: int, second_only: int, p: float
) -> None:
    found = mcnemar(first_only, second_only, p_value="mid")

    assert found == pytest.approx(p, abs=5e-7)
    assert mcnemar(second_only, first_only, p_value="mid") == found


def test_the_mid_p_of_flipping_gives_the_known_value() -> None:
    sums = np.array([2, 1, 1, -1, 1, 0, 1, 2, -1, 1], float)

    found = sign_flip(Totals(sums=sums, sizes=np.full(10, 3.0)), p_value="mid")

    assert found == pytest.approx(0.076172, abs=5e-7)


@settings(deadline=None)
@given(st.lists(st.integers(-1, 1), max_size=300))
def test_the_mid_p_of_one_item_a_thread_is_that_of_mcnemar(sums: list[int]) -> None:
    of = Totals(sums=np.array(sums, float), sizes=np.ones(len(sums)))

    expected = mcnemar(sums.count(1), sums.count(-1), p_value="mid")

    assert sign_flip(of, p_value="mid") == pytest.approx(expected)
