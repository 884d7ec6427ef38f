"""Decides which requests of a run go into batches, and whether anybody waits for them."""

import asyncio
from collections.abc import Callable
from contextlib import suppress

from threadmed.errors import Stopped, StudyError
from threadmed.llm.batchbook import BatchBook
from threadmed.llm.batches import PRICE_SHARE, Batching, Pace
from threadmed.llm.batching import Alone, BatchLane
from threadmed.llm.books import Books, Call
from threadmed.llm.breaker import Breaker
from threadmed.llm.caller import Caller, Outcome
from threadmed.llm.carrier import Carrier
from threadmed.llm.journal import Journal
from threadmed.llm.model import ChatModel
from threadmed.records import Model


class BatchLanes:
    """The batches of all models of a run."""

    def __init__(
        self,
        *,
        journal: Journal,
        books: Books,
        clock: Callable[[], float],
        pace: Pace,
    ) -> None:
        """Get ready; nothing is sent.

        Args:
            journal: Where batches are noted, and replies kept.
            books: Keep the purse and the journal in step.
            clock: Seconds since 1970.
            pace: How batches are gathered, and whether they are waited for.
        """
        self._journal = journal
        self._books = books
        self._clock = clock
        self._pace = pace
        self._lanes: dict[str, BatchLane] = {}
        self._watch: asyncio.Task[None] | None = None
        self._has_started = False
        self._under_way: Callable[[], int] = lambda: 0

    def open(self, model: ChatModel, entry: Model, *, breaker: Breaker) -> None:
        """Open the lane of a model that is asked in batches, now or before.

        Raises:
            StudyError: If batches are wanted of a model that has none.
            InputError: If the journal cannot be read.
        """
        share = PRICE_SHARE.get(entry.model.partition(":")[0])
        if share is None or not isinstance(model, Batching):
            if entry.batch:
                raise StudyError(f"{entry.name}: {entry.model} has no batch API")
            return
        lane = BatchLane(
            Carrier(model.batches(), pace=self._pace, clock=self._clock),
            book=BatchBook(self._journal, model=entry.name, share=share),
            books=self._books,
            breaker=breaker,
            share=share,
            pace=self._pace,
            clock=self._clock,
            is_wanted=entry.batch,
        )
        if entry.batch or lane.under_way:
            self._lanes[entry.name] = lane

    def start(self, under_way: Callable[[], int]) -> None:
        """Go on with what earlier runs left; within a loop, and once.

        Args:
            under_way: Gives the number of requests that the engine has under way.
        """
        if self._has_started:
            return
        self._has_started = True
        self._under_way = under_way
        for lane in self._lanes.values():
            lane.start()
        if self._lanes and not self._pace.waits:
            self._watch = asyncio.get_running_loop().create_task(self._stop_when_idle())

    def takes(self, model: str, key: str, *, batch: bool) -> BatchLane | None:
        """Give the lane that a request goes to; None is the usual way."""
        # Two names of one model send equal requests: a batch of the other may hold it.
        holder = next((lane for lane in self._lanes.values() if lane.holds(key)), None)
        lane = self._lanes.get(model)
        if holder is None and lane is not None and batch and lane.is_wanted:
            return lane
        return holder

    async def call(
        self, lane: BatchLane, call: Call, content: bytes, *, caller: Caller
    ) -> Outcome:
        """Have a request answered in a batch, and else by itself.

        Raises:
            Stopped: If the budget does not hold for it, or nobody is to wait.
            InputError: If the journal cannot be written.
        """
        said = await lane.ask(call, content)
        if isinstance(said, Alone):
            return await caller.call(call)
        caller.count.batched += 1
        return said

    async def _stop_when_idle(self) -> None:
        """Send whoever waits away when nothing but waiting was left for a while."""
        idle = 0
        while idle < 2:
            await asyncio.sleep(self._pace.quiet_s)
            idle = idle + 1 if self._is_idle() else 0
        lanes = self._lanes.values()
        requests = sum(lane.requests for lane in lanes)
        batches = sum(lane.under_way for lane in lanes)
        why = Stopped(
            f"{requests} requests are under way, in {batches} "
            f"{'batch' if batches == 1 else 'batches'}; what was paid for is kept, "
            "and a later run fetches their replies"
        )
        self._books.send_away(why)
        for lane in lanes:
            lane.send_away(why)

    def _is_idle(self) -> bool:
        lanes = self._lanes.values()
        waiting = sum(lane.waiting for lane in lanes)
        waiting += self._books.waiting
        is_idle = all(lane.is_idle for lane in lanes)
        return is_idle and 0 < waiting == self._under_way()

    async def close(self) -> None:
        """Stop; the batches go on at the providers, and are in the journal."""
        if self._watch is not None:
            self._watch.cancel()
            with suppress(asyncio.CancelledError):
                await self._watch
        for lane in self._lanes.values():
            await lane.close()

    def abandon(self) -> None:
        """Wait for nothing."""
        for lane in self._lanes.values():
            lane.abandon()
