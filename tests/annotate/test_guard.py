"""Hosts and origins, without a server."""

import asyncio

import pytest
from starlette.types import Message, Receive, Scope, Send

from threadmed.annotate.guard import HEADERS, LOOPBACK, Guard


async def fine(scope: Scope, receive: Receive, send: Send) -> None:
    del scope, receive
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": b""})


def status(method: str, hosts: tuple[str, ...] = LOOPBACK, **headers: str) -> int:
    sent: list[Message] = []

    async def receive() -> Message:
        return {"type": "http.request", "body": b""}

    async def send(message: Message) -> None:
        sent.append(message)

    raw = [
        (name.replace("_", "-").encode(), value.encode())
        for name, value in headers.items()
    ]
    scope = {"type": "http", "method": method, "headers": raw}
    asyncio.run(Guard(fine, hosts=hosts)(scope, receive, send))
    found = {name.decode().lower() for name, _ in sent[0]["headers"]}
    assert {name.lower() for name in HEADERS} <= found
    return int(sent[0]["status"])


@pytest.mark.parametrize(
    ("host", "expected"),
    [("localhost:1", 200), ("[::1]:1", 200), ("127.0.0.1", 200), ("a.example", 421)],
)
def test_on_loopback_only_its_own_names_are_answered(host: str, expected: int) -> None:
    assert status("GET", host=host) == expected


def test_beyond_loopback_any_name_is_answered() -> None:
    assert status("GET", (), host="label.example") == 200


@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        ({"origin": "http://localhost:1"}, 200),
        ({"origin": "https://localhost:1"}, 200),
        ({"origin": "http://localhost:2"}, 403),
        ({"origin": "null"}, 403),
        ({}, 403),
        ({"sec_fetch_site": "same-origin"}, 200),
        ({"sec_fetch_site": "cross-site"}, 403),
        ({"origin": "http://localhost:1", "content_length": "65537"}, 413),
        ({"origin": "http://localhost:1", "content_length": "-1"}, 413),
    ],
)
def test_a_change_must_come_from_a_page_of_the_same_server(
    headers: dict[str, str], expected: int
) -> None:
    assert status("POST", host="localhost:1", **headers) == expected


def test_what_is_no_request_is_passed_on() -> None:
    seen: list[str] = []

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        del receive, send
        seen.append(scope["type"])

    async def nothing(*_: object) -> Message:
        return {}

    asyncio.run(Guard(app, hosts=())({"type": "lifespan"}, nothing, nothing))
    assert seen == ["lifespan"]
