"""`threadmed build` and `threadmed hydrate` as a person uses them."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from command_line import complaint, threadmed
from dump_factory import post, talk, written
from threadmed.dataset.sample import sample_folder

DUMP = (
    "--posts",
    sample_folder() / "AskDocs_submissions.zst",
    "--comments",
    sample_folder() / "AskDocs_comments.zst",
)


def manifest(folder: Path) -> dict[str, object]:
    found: dict[str, object] = json.loads((folder / "manifest.json").read_text())
    return found


def test_the_sample_is_built(tmp_path: Path) -> None:
    done = threadmed("build", *DUMP, "--out", tmp_path)

    assert done.returncode == 0, done.stderr
    assert len((tmp_path / "complete.jsonl").read_text().splitlines()) == 32
    assert len((tmp_path / "answered.jsonl").read_text().splitlines()) == 20
    assert "fully answered" in done.stdout
    # The reasons are words of ours, and the section that explains them is there.
    assert "docs/data.md, From a dump to threads, says" in done.stdout
    described = (Path(__file__).parents[2] / "docs/data.md").read_text()
    assert "\n## From a dump to threads\n" in described
    assert "reading AskDocs_comments.zst 79.1 kB of 79.1 kB" in done.stderr
    assert "Invented" in (tmp_path / "README.md").read_text()


@pytest.mark.skipif(
    os.environ.get("THREADMED_PURE") == "1", reason="asked for without the scanner"
)
def test_a_build_without_the_scanner_says_so_and_gives_the_same(tmp_path: Path) -> None:
    quick = threadmed(
        "build", *DUMP, "--out", tmp_path / "quick", environment={"THREADMED_PURE": "0"}
    )
    slow = threadmed(
        "build", *DUMP, "--out", tmp_path / "slow", environment={"THREADMED_PURE": "1"}
    )

    assert "without the scanner" not in quick.stderr
    assert "reading without the scanner in C, which takes longer" in slow.stderr
    for path in (tmp_path / "quick").iterdir():
        assert path.read_bytes() == (tmp_path / "slow" / path.name).read_bytes()


def test_an_output_folder_that_is_a_file_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")

    done = threadmed("build", *DUMP, "--out", tmp_path / "file")

    assert "is there already and is no folder" in complaint(done)


def test_a_build_goes_by_its_config_and_names_a_wrong_key(tmp_path: Path) -> None:
    config = tmp_path / "build.toml"
    config.write_text("min_words = 5\nseed = 7\n")
    arguments = ["build", *DUMP, "--out", tmp_path / "out", "--config", config]

    good = threadmed(*arguments)
    config.write_text("min_wrods = 5\n")
    bad = threadmed(*arguments)

    assert good.returncode == 0, good.stderr
    assert manifest(tmp_path / "out")["options"]["seed"] == 7  # type: ignore[index]
    assert "build.toml:1: the top of the file has no key 'min_wrods'" in complaint(bad)
    assert "min_wrods" in complaint(bad)


def test_monthly_files_are_found_by_pattern_and_read_by_subreddit(
    tmp_path: Path,
) -> None:
    for name in ("p1", "p2"):
        written(tmp_path / f"RS_{name}.jsonl", [post(name, subreddit="AskVet")])
        written(tmp_path / f"RC_{name}.jsonl", talk(name))
    dump = ("--posts", tmp_path / "RS_*", "--comments", tmp_path / "RC_*")

    done = threadmed(
        "build", *dump, "--out", tmp_path / "vets", "--subreddit", "askvet"
    )
    other = threadmed("build", *dump, "--out", tmp_path / "docs")

    assert done.returncode == other.returncode == 0, done.stderr
    assert len((tmp_path / "vets" / "complete.jsonl").read_text().splitlines()) == 2
    assert (tmp_path / "docs" / "complete.jsonl").read_text() == ""
    assert "other_subreddit" in other.stdout


def test_two_names_for_the_subreddit_are_wrong_usage(tmp_path: Path) -> None:
    config = tmp_path / "build.toml"
    config.write_text('subreddit = "AskVet"\n')

    done = threadmed(
        "build", *DUMP, "--out", tmp_path / "o", "--config", config,
        "--subreddit", "AskDocs",
    )  # fmt: skip

    assert done.returncode == 2
    assert "AskVet" in done.stderr


def test_a_thread_is_explained_and_nothing_is_written(tmp_path: Path) -> None:
    posts = written(tmp_path / "RS", [post()])
    comments = written(tmp_path / "RC", talk())

    by_name, by_post = (
        threadmed("build", "--posts", posts, "--comments", comments, "--explain", name)
        for name in ("THREAD_0001", "t3_P1")
    )

    assert by_name.returncode == 0, by_name.stderr
    assert by_name.stdout == by_post.stdout
    assert "rest the knee" in by_name.stdout
    assert "do not publish" in by_name.stdout
    assert {path.name for path in tmp_path.iterdir()} == {"RS", "RC"}


def test_what_is_to_be_explained_must_be_there(tmp_path: Path) -> None:
    done = threadmed(
        "build", *DUMP, "--out", tmp_path / "o", "--explain", "THREAD_9999"
    )

    assert "THREAD_9999: is neither one of the 32 threads" in complaint(done)
    assert not (tmp_path / "o").exists()


def test_a_build_must_be_told_where_to() -> None:
    done = threadmed("build", *DUMP)

    assert done.returncode == 2
    assert "--out" in done.stderr


def test_one_folder_holds_one_kind_of_release(tmp_path: Path) -> None:
    threadmed("build", *DUMP, "--out", tmp_path)

    done = threadmed("build", *DUMP, "--out", tmp_path, "--release", "ids")

    assert "holds a release of text" in complaint(done)
    assert not (tmp_path / "ids.jsonl").exists()


def test_what_was_partial_is_said(tmp_path: Path) -> None:
    cut = tmp_path / "RC.zst"
    cut.write_bytes(Path(DUMP[3]).read_bytes()[:60_000])
    arguments = ["build", *DUMP[:3], cut, "--out", tmp_path / "out"]

    refused = threadmed(*arguments)
    used = threadmed(*arguments, "--allow-partial")

    assert "RC.zst: is truncated" in complaint(refused)
    assert "partial: RC.zst could be read up to byte" in used.stdout


def test_ids_are_released_and_become_threads_again(tmp_path: Path) -> None:
    text, ids, again = (tmp_path / name for name in ("text", "ids", "again"))
    threadmed("build", *DUMP, "--out", text)

    released = threadmed("build", *DUMP, "--out", ids, "--release", "ids")
    hydrated = threadmed("hydrate", ids, *DUMP, "--out", again)

    assert released.returncode == hydrated.returncode == 0, hydrated.stderr
    assert not (ids / "complete.jsonl").exists()
    assert (ids / "flags.jsonl").read_bytes() == (text / "flags.jsonl").read_bytes()
    assert "hydrate" in hydrated.stdout
    for name in ("complete.jsonl", "answered.jsonl", "flags.jsonl"):
        assert (text / name).read_bytes() == (again / name).read_bytes()


def test_a_folder_that_holds_no_ids_is_one_line(tmp_path: Path) -> None:
    threadmed("build", *DUMP, "--out", tmp_path / "text")

    done = threadmed("hydrate", tmp_path / "text", *DUMP, "--out", tmp_path / "again")

    assert "holds no release of ids; `threadmed build --release ids`" in complaint(done)


@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGKILL])
def test_a_build_that_is_stopped_leaves_no_half_written_dataset(
    stop: signal.Signals, tmp_path: Path
) -> None:
    """Reads from a pipe that never ends, so that it is surely stopped in the middle."""
    out = tmp_path / "out"
    threadmed("build", *DUMP, "--out", out)
    before = {path.name: path.read_bytes() for path in out.iterdir()}
    pipe = tmp_path / "RC.jsonl"
    os.mkfifo(pipe)
    arguments = ["build", *DUMP[:3], str(pipe), "--out", str(out)]
    process = subprocess.Popen(
        [sys.executable, "-m", "threadmed", *map(str, arguments)],
        stderr=subprocess.PIPE,
        text=True,
    )
    with pipe.open("w") as writer:
        writer.write(json.dumps(talk()[0]) + "\n")
        writer.flush()
        time.sleep(0.3)
        process.send_signal(stop)
        said = process.communicate(timeout=60)[1]

    assert process.returncode == (3 if stop == signal.SIGINT else -signal.SIGKILL)
    assert "Traceback" not in said
    assert {path.name: path.read_bytes() for path in out.iterdir()} == before
    if stop == signal.SIGINT:
        assert "nothing was written" in said
        assert {path.name for path in tmp_path.iterdir()} == {"out", "RC.jsonl"}
