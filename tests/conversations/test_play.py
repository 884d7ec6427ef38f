import asyncio
from collections.abc import Callable, Collection, Sequence

import pytest

from threadmed.conversations import Target, play
from threadmed.llm.model import (
    Ask,
    Failed,
    Replied,
    Reply,
    Request,
    ScriptedModel,
    request_key,
)
from threadmed.records import (
    SETTINGS,
    Answer,
    AnswerOutcome,
    Setting,
    Thread,
    ThreadId,
    Turn,
    Usage,
)
from threadmed.study import Answering

THREAD = Thread(
    thread_id=ThreadId("THREAD_0001"),
    turns=tuple(
        Turn(question=f"Q{turn}", answer=f"A{turn}" if turn != 1 else None)
        for turn in range(4)
    ),
)

NOTHING_MORE = Answering()


def scripted(
    say: Callable[[Request], str | Reply | Failed],
) -> tuple[Ask, ScriptedModel]:
    model = ScriptedModel(lambda _: "")

    async def ask(request: Request) -> Replied | Failed:
        said = say(request)
        if isinstance(said, Failed):
            return said
        model.answer = lambda _: said
        reply = await model.chat(request)
        return Replied(key=request_key(model, request), reply=reply)

    return ask, model


def echo(request: Request) -> str:
    """Answer with the question and the number of messages seen."""
    return f"{request.messages[-1].content}/{len(request.messages)}"


def played(
    ask: Ask,
    labelled: Collection[int] = (0, 2),
    settings: Sequence[Setting] = SETTINGS,
    options: Answering = NOTHING_MORE,
) -> tuple[tuple[Answer, ...], list[Answer]]:
    heard: list[Answer] = []
    answers = asyncio.run(
        play(
            THREAD,
            labelled,
            target=Target(name="tiny", ask=ask, options=options),
            settings=settings,
            on_answer=heard.append,
        )
    )
    return answers, heard


def reply(outcome: AnswerOutcome, text: str = "") -> Reply:
    return Reply(outcome=outcome, text=text, detail="why", usage=Usage(), served_by="s")


def test_every_setting_is_asked_for_its_turns() -> None:
    ask, _ = scripted(echo)

    answers, heard = played(ask)

    assert [(answer.setting, answer.turn, answer.text) for answer in answers] == [
        ("multi_turn", 0, "Q0/1"),
        ("multi_turn", 1, "Q1/3"),
        ("multi_turn", 2, "Q2/5"),
        ("target_turn", 0, "Q0/1"),
        ("target_turn", 2, "Q2/3"),
        ("oracle", 2, "Q2/4"),
        ("isolated", 0, "Q0/1"),
        ("isolated", 2, "Q2/1"),
    ]
    assert {answer.outcome for answer in answers} == {"answered"}
    assert {(answer.target, answer.thread_id) for answer in answers} == {
        ("tiny", THREAD.thread_id)
    }
    assert sorted(heard, key=answers.index) == list(answers)


def test_the_first_question_is_one_request_in_three_settings() -> None:
    ask, _ = scripted(echo)

    answers, _ = played(ask)

    assert len({answer.request for answer in answers if answer.turn == 0}) == 1
    assert len({answer.request for answer in answers}) == 6


def test_multi_turn_goes_on_from_the_targets_own_answers() -> None:
    ask, model = scripted(echo)

    played(ask, settings=("multi_turn",))

    assert [message.content for message in model.requests[2].messages] == [
        "Q0",
        "Q0/1",
        "Q1",
        "Q1/3",
        "Q2",
    ]


def test_the_options_go_out_with_every_request() -> None:
    ask, model = scripted(echo)

    options = Answering(system="S", max_tokens=11, merge_questions=True)
    played(ask, (2,), ("target_turn", "isolated"), options)

    assert {request.max_tokens for request in model.requests} == {11}
    assert {request.schema for request in model.requests} == {None}
    assert [[m.content for m in request.messages] for request in model.requests] == [
        ["S", "Q0\n\nQ1\n\nQ2"],
        ["S", "Q2"],
    ]


def test_a_thread_without_a_misconception_is_not_asked() -> None:
    ask, model = scripted(echo)

    assert played(ask, labelled=()) == ((), [])
    assert model.requests == []


def test_a_cut_off_answer_goes_on_as_history() -> None:
    ask, model = scripted(lambda _: reply("truncated", "Half an"))

    answers, _ = played(ask, settings=("multi_turn",))

    assert [answer.outcome for answer in answers] == ["truncated"] * 3
    assert [message.content for message in model.requests[1].messages] == [
        "Q0",
        "Half an",
        "Q1",
    ]


@pytest.mark.parametrize(
    ("said", "outcome", "detail"),
    [
        (reply("blocked"), "blocked", "why"),
        (reply("blocked", "I must stop here"), "blocked", "why"),
        (reply("empty"), "empty", "why"),
        (reply("truncated"), "truncated", "why"),
        (Failed(key="k", why="no connection"), "failed", "no connection"),
    ],
)
def test_without_an_answer_a_conversation_ends_and_the_rest_is_not_sent(
    said: Reply | Failed, outcome: AnswerOutcome, detail: str
) -> None:
    def say(request: Request) -> str | Reply | Failed:
        return said if request.messages[-1].content == "Q1" else echo(request)

    ask, model = scripted(say)

    answers, heard = played(ask, labelled=(3,), settings=("multi_turn",))

    assert [answer.outcome for answer in answers] == [
        "answered",
        outcome,
        "failed",
        "failed",
    ]
    assert answers[1].detail == detail
    assert answers[1].request
    for answer in answers[2:]:
        assert answer.detail == "turn 1 has no answer to go on from"
        assert answer.request == ""
    assert heard == list(answers)
    assert [r.messages[-1].content for r in model.requests if len(r.messages) > 3] == []


def test_a_broken_conversation_leaves_the_other_settings_alone() -> None:
    def say(request: Request) -> str | Reply:
        return reply("blocked") if len(request.messages) == 1 else echo(request)

    ask, _ = scripted(say)

    answers, _ = played(ask, labelled=(2,))

    assert [(answer.setting, answer.outcome) for answer in answers] == [
        ("multi_turn", "blocked"),
        ("multi_turn", "failed"),
        ("multi_turn", "failed"),
        ("target_turn", "answered"),
        ("oracle", "answered"),
        ("isolated", "blocked"),
    ]


def test_an_answer_is_handed_on_before_the_next_one_exists() -> None:
    heard: list[int] = []
    at_request: list[int] = []

    async def ask(request: Request) -> Replied:
        at_request.append(len(heard))
        return Replied(key="k", reply=reply("answered", echo(request)))

    asyncio.run(
        play(
            THREAD,
            (3,),
            target=Target(name="tiny", ask=ask, options=Answering()),
            settings=("multi_turn",),
            on_answer=lambda answer: heard.append(answer.turn),
        )
    )

    assert at_request == [0, 1, 2, 3]


def test_what_needs_no_own_answer_is_asked_at_the_same_time() -> None:
    gate = asyncio.Barrier(3)  # the first of multi_turn and two of target_turn

    async def ask(request: Request) -> Replied:
        if all(message.role == "user" for message in request.messages):
            async with asyncio.timeout(5):
                await gate.wait()
        return Replied(key="k", reply=reply("answered", echo(request)))

    answers, _ = played(ask, labelled=(1, 2), settings=("multi_turn", "target_turn"))

    assert len(answers) == 5


def test_what_stops_the_run_is_not_taken_for_an_answer() -> None:
    async def ask(request: Request) -> Replied:
        raise LookupError(request.messages[-1].content)

    with pytest.raises(ExceptionGroup) as caught:
        played(ask)

    assert caught.group_contains(LookupError)
