"""Google's Gemini API (generateContent)."""

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
from threadmed.llm.providers.endpoint import endpoint
from threadmed.llm.providers.wire import decode, not_installed, refused, wait_s
from threadmed.records import AnswerOutcome, Message, Model, Record, Usage

if TYPE_CHECKING:
    from aiohttp import ClientSession
    from google.genai import Client
    from google.genai.errors import APIError

    from threadmed.llm.providers.google_batch import GoogleBatches

OFFICIAL = "https://generativelanguage.googleapis.com"

VERSION = "v1beta"
"""Of the API. Previews and the names that end with -latest are only there, and the SDK's
own choice has changed with its versions."""

BLOCKED = frozenset(
    {
        "SAFETY",
        "RECITATION",
        "LANGUAGE",
        "BLOCKLIST",
        "PROHIBITED_CONTENT",
        "SPII",
        "IMAGE_SAFETY",
        "ESCALATION",
        "MODEL_ARMOR",
        "JAILBREAK",
    }
)
"""Finish and block reasons that say that a filter held the reply or prompt back."""

WRONG_KEY = re.compile(r"API_KEY_INVALID|API key (not valid|expired)")
"""How a wrong key is told: as a bad request."""

GONE = re.compile(r"PerDay|limit: 0\b")
"""What a used-up quota says, where a full minute only asks to wait."""

DELAY = re.compile(r"""["']retryDelay["']: ["']([\d.]+)s["']""")
"""Where this API writes how long to wait, instead of a header."""


class _Part(Record, frozen=True, kw_only=True):
    text: str | None = None
    thought: bool | None = None


class _Content(Record, frozen=True, kw_only=True):
    parts: tuple[_Part, ...] | None = None


class _Candidate(Record, frozen=True, kw_only=True, rename="camel"):
    content: _Content | None = None
    finish_reason: str | None = None
    finish_message: str | None = None


class _Feedback(Record, frozen=True, kw_only=True, rename="camel"):
    block_reason: str | None = None


class _Response(Record, frozen=True, kw_only=True, rename="camel"):
    candidates: tuple[_Candidate, ...] = ()
    prompt_feedback: _Feedback | None = None
    model_version: str | None = None
    usage_metadata: object = None


Count = Annotated[int, msgspec.Meta(ge=0, le=10**9)]


class _Tokens(Record, frozen=True, kw_only=True, rename="camel"):
    prompt_token_count: Count
    candidates_token_count: Count | None = None
    thoughts_token_count: Count | None = None
    cached_content_token_count: Count | None = None


class GoogleModel:
    """A chat model behind generateContent."""

    def __init__(self, entry: Model, *, environment: Mapping[str, str]) -> None:
        """Get ready; nothing is sent.

        Args:
            entry: How the study describes the model.
            environment: Holds the key, under GEMINI_API_KEY, GOOGLE_API_KEY or the
                name that the entry gives.

        Raises:
            ModelError: If the SDK is not installed or the key is not there.
            StudyError: If the address holds a password.
        """
        self._entry = entry
        self._takes = known(entry)
        self._at = endpoint(
            entry, environment, "GEMINI_API_KEY", "GOOGLE_API_KEY", official=OFFICIAL
        )
        _check_installed(entry)
        self._opened: tuple[Client, ClientSession] | None = None
        self.identity = f"google:{self._at.name} at {self._at.url}/{VERSION}"

    def parameters(self, request: Request) -> Parameters:
        """Say what will be sent beside the messages, and what is done to those."""
        config: dict[str, object] = {
            "maxOutputTokens": most_tokens(self._entry, request)
        }
        temperature = temperature_of(self._entry)
        if temperature is not None:
            config["temperature"] = temperature
        if request.schema is not None and self._takes.schema != "none":
            config["responseMimeType"] = "application/json"
        if request.schema is not None and self._takes.schema == "schema":
            config["responseJsonSchema"] = msgspec.json.decode(request.schema.json)
        sent: dict[str, object] = {"model": self._at.name, "generationConfig": config}
        changes = shape(request.messages, self._takes).changes
        return sent | ({"messages_changed": list(changes)} if changes else {})

    def body(self, request: Request) -> Mapping[str, object]:
        """Give all that is sent, as the protocol has it; the model is in the address."""
        shaped = shape(request.messages, self._takes).messages
        system = [m for m in shaped if m.role == "system"]
        sent: dict[str, object] = {
            "contents": [_content(m) for m in shaped if m.role != "system"],
            "generationConfig": self.parameters(request)["generationConfig"],
        }
        if system:
            sent["systemInstruction"] = {"parts": [{"text": m.content} for m in system]}
        return sent

    async def chat(self, request: Request) -> Reply:
        """Ask once.

        Raises:
            RetryLater: On overload, rate limits, broken connections and replies that
                are no generated content.
            ModelUnavailable: If the server refuses this request as it is.
            ModelError: If the key, the quota or the model's name is wrong.
        """
        import aiohttp
        from google.genai.errors import APIError

        try:
            raw = await self._send(request)
        except APIError as error:
            raise self._refusal(error) from None
        except (aiohttp.ClientError, TimeoutError, ValueError, OSError) as error:
            # A connection that broke, or took too long, or an error in no known form.
            raise self._at.broken(error) from None
        return self._at.read(raw, by=read, kind="generated content")

    async def _send(self, request: Request) -> str:
        """Give the body of the server's reply."""
        from google.genai.types import GenerateContentConfig

        body = self.body(request)
        config = dict(msgspec.convert(body["generationConfig"], dict[str, object]))
        if "systemInstruction" in body:
            config["systemInstruction"] = body["systemInstruction"]
        # The SDK would fill in whatever the reply lacks: its body is read here.
        config["shouldReturnHttpResponse"] = True
        config["automaticFunctionCalling"] = {"disable": True}
        response = await self._connected().aio.models.generate_content(
            model=self._at.name,
            contents=body["contents"],
            config=GenerateContentConfig.model_validate(config),
        )
        raw = response.sdk_http_response
        return (raw.body if raw else None) or ""

    def _refusal(self, error: "APIError") -> Exception:
        """Tell what may succeed later from what breaks the model, and from the rest."""
        details = str(error.details)
        why = self._at.said(error.code, error.message or details)
        exhausted = error.code == 429 and GONE.search(details)
        if exhausted or WRONG_KEY.search(details):
            return self._at.unusable(why)
        delay = DELAY.search(details)
        headers = getattr(error.response, "headers", {})
        after_s = float(delay[1]) if delay else wait_s(headers)
        return refused(error.code, why, who=self._at.who, after_s=after_s)

    def _open(self) -> "tuple[Client, ClientSession]":
        """Open the client; its connections belong to the loop that is running."""
        from aiohttp import ClientSession, TCPConnector
        from google.genai import Client
        from google.genai.types import HttpOptions, HttpRetryOptions

        # The calls in flight are limited elsewhere.
        session = ClientSession(connector=TCPConnector(limit=0), trust_env=True)
        options = HttpOptions(
            base_url=self._at.url,
            api_version=VERSION,
            timeout=round(self._entry.timeout_s * 1_000),
            # Attempts are made in one place, so that they are counted and bounded.
            # Without this the SDK tries a broken connection once more, unasked.
            retry_options=HttpRetryOptions(attempts=1),
            aiohttp_client=session,
        )
        client = Client(api_key=self._at.key, vertexai=False, http_options=options)
        return client, session

    def batches(self) -> "GoogleBatches":
        """Give the way to the batch API."""
        from threadmed.llm.providers.google_batch import GoogleBatches

        return GoogleBatches(
            self._connected,
            at=self._at,
            body=self.body,
            read=read,
            refusal=self._refusal,
        )

    def _connected(self) -> "Client":
        client, _ = self._opened = self._opened or self._open()
        return client

    async def close(self) -> None:
        """Close the connections."""
        if self._opened is None:
            return
        client, session = self._opened
        self._opened = None
        await session.close()
        await client.aio.aclose()
        client.close()


def _content(message: Message) -> Mapping[str, object]:
    """Write a message as this API has it: an assistant is a model here."""
    role = "model" if message.role == "assistant" else "user"
    return {"role": role, "parts": [{"text": message.content}]}


def _check_installed(entry: Model) -> None:
    """See that the SDK is there, and aiohttp: without, it goes another, slower road."""
    try:
        import aiohttp  # noqa: F401 - imported to see that it can be
        import google.genai  # noqa: F401
    except ImportError:
        raise not_installed(entry, extra="google") from None


def read(body: bytes | str) -> Reply:
    """Read generated content; its thoughts are no part of the text.

    Raises:
        ValueError: If it is none.
    """
    response = decode(body, _Response)
    feedback = response.prompt_feedback or _Feedback()
    if not response.candidates and not feedback.block_reason:
        raise ValueError("it holds no candidate")
    # A prompt that was held back has no candidate.
    candidate = (*response.candidates, _Candidate())[0]
    parts = (candidate.content or _Content()).parts or ()
    text = plain("".join(part.text or "" for part in parts if not part.thought))
    outcome, detail = _outcome(text, candidate, feedback)
    return Reply(
        outcome=outcome,
        text=text,
        detail=plain(detail),
        usage=_usage(response.usage_metadata),
        served_by=plain(response.model_version or ""),
    )


def _outcome(
    text: str, candidate: _Candidate, feedback: _Feedback
) -> tuple[AnswerOutcome, str]:
    """Say what a candidate is, and what the API said of it."""
    finish = candidate.finish_reason or ""
    said = " ".join(filter(None, (f"finishReason {finish}", candidate.finish_message)))
    if feedback.block_reason:
        return "blocked", f"blockReason {feedback.block_reason}"
    if finish in BLOCKED:
        return "blocked", said
    if finish == "MAX_TOKENS":
        return "truncated", said
    return ("answered", "") if text.strip() else ("empty", said)


def _usage(raw: object) -> Usage:
    """Read the tokens; thoughts are counted apart from the candidates, and paid alike."""
    try:
        tokens = msgspec.convert(raw, _Tokens)
    except msgspec.ValidationError:
        return Usage()
    thoughts = tokens.thoughts_token_count or 0
    return Usage(
        tokens_in=tokens.prompt_token_count,
        tokens_out=(tokens.candidates_token_count or 0) + thoughts,
        cached_in=min(
            tokens.cached_content_token_count or 0, tokens.prompt_token_count
        ),
        reasoning=thoughts,
    )
