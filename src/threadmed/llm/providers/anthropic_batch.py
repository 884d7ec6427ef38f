"""Anthropic's message batches.

They carry no name of ours. Their requests do, but these can be read only when a batch
has ended: whether one that is under way is ours can then not be told.
"""

import json
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from threadmed.llm.batches import (
    SKEW_S,
    TRANSFER_S,
    Line,
    Look,
    Results,
    Undecided,
    Unmade,
)
from threadmed.llm.model import Reply, Request
from threadmed.llm.providers.endpoint import Endpoint
from threadmed.llm.providers.wire import clean

if TYPE_CHECKING:
    from anthropic import AsyncAnthropic
    from anthropic.types.messages import MessageBatch, MessageBatchIndividualResponse

EMPTY = {"canceled": "the batch was cancelled", "expired": "the batch expired"}
"""What is said of a request that was not reached in time."""


class AnthropicBatches:
    """The batches of one model behind the messages protocol."""

    def __init__(
        self,
        client: "AsyncAnthropic",
        *,
        at: Endpoint,
        body: Callable[[Request], Mapping[str, object]],
        read: Callable[[bytes], Reply],
    ) -> None:
        """Get ready; nothing is sent.

        Args:
            client: Of the SDK.
            at: Where the model is.
            body: Gives all that is sent for a request.
            read: Reads a message.
        """
        self._client = client
        self._at = at
        self._body = body
        self._read = read

    @contextmanager
    def _plainly(self) -> Iterator[None]:
        """Turn the SDK's errors into ours."""
        import aiohttp
        import anthropic

        try:
            yield
        except anthropic.APIStatusError as error:
            raise self._at.refused(error) from None
        except (
            anthropic.AnthropicError,
            aiohttp.ClientError,
            ValueError,
            OSError,
        ) as error:
            # A connection that broke, or a line that is cut.
            raise self._at.broken(error) from None

    async def submit(self, ticket: str, lines: Sequence[Line]) -> str:
        """Send all requests in one; each goes by its key."""
        del ticket  # there is no place for it
        requests = [
            {"custom_id": line.key, "params": self._body(line.request)}
            for line in lines
        ]
        with self._plainly():
            batch = await self._client.messages.batches.create(
                requests=requests,  # type: ignore[arg-type]
                timeout=TRANSFER_S,
            )
        return batch.id

    async def find(
        self, ticket: str, *, keys: Collection[str], since: float
    ) -> str | None:
        """Look for a batch of as many requests, and at what those are.

        Raises:
            Undecided: If one of them is still under way, so that it cannot be told.
        """
        del ticket
        unsure = None
        with self._plainly():
            async for batch in self._client.messages.batches.list(limit=100):
                if batch.created_at.timestamp() < since - SKEW_S:
                    break
                if _size(batch) != len(keys):
                    continue
                if batch.processing_status != "ended":
                    unsure = unsure or batch.id
                elif await self._holds(batch, keys):
                    return batch.id
        if unsure:
            raise Undecided(unsure)
        return None

    async def _holds(self, batch: "MessageBatch", keys: Collection[str]) -> bool:
        """Tell from the first request of a batch that ended whether it is ours."""
        if not batch.results_url:
            return False
        async for line in await self._client.messages.batches.results(batch.id):
            return line.custom_id in keys
        return False

    async def look(self, batch: str) -> Look:
        """See how a batch stands."""
        import anthropic

        try:
            with self._plainly():
                found = await self._client.messages.batches.retrieve(batch)
        except Exception as error:
            if isinstance(error.__context__, anthropic.NotFoundError):
                return Look(state="gone", why=str(error))
            raise
        if found.processing_status != "ended":
            return Look(state="under_way")
        if not found.results_url:
            return Look(state="gone", why="the provider keeps its results no longer")
        return Look(state="ended")

    async def results(self, batch: str) -> Results:
        """Fetch what came of each request."""
        with self._plainly():
            lines = await self._client.messages.batches.results(
                batch, timeout=TRANSFER_S
            )
            return {line.custom_id: self._result(line) async for line in lines}

    def _result(self, line: "MessageBatchIndividualResponse") -> Reply | Unmade:
        result = line.result
        if result.type == "succeeded":
            # The SDK's own writer refuses lone surrogates, and what is of no known form.
            message = result.message.to_dict(mode="python", warnings=False)
            try:
                return self._read(json.dumps(message, default=str).encode())
            except ValueError as error:
                return Unmade(why=str(error), alone=True)
        if result.type == "errored":
            why = clean(result.error.to_json(indent=None), self._at.key)
            return Unmade(why=why, alone=True)
        return Unmade(why=EMPTY[result.type], alone=False)


def _size(batch: "MessageBatch") -> int:
    counts = batch.request_counts
    ended = counts.succeeded + counts.errored + counts.canceled + counts.expired
    return counts.processing + ended
