"""Takes one batch after another to the provider, finds it again, and waits for it."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

from threadmed.llm.batchbook import Batch
from threadmed.llm.batches import BatchApi, Line, Look, Pace, Results, Undecided
from threadmed.llm.faults import may_be_billed, status_of
from threadmed.llm.model import RetryLater

SUBMISSIONS = 5
"""Tries of handing in one batch before its requests count as failed."""

GROWTH = 1.5
"""How much longer each wait is than the one before."""

T = TypeVar("T")


class Trip:
    """A batch on its way."""

    def __init__(self, *, is_new: bool) -> None:
        self.is_new = is_new
        """Whether it has not been handed in yet."""
        self.is_seen = False
        """Whether the provider has said that it has not ended."""
        self.is_being_handed_in = False


class Carrier:
    """Deals with the provider of one model."""

    def __init__(
        self, api: BatchApi, *, pace: Pace, clock: Callable[[], float]
    ) -> None:
        """Get ready; nothing is sent."""
        self._api = api
        self._pace = pace
        self._clock = clock

    async def hand_in(self, batch: Batch, trip: Trip) -> str:
        """Hand in a new batch, and give the provider's name for it.

        Raises:
            RetryLater: If it is not known whether it arrived.
            ModelError: If the provider will not have it.
        """
        lines = [Line(key=i.call.key, request=i.call.request) for i in batch.items]
        tries, wait = 1, self._pace.look_s
        while True:
            trip.is_being_handed_in = True
            try:
                return await self._api.submit(batch.ticket, lines)
            except RetryLater as cause:
                if tries == SUBMISSIONS:
                    raise
                trip.is_being_handed_in = False
                name = await self._after(cause, batch, trip, wait=wait)
            if name is not None:
                return name
            tries, wait = tries + 1, self._longer(wait)

    async def _after(
        self, cause: RetryLater, batch: Batch, trip: Trip, *, wait: float
    ) -> str | None:
        """Pause after a submission that failed; it may have arrived all the same."""
        if not _may_have_arrived(cause):
            await asyncio.sleep(max(wait, cause.after_s or 0.0))
            return None
        await asyncio.sleep(self._pace.settle_s)
        return await self.find(batch, trip)

    async def find(self, batch: Batch, trip: Trip) -> str | None:
        """Look for a batch that may have arrived; None says that it did not.

        Raises:
            RetryLater: If the provider is out of reach for too long.
            ModelError: If it will not tell.
        """
        # A list may be a little behind what was handed in.
        rest = batch.at + self._pace.settle_s - self._clock()
        # A clock that was set back since would have us wait for as long.
        await asyncio.sleep(min(max(0.0, rest), self._pace.settle_s))
        keys = {item.call.key for item in batch.items}
        wait = self._pace.look_s
        while True:
            try:
                return await self._patiently(
                    lambda: self._api.find(batch.ticket, keys=keys, since=batch.at)
                )
            except Undecided:
                trip.is_seen = True
            await asyncio.sleep(wait)
            wait = self._longer(wait)

    async def wait(self, name: str, trip: Trip) -> Look:
        """Look at a batch, at growing intervals, until it has ended.

        Raises:
            RetryLater: If the provider is out of reach for too long.
            ModelError: If it will not tell.
        """
        wait = self._pace.look_s
        while True:
            look = await self._patiently(lambda: self._api.look(name))
            if look.state != "under_way":
                trip.is_seen = False
                return look
            trip.is_seen = True
            await asyncio.sleep(wait)
            wait = self._longer(wait)

    async def fetch(self, name: str) -> Results:
        """Fetch what came of a batch that ended.

        Raises:
            RetryLater: If the provider is out of reach for too long.
            ModelError: If it will not give it.
        """
        return await self._patiently(lambda: self._api.results(name))

    async def _patiently(self, ask: Callable[[], Awaitable[T]]) -> T:
        """Ask again and again while the provider is out of reach."""
        loop = asyncio.get_running_loop()
        began, wait = loop.time(), self._pace.look_s
        while True:
            try:
                return await ask()
            except RetryLater as cause:
                if loop.time() - began > self._pace.outage_s:
                    raise
                asked = min(cause.after_s or 0.0, self._pace.longest_look_s)
            await asyncio.sleep(max(wait, asked))
            wait = self._longer(wait)

    def _longer(self, wait: float) -> float:
        return min(wait * GROWTH, self._pace.longest_look_s)


def _may_have_arrived(cause: RetryLater) -> bool:
    """Tell whether a failed submission may be under way: a server can fail late."""
    status = status_of(cause)
    return may_be_billed(cause) if status is None else status >= 500
