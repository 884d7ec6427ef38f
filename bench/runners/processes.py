"""Starts the server and the contestants, and hears what they and the system say."""

import os
import subprocess
import sys
import tempfile
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import msgspec

from bench.runners.rivals import ROOT


class Told(msgspec.Struct, frozen=True, kw_only=True):
    """What a contestant says of itself in its last line."""

    wall_s: float
    work_cpu_s: float
    verdicts: int
    peak_mb: float


class Came(msgspec.Struct, frozen=True, kw_only=True):
    """What the server counted for one model."""

    calls: int
    most_in_flight: int


class Counted(msgspec.Struct, frozen=True, kw_only=True):
    """What the server counted."""

    cpu_s: float
    models: Mapping[str, Came]


class Server:
    """The server, as a process of its own."""

    def __init__(self) -> None:
        """Start it."""
        self.process = subprocess.Popen(
            [sys.executable, "-m", "bench.engine_server"],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            text=True,
        )
        said = self.process.stdout.readline() if self.process.stdout else ""
        self.address = f"http://127.0.0.1:{int(said)}"

    def url(self, latency_s: float) -> str:
        """Give the address at which replies take so long."""
        return f"{self.address}/{latency_s}/v1"

    def counted(self) -> Counted:
        """Give what was counted since the last time."""
        with urllib.request.urlopen(f"{self.address}/count") as reply:  # noqa: S310 - ours
            return msgspec.json.decode(reply.read(), type=Counted)


@contextmanager
def serving() -> Iterator[Server]:
    """Keep a server up for as long as the block lasts."""
    server = Server()
    try:
        yield server
    finally:
        server.process.kill()
        server.process.communicate()


def run(python: Path, module: str, *arguments: str) -> tuple[Told, float]:
    """Run a module; give what it says, and its CPU seconds from its start on.

    Raises:
        ChildProcessError: If it fails, with the last line that it said.
    """
    environment = dict(os.environ)
    # Nobody is to be charged for compiling what others find compiled.
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        process = subprocess.Popen(  # noqa: S603 - our own modules
            [str(python), "-m", module, *arguments],
            cwd=ROOT,
            env=environment,
            stdout=out,
            stderr=err,
        )
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        said, wrong = _last_line(out), _last_line(err)
    if process.returncode:
        raise ChildProcessError(wrong or f"exit code {process.returncode}")
    return msgspec.json.decode(said, type=Told), usage.ru_utime + usage.ru_stime


def _last_line(file: IO[bytes]) -> str:
    file.seek(0)
    lines = file.read().decode(errors="replace").strip().splitlines()
    return lines[-1] if lines else ""
