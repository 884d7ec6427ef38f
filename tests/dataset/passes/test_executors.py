import gc
from pathlib import Path

import pytest

from threadmed.dataset.dumps.streams import Progress
from threadmed.dataset.passes.executors import Local, local
from threadmed.dataset.passes.spill import Parts, records
from threadmed.errors import InputError


def sort_letters(path: Path, parts: Parts, more: str, *, progress: Progress) -> int:
    assert not gc.isenabled()
    text = path.read_text("utf-8") + more
    for letter in text:
        parts.waiting[ord(letter) % 2].append((letter,))
    parts.settle(at=1)
    progress(path.name, 1, 1)
    return len(text)


def letters(*passes: list[bytes]) -> str:
    return "".join(
        letter for pieces in passes for (letter,) in records(pieces, tuple[str])
    )


def test_what_files_hold_meets_in_its_part(tmp_path: Path) -> None:
    for name, text in (("1", "abc"), ("2", "bcd")):
        (tmp_path / name).write_text(text, "utf-8")
    seen: list[object] = []
    with local(beside=tmp_path / "out") as executor:
        first = executor.sort(
            sort_letters,
            [tmp_path / "1", tmp_path / "2"],
            "z",
            parts=2,
            progress=lambda *at: seen.append(at),
        )
        second = executor.sort(
            sort_letters, [tmp_path / "1"], "", parts=2, progress=lambda *_: None
        )
        both = list(executor.each_part(letters, first, second))

    assert first.results == (4, 4)
    assert both == ["bzbdzb", "accac"]
    assert seen == [("1", 1, 1), ("2", 1, 1)]
    assert gc.isenabled()


def test_nothing_is_left_behind(tmp_path: Path) -> None:
    with local(beside=tmp_path / "deep" / "out") as executor:
        assert isinstance(executor, Local)
        assert len(list((tmp_path / "deep").iterdir())) == 1

    assert list((tmp_path / "deep").iterdir()) == []


def test_nothing_is_left_behind_either_where_a_task_fails(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError), local(beside=tmp_path / "out") as executor:
        executor.sort(
            sort_letters, [tmp_path / "1"], "", parts=2, progress=lambda *_: None
        )

    assert list(tmp_path.iterdir()) == []


def test_a_place_that_cannot_be_written_is_an_error_of_one_line(
    tmp_path: Path,
) -> None:
    (tmp_path / "file").touch()

    with (
        pytest.raises(InputError, match="cannot write here"),
        local(beside=tmp_path / "file" / "out"),
    ):
        pass
