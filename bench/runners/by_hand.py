"""What a good programmer writes in an hour: semaphores, tasks, and nothing kept."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, NamedTuple

Message = dict[str, str]
Ask = Callable[[str, list[Message], dict[str, Any]], Awaitable[str]]
"""Asks a model; the last argument holds the parameters beside the messages."""


class Thread(NamedTuple):
    """A thread of the workload."""

    name: str
    questions: list[str]
    labelled: list[int]


class Workload(NamedTuple):
    """What bench.runners.workload wrote."""

    target: str
    judges: list[str]
    in_flight: int
    max_tokens: int
    judging: dict[str, Any]
    threads: list[Thread]
    """Longest first."""

    def answering(self) -> dict[str, Any]:
        """Give the parameters of a request to the target."""
        return {"max_tokens": self.max_tokens, "temperature": 0.0}

    def scoring(self) -> dict[str, Any]:
        """Give the parameters of a request to a judge."""
        form = {
            "name": self.judging["schema_name"],
            "schema": self.judging["schema"],
        }
        return {
            "max_tokens": 512,
            "temperature": 0.0,
            "response_format": {"type": "json_schema", "json_schema": form},
        }

    def to_judge(self, question: str, answer: str) -> list[Message]:
        """Give the messages that a judge sees."""
        return [
            {
                "role": each["role"],
                "content": each["content"]
                .replace("{{question}}", question)
                .replace("{{answer}}", answer),
            }
            for each in self.judging["messages"]
        ]


def read(folder: Path) -> Workload:
    """Read a workload."""
    held = json.loads((folder / "workload.json").read_text(encoding="utf-8"))
    threads = [Thread(**each) for each in held.pop("threads")]
    threads.sort(key=lambda thread: -max(thread.labelled))
    return Workload(**held, threads=threads)


async def conduct(work: Workload, ask: Ask) -> list[dict[str, Any]]:
    """Make all calls; every answer is judged as soon as it is there.

    Returns:
        The verdicts.
    """
    places = {
        name: asyncio.Semaphore(work.in_flight) for name in (work.target, *work.judges)
    }
    verdicts: list[dict[str, Any]] = []

    async def placed(
        model: str, messages: list[Message], parameters: dict[str, Any]
    ) -> str:
        async with places[model]:
            return await ask(model, messages, parameters)

    async def judge(name: str, thread: Thread, turn: int, answer: str) -> None:
        seen = work.to_judge(thread.questions[turn], answer)
        said = json.loads(await placed(name, seen, work.scoring()))
        verdicts.append({"thread": thread.name, "turn": turn, "judge": name, **said})

    async with asyncio.TaskGroup() as group:

        async def play(thread: Thread) -> None:
            said: list[Message] = []
            for turn in range(max(thread.labelled) + 1):
                said.append({"role": "user", "content": thread.questions[turn]})
                answer = await placed(work.target, said, work.answering())
                said.append({"role": "assistant", "content": answer})
                if turn in thread.labelled:
                    for name in work.judges:
                        group.create_task(judge(name, thread, turn, answer))

        for thread in work.threads:
            group.create_task(play(thread))
    return verdicts


def kept(folder: Path, verdicts: list[dict[str, Any]]) -> int:
    """Write the verdicts once all are there; say how many there are."""
    lines = (json.dumps(verdict) for verdict in verdicts)
    (folder / "verdicts-by-hand.jsonl").write_text("\n".join(lines), encoding="utf-8")
    return len(verdicts)
