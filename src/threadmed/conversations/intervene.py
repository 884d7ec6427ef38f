"""Plays one conversation in which some of the target's answers are changed."""

from collections.abc import Awaitable, Callable, Collection, Mapping
from typing import Literal

from msgspec.structs import replace

from threadmed.conversations.interventions import (
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


class Unlooked(Record, frozen=True, kw_only=True):
    """Nobody could be reached who would say whether an answer failed.

    What comes after it is not asked: a later run may find a failure there.
    """


Look = Callable[[Answer], Awaitable[Score | Unlooked | None]]
"""Scores an answer at once, for the policies that look for failures; None where what
was said of it holds no score."""


class Intervened(Record, frozen=True, kw_only=True):
    """One thread put to one target whose answers are changed on the way."""

    thread: Thread
    labelled: Collection[int]
    """The turns that carry a misconception; the policies that look, look there."""
    scored: Collection[int]
    """These, and the controls, which the conversation is held for as well."""
    corrections: Mapping[int, str]
    """What is right instead, by labelled turn."""
    target: Target
    by: Intervening
    seed: int
    look: Look
    on_answer: OnAnswer
    on_intervention: OnIntervention

    async def play(self) -> None:
        """Go turn by turn, to the last scored one."""
        if self.by.policy == "last":
            await self._before_each()
        else:
            await self._in_sequence()

    async def _in_sequence(self) -> None:
        """Change answers for all that follows."""
        own: dict[int, str] = {}
        changes: dict[int, Change] = {}
        broken, is_unlooked = None, False
        settled = chosen(self.by, self.thread, self._held, seed=self.seed)
        last = max(self.scored, default=-1)
        for turn in range(last + 1):
            if broken is not None:
                unasked_for = self._unlooked if is_unlooked else self._unasked
                self.on_answer(unasked_for(turn, after=broken))
                continue
            answer = await self._ask(turn, own, changes)
            self.on_answer(answer)
            own[turn] = answer.text
            done = (
                None if turn == last else await self._change(answer, settled, changes)
            )
            if isinstance(done, Change):
                changes[turn] = done
            if not _leads_on(answer, done):
                broken, is_unlooked = turn, isinstance(done, Unlooked)

    @property
    def _held(self) -> Collection[int]:
        """The turns that say among which answers are chosen.

        Controls move no lot, so that a study may get some later on.
        """
        draws = self.by.policy == "random" and max(self.labelled, default=0) > 0
        return self.labelled if draws else self.scored

    async def _before_each(self) -> None:
        """Change the last answer before each scored question, for it alone.

        What comes before that answer is the conversation of multi_turn, whose requests
        are shared.
        """
        own: dict[int, str] = {}
        broken: int | None = None
        last = max(self.scored, default=-1)
        for turn in range(last + 1):
            if turn in self.scored:
                self.on_answer(await self._after_last(turn, own, broken=broken))
            if turn < last and broken is None:
                answer = await self._ask(turn, own, {})
                own[turn] = answer.text
                broken = None if goes_on(answer) else turn

    async def _after_last(
        self, turn: int, own: Mapping[int, str], *, broken: int | None
    ) -> Answer:
        """Ask a question behind an answer that was changed for it alone."""
        if broken is not None and broken < turn - 1:
            return self._unasked(turn, after=broken)
        done = self._made(turn - 1, before=turn, why="policy") if turn else None
        if broken is not None and (done is None or done.answer is None):
            return self._unasked(turn, after=broken)
        return await self._ask(turn, own, {turn - 1: done} if done else {})

    async def _change(
        self, answer: Answer, settled: Collection[int], changes: Mapping[int, Change]
    ) -> Change | Unlooked | None:
        """Decide whether an answer is changed, and say so."""
        turn = answer.turn
        if not self.by.is_adaptive:
            return self._made(turn, why="policy") if turn in settled else None
        if turn not in self.labelled or (self.by.policy == "first_failing" and changes):
            return None
        score = await self.look(answer) if answer.outcome == "answered" else None
        if score is None or isinstance(score, Unlooked):
            self._note(turn, is_made=False, why="unscored")
            return score
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

    def _unlooked(self, turn: int, *, after: int) -> Answer:
        why = f"whether the answer to turn {after} failed could not be found out"
        return replace(self._not_come(turn), detail=why)


def _leads_on(answer: Answer, done: Change | Unlooked | None) -> bool:
    """Whether the conversation goes on behind an answer, with what was done to it."""
    if isinstance(done, Unlooked):
        return False
    return goes_on(answer) or (done is not None and done.answer is not None)
