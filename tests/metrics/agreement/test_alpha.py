import krippendorff as oracle
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from statsmodels.stats.inter_rater import fleiss_kappa

from agreement_cases import three_raters
from threadmed.metrics.agreement.alpha import (
    Difference,
    alpha,
    distances,
    fleiss,
    gwet_many,
)
from threadmed.metrics.agreement.coefficients import Totalled
from threadmed.metrics.agreement.kappa import Weights, cohen, gwet, table_of, weights
from threadmed.metrics.agreement.raters import SCORES, tabulate
from threadmed.metrics.intervals import Codes, Values

COUNTS = tabulate(three_raters(), SCORES).counts(3)
DIFFERENCES: tuple[Difference, ...] = ("nominal", "ordinal", "interval")
tables = st.lists(
    st.lists(st.integers(-1, 2), min_size=4, max_size=4), min_size=4, max_size=30
).map(np.array)
"""Items by four raters; -1 is missing."""


def counted(codes: Codes) -> Values:
    return np.stack([(codes == value).sum(axis=1) for value in range(3)], 1) * 1.0


def value(prepared: Totalled) -> float:
    return float(prepared.statistic(prepared.features.sum(axis=0)))


@pytest.mark.parametrize(
    ("difference", "expected"),
    [("nominal", 0.663900), ("ordinal", 0.802351), ("interval", 0.820399)],
)
def test_alpha_is_that_of_the_worked_ratings(
    difference: Difference, expected: float
) -> None:
    assert value(alpha(COUNTS, difference)) == pytest.approx(expected, abs=5e-7)


@pytest.mark.parametrize(
    ("kind", "expected"),
    [("plain", 0.712), ("linear", 0.796226), ("quadratic", 0.871429)],
)
def test_ac_is_that_of_the_worked_ratings(kind: Weights, expected: float) -> None:
    found = gwet_many(COUNTS, weights(3, kind))

    assert value(found) == pytest.approx(expected, abs=5e-7)


def test_fleiss_is_that_of_the_complete_items() -> None:
    complete = COUNTS[COUNTS.sum(axis=1) == 3]

    assert len(complete) == 8
    assert value(fleiss(complete)) == pytest.approx(0.597765, abs=5e-7)


def test_alpha_of_ratings_worked_by_hand() -> None:
    # Two raters: 00, 11, 01. o = [[2, 1], [1, 2]], n = 6, n_0 = n_1 = 3;
    # alpha = 1 - 5 * 2 / (2 * 3 * 3) = 1 - 10/18 = .444...
    counts = np.array([[2.0, 0], [0, 2], [1, 1]])

    assert value(alpha(counts, "nominal")) == pytest.approx(4 / 9)


def test_ordinal_distance_counts_what_lies_between() -> None:
    # n = 2, 4, 2: from 0 to 1 it is (2 + 4 - 3)^2 = 9, from 0 to 2 (8 - 2)^2 = 36.
    found = distances(np.array([2.0, 4, 2]), "ordinal")

    assert found.tolist() == [[0, 9, 36], [9, 0, 9], [36, 9, 0]]


def test_interval_distance_goes_by_the_numbers() -> None:
    found = distances(np.ones(3), "interval", numbers=np.array([1.0, 2, 5]))

    assert found[0].tolist() == [0, 1, 16]


@settings(deadline=None)
@given(tables)
def test_alpha_agrees_with_its_authors_library(codes: Codes) -> None:
    counts = counted(codes)
    counts = counts[counts.sum(axis=1) >= 2]
    assume(np.count_nonzero(counts.sum(axis=0)) > 1)
    data = np.where(codes < 0, np.nan, codes).T

    for difference in DIFFERENCES:
        theirs = oracle.alpha(
            reliability_data=data,
            level_of_measurement=difference,
            value_domain=[0, 1, 2],
        )
        assert value(alpha(counts, difference)) == pytest.approx(theirs, abs=1e-9)


@settings(deadline=None)
@given(tables)
def test_fleiss_agrees_with_statsmodels(codes: Codes) -> None:
    counts = counted(codes)
    counts = counts[counts.sum(axis=1) == 4]
    assume(np.count_nonzero(counts.sum(axis=0)) > 1)

    theirs = fleiss_kappa(counts, method="fleiss")

    assert value(fleiss(counts)) == pytest.approx(theirs, abs=1e-9)


@settings(deadline=None)
@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2)), min_size=4))
def test_ac_of_two_raters_is_that_of_their_table(rated: list[tuple[int, int]]) -> None:
    first, second = np.array(rated).T
    counts = counted(np.array(rated))

    for kind in ("plain", "linear", "quadratic"):
        assert value(gwet_many(counts, weights(3, kind))) == pytest.approx(
            gwet(table_of(first, second, 3), kind).value
        )


def test_what_a_made_up_item_adds_is_the_mean_over_all_items_there_could_be() -> None:
    # All 9 pairs of ratings of two raters on three values.
    counts = counted(np.array([[a, b] for a in range(3) for b in range(3)]))

    for prepared in (
        alpha(counts, "nominal"),
        gwet_many(counts, weights(3, "quadratic")),
        fleiss(counts),
    ):
        assert prepared.features.mean(axis=0) == pytest.approx(prepared.uniform)


def test_raters_who_agree_by_chance_alone_have_a_coefficient_near_nought() -> None:
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 3, (4_000, 3))
    counts = counted(codes)

    assert abs(value(fleiss(counts))) < 0.02
    assert abs(value(alpha(counts, "ordinal"))) < 0.03
    assert abs(cohen(table_of(codes[:, 0], codes[:, 1], 3)).value) < 0.03
