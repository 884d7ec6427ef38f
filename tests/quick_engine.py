"""An engine over one model, in a time of its own: what waits for hours takes none."""

import asyncio
import selectors
from collections.abc import Callable, Coroutine
from concurrent.futures import Executor
from typing import Any, TypeVar

from threadmed.llm.engine import Engine
from threadmed.llm.journal import Journal
from threadmed.llm.model import Failed, Replied, Reply, Request, ScriptedModel
from threadmed.llm.stats import Stats
from threadmed.records import Message, Model, Price, Usage

T = TypeVar("T")


class QuickSelector(selectors.SelectSelector):
    """Moves the clock ahead where a loop would sleep."""

    ahead = 0.0
    threads = 0

    def select(self, timeout: float | None = None) -> Any:
        if self.threads:  # something real is going on: it takes the time it takes
            return super().select(timeout)
        ready = super().select(0)
        if not ready:
            assert timeout is not None, "everybody waits, and nothing will ever happen"
            self.ahead += max(timeout, 0.0)
        return ready


class QuickLoop(asyncio.SelectorEventLoop):
    """A loop whose sleeps take no time."""

    def __init__(self) -> None:
        self._quick = QuickSelector()
        super().__init__(self._quick)

    def time(self) -> float:
        return super().time() + self._quick.ahead

    def run_in_executor(
        self, executor: Executor | None, func: Callable[..., T], *args: Any
    ) -> asyncio.Future[T]:
        self._quick.threads += 1
        future = super().run_in_executor(executor, func, *args)
        future.add_done_callback(self._back)
        return future

    def _back(self, _: object) -> None:
        self._quick.threads -= 1


def quickly(main: Coroutine[Any, Any, T]) -> T:
    """Run to the end without sleeping."""
    with asyncio.Runner(loop_factory=QuickLoop) as runner:
        return runner.run(main)


def request(text: str = "hello", *, repeat: int = 0, most: int = 10) -> Request:
    return Request(
        messages=(Message(role="user", content=text),), max_tokens=most, repeat=repeat
    )


class Desk:
    """Asks one model, named m."""

    def __init__(
        self,
        journal: Journal,
        model: ScriptedModel,
        *,
        price: float = 0.0,
        budget: float | None = None,
        tokens: int | None = None,
        **limits: Any,
    ) -> None:
        self.entry = Model(
            name="m",
            model="openai:m",
            price=Price(input=price, output=price),
            **{"in_flight": 2, "attempts": 3, "timeout_s": 5.0, **limits},
        )
        self.model = model
        self.engine = Engine(
            {"m": model},
            entries={"m": self.entry},
            journal=journal,
            budget_usd=budget,
            budget_tokens=tokens,
            clock=lambda: 1.0,
        )

    async def ask(self, asked: Request, priority: int = 0) -> Replied | Failed:
        return await self.engine.ask("m", asked, stage="answer", priority=priority)

    async def ask_all(self, texts: list[str]) -> list[Replied | Failed]:
        return await asyncio.gather(*(self.ask(request(text)) for text in texts))

    @property
    def stats(self) -> Stats:
        return self.engine.stats()["m"]


class SlowModel(ScriptedModel):
    """Takes a while, and notes when it was asked and how many it has at once."""

    def __init__(
        self, answer: Callable[[Request], str | Reply], *, takes_s: float = 0.02
    ) -> None:
        super().__init__(answer)
        self.takes_s = takes_s
        self.at_once = 0
        self.most = 0
        self.times: list[float] = []

    async def chat(self, request: Request) -> Reply:
        self.times.append(asyncio.get_running_loop().time())
        self.at_once += 1
        self.most = max(self.most, self.at_once)
        try:
            await asyncio.sleep(self.takes_s)
            return await super().chat(request)
        finally:
            self.at_once -= 1


def failing(error: Exception, times: int = 10_000) -> Callable[[Request], str]:
    """Raise so many times, then answer."""
    left = times

    def say(_: Request) -> str:
        nonlocal left
        left -= 1
        if left >= 0:
            raise error
        return "at last"

    return say


def counted(tokens: int) -> Callable[[Request], Reply]:
    """Reply with a text that is said to have cost so many tokens."""
    usage = Usage(tokens_in=tokens, tokens_out=0)
    reply = Reply(outcome="answered", text="hi", usage=usage, served_by="m")
    return lambda _: reply
