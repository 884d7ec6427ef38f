import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ppi_py import ppi_mean_ci, ppi_mean_pointestimate

from metrics.corrected.small_sample import SMALL, sample
from threadmed.metrics.corrected.debias import ppi
from threadmed.metrics.corrected.textbook import textbook
from threadmed.metrics.quantiles import normal_quantile


@pytest.mark.parametrize(
    ("lam", "expected"),
    [(1.0, (0.733333, 0.453344, 1.013323)), (None, (0.698302, 0.473360, 0.923245))],
)
def test_the_textbook_form_meets_the_known_numbers(
    lam: float | None, expected: tuple[float, float, float]
) -> None:
    fit = textbook(SMALL, lam=lam)
    half = normal_quantile(0.95) * fit.variance**0.5

    assert (fit.value, fit.value - half, fit.value + half) == pytest.approx(
        expected, abs=5e-7
    )
    assert fit.lam == pytest.approx(0.474537 if lam is None else 1, abs=5e-7)


@settings(deadline=None)
@given(
    st.lists(st.tuples(st.booleans(), st.booleans()), min_size=3, max_size=40),
    st.lists(st.booleans(), min_size=3, max_size=80),
    st.sampled_from([1.0, None]),
)
def test_the_textbook_form_agrees_with_ppi_python(
    pairs: list[tuple[bool, bool]], others: list[bool], lam: float | None
) -> None:
    expert, judge = np.array(pairs, float).T
    rest = np.array(others, float)
    if lam is None and len({*judge.tolist(), *rest.tolist()}) < 2:
        return  # theirs divides by the judge's variance
    half = normal_quantile(0.95)

    fit = textbook(sample(expert, judge, rest), lam=lam)

    assert fit.value == pytest.approx(
        ppi_mean_pointestimate(expert, judge, rest, lam=lam).item(), abs=1e-9
    )
    low, high = ppi_mean_ci(expert, judge, rest, alpha=0.05, lam=lam)
    assert fit.value - half * fit.variance**0.5 == pytest.approx(low.item(), abs=1e-9)
    assert fit.value + half * fit.variance**0.5 == pytest.approx(high.item(), abs=1e-9)


@pytest.mark.parametrize(
    ("lam", "expected"),
    [(1.0, (0.547645, 0.445476, 0.649815)), (None, (0.539610, 0.450169, 0.629050))],
)
def test_seventy_two_labels_of_made_data_meet_the_known_numbers(
    lam: float | None, expected: tuple[float, float, float]
) -> None:
    rng = np.random.default_rng(7)
    truth = rng.integers(0, 2, 72)
    judge = np.where(rng.random(72) < 0.87, truth, 1 - truth)
    made = sample(truth.astype(float), judge, rng.integers(0, 2, 604))

    fit = textbook(made, lam=lam)
    half = normal_quantile(0.95) * fit.variance**0.5

    assert (fit.value, fit.value - half, fit.value + half) == pytest.approx(
        expected, abs=5e-7
    )


def test_the_difference_form_is_sharper_than_the_textbook() -> None:
    # It uses what the judge says of labelled items too.
    rng = np.random.default_rng(7)
    truth = (rng.random(604) < 0.6).astype(float)
    judge = np.where(rng.random(604) < 0.9, truth, 1 - truth)
    one = sample(truth[:72], judge[:72], judge[72:])

    assert ppi(one, lam=1).variance < textbook(one, lam=1).variance


def test_a_mean_of_three_labels_is_worked_by_hand() -> None:
    # y = 1 0 1, f = 1 1 0, and 1 1 0 0 without labels. lam 1: 1/2 + 2/3 - 2/3 = 1/2;
    # V = (1/4)/4 + var(0, -1, 1)/3 = 1/16 + (2/3)/3.
    made = sample(
        np.array([1.0, 0, 1]), np.array([1.0, 1, 0]), np.array([1.0, 1, 0, 0])
    )

    found = textbook(made, lam=1)

    assert found.value == pytest.approx(0.5)
    assert found.variance == pytest.approx(1 / 16 + 2 / 9)
    # The judge goes against the expert, so that the tuned lam is cut to 0.
    assert textbook(made).value == pytest.approx(2 / 3)
