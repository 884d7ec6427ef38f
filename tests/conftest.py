"""What every test shares: golden files, and no network."""

import json
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Literal

import pytest

collect_ignore = ["servers"]
"""Scripts that tests start; their modules find each other by their folder alone."""

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


Wire = Literal["openai", "anthropic", "google"]

ADDRESS: dict[Wire, str] = {"openai": "/v1", "anthropic": "", "google": ""}
"""What an SDK expects in a base_url behind the port."""


class Server:
    """A fake model server in a process of its own; see tests/servers/faults.py."""

    def __init__(self, *options: str, wire: Wire = "openai") -> None:
        script = Path(__file__).parent / "servers" / f"{wire}_server.py"
        self.process = subprocess.Popen(
            [sys.executable, str(script), *options],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        assert self.process.stdout is not None
        self.port = int(self.process.stdout.readline())
        self.url = f"http://127.0.0.1:{self.port}{ADDRESS[wire]}"

    def count(self, what: str = "completions") -> int:
        """Number of completions sent out, or of whatever else faults.py counts."""
        return int(self._get("count")[what])

    def last(self) -> dict[str, Any]:
        """Path, headers and body of the last chat that was asked for."""
        return self._get("last")

    def _get(self, what: str) -> dict[str, Any]:
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/{what}") as reply:
            return dict(json.load(reply))

    def stop(self) -> None:
        self.process.kill()
        self.process.wait()
        assert self.process.stdout is not None
        self.process.stdout.close()


@pytest.fixture
def serve() -> Iterator[Callable[..., Server]]:
    """Start servers, and stop them when the test is over."""
    servers: list[Server] = []

    def start(*options: str, wire: Wire = "openai") -> Server:
        servers.append(Server(*options, wire=wire))
        return servers[-1]

    yield start
    for server in servers:
        server.stop()


@pytest.fixture(scope="module")
def servers() -> Iterator[Mapping[Wire, Server]]:
    """Have a server of each wire format for the tests of a module to share."""
    running = {wire: Server(wire=wire) for wire in ADDRESS}
    yield running
    for server in running.values():
        server.stop()
