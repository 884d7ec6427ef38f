import asyncio
import math
import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import pytest

from threadmed.errors import ModelError, ModelUnavailable, StudyError
from threadmed.llm.model import Reply, Request, RetryLater, Schema, request_content
from threadmed.llm.providers import open_model
from threadmed.records import Capabilities, Message, Model, Usage

if TYPE_CHECKING:
    from inspect_ai.model import ModelOutput

pytestmark = pytest.mark.usefixtures("acting")

SCHEMA = Schema(
    name="verdict",
    json='{"type": "object", "properties": {"score": {"enum": [-1, 0, 1]}}, '
    '"required": ["score"], "additionalProperties": false}',
)


class Acts:
    """What the provider does next, and what reached it."""

    def __init__(self) -> None:
        self.act: Callable[[], Any] = lambda: said("yes")
        self.seen: list[tuple[Any, Any]] = []
        self.retry: Any = False


NOW = Acts()


def said(text: str, stop: str = "stop", **usage: int | None) -> "ModelOutput":
    from inspect_ai.model import ModelOutput, ModelUsage

    counted: Any = usage or {"input_tokens": 10, "output_tokens": 5}
    output = ModelOutput.from_content("served-1", text, stop_reason=stop)  # type: ignore[arg-type]
    output.usage = None if "none" in usage else ModelUsage(**counted)
    return output


@pytest.fixture(scope="session")
def _acting_provider() -> None:
    from inspect_ai.model import ModelAPI, modelapi

    @modelapi(name="acting")
    class Acting(ModelAPI):
        async def generate(
            self,
            input: Any,  # noqa: A002 - the names are Inspect's
            tools: Any,
            tool_choice: Any,
            config: Any,
        ) -> Any:
            del tools, tool_choice
            NOW.seen.append((input, config))
            return NOW.act()

        def should_retry(self, ex: Exception) -> Any:
            del ex
            return NOW.retry


@pytest.fixture
def acting(_acting_provider: None) -> Iterator[Acts]:
    NOW.__init__()  # type: ignore[misc]
    yield NOW
    NOW.__init__()  # type: ignore[misc]


def entry(model: str = "inspect:acting/m", **more: Any) -> Model:
    return Model(name="target", model=model, **more)


def ask(
    text: str = "hello",
    *,
    environment: dict[str, str] | None = None,
    schema: Schema | None = None,
    **more: Any,
) -> Reply:
    async def once() -> Reply:
        model = open_model(entry(**more), environment=environment or {})
        request = Request(
            messages=(
                Message(role="system", content="Be kind."),
                Message(role="user", content="First."),
                Message(role="assistant", content="Said."),
                Message(role="user", content=text),
            ),
            max_tokens=64,
            schema=schema,
        )
        try:
            return await model.chat(request)
        finally:
            await model.close()

    return asyncio.run(once())


def test_a_reply_is_read_with_its_tokens_and_who_served_it(acting: Acts) -> None:
    acting.act = lambda: said(
        "It is not so.",
        input_tokens=100,
        output_tokens=50,
        input_tokens_cache_read=30,
        input_tokens_cache_write=20,
        reasoning_tokens=40,
    )

    assert ask() == Reply(
        outcome="answered",
        text="It is not so.",
        usage=Usage(
            tokens_in=150, tokens_out=50, cached_in=30, cache_write=20, reasoning=40
        ),
        served_by="served-1",
    )


def test_what_is_sent_is_what_is_recorded(acting: Acts) -> None:
    ask("so?", schema=SCHEMA, temperature=0.25)

    ((messages, config),) = acting.seen
    assert [(message.role, message.text) for message in messages] == [
        ("system", "Be kind."),
        ("user", "First."),
        ("assistant", "Said."),
        ("user", "so?"),
    ]
    model = open_model(entry(temperature=0.25), environment={})
    request = Request(messages=(), max_tokens=64, schema=SCHEMA)
    assert model.parameters(request) == {
        "model": "acting/m",
        "max_tokens": config.max_tokens,
        "temperature": config.temperature,
        "response_schema": {
            "name": "verdict",
            "json_schema": config.response_schema.json_schema.model_dump(
                exclude_none=True
            ),
        },
    }
    assert request_content(model, request)["model"] == "inspect:acting/m"


def test_retries_and_the_cache_of_inspect_are_off(acting: Acts) -> None:
    ask()

    ((_, config),) = acting.seen
    assert (config.max_retries, config.cache) == (0, False)


def test_what_a_study_says_of_a_model_holds_here_too(acting: Acts) -> None:
    takes = Capabilities(system=False, schema="none", temperature="none", reasoning=100)

    ask(schema=SCHEMA, capabilities=takes)

    ((messages, config),) = acting.seen
    assert (messages[0].role, messages[0].text) == ("user", "Be kind.\n\nFirst.")
    assert config.response_schema is None
    assert config.temperature is None
    assert config.max_tokens == 164


@pytest.mark.parametrize(
    ("make", "outcome", "text", "detail"),
    [
        (lambda: said("cut o", "max_tokens"), "truncated", "cut o", "max_tokens"),
        (lambda: said("cut o", "model_length"), "truncated", "cut o", "model_length"),
        (lambda: said("  "), "empty", "  ", "stop"),
        (lambda: said("I can", "content_filter"), "blocked", "I can", "I can"),
        (
            lambda: said("the prompt was filtered", "content_filter", none=1),
            "blocked",
            "",
            "the prompt was filtered",
        ),
        (lambda: said("fine", "unknown"), "answered", "fine", ""),
    ],
)
def test_how_a_reply_ended_is_an_outcome(
    acting: Acts,
    make: Callable[[], "ModelOutput"],
    outcome: str,
    text: str,
    detail: str,
) -> None:
    acting.act = make

    reply = ask()

    assert (reply.outcome, reply.text) == (outcome, text)
    assert detail in reply.detail


def test_a_reply_without_choices_is_empty(acting: Acts) -> None:
    from inspect_ai.model import ModelOutput

    acting.act = lambda: ModelOutput(model="served-1", error="nothing came")

    assert (ask().outcome, ask().detail) == ("empty", "nothing came")


def test_a_request_that_is_too_long_is_no_answer(acting: Acts) -> None:
    acting.act = lambda: said("maximum context is 10", "model_length", none=1)

    with pytest.raises(ModelUnavailable, match="maximum context is 10"):
        ask()


class Http(Exception):  # noqa: N818 - it stands for an SDK's
    def __init__(self, status: int, message: str, code: str | None = None) -> None:
        super().__init__(message)
        self.status_code = status
        self.code = code


def fail(error: Exception) -> Callable[[], Any]:
    def act() -> Any:
        raise error

    return act


@pytest.mark.parametrize(
    ("error", "retry", "expected"),
    [
        (Http(401, "wrong key"), False, ModelError),
        (Http(404, "no such model"), False, ModelError),
        (Http(429, "no quota", "insufficient_quota"), True, ModelError),
        (Http(400, "not like this"), False, ModelUnavailable),
        (Http(429, "slow down"), True, RetryLater),
        (Http(503, "busy"), True, RetryLater),
        (Http(503, "busy"), False, RetryLater),
        (ValueError("no JSON"), False, RetryLater),
        (ConnectionResetError(), False, RetryLater),
    ],
)
def test_what_may_succeed_later_is_told_from_what_never_will(
    acting: Acts, error: Exception, *, retry: bool, expected: type[Exception]
) -> None:
    acting.act, acting.retry = fail(error), retry

    with pytest.raises(expected, match=str(error) or type(error).__name__) as caught:
        ask()

    assert type(caught.value) is expected
    assert len(acting.seen) == 1


@pytest.mark.parametrize(("said_s", "after_s"), [(7.5, 7.5), (math.inf, None)])
def test_the_wait_that_a_provider_asks_for_is_handed_on(
    acting: Acts, said_s: float, after_s: float | None
) -> None:
    from inspect_ai.model._model import RetryDecision

    acting.act = fail(Http(429, "slow down"))
    acting.retry = RetryDecision.rate_limit(retry_after=said_s)

    with pytest.raises(RetryLater) as caught:
        ask()

    assert caught.value.after_s == after_s


def test_an_error_that_inspect_returns_does_not_repeat_the_request(
    acting: Acts,
) -> None:
    from inspect_ai.model._model_call import ModelCall

    acting.act = lambda: (
        Http(400, "not like this"),
        ModelCall.create({"messages": "the whole post"}, {}),
    )

    with pytest.raises(ModelUnavailable, match="not like this") as caught:
        ask()

    assert "the whole post" not in str(caught.value)


def test_no_key_shows_in_an_error(acting: Acts) -> None:
    acting.act = fail(Http(400, "bad key sk-very-secret-1 given"))

    with pytest.raises(ModelUnavailable) as caught:
        ask(environment={"ACTING_API_KEY": "sk-very-secret-1"})

    assert "sk-very-secret-1" not in str(caught.value)
    assert "***" in str(caught.value)


def test_a_key_that_is_not_there_is_one_line() -> None:
    with pytest.raises(ModelError, match="target: the environment has no MY_KEY"):
        open_model(entry(api_key_env="MY_KEY"), environment={})


def test_a_provider_that_inspect_does_not_know_is_one_line() -> None:
    with pytest.raises(StudyError, match="target: .*Model API nowhere"):
        open_model(entry("inspect:nowhere/m"), environment={})


def test_the_address_is_part_of_who_is_asked() -> None:
    model = open_model(entry(base_url="http://127.0.0.1:1/v1/"), environment={})

    assert model.identity == "inspect:acting/m at http://127.0.0.1:1/v1"


def test_without_the_extra_the_error_says_how_to_install_it() -> None:
    # In a process of its own, in which the package cannot be found.
    script = (
        "import sys\n"
        "sys.modules['inspect_ai'] = None\n"
        "from threadmed.llm.providers import open_model\n"
        "from threadmed.records import Model\n"
        "open_model(Model(name='a', model='inspect:mistral/m'), environment={})\n"
    )

    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False
    )

    assert "pip install 'threadmed[inspect]'" in done.stderr.splitlines()[-1]


@pytest.mark.parametrize("provider", ["openai", "openai-api/local"])
def test_one_attempt_is_one_request_to_the_server(
    serve: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, provider: str
) -> None:
    server = serve()
    monkeypatch.setenv("SOME_KEY", "sk-of-nobody")
    model = entry(f"inspect:{provider}/m", base_url=server.url, api_key_env="SOME_KEY")

    async def once(text: str) -> Reply:
        chat = open_model(model, environment={"SOME_KEY": "sk-of-nobody"})
        message = Message(role="user", content=text)
        try:
            return await chat.chat(Request(messages=(message,), max_tokens=64))
        finally:
            await chat.close()

    with pytest.raises(RetryLater):
        asyncio.run(once("[500] please"))
    with pytest.raises(ModelError):
        asyncio.run(once("[quota] please"))
    assert server.count("requests") == 2

    reply = asyncio.run(once("hello"))

    assert reply.text == "An answer of 1 messages."
    assert reply.served_by == "served-model-1"
    assert reply.usage == Usage(tokens_in=100, tokens_out=20)
