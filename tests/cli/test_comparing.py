from pathlib import Path

from command_line import complaint, threadmed
from report.study_factory import write_run


def test_two_studies_become_one_page(tmp_path: Path) -> None:
    for name in ("one", "two"):
        write_run(tmp_path / name, n_threads=6)

    done = threadmed(
        "compare", tmp_path / "one", tmp_path / "two", "--out", tmp_path / "out"
    )

    assert done.returncode == 0
    assert done.stdout == f"{tmp_path / 'out' / 'index.html'}\n"
    assert "invented-study" in (tmp_path / "out" / "index.html").read_text()


def test_a_study_alone_is_wrong_usage(tmp_path: Path) -> None:
    done = threadmed("compare", tmp_path, "--out", tmp_path / "out")

    assert "takes two studies or more" in done.stderr
    assert done.returncode == 2


def test_a_folder_that_was_never_run_is_named(tmp_path: Path) -> None:
    done = threadmed("compare", tmp_path, tmp_path / "no", "--out", tmp_path / "out")

    assert "manifest.json: not there yet" in complaint(done)
    assert not (tmp_path / "out").exists()
