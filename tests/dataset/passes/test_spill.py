from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from threadmed.dataset.passes.spill import Parts, part_of, records
from threadmed.errors import InputError


@given(st.text(max_size=9), st.integers(1, 300))
def test_a_post_has_one_part_among_all(post: str, parts: int) -> None:
    assert 0 <= part_of(post, parts) < parts
    assert part_of(post, parts) == part_of(post, parts)


def test_what_is_added_comes_back_by_part_and_in_order(tmp_path: Path) -> None:
    parts = Parts(tmp_path, 3)
    for number in range(10):
        parts.waiting[number % 2].append((str(number),))
        parts.settle(at=4)
    parts.settle(at=1)

    def read(number: int) -> list[list[str]]:
        return list(records([parts.path(number).read_bytes()], list[str]))

    assert read(0) == [["0"], ["2"], ["4"], ["6"], ["8"]]
    assert read(1) == [["1"], ["3"], ["5"], ["7"], ["9"]]
    assert not parts.path(2).exists()


def test_nothing_is_written_before_it_is_time(tmp_path: Path) -> None:
    parts = Parts(tmp_path, 1)
    parts.waiting[0].append(("a",))
    parts.settle(at=2)

    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_is_gone_is_an_error_of_one_line(tmp_path: Path) -> None:
    parts = Parts(tmp_path / "gone", 1)
    parts.waiting[0].append(("a",))

    with pytest.raises(InputError, match="cannot write what is to be sorted"):
        parts.settle(at=1)
