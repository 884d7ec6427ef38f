"""Proves keys and models' names with one tiny call each; the door is `check`.

These calls are not journalled: they answer nothing that a study asks.
"""

import asyncio
from collections.abc import Callable

import msgspec

from threadmed.errors import ModelError
from threadmed.llm.model import ChatModel, Reply, Request, RetryLater
from threadmed.llm.prices import cost_usd, price_of
from threadmed.records import Message, Model, Record, Usage

TINY = Request(
    messages=(Message(role="user", content="Reply with the word ok."),), max_tokens=16
)
"""What is asked; some providers allow no fewer tokens in a reply."""


class Checked(Record, frozen=True, kw_only=True):
    """What came of asking one model."""

    model: str
    """The study's name for it."""
    asked: str
    """`provider:model`, as the study says."""
    trouble: str = ""
    """Why it cannot be used, in one line; empty where it replied."""
    outcome: str = ""
    """How the reply ended; a model that reasons may need more than 16 tokens."""
    served_by: str = ""
    latency_s: float = 0.0
    usage: Usage = Usage()
    cost_usd: float = 0.0

    @property
    def is_ok(self) -> bool:
        """Whether the model can be used."""
        return not self.trouble


async def check(
    entries: list[Model],
    *,
    open_model: Callable[[Model], ChatModel],
    timer: Callable[[], float],
) -> tuple[Checked, ...]:
    """Ask every model once, all at the same time.

    Args:
        entries: The models.
        open_model: Makes a model of its entry; it needs its key now.
        timer: Seconds, from any start.

    Returns:
        What came of it, in the order of `entries`; trouble with one model is told
        and keeps none of the others from being asked.

    Raises:
        StudyError: If an entry cannot be understood, or its price is not known.
    """
    asked = [_check(entry, open_model, timer) for entry in entries]
    return tuple(await asyncio.gather(*asked))


async def _check(
    entry: Model, open_model: Callable[[Model], ChatModel], timer: Callable[[], float]
) -> Checked:
    found = Checked(model=entry.name, asked=entry.model)
    price = price_of(entry)
    began = timer()
    try:
        # Neither the study's own limit nor room to reason: both would make the call
        # dearer, and prove nothing more.
        tiny = msgspec.structs.replace(entry, max_tokens=TINY.max_tokens)
        reply = await _reply(open_model(tiny), entry.timeout_s)
    except (ModelError, RetryLater) as cause:
        return msgspec.structs.replace(found, trouble=" ".join(str(cause).split()))
    except TimeoutError:
        late = f"no reply within {entry.timeout_s:g} s"
        return msgspec.structs.replace(found, trouble=late)
    return msgspec.structs.replace(
        found,
        outcome=reply.outcome,
        served_by=reply.served_by,
        latency_s=timer() - began,
        usage=reply.usage,
        cost_usd=cost_usd(price, reply.usage),
    )


async def _reply(model: ChatModel, timeout_s: float) -> Reply:
    try:
        async with asyncio.timeout(timeout_s):
            return await model.chat(TINY)
    finally:
        await model.close()
