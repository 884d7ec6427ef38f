import asyncio
import time
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from conftest import Server
from threadmed.errors import ModelError, ModelUnavailable, StudyError
from threadmed.llm.engine import Engine
from threadmed.llm.journal import Journal
from threadmed.llm.model import Failed, Replied, Reply, Request, RetryLater, Schema
from threadmed.llm.providers import open_model
from threadmed.llm.providers.openai import OpenAIModel
from threadmed.records import Message, Model, Price, Usage

Serve = Callable[..., Server]
KEY = "sk-very-secret-0123456789"


def entry(server: Server | None = None, **more: object) -> Model:
    fields: dict[str, object] = {"name": "m", "model": "openai:some-model"}
    if server is not None:
        fields["base_url"] = server.url
    return Model(**(fields | more))  # type: ignore[arg-type]


def request(text: str, *, schema: Schema | None = None) -> Request:
    messages = (Message(role="user", content=text),)
    return Request(messages=messages, max_tokens=50, schema=schema)


def ask(
    model: Model,
    text: str,
    environment: Mapping[str, str] | None = None,
    times: int = 1,
) -> Reply:
    async def once() -> Reply:
        opened = open_model(model, environment=environment or {})
        try:
            for _ in range(times - 1):
                with pytest.raises(RetryLater):
                    await opened.chat(request(text))
            return await opened.chat(request(text))
        finally:
            await opened.close()

    return asyncio.run(once())


def test_a_reply_brings_its_text_its_tokens_and_who_served_it(serve: Serve) -> None:
    reply = ask(entry(serve()), "hello")

    assert reply.outcome == "answered"
    assert reply.text == "An answer of 1 messages."
    assert (reply.usage.tokens_in, reply.usage.tokens_out) == (100, 20)
    assert reply.served_by == "served-model-1"


@pytest.mark.parametrize(
    ("text", "outcome", "detail"),
    [
        ("[length]", "truncated", "finish_reason length"),
        ("[filter]", "blocked", "finish_reason content_filter"),
        ("[refusal]", "blocked", "I cannot help with that."),
        ("[empty]", "empty", "finish_reason stop"),
        ("[azure filter]", "blocked", "HTTP 400"),
    ],
)
def test_a_reply_that_is_no_answer_says_what_it_is(
    serve: Serve, text: str, outcome: str, detail: str
) -> None:
    reply = ask(entry(serve()), text)

    assert reply.outcome == outcome
    assert detail in reply.detail


@pytest.mark.parametrize(
    "text",
    [
        "[429 once]",
        "[500 once]",
        "[drop once]",
        "[half once]",
        "[garbage once]",
        "[html once]",
    ],
)
def test_what_may_succeed_later_asks_for_another_attempt(
    serve: Serve, text: str
) -> None:
    assert ask(entry(serve()), text, times=2).outcome == "answered"


@pytest.mark.parametrize(
    "body",
    [
        "null",
        "{}",
        '{"error": {"message": "busy"}}',
        '{"choices": []}',
        '{"choices": [null]}',
        '{"choices": [{"message": null}]}',
        '{"choices": [{"message": {"content": 3}}]}',
        "[" * 100_000,
    ],
)
def test_a_body_that_is_no_completion_asks_for_another_attempt_and_is_shown(
    serve: Serve, body: str
) -> None:
    with pytest.raises(RetryLater, match="is no chat completion") as caught:
        ask(entry(serve()), "[raw]" + body)

    assert body[:20] in str(caught.value)


@pytest.mark.parametrize(
    "usage",
    ["null", "{}", '{"prompt_tokens": null}', '{"prompt_tokens": -1}', "7", "1e99"],
)
def test_a_reply_is_kept_though_its_tokens_cannot_be_read(
    serve: Serve, usage: str
) -> None:
    body = '{"choices": [{"message": {"content": "hi"}}], "usage": %s}' % usage  # noqa: UP031 - braces of JSON

    reply = ask(entry(serve()), "[raw]" + body)

    assert reply == Reply(outcome="answered", text="hi", usage=Usage(), served_by="")


def test_half_a_character_is_replaced_since_no_file_can_hold_it(serve: Serve) -> None:
    reply = ask(
        entry(serve()), r'[raw]{"choices": [{"message": {"content": "a\ud800"}}]}'
    )

    assert reply.text == "a?"


def test_retry_after_is_read_from_the_reply(serve: Serve) -> None:
    with pytest.raises(RetryLater, match="HTTP 429: .*slow down") as caught:
        ask(entry(serve()), "[429 once]")

    assert caught.value.after_s == 0.2


@pytest.mark.parametrize(
    ("text", "error"),
    [("[400]", ModelUnavailable), ("[404]", ModelError), ("[quota]", ModelError)],
)
def test_what_cannot_succeed_is_told_from_what_breaks_the_model(
    serve: Serve, text: str, error: type[ModelError]
) -> None:
    with pytest.raises(error) as caught:
        ask(entry(serve()), text)

    assert caught.type is error


def test_a_wrong_key_breaks_the_model_and_is_not_shown(serve: Serve) -> None:
    model = entry(serve("--key", "right"), api_key_env="MY_KEY")

    with pytest.raises(
        ModelError, match=r"HTTP 401: .*wrong key Bearer \*\*\*"
    ) as caught:
        ask(model, "hello", {"MY_KEY": KEY})

    assert KEY not in str(caught.value)


def test_a_key_is_in_no_file_of_the_journal_and_in_no_failure(
    serve: Serve, tmp_path: Path
) -> None:
    model = entry(
        serve("--key", KEY),
        api_key_env="MY_KEY",
        price=Price(input=1.0, output=1.0),
        attempts=1,
    )

    written: list[bytes] = []

    async def some() -> list[Replied | Failed]:
        opened = open_model(model, environment={"MY_KEY": KEY})
        with Journal(tmp_path / "j.sqlite") as journal:
            engine = Engine(
                {"m": opened},
                entries={"m": model},
                journal=journal,
                clock=lambda: 1.0,
            )
            said = [
                await engine.ask("m", request(text), stage="answer")
                for text in ("hello", "[500]", "[400]", "[raw]" + KEY)
            ]
            await engine.close()
            written.extend(map(data, journal.path.parent.iterdir()))
        return said

    said = asyncio.run(some())

    assert [text for text in written if KEY.encode() in text] == []

    assert [type(each) for each in said] == [Replied, Failed, Failed, Failed]
    assert KEY not in repr(said)


def data(path: Path) -> bytes:
    return path.read_bytes() if "lock" not in path.name else b""


def test_a_password_in_an_address_is_refused_and_not_shown() -> None:
    model = entry(base_url=f"http://me:{KEY}@127.0.0.1:9/v1")

    with pytest.raises(StudyError, match="m: base_url holds a password") as caught:
        open_model(model, environment={})

    assert KEY not in str(caught.value)


def test_a_server_that_is_not_there_asks_for_another_attempt() -> None:
    model = entry(base_url="http://127.0.0.1:9/v1")

    with pytest.raises(RetryLater, match="ConnectionRefusedError"):
        ask(model, "hello")


def test_a_reply_that_takes_too_long_asks_for_another_attempt(serve: Serve) -> None:
    model = entry(serve("--latency", "2"), timeout_s=0.1)
    begin = time.monotonic()

    with pytest.raises(RetryLater, match="Timeout"):
        ask(model, "hello")

    assert time.monotonic() - begin < 2


def test_a_missing_key_names_the_variable_to_set() -> None:
    with pytest.raises(ModelError, match="the environment has no OPENAI_API_KEY"):
        open_model(entry(), environment={})


def test_a_key_that_the_study_names_must_be_there_for_a_server_of_ones_own() -> None:
    model = entry(base_url="http://127.0.0.1:9/v1", api_key_env="MY_KEY")

    with pytest.raises(ModelError, match="no MY_KEY"):
        open_model(model, environment={})


def test_an_unknown_provider_lists_those_that_there_are() -> None:
    with pytest.raises(StudyError, match="expected PROVIDER:MODEL .*openai, embedded"):
        open_model(Model(name="m", model="gpt-4o"), environment={})


def sent(model: Model, schema: Schema | None = None) -> Mapping[str, object]:
    opened = OpenAIModel(model, environment={"OPENAI_API_KEY": KEY})
    asyncio.run(opened.close())
    return opened.parameters(request("x", schema=schema))


def test_what_is_sent_names_the_limit_as_the_server_does() -> None:
    local = entry(base_url="http://127.0.0.1:9/v1")

    assert sent(entry())["max_completion_tokens"] == 50
    assert sent(local)["max_tokens"] == 50
    assert sent(entry(max_tokens=7))["max_completion_tokens"] == 7


def test_a_model_that_takes_no_temperature_is_sent_none() -> None:
    assert sent(entry())["temperature"] == 0.0
    assert "temperature" not in sent(entry(temperature="none"))


def test_a_schema_is_sent_as_the_form_of_the_reply() -> None:
    schema = Schema(name="score", json='{"type": "object"}')

    assert sent(entry(), schema)["response_format"] == {
        "type": "json_schema",
        "json_schema": {"name": "score", "schema": {"type": "object"}},
    }


def test_two_servers_are_two_models_though_they_name_it_alike() -> None:
    def identity(url: str) -> str:
        opened = OpenAIModel(entry(base_url=url), environment={})
        asyncio.run(opened.close())
        return opened.identity

    assert identity("http://127.0.0.1:1/v1") != identity("http://127.0.0.1:2/v1")
    assert identity("http://127.0.0.1:1/v1") == identity("http://127.0.0.1:1/v1/")
