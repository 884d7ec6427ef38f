"""Inspect AI, tuned: all samples at once, longest first, and no log while it runs.

One sample is a thread; its solver asks turn by turn, its scorer has every answer that
counts judged by the whole panel at the same time.
"""

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

import openai  # noqa: F401 - loaded at the start, as every contestant's package is
from inspect_ai import Task
from inspect_ai import eval as evaluate
from inspect_ai.dataset import Sample
from inspect_ai.model import (
    ChatMessage,
    ChatMessageSystem,
    ChatMessageUser,
    GenerateConfig,
    Model,
    ResponseSchema,
    get_model,
)
from inspect_ai.scorer import Score, Scorer, Target, mean, scorer
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.util import JSONSchema

from bench.runners import by_hand
from bench.runners.measuring import report


def opened(name: str, work: by_hand.Workload, url: str) -> Model:
    """Open a model; its connections are its own."""
    config = GenerateConfig(
        max_connections=work.in_flight, temperature=0.0, max_retries=0
    )
    return get_model(
        f"openai/{name}",
        config=config,
        base_url=url,
        api_key="none",
        responses_api=False,
    )


@solver
def ask_in_turn(work: by_hand.Workload) -> Solver:
    """Ask the questions of a thread up to the last that counts."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        thread = by_hand.Thread(**state.metadata)
        state.messages.clear()
        for question in thread.questions[: max(thread.labelled) + 1]:
            state.messages.append(ChatMessageUser(content=question))
            state = await generate(state, max_tokens=work.max_tokens)
        return state

    return solve


@scorer(metrics=[mean()])
def panel(work: by_hand.Workload, judges: list[Model]) -> Scorer:
    """Have every answer that counts judged by all; the value is how many verdicts."""
    form = ResponseSchema(
        name=work.judging["schema_name"],
        json_schema=JSONSchema.model_validate(work.judging["schema"]),
    )
    config = GenerateConfig(max_tokens=512, response_schema=form)

    async def one(judge: Model, question: str, answer: str) -> dict[str, Any]:
        seen: list[ChatMessage] = [
            ChatMessageSystem(content=each["content"])
            if each["role"] == "system"
            else ChatMessageUser(content=each["content"])
            for each in work.to_judge(question, answer)
        ]
        said = await judge.generate(seen, config=config)
        return dict(json.loads(said.completion))

    async def score(state: TaskState, target: Target) -> Score:
        del target
        thread = by_hand.Thread(**state.metadata)
        answers = [each.text for each in state.messages if each.role == "assistant"]
        verdicts = await asyncio.gather(
            *(
                one(judge, thread.questions[turn], answers[turn])
                for turn in thread.labelled
                for judge in judges
            )
        )
        return Score(value=len(verdicts), metadata={"verdicts": verdicts})

    return score


def conduct(work: by_hand.Workload, folder: Path, url: str) -> int:
    """Run the task; give the number of verdicts that its log tells of."""
    judges = [opened(name, work, url) for name in work.judges]
    task = Task(
        dataset=[
            Sample(input=thread.questions[0], metadata=thread._asdict())
            for thread in work.threads
        ],
        solver=ask_in_turn(work),
        scorer=panel(work, judges),
    )
    (log,) = evaluate(
        task,
        model=opened(work.target, work, url),
        max_samples=len(work.threads),
        display="none",
        log_dir=str(folder / "inspect-logs"),
        log_realtime=False,
        log_model_api=False,
        ctl_server=False,
        score_display=False,
    )
    if log.status != "success":
        sys.exit(f"inspect ended with {log.status}: {log.error}")
    results = log.results
    if results is None:
        sys.exit("inspect ended without results")
    # Of the header: to read the samples would be work that the others do not do.
    per_thread = results.scores[0].metrics["mean"].value
    return round(per_thread * results.completed_samples)


def main() -> None:
    """Run, and say what it took."""
    folder, url = Path(sys.argv[1]), sys.argv[2]
    work = by_hand.read(folder)
    report(lambda: conduct(work, folder, url))


if __name__ == "__main__":
    main()
