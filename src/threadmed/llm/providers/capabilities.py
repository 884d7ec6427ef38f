"""What each model takes: a table, and what follows from it for a request.

A study overrides any of it in its [[models]], as in
`capabilities = { temperature = "one", reasoning = 4096 }`.
The rows are what the providers' documentation and error messages said in November
2026; a model that no row knows gets its provider's defaults.
"""

import re
from collections.abc import Mapping
from functools import lru_cache
from itertools import groupby
from typing import Literal

import msgspec

from threadmed.llm.model import Request
from threadmed.records import Capabilities, Message, Model, Record

ROOM = 8192
"""Tokens that a model which reasons unasked may spend on that.

It comes on top of the limit for the reply: within it, nothing would be left for an
answer. Most requests use a small part of it.
"""

ROOM_OF_SMALL = 4096
"""The same for open models, whose context is often shorter."""

BYTES_A_TOKEN = 4
"""Of English text, roughly; only to tell a conversation that is worth caching."""


class Known(Record, frozen=True, kw_only=True):
    """What is known about a model; the fields are those of records.Capabilities."""

    temperature: Literal["any", "one", "none"] = "any"
    reasoning: int = 0
    system: bool = True
    alternate: bool = False
    schema: Literal["schema", "json", "none"] = "schema"
    max_tokens: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    cache: int = 0


DEFAULTS: Mapping[str, Known] = {
    "openai": Known(max_tokens="max_completion_tokens"),
    "server": Known(),
    "anthropic": Known(alternate=True, cache=1024),
    "google": Known(alternate=True, reasoning=ROOM),
}
"""By provider; a server is whatever `openai:` with a base_url of its own reaches."""

_REASONS = Capabilities(
    temperature="one", reasoning=ROOM, max_tokens="max_completion_tokens"
)
_GPT: tuple[tuple[str, Capabilities], ...] = (
    (r"\bgpt-5-chat", Capabilities(max_tokens="max_completion_tokens")),
    (r"\bgpt-[5-9]", _REASONS),
    (
        r"\bo1-(mini|preview)",
        msgspec.structs.replace(_REASONS, system=False, schema="none"),
    ),
    (r"\bo[1-9]\b", _REASONS),
    (
        r"\bgpt-(4o-2024-05-13|4-turbo|4-1106|4-0125|3\.5-turbo)",
        Capabilities(schema="json"),
    ),
    (r"\bgpt-4(-0613|-32k|$)", Capabilities(schema="none")),
)

TABLE: Mapping[str, tuple[tuple[str, Capabilities], ...]] = {
    "openai": _GPT,
    "server": (
        *_GPT,
        # The names that DeepSeek's own service has; it binds replies to JSON only.
        (r"^deepseek-chat$", Capabilities(schema="json")),
        (r"^deepseek-reasoner$", Capabilities(schema="json", reasoning=ROOM)),
        (
            r"gpt-oss|deepseek-r1|\bqwq|qwen3(?!.*instruct)|think|reasoning|magistral",
            Capabilities(reasoning=ROOM_OF_SMALL),
        ),
        # Their chat templates raise on what they do not know.
        (r"gemma-?[12]\b", Capabilities(system=False, alternate=True)),
        (r"gemma", Capabilities(alternate=True)),
        (r"mi[sx]tral.*v0\.[12]", Capabilities(system=False, alternate=True)),
    ),
    "anthropic": (
        # They think unless told not to, and take no sampling parameters.
        (
            r"claude-[a-z]+-(5|[6-9])\b",
            Capabilities(temperature="none", reasoning=ROOM),
        ),
        # They think only where asked to.
        (r"claude-opus-4-[789]", Capabilities(temperature="none")),
        (r"claude-(opus-4-[56]|haiku-4-5)", Capabilities(cache=4096)),
        (r"claude-sonnet-4-6", Capabilities(cache=2048)),
        (r"claude-sonnet-4-5", Capabilities()),
        (r"claude.*haiku", Capabilities(schema="none", cache=2048)),
        # The older ones: replies cannot be bound to a schema.
        (r"claude", Capabilities(schema="none")),
    ),
    "google": (
        (
            r"gemma",
            Capabilities(system=False, schema="none", reasoning=0),
        ),
        (r"gemini-(1|2\.0|2\.5-flash-lite)", Capabilities(reasoning=0)),
    ),
}
"""Patterns sought in a model's name in lower case, and what differs from the default;
the first that is found counts."""


def known(entry: Model) -> Known:
    """Say what a model takes: as the study says, as the table says, or the default.

    Example:
        >>> known(Model(name="a", model="openai:gpt-5-mini")).temperature
        'one'
        >>> known(Model(name="a", model="anthropic:claude-sonnet-4-5")).cache
        1024
    """
    return _known(entry)


# Every request asks several times, of the few models that a study has.
@lru_cache(maxsize=64)
def _known(entry: Model) -> Known:
    provider, _, name = entry.model.partition(":")
    row = "server" if provider == "openai" and entry.base_url else provider
    found = DEFAULTS.get(row, Known())
    for pattern, differs in TABLE.get(row, ()):
        if re.search(pattern, name.lower()):
            found = _over(found, differs)
            break
    return found if entry.capabilities is None else _over(found, entry.capabilities)


def _over(found: Known, differs: Capabilities) -> Known:
    """Lay what is said over what is known."""
    said = {
        field: value
        for field in differs.__struct_fields__
        if (value := getattr(differs, field)) is not None
    }
    return msgspec.structs.replace(found, **said)


def temperature_of(entry: Model) -> float | None:
    """Say which temperature is sent; None is none.

    Example:
        >>> temperature_of(Model(name="a", model="openai:gpt-5", temperature=0.0))
        1.0
    """
    takes = known(entry).temperature
    if entry.temperature == "none" or takes == "none":
        return None
    return 1.0 if takes == "one" else entry.temperature


def most_tokens(entry: Model, request: Request) -> int:
    """Give the limit on a reply as it is sent, reasoning included.

    Example:
        >>> from threadmed.records import Message
        >>> asked = Request(messages=(Message(role="user", content="?"),), max_tokens=512)
        >>> most_tokens(Model(name="a", model="openai:gpt-4o"), asked)
        512
        >>> most_tokens(Model(name="a", model="openai:gpt-5"), asked)
        8704
        >>> most_tokens(Model(name="a", model="openai:gpt-5", max_tokens=900), asked)
        900
    """
    return entry.max_tokens or request.max_tokens + known(entry).reasoning


def departures(entry: Model) -> tuple[str, ...]:
    """Say where the model cannot be asked as the study wants it, for a person.

    Example:
        >>> departures(Model(name="a", model="openai:gpt-5", temperature=0.0))
        ('a takes no temperature but 1, so 1 is sent and not 0',)
    """
    if entry.temperature == "none":
        return ()
    match known(entry).temperature:
        case "one" if entry.temperature != 1:
            asked = f"{entry.temperature:g}"
            return (
                f"{entry.name} takes no temperature but 1, so 1 is sent and not {asked}",
            )
        case "none":
            return (f"{entry.name} takes no temperature, so none is sent",)
        case _:
            return ()


class Shaped(Record, frozen=True, kw_only=True):
    """A request's messages as a model takes them."""

    messages: tuple[Message, ...]
    changes: tuple[str, ...] = ()
    """What was done to them; it is part of the parameters that are recorded."""


def shape(messages: tuple[Message, ...], takes: Known) -> Shaped:
    r"""Bring messages into the form that a model takes.

    Example:
        >>> two = (Message(role="user", content="a"), Message(role="user", content="b"))
        >>> shaped = shape(two, Known(alternate=True))
        >>> shaped.messages[0].content, shaped.changes
        ('a\n\nb', ('joined',))
    """
    changes: list[str] = []
    if not takes.system and any(m.role == "system" for m in messages):
        messages = tuple(
            Message(role="user", content=m.content) if m.role == "system" else m
            for m in messages
        )
        # The text goes before the first user message, and is one with it.
        messages = _joined(messages[:2]) + messages[2:]
        changes.append("system as user")
    if takes.alternate and len(apart := _joined(messages)) < len(messages):
        messages = apart
        changes.append("joined")
    return Shaped(messages=messages, changes=tuple(changes))


def _joined(messages: tuple[Message, ...]) -> tuple[Message, ...]:
    """Join messages of one role that follow each other by an empty line."""
    return tuple(
        Message(role=role, content="\n\n".join(m.content for m in group if m.content))
        for role, group in groupby(messages, key=lambda m: m.role)
    )


def grows(messages: tuple[Message, ...], takes: Known) -> bool:
    """Whether a conversation is under way and long enough for the prompt cache.

    A first question seldom comes again; what was said in reply to it does, at every
    later turn. Writing to the cache costs more than it saves where nothing follows.
    """
    size = sum(len(message.content.encode()) for message in messages)
    spoken = any(message.role == "assistant" for message in messages)
    return takes.cache > 0 and spoken and size >= takes.cache * BYTES_A_TOKEN
