"""Gathers the requests of one model into batches, and has the replies journalled.

A batch is journalled before it is handed in, and its name at the provider as soon as
that is known. A run that finds one without a name looks for it at the provider before
anything is paid for again.
"""

import asyncio
from collections.abc import Callable, Coroutine

from threadmed.errors import ModelError, ModelUnavailable, Stopped
from threadmed.llm.batchbook import Batch, BatchBook, Item
from threadmed.llm.batches import (
    MOST_BYTES,
    MOST_LINES,
    Look,
    Pace,
    Unmade,
    in_batch,
)
from threadmed.llm.books import Books, Call
from threadmed.llm.breaker import Breaker
from threadmed.llm.carrier import Carrier, Trip
from threadmed.llm.model import Failed, Replied, Reply, RetryLater
from threadmed.records import Record


class Alone(Record, frozen=True, kw_only=True):
    """A request that is to be asked by itself."""


class Anew(Record, frozen=True, kw_only=True):
    """A request whose batch turned out never to have arrived."""


Landed = Replied | Failed | Alone | Anew


class BatchLane:
    """The batches of one model."""

    def __init__(  # noqa: PLR0913 - all by keyword, and each is one thing
        self,
        carrier: Carrier,
        *,
        book: BatchBook,
        books: Books,
        breaker: Breaker,
        share: float,
        pace: Pace,
        clock: Callable[[], float],
        is_wanted: bool,
    ) -> None:
        """Read what earlier runs left under way; nothing is sent.

        Args:
            carrier: Deals with the provider.
            book: Where the batches of this model are noted.
            books: Keep the purse and the journal in step.
            breaker: Told where the model cannot be used at all.
            share: Of the list price, for a request in a batch.
            pace: How long to wait for what.
            clock: Seconds since 1970.
            is_wanted: Whether new batches are to be made.

        Raises:
            InputError: If the journal cannot be read.
        """
        self._carrier = carrier
        self._book = book
        self._books = books
        self._breaker = breaker
        self._share = share
        self._pace = pace
        self._clock = clock
        self.is_wanted = is_wanted
        self._left = book.under_way()
        self._old = {item.call.key for batch in self._left for item in batch.items}
        self._landings: dict[str, asyncio.Future[Landed]] = {}
        self._gathered: list[tuple[Call, bytes]] = []
        self._bytes = 0
        self._timer: asyncio.TimerHandle | None = None
        self._next_at = float("-inf")
        self._trips: dict[asyncio.Task[None], Trip] = {}
        self.waiting = 0
        """Number of requests whose askers wait for a batch to end."""

    @property
    def under_way(self) -> int:
        """Number of batches that have not ended."""
        return len(self._left) + len(self._trips)

    @property
    def requests(self) -> int:
        """Number of requests that are in those."""
        return sum(not landing.done() for landing in self._landings.values())

    @property
    def is_idle(self) -> bool:
        """Whether there is nothing to do but to wait for the provider."""
        return not self._gathered and all(t.is_seen for t in self._trips.values())

    def holds(self, key: str) -> bool:
        """Tell whether a request is in a batch already, of this run or an earlier."""
        return key in self._old or key in self._landings

    def start(self) -> None:
        """Go on with the batches that earlier runs left; within a loop."""
        left, self._left = self._left, ()
        for batch in left:
            for item in batch.items:
                self._books.reclaim(item.call)
                self._expect(item.call.key)
            trip = Trip(is_new=False)
            self._begin(trip, self._carried(trip, batch))
        self._old = set()

    async def ask(self, call: Call, content: bytes) -> Replied | Failed | Alone:
        """Have a request answered in a batch.

        Args:
            call: The request, at the list price.
            content: What its key is the sha256 of.

        Raises:
            Stopped: If the budget does not hold for it, or nobody is to wait.
            InputError: If the journal cannot be written.
        """
        while True:
            landing = self._landings.get(call.key)
            if landing is None and not self.is_wanted:
                return Alone()
            if landing is None:
                landing = await self._gather(in_batch(call, self._share), content)
            self.waiting += 1
            try:
                said = await asyncio.shield(landing)
            finally:
                self.waiting -= 1
            if not isinstance(said, Anew):
                return said
            if self._landings.get(call.key) is landing:
                del self._landings[call.key]

    def _expect(self, key: str) -> asyncio.Future[Landed]:
        landing: asyncio.Future[Landed] = asyncio.get_running_loop().create_future()
        # An error is looked at here, if by nobody else.
        landing.add_done_callback(lambda done: done.cancelled() or done.exception())
        self._landings[key] = landing
        return landing

    async def _gather(self, call: Call, content: bytes) -> asyncio.Future[Landed]:
        """Add to the next batch; it goes out when nothing more comes, or it is full."""
        await self._books.set_aside(call)
        landing = self._expect(call.key)
        self._gathered.append((call, content))
        self._bytes += len(content)
        if self._timer is not None:
            self._timer.cancel()
        if len(self._gathered) >= MOST_LINES or self._bytes >= MOST_BYTES:
            self._flush()
        else:
            loop = asyncio.get_running_loop()
            delay = max(self._pace.quiet_s, self._next_at - loop.time())
            self._timer = loop.call_later(delay, self._flush)
        return landing

    def _flush(self) -> None:
        loop = asyncio.get_running_loop()
        gathered, self._gathered, self._bytes = self._gathered, [], 0
        self._timer = None
        self._next_at = loop.time() + self._pace.apart_s
        trip = Trip(is_new=True)
        self._begin(trip, self._opened(trip, gathered))

    def _begin(self, trip: Trip, work: Coroutine[None, None, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._trips[task] = trip
        task.add_done_callback(self._trips.pop)

    async def _opened(self, trip: Trip, gathered: list[tuple[Call, bytes]]) -> None:
        """Journal a batch, and see it through."""
        try:
            batch = await self._book.open(gathered, at=self._clock())
        except Exception as cause:  # noqa: BLE001 - whoever waits is told, and raises it
            for call, _ in gathered:
                self._books.put_back(call)
                self._tell(call.key, cause)
            return
        await self._carried(trip, batch)

    async def _carried(self, trip: Trip, batch: Batch) -> None:
        """See a batch through; whatever ends it, whoever waits is told."""
        try:
            name = batch.id or await self._named(trip, batch)
            if name is not None:
                look = await self._carrier.wait(name, trip)
                await self._land(batch, name, look)
        except (RetryLater, ModelError) as cause:
            # It stays in the journal, unsettled: a later run looks for it.
            if not isinstance(cause, RetryLater | ModelUnavailable):
                self._breaker.give_up(str(cause))
            for item in batch.items:
                self._books.leave(item.call)
                why = f"its batch is out of reach ({cause}); run again to look for it"
                self._tell(item.call.key, Failed(key=item.call.key, why=why))
        except Exception as cause:  # noqa: BLE001 - whoever waits is told, and raises it
            for item in batch.items:
                self._tell(item.call.key, cause)

    async def _named(self, trip: Trip, batch: Batch) -> str | None:
        """Get to the provider's name for a batch; None if it is not there."""
        if trip.is_new:
            name = await self._handed_in(trip, batch)
        else:
            name = await self._carrier.find(batch, trip)
            if name is None:
                await self._dropped(batch, None)
        if name is not None:
            await self._book.name(batch, name)
        trip.is_being_handed_in = False
        return name

    async def _handed_in(self, trip: Trip, batch: Batch) -> str | None:
        """Hand in a batch; None if the provider will not have it."""
        try:
            return await self._carrier.hand_in(batch, trip)
        except ModelError as cause:
            if not isinstance(cause, ModelUnavailable):
                self._breaker.give_up(str(cause))
            await self._dropped(batch, cause)
            return None

    async def _dropped(self, batch: Batch, cause: ModelError | None) -> None:
        """Forget a batch that is not at the provider; nothing was paid for it."""
        await self._book.drop(batch)
        for item in batch.items:
            key = item.call.key
            self._books.put_back(item.call)
            self._tell(key, Failed(key=key, why=str(cause)) if cause else Anew())

    async def _land(self, batch: Batch, name: str, look: Look) -> None:
        """Have everything that came of a batch journalled."""
        is_gone = look.state == "gone"
        results = {} if is_gone else await self._carrier.fetch(name)
        why = look.why or "its batch ended without a reply to it"
        if is_gone:
            # It may be on the bill all the same.
            for item in batch.items:
                self._books.leave(item.call)
                self._tell(item.call.key, Failed(key=item.call.key, why=why))
        else:
            none = Unmade(why=f"{why}; run again to ask it anew", alone=False)
            done = await asyncio.gather(
                *(self._landed(i, results.get(i.call.key, none)) for i in batch.items),
                return_exceptions=True,
            )
            for error in done:
                if error is not None:
                    raise error
        await self._book.close(batch)

    async def _landed(self, item: Item, said: Reply | Unmade) -> None:
        """Journal what came of one request, and tell whoever waits for it."""
        call, key = item.call, item.call.key
        if isinstance(said, Unmade):
            # Nothing is charged for what was not made.
            self._books.fail(call, item.attempt, ModelUnavailable(said.why))
            self._tell(key, Alone() if said.alone else Failed(key=key, why=said.why))
            return
        content = self._book.content(item)
        await self._books.keep(call, item.attempt, said, content=content)
        self._tell(key, Replied(key=key, reply=said))

    def _tell(self, key: str, said: Landed | Exception) -> None:
        landing = self._landings[key]
        if landing.done():
            return
        if isinstance(said, Exception):
            landing.set_exception(said)
        else:
            landing.set_result(said)

    def send_away(self, why: Stopped) -> None:
        """Let nobody wait any longer; the batches go on at the provider."""
        for key in self._landings:
            self._tell(key, why)

    async def close(self) -> None:
        """Stop; what is being handed in is let through, what is gathered is not."""
        if self._timer is not None:
            self._timer.cancel()
        for call, _ in self._gathered:
            self._books.put_back(call)
        self._gathered = []
        while self._trips:
            for task, trip in self._trips.items():
                if not trip.is_being_handed_in:
                    task.cancel()
            await asyncio.wait(self._trips, timeout=self._pace.quiet_s)

    def abandon(self) -> None:
        """Wait for nothing; the next run looks for what was being handed in."""
        for task in self._trips:
            task.cancel()
