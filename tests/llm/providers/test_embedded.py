import asyncio
import gc
import json
import threading
from pathlib import Path

import pytest

from threadmed.errors import ModelError, ModelUnavailable
from threadmed.llm.model import Reply, Request, Schema
from threadmed.llm.providers import open_model
from threadmed.llm.providers.embedded import EmbeddedModel, Instances
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


def loaded() -> list[threading.Thread]:
    return [each for each in threading.enumerate() if each.name.startswith("embedded")]


def wait_until_nothing_is_loaded() -> None:
    """Another test may have left a call that nobody waits for, or an error's frames."""
    gc.collect()
    for thread in loaded():
        thread.join(timeout=30)
    assert not loaded()


def test_models_of_the_same_weights_share_what_is_loaded_and_let_go_of_it() -> None:
    wait_until_nothing_is_loaded()
    first, second = (EmbeddedModel(ENTRY) for _ in range(2))

    async def both() -> None:
        await asyncio.gather(*(m.chat(request("Hi", most=1)) for m in (first, second)))
        await first.chat(request("Hi", most=1))
        assert 1 <= len(loaded()) <= 2
        await first.close()
        with pytest.raises(ModelError, match="embedded:smollm2-135m was closed"):
            await first.chat(request("Hi", most=1))
        await second.chat(request("Hi", most=1))
        await second.close()

    asyncio.run(both())

    wait_until_nothing_is_loaded()


def test_the_reply_to_a_request_that_nobody_waited_for_does_no_harm() -> None:
    async def leave() -> tuple[Reply, Reply]:
        model = EmbeddedModel(ENTRY)
        alone = await model.chat(request("Is tea good for me?"))
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.05):
                await model.chat(request("Tell me all about the heart.", most=40))
        after = await model.chat(request("Is tea good for me?"))
        await model.close()
        return alone, after

    alone, after = asyncio.run(leave())

    assert alone == after


def test_weights_that_cannot_be_loaded_are_one_line(tmp_path: Path) -> None:
    weights = tmp_path / "broken.gguf"
    weights.write_bytes(b"not weights")

    with pytest.raises(ModelError, match=r"loading broken\.gguf: "):
        asyncio.run(Instances(weights).complete({}))


def test_loading_and_asking_print_nothing(capfd: pytest.CaptureFixture[str]) -> None:
    ask(request("Hi", most=2))

    assert tuple(capfd.readouterr()) == ("", "")


def test_a_model_that_is_not_there_names_those_that_are() -> None:
    with pytest.raises(ModelError, match="there is embedded:smollm2-135m"):
        open_model(Model(name="m", model="embedded:gpt-9"), environment={})
