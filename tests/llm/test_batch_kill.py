"""A real process with batches, killed at many moments, on a server that counts."""

import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

import batch_engine
from asking import WIRES
from batch_engine import (
    A_REPLY,
    QUESTIONS,
    ask_all,
    batched,
    rows,
    set_options,
    spent,
    texts,
)
from conftest import Server, Wire
from threadmed.llm.journal import Journal

LONGEST = (0.3, 0.5, 0.7, 0.9)
"""Seconds up to which a run lives."""


def kill_after(seconds: float, path: Path, wire: Wire, url: str) -> str:
    """Run until the time is over; give the state in which a batch was left."""
    child = subprocess.Popen(
        [sys.executable, batch_engine.__file__, str(path), wire, url],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert child.stdout is not None
    with child, child.stdout:
        assert child.stdout.readline() == "ready\n"
        time.sleep(seconds)
        child.send_signal(signal.SIGKILL)
    found = rows(path, "SELECT state FROM batches") if path.exists() else []
    return " ".join(state for (state,) in found)


@pytest.mark.parametrize("wire", WIRES)
def test_a_kill_between_submission_and_its_note_pays_for_no_second_batch(
    tmp_path: Path, serve: Callable[..., Server], wire: Wire
) -> None:
    server, path = serve(wire=wire), tmp_path / "journal.sqlite"
    # The batch is made at once, and its name goes out much later.
    set_options(server, create_s=60.0, lasts_s=0.2)
    child = subprocess.Popen(
        [sys.executable, batch_engine.__file__, str(path), wire, server.url]
    )
    deadline = time.monotonic() + 20
    while server.count("batches") == 0:
        assert time.monotonic() < deadline
        time.sleep(0.02)
    child.send_signal(signal.SIGKILL)
    child.wait()
    assert rows(path, "SELECT id, state FROM batches") == [("", "submitting")]

    said = ask_all(path, batched(wire, server), QUESTIONS)

    assert server.count("batches") == 1
    assert server.count("batch_lines") == 30
    assert texts(said) == ["An answer of 1 messages."] * 30
    assert spent(path) == pytest.approx(30 * A_REPLY / 2)
    with Journal(path) as journal:
        assert journal.unsettled().attempts == 0


@pytest.mark.parametrize("wire", WIRES)
def test_kills_at_any_moment_pay_for_nothing_twice(
    tmp_path: Path, serve: Callable[..., Server], wire: Wire
) -> None:
    server, path = serve(wire=wire), tmp_path / "journal.sqlite"
    set_options(server, create_s=0.2, lasts_s=1.0)
    moments = random.Random(f"{wire} 20261130")
    # The first moments fall before, in and after the submission.
    left = [
        kill_after(moments.uniform(0.05, most), path, wire, server.url)
        for most in LONGEST
    ]

    said = ask_all(path, batched(wire, server), QUESTIONS)

    assert {"submitting", "submitted"} & set(left), left
    assert texts(said) == ["An answer of 1 messages."] * 30
    assert server.count("batch_lines") == 30
    assert server.count() == 0
    assert spent(path) == pytest.approx(30 * A_REPLY / 2)
