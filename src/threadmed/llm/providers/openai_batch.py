"""OpenAI's batch API: a file of requests goes in, a file of replies comes out."""

import json
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

import msgspec

from threadmed.llm.batches import SKEW_S, TRANSFER_S, Line, Look, Results, Unmade
from threadmed.llm.model import Reply, Request, RetryLater
from threadmed.llm.providers.endpoint import Endpoint
from threadmed.llm.providers.wire import clean
from threadmed.records import Record

if TYPE_CHECKING:
    from openai import AsyncOpenAI

UNPROCESSED = frozenset({"batch_expired", "batch_cancelled"})
"""Codes of the lines that were not reached in time."""


class _Error(Record, frozen=True, kw_only=True):
    code: str | None = None
    message: str | None = None


class _Response(Record, frozen=True, kw_only=True):
    status_code: int
    body: object = None


class _Line(Record, frozen=True, kw_only=True):
    custom_id: str
    response: _Response | None = None
    error: _Error | None = None


class OpenAIBatches:
    """The batches of one model behind the OpenAI protocol."""

    def __init__(
        self,
        client: "AsyncOpenAI",
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
            read: Reads a completion.
        """
        self._client = client
        self._at = at
        self._body = body
        self._read = read

    @contextmanager
    def _plainly(self) -> Iterator[None]:
        """Turn the SDK's errors into ours."""
        import aiohttp
        import openai

        try:
            yield
        except openai.APIStatusError as error:
            raise self._at.refused(error) from None
        except (openai.APIError, aiohttp.ClientError, ValueError, OSError) as error:
            # A connection that broke, or a reply in no known form.
            raise self._at.broken(error) from None

    async def submit(self, ticket: str, lines: Sequence[Line]) -> str:
        """Send the file, and have a batch made of it; the file alone costs nothing."""
        content = b"\n".join(self._line(line) for line in lines)
        with self._plainly():
            file = await self._client.files.create(
                file=(f"{ticket}.jsonl", content), purpose="batch", timeout=TRANSFER_S
            )
            batch = await self._client.batches.create(
                completion_window="24h",
                endpoint="/v1/chat/completions",
                input_file_id=file.id,
                metadata={"threadmed": ticket},
            )
        return batch.id

    def _line(self, line: Line) -> bytes:
        return msgspec.json.encode(
            {
                "custom_id": line.key,
                "method": "POST",
                "url": "/v1/chat/completions",
                "body": self._body(line.request),
            }
        )

    async def find(
        self, ticket: str, *, keys: Collection[str], since: float
    ) -> str | None:
        """Look for the batch with our name among its metadata, the newest first."""
        del keys  # the name is enough
        with self._plainly():
            async for batch in self._client.batches.list(limit=100):
                if (batch.metadata or {}).get("threadmed") == ticket:
                    return batch.id
                if batch.created_at < since - SKEW_S:
                    break
        return None

    async def look(self, batch: str) -> Look:
        """See how a batch stands."""
        import openai

        try:
            with self._plainly():
                found = await self._client.batches.retrieve(batch)
        except Exception as error:
            if isinstance(error.__context__, openai.NotFoundError):
                return Look(state="gone", why=str(error))
            raise
        if found.status in {"completed", "expired", "cancelled", "failed"}:
            said = (found.errors.data or []) if found.errors else []
            what = "; ".join(filter(None, (error.message for error in said)))
            why = clean(f"{found.status}: {what}".rstrip(": "), self._at.key)
            return Look(state="ended", why="" if found.status == "completed" else why)
        return Look(state="under_way")

    async def results(self, batch: str) -> Results:
        """Fetch the file of replies, and the file of errors."""
        with self._plainly():
            found = await self._client.batches.retrieve(batch)
            files = [
                await self._client.files.content(name, timeout=TRANSFER_S)
                for name in (found.output_file_id, found.error_file_id)
                if name
            ]
        lines = [line for file in files for line in file.content.splitlines()]
        return dict(self._result(line) for line in lines if line.strip())

    def _result(self, raw: bytes) -> tuple[str, Reply | Unmade]:
        """Read one line; the library's own reader takes lone surrogates."""
        try:
            line = msgspec.convert(json.loads(raw), _Line)
        except ValueError as error:
            why = f"the batch's file is cut or damaged ({error})"
            raise RetryLater(clean(why, self._at.key)) from None
        code = line.error.code if line.error else None
        if line.response is None or line.response.status_code != 200:
            why = clean(raw.decode("utf-8", "replace"), self._at.key)
            return line.custom_id, Unmade(why=why, alone=code not in UNPROCESSED)
        try:
            return line.custom_id, self._read(json.dumps(line.response.body).encode())
        except ValueError as error:
            return line.custom_id, Unmade(why=str(error), alone=True)
