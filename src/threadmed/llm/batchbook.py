"""The batches that are under way, in the journal: what is in them, and their names."""

import hashlib
from collections.abc import Sequence

import msgspec

from threadmed.errors import InputError, boundary
from threadmed.llm.books import Call
from threadmed.llm.journal import Attempt, Journal
from threadmed.records import Record

OPEN = "INSERT INTO batches VALUES (?, '', ?, 'submitting', ?, ?, ?)"
ADD = "INSERT INTO batch_lines VALUES (?, ?, ?, ?)"
NAME = "UPDATE batches SET id = ?, state = 'submitted' WHERE ticket = ?"
DONE = "UPDATE batches SET state = ? WHERE ticket = ?"
CLEAR = "DELETE FROM batch_lines WHERE ticket = ?"
WITHDRAW = (
    "DELETE FROM attempts WHERE id IN "
    "(SELECT attempt FROM batch_lines WHERE ticket = ?)"
)
CONTENT = "SELECT content FROM batch_lines WHERE attempt = ?"
UNDER_WAY = (
    "SELECT ticket, id, submitted_at FROM batches "
    "WHERE model = ? AND state IN ('submitting', 'submitted') ORDER BY submitted_at"
)
# What has landed has no attempt any more, or one that is said to have failed.
LINES = (
    "SELECT attempt, call FROM batch_lines JOIN attempts ON id = attempt "
    "WHERE ticket = ? AND why = '' ORDER BY attempt"
)


class Item(Record, frozen=True, kw_only=True):
    """One call of a batch."""

    attempt: int
    """Its number in the journal's attempts, where its worst case stands."""
    call: Call


class Batch(Record, frozen=True, kw_only=True):
    """A batch as it is journalled."""

    ticket: str
    """Our name for it."""
    id: str
    """The provider's name; empty while it is not known."""
    items: tuple[Item, ...]
    """What has not landed yet."""
    at: float
    """When it was about to be handed in, in seconds since 1970."""


class BatchBook:
    """Notes the batches of one model."""

    def __init__(self, journal: Journal, *, model: str, share: float) -> None:
        """Open the book of one model; nothing is read.

        Args:
            journal: Where it is kept.
            model: The study's name for the model.
            share: Of the list price, at which these batches are charged.
        """
        self._journal = journal
        self._model = model
        self._share = share

    def under_way(self) -> tuple[Batch, ...]:
        """Give the batches that earlier runs left, the oldest first.

        Raises:
            InputError: If the journal cannot be read.
        """
        return tuple(
            Batch(ticket=ticket, id=name, items=self._items(ticket), at=at)
            for ticket, name, at in self._journal.select(UNDER_WAY, self._model)
        )

    def _items(self, ticket: str) -> tuple[Item, ...]:
        with boundary(InputError, f"{self._journal.path}: reading batch {ticket}"):
            return tuple(
                Item(attempt=attempt, call=msgspec.msgpack.decode(call, type=Call))
                for attempt, call in self._journal.select(LINES, ticket)
            )

    def content(self, item: Item) -> bytes:
        """Give what the key of a request is the sha256 of."""
        ((content,),) = self._journal.select(CONTENT, item.attempt)
        return bytes(content)

    async def open(self, sent: Sequence[tuple[Call, bytes]], *, at: float) -> Batch:
        """Note a batch that is about to be handed in, and wait until that is kept.

        Its requests stand among the attempts from the same moment on: what they may
        come to counts against the budget over a crash, too.

        Args:
            sent: The calls, each with what its key is the sha256 of.
            at: Seconds since 1970.

        Raises:
            InputError: If the journal cannot be written; nothing should be sent then.
        """
        attempts = [self._journal.number(self._attempt(call, at)) for call, _ in sent]
        items = tuple(
            Item(attempt=number, call=call)
            for (number, _), (call, _) in zip(attempts, sent, strict=True)
        )
        ticket = _ticket(items, at)
        batch = Batch(ticket=ticket, id="", items=items, at=at)
        await self._journal.commit(
            (OPEN, (ticket, self._model, len(items), self._share, at)),
            *(statement for _, statement in attempts),
            *(
                (ADD, (i.attempt, ticket, msgspec.msgpack.encode(i.call), content))
                for i, (_, content) in zip(items, sent, strict=True)
            ),
        )
        return batch

    def _attempt(self, call: Call, at: float) -> Attempt:
        return Attempt(
            key=call.key,
            stage=call.stage,
            model=call.model,
            most_usd=call.worst.usd,
            most_tokens=call.worst.tokens,
            at=at,
        )

    async def name(self, batch: Batch, name: str) -> None:
        """Note how the provider calls a batch."""
        await self._journal.commit((NAME, (name, batch.ticket)))

    async def close(self, batch: Batch, *, state: str = "done") -> None:
        """Note that all of a batch has landed."""
        await self._journal.commit(
            (DONE, (state, batch.ticket)), (CLEAR, (batch.ticket,))
        )

    async def drop(self, batch: Batch) -> None:
        """Note that a batch never arrived, and forget its attempts."""
        await self._journal.commit(
            (WITHDRAW, (batch.ticket,)),
            (DONE, ("never arrived", batch.ticket)),
            (CLEAR, (batch.ticket,)),
        )


def _ticket(items: Sequence[Item], at: float) -> str:
    """Name a batch so that no other has the name, here or in another study."""
    named = "\n".join([f"{at!r}", *(f"{i.attempt} {i.call.key}" for i in items)])
    return f"threadmed-{hashlib.sha256(named.encode()).hexdigest()[:32]}"
