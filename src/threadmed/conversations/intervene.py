"""Plays one conversation in which some of the target's answers are changed."""

from collections.abc import Awaitable, Callable, Collection, Mapping
from typing import Literal

from threadmed.conversations.interventions import (
    ADAPTIVE,
    Change,
    change,
    chosen,
    exchange,
)
from threadmed.conversations.play import (
    OnAnswer,
    Target,
    goes_on,
    not_come,
    put,
    unasked,
)
from threadmed.records import Answer, Intervention, Record, Score, Thread
from threadmed.study import Intervening

OnIntervention = Callable[[Intervention], None]

Why = Literal["policy", "failing", "not_failing", "unscored", "nothing_to_say"]

Look = Callable[[Answer], Awaitable[Score | None]]
"""Scores an answer at once, for the policies that look for failures."""


class Intervened(Record, frozen=True, kw_only=True):
    """One thread put to one target whose answers are changed on the way."""

    thread: Thread
    labelled: Collection[int]
    corrections: Mapping[int, str]
    """What is right instead, by labelled turn."""
    target: Target
    by: Intervening
    seed: int
    look: Look
    on_answer: OnAnswer
    on_intervention: OnIntervention

    async def play(self) -> None:
        """Go turn by turn, to the last labelled one."""
        if self.by.policy == "last":
            await self._before_each()
        else:
            await self._in_sequence()

    async def _in_sequence(self) -> None:
        """Change answers for all that follows."""
        own: dict[int, str] = {}
        changes: dict[int, Change] = {}
        broken: int | None = None
        settled = chosen(self.by, self.thread, self.labelled, seed=self.seed)
        last = max(self.labelled, default=-1)
        for turn in range(last + 1):
            if broken is not None:
                self.on_answer(self._unasked(turn, after=broken))
                continue
            answer = await self._ask(turn, own, changes)
            self.on_answer(answer)
            own[turn] = answer.text
            done = (
                None if turn == last else await self._change(answer, settled, changes)
            )
            if done is not None:
                changes[turn] = done
            if not goes_on(answer) and (done is None or done.answer is None):
                broken = turn

    async def _before_each(self) -> None:
        """Change the last answer before each labelled question, for it alone.

        What comes before that answer is the conversation of multi_turn, whose requests
        are shared.
        """
        own: dict[int, str] = {}
        for turn in range(max(self.labelled, default=0)):
            answer = await self._ask(turn, own, {})
            own[turn] = answer.text
            done = None
            if turn + 1 in self.labelled:
                done = self._made(turn, before=turn + 1, why="policy")
            if turn + 1 in self.labelled:
                self.on_answer(await self._after_change(answer, own, done))
            if not goes_on(answer):
                for later in sorted(self.labelled):
                    if later > turn + 1:
                        self.on_answer(self._unasked(later, after=turn))
                return

    async def _after_change(
        self, answer: Answer, own: Mapping[int, str], done: Change | None
    ) -> Answer:
        """Ask the question behind an answer that was changed for it alone."""
        turn = answer.turn
        if not goes_on(answer) and (done is None or done.answer is None):
            return self._unasked(turn + 1, after=turn)
        return await self._ask(turn + 1, own, {turn: done} if done else {})

    async def _change(
        self, answer: Answer, settled: Collection[int], changes: Mapping[int, Change]
    ) -> Change | None:
        """Decide whether an answer is changed, and say so."""
        turn = answer.turn
        if self.by.policy not in ADAPTIVE:
            return self._made(turn, why="policy") if turn in settled else None
        if turn not in self.labelled or (self.by.policy == "first_failing" and changes):
            return None
        score = await self.look(answer) if answer.outcome == "answered" else None
        if score is None:
            self._note(turn, is_made=False, why="unscored")
            return None
        if score == 1:
            self._note(turn, is_made=False, why="not_failing", score=score)
            return None
        return self._made(turn, why="failing", score=score)

    def _made(
        self,
        turn: int,
        *,
        why: Literal["policy", "failing"],
        before: int | None = None,
        score: Score | None = None,
    ) -> Change | None:
        """Make a change, if there is something to say, and say whether it was."""
        correction = self.corrections.get(turn, "")
        done = change(self.by.act, self.thread, turn, correction=correction)
        self._note(
            turn,
            is_made=done is not None,
            why=why if done is not None else "nothing_to_say",
            before=before,
            score=score,
        )
        return done

    def _note(
        self,
        turn: int,
        *,
        is_made: bool,
        why: Why,
        before: int | None = None,
        score: Score | None = None,
    ) -> None:
        self.on_intervention(
            Intervention(
                target=self.target.name,
                thread_id=self.thread.thread_id,
                turn=turn,
                before=before,
                act=self.by.act,
                is_made=is_made,
                why=why,
                score=score,
            )
        )

    async def _ask(
        self, turn: int, own: Mapping[int, str], changes: Mapping[int, Change]
    ) -> Answer:
        seen = exchange(
            self.thread,
            turn,
            own_answers=own,
            changes=changes,
            system=self.target.options.system,
        )
        return await put(seen, self._not_come(turn), target=self.target, grows=True)

    def _not_come(self, turn: int) -> Answer:
        return not_come(self.target, "intervention", self.thread, turn)

    def _unasked(self, turn: int, *, after: int) -> Answer:
        return unasked(self._not_come(turn), after=after)
