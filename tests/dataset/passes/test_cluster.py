import logging
import os
import random
import signal
import sys
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import ray
import zstandard

from dump_factory import Line, post, talk, written
from threadmed.dataset.build import gather
from threadmed.dataset.dumps.reddit import Post
from threadmed.dataset.inputs import Dump, find_dump
from threadmed.dataset.options import BuildOptions
from threadmed.dataset.passes.cluster import ray_cluster
from threadmed.dataset.passes.collect import Reader, read_posts
from threadmed.dataset.passes.executors import Executor, Local, Sorted, local
from threadmed.dataset.passes.spill import records
from threadmed.dataset.release import write_release
from threadmed.dataset.sample import sample_folder
from threadmed.dataset.threads.clean import limits_of
from threadmed.errors import InputError

pytestmark = pytest.mark.cluster

NODE_MEMORY = 2 * 10**9
"""Less than a file with the longest window takes."""
READER = Reader(
    options=BuildOptions(), limits=limits_of(BuildOptions()), allow_partial=False
)
POSTS = 300
WORDS = "and it hurts when I run " * 100


@pytest.fixture(scope="module")
def cluster() -> Iterator[Executor]:
    """A real Ray of this machine, which leaves any other Ray here alone."""
    ray.init(
        address="local",
        num_cpus=2,
        object_store_memory=10**8,
        include_dashboard=False,
        log_to_driver=False,
        logging_level=logging.ERROR,
        _memory=NODE_MEMORY,
    )
    # Workers do not find the modules of tests; they are sent tasks of tests whole.
    ray.cloudpickle.register_pickle_by_value(sys.modules[__name__])
    with ray_cluster() as executor:
        yield executor
    assert ray.is_initialized()
    ray.cloudpickle.unregister_pickle_by_value(sys.modules[__name__])
    ray.shutdown()


class InParts:
    """Gives tasks to another executor, in so many parts, and may change them."""

    def __init__(
        self,
        executor: Executor,
        *,
        parts: int,
        changed: Callable[[Any, str], Any] = lambda task, _name: task,
    ) -> None:
        self._executor = executor
        self._parts = parts
        self._changed = changed
        self._passes = 0

    def _next(self, task: Any, what: str) -> Any:
        self._passes += 1
        return self._changed(task, f"{what}-{self._passes}")

    def sort(
        self,
        task: Any,
        files: Sequence[Path],
        shared: Any,
        *,
        parts: int,
        progress: Any,
    ) -> Sorted[Any]:
        assert parts
        return self._executor.sort(
            self._next(task, "files"),
            files,
            shared,
            parts=self._parts,
            progress=progress,
        )

    def each(self, task: Any, items: Any) -> Iterator[Any]:
        return self._executor.each(task, items)

    def each_part(self, task: Any, *passes: Sorted[Any]) -> Iterator[Any]:
        return self._executor.each_part(self._next(task, "parts"), *passes)


def built(dump: Dump, out: Path, executor: Executor) -> dict[str, bytes]:
    gathering = gather(dump, options=BuildOptions(), executor=executor)
    write_release(gathering.release(), out)
    return {path.name: path.read_bytes() for path in out.iterdir()}


def built_here(dump: Dump, out: Path) -> dict[str, bytes]:
    with local(beside=out) as executor:
        return built(dump, out, executor)


def lines() -> tuple[list[Line], list[Line]]:
    names = [f"p{number}" for number in range(POSTS)]
    posts = [post(name, selftext=WORDS * 2) for name in names]
    comments = [
        {**line, "body": f"{line['body']} {WORDS}"}
        for name in names
        for line in talk(name)
    ]
    return posts, comments


@pytest.fixture(scope="module")
def dump(tmp_path_factory: pytest.TempPathFactory) -> Dump:
    folder = tmp_path_factory.mktemp("dump")
    posts, comments = lines()
    return find_dump(
        [written(folder / "RS.jsonl", posts)], [written(folder / "RC.jsonl", comments)]
    )


@pytest.fixture(scope="module")
def expected(dump: Dump, tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    return built_here(dump, tmp_path_factory.mktemp("expected") / "out")


def threads_of(files: dict[str, bytes]) -> dict[str, bytes]:
    """Give all but what names the input files."""
    named = {"manifest.json", "README.md"}
    return {name: data for name, data in files.items() if name not in named}


def test_the_sample_gives_the_same_bytes_on_a_cluster(
    cluster: Executor, tmp_path: Path
) -> None:
    sample = sample_folder()
    dump = find_dump(
        [sample / "AskDocs_submissions.zst"], [sample / "AskDocs_comments.zst"]
    )
    here = built_here(dump, tmp_path / "here")
    there = built(dump, tmp_path / "there", cluster)

    assert b"THREAD_0001" in here["complete.jsonl"]
    assert there == here


@pytest.mark.parametrize("parts", [1, 7])
def test_the_number_and_order_of_files_and_parts_change_no_byte(
    parts: int, cluster: Executor, expected: dict[str, bytes], tmp_path: Path
) -> None:
    shuffled = random.Random(parts)
    sides: list[list[Path]] = []
    for name, all_lines in zip(("RS", "RC"), lines(), strict=True):
        shuffled.shuffle(all_lines)
        sides.append(
            [
                written(tmp_path / f"{name}_{n}", all_lines[n::5])
                for n in (3, 0, 4, 1, 2)
            ]
        )
    found = built(find_dump(*sides), tmp_path / "out", InParts(cluster, parts=parts))
    assert threads_of(found) == threads_of(expected)


def test_one_worker_gives_what_two_give(
    cluster: Executor, dump: Dump, expected: dict[str, bytes], tmp_path: Path
) -> None:
    class Idle:
        """Takes one of the two cores."""

        def ready(self) -> bool:
            return True

    actor: Any = ray.remote(Idle).options(num_cpus=1).remote()
    assert ray.get(actor.ready.remote())
    found = built(dump, tmp_path / "out", InParts(cluster, parts=3))
    ray.kill(actor)

    assert found == expected


def test_a_worker_killed_in_the_middle_changes_no_byte(
    cluster: Executor, dump: Dump, expected: dict[str, bytes], tmp_path: Path
) -> None:
    deaths = tmp_path / "deaths"
    deaths.mkdir()

    def die_once(name: str) -> None:
        if not (deaths / name).exists():
            (deaths / name).touch()
            os.kill(os.getpid(), signal.SIGKILL)

    def deadly(task: Any, name: str) -> Any:
        def read_file(path: Path, parts: Any, shared: Any, *, progress: Any) -> Any:
            def told(what: str, done: int, total: int) -> None:
                if 0 < done < total:
                    die_once(name)
                progress(what, done, total)

            return task(path, parts, shared, progress=told)

        def do_part(*pieces: Any) -> Any:
            result = task(*pieces)
            die_once(name)
            return result

        return read_file if name.startswith("files") else do_part

    found = built(dump, tmp_path / "out", InParts(cluster, parts=2, changed=deadly))

    assert sorted(path.name for path in deaths.iterdir()) == [
        "files-1", "files-3", "parts-2", "parts-4",
    ]  # fmt: skip
    assert found == expected


def read_alike(
    executor: Executor, files: Sequence[Path], told: list[tuple[str, int, int]]
) -> Sorted[Any]:
    task: Any = partial(read_posts, reader=READER)
    return executor.sort(
        task, files, None, parts=5, progress=lambda *far: told.append(far)
    )


def ids(*pieces: Sequence[bytes]) -> list[str]:
    return [found.id for of_one in pieces for found in records(of_one, Post)]


def test_parts_hold_what_they_hold_on_one_machine_and_come_in_order(
    cluster: Executor, dump: Dump, tmp_path: Path
) -> None:
    files = (*dump.posts, written(tmp_path / "RS_2", [post("other")]))
    here, there = Local(tmp_path), cluster
    ours, theirs = (read_alike(one, files, []) for one in (here, there))

    assert theirs.results == ours.results
    found = list(there.each_part(ids, theirs, theirs))
    assert found == list(here.each_part(ids, ours, ours))
    assert sum(map(len, found)) == 2 * (POSTS + 1)
    assert len(found) == 5


def test_progress_of_every_file_is_told_to_its_end(
    cluster: Executor, dump: Dump, tmp_path: Path
) -> None:
    files = (*dump.posts, written(tmp_path / "RS_2", [post("other")]))
    told: list[tuple[str, int, int]] = []
    read_alike(cluster, files, told)

    last = {what: (done, total) for what, done, total in told}
    assert last == {
        f"reading {path.name}": (path.stat().st_size,) * 2 for path in files
    }


def test_progress_is_told_while_a_file_is_read(
    cluster: Executor, tmp_path: Path
) -> None:
    seen = tmp_path / "seen"

    def slow(path: Path, *_given: Any, progress: Any) -> None:
        progress(path.name, 1, 2)
        until(seen.exists)
        progress(path.name, 2, 2)

    told: list[tuple[str, int, int]] = []

    def progress(what: str, done: int, total: int) -> None:
        told.append((what, done, total))
        seen.touch()

    cluster.sort(slow, [tmp_path / "a"], None, parts=1, progress=progress)

    assert told[0] == ("a", 1, 2)
    assert told[-1] == ("a", 2, 2)


def until(is_so: Callable[[], bool], *, seconds: float = 30) -> None:
    end = time.monotonic() + seconds
    while not is_so():
        assert time.monotonic() < end
        time.sleep(0.01)


def message(executor: Executor, path: Path) -> str:
    with pytest.raises(InputError) as raised:
        read_alike(executor, [path], [])
    assert type(raised.value) is InputError
    return str(raised.value)


def test_errors_of_files_are_those_of_one_machine(
    cluster: Executor, dump: Dump, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    missing, cut = Path("RS_missing.zst"), Path("RS_cut.zst")
    cut.write_bytes(zstandard.compress(dump.posts[0].read_bytes())[:500])

    for path in (missing, cut, dump.comments[0]):
        assert message(cluster, path) == message(Local(tmp_path), path)
    assert message(cluster, missing) == "RS_missing.zst: no such file"


def test_a_bug_in_a_task_keeps_its_kind(cluster: Executor, tmp_path: Path) -> None:
    def faulty(*_given: Any, **_more: Any) -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        cluster.sort(faulty, [tmp_path], None, parts=1, progress=lambda *_far: None)


def test_a_worker_that_always_dies_is_an_error_of_one_line(
    cluster: Executor, dump: Dump
) -> None:
    def deadly(*_given: Any, **_more: Any) -> None:
        os.kill(os.getpid(), signal.SIGKILL)

    with pytest.raises(
        InputError, match=r"RS\.jsonl: no worker .*\(WorkerCrashedError\)"
    ):
        cluster.sort(deadly, dump.posts, None, parts=1, progress=lambda *_far: None)


def test_tasks_that_nobody_waits_for_any_more_are_stopped(
    cluster: Executor, dump: Dump, tmp_path: Path
) -> None:
    begun, stopped = tmp_path / "begun", tmp_path / "stopped"
    passed = read_alike(cluster, dump.posts, [])
    first = next(iter(cluster.each_part(ids, passed)))

    def ends_once_another_has_begun(pieces: Sequence[bytes]) -> bool:
        if ids(pieces) == first:
            until(begun.exists)
            return True
        try:
            begun.touch()
            until(lambda: False)
        except KeyboardInterrupt:
            stopped.touch()
            raise
        return False

    results = cluster.each_part(ends_once_another_has_begun, passed)
    assert next(results)
    assert isinstance(results, Generator)
    results.close()

    until(stopped.exists)


def test_a_file_that_no_node_has_memory_for_is_refused(
    cluster: Executor, tmp_path: Path
) -> None:
    path = tmp_path / "RC.zst"
    # The start of a frame with a window of 2 GiB.
    path.write_bytes(b"\x28\xb5\x2f\xfd\x00\xa8\x01\x00\x00")

    assert message(cluster, path) == (
        f"{path}: takes 2.5 GB of memory to read, and no node of the cluster gives "
        "more than 2.0 GB"
    )
