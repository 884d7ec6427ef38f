import numpy as np
import pytest

from threadmed.metrics.corrected.sampling import (
    Imbalance,
    imbalances,
    membership,
    warning,
)


def test_a_standardised_difference_by_hand() -> None:
    # Means 1 and 2; variances 2/3 both: (1 - 2)/sqrt(2/3) = -1.224745.
    column = np.array([0.0, 1, 2, 1, 2, 3])
    (found,) = imbalances({"turn": column}, np.arange(6) < 3)

    assert (found.labelled, found.unlabelled) == (1, 2)
    assert found.standardised == pytest.approx(-1.224745, abs=1e-6)
    assert found.is_large


def test_the_largest_difference_comes_first() -> None:
    rng = np.random.default_rng(0)
    labelled = np.arange(200) < 50
    columns = {"near": rng.random(200), "far": rng.random(200) + labelled}

    assert [one.of for one in imbalances(columns, labelled)] == ["far", "near"]


def test_nothing_is_compared_with_nothing() -> None:
    columns = {"turn": np.arange(3.0)}

    assert imbalances(columns, np.ones(3, bool)) == ()
    assert imbalances(columns, np.zeros(3, bool)) == ()


def test_a_column_that_is_the_same_throughout_does_not_differ() -> None:
    (found,) = imbalances({"turn": np.ones(4)}, np.arange(4) < 2)

    assert found.standardised == 0
    assert not found.is_large


def test_the_warning_names_what_differs_and_nothing_else() -> None:
    few = Imbalance(of="turn", labelled=0, unlabelled=0, standardised=0.25)
    far = Imbalance(of="target a", labelled=0, unlabelled=0, standardised=-0.26)

    assert warning([few]) == ""
    assert warning([far, few]) == (
        "the labelled items are no random sample: they differ in target a (-0.26 sd)"
    )


def test_one_target_alone_makes_no_column() -> None:
    assert membership(["a", "a"], what="target") == {}
    assert list(membership(["b", "a"], what="target")) == ["target a", "target b"]
