"""A real process, killed at many moments, on a real server that counts."""

import asyncio
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import mortal
from conftest import Server
from mortal import CALLS, IN_FLIGHT, ask_all
from threadmed.llm.journal import Journal

KILLS = 6


def kill_after(seconds: float, path: Path, url: str) -> bool:
    """Run until the time is over; tell whether the run was still on."""
    child = subprocess.Popen(
        [sys.executable, mortal.__file__, str(path), url],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert child.stdout is not None
    with child, child.stdout:
        assert child.stdout.readline() == "ready\n"
        time.sleep(seconds)
        child.send_signal(signal.SIGKILL)
    return child.returncode == -signal.SIGKILL


def settled(server: Server) -> int:
    """Wait until the server is through with all that came in; count what it sent."""
    deadline = time.monotonic() + 20
    while server.count() < server.count("requests"):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    return server.count()


def test_a_run_that_is_killed_again_and_again_pays_twice_only_for_what_was_in_flight(
    tmp_path: Path, serve: Callable[..., Server]
) -> None:
    server, undisturbed = serve("--latency", "0.05"), serve()
    path = tmp_path / "journal.sqlite"
    moments = random.Random(20261130)
    kills = [
        kill_after(moments.uniform(0.05, 0.6), path, server.url) for _ in range(KILLS)
    ]

    said = asyncio.run(ask_all(path, server.url))
    with Journal(path) as journal:
        in_flight = journal.unsettled().attempts
        kept = sum(spend.calls for spend in journal.spend())

    assert sum(kills) >= 2
    assert kept == CALLS
    # What the journal takes for lost is what was lost, and no more than could be.
    assert CALLS <= settled(server) <= CALLS + in_flight
    assert 0 < in_flight <= sum(kills) * IN_FLIGHT
    assert said == asyncio.run(ask_all(tmp_path / "other.sqlite", undisturbed.url))
    assert len(said) == 2 * CALLS
