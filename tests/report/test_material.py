from pathlib import Path

import pytest

from report.study_factory import write_run
from threadmed.errors import InputError
from threadmed.report.material import read_found
from threadmed.store import write_json, write_text
from threadmed.study import study_folder


def test_a_folder_without_a_run_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"manifest\.json.*threadmed run .* first"):
        read_found(study_folder(tmp_path))


def test_a_broken_file_is_named(tmp_path: Path) -> None:
    folder = write_run(tmp_path, n_threads=2)
    write_text(folder.answers, '{"target": 3}\n')

    with pytest.raises(InputError, match=r"answers\.jsonl:1"):
        read_found(folder)


def test_missing_threads_are_named(tmp_path: Path) -> None:
    folder = write_run(tmp_path, n_threads=2)
    (tmp_path / "data" / "answered.jsonl").unlink()

    with pytest.raises(InputError, match=r"answered\.jsonl: no such file"):
        read_found(folder)


def test_a_manifest_of_something_else_beside_the_threads_is_passed_over(
    tmp_path: Path,
) -> None:
    folder = write_run(tmp_path, n_threads=2)
    write_json(tmp_path / "data" / "manifest.json", {"files": ["answered.jsonl"]})

    assert read_found(folder).dataset is None


def test_a_broken_manifest_of_a_dataset_is_an_error(tmp_path: Path) -> None:
    folder = write_run(tmp_path, n_threads=2)
    write_json(tmp_path / "data" / "manifest.json", {"funnel": 3})

    with pytest.raises(InputError, match=r"data/manifest\.json"):
        read_found(folder)


def test_the_studys_own_manifest_is_not_taken_for_a_dataset(tmp_path: Path) -> None:
    folder = write_run(tmp_path, n_threads=2, with_dataset=False)
    text = folder.manifest.read_text().replace("data/answered.jsonl", "threads.jsonl")
    write_text(folder.manifest, text)
    write_text(
        tmp_path / "threads.jsonl", (tmp_path / "data/answered.jsonl").read_text()
    )

    assert read_found(folder).dataset is None


def test_the_first_setting_is_told_of_where_multi_turn_was_not_asked(
    tmp_path: Path,
) -> None:
    asked = write_run(tmp_path / "a", n_threads=2, settings=("isolated", "oracle"))
    both = write_run(tmp_path / "b", n_threads=2, settings=("isolated", "multi_turn"))

    # In the order of the settings, whatever the order in which a study names them.
    assert read_found(asked).main_setting == "oracle"
    assert read_found(both).main_setting == "multi_turn"
