"""`threadmed export` as a person uses it; logs of Inspect are in test_cli."""

import json
from pathlib import Path

import pytest

from command_line import complaint, threadmed
from study_factory import write_study
from study_that_ran import found_study


def test_tables_and_a_folder_for_the_hub_are_written(tmp_path: Path) -> None:
    folder = found_study(tmp_path / "study")

    table = threadmed("export", folder.root, "--to", "csv", "--out", tmp_path / "csv")
    hub = threadmed(
        "export", folder.root, "--to", "hf", "--out", tmp_path / "hf", "--no-words"
    )

    assert table.returncode == hub.returncode == 0, hub.stderr
    assert f"{tmp_path / 'csv' / 'items.csv'}\n" in table.stdout
    assert (tmp_path / "csv" / "turns.csv").exists()
    assert f"{tmp_path / 'hf' / 'README.md'}\n" in hub.stdout
    assert not (tmp_path / "hf" / "threads.parquet").exists()


def test_pairs_are_written_and_counted(tmp_path: Path) -> None:
    folder = found_study(tmp_path / "study")
    names = tmp_path / "names.txt"
    names.write_text("THREAD_0001\n")
    out = tmp_path / "pairs"

    done = threadmed(
        "export", folder.root, "--to", "preferences", "--out", out,
        "--held-out", names, "--seed", "3",
    )  # fmt: skip

    assert done.returncode == 0, done.stderr
    assert f"{out / 'train.jsonl'}: 3 pairs of 1 threads\n" in done.stdout
    assert (
        "left out of 22 scored answers: 14 in threads that are held out, 0 in threads "
        "that share a question with one of those, 0 on which the judges differ; "
    ) in done.stdout
    assert "1 of 3 threads, as hashes" in done.stdout
    assert "THREAD_0001" not in (out / "train.jsonl").read_text()
    assert json.loads((out / "held-out.json").read_text())["seed"] == 3


def test_options_of_pairs_reach_them(tmp_path: Path) -> None:
    folder = found_study(tmp_path / "study")

    done = threadmed(
        "export", folder.root, "--to", "preferences", "--out", tmp_path / "pairs",
        "--held-out", "0.3", "--unanimous", "--partly",
    )  # fmt: skip

    assert "have scores that make a pair" in complaint(done)  # judge-c always differs


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--to", "preferences"), "needs --held-out"),
        (("--to", "csv", "--held-out", "0.3"), "goes with --to preferences"),
        (("--to", "hf", "--partly"), "goes with --to preferences"),
        (("--to", "preferences", "--held-out", "0.3", "--no-words"), "hf or csv"),
        (("--to", "excel"), "excel"),
    ],
)
def test_wrong_usage_is_status_2(
    arguments: tuple[str, ...], said: str, tmp_path: Path
) -> None:
    write_study(tmp_path)

    done = threadmed("export", tmp_path, "--out", tmp_path / "out", *arguments)

    assert done.returncode == 2
    # The message is wrapped to the width of a terminal.
    assert said in " ".join(done.stderr.split())
    assert not (tmp_path / "out").exists()


def test_a_study_that_was_not_run_is_one_line(tmp_path: Path) -> None:
    write_study(tmp_path)

    done = threadmed("export", tmp_path, "--to", "csv", "--out", tmp_path / "out")

    assert "scores.csv: no such file" in complaint(done)
