import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score, matthews_corrcoef

from threadmed.metrics.agreement.coefficients import Coefficient
from threadmed.metrics.estimates import Estimate, NotEstimable
from threadmed.metrics.panel.agreement import (
    EffectiveJudges,
    effective_judges,
    kish,
    majority,
    pair_agreements,
    unanimity,
)


def scores(seed: int = 0, *, n: int = 120, right: float = 0.8) -> np.ndarray:
    """Three judges that give the truth now and then."""
    rng = np.random.default_rng(seed)
    truth = rng.choice([-1.0, 0, 1], (n, 1))
    guess = rng.choice([-1.0, 0, 1], (n, 3))
    return np.where(rng.random((n, 3)) < right, truth, guess)


def effective(errors: np.ndarray, *, draws: int = 400) -> EffectiveJudges:
    names = "abcdefg"[: errors.shape[1]]
    rng = np.random.default_rng(0)
    threads = np.arange(len(errors))
    return effective_judges(
        errors, threads, judges=names, draws=draws, level=0.95, rng=rng
    )


def test_kish_gives_the_known_number() -> None:
    assert kish(np.mean([0.5, 0.3, 0.4]), 3) == pytest.approx(1.666667, abs=5e-7)


def test_kish_lies_between_one_judge_and_all() -> None:
    assert kish(1.0, 3) == 1
    assert kish(0.0, 3) == 3
    assert kish(-0.4, 3) == 3


def test_pairs_agree_with_scikit_learn() -> None:
    table = scores()

    found = pair_agreements(table, np.arange(120), judges="abc", level=0.95)

    assert [(one.first, one.second) for one in found] == [
        *map(tuple, ("ab", "ac", "bc"))
    ]
    for one, (i, j) in zip(found, [(0, 1), (0, 2), (1, 2)], strict=True):
        assert isinstance(one.raw, Estimate)
        assert isinstance(one.kappa, Coefficient)
        assert one.raw.value == (table[:, i] == table[:, j]).mean()
        assert one.kappa.value == pytest.approx(
            cohen_kappa_score(table[:, i], table[:, j])
        )


def test_a_pair_counts_the_items_that_both_scored() -> None:
    table = scores()
    table[:20, 1] = np.nan
    table[10:30, 2] = np.nan

    found = pair_agreements(table, np.arange(120), judges="abc", level=0.95)

    assert [one.n for one in found] == [100, 100, 90]


def test_unanimity_and_majority_by_hand() -> None:
    rows = [[1, 1, 1], [0, 0, 1], [-1, 0, 1], [-1, -1, -1], [1, np.nan, 1]]
    table = np.array(rows * 10, float)

    alike = unanimity(table, np.arange(50), level=0.95)
    most = majority(table, np.arange(50), level=0.95)

    assert isinstance(alike, Estimate)
    assert isinstance(most, Estimate)
    assert (alike.hits, most.hits, alike.n, most.n) == (20, 30, 40, 40)


def test_without_a_complete_item_there_is_no_unanimity() -> None:
    table = np.full((9, 3), np.nan)

    assert isinstance(unanimity(table, np.arange(9), level=0.95), NotEstimable)
    assert isinstance(majority(table, np.arange(9), level=0.95), NotEstimable)


def test_the_correlation_of_errors_agrees_with_scikit_learn() -> None:
    rng = np.random.default_rng(0)
    hard = rng.random((300, 1)) < 0.3
    errors = (rng.random((300, 3)) < np.where(hard, 0.7, 0.1)).astype(float)
    phis = [
        matthews_corrcoef(errors[:, i], errors[:, j])
        for i, j in ((0, 1), (0, 2), (1, 2))
    ]

    found = effective(errors)

    assert found.correlation == pytest.approx(np.mean(phis))
    assert isinstance(found.number, Estimate)
    assert found.number.value == pytest.approx(kish(np.mean(phis), 3))
    assert 1 <= found.number.low < found.number.value < found.number.high <= 3
    assert found.pairs_left_out == ()


def test_a_judge_that_never_errs_is_left_out_of_the_pairs() -> None:
    errors = np.zeros((60, 3))
    errors[::3, 0] = errors[::4, 1] = 1

    found = effective(errors)

    assert found.pairs_left_out == (("a", "c"), ("b", "c"))
    assert isinstance(found.number, Estimate)


@pytest.mark.parametrize(
    ("errors", "reason"),
    [
        (np.zeros((60, 2)), "no two judges both err sometimes"),
        (np.eye(4, 2), "an expert and all judges scored fewer than 5 items"),
        (np.tile(np.eye(2), (30, 1)), "every bootstrap sample is the same"),
        (np.eye(60, 2), "a judge errs never or always"),
    ],
)
def test_what_cannot_be_counted_is_refused(errors: np.ndarray, reason: str) -> None:
    found = effective(errors).number

    assert isinstance(found, NotEstimable)
    assert reason in found.reason


def test_half_of_the_judges_are_no_majority() -> None:
    table = np.array([[1.0, 1, 0, 0], [1, 1, 1, 0]] * 10)

    found = majority(table, np.arange(20), level=0.95)

    assert (found.hits, found.n) == (10, 20)
