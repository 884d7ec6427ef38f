"""Asks models: no reply lost, none paid twice, no call begun beyond the budget.

A request goes through the journal, then through the calls under way, then to its
model's caller; there it waits for a place, the budget is asked, attempts are made, and
the reply is committed to the journal before anyone sees it.
"""

import asyncio
from collections.abc import Callable, Mapping
from itertools import count

from threadmed.errors import Stopped
from threadmed.llm.batches import PATIENT, Pace
from threadmed.llm.batchlanes import BatchLanes
from threadmed.llm.books import Books, Call
from threadmed.llm.breaker import Breaker
from threadmed.llm.budget import Purse, Worst, reply_limit, worst_of
from threadmed.llm.caller import Caller, Outcome, content_of
from threadmed.llm.journal import Journal
from threadmed.llm.model import ChatModel, Failed, Replied, Request, request_key
from threadmed.llm.prices import price_of
from threadmed.llm.stats import Stats
from threadmed.records import Model, Spend, Stage


class Engine:
    """Asks the models of one study."""

    def __init__(  # noqa: PLR0913 - all by keyword, and each is one thing
        self,
        models: Mapping[str, ChatModel],
        *,
        entries: Mapping[str, Model],
        journal: Journal,
        clock: Callable[[], float],
        budget_usd: float | None = None,
        budget_tokens: int | None = None,
        pace: Pace = PATIENT,
    ) -> None:
        """Get ready; nothing is sent.

        Args:
            models: By the study's name for them.
            entries: How each may be called.
            journal: Where replies are kept; what it holds counts as spent.
            clock: Seconds since 1970.
            budget_usd: Most that the whole study may cost; None is no limit.
            budget_tokens: Most tokens, in and out, that it may use; None is no limit.
            pace: How batches are gathered and waited for.

        Raises:
            StudyError: If a model's price is not known, or it has no batch API.
            InputError: If the journal cannot be read.
        """
        self._models = models
        self._entries = entries
        self._journal = journal
        self._prices = {name: price_of(entry) for name, entry in entries.items()}
        purse = Purse(usd=budget_usd, tokens=budget_tokens)
        self._purse = purse
        books = Books(journal, purse=purse, clock=clock)
        replied = {spend.model for spend in journal.spend()}
        self._callers: dict[str, Caller] = {}
        self._batches = BatchLanes(journal=journal, books=books, clock=clock, pace=pace)
        for name, model in models.items():
            breaker = Breaker(name, has_replied_before=name in replied)
            entry = entries[name]
            self._callers[name] = Caller(model, entry, books=books, breaker=breaker)
            self._batches.open(model, entry, breaker=breaker)
        self._numbers = count()
        self._is_closing = False
        self._flying: dict[str, tuple[Caller, asyncio.Task[Outcome]]] = {}

    async def ask(
        self,
        model: str,
        request: Request,
        *,
        stage: Stage,
        priority: int = 0,
        batch: bool = False,
    ) -> Outcome:
        """Give the reply to a request, from the journal if it was paid for before.

        Args:
            model: The study's name for the model.
            request: What is asked; an equal one under way is waited for, not sent.
            stage: On whose account.
            priority: Higher goes first where a model's places are taken.
            batch: Whether the reply may come hours later, in a batch, if the study
                wants that of the model. A request that is in a batch already is
                waited for either way.

        Returns:
            Replied, with a reply that is in the journal, or Failed, where this
            request got no reply: after its last attempt, or because the model was
            given up (`broken` says why). A later run tries it anew.

        Raises:
            Stopped: If the budget does not hold for the request, the engine closes,
                or all that is left is in batches and these are not waited for.
            InputError: If the journal cannot be written.
        """
        self._batches.start(lambda: len(self._flying))
        caller = self._callers[model]
        key = request_key(self._models[model], request)
        if key in self._flying:
            caller.count.shared += 1
            # Whoever waits may be cancelled; a call that was sent lands all the same.
            return await asyncio.shield(self._flying[key][1])
        reply = self._journal.get(key)
        if reply is not None:
            caller.count.reused += 1
            return Replied(key=key, reply=reply)
        if caller.broken:
            return Failed(key=key, why=caller.broken)
        if self._is_closing:
            raise Stopped("the run is being stopped; what was paid for is kept")
        call = self._call_of(model, request, key=key, stage=stage, priority=priority)
        return await asyncio.shield(self._launch(call, caller, batch=batch))

    def _call_of(
        self, model: str, request: Request, *, key: str, stage: Stage, priority: int
    ) -> Call:
        return Call(
            key=key,
            stage=stage,
            model=model,
            request=request,
            priority=priority,
            number=next(self._numbers),
            price=self._prices[model],
            worst=self._worst(model, request),
        )

    def _worst(self, model: str, request: Request) -> Worst:
        asked = self._entries[model].max_tokens or request.max_tokens
        sent = self._models[model].parameters(request)
        most = reply_limit(sent, least=asked)
        return worst_of(request, price=self._prices[model], max_tokens=most)

    def _launch(
        self, call: Call, caller: Caller, *, batch: bool
    ) -> asyncio.Task[Outcome]:
        """Begin a call that goes on whoever leaves."""
        lane = self._batches.takes(call.model, call.key, batch=batch)
        if lane is None:
            work = caller.call(call)
        else:
            content = content_of(self._models[call.model], call.request)
            work = self._batches.call(lane, call, content, caller=caller)
        task = asyncio.get_running_loop().create_task(work)
        self._flying[call.key] = (caller, task)
        task.add_done_callback(lambda task: self._land(call.key, task))
        return task

    def _land(self, key: str, task: asyncio.Task[Outcome]) -> None:
        """Take a call off the list; its error is looked at, if by nobody else."""
        del self._flying[key]
        if not task.cancelled():
            task.exception()

    @property
    def broken(self) -> Mapping[str, str]:
        """Which models were given up, and why, in a line that says what to do."""
        return {
            name: caller.broken
            for name, caller in self._callers.items()
            if caller.broken
        }

    def stats(self) -> Mapping[str, Stats]:
        """Say what became of the calls to each model in this run, so far."""
        return {name: caller.stats() for name, caller in self._callers.items()}

    @property
    def spent_usd(self) -> float:
        """What the whole study has cost so far; needs no look into the journal."""
        return self._purse.spent_usd

    def spend(self) -> tuple[Spend, ...]:
        """Say what the whole study has paid so far, by stage and model."""
        return self._journal.spend()

    async def close(self) -> None:
        """Let what was sent land in the journal, drop what was not, close the models."""
        self._is_closing = True
        for caller in self._callers.values():
            caller.is_closing = True
        flying = dict(self._flying)
        for key, (caller, task) in flying.items():
            if not caller.is_sent(key):
                task.cancel()
        tasks = [task for _, task in flying.values()]
        await asyncio.gather(*tasks, return_exceptions=True)
        await self._batches.close()
        await self._journal.flush()
        for caller in self._callers.values():
            await caller.close()

    def abandon(self) -> None:
        """Wait no longer for what was sent: close() then ends at once.

        May be called while close() waits. What a provider has begun may be on the
        bill, and a later run pays for it again.
        """
        for _, task in self._flying.values():
            task.cancel()
        self._batches.abandon()
