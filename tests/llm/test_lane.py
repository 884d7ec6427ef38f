import asyncio
from typing import Any

import pytest

from quick_engine import quickly
from threadmed.llm.lane import Lane
from threadmed.records import Model


def lane(**limits: Any) -> Lane:
    opened = Lane(Model(name="m", model="openai:m", **{"in_flight": 4, **limits}))
    opened.width.replied()
    return opened


class Traffic:
    """Sends calls through a lane and notes when each went."""

    def __init__(self, way: Lane, *, takes_s: float = 0.0) -> None:
        self.way = way
        self.takes_s = takes_s
        self.went: list[tuple[str, float]] = []
        self.began = 0.0

    async def one(
        self, name: str, *, priority: int = 0, number: int = 0, tokens: float = 0.0
    ) -> None:
        seat = self.way.seat(priority=priority, number=number, tokens=tokens)
        with seat as taken:
            await self.way.enter(taken)
            now = asyncio.get_running_loop().time()
            self.went.append((name, round(now - self.began, 1)))
            await asyncio.sleep(self.takes_s)

    async def many(self, count: int, *, tokens: float = 0.0) -> list[float]:
        self.began = asyncio.get_running_loop().time()
        calls = (self.one(str(n), number=n, tokens=tokens) for n in range(count))
        await asyncio.gather(*calls)
        return [at for _, at in self.went]


def test_as_many_go_at_once_as_the_lane_is_wide() -> None:
    times = quickly(Traffic(lane(), takes_s=10.0).many(10))

    assert times == [0.0] * 4 + [10.0] * 4 + [20.0] * 2


def test_priority_goes_first_and_then_the_lower_number() -> None:
    traffic = Traffic(lane(in_flight=1), takes_s=1.0)

    async def some() -> None:
        await asyncio.gather(
            traffic.one("first"),
            traffic.one("late", priority=1, number=5),
            traffic.one("urgent", priority=2, number=9),
            traffic.one("early", priority=1, number=4),
        )

    quickly(some())

    assert [name for name, _ in traffic.went] == ["first", "urgent", "early", "late"]


def test_a_pause_holds_back_everybody_and_the_longest_one_counts() -> None:
    way = lane()

    async def paused() -> list[float]:
        way.pause(30.0)
        way.pause(5.0)
        return await Traffic(way).many(3)

    assert quickly(paused()) == [30.0] * 3


def test_a_pause_that_grows_while_calls_wait_is_waited_for() -> None:
    way = lane()

    async def paused() -> list[float]:
        way.pause(10.0)
        calls = asyncio.create_task(Traffic(way).many(3))
        await asyncio.sleep(5.0)
        way.pause(20.0)
        return await calls

    assert quickly(paused()) == [25.0] * 3


def test_no_more_requests_go_in_a_minute_than_may() -> None:
    times = quickly(Traffic(lane(requests_per_minute=60)).many(10))

    assert times == [float(n) for n in range(10)]


def test_no_more_tokens_go_in_a_minute_than_may() -> None:
    traffic = Traffic(lane(tokens_per_minute=60_000))

    times = quickly(traffic.many(4, tokens=10_000))

    # 1,000 tokens a second, as much of them at once: each call is caught up with.
    assert times == pytest.approx([0.0, 10.2, 20.3, 30.5], abs=0.1)


def test_tokens_that_were_not_used_let_the_next_call_go_sooner() -> None:
    way = lane(tokens_per_minute=60_000)

    async def thrifty() -> list[float]:
        with way.seat(priority=0, number=0, tokens=10_000) as seat:
            await way.enter(seat)
            way.settle(seat, used=1_000)
        return await Traffic(way).many(2, tokens=1_000)

    assert quickly(thrifty()) == pytest.approx([1.0, 2.0], abs=0.1)


def test_a_lane_without_a_rate_of_tokens_has_nothing_to_settle() -> None:
    async def settle() -> list[float]:
        way = lane()
        with way.seat(priority=0, number=0, tokens=10_000) as seat:
            await way.enter(seat)
            way.settle(seat, used=1_000)
        return await Traffic(way).many(1)

    assert quickly(settle()) == [0.0]


def test_whoever_leaves_the_queue_holds_up_nobody() -> None:
    traffic = Traffic(lane(in_flight=1), takes_s=1.0)

    async def some() -> None:
        calls = [asyncio.create_task(traffic.one(n, number=int(n))) for n in "0123"]
        await asyncio.sleep(0.5)
        assert traffic.way.waiting == 3
        calls[1].cancel()
        await asyncio.sleep(0)
        assert traffic.way.waiting == 2
        await asyncio.gather(*calls, return_exceptions=True)

    quickly(some())

    assert [name for name, _ in traffic.went] == ["0", "2", "3"]


def test_a_place_given_in_the_moment_of_a_cancellation_is_handed_on() -> None:
    traffic = Traffic(lane(in_flight=1), takes_s=1.0)

    async def some() -> None:
        holder = asyncio.create_task(traffic.one("holder"))
        await asyncio.sleep(0)
        taker = asyncio.create_task(traffic.one("taker", number=1))
        heir = asyncio.create_task(traffic.one("heir", number=2))
        await asyncio.sleep(0)
        holder.cancel()
        await asyncio.sleep(0)  # the place goes to the taker, who has not woken yet
        taker.cancel()
        await asyncio.gather(holder, taker, heir, return_exceptions=True)

    quickly(some())

    assert [name for name, _ in traffic.went] == ["holder", "heir"]


def test_a_lane_that_is_disbanded_lets_everybody_go_at_once() -> None:
    way = lane(in_flight=1, requests_per_minute=1)

    async def some() -> list[float]:
        way.pause(1_000.0)
        calls = asyncio.create_task(Traffic(way).many(5))
        await asyncio.sleep(2.0)
        way.disband()
        return await calls

    assert quickly(some()) == [2.0] * 5


def test_who_went_before_goes_before_everybody_else_and_keeps_new_ones_out() -> None:
    way = lane(in_flight=2)
    traffic = Traffic(way, takes_s=1.0)

    async def twice() -> None:
        with way.seat(priority=-9, number=99, tokens=0) as seat:
            for name in ("once", "again"):
                await way.enter(seat)
                now = asyncio.get_running_loop().time() - traffic.began
                traffic.went.append((name, round(now, 1)))
                await asyncio.sleep(1.0)
                way.leave(seat)
                await asyncio.sleep(4.5)

    async def some() -> None:
        traffic.began = asyncio.get_running_loop().time()
        first = asyncio.create_task(twice())
        await asyncio.sleep(0)
        others = (traffic.one(str(n), priority=n, number=n) for n in range(9))
        await asyncio.gather(first, *others)

    quickly(some())

    # Of two places one goes to the others, second by second; no third one is used.
    assert [at for name, at in traffic.went if name == "again"] == [5.5]
    assert [at for name, at in traffic.went if name.isdigit()] == [
        0.0,
        1.0,
        2.0,
        3.0,
        4.0,
        5.0,
        6.0,
        7.0,
        8.0,
    ]
