"""One pass over one study: who is asked what, and what has come in so far."""

import asyncio
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Protocol

from threadmed.conversations import Intervened, Target, play, turns
from threadmed.conversations.intervene import Unlooked
from threadmed.conversations.interventions import asked
from threadmed.judgements.scores import item_of
from threadmed.labels import Identifier, identify
from threadmed.labels.control import DrawnControl, draw_controls, labels_of
from threadmed.labels.selection import misconceptions
from threadmed.llm.model import Ask, Failed, Replied, Request
from threadmed.records import (
    Answer,
    Intervention,
    Item,
    Label,
    Labelled,
    Question,
    Score,
    Setting,
    Stage,
    Thread,
    Verdict,
)
from threadmed.run.judging import Judging, Suppose, as_judged
from threadmed.run.material import Material
from threadmed.run.tally import Progress, Tally
from threadmed.study import (
    Contestant,
    Intervening,
    Study,
)

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


class Run:
    """One pass over one study; holds its engine and what has come in so far."""

    def __init__(
        self,
        study: Study,
        material: Material,
        *,
        engine: Asked,
        progress: Progress,
        suppose: Suppose = as_judged,
    ) -> None:
        self.study = study
        self.material = material
        self.engine = engine
        self.tally = Tally(progress)
        self.threads = {thread.thread_id: thread for thread in material.threads}
        self.labels: list[Label] = list(material.given)
        self.marked: Mapping[Question, Labelled] = {}
        self.drawn: tuple[DrawnControl, ...] = ()
        self.controls: Mapping[Question, Labelled] = {}
        """Questions without a misconception that are asked and judged all the same."""
        self.is_marked = False
        """Whether it is settled which questions are answered."""
        self.answers: dict[Item, Answer] = {}
        self.interventions: list[Intervention] = []
        self.used: dict[tuple[Stage, str], list[str]] = defaultdict(list)
        self.failed: dict[tuple[Stage, str], str] = {}
        self.served: dict[str, set[str]] = defaultdict(set)
        self.when_answered: Callable[[], None] = lambda: None
        """Called once all answers are there; verdicts may be under way."""
        self.judging = Judging(
            study, material, ask=self.ask, tally=self.tally, suppose=suppose
        )

    @property
    def verdicts(self) -> Mapping[tuple[str, Item], Sequence[Verdict]]:
        """What each judge of the panel said of each answer, in order of the repeats."""
        return self.judging.verdicts

    def ask(
        self,
        stage: Stage,
        model: str,
        *,
        priority: int = 0,
        is_awaited: bool = False,
    ) -> Ask:
        """Bind the engine to one stage and model, and note what is used.

        Args:
            stage: The stage.
            model: The study's name for it.
            priority: What goes first; longer conversations do.
            is_awaited: Whether a conversation stands still until there is a reply.
        """

        async def ask(request: Request) -> Replied | Failed:
            said = await self.engine.ask(
                model,
                request,
                stage=stage,
                priority=priority,
                batch=not (request.grows or is_awaited),
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
        source = self.material.source
        self.marked = misconceptions(self.labels, source)
        self.drawn = draw_controls(
            self.material.threads,
            self.labels,
            source=source,
            n=self.study.control.n,
            seed=self.study.seed,
        )
        self.controls = labels_of(self.drawn, self.labels, source=source)
        self.is_marked = True

    def labelled(self, thread: Thread) -> tuple[int, ...]:
        """Give the turns of a thread that carry a misconception, ascending."""
        return tuple(
            turn
            for turn in range(len(thread.turns))
            if (thread.thread_id, turn) in self.marked
        )

    def scored(self, thread: Thread) -> tuple[int, ...]:
        """Give the turns whose answers are scored: labelled ones and controls."""
        return tuple(
            turn
            for turn in range(len(thread.turns))
            if (thread.thread_id, turn) in self.marked
            or (thread.thread_id, turn) in self.controls
        )

    def asked(self) -> list[Item]:
        """List all that targets are asked, in the order of all files."""
        return [
            (each.name, setting, thread.thread_id, turn)
            for each in self.study.contestants()
            for setting in each.settings
            for thread in self.material.threads
            for turn in self._turns(each, setting, thread)
        ]

    def _turns(
        self, each: Contestant, setting: Setting, thread: Thread
    ) -> tuple[int, ...]:
        """Say which turns of a thread a contestant is asked in a setting."""
        scored, by = self.scored(thread), each.intervention
        return turns(setting, scored) if by is None else asked(by, scored)

    def items(self) -> list[Item]:
        """List what of it is scored: the labelled turns, and the controls."""
        return [
            item
            for item in self.asked()
            if item[2:] in self.marked or item[2:] in self.controls
        ]

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

            for each in self.study.contestants():
                self.tally.expect("answer", each.name, self._questions(each))
            playing = []
            for target in self.study.targets:
                held = self._longest_first(target)
                waiting = iter(held)
                playing += [
                    group.create_task(self._play_on(waiting, take))
                    for _ in range(self._at_once(target, len(held)))
                ]
            if playing:
                await asyncio.wait(playing)
            self.when_answered()

    def _longest_first(self, target: str) -> list[tuple[Contestant, Thread]]:
        """Order the conversations with a target, since the longest ones end last."""
        held = [
            (each, thread)
            for each in self.study.contestants()
            for thread in self.material.threads
            if each.target == target and self.scored(thread)
        ]
        return sorted(held, key=lambda each: -max(self.scored(each[1])))

    def _at_once(self, target: str, most: int) -> int:
        """Say how many conversations a target holds at once.

        More than fit its lane would only wait in memory. What goes into batches is
        the exception: all of it must be asked for before the first batch is sent.
        """
        entry = self.study.model(target)
        return most if entry.batch else min(most, CONVERSATIONS * entry.in_flight)

    def _questions(self, each: Contestant) -> int:
        """Count what a contestant is asked."""
        return sum(
            len(self._turns(each, setting, thread))
            for setting in each.settings
            for thread in self.material.threads
        )

    async def _play_on(
        self,
        waiting: Iterator[tuple[Contestant, Thread]],
        take: Callable[[Answer], None],
    ) -> None:
        """Hold one waiting conversation after the other."""
        for each, thread in waiting:
            await self._play(each, thread, take)

    async def _play(
        self, each: Contestant, thread: Thread, take: Callable[[Answer], None]
    ) -> None:
        """Let a contestant go through one thread."""
        scored = self.scored(thread)
        prompt = each.arm.name if each.arm is not None else ""
        target = Target(
            name=each.name,
            ask=self.ask("answer", each.target, priority=max(scored, default=0)),
            options=self.study.answer,
            mitigation=self.material.mitigations.get(prompt),
        )
        if each.intervention is None:
            await play(
                thread,
                scored,
                target=target,
                settings=each.settings,
                on_answer=take,
            )
        else:
            await self._intervene(each.intervention, thread, target, take=take)

    async def _intervene(
        self,
        by: Intervening,
        thread: Thread,
        target: Target,
        *,
        take: Callable[[Answer], None],
    ) -> None:
        """Let a target go through one thread while its answers are changed."""
        labels = {
            turn: self.marked[thread.thread_id, turn] for turn in self.labelled(thread)
        }

        async def look(answer: Answer) -> Score | Unlooked | None:
            label = labels[answer.turn]
            return await self.judging.look(answer, thread, label, screen=by.screen)

        await Intervened(
            thread=thread,
            labelled=tuple(labels),
            scored=self.scored(thread),
            corrections={turn: label.correction for turn, label in labels.items()},
            target=target,
            by=by,
            seed=self.study.seed,
            look=look,
            on_answer=take,
            on_intervention=self.interventions.append,
        ).play()

    async def judge(self) -> None:
        """Have the panel score the answers that are there."""
        async with asyncio.TaskGroup() as group:
            for answer in self.answers.values():
                self.judge_one(answer, group)

    def judge_one(self, answer: Answer, group: asyncio.TaskGroup) -> None:
        """Have every judge score an answer, if it is one that is scored."""
        question = (answer.thread_id, answer.turn)
        label = self.marked.get(question) or self.controls.get(question)
        if label is None or answer.outcome != "answered":
            return
        if self.study.panel.judges:
            thread = self.threads[answer.thread_id]
            self.judging.begin(answer, thread, label, group=group)
