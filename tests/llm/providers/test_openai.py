import asyncio
from collections.abc import Mapping

import msgspec
import pytest

from threadmed.llm.model import Reply, Request, Schema
from threadmed.llm.providers.openai import OpenAIModel, read
from threadmed.records import Message, Model, Usage

LOCAL = "http://127.0.0.1:9/v1"


def body(
    name: str, schema: Schema | None = None, **more: object
) -> Mapping[str, object]:
    """Give what would be sent."""
    fields = {"name": "m", "model": f"openai:{name}", **more}
    entry = msgspec.convert(fields, Model)
    opened = OpenAIModel(entry, environment={"OPENAI_API_KEY": "k"})
    asyncio.run(opened.close())
    messages = (
        Message(role="system", content="Be brief."),
        Message(role="user", content="Why?"),
    )
    return opened.body(Request(messages=messages, max_tokens=50, schema=schema))


SCHEMA = Schema(name="score", json='{"type": "object"}')


@pytest.mark.parametrize(
    "reply",
    [
        b"null",
        b"{}",
        b'{"error": {"message": "busy"}}',
        b'{"choices": []}',
        b'{"choices": [null]}',
        b'{"choices": [{"message": null}]}',
        b'{"choices": [{"message": {"content": 3}}]}',
        b"\xff\xfe",
        b"[" * 100_000,
    ],
)
def test_a_body_that_is_no_completion_is_an_error(reply: bytes) -> None:
    with pytest.raises(ValueError, match="."):
        read(reply)


@pytest.mark.parametrize(
    "usage",
    ["null", "{}", '{"prompt_tokens": null}', '{"prompt_tokens": -1}', "7", "1e99"],
)
def test_a_reply_is_kept_though_its_tokens_cannot_be_read(usage: str) -> None:
    reply = read(
        b'{"choices": [{"message": {"content": "hi"}}], "usage": '
        + usage.encode()
        + b"}"
    )

    assert reply == Reply(outcome="answered", text="hi", usage=Usage(), served_by="")


def test_half_a_character_is_replaced_since_no_file_can_hold_it() -> None:
    reply = read(rb'{"choices": [{"message": {"content": "a\ud800"}}]}')

    assert reply.text == "a?"


def test_a_server_that_counts_no_details_is_read_all_the_same() -> None:
    usage = b'{"prompt_tokens": 5, "completion_tokens": 3, "total_tokens": 8, '
    details = b'"prompt_tokens_details": null}'

    reply = read(
        b'{"choices": [{"message": {"content": "hi"}}], "usage": '
        + usage
        + details
        + b"}"
    )

    assert reply.usage == Usage(tokens_in=5, tokens_out=3)


def test_what_is_sent_names_the_limit_as_the_server_does() -> None:
    assert body("gpt-4o")["max_completion_tokens"] == 50
    assert body("some-model", base_url=LOCAL)["max_tokens"] == 50
    assert body("gpt-4o", max_tokens=7)["max_completion_tokens"] == 7
    own = {"max_tokens": "max_completion_tokens"}
    assert body("x", base_url=LOCAL, capabilities=own)["max_completion_tokens"] == 50


def test_a_model_that_reasons_gets_room_for_it_and_its_only_temperature() -> None:
    sent = body("gpt-5-mini")

    assert sent["temperature"] == 1.0
    assert sent["max_completion_tokens"] == 50 + 8192


def test_a_model_that_takes_no_temperature_is_sent_none() -> None:
    assert body("gpt-4o")["temperature"] == 0.0
    assert "temperature" not in body("gpt-4o", temperature="none")
    never = {"temperature": "none"}
    assert "temperature" not in body("gpt-4o", capabilities=never)


def test_a_schema_is_sent_as_far_as_the_model_can_be_bound() -> None:
    assert body("gpt-4o", SCHEMA)["response_format"] == {
        "type": "json_schema",
        "json_schema": {"name": "score", "schema": {"type": "object"}},
    }
    assert body("gpt-4-turbo", SCHEMA)["response_format"] == {"type": "json_object"}
    assert "response_format" not in body("gpt-4", SCHEMA)
    assert "response_format" not in body("gpt-4o")


def test_a_system_text_goes_before_the_question_where_there_is_no_such_role() -> None:
    sent = body("google/gemma-2-9b-it", base_url=LOCAL)

    assert sent["messages"] == [{"role": "user", "content": "Be brief.\n\nWhy?"}]
    assert "messages_changed" not in sent
