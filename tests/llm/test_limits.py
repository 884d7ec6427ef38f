import pytest
from hypothesis import given
from hypothesis import strategies as st

from threadmed.llm.limits import MINUTE_S, PROBES, RATIO, Rate, Width


def test_a_model_that_has_not_replied_yet_is_probed_by_a_few_calls() -> None:
    width = Width(100)

    assert width.calls == PROBES
    width.replied()
    assert width.calls == 100


def test_a_width_below_the_probes_stays() -> None:
    assert Width(1).calls == 1


def test_a_round_that_is_told_to_slow_down_together_is_cut_once() -> None:
    width = Width(100)
    width.replied()

    cuts = [width.cut(began=0.0, now=1.0 + n / 100) for n in range(100)]

    assert sum(cuts) == 1
    assert width.calls == int(100 * RATIO)


def test_the_next_round_is_cut_again_and_never_below_one_call() -> None:
    width = Width(8)
    width.replied()

    for number in range(50):
        width.cut(began=float(number), now=number + 0.5)

    assert width.calls == 1


def test_a_round_of_replies_widens_by_one_up_to_what_the_study_allows() -> None:
    width = Width(20)
    width.replied()
    width.cut(began=0.0, now=1.0)
    assert width.calls == 14

    for _ in range(15):
        width.replied()
    assert width.calls == 15

    for _ in range(1_000):
        width.replied()
    assert width.calls == 20


@given(
    per_minute=st.integers(1, 5_000),
    waits=st.lists(st.floats(0, 20, allow_nan=False), max_size=300),
)
def test_no_minute_has_more_requests_than_it_may(
    per_minute: int, waits: list[float]
) -> None:
    rate, now = Rate(per_minute, now=0.0), 0.0
    starts: list[float] = []
    for wait in waits:
        now += wait
        now += rate.delay_s(1, now=now)
        rate.take(1, now=now)
        starts.append(now)

    for begin in starts:
        # A hair less than a minute: the floats of the ends do not matter.
        inside = [at for at in starts if begin <= at < begin + MINUTE_S - 1e-6]
        assert len(inside) <= per_minute


def test_a_rate_is_used_up_evenly() -> None:
    rate, now, starts = Rate(120, now=0.0), 0.0, 0
    while now < 600:
        now += rate.delay_s(1, now=now)
        rate.take(1, now=now)
        starts += 1

    # 120 a minute for ten minutes; what may go at once is taken off the rate.
    assert starts == pytest.approx(1_200, rel=0.01)


def test_what_is_larger_than_a_seconds_worth_goes_and_is_caught_up_with() -> None:
    rate = Rate(6_000, now=0.0)  # 100 a second

    assert rate.delay_s(5_000, now=0.0) == 0.0
    rate.take(5_000, now=0.0)
    assert rate.delay_s(100, now=0.0) == pytest.approx(50.8, abs=0.1)


def test_what_was_not_needed_is_given_back_up_to_a_seconds_worth() -> None:
    rate = Rate(6_000, now=0.0)
    rate.take(5_000, now=0.0)

    rate.take(-4_950, now=0.0)
    assert rate.delay_s(50, now=0.0) == 0.0

    rate.take(-9_000, now=0.0)
    assert rate.delay_s(100, now=0.0) == 0.0
    rate.take(100, now=0.0)
    assert rate.delay_s(100, now=0.0) > 0.9
