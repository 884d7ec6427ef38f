"""What every test shares: golden files, and no network."""

import json
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

GOLDEN = Path(__file__).parent / "golden"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-golden",
        action="store_true",
        help="write golden files anew; read the difference before you commit it",
    )


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[str, str], None]:
    """Hold a text against tests/golden/NAME, or rewrite that file on request."""

    def check(name: str, text: str) -> None:
        path = GOLDEN / name
        if request.config.getoption("--update-golden"):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        assert text == path.read_text(encoding="utf-8")

    return check


@pytest.fixture(autouse=True)
def no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    """Refuse every connection that would leave this machine."""
    connect = socket.socket.connect

    def local_only(self: socket.socket, address: object) -> None:
        if self.family in {socket.AF_INET, socket.AF_INET6}:
            assert isinstance(address, tuple)
            host = str(address[0])
            if host not in {"127.0.0.1", "::1", "localhost"}:
                raise OSError(f"tests do not reach the network, and {host} is asked")
        connect(self, address)  # type: ignore[arg-type]

    monkeypatch.setattr(socket.socket, "connect", local_only)


class Server:
    """A chat completions server in a process of its own."""

    def __init__(self, *options: str) -> None:
        script = Path(__file__).parent / "servers" / "openai_server.py"
        self.process = subprocess.Popen(
            [sys.executable, str(script), *options],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        assert self.process.stdout is not None
        self.port = int(self.process.stdout.readline())
        self.url = f"http://127.0.0.1:{self.port}/v1"

    def count(self, what: str = "completions") -> int:
        """Number of completions sent out, or of requests that came in."""
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/count") as reply:
            return int(json.load(reply)[what])

    def stop(self) -> None:
        self.process.kill()
        self.process.wait()
        assert self.process.stdout is not None
        self.process.stdout.close()


@pytest.fixture
def serve() -> Iterator[Callable[..., Server]]:
    """Start servers, and stop them when the test is over."""
    servers: list[Server] = []

    def start(*options: str) -> Server:
        servers.append(Server(*options))
        return servers[-1]

    yield start
    for server in servers:
        server.stop()
