"""The engine beside other ways of making the same calls: `make bench-engine`.

Everything is from one run against one local server, which takes a fixed time for a
reply. Each contestant is a process of its own that goes through the paper's 505
threads: one target answers turn by turn, and three judges score every answer that
counts, with at most 100 calls under way for each of the four models. They take turns,
so that a noisy machine hits all of them; the best of the runs counts.
"""

import argparse
import math
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import msgspec

from bench.building import EVEN, Failed, goal
from bench.runners.processes import Counted, Server, Told, run, serving
from bench.runners.rivals import ROOT, install

OURS, BARE = "threadmed run", "openai SDK by hand"
INSPECT, LITELLM = "Inspect, tuned", "litellm by hand"
CONTESTANTS = {
    OURS: "ours",
    BARE: "bare_sdk",
    INSPECT: "with_inspect",
    LITELLM: "with_litellm",
}
RIVALS = (INSPECT, LITELLM)
"""Who needs packages that are not ours."""

THREADS, FEW = 505, 50
IN_FLIGHT, JUDGES = 100, 3
LATENCIES = SHORT, LONG = (0.2, 2.0)

WALL_GOAL = 1.15
INSPECT_GOAL = 2.5
CPU_GOAL_MS = 2.5
MEMORY_GOAL_MB = 200
TIMES = 10


class Shape(msgspec.Struct, frozen=True):
    """What there is to do: the turns that are scored, by thread."""

    labelled: tuple[tuple[int, ...], ...]

    @property
    def asked(self) -> list[int]:
        """Give the number of calls to the target that follow each other, by thread."""
        return [1 + max(turns) for turns in self.labelled]

    @property
    def judged(self) -> int:
        """Give the number of answers that are scored."""
        return sum(map(len, self.labelled))

    @property
    def calls(self) -> int:
        """Give the number of calls."""
        return sum(self.asked) + JUDGES * self.judged


class Took(msgspec.Struct, frozen=True, kw_only=True):
    """What a contestant took for one workload."""

    wall_s: float
    """Of the work alone: imports came before it."""
    work_cpu_s: float
    """Of the work alone."""
    cpu_s: float
    """User and system time of the whole process."""
    peak_mb: float
    calls: int
    server_cpu_s: float
    """What the calls cost the server."""


Found = Mapping[str, Took | Failed]


def ideal_s(shape: Shape, latency_s: float) -> float:
    """Say how long the work takes at least, whoever does it.

    In each span of one latency a model finishes 100 calls at most, so that the target
    needs so many spans for all it is asked; whichever of its answers is the last of
    all ends a thread, and is judged. Nor can a thread be done before its turns were
    asked one after the other. A schedule that always goes on with the longest thread
    reaches this bound for the workload here.

    Example:
        >>> ideal_s(Shape(((0,), (2,))), 0.5)
        2.0
    """
    spans = (
        math.ceil(sum(shape.asked) / IN_FLIGHT),
        math.ceil(shape.judged / IN_FLIGHT),
        max(shape.asked),
    )
    return latency_s * (max(spans) + 1)


class Bench(msgspec.Struct, frozen=True, kw_only=True):
    """Where and how everything is measured."""

    folder: Path
    server: Server
    rivals: Path | Failed
    """The interpreter that has the rivals' packages."""
    runs: int

    def workload(self, threads: int) -> tuple[Path, Shape]:
        """Make a workload; give its folder and its shape."""
        folder = self.folder / f"{threads}"
        folder.mkdir()
        subprocess.run(  # noqa: S603 - our own module
            [
                sys.executable,
                "-m",
                "bench.runners.workload",
                f"--threads={threads}",
                str(folder),
            ],
            cwd=ROOT,
            check=True,
        )
        shape = (folder / "shape.json").read_bytes()
        return folder, msgspec.json.decode(shape, type=Shape)

    def contest(
        self, name: str, folder: Path, *, shape: Shape, latency_s: float
    ) -> Took | Failed:
        """Run one contestant, and check at the server that it did the work."""
        python = self.rivals if name in RIVALS else Path(sys.executable)
        if isinstance(python, Failed):
            return python
        self.server.counted()
        module, url = f"bench.runners.{CONTESTANTS[name]}", self.server.url(latency_s)
        try:
            told, cpu_s = run(python, module, str(folder), url)
        except ChildProcessError as cause:
            return Failed(why=str(cause))
        counted = self.server.counted()
        wrong = complaint(shape, told, counted)
        if wrong:
            return Failed(why=wrong)
        return Took(
            wall_s=told.wall_s,
            work_cpu_s=told.work_cpu_s,
            cpu_s=cpu_s,
            peak_mb=told.peak_mb,
            calls=shape.calls,
            server_cpu_s=counted.cpu_s,
        )


def complaint(shape: Shape, told: Told, counted: Counted) -> str:
    """Say what a contestant did not do as it should; empty where all is well."""
    calls = sum(each.calls for each in counted.models.values())
    most = max((each.most_in_flight for each in counted.models.values()), default=0)
    if calls != shape.calls:
        return f"made {calls:,} calls and not {shape.calls:,}"
    if most > IN_FLIGHT:
        return f"had {most} calls to one model under way"
    if told.verdicts != JUDGES * shape.judged:
        return f"has {told.verdicts:,} verdicts and not {JUDGES * shape.judged:,}"
    return ""


def better(one: Took | Failed, other: Took | Failed) -> Took | Failed:
    """Give the lesser times of two runs and the greater memory.

    One run that failed is not made good by another.
    """
    if isinstance(one, Failed):
        return one
    if isinstance(other, Failed):
        return other
    return Took(
        wall_s=min(one.wall_s, other.wall_s),
        work_cpu_s=min(one.work_cpu_s, other.work_cpu_s),
        cpu_s=min(one.cpu_s, other.cpu_s),
        peak_mb=max(one.peak_mb, other.peak_mb),
        calls=one.calls,
        server_cpu_s=max(one.server_cpu_s, other.server_cpu_s),
    )


def compare(
    bench: Bench, names: Sequence[str], work: tuple[Path, Shape], latency_s: float
) -> Found:
    """Run contestants in turns; give the best of each."""
    folder, shape = work
    found: dict[str, Took | Failed] = {}
    for _ in range(bench.runs):
        for name in names:
            took = bench.contest(name, folder, shape=shape, latency_s=latency_s)
            found[name] = better(found[name], took) if name in found else took
    return found


def table(found: Found, ideal: float) -> Iterator[str]:
    """Write what contestants took, as aligned lines."""
    yield (
        f"{'':20}{'wall s':>8}{'x ideal':>9}{'calls/s':>9}"
        f"{'CPU ms a call':>15}{'with start':>12}{'peak MB':>9}{'server busy':>13}"
    )
    for name, took in found.items():
        if isinstance(took, Failed):
            yield f"{name:20}  no figures: {took.why}"
        else:
            yield (
                f"{name:20}{took.wall_s:8.2f}{took.wall_s / ideal:9.2f}"
                f"{took.calls / took.wall_s:9,.0f}"
                f"{took.work_cpu_s / took.calls * 1e3:15.2f}"
                f"{took.cpu_s / took.calls * 1e3:12.2f}{took.peak_mb:9,.0f}"
                f"{took.server_cpu_s / took.wall_s:13.0%}"
            )


def goals(found: Found, latency_s: float, ideal: float) -> Iterator[str]:
    """Judge what the figures at one latency say."""
    own, inspect = found[OURS], found.get(INSPECT)
    if isinstance(own, Failed):
        yield f"not met  {OURS} came to no figures"
        return
    if latency_s == LONG:
        yield goal("wall time over the ideal", own.wall_s / ideal, WALL_GOAL)
    elif isinstance(inspect, Took):
        times = inspect.wall_s / own.wall_s
        yield goal("times Inspect's throughput", times, INSPECT_GOAL, at_least=True)
    else:
        yield "unknown  times Inspect's throughput: there are no figures for it"
    per_call = own.cpu_s / own.calls * 1e3
    if latency_s == SHORT:
        yield goal("CPU ms a call, start and journal included", per_call, CPU_GOAL_MS)
    yield goal("peak MB", own.peak_mb, MEMORY_GOAL_MB)


def larger(one: Took | Failed, more: Took | Failed) -> Iterator[str]:
    """Judge whether throughput and memory stay where there is more to do."""
    if isinstance(one, Failed) or isinstance(more, Failed):
        yield f"not met  {OURS} came to no figures"
        return
    rates = [took.calls / took.wall_s for took in (more, one)]
    yield goal(
        f"throughput at {TIMES} times the work, over that at once",
        rates[0] / rates[1],
        1 / EVEN,
        at_least=True,
    )
    yield goal(f"peak MB at {TIMES} times the work", more.peak_mb, MEMORY_GOAL_MB)


def capacity(bench: Bench, folder: Path) -> str:
    """Say how much the server can take, so that it can be seen not to be in the way."""
    bench.server.counted()
    url = bench.server.url(0)
    told, _ = run(Path(sys.executable), "bench.runners.load", str(folder), url)
    counted = bench.server.counted()
    calls = sum(each.calls for each in counted.models.values())
    return (
        f"server alone: {calls / told.wall_s:,.0f} calls/s from raw sockets at no "
        f"latency; {counted.cpu_s / calls * 1e3:.2f} ms of its CPU a call"
    )


def small(bench: Bench) -> Iterator[str]:
    """Run ours and the bare SDK on a few threads."""
    work = bench.workload(FEW)
    found = compare(bench, (OURS, BARE), work, SHORT)
    yield f"{FEW} threads, {work[1].calls:,} calls, {SHORT:g} s a reply; no goal judged"
    yield from table(found, ideal_s(work[1], SHORT))


def full(bench: Bench) -> Iterator[str]:
    """Run everybody on the whole workload, and ours on ten times as much."""
    work = folder, shape = bench.workload(THREADS)
    yield capacity(bench, folder)
    at_once: Took | Failed = Failed(why="did not run")
    for latency_s in LATENCIES:
        ideal = ideal_s(shape, latency_s)
        yield (
            f"\n{THREADS} threads, {shape.calls:,} calls, {latency_s:g} s a reply, "
            f"{IN_FLIGHT} under way a model; ideal {ideal:.1f} s"
        )
        found = compare(bench, tuple(CONTESTANTS), work, latency_s)
        yield from table(found, ideal)
        yield from goals(found, latency_s, ideal)
        at_once = found[OURS] if latency_s == SHORT else at_once
    more = bench.workload(THREADS * TIMES)
    ideal = ideal_s(more[1], SHORT)
    yield f"\n{TIMES} times as many threads, {SHORT:g} s a reply; ideal {ideal:.1f} s"
    found = compare(bench, (OURS,), more, SHORT)
    yield from table(found, ideal)
    yield from larger(at_once, found[OURS])


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the report as it is made."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--small", action="store_true", help=f"{FEW} threads, no rival")
    parser.add_argument("--rivals", type=Path, help="keep their environment there")
    parser.add_argument("--runs", type=int, help="of each contestant", default=2)
    options = parser.parse_args(arguments)
    # A temporary folder elsewhere may be memory, which no journal of a study is.
    there = tempfile.TemporaryDirectory(dir=ROOT, prefix=".bench-", suffix="_cache")
    with there as made, serving() as server:
        rivals = Failed(why="not in the small setting") if options.small else None
        bench = Bench(
            folder=Path(made),
            server=server,
            rivals=rivals or install(options.rivals or Path(made) / "rivals"),
            runs=1 if options.small else options.runs,
        )
        for line in small(bench) if options.small else full(bench):
            print(line, flush=True)


if __name__ == "__main__":
    main()
