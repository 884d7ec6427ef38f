"""A small HTTP/1.1 server for tests: fast, and able to do what no server should.

Routes are a table from method and path to a function, so that another protocol (a
batch API, say) is one more table.
"""

import asyncio
import json
import re
from collections.abc import Awaitable, Callable
from email.utils import formatdate
from typing import Any


class Call:
    """One request, and the means to reply to it well or badly."""

    def __init__(
        self,
        method: str,
        path: str,
        headers: dict[str, str],
        body: bytes,
        writer: asyncio.StreamWriter,
    ) -> None:
        self.method = method
        self.path, _, self.query = path.partition("?")
        self.headers = headers
        self.body = body
        self.found: re.Match[str] | None = None
        """What the route's pattern found in the path."""
        self._writer = writer

    def json(self) -> Any:
        return json.loads(self.body)

    def head(
        self, status: int, length: int, kind: str, headers: dict[str, str] | None
    ) -> bytes:
        lines = [
            f"HTTP/1.1 {status} Said",
            f"Date: {formatdate(usegmt=True)}",
            f"Content-Type: {kind}",
            f"Content-Length: {length}",
            *(f"{name}: {value}" for name, value in (headers or {}).items()),
        ]
        return "\r\n".join([*lines, "", ""]).encode()

    async def send(
        self,
        status: int,
        body: bytes,
        *,
        kind: str = "application/json",
        headers: dict[str, str] | None = None,
    ) -> None:
        self._writer.write(self.head(status, len(body), kind, headers) + body)
        await self._writer.drain()

    async def drip(self, body: bytes, *, size: int, every_s: float) -> None:
        """Send a whole body, a little at a time."""
        self._writer.write(self.head(200, len(body), "application/json", None))
        for start in range(0, len(body), size):
            self._writer.write(body[start : start + size])
            await self._writer.drain()
            await asyncio.sleep(every_s)

    async def half(self, body: bytes) -> None:
        """Promise a whole body, send a part of it, and hang up."""
        self._writer.write(self.head(200, len(body), "application/json", None))
        self._writer.write(body[:40])
        await self._writer.drain()
        self._writer.close()

    def hang_up(self) -> None:
        self._writer.close()


Handler = Callable[[Call], Awaitable[None]]
Routes = dict[tuple[str, str], Handler]
"""By method and regular expression of the whole path."""


async def read(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter
) -> Call | None:
    try:
        first, *lines = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
    except (asyncio.IncompleteReadError, ConnectionError):
        return None
    pairs = (line.partition(":") for line in lines if line)
    headers = {name.lower(): value.strip() for name, _, value in pairs}
    method, path, _ = first.split(" ")
    body = await reader.readexactly(int(headers.get("content-length", "0")))
    return Call(method, path, headers, body, writer)


def find(routes: Routes, call: Call) -> Handler | None:
    for (method, pattern), handler in routes.items():
        call.found = re.fullmatch(pattern, call.path)
        if method == call.method and call.found:
            return handler
    return None


async def serve(routes: Routes) -> None:
    """Print the port and serve until the process is killed."""

    async def connection(
        reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        try:
            while not writer.is_closing() and (call := await read(reader, writer)):
                handler = find(routes, call)
                if handler is None:
                    await call.send(404, b'{"error": {"message": "no such path"}}')
                else:
                    await handler(call)
        except (ConnectionError, asyncio.IncompleteReadError):
            pass  # whoever asked has gone
        finally:
            writer.close()

    server = await asyncio.start_server(connection, "127.0.0.1", 0, backlog=1000)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()
