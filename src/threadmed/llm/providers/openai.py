"""OpenAI, and every server that speaks its chat completions protocol.

A server of one's own, or another company's, is reached by its address:
`model = "openai:NAME"` with `base_url`. Azure serves the same protocol at
`https://RESOURCE.openai.azure.com/openai/v1`; NAME is then that of the deployment, and
`api_key_env` names the variable that holds Azure's key. Where a deployment's name does
not say which model it is, `capabilities` says what it takes.
"""

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated

import msgspec

from threadmed.llm.model import Parameters, Reply, Request, plain
from threadmed.llm.providers.capabilities import (
    known,
    most_tokens,
    shape,
    temperature_of,
)
from threadmed.llm.providers.endpoint import Endpoint, endpoint
from threadmed.llm.providers.wire import decode, not_installed
from threadmed.records import AnswerOutcome, Model, Record, Usage

if TYPE_CHECKING:
    from openai import APIStatusError, AsyncOpenAI

    from threadmed.llm.providers.openai_batch import OpenAIBatches

OFFICIAL = "https://api.openai.com/v1"

FINISHED: Mapping[str, AnswerOutcome] = {
    "length": "truncated",
    "content_filter": "blocked",
}
"""What a finish_reason makes of a reply; others leave it to its text."""

BLOCKED = frozenset({"content_filter", "content_policy_violation", "invalid_prompt"})
"""Codes of an error that says that the prompt was held back, not that it was wrong."""

FLAGGED = re.compile(r"input was flagged|content management policy", re.IGNORECASE)
"""The same, said by servers that give no such code."""

EXHAUSTED = frozenset({"insufficient_quota", "billing_hard_limit_reached"})
"""Codes that say that the account has no money left, whatever the status."""


PLACE = re.compile(r"/|[A-Za-z]:[/\\]|~")
"""What the name of a file on some disk begins with, and no model's."""


class _Piece(Record, frozen=True, kw_only=True):
    """A part of a text; some servers give it in parts."""

    text: str = ""


class _Said(Record, frozen=True, kw_only=True):
    content: str | tuple[_Piece | str, ...] | None = None
    refusal: str | None = None

    @property
    def text(self) -> str:
        """Give the text, whole."""
        if isinstance(self.content, tuple):
            parts = (p if isinstance(p, str) else p.text for p in self.content)
            return plain("".join(parts))
        return plain(self.content or "")


class _Choice(Record, frozen=True, kw_only=True):
    message: _Said
    finish_reason: str | None = None


class _Completion(Record, frozen=True, kw_only=True):
    choices: Annotated[tuple[_Choice, ...], msgspec.Meta(min_length=1)]
    model: str | None = None
    usage: object = None


Count = Annotated[int, msgspec.Meta(ge=0, le=10**9)]


class _InDetail(Record, frozen=True, kw_only=True):
    cached_tokens: Count | None = None


class _OutDetail(Record, frozen=True, kw_only=True):
    reasoning_tokens: Count | None = None


class _Tokens(Record, frozen=True, kw_only=True):
    prompt_tokens: Count
    completion_tokens: Count = 0
    total_tokens: Count | None = None
    prompt_tokens_details: _InDetail | None = None
    completion_tokens_details: _OutDetail | None = None


class OpenAIModel:
    """A chat model behind the OpenAI protocol."""

    def __init__(self, entry: Model, *, environment: Mapping[str, str]) -> None:
        """Get ready; nothing is sent.

        Args:
            entry: How the study describes the model.
            environment: Holds the key, under OPENAI_API_KEY or the name that the
                entry gives. A server of one's own may do without.

        Raises:
            ModelError: If the SDK is not installed or the key is not there.
            StudyError: If the address holds a password.
        """
        self._entry = entry
        self._takes = known(entry)
        self._at = endpoint(entry, environment, "OPENAI_API_KEY", official=OFFICIAL)
        self._client = _client(entry, at=self._at)
        self.identity = f"openai:{self._at.name} at {self._at.url}"

    def parameters(self, request: Request) -> Parameters:
        """Say what will be sent beside the messages, and what is done to those."""
        sent: dict[str, object] = {
            "model": self._at.name,
            self._takes.max_tokens: most_tokens(self._entry, request),
        }
        temperature = temperature_of(self._entry)
        if temperature is not None:
            sent["temperature"] = temperature
        form = self._form(request)
        if form is not None:
            sent["response_format"] = form
        changes = shape(request.messages, self._takes).changes
        return sent | ({"messages_changed": list(changes)} if changes else {})

    def _form(self, request: Request) -> Mapping[str, object] | None:
        """Say how a reply is bound to the schema that is asked for."""
        if request.schema is None or self._takes.schema == "none":
            return None
        if self._takes.schema == "json":
            return {"type": "json_object"}
        schema = msgspec.json.decode(request.schema.json)
        return {
            "type": "json_schema",
            "json_schema": {"name": request.schema.name, "schema": schema},
        }

    def body(self, request: Request) -> Mapping[str, object]:
        """Give all that is sent, as the protocol has it."""
        sent = dict(self.parameters(request))
        sent.pop("messages_changed", None)
        shaped = shape(request.messages, self._takes)
        messages = [{"role": m.role, "content": m.content} for m in shaped.messages]
        return {"messages": messages, **sent}

    async def chat(self, request: Request) -> Reply:
        """Ask once.

        Raises:
            RetryLater: On overload, rate limits, broken connections and replies that
                are no chat completion.
            ModelUnavailable: If the server refuses this request as it is.
            ModelError: If the key, the quota or the model's name is wrong.
        """
        import aiohttp
        import openai

        body = self.body(request)
        try:
            # The client's own post: `create` goes through every message once more, to
            # turn Python's types into JSON's, which takes longer than sending it.
            raw = await self._client.post(
                "/chat/completions",
                body=body,
                cast_to=openai.HttpxBinaryResponseContent,
            )
        except openai.APIStatusError as error:
            return self._refusal(error)
        except (openai.APIError, aiohttp.ClientError, ValueError, OSError) as error:
            # A connection that broke, or took too long, or a reply that is no HTTP.
            raise self._at.broken(error) from None
        return self._at.read(raw.content, by=read, kind="chat completion")

    def _refusal(self, error: "APIStatusError") -> Reply:
        """Tell a blocked request from one that may succeed later, and from the rest."""
        code = getattr(error, "code", None)
        status = error.status_code
        why = self._at.said(status, error.message)
        if code in BLOCKED or (status in {400, 403} and FLAGGED.search(error.message)):
            return self._at.blocked(why)
        if code in EXHAUSTED:
            raise self._at.unusable(why) from None
        raise self._at.refused(error) from None

    def batches(self) -> "OpenAIBatches":
        """Give the way to the batch API."""
        from threadmed.llm.providers.openai_batch import OpenAIBatches

        return OpenAIBatches(self._client, at=self._at, body=self.body, read=read)

    async def close(self) -> None:
        """Close the connections."""
        await self._client.close()


def _client(entry: Model, *, at: Endpoint) -> "AsyncOpenAI":
    try:
        from openai import AsyncOpenAI, DefaultAioHttpClient

        transport = DefaultAioHttpClient()
    except (ImportError, RuntimeError):
        raise not_installed(entry, extra="openai") from None
    # Attempts are made in one place, so that they are counted and bounded.
    return AsyncOpenAI(
        api_key=at.key,
        base_url=at.url,
        max_retries=0,
        timeout=entry.timeout_s,
        http_client=transport,
    )


def read(body: bytes) -> Reply:
    """Read a completion.

    JSON may spell lone surrogates, which no file can hold: they are replaced.

    Raises:
        ValueError: If it is none, or says itself that the server broke off.
    """
    completion = decode(body, _Completion)
    choice = completion.choices[0]
    finish = choice.finish_reason or ""
    if finish == "error":
        raise ValueError("the server broke off")
    text = choice.message.text
    refusal = plain(choice.message.refusal or "")
    outcome: AnswerOutcome = "answered" if text.strip() else "empty"
    outcome = "blocked" if refusal else FINISHED.get(finish, outcome)
    return Reply(
        outcome=outcome,
        text=text,
        detail=refusal or ("" if outcome == "answered" else f"finish_reason {finish}"),
        usage=_usage(completion.usage),
        served_by=_snapshot(plain(completion.model or "")),
    )


def _snapshot(named: str) -> str:
    r"""Give the model's name; some servers give the place of its file on their disk.

    Example:
        >>> _snapshot("/home/me/models/a.gguf"), _snapshot("C:\\models\\a.gguf")
        ('a.gguf', 'a.gguf')
        >>> _snapshot("meta-llama/Llama-3.3-70B-Instruct")
        'meta-llama/Llama-3.3-70B-Instruct'
    """
    is_path = PLACE.match(named) is not None
    return re.split(r"[/\\]", named.rstrip("/\\"))[-1] if is_path else named


def _usage(raw: object) -> Usage:
    """Read the tokens; a reply was paid for though a server does not count well."""
    try:
        tokens = msgspec.convert(raw, _Tokens)
    except msgspec.ValidationError:
        return Usage()
    went_in = tokens.prompt_tokens_details or _InDetail()
    came_out = tokens.completion_tokens_details or _OutDetail()
    # Some servers leave reasoning out of what came out; it is in the total, and paid.
    rest = (tokens.total_tokens or 0) - tokens.prompt_tokens
    return Usage(
        tokens_in=tokens.prompt_tokens,
        tokens_out=max(tokens.completion_tokens, rest),
        cached_in=min(went_in.cached_tokens or 0, tokens.prompt_tokens),
        reasoning=came_out.reasoning_tokens or 0,
    )
