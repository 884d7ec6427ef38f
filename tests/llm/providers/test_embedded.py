import asyncio
import json

import pytest

from threadmed.errors import ModelError, ModelUnavailable
from threadmed.llm.model import Reply, Request, Schema
from threadmed.llm.providers import open_model
from threadmed.records import Message, Model

ENTRY = Model(name="small", model="embedded:smollm2-135m", in_flight=2)


def request(text: str, *, most: int = 24, schema: Schema | None = None) -> Request:
    messages = (Message(role="user", content=text),)
    return Request(messages=messages, max_tokens=most, schema=schema)


def ask(*requests: Request) -> list[Reply]:
    async def all_of_them() -> list[Reply]:
        model = open_model(ENTRY, environment={})
        try:
            return await asyncio.gather(*(model.chat(each) for each in requests))
        finally:
            await model.close()

    return asyncio.run(all_of_them())


def test_a_request_gets_the_same_text_whoever_else_asks() -> None:
    asked = [request(f"Is water with {what} good for me?") for what in ("salt", "ice")]

    (alone,) = ask(asked[0])
    _, beside = ask(asked[1], asked[0])

    assert alone.text == beside.text
    assert alone.text.strip()
    assert alone.usage.tokens_in > 5
    assert alone.served_by == "embedded:smollm2-135m"


def test_a_reply_that_is_cut_off_is_truncated() -> None:
    (reply,) = ask(request("Tell me all about the heart.", most=3))

    assert reply.outcome == "truncated"
    assert reply.usage.tokens_out == 3


def test_a_schema_is_followed() -> None:
    schema = {
        "type": "object",
        "properties": {"score": {"type": "integer", "enum": [-1, 0, 1]}},
        "required": ["score"],
    }

    (reply,) = ask(
        request("Score it.", schema=Schema(name="score", json=json.dumps(schema)))
    )

    assert reply.outcome == "answered"
    assert json.loads(reply.text)["score"] in {-1, 0, 1}


def test_a_request_that_is_too_long_is_refused_in_one_line() -> None:
    with pytest.raises(ModelUnavailable, match="embedded:smollm2-135m: .*context"):
        ask(request("word " * 9_000))


def test_a_model_that_is_not_there_names_those_that_are() -> None:
    with pytest.raises(ModelError, match="there is embedded:smollm2-135m"):
        open_model(Model(name="m", model="embedded:gpt-9"), environment={})
