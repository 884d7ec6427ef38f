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
    gwet_standard_error,
)
from threadmed.metrics.agreement.coefficients import Totalled, jackknife
from threadmed.metrics.agreement.kappa import Weights, cohen, gwet, table_of, weights
from threadmed.metrics.agreement.raters import SCORES, tabulate
from threadmed.metrics.intervals import Codes, Values

COUNTS = tabulate(three_raters(), SCORES).counts(3)
DIFFERENCES: tuple[Difference, ...] = ("nominal", "ordinal", "interval")
tables = st.lists(
    st.lists(st.integers(-1, 2), min_size=4, max_size=4), min_size=4, max_size=30
).map(np.array)
"""Items by four raters; -1 is missing."""
pairs_of_ratings = st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2)), min_size=4)


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


def test_ac1_of_the_worked_ratings_parts_into_agreement_and_chance() -> None:
    # Items 2, 4 and 7 have one pair of three alike, the others all: po = (7 + 3/3)/10;
    # the mean shares are 1/6, 1/3 and 1/2 of -1, 0 and 1: pe = (5/36 + 8/36 + 9/36)/2.
    totals = gwet_many(COUNTS, np.eye(3)).features.sum(axis=0)
    shares = totals[3:] / totals[2]

    assert totals[0] / totals[1] == pytest.approx(0.8)
    assert (shares * (1 - shares)).sum() / 2 == pytest.approx(0.305556, abs=5e-7)


@pytest.mark.parametrize(
    ("kind", "expected"),
    [("plain", 0.15082), ("linear", 0.11247), ("quadratic", 0.07513)],
)
def test_the_standard_error_of_ac_is_that_of_the_worked_ratings(
    kind: Weights, expected: float
) -> None:
    found = gwet_standard_error(COUNTS, weights(3, kind), np.arange(10))

    assert found == pytest.approx(expected, abs=5e-6)


@pytest.mark.parametrize(
    ("kind", "expected"),
    [("plain", 0.20620), ("linear", 0.17904), ("quadratic", 0.16246)],
)
def test_the_standard_error_of_ac_counts_items_with_one_rating_as_irrcac_does(
    kind: Weights, expected: float
) -> None:
    counts = COUNTS.copy()
    counts[[4, 7]] = [[0, 1, 0], [0, 0, 1]]

    found = gwet_standard_error(counts, weights(3, kind), np.arange(10))

    assert found == pytest.approx(expected, abs=5e-6)


def test_a_standard_error_of_ac_is_worked_by_hand() -> None:
    # Items 00, 11, 01: po = 2/3, pe = 1/2, AC1 = 1/3. pe_i = 1/2 for each, so that
    # I = 2 (1 - 1/2) - 1/3 = 2/3 twice, and 2 (0 - 1/2) - 1/3 = -4/3: V = (24/9)/6.
    counts = np.array([[2.0, 0], [0, 2], [1, 1]])

    found = gwet_standard_error(counts, np.eye(2), np.arange(3))
    together = gwet_standard_error(counts, np.eye(2), np.array([0, 0, 1]))

    assert found == pytest.approx(2 / 3)
    # Threads of two and one: sums 4/3 and -4/3, V = 2 (32/9)/9.
    assert together == pytest.approx((64 / 81) ** 0.5)


@settings(deadline=None)
@given(pairs_of_ratings)
def test_the_standard_error_of_two_raters_is_that_of_their_table(
    rated: list[tuple[int, int]],
) -> None:
    first, second = np.array(rated).T
    counts, n = counted(np.array(rated)), len(rated)

    for kind in ("plain", "linear", "quadratic"):
        influence = gwet(table_of(first, second, 3), kind).influence[first, second]
        assert gwet_standard_error(
            counts, weights(3, kind), np.arange(n)
        ) == pytest.approx(((influence**2).sum() / n / (n - 1)) ** 0.5, abs=1e-9)


def test_the_standard_error_of_many_ratings_is_the_jackknifes() -> None:
    rng = np.random.default_rng(3)
    truth = rng.integers(0, 3, (400, 1))
    counts = counted(
        np.where(rng.random((400, 4)) < 0.7, truth, rng.integers(0, 3, (400, 4)))
    )
    clusters = np.arange(400) // 3
    prepared = gwet_many(counts, np.eye(3))

    theirs = jackknife(prepared.features, clusters, prepared.statistic).variance ** 0.5

    found = gwet_standard_error(counts, np.eye(3), clusters)
    assert found == pytest.approx(theirs, rel=0.02)


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
@given(pairs_of_ratings)
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
