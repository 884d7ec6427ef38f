"""How many tokens a request and its reply will have, before either is there."""

import re
from collections.abc import Callable, Mapping
from functools import lru_cache

from threadmed.dataset.statistics import tokens
from threadmed.llm.model import Request
from threadmed.llm.providers.capabilities import known
from threadmed.records import Message, Model, Record, Stage
from threadmed.run.paid import Paid, Place

Waiting = tuple[str, ...]
"""The stand-ins that a text holds, each as often as it stands there."""

FRAME = 4
"""Tokens around a message: its role and its ends (OpenAI's chat format)."""

FACTORS: Mapping[str, float] = {"anthropic": 1.2, "google": 1.1}
"""Tokens of a provider for one of cl100k_base; 1 where it is not here.

Published comparisons on English prose find 16 % more for Claude than for OpenAI's
tokenizers; Google says that 100 tokens are 60 to 80 English words, cl100k_base needs
about 1.3 a word. Both are guesses until a part has run: then the model's own counts
take their place.
"""

REPLIES: Mapping[Stage, int] = {"identify": 30, "answer": 450, "judge": 80}
"""Mean tokens of a reply until a part has run.

The prompts ask identifiers and judges for one or two sentences in JSON. Chat models
answer patients with a page; the mean is a guess and is said to be one.
"""

REASONING = 1_000
"""The same for what a model that reasons unasked writes before its reply."""

ENOUGH = 10
"""Replies of a stage and model from which their own mean is taken."""

STAND_IN = re.compile("\ue000[0-9a-f]{64}")
"""A reply that is not there yet: a sign that no text has, and its request's key."""


class ReplyLength(Record, frozen=True, kw_only=True):
    """Tokens of a reply."""

    charged: float
    """All that is paid for."""
    shown: float
    """Of them, those that go on in a conversation: reasoning does not."""


Foresee = Callable[[Model, Stage, int], ReplyLength]
"""Says how long a model's reply is, where it may have at most so many tokens."""


class InputLength:
    """Counts the tokens of requests in which some replies are not there yet."""

    def __init__(self, paid: Paid, entries: Mapping[str, Model]) -> None:
        self._entries = entries
        self._read: dict[str, tuple[int, Waiting]] = {}
        self._factors = {
            place: seen.tokens_in / seen.counted
            for place, seen in paid.seen.items()
            if seen.told >= ENOUGH and seen.counted
        }

    def of(
        self,
        place: Place,
        request: Request,
        *,
        key: str,
        stand_ins: Mapping[str, float],
    ) -> float:
        """Count one request.

        Args:
            place: Who is asked, and in which stage.
            request: What is asked.
            key: Of the request; one that was counted before is not read again.
            stand_ins: Tokens that replies which are not there yet have in it.
        """
        if key not in self._read:
            self._read[key] = _read_request(request)
        counted, waiting = self._read[key]
        if request.schema is not None and place not in self._factors:
            # Providers that take a schema charge for it as for a message; a factor
            # that was seen has it in it.
            counted += FRAME + _read_text(request.schema.json)[0]
        waited = sum(stand_ins.get(each, 0.0) for each in waiting)
        return waited + self.factor(place) * counted

    def is_seen(self, place: Place) -> bool:
        """Whether the factor of a stage and model is its own, and not a guess."""
        return place in self._factors

    def factor(self, place: Place) -> float:
        """Give a model's tokens for one of cl100k_base."""
        provider = self._entries[place[1]].model.partition(":")[0]
        return self._factors.get(place, FACTORS.get(provider, 1.0))


def stand_in(key: str) -> str:
    """Write a reply that is not there yet.

    Args:
        key: Of its request, 64 hex digits.
    """
    return f"\ue000{key}"


def count_messages(messages: tuple[Message, ...]) -> int:
    """Count messages by cl100k_base; a reply that is not there yet counts as nothing.

    Example:
        >>> count_messages((Message(role="user", content="hello world"),))
        6
    """
    return sum(FRAME + _read_text(message.content)[0] for message in messages)


def _read_request(request: Request) -> tuple[int, Waiting]:
    texts = [_read_text(message.content) for message in request.messages]
    counted = sum(FRAME + count for count, _ in texts)
    return counted, tuple(each for _, waiting in texts for each in waiting)


# One question stands in many requests.
@lru_cache(maxsize=8_000)
def _read_text(text: str) -> tuple[int, Waiting]:
    """Count a text, and give the stand-ins in it."""
    waiting = tuple(STAND_IN.findall(text))
    return tokens(STAND_IN.sub("", text) if waiting else text), waiting


def expected_reply(paid: Paid) -> Foresee:
    """Give the mean length of replies: the seen one, or the assumed one."""

    def length(entry: Model, stage: Stage, most: int) -> ReplyLength:
        seen = paid.seen.get((stage, entry.name))
        if seen is not None and seen.told >= ENOUGH:
            charged = seen.tokens_out / seen.told
            shown = charged - seen.reasoning / seen.told
        else:
            charged, shown = REPLIES[stage] + reasons_for(entry), float(REPLIES[stage])
        return ReplyLength(charged=min(charged, most), shown=min(shown, most))

    return length


def reasons_for(entry: Model) -> int:
    """Guess the tokens that a model spends on reasoning before a reply.

    Example:
        >>> reasons_for(Model(name="a", model="openai:gpt-4o"))
        0
    """
    return REASONING if known(entry).reasoning else 0


def longest_reply(entry: Model, stage: Stage, most: int) -> ReplyLength:
    """Give the length of a reply that is as long as it may be."""
    del entry, stage
    return ReplyLength(charged=most, shown=most)
