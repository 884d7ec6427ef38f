"""The async function of litellm, run by hand."""

import asyncio
import os
import sys
from pathlib import Path
from typing import Any

# Its table of prices would be fetched from the network.
os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"

import litellm

from bench.runners import by_hand
from bench.runners.measuring import report


async def conduct(work: by_hand.Workload, url: str) -> list[dict[str, Any]]:
    """Make all calls."""

    async def ask(
        model: str, messages: list[by_hand.Message], parameters: dict[str, Any]
    ) -> str:
        said = await litellm.acompletion(
            model=f"openai/{model}",
            messages=messages,
            api_base=url,
            api_key="none",
            max_retries=0,
            **parameters,
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
