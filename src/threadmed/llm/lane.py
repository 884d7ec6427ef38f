"""The way to one model: the most urgent first, as many and as fast as it bears."""

import asyncio
import heapq
from collections.abc import Iterator
from contextlib import contextmanager

from threadmed.llm.limits import Rate, Width
from threadmed.records import Model


class Seat:
    """One request's part in a lane, from its first attempt to its last."""

    def __init__(self, *, priority: int, number: int, tokens: float) -> None:
        self.priority = priority
        self.number = number
        self.tokens = tokens
        self.has_gone = False
        """Whether it has or had a place."""
        self.has_place = False


Waiting = tuple[bool, int, int, Seat, asyncio.Future[None]]
"""Whether it is new, its priority and its number, all to be sorted by; who it is."""


class Lane:
    """Lets calls through to one model.

    A call goes when it is the most urgent one, a place is free, the model has not
    asked for a pause and its rates allow it. Urgent is who went before, then a higher
    priority, then the lower number. A request that rests before another attempt keeps
    new ones out: a model in trouble would otherwise be tried by every request there is.
    """

    def __init__(self, entry: Model) -> None:
        """Open a lane, with the limits of the model's entry."""
        self.width = Width(entry.in_flight)
        self._requests = entry.requests_per_minute
        self._tokens = entry.tokens_per_minute
        self._rates: tuple[Rate | None, Rate | None] | None = None
        self._busy = 0
        self._seated = 0
        self._is_disbanded = False
        self._paused_until = float("-inf")
        self._waiting: list[Waiting] = []
        self._timer: asyncio.TimerHandle | None = None

    @property
    def waiting(self) -> int:
        """Number of calls that wait for a place."""
        return sum(not turn.done() for *_, turn in self._waiting)

    @contextmanager
    def seat(self, *, priority: int, number: int, tokens: float) -> Iterator[Seat]:
        """Take part for as long as the block lasts.

        Args:
            priority: Higher goes first.
            number: Among equals the lower goes first; no two may have the same.
            tokens: What an attempt is expected to use; settle() says what it did use.
        """
        seat = Seat(priority=priority, number=number, tokens=tokens)
        try:
            yield seat
        finally:
            if seat.has_gone:
                self._seated -= 1
                self._busy -= seat.has_place
                self._admit()

    async def enter(self, seat: Seat) -> None:
        """Wait for a place, for one attempt; at once for who has it already."""
        if seat.has_place:
            return
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        urgency = (not seat.has_gone, -seat.priority, seat.number)
        heapq.heappush(self._waiting, (*urgency, seat, turn))
        self._admit()
        # Cancelled in the moment of being let through, the seat gives the place back.
        await turn

    def leave(self, seat: Seat) -> None:
        """Give the place back; the seat is kept for another attempt."""
        seat.has_place = False
        self._busy -= 1
        self._admit()

    def pause(self, seconds: float) -> None:
        """Let nobody through for so long; a longer pause that is on stays."""
        until = asyncio.get_running_loop().time() + seconds
        self._paused_until = max(self._paused_until, until)

    def disband(self) -> None:
        """Let everybody through at once, now and later: nothing is sent any more."""
        self._is_disbanded = True
        self._admit()

    def settle(self, seat: Seat, *, used: float) -> None:
        """Say how many tokens an attempt really used."""
        now = asyncio.get_running_loop().time()
        tokens = self._rate(now)[1]
        if tokens is not None:
            tokens.take(used - seat.tokens, now=now)

    def _rate(self, now: float) -> tuple[Rate | None, Rate | None]:
        """Give the rates of requests and of tokens; they begin with the first call."""
        if self._rates is None:
            self._rates = (
                Rate(self._requests, now=now) if self._requests else None,
                Rate(self._tokens, now=now) if self._tokens else None,
            )
        return self._rates

    def _admit(self) -> None:
        """Let through whoever may go now, and look again when the next one may."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        loop = asyncio.get_running_loop()
        while self._waiting:
            *_, seat, turn = self._waiting[0]
            if not turn.done():
                if not self._has_room(seat):
                    return
                delay = self._delay_s(seat, now=loop.time())
                if delay > 0:
                    self._timer = loop.call_later(delay, self._admit)
                    return
                self._take(seat, now=loop.time())
                turn.set_result(None)
            heapq.heappop(self._waiting)

    def _has_room(self, seat: Seat) -> bool:
        taken = self._busy if seat.has_gone else self._seated
        return self._is_disbanded or taken < self.width.calls

    def _delay_s(self, seat: Seat, *, now: float) -> float:
        if self._is_disbanded:
            return 0.0
        requests, tokens = self._rate(now)
        return max(
            self._paused_until - now,
            requests.delay_s(1, now=now) if requests else 0.0,
            tokens.delay_s(seat.tokens, now=now) if tokens else 0.0,
        )

    def _take(self, seat: Seat, *, now: float) -> None:
        self._busy += 1
        seat.has_place = True
        if not seat.has_gone:
            seat.has_gone = True
            self._seated += 1
        requests, tokens = self._rate(now)
        if requests:
            requests.take(1, now=now)
        if tokens:
            tokens.take(seat.tokens, now=now)
