"""Asks models: no reply lost, none paid twice, no call begun beyond the budget.

A request goes through the journal, then through the calls under way, then into its
model's lane; there the budget is asked, attempts are made, and the reply is committed
to the journal before anyone sees it.
"""

import asyncio
import math
from collections import defaultdict
from collections.abc import Awaitable, Callable, Mapping

import msgspec
from tenacity import (
    AsyncRetrying,
    RetryCallState,
    retry_if_exception_type,
    wait_exponential_jitter,
)

from threadmed.errors import ModelError, ModelUnavailable, Stopped
from threadmed.llm.journal import Entry, Journal
from threadmed.llm.lane import Lane
from threadmed.llm.model import (
    ChatModel,
    Failed,
    Replied,
    Reply,
    Request,
    RetryLater,
    request_content,
    request_key,
)
from threadmed.llm.prices import cost_usd, price_of
from threadmed.records import Model, Spend, Stage, Usage

BREAK_AFTER = 5
"""Requests in a row that do not get through before a model counts as unreachable."""

REFUSED_AFTER = 20
"""Requests in a row that are refused before a model counts as set up wrongly.

Only a model that has never replied is given up for this: the longest conversations
go first, and several in a row may be too long for it."""

LONGEST_WAIT_S = 300.0
"""Most that a provider's Retry-After is honoured before the next attempt."""

BACK_OFF = wait_exponential_jitter(multiplier=0.5, max=60.0, jitter=0.5)

Outcome = Replied | Failed


class Engine:
    """Asks the models of one study."""

    def __init__(
        self,
        models: Mapping[str, ChatModel],
        *,
        entries: Mapping[str, Model],
        journal: Journal,
        clock: Callable[[], float],
        budget_usd: float | None = None,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        """Get ready; nothing is sent.

        Args:
            models: By the study's name for them.
            entries: How each may be called.
            journal: Where replies are kept; what it holds counts as spent.
            clock: Seconds since 1970.
            budget_usd: Most that the whole study may cost; None is no limit.
            sleep: Waits so many seconds.

        Raises:
            StudyError: If a model's price is not known.
        """
        self._models = models
        self._entries = entries
        self._journal = journal
        self._clock = clock
        self._budget = budget_usd
        self._sleep = sleep
        self._prices = {name: price_of(entry) for name, entry in entries.items()}
        self._lanes = {name: Lane(entry.in_flight) for name, entry in entries.items()}
        paid = journal.spend()
        self._spent = sum(spend.cost_usd for spend in paid)
        self._replied = {spend.model for spend in paid}
        self._reserved = 0.0
        self._is_closing = False
        self._flying: dict[str, asyncio.Task[Outcome]] = {}
        self._sent: set[str] = set()
        self._lost_in_a_row: dict[str, int] = defaultdict(int)
        self._broken: dict[str, str] = {}

    async def ask(
        self, model: str, request: Request, *, stage: Stage, priority: int = 0
    ) -> Outcome:
        """Give the reply to a request, from the journal if it was paid for before.

        Args:
            model: The study's name for the model.
            request: What is asked; an equal one under way is waited for, not sent.
            stage: On whose account.
            priority: Higher goes first where a model's places are taken.

        Returns:
            Replied, with a reply that is in the journal, or Failed, where this
            request got no reply after its last attempt; a later run tries it anew.

        Raises:
            ModelError: If the model cannot be used: wrong key, no such model, or
                several requests in a row that did not get through.
            Stopped: If the budget does not hold for the request.
            InputError: If the journal cannot be written.
        """
        key = request_key(self._models[model], request)
        task = self._flying.get(key)
        if task is None:
            reply = self._journal.get(key)
            if reply is not None:
                return Replied(key=key, reply=reply)
            call = self._call(model, request, key=key, stage=stage, priority=priority)
            task = asyncio.get_running_loop().create_task(call)
            self._flying[key] = task
            task.add_done_callback(lambda task: self._land(key, task))
        # Whoever waits may be cancelled; a call that was sent lands all the same.
        return await asyncio.shield(task)

    def _land(self, key: str, task: asyncio.Task[Outcome]) -> None:
        """Take a call off the list; its error is looked at, if by nobody else."""
        del self._flying[key]
        if not task.cancelled():
            task.exception()

    async def _call(
        self, model: str, request: Request, *, key: str, stage: Stage, priority: int
    ) -> Outcome:
        async with self._lanes[model].place(priority):
            if model in self._broken:
                raise ModelError(self._broken[model])
            worst = self._worst(model, request)
            self._reserve(model, worst)
            try:
                reply = await self._attempts(model, request, key)
                self._keep(model, request, reply, key=key, stage=stage)
            except ModelUnavailable as cause:
                limit = math.inf if model in self._replied else REFUSED_AFTER
                return self._lose(model, key, str(cause), limit=limit)
            except RetryLater as cause:
                return self._lose(model, key, str(cause), limit=BREAK_AFTER)
            except ModelError as cause:
                self._broken[model] = str(cause)
                raise
            finally:
                self._reserved -= worst
        return Replied(key=key, reply=reply)

    def _worst(self, model: str, request: Request) -> float:
        """Bound the cost of a request: no token is shorter than a byte."""
        size = sum(len(message.content.encode()) + 16 for message in request.messages)
        size += len(request.schema.json.encode()) if request.schema else 0
        most = self._entries[model].max_tokens or request.max_tokens
        usage = Usage(tokens_in=size, tokens_out=most)
        return cost_usd(self._prices[model], usage)

    def _reserve(self, model: str, worst: float) -> None:
        """Set a request's worst case aside, or stop."""
        needed = self._spent + self._reserved + worst
        if self._budget is not None and worst > 0 and needed > self._budget:
            raise Stopped(
                f"the budget of {self._budget:.2f} USD is used up: {self._spent:.4f} "
                f"USD are spent, and the next call to {model} could cost up to "
                f"{worst:.4f}; what was paid for is kept, so raise it and run again"
            )
        self._reserved += worst

    async def _attempts(self, model: str, request: Request, key: str) -> Reply:
        """Try, a bounded number of times, with growing pauses between."""
        entry = self._entries[model]
        attempts = AsyncRetrying(
            stop=lambda state: (
                self._is_closing or state.attempt_number >= entry.attempts
            ),
            wait=_pause_s,
            retry=retry_if_exception_type(RetryLater),
            sleep=self._sleep,
            reraise=True,
        )
        return await attempts(self._attempt, model, request, key)

    async def _attempt(self, model: str, request: Request, key: str) -> Reply:
        self._sent.add(key)
        seconds = self._entries[model].timeout_s
        try:
            async with asyncio.timeout(seconds):
                return await self._models[model].chat(request)
        except TimeoutError as cause:
            raise RetryLater(f"no reply within {seconds:g} s") from cause
        finally:
            self._sent.discard(key)

    def _keep(
        self, model: str, request: Request, reply: Reply, *, key: str, stage: Stage
    ) -> None:
        """Commit a reply before anyone sees it.

        A server that does not count tokens cannot make a budget endless: a text
        without any is charged as the worst case.
        """
        uncounted = bool(reply.text) and reply.usage == Usage()
        cost = cost_usd(self._prices[model], reply.usage)
        cost = self._worst(model, request) if uncounted else cost
        self._journal.put(
            Entry(
                key=key,
                stage=stage,
                model=model,
                request=msgspec.json.encode(
                    request_content(self._models[model], request), order="sorted"
                ),
                reply=reply,
                cost_usd=cost,
                at=self._clock(),
            )
        )
        self._spent += cost
        self._lost_in_a_row[model] = 0
        self._replied.add(model)

    def _lose(self, model: str, key: str, why: str, *, limit: float) -> Failed:
        """Count a request that failed for good; too many in a row break the model."""
        self._lost_in_a_row[model] += 1
        lost = self._lost_in_a_row[model]
        if lost >= limit:
            self._broken[model] = (
                f"{model} cannot be reached: {lost} requests in a row failed, the last "
                f"one with: {why}; what was paid for is kept, so mend this and run again"
            )
            raise ModelError(self._broken[model])
        return Failed(key=key, why=why)

    def spend(self) -> tuple[Spend, ...]:
        """Say what the whole study has paid so far, by stage and model."""
        return self._journal.spend()

    async def close(self) -> None:
        """Let what was sent land in the journal, drop what was not, close the models."""
        self._is_closing = True
        flying = dict(self._flying)
        for key, task in flying.items():
            if key not in self._sent:
                task.cancel()
        await asyncio.gather(*flying.values(), return_exceptions=True)
        for model in self._models.values():
            await model.close()


def _pause_s(state: RetryCallState) -> float:
    """Say how long to wait: longer each time, and as long as the provider asks."""
    cause = state.outcome.exception() if state.outcome else None
    asked = cause.after_s if isinstance(cause, RetryLater) else None
    return max(BACK_OFF(state), min(asked or 0.0, LONGEST_WAIT_S))
