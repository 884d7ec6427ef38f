from functools import partial
from pathlib import Path
from typing import Any

import pytest
import zstandard

from dump_factory import post, written
from threadmed.dataset.options import BuildOptions
from threadmed.dataset.passes.collect import Reader, read_posts
from threadmed.dataset.passes.executors import Local
from threadmed.dataset.passes.workers import (
    OWN_MEMORY,
    Board,
    Head,
    Job,
    Telling,
    memory_for,
    scratch_folder,
    sort_file,
)
from threadmed.dataset.threads.clean import limits_of

PACKED = zstandard.compress(b"x" * 1_000)
SKIPPED = b"\x50\x2a\x4d\x18\x20\0\0\0" + bytes(32)
LONG = b"\x28\xb5\x2f\xfd\x00\xa8\x01\x00\x00"
"""A frame whose window is 2 GiB, and which holds nothing."""


@pytest.mark.parametrize(
    ("data", "window"),
    [
        (b'{"id": "a"}', 0),
        (b"", 0),
        (PACKED[:5], 0),
        (PACKED, 1_000),
        (SKIPPED + SKIPPED + PACKED, 1_000),
        (LONG, 1 << 31),
    ],
    ids=["plain", "empty", "cut", "packed", "skipped", "long"],
)
def test_memory_is_asked_for_by_the_window_of_a_file(
    data: bytes, window: int, tmp_path: Path
) -> None:
    path = tmp_path / "file"
    path.write_bytes(data)

    assert memory_for(path) == OWN_MEMORY + window


def test_a_file_that_is_not_there_is_left_to_its_task(tmp_path: Path) -> None:
    assert memory_for(tmp_path / "missing") == OWN_MEMORY


def test_a_worker_gives_what_one_machine_writes_and_leaves_nothing(
    tmp_path: Path,
) -> None:
    limits = limits_of(BuildOptions())
    reader = Reader(options=BuildOptions(), limits=limits, allow_partial=False)
    task: Any = partial(read_posts, reader=reader)
    path = written(tmp_path / "RS", [post("p1"), post("p2")])
    told: list[tuple[str, int, int]] = []

    head, *parts = sort_file(task, Job(path, 9, tmp_path.name, told.append), None)
    here = Local(tmp_path)
    expected = here.sort(task, [path], None, parts=9, progress=lambda *_far: None)

    files = [file for (file,) in expected.pieces]
    assert parts == [file.read_bytes() if file.exists() else b"" for file in files]
    assert isinstance(head, Head)
    assert (head.result,) == expected.results
    assert head.sizes == tuple(map(len, parts))
    assert 0 < sum(size > 0 for size in head.sizes) < 9
    assert head.far == told[0] == ("reading RS", *(path.stat().st_size,) * 2)
    assert not list(scratch_folder(tmp_path.name).iterdir())
    scratch_folder(tmp_path.name).rmdir()


def test_progress_is_passed_on_about_once_a_second() -> None:
    told: list[tuple[str, int, int]] = []
    telling = Telling(told.append)
    for done in range(1_000):
        telling("reading", done, 1_000)

    assert told[0] == ("reading", 0, 1_000)
    assert len(told) < 10
    assert telling.far == ("reading", 999, 1_000)


def test_the_board_has_the_last_that_was_told_of_each_file() -> None:
    board = Board()
    board.tell(3, ("reading a", 1, 2))
    board.tell(4, ("reading b", 1, 2))
    board.tell(3, ("reading a", 2, 2))

    assert board.fars() == {3: ("reading a", 2, 2), 4: ("reading b", 1, 2)}
