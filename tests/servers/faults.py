"""What every fake server does alike: it counts, and misbehaves as it is told.

The last message says how: one that holds "[500]" gets that reply, "[500 once]" gets
it the first time that this text comes, and what follows "[raw]" is sent back as it
stands. The names are the files in replies/WIRE, which hold replies of the real shape
with words of ours, and those in BROKEN below.

GET /count gives what was counted, GET /last the last request.
"""

import argparse
import asyncio
import json
from collections.abc import Awaitable, Callable
from email.utils import formatdate
from pathlib import Path
from time import time
from typing import Any, Protocol

from http1 import Call, Routes, serve

Body = dict[str, Any]

counts: dict[str, int] = {
    "requests": 0,  # that came in
    "completions": 0,  # sent out whole
    "paid": 0,  # generated, sent out whole or not
    "in_flight": 0,
    "most_in_flight": 0,
}
last: dict[str, Any] = {}
seen: set[str] = set()


class Wire(Protocol):
    """What sets one wire format apart."""

    name: str
    routes: tuple[str, ...]
    """Patterns of the paths that chats are posted to."""

    def key(self, headers: dict[str, str]) -> str:
        """Give the key that came along."""

    def asked(self, body: Body) -> str:
        """Give the text of the last message."""

    def answer(self, body: Body, text: str) -> Body:
        """Wrap a text into a reply that went well."""

    def schema(self, body: Body) -> str:
        """Give whatever the request says of the form of the reply."""

    def size(self, body: Body) -> int:
        """Give the number of messages."""


def text_of(wire: Wire, body: Body) -> str:
    """Reply to what is asked by rule: the same request gets the same reply."""
    asked, schema = wire.asked(body), wire.schema(body)
    if '"score"' in schema:
        return json.dumps({"explanation": "by rule", "score": len(asked) % 3 - 1})
    if '"misconception"' in schema:
        return json.dumps({"belief": "by rule", "misconception": len(asked) % 2 == 0})
    return f"An answer of {wire.size(body)} messages."


class Recorded:
    """A reply from a file."""

    def __init__(self, path: Path) -> None:
        held = json.loads(path.read_text(encoding="utf-8"))
        self.status: int = held["status"]
        self.headers: dict[str, str] = held.get("headers", {})
        body = held["body"]
        self.is_html = isinstance(body, str)
        self.body = (body if self.is_html else json.dumps(body)).encode()


def recorded(wire: Wire) -> dict[str, Recorded]:
    """Read the replies of a wire format, by the names that call for them."""
    folder = Path(__file__).parent / "replies" / wire.name
    return {
        path.stem.replace("-", " "): Recorded(path)
        for path in sorted(folder.glob("*.json"))
    }


Break = Callable[[Call, bytes], Awaitable[None]]
"""Does wrong what would have been the sending of a body."""


async def drop(call: Call, _: bytes) -> None:
    call.hang_up()


async def half(call: Call, body: bytes) -> None:
    counts["paid"] += 1
    await call.half(body)


async def garbage(call: Call, body: bytes) -> None:
    await call.send(200, body[:20])


async def html(call: Call, _: bytes) -> None:
    await call.send(200, b"<html>busy</html>", kind="text/html")


async def drip(call: Call, body: bytes) -> None:
    """Take half a minute, with never a second of silence."""
    counts["paid"] += 1
    await call.drip(body, size=max(1, len(body) // 600), every_s=0.05)


async def slow(call: Call, body: bytes) -> None:
    """Take a while, and end well."""
    counts["paid"] += 1
    counts["completions"] += 1
    await call.drip(body, size=len(body) // 10 + 1, every_s=0.02)


BROKEN: dict[str, Break] = {
    "drop": drop,
    "half": half,
    "garbage": garbage,
    "html": html,
    "drip": drip,
    "slow": slow,
}


class Desk:
    """Answers the chats that are posted to one wire format."""

    def __init__(self, wire: Wire, options: argparse.Namespace) -> None:
        self.wire = wire
        self.options = options
        self.replies = recorded(wire)

    async def chat(self, call: Call) -> None:
        counts["requests"] += 1
        counts["in_flight"] += 1
        counts["most_in_flight"] = max(counts["most_in_flight"], counts["in_flight"])
        body = call.json()
        last.update(path=call.path, headers=call.headers, body=body)
        limit = self.options.limit
        is_crowded = bool(limit) and counts["in_flight"] > limit
        try:
            await asyncio.sleep(0 if is_crowded else self.options.latency)
            await (self.recorded(call, "429") if is_crowded else self.reply(call, body))
        finally:
            counts["in_flight"] -= 1

    async def reply(self, call: Call, body: Body) -> None:
        asked = self.wire.asked(body)
        is_new = asked not in seen
        seen.add(asked)
        fault = self.fault(call, asked, is_new=is_new)
        whole = json.dumps(self.wire.answer(body, text_of(self.wire, body))).encode()
        if fault in BROKEN:
            await BROKEN[fault](call, whole)
        elif fault == "429 date":
            await self.recorded(call, "429", when=time() + 3)
        elif fault:
            await self.recorded(call, fault)
        else:
            _, raw, rest = asked.partition("[raw]")
            counts["paid"] += 1
            counts["completions"] += 1
            await call.send(200, rest.encode() if raw else whole)

    def fault(self, call: Call, asked: str, *, is_new: bool) -> str:
        """Name what shall go wrong; empty is nothing."""
        key, every = self.options.key, self.options.every
        if key and self.wire.key(call.headers) != key:
            return "401"
        if every and counts["requests"] % every == 0:
            return str(self.options.fault)
        for name in (*self.replies, *BROKEN, "429 date"):
            if f"[{name}]" in asked or (is_new and f"[{name} once]" in asked):
                return name
        return ""

    async def recorded(
        self, call: Call, name: str, *, when: float | None = None
    ) -> None:
        reply = self.replies[name]
        headers = dict(reply.headers)
        if when is not None:
            headers["Retry-After"] = formatdate(when, usegmt=True)
        # A careless server shows the key that it was sent.
        body = reply.body.replace(b"KEY", self.wire.key(call.headers).encode())
        if reply.status == 200:
            counts["paid"] += 1
            counts["completions"] += 1
        kind = "text/html" if reply.is_html else "application/json"
        await call.send(reply.status, body, kind=kind, headers=headers)


async def count(call: Call) -> None:
    await call.send(200, json.dumps(counts).encode())


async def show_last(call: Call) -> None:
    await call.send(200, json.dumps(last).encode())


def main(wire: Wire, more: Routes | None = None) -> None:
    """Serve one wire format, and whatever other routes there are."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--latency", type=float, default=0.0, help="seconds")
    parser.add_argument("--key", help="any other key is refused")
    parser.add_argument("--limit", type=int, help="more in flight get a 429")
    parser.add_argument("--fault", help="what goes wrong")
    parser.add_argument("--every", type=int, help="with every so manieth request")
    desk = Desk(wire, parser.parse_args())
    chats: Routes = {("POST", pattern): desk.chat for pattern in wire.routes}
    always: Routes = {("GET", "/count"): count, ("GET", "/last"): show_last}
    asyncio.run(serve(chats | always | (more or {})))
