from itertools import product

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from statsmodels.stats.proportion import proportion_confint

from threadmed.metrics.estimates import Estimate, NotEstimable
from threadmed.metrics.intervals import (
    ClusterVariance,
    Totals,
    clopper_pearson,
    cluster_variance,
    effective_n,
    jeffreys,
    mean_score,
    ranked,
    rate,
    totals,
    wilson,
)
from threadmed.metrics.quantiles import t_factor

# Six threads with 2, 1, 3, 1, 2, 1 items; six of the ten items are successes.
THREADS = np.array([0, 0, 1, 2, 2, 2, 3, 4, 4, 5])
SCORES = np.array([1.0, 1, 0, 1, 0, 1, 0, 1, 1, 0])

shares = st.lists(
    st.tuples(st.integers(0, 5), st.booleans()), min_size=5, max_size=40
).map(
    lambda found: (
        np.array([float(hit) for _, hit in found]),
        np.array([thread for thread, _ in found]),
    )
)


def estimate(found: object) -> Estimate:
    assert isinstance(found, Estimate)
    return found


@pytest.mark.parametrize(
    ("hits", "n", "expected"),
    [
        (7, 27, (0.131704, 0.446786)),
        (14, 27, (0.339856, 0.692568)),
        (0, 12, (0.0, 0.242494)),
        (96, 109, (0.806585, 0.928960)),
    ],
)
def test_wilson_gives_the_known_limits(
    hits: int, n: int, expected: tuple[float, float]
) -> None:
    assert wilson(hits / n, n) == pytest.approx(expected, abs=5e-7)


@pytest.mark.parametrize(
    ("hits", "n", "expected"),
    [
        (7, 27, (0.111145, 0.462849)),
        (14, 27, (0.319497, 0.713327)),
        (0, 12, (0.0, 0.264648)),
    ],
)
def test_clopper_pearson_gives_the_known_limits(
    hits: int, n: int, expected: tuple[float, float]
) -> None:
    assert clopper_pearson(hits, n) == pytest.approx(expected, abs=5e-7)


@pytest.mark.parametrize(
    ("hits", "n", "expected"),
    [(7, 27, (0.124166, 0.442889)), (14, 27, (0.336262, 0.697033))],
)
def test_jeffreys_gives_the_known_limits(
    hits: int, n: int, expected: tuple[float, float]
) -> None:
    assert jeffreys(hits, n) == pytest.approx(expected, abs=5e-7)


def test_jeffreys_has_no_tail_beyond_what_was_seen() -> None:
    # Of one item, Beta(1/2, 3/2) lies below x with 2/pi (asin sqrt x + sqrt(x(1-x))),
    # which is 2/pi (pi/4 + 1/2) = .818310 at x = 1/2.
    low, high = jeffreys(0, 1, level=2 * 0.818310 - 1)

    assert (low, high) == pytest.approx((0, 0.5), abs=1e-5)
    assert jeffreys(1, 1, level=0.9) == pytest.approx(
        tuple(1 - limit for limit in reversed(jeffreys(0, 1, level=0.9)))
    )


@settings(deadline=None)
@given(st.integers(1, 700).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_all_intervals_of_a_share_agree_with_statsmodels(
    counted: tuple[int, int],
) -> None:
    hits, n = counted

    theirs = proportion_confint(hits, n, method="wilson")
    exact = proportion_confint(hits, n, method="beta")
    bayes = proportion_confint(hits, n, method="jeffreys")

    assert wilson(hits / n, n) == pytest.approx(theirs, abs=1e-9)
    if 0 < hits < n:
        assert jeffreys(hits, n) == pytest.approx(bayes, abs=1e-9)
    assert clopper_pearson(hits, n) == pytest.approx(exact, abs=1e-9)


def test_the_variance_over_threads_gives_the_known_value() -> None:
    # p = .6; e = s - p n = .8, -.6, .2, -.6, .8, -.6; sizes 2, 1, 3, 1, 2, 1 of 10:
    # CR2 = (.64/.8 + .36/.9 + .04/.7 + .36/.9 + .64/.8 + .36/.9) / 100 = .0285714.
    found = cluster_variance(totals(SCORES, THREADS))

    assert found == pytest.approx(0.0285714, abs=5e-8)
    assert found**0.5 == pytest.approx(0.169031, abs=5e-7)


@pytest.mark.parametrize(
    ("kind", "error"), [("CR0", 0.154919), ("CR1", 0.169706), ("CR2", 0.169031)]
)
def test_each_kind_of_variance_gives_its_known_standard_error(
    kind: ClusterVariance, error: float
) -> None:
    # e^2 = .64 .36 .04 .36 .64 .36, which add to 2.4: CR0 = 2.4/100 = .024,
    # CR1 = .024 x 6/5 = .0288.
    found = cluster_variance(totals(SCORES, THREADS), kind=kind)

    assert found**0.5 == pytest.approx(error, abs=5e-7)


@settings(max_examples=30, deadline=None)
@given(shares)
def test_cr1_agrees_with_the_clustered_least_squares_of_statsmodels(
    drawn: tuple[np.ndarray, np.ndarray],
) -> None:
    from statsmodels.regression.linear_model import OLS

    values, threads = drawn
    assume(len(np.unique(threads)) > 1)
    n, number = len(values), len(np.unique(threads))
    theirs = OLS(values, np.ones(n)).fit(
        cov_type="cluster", cov_kwds={"groups": threads}
    )

    # Theirs is multiplied by G/(G-1), and by (n-1)/(n-1) for its one parameter.
    of = totals(values, threads)
    assert cluster_variance(of, kind="CR1") == pytest.approx(
        theirs.cov_params()[0, 0], abs=1e-12
    )
    assert cluster_variance(of, kind="CR0") == pytest.approx(
        cluster_variance(of, kind="CR1") * (number - 1) / number
    )


def test_threads_of_one_size_have_one_cr1_and_cr2() -> None:
    of = Totals(sums=np.array([2.0, 0, 1, 2]), sizes=np.full(4, 2.0))

    assert cluster_variance(of, kind="CR1") == pytest.approx(cluster_variance(of))


def test_cr2_is_the_matrix_form_of_bell_and_mccaffrey() -> None:
    # For y = mu + e, thread i has H_ii = J/N; its residuals are scaled by
    # (I - H_ii)^(-1/2), by eigendecomposition, before the sandwich is formed.
    n, residuals = len(SCORES), SCORES - SCORES.mean()
    meat = 0.0
    for thread in np.unique(THREADS):
        of = thread == THREADS
        hat = np.full((of.sum(), of.sum()), 1 / n)
        values, vectors = np.linalg.eigh(np.eye(of.sum()) - hat)
        root = vectors @ np.diag(values**-0.5) @ vectors.T
        meat += float(np.ones(of.sum()) @ root @ residuals[of]) ** 2

    assert cluster_variance(totals(SCORES, THREADS)) == pytest.approx(meat / n**2)


def test_a_clustered_rate_gives_the_known_interval() -> None:
    # deff = .169031^2 x 10 / .24 = 1.190476, n_eff = 8.4, n* = 8.4 (1.959964/2.570582)^2
    of = totals(SCORES, THREADS)

    found = estimate(rate(SCORES, THREADS))

    assert cluster_variance(of) * 10 / 0.24 == pytest.approx(1.190476, abs=5e-7)
    assert effective_n(of) == pytest.approx(8.4)
    assert effective_n(of) * t_factor(0.95, 5) == pytest.approx(4.883291, abs=5e-7)
    assert (found.low, found.high) == pytest.approx((0.227932, 0.884009), abs=5e-7)
    assert (found.value, found.hits, found.n, found.threads) == (0.6, 6, 10, 6)
    assert (found.method, found.flag) == ("wilson_n_star", "few threads")


def test_all_thread_draws_have_the_known_mean_spread_and_ends() -> None:
    # Every one of the 6^6 ways of drawing six threads.
    of = totals(SCORES, THREADS)
    drawn = np.array(list(product(range(6), repeat=6)))

    ratios = of.sums[drawn].sum(axis=1) / of.sizes[drawn].sum(axis=1)
    ends = np.quantile(ratios, [0.025, 0.975], method="inverted_cdf")

    assert ratios.mean() == pytest.approx(0.577770, abs=5e-7)
    assert ratios.std() == pytest.approx(0.171054, abs=5e-7)
    assert ends == pytest.approx([0.25, 0.833333], abs=5e-7)


def test_one_item_a_thread_gives_plain_wilson() -> None:
    values = np.array([1.0] * 35 + [0.0] * 163)

    found = estimate(rate(values, np.arange(198)))

    assert (found.low, found.high) == wilson(35 / 198, 198)
    assert found.method == "wilson"


def test_a_rate_of_nothing_or_all_keeps_a_width_of_its_threads() -> None:
    # Ten threads of three items, none corrected: worth ten items and not thirty, and
    # t_9 = 2.262157 for z = 1.959964 takes that to 7.51.
    found = estimate(rate(np.zeros(30), np.repeat(np.arange(10), 3)))

    assert (found.low, found.high) == pytest.approx(
        wilson(0, 10 * (1.959964 / 2.262157) ** 2), abs=1e-6
    )


def test_threads_that_are_all_alike_are_no_certainty() -> None:
    # Every thread has one of two: no variance over threads, n_eff is their number.
    of = totals(np.tile([0.0, 1.0], 12), np.repeat(np.arange(12), 2))

    assert effective_n(of) == 12


def test_threads_that_differ_less_than_chance_are_worth_their_items() -> None:
    of = Totals(sums=np.array([1.0, 1, 1, 2]), sizes=np.array([3.0, 3, 3, 3]))

    assert effective_n(of) == 12


@pytest.mark.parametrize(
    ("n", "threads", "reason"),
    [
        (0, 1, "no scored items"),
        (4, 4, "fewer than 5 scored items"),
        (6, 1, "all scored items are of one thread"),
    ],
)
def test_a_rate_of_too_little_is_counts_with_a_reason(
    n: int, threads: int, reason: str
) -> None:
    found = rate(np.ones(n), np.arange(n) % threads)

    assert found == NotEstimable(reason=reason, n=n, hits=n)


def test_a_mean_of_too_little_has_no_counts_of_successes() -> None:
    found = mean_score(np.ones(3), np.arange(3))

    assert found == NotEstimable(reason="fewer than 5 scored items", n=3)


def test_a_mean_score_is_rescaled_and_mapped_back() -> None:
    # Ten threads, one item each: scores 1 x 6, 0 x 2, -1 x 2; mean .4, x = .7.
    # e^2 of x: 6 x .09 + 2 x .04 + 2 x .49 = 1.6; CR2 = 1.6/(1 - .1)/100 = .0177778
    # n_eff = .21/.0177778 = 11.8125, times (1.959964/2.262157)^2 = 8.867318
    scores = np.array([1.0] * 6 + [0.0] * 2 + [-1.0] * 2)

    found = estimate(mean_score(scores, np.arange(10)))
    low, high = wilson(0.7, 8.867318)

    assert found.value == pytest.approx(0.4)
    assert (found.low, found.high) == pytest.approx(
        (2 * low - 1, 2 * high - 1), abs=1e-6
    )
    assert found.method == "wilson_rescaled"


def test_equal_scores_keep_a_width() -> None:
    found = estimate(mean_score(np.full(20, -1.0), np.arange(20)))

    assert found.low == found.value == -1
    assert found.high > -0.8


@settings(deadline=None)
@given(shares)
def test_a_rate_lies_within_its_interval_and_within_0_and_1(
    drawn: tuple[np.ndarray, np.ndarray],
) -> None:
    found = rate(*drawn)

    if isinstance(found, Estimate):
        assert 0 <= found.low <= found.value <= found.high <= 1
        assert found.high > found.low


@settings(deadline=None)
@given(shares, st.randoms(use_true_random=False))
def test_neither_order_nor_names_of_threads_change_a_rate(
    drawn: tuple[np.ndarray, np.ndarray], chance: object
) -> None:
    values, threads = drawn
    order = list(range(len(values)))
    chance.shuffle(order)  # type: ignore[attr-defined]
    names = np.array([40, 7, 13, 2, 99, 0])

    one = rate(values, threads)
    other = rate(values[order], names[threads][order])

    if isinstance(one, Estimate):
        found = estimate(other)
        assert (one.low, one.high) == pytest.approx((found.low, found.high))
    else:
        assert one == other


@settings(deadline=None)
@given(shares)
def test_a_rate_and_its_complement_mirror_each_other(
    drawn: tuple[np.ndarray, np.ndarray],
) -> None:
    values, threads = drawn
    one, other = rate(values, threads), rate(1 - values, threads)

    if isinstance(one, Estimate):
        found = estimate(other)
        assert one.low == pytest.approx(1 - found.high)
        assert one.high == pytest.approx(1 - found.low)


def test_a_variance_over_one_thread_is_refused() -> None:
    with pytest.raises(ValueError, match="at least 2 threads, got 1"):
        cluster_variance(totals(np.ones(3), np.zeros(3, dtype=int)))


@settings(deadline=None)
@given(st.lists(st.integers(-3, 2**40) | st.integers(0, 9), max_size=30))
def test_threads_are_numbered_in_order_however_wide_their_codes(
    codes: list[int],
) -> None:
    column = np.array(codes, dtype=np.int64)

    assert ranked(column).tolist() == [sorted(set(codes)).index(c) for c in codes]
