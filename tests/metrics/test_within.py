import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from factories_threads import items
from threadmed.metrics.comparison import mean_difference
from threadmed.metrics.estimates import Estimate, NotEstimable
from threadmed.metrics.intervals import cluster_variance, totals
from threadmed.metrics.quantiles import t_quantile
from threadmed.metrics.within import gaps_of, own_answers_step, step


def test_a_step_is_the_mean_change_from_a_turn_to_the_next() -> None:
    # 40 pairs in 40 threads: 14 fall, 4 rise, so (4 - 14)/40.
    study = items(
        *[{1: 1, 2: 0}] * 14,
        *[{0: -1, 1: 1}] * 4,
        *[{0: 1, 1: 1}] * 12,
        *[{3: 0, 4: -1}] * 10,
        *[{0: 1, 2: 0}] * 5,  # no turn in a row
        {0: 1, 1: None},
    )

    found = step(study)

    assert (found.pairs, found.threads, found.up, found.down) == (40, 40, 4, 14)
    assert isinstance(found.change, Estimate)
    assert found.change.value == pytest.approx(-0.25)
    assert found.change.method == "cr2_t"
    assert found.change.high < 0


@pytest.mark.parametrize(("threads", "refused"), [(29, True), (30, False)])
def test_below_thirty_threads_there_are_counts_alone(
    threads: int, *, refused: bool
) -> None:
    study = items(*[{0: 1, 1: n % 2} for n in range(threads)])

    found = step(study)

    assert (found.pairs, found.down) == (threads, (threads + 1) // 2)
    assert isinstance(found.change, NotEstimable) is refused
    if refused:
        assert found.change == NotEstimable(
            reason="fewer than 30 threads have two scored turns in a row", n=threads
        )


def test_a_gap_is_what_multi_turn_lacks_against_target_turn() -> None:
    multi_turn = items({0: 0, 1: 0, 2: 1, 4: None}, {1: 1, 2: 0})
    target_turn = items({0: 1, 1: 1, 2: 1, 4: 1}, {1: 0, 2: None})

    found = gaps_of(multi_turn, target_turn)

    # Turn 0 is one request: no gap, whatever target_turn has there.
    assert found.threads.tolist() == [0, 0, 0, 1]
    assert found.turns.tolist() == [0, 1, 2, 1]
    assert found.values.tolist() == [0, -1, 0, 1]


def test_the_step_of_the_gap_is_over_turns_in_a_row() -> None:
    # Thirty threads lose one from turn 0 to 1 and half of them get it back at turn 2.
    multi_turn = items(*[{0: 1, 1: 0, 2: n % 2} for n in range(30)])
    target_turn = items(*[{1: 1, 2: 1}] * 30)

    found = own_answers_step(multi_turn, target_turn)

    assert (found.pairs, found.threads, found.up, found.down) == (60, 30, 15, 30)
    assert isinstance(found.change, Estimate)
    assert found.change.value == pytest.approx(-15 / 60)


def test_a_mean_difference_takes_t_over_threads() -> None:
    values = np.array([2.0, -1, 0, 1, 1, -2, 0, 1, 1, 1, 1, 1, 2, 0, 1])
    threads = np.arange(15) // 2

    found = mean_difference(values, threads, most=2)

    of = totals(values, threads)
    half = t_quantile(0.95, 7) * cluster_variance(of) ** 0.5
    assert isinstance(found, Estimate)
    assert found.value == pytest.approx(values.mean())
    assert (found.low, found.high) == pytest.approx(
        (found.value - half, found.value + half)
    )
    assert found.flag == "few threads"


@pytest.mark.parametrize(
    ("values", "threads", "reason"),
    [
        ([1.0] * 4, range(4), "fewer than 5 differences"),
        ([1.0, 0, 1, 0, 1], [0] * 5, "all differences are of one thread"),
        ([1.0] * 5, range(5), "threads do not differ at all"),
    ],
)
def test_a_mean_difference_that_cannot_be_had_is_refused(
    values: list[float], threads: list[int], reason: str
) -> None:
    found = mean_difference(np.array(values), np.array(threads), most=1)

    assert found == NotEstimable(reason=reason, n=len(values))


scores = st.sampled_from([-1, 0, 1, 1, None])
threads_drawn = st.lists(
    st.tuples(scores, scores, scores).map(lambda drawn: dict(enumerate(drawn))),
    min_size=30,
    max_size=60,
)


@settings(deadline=None)
@given(threads_drawn)
def test_steps_stay_within_bounds_and_keep_their_value_in_any_order(
    threads: list[dict[int, int | None]],
) -> None:
    found, turned = step(items(*threads)), step(items(*reversed(threads)))

    assert found.up + found.down <= found.pairs
    assert (turned.pairs, turned.up, turned.down) == (
        found.pairs,
        found.up,
        found.down,
    )
    if isinstance(found.change, Estimate):
        assert isinstance(turned.change, Estimate)
        assert -1 <= found.change.low <= found.change.value <= found.change.high <= 1
        assert turned.change.low == pytest.approx(found.change.low)
