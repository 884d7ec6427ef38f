"""The command line as a person uses it: a process, its output, its status."""

import os
import subprocess
import sys


def threadmed(
    *arguments: object, environment: dict[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    kept = {name: value for name, value in os.environ.items() if "API_KEY" not in name}
    return subprocess.run(
        [sys.executable, "-m", "threadmed", *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
        env=kept | (environment or {}),
    )


def complaint(done: subprocess.CompletedProcess[str]) -> str:
    """The one line that a known error comes to."""
    lines = [
        line for line in done.stderr.splitlines() if line.startswith("threadmed: ")
    ]
    assert len(lines) == 1, done.stderr
    assert "Traceback" not in done.stderr
    return lines[0]
