import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import confusion_matrix, precision_recall_fscore_support

from agreement_cases import FIRST, SECOND
from threadmed.metrics.agreement.confusion import class_agreement, confusion, macro_f1
from threadmed.metrics.estimates import Estimate, NotEstimable, Number
from threadmed.metrics.intervals import Codes

pairs = st.lists(
    st.tuples(st.integers(0, 2), st.integers(0, 2)), min_size=20, max_size=60
).map(lambda found: np.array(found).T)


def estimate(number: Number) -> Estimate:
    assert isinstance(number, Estimate)
    return number


def test_macro_f1_is_that_of_the_worked_table() -> None:
    found = estimate(macro_f1(FIRST, SECOND, np.arange(12), size=3))

    assert found.value == pytest.approx(0.696825, abs=5e-7)
    assert found.low < found.value < found.high


@settings(deadline=None)
@given(pairs)
def test_the_classes_are_those_of_scikit_learn(rated: Codes) -> None:
    first, second = rated
    labels = [0, 1, 2]
    theirs = precision_recall_fscore_support(
        first, second, labels=labels, zero_division=0
    )
    counts = confusion_matrix(first, second, labels=labels).tolist()

    assert confusion(first, second, ("a", "b", "c")).counts == tuple(map(tuple, counts))
    for place in labels:
        found = class_agreement(
            first, second, np.arange(len(first)), place=place, value="v"
        )
        for number, expected in zip(
            (found.precision, found.recall, found.f1), theirs[:3], strict=True
        ):
            if isinstance(number, Estimate):
                assert number.value == pytest.approx(expected[place])
                assert 0 <= number.low <= number.value <= number.high <= 1
                assert number.low < number.high
        assert found.n_first == counts[place][0] + counts[place][1] + counts[place][2]


@settings(deadline=None)
@given(pairs)
def test_macro_f1_is_the_mean_over_the_values_in_use(rated: Codes) -> None:
    first, second = rated
    used = np.unique(rated)
    theirs = precision_recall_fscore_support(
        first, second, labels=used, zero_division=0, average="macro"
    )
    found = estimate(macro_f1(first, second, np.arange(len(first)), size=3))

    assert found.value == pytest.approx(theirs[2])
    assert found.low < found.high


def test_a_value_that_nobody_gave_has_no_rates() -> None:
    rated = np.array([0, 1] * 6)
    found = class_agreement(rated, rated, np.arange(12), place=2, value="v")

    assert (found.n_first, found.n_second, found.n_both) == (0, 0, 0)
    assert found.precision == NotEstimable(reason="no scored items", n=0, hits=0)
    assert found.f1 == NotEstimable(reason="no items", n=0)


def test_few_items_and_one_thread_have_no_f1() -> None:
    rated = np.array([0, 1, 1, 1])

    assert macro_f1(rated, rated, np.arange(4), size=2) == NotEstimable(
        reason="fewer than 5 items", n=4
    )
    many = np.array([0, 1] * 6)
    assert macro_f1(many, many, np.zeros(12, int), size=2) == NotEstimable(
        reason="all items are of one thread", n=12
    )


def test_perfect_agreement_is_no_certainty_and_threads_make_it_less_so() -> None:
    rated = np.array([0, 1] * 15)
    by_item = estimate(macro_f1(rated, rated, np.arange(30), size=2))
    by_thread = estimate(macro_f1(rated, rated, np.arange(30) // 3, size=2))

    assert by_item.value == by_item.high == 1
    assert by_thread.low < by_item.low < 1


def test_macro_f1_says_that_a_value_is_rare() -> None:
    rare = np.array([0] * 40 + [1] * 9)
    even = np.array([0] * 40 + [1] * 10)

    told = estimate(macro_f1(rare, rare, np.arange(49), size=3)).flag
    assert told == "a value with fewer than 10 items"
    assert estimate(macro_f1(even, even, np.arange(50), size=3)).flag == ""
