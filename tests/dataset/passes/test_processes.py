import os
import signal
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from threadmed.dataset.build import gather
from threadmed.dataset.inputs import Dump
from threadmed.dataset.options import BuildOptions
from threadmed.dataset.passes.executors import local
from threadmed.dataset.passes.processes import PLACE, ProcessPool, workers_here
from threadmed.dataset.passes.spill import Parts, records
from threadmed.dataset.release import write_release
from threadmed.dataset.sample import sample_folder
from threadmed.errors import InputError, ThreadmedError


class Lengths:
    """Takes blocks, and sorts how long they are into parts."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._seen: list[int] = []

    def take(self, block: bytes, number: int) -> None:
        self._seen.append(number)
        self._parts.waiting[number % 2].append((number, len(block)))

    def end(self) -> list[int]:
        self._parts.settle(at=1)
        return self._seen


class Refusing(Lengths):
    """Takes no block that is empty."""

    def take(self, block: bytes, number: int) -> None:
        if not block:
            raise InputError("an empty block")
        super().take(block, number)


def third(whole: int) -> float:
    return 1 / (whole - 3)


def die(_: int) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def talk(word: str) -> int:
    print(word)
    return os.getpid()


@pytest.fixture
def pool(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ProcessPool]:
    # Workers import what they are given by its name.
    monkeypatch.syspath_prepend(str(Path(__file__).parent))
    monkeypatch.setitem(sys.modules, "test_processes", sys.modules[__name__])
    for own in (Lengths, Refusing, third, die, talk):
        monkeypatch.setattr(own, "__module__", "test_processes")
    made = ProcessPool(2, tmp_path)
    yield made
    made.close()


def held(parts: list[Parts], number: int) -> list[tuple[int, int]]:
    pieces = [
        path.read_bytes()
        for part in parts
        for path in part.paths(number)
        if path.exists()
    ]
    return sorted(records(pieces, tuple[int, int]))


def test_every_block_is_taken_once_by_anybody(pool: ProcessPool) -> None:
    blocks = [b"x" * size for size in (*range(1, 40), PLACE, PLACE + 1, 2 * PLACE)]

    seen, parts = pool.take(Lengths, iter(blocks), parts=2)

    assert sorted(number for those in seen for number in those) == [*range(len(blocks))]
    assert all(those == sorted(those) for those in seen)
    expected = [(number, len(block)) for number, block in enumerate(blocks)]
    assert held(parts, 0) == expected[::2]
    assert held(parts, 1) == expected[1::2]


def test_results_come_in_the_order_of_what_they_are_of(pool: ProcessPool) -> None:
    assert list(pool.each(third, [5, 7, 4, 5, 2])) == [0.5, 0.25, 1.0, 0.5, -1.0]


def test_an_error_in_a_task_keeps_its_kind_and_the_pool_goes_on(
    pool: ProcessPool,
) -> None:
    with pytest.raises(ZeroDivisionError):
        list(pool.each(third, [4, 3, 5]))
    with pytest.raises(InputError, match="an empty block"):
        pool.take(Refusing, iter([b"x"] * 9 + [b""] + [b"x"] * 9), parts=2)

    assert list(pool.each(third, [4])) == [1.0]


def test_an_error_in_what_gives_the_blocks_is_raised_as_it_is(
    pool: ProcessPool,
) -> None:
    def broken() -> Iterator[bytes]:
        yield b"x"
        raise InputError("is truncated")

    with pytest.raises(InputError, match="is truncated"):
        pool.take(Lengths, broken(), parts=2)

    assert list(pool.each(third, [4])) == [1.0]


def test_a_worker_that_dies_is_an_error_of_one_line(pool: ProcessPool) -> None:
    with pytest.raises(ThreadmedError, match="ended before its work was done"):
        list(pool.each(die, [1, 2]))


def test_what_a_task_prints_is_no_answer(pool: ProcessPool) -> None:
    pids = set(pool.each(talk, ["a", "b"] * 20))

    assert pids
    assert os.getpid() not in pids


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
