"""Gemini's batch API: a file of requests goes in, a file of replies comes out."""

import io
import json
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

import msgspec

from threadmed.llm.batches import TRANSFER_S, Line, Look, Results, Unmade
from threadmed.llm.model import Reply, Request, RetryLater
from threadmed.llm.providers.endpoint import Endpoint
from threadmed.llm.providers.wire import clean
from threadmed.records import Record

if TYPE_CHECKING:
    from google.genai import Client
    from google.genai.errors import APIError

TRANSFER_MS = round(TRANSFER_S * 1_000)

ENDED = frozenset(
    {"SUCCEEDED", "PARTIALLY_SUCCEEDED", "FAILED", "CANCELLED", "EXPIRED"}
)
"""How the names of states end after which nothing more happens."""

UNPROCESSED = frozenset({1, 4})
"""Codes (of gRPC) of lines that were cancelled, or not reached in time."""


class _Error(Record, frozen=True, kw_only=True):
    code: int | None = None
    message: str | None = None


class _Line(Record, frozen=True, kw_only=True):
    key: str
    response: object = None
    error: _Error | None = None
    status: _Error | None = None


class GoogleBatches:
    """The batches of one Gemini model."""

    def __init__(
        self,
        open_client: "Callable[[], Client]",
        *,
        at: Endpoint,
        body: Callable[[Request], Mapping[str, object]],
        read: Callable[[bytes | str], Reply],
        refusal: "Callable[[APIError], Exception]",
    ) -> None:
        """Get ready; nothing is sent.

        Args:
            open_client: Gives the SDK's client, within a running loop.
            at: Where the model is.
            body: Gives all that is sent for a request.
            read: Reads generated content.
            refusal: Tells what kind an error of the SDK is.
        """
        self._open = open_client
        self._at = at
        self._body = body
        self._read = read
        self._refusal = refusal

    @contextmanager
    def _plainly(self) -> Iterator[None]:
        """Turn the SDK's errors into ours."""
        import aiohttp
        from google.genai.errors import APIError

        try:
            yield
        except APIError as error:
            raise self._refusal(error) from None
        except (
            aiohttp.ClientError,
            TimeoutError,
            ValueError,
            KeyError,
            OSError,
        ) as error:
            # A connection that broke, or took too long, or a reply in no known form.
            raise self._at.broken(error) from None

    async def submit(self, ticket: str, lines: Sequence[Line]) -> str:
        """Send the file, and have a batch made of it; the file alone costs nothing."""
        content = b"\n".join(
            msgspec.json.encode({"key": line.key, "request": self._body(line.request)})
            for line in lines
        )
        client = self._open()
        with self._plainly():
            file = await client.aio.files.upload(
                file=io.BytesIO(content),
                config={
                    "display_name": ticket,
                    "mime_type": "jsonl",
                    "http_options": {"timeout": TRANSFER_MS},
                },
            )
            batch = await client.aio.batches.create(
                model=self._at.name,
                src=file.name or "",
                config={"display_name": ticket},
            )
        return _named(batch.name)

    async def find(
        self, ticket: str, *, keys: Collection[str], since: float
    ) -> str | None:
        """Look for the batch that is displayed under our name."""
        del keys, since  # the name is enough, and no order is promised
        with self._plainly():
            pages = await self._open().aio.batches.list(config={"page_size": 100})
            async for batch in pages:
                if batch.display_name == ticket:
                    return _named(batch.name)
        return None

    async def look(self, batch: str) -> Look:
        """See how a batch stands."""
        from google.genai.errors import APIError

        try:
            with self._plainly():
                found = await self._open().aio.batches.get(name=batch)
        except Exception as error:
            cause = error.__context__
            if isinstance(cause, APIError) and cause.code == 404:
                return Look(state="gone", why=str(error))
            raise
        state = found.state.name.removeprefix("JOB_STATE_") if found.state else ""
        if state not in ENDED:
            return Look(state="under_way")
        said = found.error.message if found.error else ""
        why = clean(f"{state.lower()}: {said or ''}".rstrip(": "), self._at.key)
        return Look(state="ended", why="" if state == "SUCCEEDED" else why)

    async def results(self, batch: str) -> Results:
        """Fetch the file of replies; a batch that failed as a whole has none."""
        client = self._open()
        with self._plainly():
            found = await client.aio.batches.get(name=batch)
            name = found.dest.file_name if found.dest else None
            if not name:
                return {}
            content = await client.aio.files.download(
                file=name, config={"http_options": {"timeout": TRANSFER_MS}}
            )
            lines = content.splitlines()
            return dict(self._result(line) for line in lines if line.strip())

    def _result(self, raw: bytes) -> tuple[str, Reply | Unmade]:
        """Read one line; the library's own reader takes lone surrogates."""
        line = msgspec.convert(json.loads(raw), _Line)
        error = line.error or line.status
        if error is not None or line.response is None:
            code = error.code if error else None
            why = clean(raw.decode("utf-8", "replace"), self._at.key)
            return line.key, Unmade(why=why, alone=code not in UNPROCESSED)
        try:
            return line.key, self._read(json.dumps(line.response))
        except ValueError as cause:
            return line.key, Unmade(why=str(cause), alone=True)


def _named(name: str | None) -> str:
    """Give a batch's name.

    Raises:
        RetryLater: If it has none: the reply was no batch.
    """
    if not name:
        raise RetryLater("the server's reply is no batch")
    return name
