"""What a chat model is to threadmed: a request in, a reply out."""

import hashlib
from collections.abc import Awaitable, Callable, Mapping
from typing import Protocol

import msgspec

from threadmed.records import AnswerOutcome, Message, Record, Usage

Parameters = Mapping[str, object]
"""What goes out with the messages, as JSON values under the provider's own names."""


class Schema(Record, frozen=True, kw_only=True):
    """A JSON schema that a reply is asked to follow."""

    name: str
    json: str
    """The schema as JSON text."""


class Request(Record, frozen=True, kw_only=True):
    """One question to one model; which model is said beside it."""

    messages: tuple[Message, ...]
    max_tokens: int
    schema: Schema | None = None
    repeat: int = 0
    """Number of the repetition; equal requests with other numbers are paid anew."""
    grows: bool = False
    """Whether a later request will begin with all of this one and its reply, so that
    it cannot wait and is worth caching; it is no part of what is sent."""


class Reply(Record, frozen=True, kw_only=True):
    """What came back and was paid for, good or not."""

    outcome: AnswerOutcome
    """Never `failed`: a call that brings no reply raises."""
    text: str
    detail: str = ""
    """What the provider said of a reply that is not `answered`."""
    usage: Usage
    served_by: str
    """The model snapshot that the provider says it used."""


class Replied(Record, frozen=True, kw_only=True, tag="replied", tag_field="kind"):
    """A reply that is in the journal."""

    key: str
    reply: Reply


class Failed(Record, frozen=True, kw_only=True, tag="failed", tag_field="kind"):
    """A request that brought no reply after its last attempt; not in the journal."""

    key: str
    why: str
    """One line for a person, without keys or headers."""


Ask = Callable[[Request], Awaitable[Replied | Failed]]
"""Asks one model on behalf of one stage; the run binds it to the engine."""


class RetryLater(Exception):  # noqa: N818 - a signal to the engine, not an error
    """The provider asks to try again: overload, rate limit, a broken connection."""

    def __init__(
        self, why: str, *, after_s: float | None = None, status: int | None = None
    ) -> None:
        super().__init__(why)
        self.status = status
        """Of HTTP; None where no reply came, or none that could be read."""
        self.after_s = after_s
        """Seconds that the provider asks to wait; None where it does not say."""


class ChatModel(Protocol):
    """A model that can be asked; real ones live in providers."""

    @property
    def identity(self) -> str:
        """Provider, address and model, as they enter the key of a request."""

    def parameters(self, request: Request) -> Parameters:
        """Say what will be sent beside the messages."""

    async def chat(self, request: Request) -> Reply:
        """Ask once.

        Raises:
            RetryLater: If another attempt may succeed.
            ModelUnavailable: If this request will never succeed.
            ModelError: If no request to this model will (wrong key, no such model).
        """

    async def close(self) -> None:
        """Let go of connections and memory."""


def plain(text: str) -> str:
    r"""Replace lone surrogates, which JSON can spell (\ud800) and no file can hold."""
    return text.encode("utf-8", "replace").decode("utf-8")


def request_content(model: ChatModel, request: Request) -> Mapping[str, object]:
    """Say all that makes a request this one and no other."""
    return {
        "model": model.identity,
        "messages": request.messages,
        "parameters": model.parameters(request),
        "repeat": request.repeat,
    }


def request_key(model: ChatModel, request: Request) -> str:
    """Name a request by the sha256, in hex, of its content: equal keys are one call."""
    content = request_content(model, request)
    return hashlib.sha256(msgspec.json.encode(content, order="sorted")).hexdigest()


class ScriptedModel:
    """A model that answers from a function: for tests and for trying things out."""

    def __init__(
        self, answer: Callable[[Request], str | Reply], *, identity: str = "scripted"
    ) -> None:
        self.answer = answer
        self.identity = identity
        self.requests: list[Request] = []
        """Every request that reached it, in order."""

    def parameters(self, request: Request) -> Parameters:
        """Say what will be sent beside the messages."""
        return {"max_tokens": request.max_tokens}

    async def chat(self, request: Request) -> Reply:
        """Ask the function; a plain text counts one token a word."""
        self.requests.append(request)
        said = self.answer(request)
        if isinstance(said, Reply):
            return said
        words = sum(len(message.content.split()) for message in request.messages)
        usage = Usage(tokens_in=words, tokens_out=len(said.split()))
        outcome: AnswerOutcome = "answered" if said.strip() else "empty"
        return Reply(outcome=outcome, text=said, usage=usage, served_by=self.identity)

    async def close(self) -> None:
        """Nothing to let go of."""
