import os
import signal
import sys
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from threadmed.dataset.build import gather
from threadmed.dataset.inputs import Dump
from threadmed.dataset.options import BuildOptions
from threadmed.dataset.passes.executors import local
from threadmed.dataset.passes.processes import ProcessPool, workers_here
from threadmed.dataset.release import write_release
from threadmed.dataset.sample import sample_folder
from threadmed.errors import ThreadmedError


def third(whole: int) -> float:
    return 1 / (whole - 3)


def die(parent: int) -> None:
    if os.getpid() != parent:
        os.kill(os.getpid(), signal.SIGKILL)
    time.sleep(0.01)


def talk(word: str) -> int:
    print(word)
    time.sleep(0.01)
    return os.getpid()


@pytest.fixture
def pool(monkeypatch: pytest.MonkeyPatch) -> Iterator[ProcessPool]:
    # Workers import what they are given by its name.
    monkeypatch.syspath_prepend(str(Path(__file__).parent))
    monkeypatch.setitem(sys.modules, "test_processes", sys.modules[__name__])
    for own in (third, die, talk):
        monkeypatch.setattr(own, "__module__", "test_processes")
    made = ProcessPool(2)
    yield made
    made.close()


def test_results_come_in_the_order_of_what_they_are_of(pool: ProcessPool) -> None:
    assert list(pool.each(third, [5, 7, 4, 5, 2])) == [0.5, 0.25, 1.0, 0.5, -1.0]


def test_an_error_in_a_task_keeps_its_kind_and_the_pool_goes_on(
    pool: ProcessPool,
) -> None:
    with pytest.raises(ZeroDivisionError):
        list(pool.each(third, [4, 3, 5]))

    assert list(pool.each(third, [4])) == [1.0]


def test_a_worker_that_dies_is_an_error_of_one_line(pool: ProcessPool) -> None:
    with pytest.raises(ThreadmedError, match="ended before its work was done"):
        list(pool.each(die, [os.getpid()] * 99))


def test_everybody_works_and_what_a_task_prints_is_no_answer(
    pool: ProcessPool,
) -> None:
    pids = set(pool.each(talk, ["a", "b"] * 50))

    assert len(pids) == 2
    assert os.getpid() in pids


def test_a_worker_imports_nothing_from_the_folder_that_one_is_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("json.py", "pickle.py", "threadmed.py"):
        (tmp_path / name).write_text("open('ran', 'w').close()\n")
    made = ProcessPool(2)
    try:
        assert list(made.each(abs, [-1] * 50)) == [1] * 50
    finally:
        made.close()

    assert not (tmp_path / "ran").exists()


def test_there_is_at_least_one_to_do_the_work(monkeypatch: pytest.MonkeyPatch) -> None:
    assert workers_here() >= 1
    monkeypatch.setattr(sys, "executable", "")
    assert workers_here() == 1


@pytest.mark.parametrize("workers", [2, 3])
def test_the_number_of_workers_changes_no_byte(workers: int, tmp_path: Path) -> None:
    dump = Dump(
        posts=(sample_folder() / "AskDocs_submissions.zst",),
        comments=(sample_folder() / "AskDocs_comments.zst",),
    )
    made = []
    for name, executor in (
        ("here", partial(local, workers=1)),
        ("there", partial(local, workers=workers, spread_from=0)),
    ):
        with executor(beside=tmp_path / name) as where:
            gathering = gather(dump, options=BuildOptions(), executor=where)
            write_release(gathering.release(), tmp_path / name)
        made.append(
            {path.name: path.read_bytes() for path in (tmp_path / name).iterdir()}
        )

    assert made[0] == made[1]


def test_faults_are_found_in_their_lines_whoever_reads_them(tmp_path: Path) -> None:
    posts, comments = tmp_path / "RS.jsonl", tmp_path / "RC.jsonl"
    line = (
        b'{"id": "a", "author": "ann", "title": "Is the mole on my arm bad?", '
        b'"selftext": "%s", "created_utc": 1500000000}\n'
    )
    long = line % (b"so large " * 30_000)
    posts.write_bytes((long * 5 + b"no json\n") * 3 + long + b"half\r\n")
    comment = b'{"id": "b", "body": "x", "link_id": "t3_a", "created_utc": %s}\n'
    comments.write_bytes(comment % b"1500000001" + comment % b"null" * 9)
    dump = Dump(posts=(posts,), comments=(comments,))
    found = []
    for workers in (1, 2):
        with local(workers=workers, spread_from=0) as executor:
            gathering = gather(dump, options=BuildOptions(), executor=executor)
            found.append(gathering.release().inputs)

    assert found[0] == found[1]
    assert found[0][0].examples == ("crlf at RS.jsonl:20", "not_json at RS.jsonl:6")
    assert found[0][1].examples == ("no_time at RC.jsonl:2",)
