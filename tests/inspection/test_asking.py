import asyncio
from typing import Any

import pytest

from threadmed.inspection.asking import (
    Shared,
    as_given,
    as_judged,
    ask_through,
    judge_model,
    unwrapped,
)
from threadmed.llm.model import Failed, Replied, Request
from threadmed.records import Message, Model

REQUEST = Request(messages=(Message(role="user", content="hello"),), max_tokens=8)


def mock(act: Any) -> Any:
    from inspect_ai.model import get_model

    return get_model("mockllm/m", custom_outputs=act)


def output(text: str, *, stop: str = "stop", is_counted: bool = True) -> Any:
    from inspect_ai.model import ModelOutput, ModelUsage

    said = ModelOutput.from_content("m", text, stop_reason=stop)  # type: ignore[arg-type]
    said.usage = ModelUsage(input_tokens=1, output_tokens=1) if is_counted else None
    return said


def test_equal_requests_under_way_are_one_call() -> None:
    calls: list[str] = []

    async def slowly(*_: object) -> Any:
        calls.append("begun")
        await asyncio.sleep(0.01)
        return output(f"reply {len(calls)}")

    async def twenty() -> list[Replied | Failed]:
        ask = ask_through(Shared(), mock(slowly), configure=as_given, epoch=1)
        return await asyncio.gather(*(ask(REQUEST) for _ in range(20)))

    replies = asyncio.run(twenty())

    assert calls == ["begun"]
    assert {r.reply.text for r in replies if isinstance(r, Replied)} == {"reply 1"}


def test_a_call_that_failed_is_tried_again_by_who_waited_for_it() -> None:
    calls: list[str] = []

    async def once(*_: object) -> Any:
        calls.append("begun")
        await asyncio.sleep(0.01)
        if len(calls) == 1:
            raise ConnectionError("away")
        return output("here")

    async def two() -> list[Any]:
        ask = ask_through(Shared(), mock(once), configure=as_given, epoch=1)
        return await asyncio.gather(ask(REQUEST), ask(REQUEST), return_exceptions=True)

    first, second = asyncio.run(two())

    assert isinstance(first, ConnectionError)
    assert isinstance(second, Replied)
    assert second.reply.text == "here"


def test_a_request_that_is_too_long_for_the_model_failed() -> None:
    async def one() -> Replied | Failed:
        model = mock([output("too long", stop="model_length")])
        # The mock counts tokens where the output has none: take that away again.
        generate = model.api.generate

        async def uncounted(*args: Any, **named: Any) -> Any:
            said, call = await generate(*args, **named)
            said.usage = None
            return said, call

        model.api.generate = uncounted
        return await ask_through(Shared(), model, configure=as_given, epoch=1)(REQUEST)

    said = asyncio.run(one())

    assert isinstance(said, Failed)
    assert said.why == "too long"


def test_what_a_role_says_of_itself_goes_before_the_study() -> None:
    from inspect_ai.model import GenerateConfig, get_model

    entry = Model(name="judge", model="openai:gpt-4o", temperature=0.0, max_tokens=50)
    model = get_model("mockllm/m", config=GenerateConfig(temperature=0.7))

    config = as_judged(entry, model)(REQUEST)

    assert (config.temperature, config.max_tokens) == (0.7, 50)


def test_a_judge_behind_an_address_speaks_chat_completions(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("JUDGE_KEY", "of-nobody")
    url = "http://127.0.0.1:1/v1"
    entry = Model(
        name="judge", model="openai:gpt-5", base_url=url, api_key_env="JUDGE_KEY"
    )

    model = judge_model(entry)

    assert (model.api.base_url, model.api.api_key) == (url, "of-nobody")
    assert model.role == "judge"
    assert model.api.responses_api is False


def test_a_lone_error_leaves_its_group() -> None:
    with pytest.raises(KeyError, match="inner"), unwrapped():
        raise ExceptionGroup("outer", [ExceptionGroup("middle", [KeyError("inner")])])
