"""An engine that asks a fake server in batches; may be run as a process and killed."""

import asyncio
import json
import sys
import time
import urllib.request
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from asking import KEY, entry, request
from conftest import Server, Wire
from threadmed.errors import Stopped
from threadmed.llm.batches import Pace
from threadmed.llm.engine import Engine
from threadmed.llm.journal import Journal
from threadmed.llm.model import Failed, Replied
from threadmed.llm.providers import open_model
from threadmed.records import Model, Price

QUICK = Pace(
    quiet_s=0.05,
    apart_s=0.05,
    look_s=0.02,
    longest_look_s=0.1,
    settle_s=0.3,
    outage_s=0.5,
)
PRICE = Price(input=10.0, output=100.0)
A_REPLY = 0.003
"""USD at the list price: every fake server counts 100 tokens in and 20 out."""

Outcome = Replied | Failed


def set_options(server: Server, **options: Any) -> None:
    """Say how the server deals with batches; see tests/servers/batches.py."""
    body = json.dumps(options).encode()
    url = f"http://127.0.0.1:{server.port}/batch-options"
    with urllib.request.urlopen(url, data=body):
        pass


def batched(wire: Wire, server: Server, **more: object) -> Model:
    fields: dict[str, object] = {"price": PRICE, "batch": True, "attempts": 1, **more}
    return entry(wire, server, **fields)


class BatchDesk:
    """Asks one model, named m, in batches."""

    def __init__(
        self,
        journal: Journal,
        model: Model,
        *,
        pace: Pace = QUICK,
        budget: float | None = None,
    ) -> None:
        self.engine = Engine(
            {"m": open_model(model, environment={"MY_KEY": KEY})},
            entries={"m": model},
            journal=journal,
            clock=time.time,
            budget_usd=budget,
            pace=pace,
        )

    async def ask(self, text: str, *, batch: bool = True) -> Outcome:
        return await self.engine.ask("m", request(text), stage="judge", batch=batch)

    async def ask_all(self, texts: Sequence[str]) -> list[Outcome]:
        """Ask together, as the stages of a run do, and close the engine."""
        tasks: list[asyncio.Task[Outcome]] = []
        try:
            async with asyncio.timeout(30), asyncio.TaskGroup() as group:
                tasks += [group.create_task(self.ask(text)) for text in texts]
        finally:
            await self.engine.close()
        return [task.result() for task in tasks]


def ask_all(
    path: Path, model: Model, texts: Sequence[str], **options: Any
) -> list[Outcome]:
    """Ask with a new engine on a journal."""

    async def main(journal: Journal) -> list[Outcome]:
        return await BatchDesk(journal, model, **options).ask_all(texts)

    with Journal(path) as journal:
        return asyncio.run(main(journal))


def stopped(
    path: Path, model: Model, texts: Sequence[str], **options: Any
) -> str | None:
    """Ask with a new engine that does not wait; say why it stopped, if it did."""
    pace = replace(QUICK, waits=False)
    try:
        ask_all(path, model, texts, pace=pace, **options)
    except ExceptionGroup as group:
        if group.subgroup(Stopped) is None:
            raise
        return str(group.exceptions[0])
    return None


def texts(said: Sequence[Outcome]) -> list[str]:
    """Give the replies; what failed is said so."""
    return [
        s.reply.text if isinstance(s, Replied) else f"failed: {s.why}" for s in said
    ]


def spent(path: Path) -> float:
    with Journal(path) as journal:
        return sum(spend.cost_usd for spend in journal.spend())


def rows(path: Path, sql: str) -> list[tuple[Any, ...]]:
    with Journal(path) as journal:
        return journal.select(sql)


QUESTIONS = [f"question {n}" for n in range(30)]


class There(Server):
    """A server that another process runs."""

    def __init__(self, url: str) -> None:
        self.url = url


if __name__ == "__main__":
    path, wire, url = sys.argv[1:]
    model = batched(wire, There(url))  # type: ignore[arg-type]
    # The SDK is loaded before the clock of the one who kills starts.
    open_model(model, environment={"MY_KEY": KEY})
    print("ready", flush=True)
    ask_all(Path(path), model, QUESTIONS, budget=1_000.0)
