import numpy as np
import pytest

from threadmed.metrics.corrected.debias import Sample, ppi
from threadmed.metrics.corrected.stratified import (
    by_verdict,
    fit_over_groups,
    judged_mean,
    mean_over_groups,
)
from threadmed.metrics.estimates import Estimate, NotEstimable
from threadmed.metrics.intervals import wilson
from threadmed.metrics.quantiles import normal_quantile, t_quantile


def estimate(found: object) -> Estimate:
    assert isinstance(found, Estimate)
    return found


def group(
    rng: np.random.Generator, *, share: float, m: int, start: int = 0, n: int = 600
) -> Sample:
    truth = (rng.random(n) < share).astype(float)
    judge = np.where(rng.random(n) < 0.88, truth, 1 - truth)
    labels = np.full(n, np.nan)
    drawn = rng.choice(n, m, replace=False)
    labels[drawn] = truth[drawn]
    return Sample(judge, labels, np.arange(n) + start)


def test_the_mean_over_one_group_is_nearly_its_correction() -> None:
    one = group(np.random.default_rng(0), share=0.6, m=72)

    many, alone = fit_over_groups([one]), ppi(one)

    assert many.value == pytest.approx(alone.value)
    assert many.variance == pytest.approx(alone.variance, rel=0.05)


def test_groups_count_alike_whatever_their_size() -> None:
    rng = np.random.default_rng(0)
    small = group(rng, share=0.2, m=40, n=100)
    large = group(rng, share=0.8, m=40, start=100, n=900)

    found = fit_over_groups([small, large], lam=1)

    assert found.value == pytest.approx(
        (ppi(small, lam=1).value + ppi(large, lam=1).value) / 2
    )


def test_the_variance_of_a_mean_by_hand() -> None:
    # 40 labels of each of 2 groups, 10 and 20 of them 1, and the judge not believed:
    # sum (y - mean)^2 / 40^2 is .1875/40 and .25/40, which lose a degree of freedom each
    # and one more together: 40/39 78/77. The mean halves them twice; 200 threads.
    said = np.zeros(100)
    labels = [np.repeat([1.0, 0, np.nan], [n, 40 - n, 60]) for n in (10, 20)]
    groups = [Sample(said, y, np.arange(100) + 100 * at) for at, y in enumerate(labels)]

    found = fit_over_groups(groups, lam=0)

    assert found.value == 0.375
    assert found.variance == pytest.approx(
        (0.1875 + 0.25) / 40 * (40 / 39) * (78 / 77) / 4 * (200 / 199)
    )
    assert found.df == 78


def test_shared_threads_widen_the_mean_where_targets_fail_together() -> None:
    one = group(np.random.default_rng(0), share=0.6, m=72)
    apart = one._replace(threads=one.threads + 1000)

    together, separate = fit_over_groups([one, one]), fit_over_groups([one, apart])

    assert together.value == separate.value
    assert together.variance == pytest.approx(2 * separate.variance, rel=0.02)


@pytest.mark.parametrize(
    ("labels", "reason"),
    [
        ((4, 40), "a target has fewer than 5 labels"),
        ((10, 10), "fewer than 30 labels of all targets together"),
    ],
)
def test_too_few_labels_are_refused(labels: tuple[int, int], reason: str) -> None:
    rng = np.random.default_rng(0)
    groups = [group(rng, share=0.6, m=m) for m in labels]

    assert mean_over_groups(groups) == NotEstimable(reason=reason, n=sum(labels))


def test_labels_of_fewer_threads_than_targets_are_refused() -> None:
    one = group(np.random.default_rng(0), share=0.6, m=40)
    one = one._replace(threads=one.threads % 2)

    assert mean_over_groups([one, one]) == NotEstimable(
        reason="labels of too few threads", n=80
    )


def test_the_mean_over_five_targets_covers_with_fifteen_labels_each() -> None:
    # 300 studies; Monte Carlo error 1.3 points at 95 %.
    rng = np.random.default_rng(2)
    shares = [0.1, 0.3, 0.6, 0.7, 0.9]
    covered = 0
    for _ in range(300):
        groups = [group(rng, share=share, m=15, n=300) for share in shares]
        found = estimate(mean_over_groups(groups))
        covered += found.low <= np.mean(shares) <= found.high

    assert 0.91 <= covered / 300 <= 0.99


def test_the_judges_own_mean_is_that_of_its_shares() -> None:
    rng = np.random.default_rng(0)
    groups = [group(rng, share=share, m=5) for share in (0.2, 0.8)]

    found = estimate(judged_mean([(g.judge, g.threads) for g in groups], level=0.95))

    assert found.value == pytest.approx(np.mean([g.judge.mean() for g in groups]))
    assert found.low < found.value < found.high


def test_one_poststratification_by_hand() -> None:
    # 80 of 100 items have verdict 1, of which 18 of 20 labelled are right; of the other
    # 20 all are labelled, 5 right: .8 x .9 + .2 x .25 = .77.
    judge = np.repeat([1.0, 0.0], [80, 20])
    labels = np.full(100, np.nan)
    labels[:20] = [1.0] * 18 + [0.0] * 2
    labels[80:] = [1.0] * 5 + [0.0] * 15
    found = estimate(by_verdict(Sample(judge, labels, np.arange(100))))

    assert found.value == pytest.approx(0.77)
    q_1, q_0 = 18.5 / 21, 5.5 / 21
    middle = 0.8 * q_1 + 0.2 * q_0
    variance = 0.64 * q_1 * (1 - q_1) / 22 + 0.04 * q_0 * (1 - q_0) / 22
    variance += (0.8 * (q_1 - middle) ** 2 + 0.2 * (q_0 - middle) ** 2) / 100
    factor = (normal_quantile(0.95) / t_quantile(0.95, 38)) ** 2
    limits = wilson(middle, middle * (1 - middle) / variance * factor)
    assert (found.low, found.high) == pytest.approx(limits)


def test_poststratification_needs_labels_of_every_verdict() -> None:
    judge = np.repeat([1.0, 0.0], [80, 20])
    labels = np.where(np.arange(100) < 80, 1.0, np.nan)

    found = by_verdict(Sample(judge, labels, np.arange(100)))

    assert found == NotEstimable(reason="fewer than 30 labels, or 5 of a verdict", n=80)


def test_poststratification_is_wider_where_threads_are_alike() -> None:
    judge = np.tile(np.repeat([1.0, 0.0], 5), 20)
    truth = np.repeat(np.arange(40) % 3 == 0, 5).astype(float)
    labels = np.where(np.repeat(np.arange(40) % 4 < 2, 5), truth, np.nan)
    one = Sample(judge, labels, np.arange(200))

    alone = estimate(by_verdict(one))
    together = estimate(by_verdict(one._replace(threads=np.repeat(np.arange(40), 5))))

    assert together.value == alone.value
    assert together.high - together.low > 1.5 * (alone.high - alone.low)


@pytest.mark.parametrize("share", [0.6, 0.9])
def test_poststratification_covers_where_labels_go_by_verdict(share: float) -> None:
    # 400 studies, 36 labels of either verdict; Monte Carlo error 1.1 points.
    rng = np.random.default_rng(int(100 * share))
    covered = 0
    for _ in range(400):
        one = group(rng, share=share, m=0)
        truth = np.where(rng.random(600) < share, 1.0, 0.0)
        judge = np.where(rng.random(600) < 0.88, truth, 1 - truth)
        labels = np.full(600, np.nan)
        for verdict in (0, 1):
            held = np.flatnonzero(judge == verdict)
            drawn = rng.choice(held, 36, replace=False)
            labels[drawn] = truth[drawn]
        found = estimate(by_verdict(one._replace(judge=judge, expert=labels)))
        covered += found.low <= share <= found.high

    assert 0.92 <= covered / 400 <= 0.985
