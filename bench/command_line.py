"""CPU of `threadmed --help`, beside that of a Python that does nothing."""

import resource
import statistics
import subprocess
import sys

RUNS = 15
GOAL_S = 0.25


def cpu_s(*command: str) -> float:
    """CPU seconds, user and system, of one run of a command."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(  # noqa: S603 - our own interpreter
        [sys.executable, *command], check=True, stdout=subprocess.DEVNULL
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def main() -> None:
    """Print medians; the two take turns, so that a noisy machine hits both."""
    both = [
        (cpu_s("-m", "threadmed", "--help"), cpu_s("-c", "pass")) for _ in range(RUNS)
    ]
    ours = statistics.median(first for first, _ in both)
    nothing = statistics.median(second for _, second in both)
    print(
        f"threadmed --help: {ours:.3f} s of CPU (goal {GOAL_S}), "
        f"{ours / nothing:.1f} times an empty Python"
    )


if __name__ == "__main__":
    main()
