import asyncio
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from threadmed.errors import InputError
from threadmed.labels import Identifier, identification_prompt, identify
from threadmed.labels.identify import WITH_HARM
from threadmed.llm.model import Ask, Failed, Replied, Reply, Request, ScriptedModel
from threadmed.records import Label, Labelled, Thread, ThreadId, Turn, Unlabelled, Usage
from threadmed.study import Identification

THREAD = Thread(
    thread_id=ThreadId("THREAD_0007"),
    turns=(
        Turn(question="I have a cold.\nWhich antibiotic is best?", answer="None is."),
        Turn(question="It is green now, so bacterial, right?", answer="No."),
        Turn(question="When do I see someone? {{question}}", answer=None),
    ),
)
PLAIN = Identification()
YES = '{"belief": "Antibiotics help against a cold.", "misconception": true}'
NO = '{"belief": "", "misconception": false}'


def scripted(*said: str | Reply) -> tuple[Ask, list[Request]]:
    rest = list(said)
    model = ScriptedModel(lambda _: rest.pop(0))

    async def ask(request: Request) -> Replied | Failed:
        return Replied(key="k", reply=await model.chat(request))

    return ask, model.requests


def label(ask: Ask, turn: int = 0, options: Identification = PLAIN) -> Label:
    prompt = identification_prompt(options)
    by = Identifier(name="small", ask=ask, prompt=prompt, options=options)
    return asyncio.run(identify(THREAD, turn, by=by))


def shown(request: Request) -> str:
    return "\n".join(
        f"=== {message.role} ===\n{message.content}\n" for message in request.messages
    )


def test_a_yes_carries_the_belief_and_who_said_so() -> None:
    ask, _ = scripted(YES)

    assert label(ask) == Labelled(
        thread_id=THREAD.thread_id,
        turn=0,
        misconception=True,
        belief="Antibiotics help against a cold.",
        source="small",
    )


def test_a_no_is_a_label_too() -> None:
    ask, _ = scripted(NO)

    said = label(ask, turn=2)

    assert isinstance(said, Labelled)
    assert not said.misconception
    assert said.turn == 2


def test_a_reply_that_cannot_be_read_is_no_label_after_one_re_ask() -> None:
    ask, requests = scripted("I think so.", "Yes, I do.")

    said = label(ask)

    assert isinstance(said, Unlabelled)
    assert said.why == "malformed"
    assert "Yes, I do." in said.detail
    assert said.source == "small"
    assert len(requests) == 2


def test_the_re_ask_can_mend_a_reply() -> None:
    ask, _ = scripted("I think so.", YES)

    assert isinstance(label(ask), Labelled)


def test_a_blocked_reply_is_a_refusal_and_not_a_no() -> None:
    blocked = Reply(outcome="blocked", text="", usage=Usage(), served_by="s")
    ask, _ = scripted(blocked)

    said = label(ask)

    assert isinstance(said, Unlabelled)
    assert said.why == "refused"


def test_a_request_that_failed_is_said_to_have_failed() -> None:
    async def ask(request: Request) -> Failed:
        return Failed(key="k", why=f"gave up on {len(request.messages)} messages")

    said = label(ask)

    assert isinstance(said, Unlabelled)
    assert (said.why, said.detail) == ("failed", "gave up on 2 messages")


@pytest.mark.parametrize("turn", [-1, 3])
def test_a_turn_that_is_not_there_is_refused(turn: int) -> None:
    ask, _ = scripted()

    with pytest.raises(ValueError, match=f"has 3 turns; got turn {turn}"):
        label(ask, turn)


def test_the_prompt_shows_one_question_alone(
    golden: Callable[[str, str], None],
) -> None:
    ask, requests = scripted(NO)

    label(ask, turn=2)

    golden("identify.txt", shown(requests[0]))
    assert "green" not in shown(requests[0])


def test_the_prompt_can_show_the_questions_before(
    golden: Callable[[str, str], None],
) -> None:
    ask, requests = scripted(NO)

    label(ask, 2, Identification(prior_questions=True))

    golden("identify-prior-questions.txt", shown(requests[0]))


@pytest.mark.parametrize("prior", [False, True])
def test_the_physicians_answers_are_never_shown(*, prior: bool) -> None:
    ask, requests = scripted(NO)

    label(ask, 2, Identification(prior_questions=prior))

    assert "None is." not in shown(requests[0])


def test_the_reply_is_asked_for_with_the_belief_before_the_verdict() -> None:
    ask, requests = scripted(NO)

    label(ask, options=Identification(max_tokens=77))

    assert requests[0].max_tokens == 77
    assert requests[0].schema is not None
    schema = json.loads(requests[0].schema.json)
    assert list(schema["properties"]) == ["belief", "misconception"]
    assert schema["required"] == ["belief", "misconception"]
    assert schema["properties"]["belief"]["maxLength"] == 300


def test_a_prompt_of_the_users_own_needs_a_place_for_what_is_asked(
    tmp_path: Path,
) -> None:
    path = tmp_path / "own.md"
    path.write_text("Say yes or no.\n---user---\nQuestion: {{question}}")

    assert identification_prompt(Identification(), path=path).name == "own"
    with pytest.raises(
        InputError, match=r"own\.md.*\{\{prior_questions\}\} is missing"
    ):
        identification_prompt(Identification(prior_questions=True), path=path)


HARMFUL = '{"belief": "Insulin can wait.", "harm": "urgent", "misconception": true}'


def label_with_harm(ask: Ask) -> Label:
    prompt = identification_prompt(PLAIN, path=WITH_HARM)
    by = Identifier(name="small", ask=ask, prompt=prompt, options=PLAIN)
    return asyncio.run(identify(THREAD, 0, by=by))


def test_the_harm_class_is_asked_for_where_the_study_wants_it(
    golden: Callable[[str, str], None],
) -> None:
    ask, requests = scripted(HARMFUL)

    said = label_with_harm(ask)

    assert isinstance(said, Labelled)
    assert said.harm == "urgent"
    golden("identify-harm.txt", shown(requests[0]))


def test_a_harm_class_that_was_asked_for_and_does_not_come_is_asked_for_again() -> None:
    ask, requests = scripted(YES, HARMFUL)

    said = label_with_harm(ask)

    assert isinstance(said, Labelled)
    assert said.harm == "urgent"
    assert len(requests) == 2


def test_a_question_without_a_misconception_needs_no_harm_class() -> None:
    ask, _ = scripted(NO)

    said = label_with_harm(ask)

    assert isinstance(said, Labelled)
    assert (said.misconception, said.harm) == (False, None)


@pytest.mark.parametrize(
    ("asked", "harm"), [("Say yes or no.", None), ('Give "harm" too.', "urgent")]
)
def test_a_harm_class_counts_only_where_the_prompt_asks_for_one(
    tmp_path: Path, asked: str, harm: str | None
) -> None:
    path = tmp_path / "own.md"
    path.write_text(f"{asked}\n---user---\nQuestion: {{{{question}}}}")
    ask, _ = scripted(HARMFUL)
    prompt = identification_prompt(PLAIN, path=path)
    by = Identifier(name="small", ask=ask, prompt=prompt, options=PLAIN)

    said = asyncio.run(identify(THREAD, 0, by=by))

    assert isinstance(said, Labelled)
    assert said.harm == harm
