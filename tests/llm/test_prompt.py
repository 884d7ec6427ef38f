import asyncio
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from threadmed.errors import InputError
from threadmed.llm.model import (
    Ask,
    Failed,
    Replied,
    Reply,
    Request,
    ScriptedModel,
    request_key,
)
from threadmed.llm.prompt import (
    AGAIN,
    Malformed,
    Missing,
    Prompt,
    Reading,
    Understood,
    ask_for,
    fence,
    fill,
    load_prompt,
    read_verdict,
)
from threadmed.records import AnswerOutcome, Message, Usage

FILE = """Be fair.
---user---
{{#earlier}}
Earlier:
{{earlier}}
{{/earlier}}
Asked:
{{question}}
End.
"""


def write(folder: Path, text: str) -> Path:
    path = folder / "mine-v2.md"
    path.write_text(text, encoding="utf-8")
    return path


def load(path: Path) -> Prompt:
    return load_prompt(path, required={"question"}, optional={"earlier"})


# Reading prompt files


def test_a_prompt_file_gives_its_parts_and_its_hash(tmp_path: Path) -> None:
    prompt = load(write(tmp_path, FILE))

    assert prompt.name == "mine-v2"
    assert prompt.system == "Be fair."
    assert prompt.user.endswith("{{question}}\nEnd.")
    assert prompt.schema is None
    assert len(prompt.sha256) == 64


def test_the_hash_is_that_of_the_text_whatever_its_line_ends(tmp_path: Path) -> None:
    unix = load(write(tmp_path, FILE))
    dos_path = tmp_path / "mine-v2.md"
    dos_path.write_bytes(FILE.replace("\n", "\r\n").encode())

    assert load(dos_path) == unix
    dos_path.write_bytes(b"\xef\xbb\xbf" + FILE.encode())
    assert load(dos_path) == unix
    assert load(write(tmp_path, FILE + "!")).sha256 != unix.sha256


def test_a_schema_goes_with_its_prompt(tmp_path: Path) -> None:
    prompt = load(write(tmp_path, FILE + '---schema---\n{"type": "object"}\n'))

    assert prompt.schema is not None
    assert prompt.schema.name == "mine_v2"
    assert prompt.schema.json == '{"type": "object"}'


def test_a_prompt_may_do_without_a_system_part(tmp_path: Path) -> None:
    prompt = load(write(tmp_path, "---user---\n{{question}}"))

    assert [message.role for message in fill(prompt, {"question": ["Q"]})] == ["user"]


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("no user part {{question}}", "found none"),
        ("s\n---user---\na\n---user---\n{{question}}", "found user, user"),
        ("s\n---usr---\n{{question}}", "found usr"),
        ("s\n---user---\nQ: {{qestion}}", "unknown placeholder {{qestion}}"),
        ("s\n---user---\n{{ question }}", "unknown placeholder {{ question }}"),
        ("s\n---user---\n{{earlier}}", "{{question}} is missing"),
        ("{{question}}\n---user---\n{{question}}", "in the system part"),
        (
            "s\n---user---\n{{#earlier}}\n{{question}}\n{{/earlier}}",
            "{{question}} is missing",
        ),
        ("s\n---user---\n{{question}}\n{{#earlier}}\nnot closed", "{{#earlier}}"),
        (
            "s\n---user---\n{{question}}\n{{#late}}\nx\n{{/late}}",
            "placeholder {{late}}",
        ),
        ("s\n---user---\n{{question}}\n---schema---\n[1]", "is no JSON object"),
    ],
)
def test_a_wrong_prompt_file_is_named_with_what_is_wrong(
    tmp_path: Path, text: str, complaint: str
) -> None:
    path = write(tmp_path, text)

    with pytest.raises(InputError) as caught:
        load(path)

    assert str(path) in str(caught.value)
    assert complaint in str(caught.value)


def test_a_prompt_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"gone\.md: no such prompt file"):
        load(tmp_path / "gone.md")


def test_a_prompt_file_that_is_not_text_is_named(tmp_path: Path) -> None:
    (tmp_path / "mine.md").write_bytes(b"\xff\xfe\x00")

    with pytest.raises(InputError, match=r"mine\.md: cannot read"):
        load(tmp_path / "mine.md")


# Filling them


def test_a_section_without_anything_to_show_is_left_out(tmp_path: Path) -> None:
    prompt = load(write(tmp_path, FILE))

    user = fill(prompt, {"question": ["Q"], "earlier": []})[-1].content

    assert user == f"Asked:\n{fence('question', 'Q')}\nEnd."


def test_each_quoted_text_has_a_fence_of_its_own(tmp_path: Path) -> None:
    prompt = load(write(tmp_path, FILE))

    user = fill(prompt, {"question": ["Q"], "earlier": ["A", "B"]})[-1].content

    both = f"{fence('earlier', 'A')}\n{fence('earlier', 'B')}"
    assert user.startswith(f"Earlier:\n{both}\nAsked:\n")


@pytest.mark.parametrize(
    "text",
    ["{{earlier}}", "{{#earlier}}\nx\n{{/earlier}}", "{0} {name} {{{", "\\1 \\g<0>"],
)
def test_what_looks_like_a_placeholder_in_a_text_stays_as_it_is(
    tmp_path: Path, text: str
) -> None:
    prompt = load(write(tmp_path, FILE))

    user = fill(prompt, {"question": [text], "earlier": ["SECRET"]})[-1].content

    assert f"\n{text}\n" in user
    assert user.count("SECRET") == 1


@given(st.text())
def test_a_fence_does_not_occur_in_its_text_and_is_always_the_same(text: str) -> None:
    first, _, rest = fence("question", text).partition("\n")
    inside, _, last = rest.rpartition("\n")
    code = last.removesuffix(">>>")

    assert inside == text
    assert first == f"<<<question {code}"
    assert code not in text
    assert fence("question", text) == fence("question", text)


@given(st.text(alphabet="0123456789abcdef"))
def test_a_text_that_holds_its_code_gets_a_longer_one(text: str) -> None:
    code = fence("q", text, digits=1).rpartition("\n")[2].removesuffix(">>>")

    assert code not in text
    assert len(code) == 1 or code[:-1] in text


# Reading what comes back


def whole(value: object) -> int | None:
    return value if isinstance(value, int) else None


def verdict(text: str) -> Reading[int] | Malformed:
    return read_verdict(text, keys={"score"}, read=whole)


@pytest.mark.parametrize(
    "text",
    [
        '{"score": 1}',
        '```json\n{"why": "x", "score": 1}\n```',
        'Sure! Here it is: {"SCORE": 1}. Ask if unclear.',
        '{" Score ": 1}',
        '\\boxed{1} and {braces} of prose: {"score": 1}',
        '{"score": 1}\nAgain: {"Score": 1}',
        '{"note": "none"} {"score": 1}',
        '<think>If {"score": -1} then</think>{"score": 1}',
        '{"why": "a line\nand another", "score": 1}',
        '{"why": "he wrote {\\"score\\": -1} himself", "score": 1}',
        '{"why": {"score": -1}, "score": 1}',
        '[{"score": 1}]',
    ],
)
def test_a_verdict_is_read_whatever_is_around_it(text: str) -> None:
    reading = verdict(text)

    assert isinstance(reading, Reading)
    assert reading.value == 1


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "no JSON object with score"),
        ("The score is 1.", "no JSON object with score"),
        ('{"result": {"score": 1}}', "no JSON object with score"),
        ('"{\\"score\\": 1}"', "a JSON object that is broken"),
        ('{"score": 1} or {"score": 0}', "verdicts that contradict each other"),
        ('{"score": 1, "Score": 0}', "a JSON object that is broken"),
        ('{"score": 1', "a JSON object that is broken"),
        ("{'score': 1}", "a JSON object that is broken"),
        ('{"score": "high"}', "score is 'high'"),
        ('{"score": null} {"score": 1}', "score is None"),
        ('{"a":' * 100_000, "a JSON object that is broken"),
        ('{"score": ' + "9" * 5000 + "}", "a JSON object that is broken"),
    ],
)
def test_a_reply_without_one_clear_verdict_is_malformed(text: str, why: str) -> None:
    assert verdict(text) == Malformed(why=why)


@pytest.mark.parametrize(
    "text",
    [
        '{"why": "he says {"score": 1} himself", "score": -1}',
        "{'why': 'he says {\"score\": 1}', 'score': -1}",
        '{why: "he says {"score": 1}", score: -1}',
        '{"why": "he says {\\"score\\": 1} but {"score": 1}',
    ],
)
def test_a_verdict_within_a_broken_object_is_never_read(text: str) -> None:
    assert isinstance(verdict(text), Malformed)


def test_a_text_that_no_file_can_hold_is_mended() -> None:
    reading = verdict('{"score": 1, "why": "half \\ud83d a sign"}')

    assert isinstance(reading, Reading)
    assert reading.texts == {"why": "half ? a sign"}


@given(st.text() | st.text(alphabet='{}[]":, \\score10-'))
def test_no_text_breaks_the_reader(text: str) -> None:
    assert isinstance(verdict(text), Reading | Malformed)


@given(
    why=st.text(),
    score=st.integers(-9, 9),
    before=st.text(st.characters(exclude_characters="{}<")),
    after=st.text(st.characters(exclude_characters="{}")),
    fenced=st.booleans(),
)
def test_a_valid_object_within_prose_is_always_read(
    why: str, score: int, before: str, after: str, *, fenced: bool
) -> None:
    said = json.dumps({"why": why, "score": score})
    said = f"```json\n{said}\n```" if fenced else said

    reading = verdict(f"{before}{said}{after}")

    assert reading == Reading(value=score, texts={"why": why})


# Asking


def scripted(*said: str | Reply) -> tuple[Ask, ScriptedModel]:
    rest = list(said)
    model = ScriptedModel(lambda _: rest.pop(0))

    async def ask(request: Request) -> Replied | Failed:
        key = request_key(model, request)
        return Replied(key=key, reply=await model.chat(request))

    return ask, model


def reply(outcome: AnswerOutcome, text: str = "", detail: str = "") -> Reply:
    return Reply(
        outcome=outcome, text=text, detail=detail, usage=Usage(), served_by="s"
    )


QUESTION = Request(messages=(Message(role="user", content="Score it."),), max_tokens=9)


def asked(ask: Ask) -> Understood[Reading[int]] | Missing:
    return asyncio.run(ask_for(QUESTION, ask=ask, parse=verdict))


def test_a_good_reply_is_asked_for_once() -> None:
    ask, model = scripted('{"score": 1}')

    said = asked(ask)

    assert isinstance(said, Understood)
    assert said.value.value == 1
    assert said.request == request_key(model, QUESTION)
    assert model.requests == [QUESTION]


def test_an_unreadable_reply_is_followed_by_one_re_ask() -> None:
    ask, model = scripted("It is one.", '{"score": 1}')

    said = asked(ask)

    assert isinstance(said, Understood)
    assert said.request == request_key(model, model.requests[1])
    assert model.requests[1].messages == (
        *QUESTION.messages,
        Message(role="assistant", content="It is one."),
        Message(role="user", content=AGAIN),
    )


def test_two_unreadable_replies_are_malformed_and_the_last_one_is_shown() -> None:
    ask, model = scripted("It is one.", "I said " + "one " * 500)

    said = asked(ask)

    assert isinstance(said, Missing)
    assert said.why == "malformed"
    assert said.detail.startswith("no JSON object with score; the reply: I said one")
    assert len(said.detail) < 300
    assert said.request == request_key(model, model.requests[1])
    assert len(model.requests) == 2


@pytest.mark.parametrize("outcome", ["truncated", "empty", "failed"])
def test_a_reply_that_is_not_whole_is_asked_for_again(outcome: AnswerOutcome) -> None:
    ask, model = scripted(reply(outcome, '{"score": 1}'), '{"score": 0}')

    said = asked(ask)

    assert isinstance(said, Understood)
    assert said.value.value == 0
    assert len(model.requests) == 2


def test_the_re_ask_after_an_empty_reply_holds_no_empty_message() -> None:
    ask, model = scripted(reply("empty"), reply("empty"))

    said = asked(ask)

    assert isinstance(said, Missing)
    assert said.detail.startswith("a reply that is empty")
    again = Message(role="user", content=AGAIN)
    assert model.requests[1].messages == (*QUESTION.messages, again)


def test_a_blocked_reply_is_a_refusal_and_not_asked_for_again() -> None:
    ask, model = scripted(reply("blocked", '{"score": 1}', "content_filter"))

    said = asked(ask)

    key = request_key(model, QUESTION)
    assert said == Missing(why="refused", detail="content_filter", request=key)
    assert len(model.requests) == 1


def test_a_re_ask_may_be_refused() -> None:
    ask, _ = scripted("It is one.", reply("blocked", detail="content_filter"))

    said = asked(ask)

    assert isinstance(said, Missing)
    assert said.why == "refused"


def test_a_failed_request_is_final() -> None:
    async def ask(request: Request) -> Replied | Failed:
        assert request == QUESTION
        return Failed(key="k", why="no connection")

    assert asked(ask) == Missing(why="failed", detail="no connection", request="k")
