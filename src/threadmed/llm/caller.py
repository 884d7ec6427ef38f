"""Calls one model: waits for a place, tries, rests, tries again, and gives up."""

import asyncio
from contextlib import suppress

import msgspec
from tenacity import (
    AsyncRetrying,
    RetryCallState,
    retry_if_exception_type,
    wait_exponential,
    wait_random_exponential,
)

from threadmed.errors import ModelError, ModelUnavailable
from threadmed.llm.books import Books, Call
from threadmed.llm.breaker import Breaker
from threadmed.llm.faults import TimedOut, is_busy, label_of
from threadmed.llm.lane import Lane, Seat
from threadmed.llm.model import (
    ChatModel,
    Failed,
    Replied,
    Reply,
    Request,
    RetryLater,
    request_content,
)
from threadmed.llm.stats import Count, Stats
from threadmed.records import Model

LONGEST_WAIT_S = 300.0
"""Most that a provider's Retry-After is honoured before the next attempt."""

BUSY_SHARE = 0.25
"""What being told to slow down uses up of a request's tries."""

# Half of each pause is sure and half is drawn, so that calls which failed together do
# not come back together.
BACK_OFF = wait_exponential(multiplier=0.25, max=30.0) + wait_random_exponential(
    multiplier=0.25, max=30.0
)

Outcome = Replied | Failed


def content_of(model: ChatModel, request: Request) -> bytes:
    """Write down what makes a request this one; its key is the sha256 of that."""
    return msgspec.json.encode(request_content(model, request), order="sorted")


class Tries:
    """What one request has used up of its tries and of its time."""

    def __init__(self, entry: Model) -> None:
        self._most = entry.attempts
        self._total_s = entry.total_timeout_s
        self._deadline: float | None = None
        self.used = 0.0

    def time_left(self, now: float) -> float | None:
        """Say how many seconds there are left; the first attempt starts the count."""
        if self._total_s is None:
            return None
        if self._deadline is None:
            self._deadline = now + self._total_s
        return self._deadline - now

    def are_over(self, state: RetryCallState) -> bool:
        """Tell whether another attempt, after its pause, would be too much."""
        if self.used >= self._most:
            return True
        now = asyncio.get_running_loop().time()
        left = self.time_left(now)
        return left is not None and state.upcoming_sleep >= left


class Caller:
    """Calls one model on behalf of all stages."""

    def __init__(
        self, model: ChatModel, entry: Model, *, books: Books, breaker: Breaker
    ) -> None:
        """Get ready; nothing is sent."""
        self._model = model
        self._entry = entry
        self._books = books
        self._breaker = breaker
        self._lane = Lane(entry)
        self._sent: set[str] = set()
        self._given_up = asyncio.Event()
        self.is_closing = False
        self.count = Count()

    @property
    def broken(self) -> str:
        """Why the model was given up; empty while it is not."""
        return self._breaker.why

    def is_sent(self, key: str) -> bool:
        """Tell whether a request is with the provider, or on its way to the journal."""
        return key in self._sent

    def stats(self) -> Stats:
        """Say how things stand."""
        return self.count.stats(
            under_way=len(self._sent),
            waiting=self._lane.waiting,
            width=self._lane.width.calls,
            broken=self.broken,
        )

    async def call(self, call: Call) -> Outcome:
        """Bring a request to its end.

        Returns:
            Replied, with a reply that is in the journal, or Failed.

        Raises:
            Stopped: If the budget does not hold for it.
            InputError: If the journal cannot be written.
        """
        try:
            number, reply = await self._seated(call)
            # Made anew: held by every request that waits, it would fill the memory.
            content = content_of(self._model, call.request)
            await self._books.keep(call, number, reply, content=content)
            return Replied(key=call.key, reply=reply)
        except ModelUnavailable as cause:
            why = str(cause)
            self._breaker.refused(why)
        except RetryLater as cause:
            why = str(cause)
            self._rest(self._breaker.lost(why, now=_now()))
        except ModelError as cause:
            self._breaker.give_up(str(cause))
            why = self.broken
        finally:
            self._sent.discard(call.key)
        self._let_go()
        self.count.failed += 1
        return Failed(key=call.key, why=why)

    def _let_go(self) -> None:
        """Where the model is given up, end all waiting: there is nothing to wait for."""
        if self.broken:
            self._given_up.set()
            self._lane.disband()

    async def _seated(self, call: Call) -> tuple[int, Reply]:
        """Wait for a place, and then bring the request to its end.

        Most requests of a run wait here at the same time, so little is made before.
        """
        seat = self._lane.seat(
            priority=call.priority, number=call.number, tokens=call.worst.expected
        )
        with seat as taken:
            await self._lane.enter(taken)
            return await self._retried(call, taken)

    async def _retried(self, call: Call, seat: Seat) -> tuple[int, Reply]:
        """Try, a bounded number of times, with growing pauses between.

        Returns:
            The number of the attempt that went well, and the reply.
        """
        tries = Tries(self._entry)
        attempts = AsyncRetrying(
            stop=lambda state: self.is_closing or tries.are_over(state),
            wait=_pause_s,
            retry=retry_if_exception_type(RetryLater),
            sleep=self._pause,
            reraise=True,
        )
        return await attempts(self._attempt, call, tries, seat)

    async def _attempt(self, call: Call, tries: Tries, seat: Seat) -> tuple[int, Reply]:
        await self._lane.enter(seat)
        try:
            if self.broken:
                raise ModelError(self.broken)
            number = await self._books.begin(call)
            return number, await self._send(call, number, tries, seat=seat)
        finally:
            self._lane.leave(seat)

    async def _send(
        self, call: Call, number: int, tries: Tries, *, seat: Seat
    ) -> Reply:
        """Send a request once, and take note of what came of it."""
        self._sent.add(call.key)
        began = _now()
        self.count.sent += 1
        try:
            reply = await self._chat(call, tries.time_left(began))
        except (RetryLater, ModelError) as cause:
            self._sent.discard(call.key)
            self._books.fail(call, number, cause)
            if isinstance(cause, RetryLater):
                self._failed(tries, seat, began=began, cause=cause)
            raise
        except BaseException:
            # Nobody waits any longer, or a bug: it may be on the bill.
            self._books.leave(call)
            raise
        self._replied(reply, seat, began=began)
        return reply

    async def _chat(self, call: Call, left: float | None) -> Reply:
        """Ask once, for as long as an attempt and all attempts together may take."""
        alone = self._entry.timeout_s
        seconds = alone if left is None else min(alone, left)
        try:
            async with asyncio.timeout(seconds):
                return await self._model.chat(call.request)
        except TimeoutError as cause:
            what = f"{alone:g} s" if seconds == alone else "the time for all attempts"
            raise TimedOut(f"no reply within {what}") from cause

    def _replied(self, reply: Reply, seat: Seat, *, began: float) -> None:
        now = _now()
        self.count.replied += 1
        self.count.took_s += now - began
        self._breaker.replied(now)
        self._lane.width.replied()
        used = reply.usage.tokens_in + reply.usage.tokens_out
        self._lane.settle(seat, used=used)

    def _failed(
        self, tries: Tries, seat: Seat, *, began: float, cause: RetryLater
    ) -> None:
        """Let the lane know of an attempt that failed, for all that wait in it."""
        now = _now()
        busy = is_busy(cause)
        tries.used += BUSY_SHARE if busy and self._breaker.has_replied else 1.0
        self.count.retried[label_of(cause)] += 1
        if busy:
            self._lane.width.cut(began=began, now=now)
            self._lane.settle(seat, used=0)
        if cause.after_s:
            self._lane.pause(min(cause.after_s, LONGEST_WAIT_S))
        self._rest(self._breaker.failed(str(cause), now=now))

    def _rest(self, seconds: float) -> None:
        """Leave the model alone in an outage, and then try it with a single call."""
        if seconds:
            self._lane.width.probe(1)
            self._lane.pause(seconds)
        self._let_go()

    async def _pause(self, seconds: float) -> None:
        """Wait before another attempt, unless the model is given up meanwhile."""
        self.count.waited_s += seconds
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._given_up.wait()

    async def close(self) -> None:
        """Close the model."""
        await self._model.close()


def _now() -> float:
    return asyncio.get_running_loop().time()


def _pause_s(state: RetryCallState) -> float:
    """Say how long to wait: longer each time, and as long as the provider asks."""
    cause = state.outcome.exception() if state.outcome else None
    asked = cause.after_s if isinstance(cause, RetryLater) else None
    return max(BACK_OFF(state), min(asked or 0.0, LONGEST_WAIT_S))
