"""Has a study's panel judge one answer through Inspect's models."""

import asyncio

import msgspec

from threadmed.inspection.asking import Shared, as_judged, ask_through, judge_model
from threadmed.inspection.material import Opened, Place
from threadmed.judgements import Judge, judge
from threadmed.judgements.panel import is_decided, waves
from threadmed.judgements.scores import scores_by_judge
from threadmed.records import Answer, Verdict


async def ask_panel(
    answer: Answer, *, opened: Opened, shared: Shared, epoch: int
) -> list[Verdict]:
    """Ask all judges, or those of a lazy panel one by one until it is decided.

    Args:
        answer: The answer; it must be `answered`.
        opened: The study.
        shared: Where equal requests meet.
        epoch: Counts from 1; each epoch asks anew.

    Raises:
        ExceptionGroup: Whatever asking Inspect's models raised.
        StudyError: If Inspect cannot reach a judge.
    """
    by = opened.study.panel
    # Inspect repeats by its own epochs.
    once = msgspec.structs.replace(by, repeats=1)
    found: list[Verdict] = []
    for wave in waves(by.judges, lazy=by.lazy):
        async with asyncio.TaskGroup() as group:
            tasks = [
                group.create_task(
                    _ask(name, answer, opened=opened, shared=shared, epoch=epoch)
                )
                for name in wave
            ]
        found += [task.result() for task in tasks]
        said = scores_by_judge(found, by=once)
        if is_decided(said, judges=by.judges, rule=by.rule, primary=by.primary):
            break
    return found


async def _ask(
    name: str, answer: Answer, *, opened: Opened, shared: Shared, epoch: int
) -> Verdict:
    """Ask one judge."""
    entry = opened.entry(name)
    model = judge_model(entry)
    place = Place(setting=answer.setting, thread_id=answer.thread_id, turn=answer.turn)
    return await judge(
        answer,
        opened.threads[answer.thread_id],
        by=Judge(
            name=name,
            ask=ask_through(
                shared, model, configure=as_judged(entry, model), epoch=epoch
            ),
            prompt=opened.material.score_prompt,
            options=opened.study.panel,
        ),
        label=opened.label(place),
    )
