"""OpenAI, and every server that speaks its chat completions protocol."""

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated
from urllib.parse import urlsplit

import msgspec

from threadmed.errors import ModelError, ModelUnavailable, StudyError
from threadmed.llm.model import Parameters, Reply, Request, RetryLater, plain
from threadmed.records import AnswerOutcome, Model, Record, Usage

if TYPE_CHECKING:
    from openai import APIStatusError, AsyncOpenAI

OFFICIAL = "https://api.openai.com/v1"

FINISHED: Mapping[str, AnswerOutcome] = {
    "length": "truncated",
    "content_filter": "blocked",
}
"""What a finish_reason makes of a reply; others leave it to its text."""

WAIT_FOR = frozenset({408, 409, 425, 429})
"""Statuses below 500 after which another attempt may succeed."""

NEVER = frozenset({401, 402, 403, 404})
"""Statuses after which no request to this model will succeed."""


class _Said(Record, frozen=True, kw_only=True):
    content: str | None = None
    refusal: str | None = None


class _Choice(Record, frozen=True, kw_only=True):
    message: _Said
    finish_reason: str | None = None


class _Completion(Record, frozen=True, kw_only=True):
    choices: Annotated[tuple[_Choice, ...], msgspec.Meta(min_length=1)]
    model: str | None = None
    usage: object = None


Count = Annotated[int, msgspec.Meta(ge=0, le=10**9)]


class _Tokens(Record, frozen=True, kw_only=True):
    prompt_tokens: Count
    completion_tokens: Count = 0


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
        self._name = entry.model.partition(":")[2]
        self._url = _address(entry)
        self._key = _key(entry, environment)
        self._client = _client(entry, url=self._url, key=self._key)
        self.identity = f"openai:{self._name} at {self._url}"

    def parameters(self, request: Request) -> Parameters:
        """Say what will be sent beside the messages."""
        most = "max_tokens" if self._entry.base_url else "max_completion_tokens"
        sent: dict[str, object] = {
            "model": self._name,
            most: self._entry.max_tokens or request.max_tokens,
        }
        if self._entry.temperature != "none":
            sent["temperature"] = self._entry.temperature
        if request.schema is not None:
            sent["response_format"] = {
                "type": "json_schema",
                "json_schema": {
                    "name": request.schema.name,
                    "schema": msgspec.json.decode(request.schema.json),
                },
            }
        return sent

    async def chat(self, request: Request) -> Reply:
        """Ask once.

        Raises:
            RetryLater: On overload, rate limits, broken connections and replies that
                are no chat completion.
            ModelUnavailable: If the server refuses this request as it is.
            ModelError: If the key, the quota or the model's name is wrong.
        """
        import openai

        messages = [{"role": m.role, "content": m.content} for m in request.messages]
        try:
            raw = await self._client.chat.completions.with_raw_response.create(
                messages=messages, **self.parameters(request)
            )  # type: ignore[call-overload]
        except openai.APIStatusError as error:
            return self._refusal(error)
        except openai.APIError as error:
            # A connection that broke, or that took too long.
            raise RetryLater(self._clean(_root(error))) from None
        try:
            return _reply(raw.content)
        except (ValueError, RecursionError) as error:
            start = raw.content[:100].decode("utf-8", "replace")
            why = f"the server's reply is no chat completion ({error}): {start}"
            raise RetryLater(self._clean(why)) from None

    def _refusal(self, error: "APIStatusError") -> Reply:
        """Tell a blocked request from one that may succeed later, and from the rest."""
        code = getattr(error, "code", None)
        why = self._clean(f"HTTP {error.status_code}: {error.message}")
        if code == "content_filter":
            return Reply(
                outcome="blocked",
                text="",
                detail=why,
                usage=Usage(),
                served_by=self._name,
            )
        if error.status_code in NEVER or code == "insufficient_quota":
            raise ModelError(f"{self._entry.name} ({self._url}): {why}") from None
        if error.status_code >= 500 or error.status_code in WAIT_FOR:
            after = error.response.headers.get("retry-after", "")
            raise RetryLater(why, after_s=_seconds(after)) from None
        raise ModelUnavailable(why) from None

    def _clean(self, text: str) -> str:
        """Bring a message to one line of bearable length, without the key."""
        return " ".join(text.replace(self._key, "***").split())[:300]

    async def close(self) -> None:
        """Close the connections."""
        await self._client.close()


def _address(entry: Model) -> str:
    """Give the server's address, spelt in one way: it is written to the journal."""
    address = (entry.base_url or OFFICIAL).rstrip("/")
    if urlsplit(address).password is not None:
        raise StudyError(
            f"{entry.name}: base_url holds a password, which would be written down "
            "with every reply; put it into the environment and name it in api_key_env"
        )
    return address


def _key(entry: Model, environment: Mapping[str, str]) -> str:
    variable = entry.api_key_env or "OPENAI_API_KEY"
    key = environment.get(variable, "")
    if key:
        return key
    if entry.base_url and entry.api_key_env is None:
        return "none-needed"
    raise ModelError(
        f"{entry.name}: the environment has no {variable}; set it to the key of "
        f"{entry.model}, or name another variable in api_key_env"
    )


def _client(entry: Model, *, url: str, key: str) -> "AsyncOpenAI":
    try:
        from openai import AsyncOpenAI, DefaultAioHttpClient

        transport = DefaultAioHttpClient()
    except (ImportError, RuntimeError) as cause:
        raise ModelError(
            f"{entry.name}: {entry.model} needs the openai package; install it with "
            "pip install 'threadmed[openai]'"
        ) from cause
    # Attempts are made in one place, so that they are counted and bounded.
    return AsyncOpenAI(
        api_key=key,
        base_url=url,
        max_retries=0,
        timeout=entry.timeout_s,
        http_client=transport,
    )


def _reply(body: bytes) -> Reply:
    """Read a completion.

    The SDK takes whatever a server sends for a completion, so the body is checked
    here. JSON may spell lone surrogates, which no file can hold: they are replaced.

    Raises:
        ValueError: If it is none.
    """
    completion = msgspec.convert(json.loads(body), _Completion)
    choice = completion.choices[0]
    text = plain(choice.message.content or "")
    refusal = plain(choice.message.refusal or "")
    finish = choice.finish_reason or ""
    outcome: AnswerOutcome = "answered" if text.strip() else "empty"
    outcome = "blocked" if refusal else FINISHED.get(finish, outcome)
    return Reply(
        outcome=outcome,
        text=text,
        detail=refusal or ("" if outcome == "answered" else f"finish_reason {finish}"),
        usage=_usage(completion.usage),
        served_by=plain(completion.model or ""),
    )


def _usage(raw: object) -> Usage:
    """Read the tokens; a reply was paid for though a server does not count well."""
    try:
        tokens = msgspec.convert(raw, _Tokens)
    except msgspec.ValidationError:
        return Usage()
    return Usage(tokens_in=tokens.prompt_tokens, tokens_out=tokens.completion_tokens)


def _root(error: BaseException) -> str:
    """Say what lies under an error: the SDK calls a refused connection a time-out."""
    while error.__cause__ is not None:
        error = error.__cause__
    return f"{type(error).__name__}: {error}"


def _seconds(text: str) -> float | None:
    """Read a Retry-After in seconds; a date or nonsense is none.

    Example:
        >>> _seconds("2.5"), _seconds("Wed, 21 Oct 2026 07:28:00 GMT")
        (2.5, None)
    """
    try:
        seconds = float(text)
    except ValueError:
        return None
    return seconds if 0 <= seconds < float("inf") else None
