"""Conversations with a scripted target whose answers are changed on the way."""

import asyncio
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import get_args

import pytest

from threadmed.conversations import Intervened, Target, play
from threadmed.conversations.intervene import Look, Unlooked
from threadmed.conversations.interventions import FLAG
from threadmed.conversations.mitigation import load_mitigation
from threadmed.llm.model import (
    Failed,
    Replied,
    Reply,
    Request,
    ScriptedModel,
    request_key,
)
from threadmed.records import (
    Act,
    Answer,
    AnswerOutcome,
    Intervention,
    Policy,
    Score,
    Setting,
    Thread,
    ThreadId,
    Turn,
    Usage,
)
from threadmed.study import Answering, Intervening

THREAD = Thread(
    thread_id=ThreadId("THREAD_0001"),
    turns=tuple(
        Turn(question=f"Q{turn}", answer=f"A{turn}" if turn != 1 else None)
        for turn in range(4)
    ),
)
SCORED = (0, 1, 3)


class Talk:
    """A target that answers by what it is shown, and what was sent and said."""

    def __init__(
        self, say: Callable[[Request], str | Reply | Failed] | None = None
    ) -> None:
        self.say = say or (lambda request: f"to {request.messages[-1].content}")
        self.keys: list[str] = []
        self.sent: list[list[str]] = []
        self.answers: list[Answer] = []
        self.changes: list[Intervention] = []
        self.looked: list[int] = []

    async def ask(self, request: Request) -> Replied | Failed:
        key = request_key(ScriptedModel(lambda _: ""), request)
        self.keys.append(key)
        self.sent.append([message.content for message in request.messages])
        said = self.say(request)
        if isinstance(said, Failed):
            return said
        return Replied(
            key=key, reply=reply("answered", said) if isinstance(said, str) else said
        )

    def looks(self, by: Mapping[int, Score | Unlooked | None]) -> Look:
        async def look(answer: Answer) -> Score | Unlooked | None:
            self.looked.append(answer.turn)
            return by[answer.turn]

        return look

    def target(self, name: str = "tiny+arm") -> Target:
        return Target(name=name, ask=self.ask, options=Answering())

    def hold(
        self,
        policy: Policy,
        *,
        act: Act = "replace",
        labelled: Collection[int] = SCORED,
        scored: Collection[int] = SCORED,
        scores: Mapping[int, Score | Unlooked | None] | None = None,
        corrections: Mapping[int, str] | None = None,
        k: int = 2,
    ) -> "Talk":
        turns = (1, 2) if policy == "turns" else ()
        asyncio.run(
            Intervened(
                thread=THREAD,
                labelled=labelled,
                scored=scored,
                corrections=corrections or {},
                target=self.target(),
                by=Intervening(policy=policy, act=act, turns=turns, k=k),
                seed=1,
                look=self.looks(scores or {0: -1, 1: 0, 3: 1}),
                on_answer=self.answers.append,
                on_intervention=self.changes.append,
            ).play()
        )
        return self

    @property
    def heard(self) -> list[tuple[int, str]]:
        return [(answer.turn, answer.outcome) for answer in self.answers]

    @property
    def made(self) -> list[tuple[int, bool, str]]:
        return [(each.turn, each.is_made, each.why) for each in self.changes]


def reply(outcome: AnswerOutcome, text: str = "") -> Reply:
    return Reply(outcome=outcome, text=text, detail="", usage=Usage(), served_by="s")


def plain(settings: tuple[Setting, ...] = ("multi_turn",)) -> Talk:
    """The same target without an arm."""
    talk = Talk()
    asyncio.run(
        play(
            THREAD,
            SCORED,
            target=talk.target("tiny"),
            settings=settings,
            on_answer=talk.answers.append,
        )
    )
    return talk


@pytest.mark.parametrize("policy", get_args(Policy))
@pytest.mark.parametrize("act", get_args(Act))
def test_every_policy_and_act_answers_every_scored_turn_once(
    policy: Policy, act: Act
) -> None:
    talk = Talk().hold(policy, act=act)

    turns = [answer.turn for answer in talk.answers]
    assert sorted(set(turns)) == turns
    assert set(SCORED) <= set(turns)
    assert {answer.setting for answer in talk.answers} == {"intervention"}
    assert {answer.target for answer in talk.answers} == {"tiny+arm"}
    assert {answer.outcome for answer in talk.answers} == {"answered"}
    assert {each.act for each in talk.changes} <= {act}


@pytest.mark.parametrize("policy", get_args(Policy))
def test_what_comes_before_the_first_change_is_a_request_of_multi_turn(
    policy: Policy,
) -> None:
    talk, base = Talk().hold(policy, act="flag"), plain()

    first = min(each.turn for each in talk.changes if each.is_made)
    before = [answer for answer in talk.answers if answer.turn <= first]
    after = [answer for answer in talk.answers if answer.turn > first]
    assert {answer.request for answer in before} <= set(base.keys)
    assert not {answer.request for answer in after} & set(base.keys)


def test_the_first_answer_is_replaced_for_all_that_follows() -> None:
    talk = Talk().hold("first")

    assert talk.sent[-1] == ["Q0", "A0", "Q1", "to Q1", "Q2", "to Q2", "Q3"]
    assert talk.made == [(0, True, "policy")]


def test_given_turns_without_a_physicians_answer_stay_as_they_are() -> None:
    talk = Talk().hold("turns")

    assert talk.made == [(1, False, "nothing_to_say"), (2, True, "policy")]
    assert talk.sent[-1] == ["Q0", "to Q0", "Q1", "to Q1", "Q2", "A2", "Q3"]


def test_the_last_answer_is_changed_for_one_question_alone() -> None:
    talk = Talk().hold("last", act="flag")

    assert talk.heard == [(0, "answered"), (1, "answered"), (3, "answered")]
    assert [(each.turn, each.before) for each in talk.changes] == [(0, 1), (2, 3)]
    assert talk.sent[-1] == [
        "Q0", "to Q0", "Q1", "to Q1", "Q2", "to Q2", f"[{FLAG}]\n\nQ3",
    ]  # fmt: skip
    # What leads there is multi_turn's, and turn 0 has nothing before it.
    assert talk.answers[0].request in plain().keys
    assert len(set(talk.keys) - set(plain().keys)) == 2


def test_the_first_failing_answer_is_changed_and_no_other_is_looked_at() -> None:
    talk = Talk().hold("first_failing", scores={0: 1, 1: 0, 3: -1}, act="flag")

    assert talk.looked == [0, 1]
    assert talk.made == [(0, False, "not_failing"), (1, True, "failing")]
    assert [each.score for each in talk.changes] == [1, 0]


def test_every_failing_answer_is_changed_but_the_last_is_not_looked_at() -> None:
    talk = Talk().hold("every_failing", act="flag")

    assert talk.looked == [0, 1]
    assert talk.made == [(0, True, "failing"), (1, True, "failing")]


def test_only_labelled_turns_are_looked_at_and_controls_are_answered() -> None:
    talk = Talk().hold("every_failing", labelled=(1,), scored=(0, 1, 3), act="flag")

    assert talk.looked == [1]
    assert talk.heard[-1] == (3, "answered")


def test_controls_move_no_lot() -> None:
    # Among turns 0 to 2 the seed draws 0 and 2; before turn 2 there are 0 and 1 alone.
    few = Talk().hold("random", labelled=(2,), scored=(2,), k=2)
    more = Talk().hold("random", labelled=(2,), scored=(2, 3), k=2)
    alone = Talk().hold("random", labelled=(), scored=(3,), k=3)

    assert [turn for turn, _, _ in few.made] == [0, 1]
    assert few.made == more.made
    assert {turn for turn, _, _ in alone.made} == {0, 1, 2}


def test_a_control_behind_the_labelled_turns_comes_after_the_change_as_well() -> None:
    talk = Talk().hold("first", labelled=(0,), scored=(0, 2))

    assert talk.made == [(0, True, "policy")]
    assert talk.sent[-1][1] == "A0"


def test_an_answer_without_a_score_is_left_and_said_to_be() -> None:
    talk = Talk().hold("every_failing", scores={0: None, 1: None})

    assert talk.made == [(0, False, "unscored"), (1, False, "unscored")]
    assert [answer.request for answer in talk.answers] == plain().keys


def test_what_follows_an_answer_that_nobody_could_look_at_is_not_asked() -> None:
    talk = Talk().hold("every_failing", scores={0: 1, 1: Unlooked()})

    assert talk.heard == [
        (0, "answered"), (1, "answered"), (2, "failed"), (3, "failed"),
    ]  # fmt: skip
    assert talk.answers[-1].detail == (
        "whether the answer to turn 1 failed could not be found out"
    )
    assert len(talk.keys) == 2


def blocked_at(turn: int) -> Callable[[Request], str | Reply]:
    def say(request: Request) -> str | Reply:
        asked = request.messages[-1].content
        return reply("blocked") if asked.endswith(f"Q{turn}") else f"to {asked}"

    return say


def test_a_blocked_answer_is_no_failure_that_is_looked_at() -> None:
    talk = Talk(blocked_at(0)).hold("first_failing")

    assert talk.looked == []
    assert talk.made == [(0, False, "unscored")]
    assert talk.heard == [
        (0, "blocked"), (1, "failed"), (2, "failed"), (3, "failed"),
    ]  # fmt: skip


def test_a_conversation_goes_on_behind_a_broken_answer_that_is_replaced() -> None:
    talk = Talk(blocked_at(0)).hold("first")

    assert talk.heard == [
        (0, "blocked"), (1, "answered"), (2, "answered"), (3, "answered"),
    ]  # fmt: skip


def test_a_note_mends_no_broken_answer() -> None:
    talk = Talk(blocked_at(0)).hold("first", act="flag")

    assert talk.heard[1:] == [(1, "failed"), (2, "failed"), (3, "failed")]
    assert talk.answers[-1].detail == "turn 0 has no answer to go on from"


def test_the_last_answer_may_be_broken_where_it_is_replaced() -> None:
    replaced = Talk(blocked_at(2)).hold("last")
    flagged = Talk(blocked_at(2)).hold("last", act="flag")
    early = Talk(blocked_at(0)).hold("last", labelled=(3,), scored=(3,))

    assert replaced.heard[-1] == (3, "answered")
    assert flagged.heard[-1] == (3, "failed")
    assert early.heard == [(3, "failed")]
    assert early.made == []


def test_a_call_that_failed_ends_the_conversation() -> None:
    talk = Talk(lambda _: Failed(key="k", why="no route")).hold("first", act="flag")

    assert talk.answers[0].detail == "no route"
    assert talk.heard == [(turn, "failed") for turn in range(4)]
    assert len(talk.keys) == 1


def test_a_thread_without_scored_turns_is_not_asked() -> None:
    for policy in ("first", "last"):
        talk = Talk().hold(policy, labelled=(), scored=())  # type: ignore[arg-type]
        assert talk.keys == []


def test_a_prompt_in_two_calls_answers_with_its_own_notes() -> None:
    talk = Talk(
        lambda r: "NOTES" if "Do not answer" in r.messages[-1].content else "so"
    )
    by = load_mitigation("identify_first", folder=Path())
    target = Target(name="tiny+think", ask=talk.ask, options=Answering(), mitigation=by)
    asyncio.run(
        play(
            THREAD,
            (0,),
            target=target,
            settings=("multi_turn",),
            on_answer=talk.answers.append,
        )
    )

    assert len(talk.keys) == 2
    assert "NOTES" in talk.sent[1][-1]
    assert talk.answers[0].request == talk.keys[1]
    assert talk.answers[0].text == "so"


@pytest.mark.parametrize(
    ("said", "detail"),
    [
        (reply("blocked"), "the call before it: blocked"),
        (Failed(key="k", why="no route"), "the call before it: no route"),
    ],
)
def test_an_answer_without_its_notes_is_failed(
    said: Reply | Failed, detail: str
) -> None:
    talk = Talk(lambda _: said)
    target = Target(
        name="tiny+recap",
        ask=talk.ask,
        options=Answering(),
        mitigation=load_mitigation("recap", folder=Path()),
    )
    asyncio.run(
        play(
            THREAD,
            (0, 1),
            target=target,
            settings=("multi_turn",),
            on_answer=talk.answers.append,
        )
    )

    assert talk.heard == [(0, "failed"), (1, "failed")]
    assert talk.answers[0].detail == detail
    assert len(talk.keys) == 1
