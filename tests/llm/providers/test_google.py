import asyncio
from collections.abc import Mapping

import msgspec
import pytest

from threadmed.llm.model import Reply, Request, Schema
from threadmed.llm.providers.google import GoogleModel, read
from threadmed.records import Message, Model, Usage

SCHEMA = Schema(name="score", json='{"type": "object"}')
CONVERSATION = (
    Message(role="system", content="Be brief."),
    Message(role="user", content="Why?"),
    Message(role="assistant", content="So."),
    Message(role="user", content="And now?"),
)


def body(
    name: str, *messages: Message, schema: Schema | None = None, **more: object
) -> Mapping[str, object]:
    """Give what would be sent."""
    fields = {"name": "m", "model": f"google:{name}", **more}
    entry = msgspec.convert(fields, Model)
    opened = GoogleModel(entry, environment={"GOOGLE_API_KEY": "k"})
    asyncio.run(opened.close())
    return opened.body(Request(messages=messages, max_tokens=50, schema=schema))


def config(name: str, schema: Schema | None = None) -> Mapping[str, object]:
    sent = body(name, *CONVERSATION, schema=schema)["generationConfig"]
    assert isinstance(sent, dict)
    return sent


def test_an_assistant_is_a_model_and_the_system_text_stands_apart() -> None:
    sent = body("gemini-2.5-flash", *CONVERSATION)

    assert sent["systemInstruction"] == {"parts": [{"text": "Be brief."}]}
    assert sent["contents"] == [
        {"role": "user", "parts": [{"text": "Why?"}]},
        {"role": "model", "parts": [{"text": "So."}]},
        {"role": "user", "parts": [{"text": "And now?"}]},
    ]


def test_a_model_without_a_system_role_reads_that_text_first() -> None:
    sent = body("gemma-3-27b-it", *CONVERSATION)

    assert "systemInstruction" not in sent
    contents = sent["contents"]
    assert isinstance(contents, list)
    assert contents[0] == {"role": "user", "parts": [{"text": "Be brief.\n\nWhy?"}]}
    assert len(contents) == 3


def test_a_model_that_thinks_unasked_gets_room_for_it() -> None:
    assert config("gemini-2.5-flash")["maxOutputTokens"] == 50 + 8192
    assert config("gemini-2.5-flash-lite")["maxOutputTokens"] == 50
    assert config("gemini-2.0-flash")["maxOutputTokens"] == 50


def test_a_model_that_takes_no_temperature_is_sent_none() -> None:
    never = {"temperature": "none"}
    sent = body("gemini-2.5-flash", *CONVERSATION, capabilities=never)

    assert config("gemini-2.5-flash")["temperature"] == 0.0
    assert "temperature" not in str(sent)


def test_a_schema_is_sent_as_far_as_the_model_can_be_bound() -> None:
    bound = config("gemini-2.5-flash", SCHEMA)

    assert bound["responseMimeType"] == "application/json"
    assert bound["responseJsonSchema"] == {"type": "object"}
    assert "responseMimeType" not in config("gemma-3-27b-it", SCHEMA)


@pytest.mark.parametrize(
    "reply",
    [
        "",
        "null",
        "{}",
        '{"candidates": []}',
        '{"candidates": [null]}',
        '{"candidates": 1}',
    ],
)
def test_a_body_that_is_no_content_is_an_error(reply: str) -> None:
    with pytest.raises(ValueError, match="."):
        read(reply)


@pytest.mark.parametrize("usage", ["null", "{}", '{"promptTokenCount": -1}', "7"])
def test_a_reply_is_kept_though_its_tokens_cannot_be_read(usage: str) -> None:
    candidate = r'{"content": {"parts": [{"text": "a\ud800"}]}, "finishReason": "STOP"}'

    reply = read(f'{{"candidates": [{candidate}], "usageMetadata": {usage}}}')

    assert reply == Reply(outcome="answered", text="a?", usage=Usage(), served_by="")
