import json
import random
import sys
from collections.abc import Iterator
from http.client import HTTPConnection
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import msgspec
import pytest
from bench.building import Failed
from bench.runners import by_hand, processes, rivals, workload

from bench import engine
from threadmed.llm.providers.openai import read
from threadmed.records import Labelled, Thread
from threadmed.store import read_records

SHAPE = engine.Shape(((0,), (1, 2)))


@pytest.fixture(scope="module")
def server() -> Iterator[processes.Server]:
    with processes.serving() as server:
        yield server


def told(verdicts: int) -> processes.Told:
    return processes.Told(wall_s=1.0, work_cpu_s=1.0, verdicts=verdicts, peak_mb=50.0)


def counted(calls: int, most: int = 1) -> processes.Counted:
    came = processes.Came(calls=calls, most_in_flight=most)
    return processes.Counted(cpu_s=0.1, models={"target": came})


def took(wall_s: float, cpu_s: float = 5.0, peak_mb: float = 90.0) -> engine.Took:
    return engine.Took(
        wall_s=wall_s,
        work_cpu_s=cpu_s - 1,
        cpu_s=cpu_s,
        peak_mb=peak_mb,
        calls=2_000,
        server_cpu_s=0.5,
    )


def spans(shape: engine.Shape) -> int:
    """Play a schedule by hand: whoever has the most turns left is asked first."""
    left, waiting, number = list(enumerate(shape.asked)), 0, 0
    while left or waiting:
        number += 1
        waiting = max(0, waiting - engine.IN_FLIGHT)
        left.sort(key=lambda each: -each[1])
        now, left = left[: engine.IN_FLIGHT], left[engine.IN_FLIGHT :]
        for thread, turns in now:
            turn = shape.asked[thread] - turns
            waiting += turn in shape.labelled[thread]
            left += [(thread, turns - 1)] if turns > 1 else []
    return number


def shape_of(threads: int) -> engine.Shape:
    plan = workload.planned(threads, random.Random(workload.SEED))
    return engine.Shape(tuple(each.labelled for each in plan))


def post(server: processes.Server, body: dict[str, Any]) -> bytes:
    at = urlsplit(server.url(0.01))
    connection = HTTPConnection(at.netloc)
    connection.request("POST", f"{at.path}/chat/completions", json.dumps(body))
    reply = connection.getresponse().read()
    connection.close()
    return reply


def test_the_workload_is_as_large_as_the_papers(tmp_path: Path) -> None:
    workload.write(tmp_path, threads=workload.PAPER)

    threads = read_records(tmp_path / "threads.jsonl", Thread)
    labels = read_records(tmp_path / "reference.jsonl", Labelled)
    shape = msgspec.json.decode(
        (tmp_path / "shape.json").read_bytes(), type=engine.Shape
    )
    by_hands = by_hand.read(tmp_path)

    assert len(threads) == 505
    assert sum(len(thread.turns) for thread in threads) == 1_919
    assert sum(label.misconception for label in labels) == 604
    assert shape.calls == 3_376
    assert sum(max(one.labelled) + 1 for one in by_hands.threads) == sum(shape.asked)


@pytest.mark.parametrize("threads", [50, 505, 5_050])
def test_the_ideal_is_what_a_schedule_by_hand_reaches(threads: int) -> None:
    shape = shape_of(threads)

    assert engine.ideal_s(shape, 1.0) == spans(shape)


def test_equal_requests_get_equal_replies_with_usage_and_model(
    server: processes.Server,
) -> None:
    asked = {"model": "target", "messages": [{"role": "user", "content": "Is it?"}]}
    other = {"model": "target", "messages": [{"role": "user", "content": "Is he?"}]}
    once, again, another = (read(post(server, body)) for body in (asked, asked, other))

    assert once == again
    assert once.text != another.text
    assert once.outcome == "answered"
    assert once.served_by == "target-2026-01-01"
    assert once.usage.tokens_out > 200
    assert server.counted().models["target"].calls == 3
    assert not server.counted().models


@pytest.mark.parametrize("name", [engine.OURS, engine.BARE])
def test_a_contestant_makes_all_calls_and_is_measured(
    name: str, server: processes.Server, tmp_path: Path
) -> None:
    bench = engine.Bench(
        folder=tmp_path, server=server, rivals=Failed(why="none"), runs=1
    )
    folder, shape = bench.workload(6)

    found = bench.contest(name, folder, shape=shape, latency_s=0.02)

    assert isinstance(found, engine.Took), found
    assert found.calls == shape.calls
    assert found.wall_s >= engine.ideal_s(shape, 0.02)
    assert 0 < found.work_cpu_s < found.cpu_s
    assert 20 < found.peak_mb < 1_000


def test_a_rival_that_is_not_installed_is_shown_with_the_reason(
    server: processes.Server, tmp_path: Path
) -> None:
    bench = engine.Bench(
        folder=tmp_path, server=server, rivals=Failed(why="no network"), runs=1
    )
    found = engine.compare(bench, (engine.INSPECT,), (tmp_path, SHAPE), 0.2)

    _, line = engine.table(found, 1.0)

    assert line.endswith("no figures: no network")


def test_an_installation_that_fails_says_why(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    nowhere = "http://127.0.0.1:9/simple"
    for tool in ("UV_DEFAULT_INDEX", "PIP_INDEX_URL"):
        monkeypatch.setenv(tool, nowhere)
    for tool in ("UV_HTTP_RETRIES", "PIP_RETRIES"):
        monkeypatch.setenv(tool, "0")
    for tool in ("UV_CACHE_DIR", "PIP_CACHE_DIR"):
        monkeypatch.setenv(tool, str(tmp_path / "cache"))

    failed = rivals.install(tmp_path / "rivals")

    assert isinstance(failed, Failed)
    assert failed.why.startswith("could not be installed: ")
    assert not (tmp_path / "rivals" / "installed").exists()


def test_a_process_that_fails_tells_its_last_line() -> None:
    with pytest.raises(ChildProcessError, match="No module named bench.nothing"):
        processes.run(Path(sys.executable), "bench.nothing")


@pytest.mark.parametrize(
    ("verdicts", "calls", "most", "said"),
    [
        (9, 13, 1, ""),
        (9, 12, 1, "made 12 calls and not 13"),
        (9, 13, 101, "had 101 calls to one model under way"),
        (8, 13, 1, "has 8 verdicts and not 9"),
    ],
)
def test_whoever_does_other_work_gets_no_figures(
    verdicts: int, calls: int, most: int, said: str
) -> None:
    assert engine.complaint(SHAPE, told(verdicts), counted(calls, most)) == said


def test_goals_are_judged_by_the_figures() -> None:
    fast = {engine.OURS: took(4.0), engine.INSPECT: took(9.9)}
    slow = {engine.OURS: took(4.7, cpu_s=5.1, peak_mb=210.0)}

    short = list(engine.goals(fast, engine.SHORT, 4.0))
    long = list(engine.goals(slow, engine.LONG, 4.0))
    alone = list(engine.goals(slow, engine.SHORT, 4.0))

    assert short[0].startswith("not met  times Inspect's throughput: 2.48")
    assert short[1].startswith("met      CPU ms a call")
    assert short[2].startswith("met      peak MB: 90.00")
    assert long[0].startswith("not met  wall time over the ideal: 1.18")
    assert long[1].startswith("not met  peak MB: 210.00")
    assert alone[0].startswith("unknown")
    assert alone[1].startswith(
        "not met  CPU ms a call, start and journal included: 2.5"
    )


def test_more_work_may_take_more_time_and_no_more_memory() -> None:
    once = took(2.0)
    more = msgspec.structs.replace(took(24.0, peak_mb=201.0), calls=20_000)

    rate, peak = engine.larger(once, more)

    assert rate.startswith(
        "not met  throughput at 10 times the work, over that at once: 0.83"
    )
    assert peak.startswith("not met  peak MB at 10 times the work: 201.00")


def test_no_figures_of_ours_is_no_goal_met() -> None:
    failed = Failed(why="no")

    said = [
        *engine.goals({engine.OURS: failed}, engine.LONG, 1.0),
        *engine.larger(took(1.0), failed),
    ]

    assert all(line.startswith("not met") for line in said)
    assert len(said) == 2


def test_a_run_that_failed_is_not_made_good_by_another() -> None:
    failed = Failed(why="no")

    assert engine.better(took(1.0), failed) == failed
    assert engine.better(failed, took(1.0)) == failed
    assert engine.better(took(2.0, peak_mb=9.0), took(1.0)) == took(1.0)
