"""Asks judges: of every answer that is scored, and at once where one is waited for."""

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from functools import partial
from typing import Protocol

from threadmed.conversations.intervene import Unlooked
from threadmed.judgements import Judge, judge, panel
from threadmed.judgements.panel import is_decided, waves
from threadmed.judgements.scores import item_of, score_of, scores_by_judge
from threadmed.llm.model import Ask
from threadmed.records import (
    Answer,
    Item,
    Labelled,
    Score,
    Stage,
    Thread,
    Unscored,
    Verdict,
)
from threadmed.run.material import Material
from threadmed.run.tally import Tally
from threadmed.study import Study

Suppose = Callable[[Sequence[Verdict], Score | None], Score | None]
"""Says which score an intervention goes by, from the verdicts and what they come to."""


def as_judged(_: Sequence[Verdict], score: Score | None) -> Score | None:
    """Let interventions go by what was judged; only a plan supposes something else."""
    return score


class Binding(Protocol):
    """Binds an engine to a stage and a model; see conduct.Run.ask."""

    def __call__(self, stage: Stage, model: str, *, is_awaited: bool = False) -> Ask:
        """Give what asks."""


class Judging:
    """The panel of one run, and what it has said so far."""

    def __init__(
        self,
        study: Study,
        material: Material,
        *,
        ask: Binding,
        tally: Tally,
        suppose: Suppose,
    ) -> None:
        self.verdicts: dict[tuple[str, Item], list[Verdict]] = {}
        """Of each judge as many as it was asked for, in the order of the repeats."""
        self._by = study.panel
        self._material = material
        self._ask = ask
        self._tally = tally
        self._suppose = suppose
        self._under_way: dict[Item, asyncio.Task[None]] = {}
        """Of answers in an intervention, as long as they are being judged."""
        self._awaited = {
            each.name
            for each in study.contestants()
            if each.intervention is not None and each.intervention.is_adaptive
        }
        """Contestants whose conversations stand still until a verdict is there."""

    def begin(
        self,
        answer: Answer,
        thread: Thread,
        label: Labelled,
        *,
        group: asyncio.TaskGroup,
    ) -> None:
        """Have the panel score an answer; nobody waits for it here."""
        task = _begin(self._in_waves(answer, thread, label), group)
        if task is not None and answer.target in self._awaited:
            item = item_of(answer)
            self._under_way[item] = task
            task.add_done_callback(lambda _: self._under_way.pop(item))

    async def look(
        self, answer: Answer, thread: Thread, label: Labelled, *, screen: str | None
    ) -> Score | Unlooked | None:
        """Score an answer at once.

        Args:
            answer: The answer; it must be `answered`.
            thread: Where its question stands.
            label: What is known of the question.
            screen: The model that looks, whose verdict is kept apart from the panel's;
                None is the panel.
        """
        if screen is not None:
            self._tally.expect("judge", screen, 1)
            verdict = await self._verdict(screen, answer, thread, label, repeat=0)
            return self._found([verdict], score_of(verdict))
        item, by = item_of(answer), self._by
        under_way = self._under_way.get(item)
        await (under_way or self._in_waves(answer, thread, label))
        said = self._said(item)
        score = panel(
            scores_by_judge(said, by=by),
            judges=by.judges,
            rule=by.rule,
            primary=by.primary,
        ).score
        return self._found(said, score)

    def _found(
        self, said: Sequence[Verdict], score: Score | None
    ) -> Score | Unlooked | None:
        """Give the score to go by; one that a later run may find is not there yet."""
        is_open = any(isinstance(v, Unscored) and v.why == "failed" for v in said)
        return Unlooked() if score is None and is_open else self._suppose(said, score)

    def _said(self, item: Item) -> list[Verdict]:
        """Give what the panel's judges have said of an answer so far."""
        return [
            verdict
            for name in self._by.judges
            for verdict in self.verdicts.get((name, item), ())
        ]

    async def _in_waves(self, answer: Answer, thread: Thread, label: Labelled) -> None:
        """Ask the judges, or those of a lazy panel until they have decided."""
        by = self._by
        for wave in waves(by.judges, lazy=by.lazy):
            for name in wave:
                self._tally.expect("judge", name, by.repeats)
            asked = (self._judge(name, answer, thread, label) for name in wave)
            await asyncio.gather(*asked)
            said = scores_by_judge(self._said(item_of(answer)), by=by)
            if is_decided(said, judges=by.judges, rule=by.rule, primary=by.primary):
                return

    async def _judge(
        self, name: str, answer: Answer, thread: Thread, label: Labelled
    ) -> None:
        once = partial(self._verdict, name, answer, thread, label)
        asked = (once(repeat=repeat) for repeat in range(self._by.repeats))
        self.verdicts[name, item_of(answer)] = list(await asyncio.gather(*asked))

    async def _verdict(
        self, name: str, answer: Answer, thread: Thread, label: Labelled, *, repeat: int
    ) -> Verdict:
        is_awaited = answer.target in self._awaited
        by = Judge(
            name=name,
            ask=self._ask("judge", name, is_awaited=is_awaited),
            prompt=self._material.score_prompt,
            options=self._by,
            control=self._material.control_prompt,
        )
        verdict = await judge(answer, thread, by=by, label=label, repeat=repeat)
        self._tally.add("judge", name)
        return verdict


def _begin(
    work: Coroutine[None, None, None], group: asyncio.TaskGroup
) -> asyncio.Task[None] | None:
    """Begin a piece of work, unless the run is being stopped at this moment."""
    try:
        return group.create_task(work)
    except RuntimeError:
        work.close()
        return None
