import math
from typing import Literal

import krippendorff as oracle
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score
from statsmodels.stats.inter_rater import cohens_kappa

from agreement_cases import FIRST, SECOND
from threadmed.metrics.agreement.alpha import Difference
from threadmed.metrics.agreement.coefficients import Coefficient, Reliability
from threadmed.metrics.agreement.kappa import (
    Agreed,
    Weights,
    cohen,
    gwet,
    krippendorff,
    table_of,
    two_raters,
    weights,
)
from threadmed.metrics.estimates import NotEstimable
from threadmed.metrics.intervals import Codes, Values

TABLE = table_of(FIRST, SECOND, 3)
SKLEARN: dict[Weights, Literal["linear", "quadratic"] | None] = {
    "plain": None,
    "linear": "linear",
    "quadratic": "quadratic",
}
STATSMODELS: dict[Weights, Literal["fc"] | None] = {"plain": None, "quadratic": "fc"}
pairs = st.lists(
    st.tuples(st.integers(0, 2), st.integers(0, 2)), min_size=10, max_size=60
).map(lambda found: np.array(found).T)


def deviation(found: Agreed, table: Values) -> float:
    """Standard error with n - 1, as irrCAC has it."""
    n = table.sum()
    return math.sqrt((table * found.influence**2).sum() / n / (n - 1))


def estimate(found: Reliability) -> Coefficient:
    assert isinstance(found, Coefficient)
    return found


@pytest.mark.parametrize(
    ("kind", "value", "error"),
    [
        ("plain", 0.6, 0.197765),
        ("linear", 0.727273, None),
        ("quadratic", 0.833333, 0.101315),
    ],
)
def test_kappa_is_that_of_the_worked_table(
    kind: Weights, value: float, error: float | None
) -> None:
    found = cohen(TABLE, kind)

    assert found.value == pytest.approx(value, abs=5e-7)
    if error is not None:
        assert deviation(found, TABLE) == pytest.approx(error, abs=5e-7)


@pytest.mark.parametrize(
    ("kind", "value", "error"),
    [("plain", 0.637280, 0.195526), ("quadratic", 0.834862, 0.099043)],
)
def test_ac_is_that_of_the_worked_table(
    kind: Weights, value: float, error: float
) -> None:
    found = gwet(TABLE, kind)

    assert found.value == pytest.approx(value, abs=5e-7)
    assert deviation(found, TABLE) == pytest.approx(error, abs=5e-7)


@pytest.mark.parametrize(
    ("difference", "value"),
    [("nominal", 0.614525), ("ordinal", 0.821487), ("interval", 0.839907)],
)
def test_alpha_is_that_of_the_worked_table(
    difference: Difference, value: float
) -> None:
    assert krippendorff(TABLE, difference).value == pytest.approx(value, abs=5e-7)


def test_kappa_of_a_table_worked_by_hand() -> None:
    # 20 5 / 10 15: po = 35/50 = .7; pe = (25/50)(30/50) + (25/50)(20/50) = .5;
    # kappa = .2/.5 = .4.
    assert cohen(np.array([[20.0, 5], [10, 15]])).value == pytest.approx(0.4)


def test_ac1_of_a_table_worked_by_hand() -> None:
    # The same table: pi = (25+30)/100 = .55 and .45; pe = 2 (.55)(.45) = .495;
    # AC1 = (.7 - .495)/.505 = .405941.
    found = gwet(np.array([[20.0, 5], [10, 15]])).value

    assert found == pytest.approx(0.205 / 0.505)


def test_ac1_reckons_with_the_values_of_the_scale_that_nobody_used() -> None:
    two = np.array([[20.0, 5], [10, 15]])
    three = np.zeros((3, 3))
    three[:2, :2] = two

    # pe = 3/(3*2) * .495 = .2475 with three values, .495 with two.
    assert gwet(three).value == pytest.approx((0.7 - 0.2475) / 0.7525)
    assert gwet(two).value < gwet(three).value


@pytest.mark.parametrize(
    ("kind", "error"), [("plain", 0.189346), ("quadratic", 0.097002)]
)
def test_the_variance_of_kappa_is_that_of_statsmodels(
    kind: Weights, error: float
) -> None:
    theirs = cohens_kappa(TABLE, return_results=True, wt=STATSMODELS[kind])

    found = math.sqrt((TABLE * cohen(TABLE, kind).influence ** 2).sum()) / TABLE.sum()

    assert found == pytest.approx(error, abs=5e-7)
    assert found == pytest.approx(float(theirs.std_kappa), abs=1e-9)


def test_the_interval_is_that_of_the_smoothed_table() -> None:
    found = estimate(two_raters(FIRST, SECOND, np.arange(12), size=3, measure=cohen))

    assert found.value == pytest.approx(0.6)
    assert (found.low, found.high) == pytest.approx((0.027214, 0.839219), abs=5e-7)
    smoothed, cells = cohen(TABLE + 1 / 9), TABLE + 1 / 9
    assert smoothed.value == pytest.approx(0.553125, abs=5e-7)
    assert math.sqrt((cells * smoothed.influence**2).sum()) / 13 == pytest.approx(
        0.187831, abs=5e-7
    )
    assert found.flag == "fewer than 30 items"


@settings(deadline=None)
@given(pairs)
def test_kappa_agrees_with_scikit_learn(rated: Codes) -> None:
    first, second = rated
    assume(len(np.unique(rated)) > 1)
    table = table_of(first, second, 3)

    for kind, name in SKLEARN.items():
        theirs = cohen_kappa_score(first, second, labels=[0, 1, 2], weights=name)
        assert cohen(table, kind).value == pytest.approx(theirs, abs=1e-9)


@settings(deadline=None)
@given(pairs, st.sampled_from(["nominal", "ordinal", "interval"]))
def test_alpha_agrees_with_its_authors_library(
    rated: Codes, difference: Difference
) -> None:
    assume(len(np.unique(rated)) > 1)
    theirs = oracle.alpha(
        reliability_data=rated.astype(float),
        level_of_measurement=difference,
        value_domain=[0, 1, 2],
    )

    found = krippendorff(table_of(*rated, 3), difference)

    assert found.value == pytest.approx(theirs, abs=1e-9)


@settings(deadline=None)
@given(pairs, st.integers(1, 4))
def test_an_interval_holds_its_value_and_knows_no_order(
    rated: Codes, per_thread: int
) -> None:
    first, second = rated
    assume(len(np.unique(rated)) > 1)
    clusters = np.arange(len(first)) // per_thread
    order = np.random.default_rng(per_thread).permutation(len(first))

    for measure in (cohen, gwet, lambda table: krippendorff(table, "ordinal")):
        found = estimate(two_raters(first, second, clusters, size=3, measure=measure))
        moved = estimate(
            two_raters(
                first[order],
                second[order],
                100 - clusters[order],
                size=3,
                measure=measure,
            )
        )
        turned = estimate(
            two_raters(2 - first, 2 - second, clusters, size=3, measure=measure)
        )
        assert -1 <= found.low <= found.value <= found.high <= 1
        assert found.low < found.high
        for other in (moved, turned):
            assert (other.value, other.low, other.high) == pytest.approx(
                (found.value, found.low, found.high)
            )


@settings(deadline=None)
@given(pairs)
def test_kappa_and_ac_do_not_change_when_raters_change_places(rated: Codes) -> None:
    first, second = rated
    assume(len(np.unique(rated)) > 1)

    for measure in (cohen, gwet):
        one = measure(table_of(first, second, 3)).value
        assert measure(table_of(second, first, 3)).value == pytest.approx(one)


def test_weights_of_two_values_are_all_alike() -> None:
    for kind in ("plain", "linear", "quadratic"):
        assert weights(2, kind).tolist() == [[1, 0], [0, 1]]


def test_raters_who_agree_in_all_are_no_certainty() -> None:
    rated = np.array([0, 1] * 10)

    found = estimate(two_raters(rated, rated, np.arange(20), size=2, measure=cohen))

    assert found.value == 1
    assert found.high == 1
    assert 0.2 < found.low < 0.95


def test_few_threads_that_agree_in_all_say_less_than_many_items() -> None:
    rated = np.array([0, 1] * 10)
    by_item = two_raters(rated, rated, np.arange(20), size=2, measure=cohen)
    by_thread = two_raters(rated, rated, np.arange(20) // 5, size=2, measure=cohen)

    assert estimate(by_thread).low < estimate(by_item).low


def test_items_of_one_thread_that_err_alike_widen_the_interval() -> None:
    first = np.array([0, 1] * 30)
    second = first.copy()
    second[:12] = 1 - second[:12]
    alone = estimate(two_raters(first, second, np.arange(60), size=2, measure=cohen))
    joined = estimate(
        two_raters(first, second, np.arange(60) // 6, size=2, measure=cohen)
    )

    assert joined.value == alone.value
    assert joined.low < alone.low - 0.1


def test_threads_whose_errors_even_out_do_not_narrow_the_interval() -> None:
    first = np.array([0, 0, 1, 1] * 15)
    second = np.array([0, 1, 1, 0] * 15)
    evened = estimate(
        two_raters(first, second, np.arange(60) // 4, size=2, measure=cohen)
    )
    alone = estimate(two_raters(first, second, np.arange(60), size=2, measure=cohen))

    # Only t has fewer degrees of freedom.
    assert evened.low < alone.low


@pytest.mark.parametrize(
    ("first", "second", "clusters", "reason"),
    [
        ([], [], [], "no items to compare"),
        ([0, 1] * 4, [0, 1] * 4, range(8), "fewer than 10 items to compare"),
        ([1] * 20, [1] * 20, range(20), "all ratings are the same"),
        ([0, 1] * 6, [0, 1] * 6, [0] * 12, "all rated items are of one thread"),
    ],
)
def test_what_cannot_be_computed_has_a_reason(
    first: list[int], second: list[int], clusters: list[int], reason: str
) -> None:
    found = two_raters(
        np.array(first, dtype=np.int64),
        np.array(second, dtype=np.int64),
        np.array(clusters, dtype=np.int64),
        size=2,
        measure=cohen,
    )

    assert found == NotEstimable(reason=reason, n=len(first))


def test_a_rater_who_uses_one_value_has_a_kappa_of_nought_and_is_told_of() -> None:
    found = two_raters(
        np.array([0] * 20 + [1] * 20),
        np.zeros(40, dtype=np.int64),
        np.arange(40),
        size=2,
        measure=cohen,
    )

    assert estimate(found).value == 0
    assert estimate(found).flag == "one of the raters used one value only"
