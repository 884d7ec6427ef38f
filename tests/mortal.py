"""A run of the engine against a real server, to be started as a process and killed."""

import asyncio
import sys
import time
from pathlib import Path

from threadmed.llm.engine import Engine
from threadmed.llm.journal import Journal
from threadmed.llm.model import Replied, Request
from threadmed.llm.providers.openai import OpenAIModel
from threadmed.records import Message, Model, Price

CALLS = 150
IN_FLIGHT = 10


def requests() -> list[Request]:
    """Ask each thing twice, as settings and judges that share a request do."""
    distinct = [
        Request(
            messages=(Message(role="user", content=f"question {n}"),), max_tokens=50
        )
        for n in range(CALLS)
    ]
    return distinct + distinct


async def ask_all(path: Path, url: str) -> list[str]:
    """Ask all that is missing, and give all replies."""
    entry = Model(
        name="m",
        model="openai:m",
        base_url=url,
        price=Price(input=1.0, output=1.0),
        in_flight=IN_FLIGHT,
    )
    with Journal(path) as journal:
        engine = Engine(
            {"m": OpenAIModel(entry, environment={})},
            entries={"m": entry},
            journal=journal,
            # With a budget each attempt is noted on the disk before it is sent.
            budget_usd=1_000.0,
            clock=time.time,
        )
        print("ready", flush=True)
        asks = (engine.ask("m", asked, stage="answer") for asked in requests())
        said = await asyncio.gather(*asks)
        await engine.close()
    return [each.reply.text for each in said if isinstance(each, Replied)]


if __name__ == "__main__":
    asyncio.run(ask_all(Path(sys.argv[1]), sys.argv[2]))
