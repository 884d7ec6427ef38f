"""Anthropic's messages protocol.

A growing conversation is marked for the prompt cache: each turn then pays a tenth for
what was said at the turns before.
"""

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated

import msgspec

from threadmed.llm.model import Parameters, Reply, Request, plain
from threadmed.llm.providers.capabilities import (
    grows,
    known,
    most_tokens,
    shape,
    temperature_of,
)
from threadmed.llm.providers.endpoint import Endpoint, endpoint
from threadmed.llm.providers.wire import decode, not_installed
from threadmed.records import AnswerOutcome, Model, Record, Usage

if TYPE_CHECKING:
    from anthropic import APIStatusError, AsyncAnthropic

    from threadmed.llm.providers.anthropic_batch import AnthropicBatches

OFFICIAL = "https://api.anthropic.com"

FINISHED: Mapping[str, AnswerOutcome] = {
    "max_tokens": "truncated",
    "model_context_window_exceeded": "truncated",
    "refusal": "blocked",
}
"""What a stop_reason makes of a reply; others leave it to its text."""

EXHAUSTED = re.compile(r"credit balance|API usage limits", re.IGNORECASE)
"""How an account without money is told: as a bad request."""

FILTERED = re.compile(r"content filtering policy", re.IGNORECASE)
"""How a reply that was held back is told: as a bad request, too."""


class _Block(Record, frozen=True, kw_only=True):
    type: str
    text: str | None = None


class _Message(Record, frozen=True, kw_only=True):
    content: tuple[_Block, ...]
    model: str | None = None
    stop_reason: str | None = None
    usage: object = None


Count = Annotated[int, msgspec.Meta(ge=0, le=10**9)]


class _OutDetail(Record, frozen=True, kw_only=True):
    thinking_tokens: Count | None = None


class _Tokens(Record, frozen=True, kw_only=True):
    input_tokens: Count
    output_tokens: Count = 0
    cache_read_input_tokens: Count | None = None
    cache_creation_input_tokens: Count | None = None
    output_tokens_details: _OutDetail | None = None


class AnthropicModel:
    """A chat model behind the messages protocol."""

    def __init__(self, entry: Model, *, environment: Mapping[str, str]) -> None:
        """Get ready; nothing is sent.

        Args:
            entry: How the study describes the model.
            environment: Holds the key, under ANTHROPIC_API_KEY or the name that the
                entry gives.

        Raises:
            ModelError: If the SDK is not installed or the key is not there.
            StudyError: If the address holds a password.
        """
        self._entry = entry
        self._takes = known(entry)
        self._at = endpoint(entry, environment, "ANTHROPIC_API_KEY", official=OFFICIAL)
        self._client = _client(entry, at=self._at)
        self.identity = f"anthropic:{self._at.name} at {self._at.url}"

    def parameters(self, request: Request) -> Parameters:
        """Say what will be sent beside the messages, and what is done to those."""
        sent: dict[str, object] = {
            "model": self._at.name,
            "max_tokens": most_tokens(self._entry, request),
        }
        temperature = temperature_of(self._entry)
        if temperature is not None:
            sent["temperature"] = temperature
        if request.schema is not None and self._takes.schema == "schema":
            schema = msgspec.json.decode(request.schema.json)
            sent["output_config"] = {
                "format": {"type": "json_schema", "schema": schema}
            }
        if request.grows and grows(request.messages, self._takes):
            # The marker goes to the last block: all of it comes again at the next
            # turn, and what the turn before wrote is found from there.
            sent["cache_control"] = {"type": "ephemeral"}
        changes = shape(request.messages, self._takes).changes
        return sent | ({"messages_changed": list(changes)} if changes else {})

    def body(self, request: Request) -> Mapping[str, object]:
        """Give all that is sent, as the protocol has it."""
        sent = dict(self.parameters(request))
        sent.pop("messages_changed", None)
        shaped = shape(request.messages, self._takes).messages
        system = "\n\n".join(m.content for m in shaped if m.role == "system")
        messages = [
            {"role": m.role, "content": m.content} for m in shaped if m.role != "system"
        ]
        return {"messages": messages, **sent} | ({"system": system} if system else {})

    async def chat(self, request: Request) -> Reply:
        """Ask once.

        Raises:
            RetryLater: On overload, rate limits, broken connections and replies that
                are no message.
            ModelUnavailable: If the server refuses this request as it is.
            ModelError: If the key, the balance or the model's name is wrong.
        """
        import aiohttp
        import anthropic

        sent = dict(self.body(request))
        needed = {name: sent.pop(name) for name in ("model", "max_tokens", "messages")}
        try:
            # The SDK's newer versions have no word for what older models take, such as
            # a temperature.
            raw = await self._client.messages.with_raw_response.create(
                **needed, extra_body=sent
            )  # type: ignore[call-overload]
        except anthropic.APIStatusError as error:
            return self._refusal(error)
        except (
            anthropic.APIError,
            aiohttp.ClientError,
            ValueError,
            OSError,
        ) as error:
            # A connection that broke, or took too long, or a reply that is no HTTP.
            raise self._at.broken(error) from None
        return self._at.read(raw.http_response.content, by=read, kind="message")

    def _refusal(self, error: "APIStatusError") -> Reply:
        """Tell a blocked request from one that may succeed later, and from the rest."""
        status = error.status_code
        why = self._at.said(status, error.message)
        if status == 400 and FILTERED.search(error.message):
            return self._at.blocked(why)
        if status == 400 and EXHAUSTED.search(error.message):
            raise self._at.unusable(why) from None
        raise self._at.refused(error) from None

    def batches(self) -> "AnthropicBatches":
        """Give the way to the batch API."""
        from threadmed.llm.providers.anthropic_batch import AnthropicBatches

        return AnthropicBatches(self._client, at=self._at, body=self.body, read=read)

    async def close(self) -> None:
        """Close the connections."""
        await self._client.close()


def _client(entry: Model, *, at: Endpoint) -> "AsyncAnthropic":
    try:
        from anthropic import AsyncAnthropic, DefaultAioHttpClient

        transport = DefaultAioHttpClient()
    except (ImportError, RuntimeError):
        raise not_installed(entry, extra="anthropic") from None
    # Attempts are made in one place, so that they are counted and bounded.
    return AsyncAnthropic(
        api_key=at.key,
        base_url=at.url,
        max_retries=0,
        timeout=entry.timeout_s,
        http_client=transport,
    )


def read(body: bytes) -> Reply:
    """Read a message; its thoughts are no part of the text.

    Raises:
        ValueError: If it is none.
    """
    message = decode(body, _Message)
    text = plain("".join(b.text or "" for b in message.content if b.type == "text"))
    stop = message.stop_reason or ""
    outcome: AnswerOutcome = "answered" if text.strip() else "empty"
    outcome = FINISHED.get(stop, outcome)
    return Reply(
        outcome=outcome,
        text=text,
        detail="" if outcome == "answered" else f"stop_reason {stop}",
        usage=_usage(message.usage),
        served_by=plain(message.model or ""),
    )


def _usage(raw: object) -> Usage:
    """Read the tokens; those that touch the cache are counted apart from the input."""
    try:
        tokens = msgspec.convert(raw, _Tokens)
    except msgspec.ValidationError:
        return Usage()
    found = tokens.cache_read_input_tokens or 0
    written = tokens.cache_creation_input_tokens or 0
    came_out = tokens.output_tokens_details or _OutDetail()
    return Usage(
        tokens_in=tokens.input_tokens + found + written,
        tokens_out=tokens.output_tokens,
        cached_in=found,
        cache_write=written,
        reasoning=came_out.thinking_tokens or 0,
    )
