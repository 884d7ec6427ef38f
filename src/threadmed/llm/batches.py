"""What a batch API is to threadmed: many requests at once, later, for less."""

from collections.abc import Collection, Mapping, Sequence
from typing import Literal, Protocol, runtime_checkable

from msgspec.structs import replace

from threadmed.llm.books import Call
from threadmed.llm.model import Reply, Request
from threadmed.records import Price, Record

PRICE_SHARE: Mapping[str, float] = {"openai": 0.5, "anthropic": 0.5, "google": 0.5}
"""What a call in a batch costs, as a share of the list price, by provider."""

MOST_LINES = 10_000
"""Requests in one batch; all three APIs take more."""

MOST_BYTES = 50_000_000
"""Of the requests' texts in one batch; all three APIs take more."""


TRANSFER_S = 600.0
"""Longest time for a batch, of up to MOST_BYTES, to go up or down."""

SKEW_S = 3_600.0
"""How much later than ours a provider's clock may go."""


class Pace(Record, frozen=True, kw_only=True):
    """How batches are gathered and waited for, in seconds."""

    waits: bool = True
    """Whether a run waits for its batches; without, asking for what is in them raises
    Stopped as soon as there is nothing else to do."""
    quiet_s: float = 1.0
    """Silence after which what has gathered goes out."""
    apart_s: float = 60.0
    """From one batch of a model to its next, unless that is full: requests that
    trickle in would make a batch each."""
    look_s: float = 2.0
    """From the first look at a batch to the second; later ones are further apart."""
    longest_look_s: float = 60.0
    settle_s: float = 60.0
    """How old an unanswered submission must be before the list of batches is taken at
    its word that it never arrived."""
    outage_s: float = 900.0
    """How long the provider may be out of reach while a batch is waited for."""


PATIENT = Pace()


class Line(Record, frozen=True, kw_only=True):
    """One request of a batch."""

    key: str
    request: Request


class Look(Record, frozen=True, kw_only=True):
    """How a batch stands."""

    state: Literal["under_way", "ended", "gone"]
    """`gone` is one that the provider no longer knows."""
    why: str = ""
    """What the provider says of one that ended before its time."""


class Unmade(Record, frozen=True, kw_only=True):
    """A request of a batch that brought no reply; no provider charges for it."""

    why: str
    alone: bool
    """Whether to ask it by itself: its own fault, or blocked. One whose batch expired
    or was cancelled never costs the full price unasked."""


Results = Mapping[str, Reply | Unmade]
"""By key; one that is missing was not processed."""


class Undecided(Exception):  # noqa: N818 - says what is so, not that it is wrong
    """Whether a submission arrived cannot be told before other batches have ended."""


class BatchApi(Protocol):
    """The batches of one model at its provider.

    Every method raises RetryLater, ModelUnavailable and ModelError as ChatModel.chat
    does.
    """

    async def submit(self, ticket: str, lines: Sequence[Line]) -> str:
        """Hand in a batch under a name of ours, and give the provider's name for it."""

    async def find(
        self, ticket: str, *, keys: Collection[str], since: float
    ) -> str | None:
        """Look for a batch that was handed in, and whose name we were not told.

        Args:
            ticket: Our name for it.
            keys: Of its requests.
            since: When it was about to be handed in, in seconds since 1970.

        Raises:
            Undecided: If it may be one that is still under way.
        """

    async def look(self, batch: str) -> Look:
        """See how a batch stands."""

    async def results(self, batch: str) -> Results:
        """Fetch what came of a batch that ended."""


@runtime_checkable
class Batching(Protocol):
    """A chat model whose provider has a batch API."""

    def batches(self) -> BatchApi:
        """Give the way there."""


def in_batch(call: Call, share: float) -> Call:
    """Price a call as part of a batch."""
    worst = replace(call.worst, usd=call.worst.usd * share)
    return replace(call, price=shared(call.price, share), worst=worst)


def shared(price: Price, share: float) -> Price:
    """Give a share of a price.

    Example:
        >>> half = shared(Price(input=2.0, output=10.0, cached_input=0.2), 0.5)
        >>> half.input, half.output, half.cached_input, half.cache_write
        (1.0, 5.0, 0.1, None)
    """
    cached, written = price.cached_input, price.cache_write
    return Price(
        input=price.input * share,
        output=price.output * share,
        cached_input=None if cached is None else cached * share,
        cache_write=None if written is None else written * share,
    )
