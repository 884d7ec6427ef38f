"""`threadmed power` as a person uses it."""

import re
from pathlib import Path

import pytest

from command_line import complaint, threadmed
from factories_scores import paper_scores
from threadmed.metrics.planning.prospect import StudyPower
from threadmed.store import read_json, write_scores


def test_power_says_what_a_study_sees_by_formula_and_by_simulation(
    tmp_path: Path,
) -> None:
    done = threadmed(
        *("power", "--items", 604, "--threads", 505, "--discordant", 0.38),
        *("--deff", 1, "--difference", 0.05, "--half-width", 0.06, "--comparisons", 2),
        *("--simulate", 120, "--json", tmp_path / "power.json"),
    )

    assert done.returncode == 0, done.stderr
    assert "by formula" in done.stdout
    assert "simulated" in done.stdout
    assert "items to see a difference of 5.0 points: " in done.stdout
    assert "of 604 judged" in done.stdout
    assert "Holm's method over 2 comparisons" in done.stdout
    assert "label several turns of each thread instead" in done.stdout
    written = read_json(tmp_path / "power.json", StudyPower)
    assert written.design.comparisons == 2
    assert written.smallest.interval_power.studies == 120


def test_power_says_where_the_exact_test_takes_more_items() -> None:
    done = threadmed("power", "--difference", 0.05)

    said = re.search(
        r"the exact test, which takes about ([0-9,]+) items for 80 %", done.stdout
    )
    assert said is not None
    assert 1_256 < int(said[1].replace(",", "")) < 1_350
    assert "  chance that the exact test does " in done.stdout
    without = threadmed("power", "--difference", 0.05, "--simulate", 0)
    assert "falls short" not in without.stdout


def test_power_reads_a_pilot(tmp_path: Path) -> None:
    write_scores(tmp_path / "scores.csv", paper_scores())

    done = threadmed("power", "--scores", tmp_path / "scores.csv", "--simulate", 0)

    assert done.returncode == 0, done.stderr
    assert "604 items in 505 threads" in done.stdout
    assert "pilot, gpt-5 multi_turn and gpt-5 oracle: " in done.stdout


def test_power_says_what_is_out_of_reach() -> None:
    done = threadmed(
        *("power", "--items", 20, "--discordant", 0.1, "--difference", 0.2),
        *("--simulate", 0),
    )

    assert "seen with 80 % power: none" in done.stdout
    assert "a difference of 20.0 points: out of reach" in done.stdout


def test_power_without_a_size_is_wrong_usage() -> None:
    done = threadmed("power")

    assert "say how large the study is: --items, --threads, --scores" in done.stderr
    assert done.returncode == 2


@pytest.mark.parametrize(
    ("arguments", "status", "said"),
    [
        (
            ("--items", 10, "--power", 1.5),
            2,
            "--power: expected between 0 and 1, got 1.5",
        ),
        (("--scores", "nowhere.csv"), 1, "nowhere.csv: no such file"),
    ],
)
def test_a_wrong_plan_is_one_line(
    arguments: tuple[object, ...], status: int, said: str
) -> None:
    done = threadmed("power", *arguments)

    assert said in complaint(done)
    assert done.returncode == status
