import numpy as np
import pytest

from threadmed.metrics.estimates import Estimate, NotEstimable
from threadmed.metrics.intervals import Totals, cluster_variance, effective_n, wilson
from threadmed.metrics.items import Items
from threadmed.metrics.measurement import MeasureOptions
from threadmed.metrics.trajectory import (
    Pairs,
    pairs_of,
    recovery,
    recovery_rate,
    recovery_totals,
)

NAME = ("m", "multi_turn")


def items(*threads: dict[int, int | None]) -> Items:
    """Labelled turns and their scores, thread by thread; None is unscored."""
    rows = [
        (code, turn, np.nan if score is None else score)
        for code, thread in enumerate(threads)
        for turn, score in thread.items()
    ]
    columns = np.array(rows, dtype=float).reshape(-1, 3)
    return Items(
        threads=columns[:, 0].astype(np.int64),
        turns=columns[:, 1].astype(np.int64),
        scores=columns[:, 2],
        is_scored=~np.isnan(columns[:, 2]),
    )


def found_pairs(*threads: dict[int, int | None], **kind: object) -> list[object]:
    pairs: Pairs = pairs_of(items(*threads), **kind)  # type: ignore[arg-type]
    return list(
        zip(
            pairs.threads.tolist(),
            pairs.failed_first.tolist(),
            pairs.corrected_next.tolist(),
            strict=True,
        )
    )


def test_consecutive_scored_turns_of_one_thread_are_pairs() -> None:
    found = found_pairs({0: -1, 1: 1, 2: 0}, {3: 0})

    assert found == [(0, True, True), (0, False, False)]


def test_a_turn_between_that_carries_no_misconception_parts_a_pair() -> None:
    assert found_pairs({0: 0, 2: 1}) == []


def test_the_variant_steps_over_turns_that_carry_no_misconception() -> None:
    found = found_pairs({0: 0, 2: 1}, {5: 1}, kind="next_labelled")

    assert found == [(0, True, True)]


@pytest.mark.parametrize("kind", ["consecutive", "next_labelled"])
def test_an_unscored_turn_is_no_failure_and_is_never_stepped_over(kind: str) -> None:
    assert found_pairs({0: -1, 1: None, 2: 1}, kind=kind) == []


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
