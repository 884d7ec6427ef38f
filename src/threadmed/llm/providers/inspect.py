"""The providers of Inspect AI, as in `inspect:mistral/mistral-large-latest`.

Inspect reaches many providers that have no module here. What it would do beyond one
attempt (retries, its cache, its own limit of calls) is switched off: the engine does
that, counts it and bounds it.
"""

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Never

import msgspec

from threadmed.errors import ModelError, ModelUnavailable, StudyError
from threadmed.llm.model import Parameters, Reply, Request, RetryLater, plain
from threadmed.llm.providers.capabilities import (
    known,
    most_tokens,
    shape,
    temperature_of,
)
from threadmed.llm.providers.wire import NEVER, SHOWN, address, not_installed, root
from threadmed.records import AnswerOutcome, Message, Model, Usage

if TYPE_CHECKING:
    from inspect_ai.model import (
        ChatMessage,
        GenerateConfig,
        ModelOutput,
        ResponseSchema,
    )
    from inspect_ai.model import Model as Inspected

WITH_RETRIES = frozenset(
    {"anthropic", "fireworks", "groq", "openai", "openai-api", "openrouter"}
)
"""Providers whose SDK retries by itself and can be told not to."""

SECRET = ("KEY", "TOKEN", "SECRET", "PASSWORD")
"""What the names of environment variables hold whose values are never shown."""

SHORTEST_SECRET = 8
"""A shorter value would be found in too many innocent words."""


class InspectModel:
    """A chat model that Inspect AI reaches."""

    def __init__(self, entry: Model, *, environment: Mapping[str, str]) -> None:
        """Get ready; nothing is sent.

        Args:
            entry: How the study describes the model.
            environment: Where `api_key_env` is looked up. Without that Inspect takes
                the provider's usual variable from the environment of the process.

        Raises:
            ModelError: If Inspect or the provider's SDK is not installed, or the key
                is not there.
            StudyError: If Inspect knows no such provider.
        """
        self._entry = entry
        self._takes = known(plainly(entry))
        self._name = entry.model.partition(":")[2]
        self._secrets = _secrets(environment)
        place = f" at {address(entry, '')}" if entry.base_url else ""
        self.identity = f"inspect:{self._name}{place}"
        self._model = self._open(environment)

    def _open(self, environment: Mapping[str, str]) -> "Inspected":
        entry = self._entry
        key = environment.get(entry.api_key_env, "") if entry.api_key_env else None
        if key == "":
            raise ModelError(
                f"{entry.name}: the environment has no {entry.api_key_env}; set it to "
                f"the key of {entry.model}"
            )
        try:
            from inspect_ai.model import GenerateConfig, get_model
        except ImportError as cause:
            raise not_installed(entry, extra="inspect") from cause
        try:
            return get_model(
                self._name,
                config=GenerateConfig(max_connections=entry.in_flight),
                base_url=entry.base_url,
                api_key=key,
                memoize=False,
                **_options(entry),
            )
        except ValueError as cause:
            raise StudyError(f"{entry.name}: {self._clean(cause)}") from None
        except Exception as cause:  # noqa: BLE001 - each provider raises its own
            raise ModelError(f"{entry.name}: {self._clean(cause)}") from None

    def parameters(self, request: Request) -> Parameters:
        """Say what is handed to Inspect, and what is done to the messages."""
        sent: dict[str, object] = {
            "model": self._name,
            "max_tokens": most_tokens(plainly(self._entry), request),
        }
        temperature = temperature_of(plainly(self._entry))
        if temperature is not None:
            sent["temperature"] = temperature
        if request.schema is not None and self._takes.schema != "none":
            sent["response_schema"] = {
                "name": request.schema.name,
                "json_schema": msgspec.json.decode(request.schema.json),
            }
        changes = shape(request.messages, self._takes).changes
        return sent | ({"messages_changed": list(changes)} if changes else {})

    async def chat(self, request: Request) -> Reply:
        """Ask once.

        Raises:
            RetryLater: If Inspect says that another attempt may succeed, or does not
                know what went wrong.
            ModelUnavailable: If the server refuses this request as it is.
            ModelError: If the key, the quota or the model's name is wrong.
        """
        config = one_attempt(config_for(self._entry, request))
        shaped = shape(request.messages, self._takes).messages
        try:
            output = await self._model.generate(
                chat_messages(shaped), config=config, cache=False
            )
        except Exception as error:  # noqa: BLE001 - each provider raises its own
            self._refuse(error)
        return reply_of(output)

    def _refuse(self, error: Exception) -> Never:
        """Tell what may succeed later from what never will."""
        from tenacity import RetryError

        cause: BaseException = error
        if isinstance(error, RetryError):
            cause = error.last_attempt.exception() or error
        status, why = _status(cause), self._clean(cause)
        quota = getattr(cause, "code", None) == "insufficient_quota"
        if status in NEVER or quota or type(cause).__name__ == "PrerequisiteError":
            raise ModelError(f"{self._entry.name}: {why}") from None
        if cause is error and status is not None and 400 <= status < 500:
            raise ModelUnavailable(why) from None
        after_s = self._after_s(cause)
        raise RetryLater(why, after_s=after_s, status=status) from None

    def _after_s(self, cause: BaseException) -> float | None:
        """Ask Inspect what the provider said about when to try again."""
        if not isinstance(cause, Exception):
            return None
        after = getattr(self._model.api.should_retry(cause), "retry_after", None)
        return after if after is not None and 0 <= after < math.inf else None

    def _clean(self, error: BaseException) -> str:
        """Bring an error to one line of bearable length, without keys."""
        # The whole text of some errors repeats the request, posts and all.
        said = getattr(error, "provider_message", None) or str(error)
        text = f"{type(error).__name__}: {said}" if said else root(error)
        for secret in self._secrets:
            text = text.replace(secret, "***")
        return _line(text)

    async def close(self) -> None:
        """Close the connections."""
        await self._model.api.aclose()


def _options(entry: Model) -> dict[str, Any]:
    """Say what a provider of Inspect's is told when it is opened."""
    provider = plainly(entry).model.partition(":")[0]
    options: dict[str, Any] = {"max_retries": 0} if provider in WITH_RETRIES else {}
    if provider == "openai" and entry.base_url:
        # Servers that are not OpenAI's own speak chat completions.
        options["responses_api"] = False
    return options


def _secrets(environment: Mapping[str, str]) -> tuple[str, ...]:
    """Give what must never be shown: Inspect's providers name their own variables."""
    return tuple(
        value
        for name, value in environment.items()
        if len(value) >= SHORTEST_SECRET and any(word in name for word in SECRET)
    )


def _status(error: BaseException) -> int | None:
    """Read the HTTP status that an SDK's error carries under one name or another."""
    for name in ("status_code", "code", "status"):
        found = getattr(error, name, None)
        if isinstance(found, int):
            return found
    return None


def chat_messages(messages: Sequence[Message]) -> "list[ChatMessage]":
    """Give messages in Inspect's own types."""
    from inspect_ai.model import (
        ChatMessageAssistant,
        ChatMessageSystem,
        ChatMessageUser,
    )

    kinds = {
        "system": ChatMessageSystem,
        "user": ChatMessageUser,
        "assistant": ChatMessageAssistant,
    }
    return [kinds[message.role](content=message.content) for message in messages]


def plainly(entry: Model) -> Model:
    """Name a model as its own provider's module would: Inspect changes no model.

    Example:
        >>> plainly(Model(name="a", model="inspect:openai/gpt-5")).model
        'openai:gpt-5'
    """
    provider, _, name = entry.model.partition(":")
    if provider != "inspect":
        return entry
    return msgspec.structs.replace(entry, model=name.replace("/", ":", 1))


def config_for(entry: Model, request: Request) -> "GenerateConfig":
    """Give what goes out beside the messages, as Inspect wants to be told."""
    from inspect_ai.model import GenerateConfig

    bare = plainly(entry)
    bound = known(bare).schema != "none"
    return GenerateConfig(
        max_tokens=most_tokens(bare, request),
        temperature=temperature_of(bare),
        response_schema=_response_schema(request) if bound else None,
    )


def one_attempt(config: "GenerateConfig") -> "GenerateConfig":
    """Switch off what the engine does itself."""
    return config.model_copy(
        update={"max_retries": 0, "adaptive_connections": False, "cache": False}
    )


def _response_schema(request: Request) -> "ResponseSchema | None":
    from inspect_ai.model import ResponseSchema
    from inspect_ai.util import JSONSchema

    if request.schema is None:
        return None
    return ResponseSchema(
        name=request.schema.name,
        json_schema=JSONSchema.model_validate_json(request.schema.json),
    )


def reply_of(output: "ModelOutput") -> Reply:
    """Read what Inspect brought back.

    Inspect reports some refusals of a server as outputs whose text is the server's
    message; they carry no usage, since nothing was generated.

    Raises:
        ModelUnavailable: If the request was too long for the model.
    """
    text = plain(output.completion)
    stop = "no choices" if output.empty else output.stop_reason
    if stop == "model_length" and output.usage is None:
        raise ModelUnavailable(_line(text))
    outcome = _outcome(stop, text)
    if outcome == "blocked" and output.usage is None:
        text = ""
    return Reply(
        outcome=outcome,
        text=text,
        detail="" if outcome == "answered" else _detail(output, stop),
        usage=_usage(output),
        served_by=plain(output.model),
    )


def _outcome(stop: str, text: str) -> AnswerOutcome:
    """Say how asking ended; a stop that is none of these leaves it to the text."""
    match stop:
        case "content_filter":
            return "blocked"
        case "max_tokens" | "model_length":
            return "truncated"
        case _:
            return "answered" if text.strip() else "empty"


def _detail(output: "ModelOutput", stop: str) -> str:
    """Say why a reply is not an answer, in the provider's words where there are any."""
    details = None if output.empty else output.choices[0].stop_details
    said = (details and details.explanation) or output.error
    if not said and stop == "content_filter":
        said = output.completion
    return _line(said or f"stop_reason {stop}")


def _line(text: str) -> str:
    """Bring a message to one line of bearable length."""
    return plain(" ".join(text.split()))[:SHOWN]


def _usage(output: "ModelOutput") -> Usage:
    """Count tokens; Inspect keeps cached ones apart from the rest of the input."""
    usage = output.usage
    if usage is None:
        return Usage()
    read, written = usage.input_tokens_cache_read, usage.input_tokens_cache_write
    return Usage(
        tokens_in=usage.input_tokens + (read or 0) + (written or 0),
        tokens_out=usage.output_tokens,
        cached_in=read or 0,
        cache_write=written or 0,
        reasoning=usage.reasoning_tokens or 0,
    )
