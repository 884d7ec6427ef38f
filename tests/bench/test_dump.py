import datetime as dt
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import zstandard

from bench import building, dump, recipe
from threadmed.records import Thread
from threadmed.store import read_records

RECIPE = recipe.Recipe(submissions=1_200, comments=8_000)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("dump")
    dump.write(folder, RECIPE)
    return folder


def unpacked(path: Path) -> bytes:
    with path.open("rb") as file:
        reader = zstandard.ZstdDecompressor(max_window_size=2**31).stream_reader(file)
        return reader.read()


def records(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in unpacked(path).splitlines()]


def build(folder: Path, packing: str, out: Path) -> dict[str, Any]:
    """Build as a user does, and give the manifest."""
    posts, comments = map(str, recipe.files(folder, packing))
    command = ["build", "--posts", posts, "--comments", comments, "--out", str(out)]
    subprocess.run(
        [sys.executable, "-m", "threadmed", *command], check=True, capture_output=True
    )
    return json.loads((out / "manifest.json").read_bytes())


def year(record: dict[str, Any]) -> int:
    return dt.datetime.fromtimestamp(int(record["created_utc"]), dt.UTC).year


def test_the_same_recipe_gives_the_same_bytes(folder: Path, tmp_path: Path) -> None:
    dump.write(tmp_path, RECIPE)

    for packing in recipe.WINDOW_LOGS:
        for one, other in zip(
            recipe.files(folder, packing), recipe.files(tmp_path, packing), strict=True
        ):
            assert one.read_bytes() == other.read_bytes()


def test_another_seed_gives_other_records(folder: Path, tmp_path: Path) -> None:
    dump.write(tmp_path, recipe.Recipe(submissions=1_200, comments=8_000, seed=1))

    mine, theirs = (recipe.files(one, "small")[1] for one in (folder, tmp_path))

    assert unpacked(mine) != unpacked(theirs)


def test_both_packings_hold_the_same(folder: Path) -> None:
    pairs = zip(
        recipe.files(folder, "long"), recipe.files(folder, "small"), strict=True
    )

    assert all(unpacked(one) == unpacked(other) for one, other in pairs)


@pytest.mark.parametrize(("packing", "window"), [("long", 2**31), ("small", 2**21)])
def test_a_file_asks_for_its_window_and_does_not_say_how_much_it_holds(
    folder: Path, packing: str, window: int
) -> None:
    for path in recipe.files(folder, packing):
        header = zstandard.get_frame_parameters(path.read_bytes()[:18])

        assert header.window_size == window
        assert header.content_size == zstandard.CONTENTSIZE_UNKNOWN


def test_there_are_as_many_records_as_were_asked_for(folder: Path) -> None:
    posts, comments = recipe.files(folder, "small")

    assert len(records(posts)) == 1_200
    assert len(records(comments)) == 8_000


def test_the_layout_changes_with_the_years(folder: Path) -> None:
    by_year: dict[int, list[dict[str, Any]]] = {}
    for record in records(recipe.files(folder, "small")[1]):
        by_year.setdefault(year(record), []).append(record)

    early, late = by_year[2015], by_year[2023]

    assert max(map(len, early)) <= 22
    assert max(map(len, late)) >= 65
    assert any(isinstance(record["created_utc"], str) for record in early)
    assert all(isinstance(record["created_utc"], int) for record in late)
    assert not any("is_submitter" in record for record in early)
    assert all("is_submitter" in record for record in late)


def test_the_builder_reads_every_record_and_finds_threads(
    folder: Path, tmp_path: Path
) -> None:
    inputs = build(folder, "long", tmp_path / "out")["inputs"]

    assert [file["records"] for file in inputs] == [1_200, 8_000]
    assert not any(file["bad"] or file["repaired"] for file in inputs)
    assert len(read_records(tmp_path / "out" / "complete.jsonl", Thread)) >= 10


def test_more_text_of_laypeople_changes_no_thread(folder: Path, tmp_path: Path) -> None:
    wordy = recipe.Recipe(submissions=1_200, comments=8_000, lay_text=4)
    dump.write(tmp_path / "wordy", wordy)
    found = []
    for name, one in (("usual", folder), ("more", tmp_path / "wordy")):
        build(one, "small", tmp_path / name)
        found.append((tmp_path / name / "complete.jsonl").read_bytes())
    usual, more = (
        len(unpacked(recipe.files(one, "small")[1]))
        for one in (folder, tmp_path / "wordy")
    )

    assert found[0] == found[1]
    assert more > 1.3 * usual


def test_a_dump_that_is_there_is_not_made_again(folder: Path) -> None:
    before = [path.stat().st_mtime_ns for path in recipe.files(folder, "small")]

    dump.write(folder, RECIPE)

    assert before == [path.stat().st_mtime_ns for path in recipe.files(folder, "small")]


def test_too_few_comments_for_the_posts_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="too few comments"):
        dump.write(tmp_path, recipe.Recipe(submissions=1_200, comments=10))


def test_a_reader_that_fails_is_shown_with_its_reason_and_no_figures() -> None:
    found = {
        building.BARE: building.Cost(wall_s=2.0, cpu_s=1.0, peak_mb=30.0),
        building.OURS: building.Cost(wall_s=4.0, cpu_s=3.0, peak_mb=90.0),
        "Polars": building.Failed(why="OSError: window"),
    }

    _, _, own, polars = building.table(found, 1_000)

    assert own.split() == [
        "threadmed", "build", "4.00", "3.00", "2.00", "3.00", "250", "90"
    ]  # fmt: skip
    assert polars.endswith("cannot read it: OSError: window")


def test_goals_are_judged_by_the_figures() -> None:
    found = {
        building.BARE: building.Cost(wall_s=1.0, cpu_s=1.0, peak_mb=30.0),
        building.READING: building.Cost(wall_s=1.0, cpu_s=3.0, peak_mb=200.0),
        building.OURS: building.Cost(wall_s=2.5, cpu_s=4.0, peak_mb=300.0),
        building.PLAIN: building.Cost(wall_s=13.0, cpu_s=13.0, peak_mb=900.0),
    }

    long, small = (
        list(building.goals(found, packing)) for packing in ("long", "small")
    )

    assert [line.partition(" (")[0] for line in (*long[:4], *small[:5])] == [
        "met      threadmed reading, wall time over decompressing: 1.00",
        "met      threadmed reading, times as fast as the plain reader: 13.00",
        "not met  threadmed build, wall time over decompressing: 2.50",
        "not met  threadmed build, times as fast as the plain reader: 5.20",
        "met      threadmed reading, CPU time over decompressing: 3.00",
        "met      threadmed reading, times as fast as the plain reader: 13.00",
        "not met  threadmed build, CPU time over decompressing: 4.00",
        "not met  threadmed build, times as fast as the plain reader: 5.20",
        "met      peak MB, window plus 400 allowed: 300.00",
    ]


def test_growth_leaves_out_what_a_build_costs_before_it_reads() -> None:
    sizes = [
        (name, records, building.Cost(wall_s=9.0, cpu_s=cpu_s, peak_mb=9.0))
        for name, records, cpu_s in (("1x", 10, 6.0), ("2x", 20, 7.0), ("4x", 40, 9.0))
    ]

    assert building.steepness(sizes) == pytest.approx(1.0)


def test_a_run_that_failed_is_not_made_good_by_another() -> None:
    cost = building.Cost(wall_s=1.0, cpu_s=1.0, peak_mb=1.0)
    failed = building.Failed(why="no")

    assert building.better(cost, failed) == building.better(failed, cost) == failed


def test_a_process_that_fails_says_why_in_one_line(tmp_path: Path) -> None:
    missing = str(tmp_path / "missing.zst")

    failed = building.run("bench.contestants", "decompress", missing, missing)

    assert isinstance(failed, building.Failed)
    assert failed.why.startswith("FileNotFoundError: ")
