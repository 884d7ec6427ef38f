"""The openai SDK alone, with its own aiohttp transport, run by hand."""

import asyncio
import sys
from pathlib import Path
from typing import Any, cast

from openai import AsyncOpenAI, DefaultAioHttpClient

from bench.runners import by_hand
from bench.runners.measuring import report


async def conduct(work: by_hand.Workload, url: str) -> list[dict[str, Any]]:
    """Make all calls."""
    async with DefaultAioHttpClient() as transport:
        client = AsyncOpenAI(
            api_key="none", base_url=url, max_retries=0, http_client=transport
        )

        async def ask(
            model: str, messages: list[by_hand.Message], parameters: dict[str, Any]
        ) -> str:
            said = await client.chat.completions.create(
                model=model, messages=cast("Any", messages), **parameters
            )
            return str(said.choices[0].message.content)

        return await by_hand.conduct(work, ask)


def main() -> None:
    """Run, and say what it took."""
    folder, url = Path(sys.argv[1]), sys.argv[2]
    work = by_hand.read(folder)
    report(lambda: by_hand.kept(folder, asyncio.run(conduct(work, url))))


if __name__ == "__main__":
    main()
