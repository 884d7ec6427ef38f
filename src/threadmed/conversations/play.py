"""Plays one conversation with one target model in several settings."""

import asyncio
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import assert_never

from msgspec.structs import replace

from threadmed.conversations.mitigation import Mitigation, answering, preparing
from threadmed.conversations.settings import NO_ANSWERS, messages, turns
from threadmed.llm.model import Ask, Failed, Replied, Request
from threadmed.records import Answer, Message, Record, Setting, Thread
from threadmed.study import Answering


class Target(Record, frozen=True, kw_only=True):
    """A model under test, and how it is asked."""

    name: str
    ask: Ask
    options: Answering
    mitigation: Mitigation | None = None
    """The prompt that its arm adds."""


OnAnswer = Callable[[Answer], None]
"""Is called, without being awaited, as soon as an answer exists."""


async def play(
    thread: Thread,
    labelled: Collection[int],
    *,
    target: Target,
    settings: Sequence[Setting],
    on_answer: OnAnswer,
) -> tuple[Answer, ...]:
    """Ask a target everything that a thread has for it.

    Multi_turn goes turn by turn; all else runs beside it. A turn whose own history
    is broken off is `failed` and is not sent.

    Args:
        thread: The conversation.
        labelled: The turns that carry a misconception.
        target: The model.
        settings: What is asked; see conversations.settings.
        on_answer: Gets each answer as soon as it exists.

    Returns:
        All answers, in the order of `settings` and then of turns.

    Raises:
        ExceptionGroup: Whatever `target.ask` or `on_answer` raised; calls that were
            under way are cancelled.
    """
    one = _Asking(thread=thread, target=target, on_answer=on_answer)
    tasks: dict[Setting, list[asyncio.Task[tuple[Answer, ...]]]] = {}
    async with asyncio.TaskGroup() as group:
        # The one that goes turn by turn begins, since what it shares with the others
        # must not wait for them.
        for setting in sorted(settings, key=lambda name: name != "multi_turn"):
            asked = turns(setting, labelled)
            if setting == "multi_turn":
                tasks[setting] = [group.create_task(one.in_sequence(asked))]
            else:
                tasks[setting] = [
                    group.create_task(one.alone(setting, turn)) for turn in asked
                ]
    return tuple(
        answer
        for setting in settings
        for task in tasks[setting]
        for answer in task.result()
    )


class _Asking(Record, frozen=True, kw_only=True):
    """One thread put to one target."""

    thread: Thread
    target: Target
    on_answer: OnAnswer

    async def alone(self, setting: Setting, turn: int) -> tuple[Answer, ...]:
        """Ask one question that needs no answer of the target's own."""
        return (await self.ask(setting, turn),)

    async def in_sequence(self, asked: Sequence[int]) -> tuple[Answer, ...]:
        """Ask turn by turn, each with the target's own answers before it."""
        answers: list[Answer] = []
        for turn in asked:
            broken = next((a for a in answers if not goes_on(a)), None)
            if broken is None:
                own = {answer.turn: answer.text for answer in answers}
                answers.append(await self.ask("multi_turn", turn, own=own))
            else:
                answers.append(self.unasked(turn, after=broken.turn))
        return tuple(answers)

    async def ask(
        self, setting: Setting, turn: int, *, own: Mapping[int, str] = NO_ANSWERS
    ) -> Answer:
        """Send one request and hand on what it brought."""
        options = self.target.options
        seen = messages(
            setting,
            self.thread,
            turn,
            own_answers=own,
            system=options.system,
            merge_questions=options.merge_questions,
        )
        answer = await put(
            seen,
            self.not_come(setting, turn),
            target=self.target,
            grows=setting == "multi_turn",
        )
        self.on_answer(answer)
        return answer

    def unasked(self, turn: int, *, after: int) -> Answer:
        """Say that a turn was not sent, since the history before it is broken off."""
        answer = unasked(self.not_come("multi_turn", turn), after=after)
        self.on_answer(answer)
        return answer

    def not_come(self, setting: Setting, turn: int) -> Answer:
        """Give the record of an answer that did not come."""
        return not_come(self.target, setting, self.thread, turn)


def not_come(target: Target, setting: Setting, thread: Thread, turn: int) -> Answer:
    """Give the record of an answer that did not come."""
    return Answer(
        target=target.name,
        setting=setting,
        thread_id=thread.thread_id,
        turn=turn,
        outcome="failed",
    )


def unasked(answer: Answer, *, after: int) -> Answer:
    """Say that a turn was not sent, since the history before it is broken off."""
    return replace(answer, detail=f"turn {after} has no answer to go on from")


async def put(
    seen: tuple[Message, ...], blank: Answer, *, target: Target, grows: bool
) -> Answer:
    """Send what a target sees, in the way of its arm, and record what it brought.

    Args:
        seen: The messages; the last is the patient's.
        blank: The record of an answer that did not come.
        target: Who is asked.
        grows: Whether later requests begin with these messages.
    """
    most, mitigation = target.options.max_tokens, target.mitigation
    if mitigation is not None:
        notes = ""
        if mitigation.prepare:
            asked = preparing(mitigation, seen)
            said = await target.ask(
                Request(messages=asked, max_tokens=most, grows=grows)
            )
            if isinstance(said, Failed) or said.reply.outcome != "answered":
                return _unprepared(blank, said)
            notes = said.reply.text
        seen = answering(mitigation, seen, notes=notes)
    said = await target.ask(Request(messages=seen, max_tokens=most, grows=grows))
    match said:
        case Replied(reply=reply):
            return replace(
                blank,
                outcome=reply.outcome,
                text=reply.text,
                detail=reply.detail,
                request=said.key,
            )
        case Failed():
            return replace(blank, detail=said.why, request=said.key)
        case _:
            assert_never(said)


def _unprepared(blank: Answer, said: Replied | Failed) -> Answer:
    """Say that the call before the answer brought nothing to answer with."""
    why = said.why if isinstance(said, Failed) else said.reply.outcome
    return replace(blank, detail=f"the call before it: {why}", request=said.key)


def goes_on(answer: Answer) -> bool:
    """Whether a conversation can go on from an answer: the patient would have read it.

    A reply may be cut off before its first word; no provider takes an empty message.
    """
    return answer.outcome in {"answered", "truncated"} and bool(answer.text.strip())
