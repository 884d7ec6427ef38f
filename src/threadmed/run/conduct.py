"""One pass over one study: who is asked what, and what has come in so far."""

import asyncio
from collections import defaultdict
from collections.abc import Callable, Coroutine, Iterator, Mapping
from typing import Protocol

from threadmed.conversations import Target, play, turns
from threadmed.judgements import Judge, judge
from threadmed.judgements.panel import is_decided, waves
from threadmed.judgements.scores import Item, item_of, scores_by_judge
from threadmed.labels import Identifier, identify
from threadmed.labels.selection import (
    Question,
    misconceptions,
)
from threadmed.llm.model import Ask, Failed, Replied, Request
from threadmed.records import (
    Answer,
    Label,
    Labelled,
    Stage,
    Thread,
    Verdict,
)
from threadmed.run.material import Material
from threadmed.study import (
    Study,
)

Progress = Callable[[Stage, str, int, int], None]
"""Told a stage, a model, and how many of its items are done, of how many."""


CONVERSATIONS = 2
"""Conversations under way for each call that a target may have in flight."""


class Asked(Protocol):
    """What a run asks: an engine, or what stands in its place for a plan."""

    async def ask(
        self,
        model: str,
        request: Request,
        *,
        stage: Stage,
        priority: int = 0,
        batch: bool = False,
    ) -> Replied | Failed:
        """Give the reply to a request, or say why there is none."""


class Tally:
    """Counts what is done, and says so."""

    def __init__(self, say: Progress) -> None:
        self._say = say
        self._done: dict[tuple[Stage, str], int] = defaultdict(int)
        self._total: dict[tuple[Stage, str], int] = defaultdict(int)

    def expect(self, stage: Stage, model: str, items: int) -> None:
        """Add to what there is to do."""
        self._total[stage, model] += items
        self._tell(stage, model)

    def add(self, stage: Stage, model: str) -> None:
        """Count one item as done."""
        self._done[stage, model] += 1
        self._tell(stage, model)

    def _tell(self, stage: Stage, model: str) -> None:
        self._say(stage, model, self._done[stage, model], self._total[stage, model])


class Run:
    """One pass over one study; holds its engine and what has come in so far."""

    def __init__(
        self, study: Study, material: Material, *, engine: Asked, progress: Progress
    ) -> None:
        self.study = study
        self.material = material
        self.engine = engine
        self.tally = Tally(progress)
        self.threads = {thread.thread_id: thread for thread in material.threads}
        self.labels: list[Label] = list(material.given)
        self.marked: Mapping[Question, Labelled] = {}
        self.is_marked = False
        """Whether it is settled which questions are answered."""
        self.answers: dict[Item, Answer] = {}
        self.verdicts: dict[tuple[str, Item], list[Verdict]] = {}
        """Of each judge as many as it was asked for, in the order of the repeats."""
        self.used: dict[tuple[Stage, str], list[str]] = defaultdict(list)
        self.failed: dict[tuple[Stage, str], str] = {}
        self.served: dict[str, set[str]] = defaultdict(set)

    def ask(self, stage: Stage, model: str, *, priority: int = 0) -> Ask:
        """Bind the engine to one stage and model, and note what is used."""

        async def ask(request: Request) -> Replied | Failed:
            said = await self.engine.ask(
                model,
                request,
                stage=stage,
                priority=priority,
                batch=not request.grows,
            )
            if isinstance(said, Replied):
                self.used[stage, model].append(said.key)
                self.served[model].add(said.reply.served_by)
            else:
                self.failed[stage, model] = said.why
            return said

        return ask

    def mark(self) -> None:
        """Settle which questions are answered, from the labels that are there."""
        self.marked = misconceptions(self.labels, self.material.source)
        self.is_marked = True

    def labelled(self, thread: Thread) -> tuple[int, ...]:
        """Give the turns of a thread that carry a misconception, ascending."""
        return tuple(
            turn
            for turn in range(len(thread.turns))
            if (thread.thread_id, turn) in self.marked
        )

    def asked(self) -> list[Item]:
        """List all that targets are asked, in the order of all files."""
        return [
            (target, setting, thread.thread_id, turn)
            for target in self.study.targets
            for setting in self.study.settings
            for thread in self.material.threads
            for turn in turns(setting, self.labelled(thread))
        ]

    def items(self) -> list[Item]:
        """List what of it is scored: the labelled turns."""
        return [item for item in self.asked() if item[2:] in self.marked]

    async def identify(self) -> None:
        """Label every question of every thread with the study's identifier."""
        model = self.study.identify.model
        if model is None:
            return
        by = Identifier(
            name=model,
            ask=self.ask("identify", model),
            prompt=self.material.identify_prompt,
            options=self.study.identify,
        )
        questions = [
            (thread, turn)
            for thread in self.material.threads
            for turn in range(len(thread.turns))
        ]
        self.tally.expect("identify", model, len(questions))

        async def one(thread: Thread, turn: int) -> None:
            self.labels.append(await identify(thread, turn, by=by))
            self.tally.add("identify", model)

        async with asyncio.TaskGroup() as group:
            for question in questions:
                group.create_task(one(*question))

    async def answer(self, *, and_judge: bool) -> None:
        """Let every target answer; each answer is judged as soon as it is there."""
        async with asyncio.TaskGroup() as group:

            def take(answer: Answer) -> None:
                self.answers[item_of(answer)] = answer
                self.tally.add("answer", answer.target)
                if and_judge:
                    self.judge_one(answer, group)

            for target in self.study.targets:
                self.tally.expect("answer", target, self._questions())
                waiting = iter(self._longest_first())
                for _ in range(self._at_once(target)):
                    group.create_task(self._play_on(target, waiting, take))

    def _longest_first(self) -> list[Thread]:
        """Order the threads that are asked, since the longest ones end last."""
        asked = [thread for thread in self.material.threads if self.labelled(thread)]
        return sorted(asked, key=lambda thread: -max(self.labelled(thread)))

    def _at_once(self, target: str) -> int:
        """Say how many conversations a target holds at once.

        More than fit its lane would only wait in memory. What goes into batches is
        the exception: all of it must be asked for before the first batch is sent.
        """
        entry, most = self.study.model(target), len(self.material.threads)
        return most if entry.batch else min(most, CONVERSATIONS * entry.in_flight)

    def _questions(self) -> int:
        """Count what each target is asked."""
        return sum(
            len(turns(setting, self.labelled(thread)))
            for setting in self.study.settings
            for thread in self.material.threads
        )

    async def _play_on(
        self, target: str, waiting: Iterator[Thread], take: Callable[[Answer], None]
    ) -> None:
        """Let one target go through one waiting thread after the other."""
        for thread in waiting:
            await self._play(target, thread, take)

    async def _play(
        self, target: str, thread: Thread, take: Callable[[Answer], None]
    ) -> None:
        """Let one target go through one thread; the longest threads go first."""
        labelled = self.labelled(thread)
        settings = self.study.settings
        ask = self.ask("answer", target, priority=max(labelled, default=0))
        await play(
            thread,
            labelled,
            target=Target(name=target, ask=ask, options=self.study.answer),
            settings=settings,
            on_answer=take,
        )

    async def judge(self) -> None:
        """Have the panel score the answers that are there."""
        async with asyncio.TaskGroup() as group:
            for answer in self.answers.values():
                self.judge_one(answer, group)

    def judge_one(self, answer: Answer, group: asyncio.TaskGroup) -> None:
        """Have every judge score an answer, if it is one that is scored."""
        label = self.marked.get((answer.thread_id, answer.turn))
        if label is None or answer.outcome != "answered":
            return
        _begin(self._judge_in_waves(answer, label), group)

    async def _judge_in_waves(self, answer: Answer, label: Labelled) -> None:
        """Ask the judges, or those of a lazy panel until they have decided."""
        by = self.study.panel
        for wave in waves(by.judges, lazy=by.lazy):
            for name in wave:
                self.tally.expect("judge", name, by.repeats)
            await asyncio.gather(*(self._judge(name, answer, label) for name in wave))
            item = item_of(answer)
            given = [v for n in by.judges for v in self.verdicts.get((n, item), ())]
            said = scores_by_judge(given, by=by)
            if is_decided(said, judges=by.judges, rule=by.rule, primary=by.primary):
                return

    async def _judge(self, name: str, answer: Answer, label: Labelled) -> None:
        by = Judge(
            name=name,
            ask=self.ask("judge", name),
            prompt=self.material.score_prompt,
            options=self.study.panel,
        )
        thread = self.threads[answer.thread_id]

        async def once(repeat: int) -> Verdict:
            verdict = await judge(answer, thread, by=by, label=label, repeat=repeat)
            self.tally.add("judge", name)
            return verdict

        self.verdicts[name, item_of(answer)] = list(
            await asyncio.gather(*map(once, range(self.study.panel.repeats)))
        )


def _begin(work: Coroutine[None, None, None], group: asyncio.TaskGroup) -> None:
    """Begin a piece of work, unless the run is being stopped at this moment."""
    try:
        group.create_task(work)
    except RuntimeError:
        work.close()
