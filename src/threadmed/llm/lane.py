"""A limit on the calls under way to one model, the most urgent first."""

import asyncio
import heapq
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from itertools import count


class Lane:
    """Lets so many through at once; a higher priority goes first, then who came first."""

    def __init__(self, width: int) -> None:
        self._free = width
        self._order = count()
        self._waiting: list[tuple[int, int, asyncio.Future[None]]] = []

    @asynccontextmanager
    async def place(self, priority: int) -> AsyncIterator[None]:
        """Hold a place for as long as the block lasts."""
        await self._enter(priority)
        try:
            yield
        finally:
            self._leave()

    async def _enter(self, priority: int) -> None:
        if self._free > 0:
            self._free -= 1
            return
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        heapq.heappush(self._waiting, (-priority, next(self._order), turn))
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():
                # The place was given in the moment of the cancellation: hand it on.
                self._leave()
            raise

    def _leave(self) -> None:
        while self._waiting:
            _, _, turn = heapq.heappop(self._waiting)
            if not turn.done():
                turn.set_result(None)
                return
        self._free += 1
