from pathlib import Path

import pytest

from threadmed.dataset.inputs import MOST_PARTS, PART_BYTES, find_dump, parts_for
from threadmed.errors import InputError


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("RS_1.zst", "RS_2.zst", "RC_1.zst", "RC_[1].zst"):
        (tmp_path / name).write_bytes(b"x" * 10)
    (tmp_path / "RS_3.zst").mkdir()
    return tmp_path


def test_a_pattern_gives_its_files_and_no_folders(folder: Path) -> None:
    dump = find_dump([folder / "RS_*.zst"], [folder / "RC_1.zst"])

    assert [path.name for path in dump.posts] == ["RS_1.zst", "RS_2.zst"]


def test_a_pattern_may_go_through_folders(folder: Path) -> None:
    dump = find_dump([folder / "**" / "RS_1.zst"], [folder / "RC_1.zst"])

    assert dump.posts == (folder / "RS_1.zst",)


def test_a_file_is_a_file_though_it_is_named_like_a_pattern(folder: Path) -> None:
    assert find_dump([folder / "RS_1.zst"], [folder / "RC_[1].zst"]).comments == (
        folder / "RC_[1].zst",
    )


def test_a_file_that_is_given_twice_is_read_once(folder: Path) -> None:
    dump = find_dump([folder / "RS_1.zst", folder / "RS_*.zst"], [folder / "RC_1.zst"])

    assert len(dump.posts) == 2


@pytest.mark.parametrize(
    ("posts", "what"),
    [
        ("RS_9.zst", "RS_9.zst: no such file"),
        ("RX_*.zst", "no file is named like this"),
        (
            "RS_3.zst",
            r"is a folder; give its files, or a pattern such as .*RS_3.zst/\*",
        ),
        ("R" * 300, "cannot be looked up"),
        ("a**b", "cannot be looked up"),
        ("RC_1.zst", "is given for posts and for comments"),
    ],
)
def test_what_is_no_dump_is_an_error(folder: Path, posts: str, what: str) -> None:
    with pytest.raises(InputError, match=what):
        find_dump([folder / posts], [folder / "RC_1.zst"])


def test_both_sides_are_needed(folder: Path) -> None:
    with pytest.raises(InputError, match="at least one file of posts and one"):
        find_dump([folder / "RS_1.zst"], [])


def test_the_parts_grow_with_the_files_up_to_a_bound(folder: Path) -> None:
    dump = find_dump([folder / "RS_1.zst"], [folder / "RC_1.zst"])
    assert parts_for(dump) == 1

    with (folder / "RC_1.zst").open("wb") as file:
        file.truncate(PART_BYTES * 3)
    assert parts_for(dump) == 4

    with (folder / "RC_1.zst").open("wb") as file:
        file.truncate(PART_BYTES * MOST_PARTS * 2)
    assert parts_for(dump) == MOST_PARTS
