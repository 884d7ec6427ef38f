"""Servers that speak no HTTP, show keys in pieces, or have no address at all."""

import asyncio
import socket
import threading
from collections.abc import Iterator
from contextlib import closing, suppress

import msgspec
import pytest

from asking import KEY, NAMES, WIRES, entry, request
from conftest import ADDRESS, Wire
from threadmed.errors import ModelError, StudyError
from threadmed.llm.batches import BatchApi, Line
from threadmed.llm.model import RetryLater
from threadmed.llm.providers import open_model
from threadmed.records import Model

NO_HTTP = {
    "another protocol": b"SSH-2.0-OpenSSH_9.6\r\n",
    "a length that is none": b"HTTP/1.1 200 OK\r\nContent-Length: abc\r\n\r\n",
    "a broken chunk": b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nZZ\r\nxx",
    "an endless header": b"HTTP/1.1 200 OK\r\nX: " + b"a" * 50_000 + b"\r\n\r\n",
    "no packed body": b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n"
    b"Content-Length: 2\r\n\r\n{}",
}


def said(body: bytes, status: int = 200) -> bytes:
    head = f"HTTP/1.1 {status} S\r\nContent-Type: application/json\r\n"
    return f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body


class Rude:
    """Says the same to whoever connects, and hangs up."""

    def __init__(self) -> None:
        self.says = b""
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.port = self.socket.getsockname()[1]
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self) -> None:
        while True:
            try:
                there, _ = self.socket.accept()
            except OSError:
                return
            with there, suppress(OSError):
                there.recv(65_536)
                there.sendall(self.says)
                there.shutdown(socket.SHUT_WR)
                while there.recv(65_536):
                    pass


@pytest.fixture
def rude() -> Iterator[Rude]:
    server = Rude()
    with closing(server.socket):
        yield server
        # Wakes accept(), which would wait for ever on a socket that is closed.
        with suppress(OSError):
            server.socket.shutdown(socket.SHUT_RDWR)


def model_at(wire: Wire, port: int) -> Model:
    return entry(wire, base_url=f"http://127.0.0.1:{port}{ADDRESS[wire]}")


def refusal(model: Model, *, batch: bool = False) -> Exception:
    """Ask once, and give what was raised."""

    async def asked() -> None:
        opened = open_model(model, environment={"MY_KEY": KEY})
        try:
            async with asyncio.timeout(20):
                if batch:
                    api: BatchApi = opened.batches()  # type: ignore[attr-defined]
                    await api.submit("t", [Line(key="k", request=request("hello"))])
                else:
                    await opened.chat(request("hello"))
        finally:
            await opened.close()

    with pytest.raises(Exception) as caught:  # noqa: PT011 - which one is asserted
        asyncio.run(asked())
    return caught.value


@pytest.mark.parametrize("road", ["chat", "batch"])
@pytest.mark.parametrize("what", NO_HTTP)
@pytest.mark.parametrize("wire", WIRES)
def test_what_is_no_http_is_tried_again_later(
    rude: Rude, wire: Wire, what: str, road: str
) -> None:
    rude.says = NO_HTTP[what]

    cause = refusal(model_at(wire, rude.port), batch=road == "batch")

    assert isinstance(cause, RetryLater), repr(cause)
    assert "\n" not in str(cause)


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize("before", range(80, 100, 6))
def test_a_key_that_would_be_cut_in_two_is_not_shown(
    rude: Rude, wire: Wire, before: int
) -> None:
    rude.says = said(b"x" * before + KEY.encode())

    cause = refusal(model_at(wire, rude.port))

    assert isinstance(cause, RetryLater)
    assert "xx" in str(cause)
    assert KEY[:3] not in str(cause)


@pytest.mark.parametrize("status", [400, 401, 500])
@pytest.mark.parametrize("wire", WIRES)
def test_half_a_letter_in_an_error_can_be_written_down(
    rude: Rude, wire: Wire, status: int
) -> None:
    error = b'{"error": {"message": "bad \\ud800 word", "code": %d}}' % status
    rude.says = said(error, status)

    why = str(refusal(model_at(wire, rude.port)))

    assert "bad" in why
    assert msgspec.json.encode(why)


@pytest.mark.parametrize(
    ("address", "complaint"),
    [
        ("not an address", "no address of a server"),
        ("ftp://localhost/v1", "no address of a server"),
        ("http://", "no address of a server"),
        ("http://[::1/v1", "no address of a server"),
        ("http://localhost:99999/v1", "no address of a server"),
        ("http://local host/v1", "no address of a server"),
        ("http://\u2603.example/v1", "no address of a server"),
        (f"http://{KEY}@localhost/v1", "holds a password"),
        (f"http://me:{KEY}@localhost/v1", "holds a password"),
        (f"http://localhost/v1?key={KEY}", "holds a query"),
        ("http://localhost/v1#there", "holds a query"),
    ],
)
@pytest.mark.parametrize("wire", WIRES)
def test_an_address_that_cannot_be_is_one_line_before_anything_is_sent(
    wire: Wire, address: str, complaint: str
) -> None:
    with pytest.raises(StudyError, match=complaint) as caught:
        open_model(entry(wire, base_url=address), environment={"MY_KEY": KEY})

    assert KEY not in str(caught.value)


@pytest.mark.parametrize("address", ["http://localhost:8000/v1/", "https://h.example"])
def test_an_address_that_can_be_is_taken(address: str) -> None:
    model = entry("openai", base_url=address)

    opened = open_model(model, environment={"MY_KEY": KEY})

    assert opened.identity == f"openai:{NAMES['openai']} at {address.rstrip('/')}"
    asyncio.run(opened.close())


@pytest.mark.parametrize("key", ["\u201csk-secret\u201d", "sk-\nsecret", "sk-\x00"])
@pytest.mark.parametrize("wire", WIRES)
def test_a_key_that_no_header_can_carry_is_one_line(wire: Wire, key: str) -> None:
    with pytest.raises(ModelError, match="MY_KEY is no key") as caught:
        open_model(entry(wire, base_url="http://h"), environment={"MY_KEY": key})

    assert "secret" not in str(caught.value)
