import asyncio
from collections.abc import Callable, Mapping

import msgspec
import pytest

from conftest import Server
from threadmed.llm.model import Reply, Request, Schema
from threadmed.llm.prices import cost_usd
from threadmed.llm.providers.anthropic import AnthropicModel, read
from threadmed.records import Message, Model, Price, Usage

SCHEMA = Schema(name="score", json='{"type": "object"}')
LONG = "What about this tablet? " * 250


def opened(name: str = "claude-haiku-4-5", **more: object) -> AnthropicModel:
    fields = {"name": "m", "model": f"anthropic:{name}", **more}
    entry = msgspec.convert(fields, Model)
    return AnthropicModel(entry, environment={"ANTHROPIC_API_KEY": "k"})


def request(*texts: str, schema: Schema | None = None, grows: bool = True) -> Request:
    """Ask and be answered by turns, in a conversation that goes on."""
    messages = [
        Message(role="assistant" if n % 2 else "user", content=text)
        for n, text in enumerate(texts)
    ]
    return Request(messages=tuple(messages), max_tokens=50, schema=schema, grows=grows)


def body(name: str, asked: Request, **more: object) -> Mapping[str, object]:
    model = opened(name, **more)
    asyncio.run(model.close())
    return model.body(asked)


def test_a_system_text_stands_beside_the_messages() -> None:
    system = Message(role="system", content="Be brief.")
    asked = Request(messages=(system, *request("Why?").messages), max_tokens=50)

    sent = body("claude-haiku-4-5", asked)

    assert sent["system"] == "Be brief."
    assert sent["messages"] == [{"role": "user", "content": "Why?"}]


def test_questions_that_follow_each_other_are_one_message_and_that_is_recorded() -> (
    None
):
    two = tuple(Message(role="user", content=text) for text in ("One?", "Two?"))
    asked = Request(messages=two, max_tokens=50)
    model = opened()
    asyncio.run(model.close())

    assert model.body(asked)["messages"] == [
        {"role": "user", "content": "One?\n\nTwo?"}
    ]
    assert model.parameters(asked)["messages_changed"] == ["joined"]
    assert "messages_changed" not in model.parameters(request("One?"))


@pytest.mark.parametrize(
    "name", ["claude-opus-4-8", "claude-sonnet-5", "claude-haiku-5-5"]
)
def test_models_that_take_no_temperature_are_sent_none(name: str) -> None:
    assert "temperature" not in body(name, request("Why?"))
    assert body("claude-opus-4-6", request("Why?"))["temperature"] == 0.0


def test_a_model_that_thinks_unasked_gets_room_for_it() -> None:
    assert body("claude-sonnet-5", request("Why?"))["max_tokens"] == 50 + 8192
    assert body("claude-opus-4-8", request("Why?"))["max_tokens"] == 50


def test_a_schema_is_sent_where_the_model_can_be_bound_to_it() -> None:
    asked = request("Why?", schema=SCHEMA)

    assert body("claude-haiku-4-5", asked)["output_config"] == {
        "format": {"type": "json_schema", "schema": {"type": "object"}}
    }
    assert "output_config" not in body("claude-3-5-haiku-20241022", asked)


def test_only_a_long_conversation_under_way_is_marked_for_the_cache() -> None:
    def is_marked(*texts: str, **more: object) -> bool:
        return "cache_control" in body("claude-opus-4-1", request(*texts), **more)

    assert is_marked(LONG, "Yes.", "And now?")
    assert not is_marked(LONG)
    assert not is_marked("Why?", "So.", "And now?")
    assert not is_marked(LONG, "Yes.", "And now?", capabilities={"cache": 0})
    alone = request(LONG, "Yes.", "And now?", grows=False)
    assert "cache_control" not in body("claude-opus-4-1", alone)


def test_a_growing_conversation_pays_for_each_turn_once(
    serve: Callable[..., Server],
) -> None:
    server = serve(wire="anthropic")
    texts = [LONG, "Yes.", LONG, "No.", LONG, "Yes.", LONG]

    async def turns() -> list[Reply]:
        # A model whose cache begins at 1,024 tokens.
        model = opened("claude-opus-4-1-new", base_url=server.url)
        try:
            return [
                await model.chat(request(*texts[:end]))
                for end in range(1, len(texts) + 1, 2)
            ]
        finally:
            await model.close()

    first, second, third, fourth = (reply.usage for reply in asyncio.run(turns()))

    assert (first.cached_in, first.cache_write) == (0, 0)
    assert second.cached_in == 0
    assert second.cache_write == second.tokens_in
    assert third.cached_in == second.tokens_in
    assert third.cache_write == third.tokens_in - second.tokens_in
    assert fourth.cached_in == third.tokens_in
    price = Price(input=1.0, output=0.0, cached_input=0.1, cache_write=1.25)
    paid = sum(cost_usd(price, usage) for usage in (second, third, fourth))
    plain = sum(usage.tokens_in for usage in (second, third, fourth)) / 1e6
    assert paid < 0.75 * plain


@pytest.mark.parametrize(
    "reply",
    [b"null", b"{}", b'{"type": "error"}', b'{"content": "hi"}', b'{"content": [{}]}'],
)
def test_a_body_that_is_no_message_is_an_error(reply: bytes) -> None:
    with pytest.raises(ValueError, match="."):
        read(reply)


@pytest.mark.parametrize("usage", [b"null", b"{}", b'{"input_tokens": -1}', b"7"])
def test_a_reply_is_kept_though_its_tokens_cannot_be_read(usage: bytes) -> None:
    reply = read(
        rb'{"content": [{"type": "text", "text": "a\ud800"}], "usage": ' + usage + b"}"
    )

    assert reply == Reply(outcome="answered", text="a?", usage=Usage(), served_by="")
