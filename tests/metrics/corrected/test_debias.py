import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metrics.corrected.small_sample import SMALL, sample
from threadmed.metrics.corrected.debias import (
    Sample,
    corrected_difference,
    corrected_mean,
    corrected_rate,
    effective_labels,
    ppi,
    wilson_limits,
)
from threadmed.metrics.corrected.humans import humans_mean, humans_rate
from threadmed.metrics.estimates import Estimate, NotEstimable
from threadmed.metrics.intervals import mean_score, rate, wilson


def estimate(found: object) -> Estimate:
    assert isinstance(found, Estimate)
    return found


def study(seed: int, *, m: int = 60, n: int = 300, per_thread: int = 1) -> Sample:
    """A judge that is right nine times of ten, of items in threads of equal size."""
    rng = np.random.default_rng(seed)
    truth = (rng.random(n) < 0.6).astype(float)
    judge = np.where(rng.random(n) < 0.9, truth, 1 - truth)
    labels = np.full(n, np.nan)
    drawn = rng.choice(n, m, replace=False)
    labels[drawn] = truth[drawn]
    return Sample(judge, labels, np.arange(n) // per_thread)


def test_the_difference_form_meets_the_known_numbers() -> None:
    fit = ppi(SMALL)

    assert fit.lam == pytest.approx(0.680556, abs=5e-7)
    assert fit.value == pytest.approx(0.699074, abs=5e-7)
    assert fit.variance == pytest.approx(0.015494, abs=5e-7)
    assert effective_labels(fit, level=0.95) == pytest.approx(10.506104, abs=5e-7)
    assert wilson_limits(fit, at_least=12, level=0.95) == pytest.approx(
        (0.402533, 0.889014), abs=5e-7
    )


@settings(deadline=None)
@given(st.integers(0, 1000))
def test_without_belief_in_the_judge_it_is_the_experts_alone(seed: int) -> None:
    one = study(seed)
    labels = one.expert[one.is_labelled]

    fit = ppi(one, lam=0)

    assert fit.value == pytest.approx(labels.mean())
    # s2 (1/m - 1/N) + var(y)/N, where s2 has m - 2 and var(y) m - 1 in its divisor
    spread = ((labels - labels.mean()) ** 2).sum()
    assert fit.variance == pytest.approx(
        spread / 58 * (1 / 60 - 1 / 300) + spread / 59 / 300
    )


@settings(deadline=None)
@given(st.integers(0, 1000), st.sampled_from([1, 3]))
def test_order_and_names_of_threads_change_nothing(seed: int, per_thread: int) -> None:
    one = study(seed, per_thread=per_thread)
    order = np.random.default_rng(seed).permutation(len(one.judge))
    other = Sample(one.judge[order], one.expert[order], 7 * one.threads[order] + 3)

    assert ppi(other) == pytest.approx(ppi(one))


@settings(deadline=None)
@given(st.integers(0, 1000), st.sampled_from([None, 1.0]))
def test_a_corrected_rate_and_its_limits_are_shares(
    seed: int, lam: float | None
) -> None:
    found = estimate(corrected_rate(study(seed), lam=lam))

    assert 0 <= found.low < found.value < found.high <= 1


@settings(deadline=None)
@given(st.integers(0, 1000))
def test_a_rate_and_its_counterpart_mirror_each_other(seed: int) -> None:
    one = study(seed, per_thread=2)
    up = estimate(corrected_rate(one))
    down = estimate(
        corrected_rate(one._replace(judge=1 - one.judge, expert=1 - one.expert))
    )

    assert down.value == pytest.approx(1 - up.value)
    assert (down.low, down.high) == pytest.approx((1 - up.high, 1 - up.low))


def test_a_judge_that_says_always_the_same_leaves_the_experts_alone() -> None:
    one = study(3)
    found = ppi(one._replace(judge=np.ones_like(one.judge)))

    assert found.lam == 0
    assert found.value == pytest.approx(one.expert[one.is_labelled].mean())


def test_a_judge_that_is_mostly_wrong_is_not_believed() -> None:
    one = study(3)

    assert ppi(one._replace(judge=1 - one.judge)).lam == 0


def test_one_correction_by_hand() -> None:
    # Labelled y = 1 1 0 0, f = 1 1 0 1; judge says 1 for 7 of 8.
    # y_m = .5, f_m = .75, f_N = .875; lam = 1: .5 + .875 - .75 = .625.
    # residuals (y - .5) - (f - .75) = .25 .25 .25 -.75: sum of squares .75, s2 = .375.
    # V = .375 (1/4 - 1/8) + (1/3)/8 = .046875 + .041667.
    fit = ppi(
        sample(np.array([1.0, 1, 0, 0]), np.array([1.0, 1, 0, 1]), np.ones(4)), lam=1
    )

    assert fit.value == pytest.approx(0.625)
    assert fit.variance == pytest.approx(0.046875 + 1 / 24)
    assert fit.df == 2


def test_alike_turns_of_a_thread_widen_the_interval() -> None:
    one = study(5, m=60, n=300)
    six_times = Sample(
        np.repeat(one.judge, 2), np.repeat(one.expert, 2), np.repeat(one.threads, 2)
    )
    alone = ppi(six_times._replace(threads=np.arange(600)))
    together = ppi(six_times)

    assert together.value == alone.value
    assert together.variance > 1.8 * alone.variance
    assert together.df == 58


def test_labels_drawn_with_known_chances_are_weighted() -> None:
    # Of 200 hard items (all wrong) 50 are labelled, of 200 easy ones (all right) 20:
    # plainly 20/70 are right, in truth half of them.
    truth = np.repeat([0.0, 1.0], 200)
    labels = np.where(np.arange(400) % 200 < np.repeat([50, 20], 200), truth, np.nan)
    chances = np.repeat([0.25, 0.1], 200)
    one = Sample(np.ones(400), labels, np.arange(400), chances)

    assert estimate(corrected_rate(one)).value == pytest.approx(0.5)
    assert estimate(humans_rate(one)).value == pytest.approx(0.5)
    assert estimate(humans_mean(one)).value == pytest.approx(0.5)
    assert estimate(corrected_rate(one._replace(probability=None))).value < 0.3


def test_equal_chances_are_no_weights() -> None:
    one = study(11)

    assert ppi(one._replace(probability=np.full(300, 0.2))) == ppi(one)


@pytest.mark.parametrize("chance", [0.0, -0.1, 1.5, np.nan])
def test_a_chance_that_is_none_is_refused(chance: float) -> None:
    one = study(11)._replace(probability=np.full(300, chance))

    with pytest.raises(ValueError, match="probabilities"):
        corrected_rate(one)


def test_fewer_than_thirty_labels_are_no_correction() -> None:
    found = corrected_rate(study(1, m=29))

    assert found == NotEstimable(reason="fewer than 30 labels", n=29)
    assert isinstance(corrected_mean(study(1, m=29)), NotEstimable)
    assert isinstance(corrected_difference(study(1, m=29)), NotEstimable)
    assert isinstance(corrected_rate(study(1, m=30)), Estimate)


def test_labels_of_few_threads_are_flagged_and_of_two_refused() -> None:
    one = study(1, m=60)
    few = corrected_rate(one._replace(threads=np.arange(300) % 9))
    two = corrected_rate(one._replace(threads=np.arange(300) % 2))

    assert estimate(few).flag == "labels from fewer than 10 threads"
    assert two == NotEstimable(reason="labels of fewer than 3 threads", n=60)
    with pytest.raises(ValueError, match="3 items and threads"):
        ppi(one._replace(threads=np.arange(300) % 2))


def test_scores_are_corrected_as_shares_are() -> None:
    one = study(4)
    share = estimate(corrected_rate(one))
    score = estimate(corrected_mean(one.scaled(-0.5, 0.5)))  # 0 and 1 become -1 and 1

    assert score.value == pytest.approx(2 * share.value - 1)
    assert score.low == pytest.approx(2 * share.low - 1)
    assert score.method == "wilson_rescaled"


def test_a_share_beyond_its_range_is_cut_and_rests_on_its_labels() -> None:
    # Expert always 1, judge at 0 for every labelled item and 1 elsewhere: 1 + 1 - 0.
    found = estimate(
        corrected_rate(sample(np.ones(40), np.zeros(40), np.ones(60)), lam=1)
    )

    assert found.value == 1
    assert (found.low, found.high) == wilson(1.0, 40)


def test_a_difference_is_that_of_the_items() -> None:
    rng = np.random.default_rng(0)
    gaps = rng.choice([-1.0, 0, 1], 200, p=[0.1, 0.6, 0.3])
    labels = np.where(np.arange(200) < 80, gaps, np.nan)

    found = estimate(corrected_difference(Sample(gaps, labels, np.arange(200))))

    # A judge that never errs: the mean of all its items, sharper than that of 80.
    lam = ppi(Sample(gaps, labels, np.arange(200))).lam
    assert found.value == pytest.approx(
        gaps[:80].mean() + lam * (gaps.mean() - gaps[:80].mean())
    )
    assert found.low < found.value < found.high
    assert found.flag == ""


def test_a_difference_without_one_is_refused_and_of_few_items_flagged() -> None:
    labels = np.where(np.arange(200) < 80, 0.0, np.nan)
    none = corrected_difference(Sample(np.zeros(200), labels, np.arange(200)))
    labels = np.where(np.arange(200) < 5, 1.0, labels)
    few = corrected_difference(Sample(np.zeros(200), labels, np.arange(200)))

    assert none == NotEstimable(reason="no two labelled items differ", n=80)
    assert estimate(few).flag == "only 5 labelled items differ"


def test_the_experts_alone_are_a_rate_like_any() -> None:
    one = study(2, per_thread=3)
    labels, threads = one.expert[one.is_labelled], one.threads[one.is_labelled]

    assert humans_rate(one) == rate(labels, threads)
    assert humans_mean(one) == mean_score(labels, threads)
    assert isinstance(humans_rate(study(2, m=0)), NotEstimable)


def test_few_weighted_labels_are_counts_only() -> None:
    one = study(2, m=4)._replace(probability=np.linspace(0.1, 0.9, 300))

    assert isinstance(humans_rate(one), NotEstimable)
    assert isinstance(humans_mean(one), NotEstimable)


@pytest.mark.parametrize(("m", "share"), [(72, 0.6), (72, 0.9), (30, 0.6)])
def test_the_interval_covers(m: int, share: float) -> None:
    # 400 studies: Monte Carlo error 1.1 points at 95 %; a normal interval has 91 at .9.
    rng = np.random.default_rng(100 * m + int(10 * share))
    covered = 0
    for _ in range(400):
        truth = (rng.random(604) < share).astype(float)
        right = np.where(truth == 1, rng.random(604) < 0.9, rng.random(604) < 0.84)
        labels = np.full(604, np.nan)
        drawn = rng.choice(604, m, replace=False)
        labels[drawn] = truth[drawn]
        judge = np.where(right, truth, 1 - truth)
        found = estimate(corrected_rate(Sample(judge, labels, np.arange(604))))
        covered += found.low <= share <= found.high

    assert 0.92 <= covered / 400 <= 0.985
