import io
import mmap
import pickle
from pathlib import Path

import pytest

from threadmed.dataset.passes.process_loop import serve
from threadmed.dataset.passes.spill import Parts, records


class Words:
    """Takes blocks, and sorts what they say into one part."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts

    def take(self, block: bytes, number: int) -> None:
        self._parts.waiting[0].append((number, block.decode()))

    def end(self) -> str:
        self._parts.settle(at=1)
        return "done"


def half(whole: int) -> int:
    if whole % 2:
        raise ValueError(f"{whole} is odd")
    return whole // 2


def answers(*messages: tuple[object, ...], memory: bytes = b"") -> list[object]:
    """Ask everything at once, and give what was answered."""
    asked = io.BytesIO(b"".join(map(pickle.dumps, messages)))
    given = io.BytesIO()
    with mmap.mmap(-1, 4_096) as shared:
        shared[: len(memory)] = memory
        serve(asked, given, shared)
    given.seek(0)
    return [pickle.load(given) for _ in messages]  # noqa: S301 - our own


def test_a_task_is_answered_by_its_result_or_its_error() -> None:
    task = pickle.dumps(half)

    (_, two), (is_done, error), (_, four) = answers(
        ("do", task, 4), ("do", task, 5), ("do", pickle.dumps(abs), -4)
    )

    assert (two, four) == (2, 4)
    assert not is_done
    assert isinstance(error, ValueError)
    assert str(error) == "5 is odd"


def test_blocks_come_through_memory_or_the_pipe(tmp_path: Path) -> None:
    found = answers(
        ("begin", pickle.dumps(Words), (tmp_path, 1)),
        ("block", 0, (2, 3)),
        ("block", 4, b"large"),
        ("end",),
        memory=b"..one..",
    )

    assert found == [(True, None)] * 3 + [(True, "done")]
    pieces = [Parts(tmp_path, 1).path(0).read_bytes()]
    assert [*records(pieces, tuple[int, str])] == [(0, "one"), (4, "large")]


@pytest.mark.parametrize("message", [("block", 0, b"x"), ("end",)])
def test_without_a_file_there_is_nothing_to_take(message: tuple[object, ...]) -> None:
    ((is_done, error),) = answers(message)

    assert not is_done
    assert isinstance(error, RuntimeError)


def test_work_ends_where_nobody_reads_the_answers() -> None:
    class Shut(io.BytesIO):
        def write(self, _: object) -> int:
            raise BrokenPipeError

    asked = io.BytesIO(pickle.dumps(("do", pickle.dumps(half), 2)) * 2)
    with mmap.mmap(-1, 4_096) as shared:
        serve(asked, Shut(), shared)

    assert asked.tell() < len(asked.getvalue())
