import numpy as np
import pytest

from factories_threads import items
from threadmed.metrics.estimates import Estimate, NotEstimable
from threadmed.metrics.intervals import Totals, cluster_variance, effective_n, wilson
from threadmed.metrics.measurement import MeasureOptions
from threadmed.metrics.pairs import pairs_of
from threadmed.metrics.trajectory import (
    both_extremes,
    flips,
    recovery,
    recovery_rate,
    recovery_totals,
    trajectory,
)

NAME = ("m", "multi_turn")


def test_recoveries_are_counted_by_thread() -> None:
    # Thread 0 fails, recovers, fails, fails: starts at turns 0 and 2, one recovered.
    pairs = pairs_of(items({0: 0, 1: 1, 2: -1, 3: -1}, {0: 1, 1: 1}))

    of = recovery_totals(pairs)

    assert of.sums.tolist() == [1, 0]
    assert of.sizes.tolist() == [2, 0]


def test_rr_gives_the_known_interval() -> None:
    # Successes 1 0 1 0 1 0 over starts 1 1 2 1 1 2 (a thread without starts adds none)
    of = Totals(
        sums=np.array([1.0, 0, 1, 0, 1, 0]), sizes=np.array([1.0, 1, 2, 1, 1, 2])
    )

    found = recovery_rate(of)

    assert isinstance(found, Estimate)
    assert cluster_variance(of) == pytest.approx(0.031994, abs=5e-7)
    assert cluster_variance(of) * 8 / (3 / 8 * 5 / 8) == pytest.approx(
        1.092063, abs=5e-7
    )
    assert effective_n(of) == pytest.approx(7.325581, abs=5e-7)
    assert found.value == 0.375
    assert (found.low, found.high) == pytest.approx((0.130817, 0.705183), abs=5e-7)
    assert (found.method, found.flag) == ("wilson_n_eff", "rests on few pairs")


@pytest.mark.parametrize(
    ("sizes", "reason", "hits"),
    [
        ([1.0, 1, 1, 1], "fewer than 5 failures to recover from", 1),
        ([6.0], "all failures are of one thread", 1),
    ],
)
def test_few_failures_are_counts_only(
    sizes: list[float], reason: str, hits: int
) -> None:
    sums = np.zeros(len(sizes))
    sums[0] = 1

    found = recovery_rate(Totals(sums=sums, sizes=np.array(sizes)))

    assert found == NotEstimable(reason=reason, n=int(sum(sizes)), hits=hits)


def test_ten_failures_carry_no_flag_of_few_pairs() -> None:
    found = recovery_rate(Totals(sums=np.zeros(10), sizes=np.ones(10)))

    assert isinstance(found, Estimate)
    assert found.flag == ""
    assert (found.low, found.high) == wilson(0, 10)


def test_no_failure_is_a_reason_and_no_rate() -> None:
    found = recovery(items({0: 1, 1: 0}), options=MeasureOptions(), name=NAME)

    assert (found.pairs, found.starts, found.recovered, found.threads) == (1, 0, 0, 0)
    assert found.rate == NotEstimable(reason="no failures to recover from", n=0, hits=0)


def test_no_pair_at_all_is_another_reason() -> None:
    found = recovery(items({0: 0}, {1: 0}), options=MeasureOptions(), name=NAME)

    assert found.rate == NotEstimable(
        reason="no two turns in a row are scored", n=0, hits=0
    )


def test_the_published_mode_resamples_threads() -> None:
    # 27 threads of one pair that starts with a failure, 14 recovered, and 56 others:
    # 51.9 %, the paper prints 33.3 to 69.6.
    study = items(*[{0: 0, 1: 1}] * 14, *[{0: 0, 1: -1}] * 13, *[{0: 1, 1: 1}] * 56)

    found = recovery(study, options=MeasureOptions(mode="as_published"), name=NAME)

    assert (found.pairs, found.starts, found.recovered, found.threads) == (
        83,
        27,
        14,
        27,
    )
    assert isinstance(found.rate, Estimate)
    assert found.rate.method == "thread_bootstrap"
    assert found.rate.value == pytest.approx(0.519, abs=5e-4)
    assert (found.rate.low, found.rate.high) == pytest.approx((0.333, 0.696), abs=0.03)


def test_flips_are_pairs_that_change_either_way() -> None:
    # 1 0 1 flips twice, 0 -1 0 never, 1 1 never, 0 then 1 two turns on is no pair.
    study = items({0: 1, 1: 0, 2: 1}, {0: 0, 1: -1, 2: 0}, {3: 1, 4: 1}, {0: 0, 2: 1})

    found = flips(pairs_of(study))

    assert (found.pairs, found.lost, found.regained, found.threads) == (5, 1, 1, 1)
    assert isinstance(found.share, Estimate)
    assert found.share.value == pytest.approx(2 / 5)


def test_flips_without_pairs_are_a_reason() -> None:
    found = flips(pairs_of(items({0: 1})))

    assert found.share == NotEstimable(reason="no scored items", n=0, hits=0)


def test_threads_of_both_extremes_are_counted_among_those_with_two_scores() -> None:
    # Of eight threads with two scores three hold both; one with a single score and
    # one with a score and a missing one can hold both in no case.
    study = items(
        *[{0: 1, 4: -1}] * 2,
        {0: -1, 1: 0, 2: 1},
        *[{0: 1, 1: 0}] * 4,
        {0: -1, 1: -1},
        {0: 1},
        {0: 1, 1: None},
    )

    found = both_extremes(study)

    assert isinstance(found, Estimate)
    assert (found.hits, found.n, found.method) == (3, 8, "wilson")
    assert (found.low, found.high) == wilson(3 / 8, 8)


def test_without_a_thread_of_two_scores_there_are_no_extremes() -> None:
    found = both_extremes(items({0: 1}, {0: -1, 1: None}))

    assert found == NotEstimable(reason="no thread has two scored items", n=0, hits=0)


@pytest.mark.parametrize("kind", ["consecutive", "next_labelled"])
def test_a_trajectory_has_both_kinds_of_recovery_whatever_is_asked(kind: str) -> None:
    study = items(*[{0: 0, 1: 1}] * 6, *[{0: 0, 2: 0}] * 6)
    options = MeasureOptions(recovery_pairs=kind)  # type: ignore[arg-type]

    found = trajectory(study, options=options, name=NAME)

    assert (found.consecutive.starts, found.consecutive.recovered) == (6, 6)
    assert (found.next_labelled.starts, found.next_labelled.recovered) == (12, 6)
    assert "neither is an effect" in found.selection
