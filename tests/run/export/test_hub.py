from pathlib import Path
from typing import Any

import msgspec
import pytest
import yaml

from study_factory import STUDY, THREADS
from study_that_ran import found_study, lines
from threadmed.errors import InputError
from threadmed.run.export.held_out import thread_hash
from threadmed.run.export.hub import export_hub, export_preferences
from threadmed.run.export.preferences import Rule
from threadmed.store import read_json
from threadmed.study import Folder


@pytest.fixture
def load(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Load a folder as a user of `datasets` does, without a network."""
    # Read once, where the library is first imported.
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setenv("HF_DATASETS_OFFLINE", "1")
    import datasets

    datasets.disable_progress_bars()

    def load_subset(root: Path, *name: str, split: str = "test") -> Any:
        return datasets.load_dataset(
            str(root), *name, split=split, cache_dir=str(tmp_path / "cache")
        )

    return load_subset


def header(path: Path) -> dict[str, Any]:
    _, head, _ = path.read_text().split("---\n", maxsplit=2)
    found: dict[str, Any] = yaml.safe_load(head)
    return found


def exported(folder: Folder, out: Path, **more: Any) -> Any:
    options: dict[str, Any] = {"held_out": "0.3", "seed": None, "rule": Rule()}
    return export_preferences(folder, out, **(options | more))


def test_the_library_of_the_hub_reads_every_subset(tmp_path: Path, load: Any) -> None:
    folder = found_study(tmp_path / "study")
    out = tmp_path / "hub"

    paths = export_hub(folder, out)

    assert paths[-1] == out / "README.md"
    sizes = {
        config["config_name"]: len(load(out, config["config_name"]))
        for config in header(out / "README.md")["configs"]
    }
    answers, verdicts = (
        len(path.read_text().splitlines()) for path in (folder.answers, folder.verdicts)
    )
    assert sizes == {
        "items": 22, "labels": 20, "answers": answers, "verdicts": verdicts,
        "scores": 22, "threads": 3,
    }  # fmt: skip
    assert list(load(out, "threads")) == msgspec.json.decode(
        msgspec.json.encode(THREADS)
    )
    first = load(out)[0]
    assert (first["question"], first["score"]) == ("Question 0 of THREAD_0001?", 1)


def test_the_card_says_who_judged_and_that_no_clinician_did(tmp_path: Path) -> None:
    folder = found_study(tmp_path / "study")
    export_hub(folder, tmp_path / "hub")
    card = (tmp_path / "hub" / "README.md").read_text()

    assert header(tmp_path / "hub" / "README.md")["license"] == "other"
    assert "No clinician's judgement is in this folder" in card
    assert "- reference: 10 labels, 3 with a misconception." in card
    assert "Scores are those of 3 models, judge-a, judge-b, judge-c" in card
    assert "22 of 22 items have a score." in card
    assert "This study is not complete" not in card
    assert "This folder holds the words" in card


def test_a_notice_and_an_unfinished_run_stand_at_the_top(tmp_path: Path) -> None:
    text = STUDY.replace('name = "tiny"', 'name = "tiny"\nnotice = "Invented."')
    folder = found_study(tmp_path / "study", text=text)
    manifest = folder.manifest.read_text().replace(
        '"complete": true', '"complete": false'
    )
    folder.manifest.write_text(manifest)

    export_hub(folder, tmp_path / "hub")

    card = (tmp_path / "hub" / "README.md").read_text()
    assert "**Invented.**" in card
    assert "**This study is not complete.**" in card


def test_a_folder_without_words_is_written_over_one_with_words(
    tmp_path: Path, load: Any
) -> None:
    folder = found_study(tmp_path / "study")
    export_hub(folder, tmp_path / "hub")

    export_hub(folder, tmp_path / "hub", words=False)

    assert not (tmp_path / "hub" / "threads.parquet").exists()
    assert "question" not in load(tmp_path / "hub").column_names
    assert "belief" not in load(tmp_path / "hub", "labels").column_names
    assert "were left out" in (tmp_path / "hub" / "README.md").read_text()


def test_a_folder_with_other_files_is_left_alone(tmp_path: Path) -> None:
    folder = found_study(tmp_path / "study")
    (tmp_path / "hub").mkdir()
    (tmp_path / "hub" / "mine.csv").write_text("a\n")
    (tmp_path / "file").write_text("")

    with pytest.raises(InputError, match="holds mine.csv"):
        export_hub(folder, tmp_path / "hub")
    with pytest.raises(InputError, match="is no folder"):
        exported(folder, tmp_path / "file")

    assert [path.name for path in (tmp_path / "hub").iterdir()] == ["mine.csv"]


def test_pairs_are_read_by_the_library_in_the_layout_of_trl(
    tmp_path: Path, load: Any
) -> None:
    folder = found_study(tmp_path / "study")
    found = exported(folder, tmp_path / "pairs")

    rows = load(tmp_path / "pairs", split="train")

    assert len(rows) == len(found.pairs.train) > 0
    assert {"prompt", "chosen", "rejected", "rule"} <= set(rows.column_names)
    for row in rows:
        assert row["prompt"][-1]["role"] == "user"
        for side in ("chosen", "rejected"):
            assert [message["role"] for message in row[side]] == ["assistant"]
            assert set(row[side][0]) == {"role", "content"}


def test_what_is_held_out_is_listed_by_hash_and_is_in_no_pair(tmp_path: Path) -> None:
    folder = found_study(tmp_path / "study")

    exported(folder, tmp_path / "pairs", seed=5)

    listed = read_json(tmp_path / "pairs" / "held-out.json", dict)
    names = {str(row["thread_id"]) for row in lines(tmp_path / "pairs" / "train.jsonl")}
    held = {
        each.thread_id
        for each in THREADS
        if thread_hash(5, each.thread_id) in listed["hashes"]
    }
    assert len(held) == listed["threads"] == 1
    assert listed["seed"] == 5
    assert not names & held
    card = (tmp_path / "pairs" / "README.md").read_text()
    assert "1 of 3 threads (share 0.3, seed 5) are held out whole" in card
    assert "No clinician preferred anything here" in card


def test_an_earlier_split_is_taken_up_again(tmp_path: Path) -> None:
    folder = found_study(tmp_path / "study")
    exported(folder, tmp_path / "one", seed=5)

    exported(folder, tmp_path / "two", held_out=str(tmp_path / "one/held-out.json"))

    first, second = (tmp_path / name / "train.jsonl" for name in ("one", "two"))
    assert first.read_bytes() == second.read_bytes()


def test_a_study_without_a_pair_is_one_line_and_nothing_is_written(
    tmp_path: Path,
) -> None:
    folder = found_study(tmp_path / "study")
    names = tmp_path / "names.txt"
    names.write_text("THREAD_0001\nTHREAD_0002\n")

    with pytest.raises(InputError, match="outside of the 2 threads held out"):
        exported(folder, tmp_path / "pairs", held_out=str(names))

    assert not (tmp_path / "pairs").exists()
