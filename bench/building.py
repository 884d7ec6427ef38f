"""The build of a dump of real size, beside every other way of reading it.

`python -m bench.building` prints everything from one run: `make bench-build`.
Each contestant is a process of its own, so that its memory is, and they take turns,
so that a noisy machine hits all of them; the best of the runs counts.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path

import msgspec

from bench.recipe import COMMENTS, SUBMISSIONS, WINDOW_LOGS, Recipe, files

SMALL = 50
"""The small setting has one record in so many."""

MB = 1e6

BARE, OURS, PLAIN = "decompress only", "threadmed build", "plain json reader"
READING = "threadmed reading"
CONTESTANTS = {
    BARE: "decompress",
    READING: "reading",
    OURS: "",
    PLAIN: "plain",
    "Polars": "polars",
    "DuckDB": "duckdb",
}
REPEATED = (BARE, READING, OURS)
"""What is run more than once; the others are slow, and not what is judged."""

WALL_GOAL = 2.2
CPU_GOAL = 3.5
PLAIN_GOAL = 6.0
ABOVE_WINDOW_MB = 400
EVEN = 1.10
"""How far from proportional a cost may be, and from equal a peak, to count as such."""


class Cost(msgspec.Struct, frozen=True, kw_only=True):
    """What a process took."""

    wall_s: float
    cpu_s: float
    peak_mb: float
    """Of the largest process, should there be several."""


class Failed(msgspec.Struct, frozen=True, kw_only=True):
    """Why a process gave nothing."""

    why: str


Costs = Mapping[str, Cost | Failed]


class Measuring(msgspec.Struct, frozen=True, kw_only=True):
    """How everything is measured."""

    folder: Path
    """Where the generated dumps are."""
    runs: int
    is_judged: bool
    """Whether the dump is large enough for the goals."""


def run(*module: str) -> Cost | Failed:
    """Run a module in a process of its own and say what it took.

    Bytecode is kept, so that the best of several runs is one that did not compile.
    """
    never = "PYTHONDONTWRITEBYTECODE"
    kept = {name: value for name, value in os.environ.items() if name != never}
    # As the command itself does; none of the others uses it.
    kept.setdefault("OPENBLAS_NUM_THREADS", "1")
    with tempfile.TemporaryFile() as said:
        begin = time.perf_counter()
        process = subprocess.Popen(  # noqa: S603 - our own interpreter
            [sys.executable, "-m", *module],
            stdout=subprocess.DEVNULL,
            stderr=said,
            env=kept,
        )
        _, status, usage = os.wait4(process.pid, 0)
        wall_s = time.perf_counter() - begin
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            said.seek(0)
            lines = said.read().decode(errors="replace").strip().splitlines()
            return Failed(why=(lines or [f"exit code {process.returncode}"])[-1])
    unit = 1 if sys.platform == "darwin" else 1024
    return Cost(
        wall_s=wall_s,
        cpu_s=usage.ru_utime + usage.ru_stime,
        peak_mb=usage.ru_maxrss * unit / MB,
    )


def better(one: Cost | Failed, other: Cost | Failed) -> Cost | Failed:
    """Give the lesser times of two runs and the greater memory.

    One run that failed is not made good by another.
    """
    if isinstance(one, Failed):
        return one
    if isinstance(other, Failed):
        return other
    return Cost(
        wall_s=min(one.wall_s, other.wall_s),
        cpu_s=min(one.cpu_s, other.cpu_s),
        peak_mb=max(one.peak_mb, other.peak_mb),
    )


def measured(name: str, cost: Cost | Failed) -> Cost:
    """Give what a process took that has to have come through.

    Raises:
        SystemExit: If it failed.
    """
    if isinstance(cost, Failed):
        sys.exit(f"{name}: {cost.why}")
    return cost


def generate(how: Measuring, recipe: Recipe) -> Path:
    """Make a dump unless it is there already, and give its folder."""
    folder = how.folder / recipe.name
    done = run("bench.dump", f"--out={folder}", *recipe.options())
    measured("the generator", done)
    return folder


def contest(name: str, dump: Path, packing: str) -> Cost | Failed:
    """Run one contestant on one packing of a dump."""
    posts, comments = map(str, files(dump, packing))
    if name != OURS:
        return run("bench.contestants", CONTESTANTS[name], posts, comments)
    with tempfile.TemporaryDirectory() as out:
        given = ("--posts", posts, "--comments", comments, "--out", out)
        return run("threadmed", "build", *given)


def compare(dump: Path, packing: str, runs: int) -> Costs:
    """Run all contestants in turns; give the best of each."""
    found: dict[str, Cost | Failed] = {}
    for turn in range(runs):
        for name in CONTESTANTS if turn == 0 else REPEATED:
            cost = contest(name, dump, packing)
            found[name] = better(found[name], cost) if name in found else cost
    return found


def ours(dump: Path, runs: int) -> Cost:
    """Build from the packing with the small window, several times."""
    best = contest(OURS, dump, "small")
    for _ in range(runs - 1):
        best = better(best, contest(OURS, dump, "small"))
    return measured(OURS, best)


def table(found: Costs, records: int) -> Iterator[str]:
    """Write what all contestants took, as aligned lines."""
    bare = measured(BARE, found[BARE])
    yield (
        f"{'':18}{'wall s':>8}{'CPU s':>8}{'x wall':>8}{'x CPU':>8}"
        f"{'records/s':>12}{'peak MB':>9}"
    )
    for name, cost in found.items():
        if isinstance(cost, Failed):
            yield f"{name:18}  cannot read it: {cost.why}"
        else:
            yield (
                f"{name:18}{cost.wall_s:8.2f}{cost.cpu_s:8.2f}"
                f"{cost.wall_s / bare.wall_s:8.2f}{cost.cpu_s / bare.cpu_s:8.2f}"
                f"{records / cost.wall_s:12,.0f}{cost.peak_mb:9,.0f}"
            )


def goal(what: str, value: float, limit: float, *, at_least: bool = False) -> str:
    """Say whether a figure is where it should be.

    Example:
        >>> goal("times as fast", 5.5, 6, at_least=True)
        'not met  times as fast: 5.50 (at least 6.00)'
    """
    is_met = value >= limit if at_least else value <= limit
    bound = "at least" if at_least else "at most"
    said = "met" if is_met else "not met"
    return f"{said:7}  {what}: {value:,.2f} ({bound} {limit:,.2f})"


def goals(found: Costs, packing: str) -> Iterator[str]:
    """Judge what a packing's figures say.

    What the others do is to read; the build goes on to threads, scrubbed and audited,
    in files. Both are judged.
    """
    bare, own, plain = (measured(name, found[name]) for name in (BARE, OURS, PLAIN))
    for name in (READING, OURS):
        cost = measured(name, found[name])
        if packing == "long":
            what, times, limit = "wall", cost.wall_s / bare.wall_s, WALL_GOAL
        else:
            what, times, limit = "CPU", cost.cpu_s / bare.cpu_s, CPU_GOAL
        yield goal(f"{name}, {what} time over decompressing", times, limit)
        faster = plain.wall_s / cost.wall_s
        what = f"{name}, times as fast as the plain reader"
        yield goal(what, faster, PLAIN_GOAL, at_least=True)
    window_mb = 2 ** WINDOW_LOGS[packing] / MB
    limit = window_mb + ABOVE_WINDOW_MB
    yield goal(f"peak MB, window plus {ABOVE_WINDOW_MB} allowed", own.peak_mb, limit)
    above = own.peak_mb - bare.peak_mb
    yield f"{'':9}peak MB above that of decompressing: {above:,.0f}"


def growth(sizes: Sequence[tuple[str, int, Cost]]) -> Iterator[str]:
    """Write what dumps of several sizes cost, as aligned lines."""
    yield f"{'':18}{'records':>12}{'CPU s':>8}{'us/record':>11}{'peak MB':>9}"
    for name, records, cost in sizes:
        yield (
            f"{name:18}{records:12,}{cost.cpu_s:8.2f}"
            f"{cost.cpu_s / records * 1e6:11.2f}{cost.peak_mb:9,.0f}"
        )


def steepness(sizes: Sequence[tuple[str, int, Cost]]) -> float:
    """Say how the cost of one more record grew from the first step to the last.

    What a build costs before it reads anything is in no step.
    """
    steps = [
        (later[2].cpu_s - sooner[2].cpu_s) / (later[1] - sooner[1])
        for sooner, later in pairwise(sizes)
    ]
    return steps[-1] / steps[0]


def packings(how: Measuring, recipe: Recipe) -> Iterator[str]:
    """Compare all contestants on both packings."""
    dump = generate(how, recipe)
    for packing, log in WINDOW_LOGS.items():
        packed = sum(path.stat().st_size for path in files(dump, packing)) / MB
        yield (
            f"\n{packing} window ({1 << log - 20:,} MiB), {recipe.records:,} records, "
            f"{packed:,.0f} MB packed"
        )
        found = compare(dump, packing, how.runs)
        yield from table(found, recipe.records)
        if how.is_judged:
            yield from goals(found, packing)


def sizes(how: Measuring, recipe: Recipe) -> Iterator[str]:
    """Build a quarter, a half and a whole, and a quarter with much more lay text."""
    yield f"\n{OURS} by size of the dump, small window"
    quarter, *_ = recipes = [part_of(recipe, share) for share in (4, 2, 1)]
    costs = [ours(generate(how, one), how.runs) for one in recipes]
    rows = [
        (f"{times}x", one.records, cost)
        for times, one, cost in zip((1, 2, 4), recipes, costs, strict=True)
    ]
    wordy = msgspec.structs.replace(quarter, lay_text=4)
    cost = ours(generate(how, wordy), how.runs)
    yield from growth([*rows, ("1x, lay text x4", wordy.records, cost)])
    if how.is_judged:
        yield goal("cost of a record, last step over first", steepness(rows), EVEN)
        peak = cost.peak_mb / costs[0].peak_mb
        yield goal("peak with lay text x4 over that without", peak, EVEN)


def part_of(recipe: Recipe, share: int) -> Recipe:
    """Give the recipe of a part of a dump."""
    return msgspec.structs.replace(
        recipe,
        submissions=recipe.submissions // share,
        comments=recipe.comments // share,
    )


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the report as it is made."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--small", action="store_true", help=f"one record in {SMALL}")
    parser.add_argument("--folder", type=Path, help="keep the dumps there")
    parser.add_argument("--runs", type=int, default=3)
    options = parser.parse_args(arguments)
    recipe = Recipe(submissions=SUBMISSIONS, comments=COMMENTS)
    if options.small:
        recipe = part_of(recipe, SMALL)
        print("small setting: mostly the start of Python, so that no goal is judged")
    with tempfile.TemporaryDirectory() as temporary:
        how = Measuring(
            folder=options.folder or Path(temporary),
            runs=options.runs,
            is_judged=not options.small,
        )
        for lines in (packings, sizes):
            for line in lines(how, recipe):
                print(line, flush=True)


if __name__ == "__main__":
    main()
