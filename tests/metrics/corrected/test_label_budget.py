import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from threadmed.metrics.corrected.debias import Sample
from threadmed.metrics.corrected.label_budget import (
    Explained,
    explained,
    half_width,
    labels_needed,
    to_halve,
)


def judge(share: float, *, se: float = 0.9, sp: float = 0.84) -> Explained:
    """What a judge with such errors tells of a share."""
    said = share * se + (1 - share) * (1 - sp)
    covariance = share * se - share * said
    of_y, of_f = share * (1 - share), said * (1 - said)
    return Explained(of_y, covariance / (of_y * of_f) ** 0.5)


@pytest.mark.parametrize(
    ("wished", "share", "labels"),
    [
        (0.08, 0.62, 73),
        (0.08, 0.34, 75),
        (0.08, 0.87, 43),
        (0.06, 0.62, 147),
        (0.06, 0.87, 80),
        (0.05, 0.62, 244),
        (0.05, 0.87, 119),
        (0.04, 0.62, 525),
        (0.04, 0.87, 200),
    ],
)
def test_the_known_numbers_of_labels_are_met(
    wished: float, share: float, labels: int
) -> None:
    found = labels_needed(wished, 604, of=judge(share)).labels

    assert found is not None
    assert found == pytest.approx(labels, rel=0.015, abs=1)


@settings(deadline=None)
@given(st.floats(0.01, 0.5), st.floats(-1, 0.99), st.integers(2, 604))
def test_the_labels_needed_give_the_width_wished_for(
    variance: float, rho: float, m: int
) -> None:
    of = Explained(variance / 2, rho)
    wished = half_width(m, 604, of=of, level=0.95)

    found = labels_needed(wished, 604, of=of)

    assert found.labels is not None
    assert found.labels <= m
    assert half_width(found.labels, 604, of=of, level=0.95) <= wished + 1e-9


def test_what_no_number_of_labels_can_give_says_what_all_would() -> None:
    found = labels_needed(0.01, 604, of=Explained(0.25, 0.5))

    assert found.labels is None
    # z sigma / sqrt(N) = 1.96 x .5 / 24.58
    assert found.half_width_of_all == pytest.approx(0.039875, abs=1e-5)


@pytest.mark.parametrize("wished", [0.0, -1.0, float("nan")])
def test_a_width_of_nothing_cannot_be_wished_for(wished: float) -> None:
    with pytest.raises(ValueError, match="above 0"):
        labels_needed(wished, 604, of=Explained(0.25, 0.5))


def test_halving_asks_for_more_than_four_times_the_labels_of_a_useful_judge() -> None:
    rng = np.random.default_rng(0)
    truth = (rng.random(5000) < 0.5).astype(float)
    said = np.where(rng.random(5000) < 0.9, truth, 1 - truth)
    labels = np.where(np.arange(5000) < 100, truth, np.nan)

    found = to_halve(Sample(said, labels, np.arange(5000)))

    assert found is not None
    assert found.labels is not None
    assert 400 < found.labels < 600


def test_labels_that_are_all_alike_tell_nothing() -> None:
    some = np.where(np.arange(9) < 4, 1.0, np.nan)

    assert explained(Sample(np.ones(9), some, np.arange(9))) is None
    assert to_halve(Sample(np.ones(9), some * np.nan, np.arange(9))) is None


def test_a_judge_that_never_varies_tells_nothing_of_the_labels() -> None:
    labels = np.array([1.0, 0, np.nan])

    assert explained(Sample(np.ones(3), labels, np.arange(3))) == Explained(0.25, 0.0)
