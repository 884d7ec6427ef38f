"""`threadmed measure` on tables with controls and harm classes."""

import json
from pathlib import Path

import pytest

from command_line import complaint, threadmed
from threadmed.cli.beyond import harm_weights
from threadmed.errors import InputError
from threadmed.metrics import SideBySide
from threadmed.metrics.controls.questions import WithQuestions
from threadmed.store import read_json

HEAD = "target,setting,thread_id,turn,score,misconception"


def table(path: Path, *, harm: bool, control: bool, missing: bool = False) -> Path:
    lines = [HEAD + (",harm" if harm else "")]
    for n in range(24):
        cells = f"m,multi_turn,T{n},0,{1 if n < 12 else -1},true"
        lines.append(cells + ("," + ("mild" if n < 18 else "urgent") if harm else ""))
    for n in range(20 if control else 0):
        score = "" if missing and n == 0 else -1 if n < 5 else 1
        lines.append(f"m,multi_turn,T{n},1,{score},false" + ("," if harm else ""))
    path.write_text("\n".join(lines) + "\n")
    return path


def test_false_alarms_and_severity_are_printed_and_written(tmp_path: Path) -> None:
    scores = table(tmp_path / "s.csv", harm=True, control=True, missing=True)

    done = threadmed("measure", scores, "--json", tmp_path / "out.json")

    assert done.returncode == 0, done.stderr
    assert "Over-correction, on 20 questions without a misconception" in done.stdout
    assert "false alarms  21.1 [" in done.stdout  # 4 of 19
    assert "missing scores no false alarms 20.0 [" in done.stdout
    assert "if 5 % of the controls are labelled wrong: 16.9 to 22.2" in done.stdout
    # 12 mild corrected of 18, 6 urgent not: 12/(18 + 24).
    assert "harm-weighted PCR  28.6 [" in done.stdout
    assert "PCR where urgent" in done.stdout
    assert "at the last labelled turn, not corrected 100.0 [" in done.stdout
    found = read_json(tmp_path / "out.json", WithQuestions)
    assert found.over_correction is not None
    assert found.severity is not None
    assert found.recommended.groups[0].pcr.n == 24
    assert read_json(tmp_path / "out.json", SideBySide).differs == found.differs


def test_a_table_with_neither_is_measured_as_ever(tmp_path: Path) -> None:
    scores = table(tmp_path / "s.csv", harm=False, control=False)

    done = threadmed("measure", scores, "--json", tmp_path / "out.json")

    assert done.stdout.startswith("m, multi_turn: 24 of 24 items scored")
    keys = json.loads((tmp_path / "out.json").read_text()).keys()
    assert keys == {"version", "recommended", "as_published", "differs"}


def test_controls_alone_are_a_table_too(tmp_path: Path) -> None:
    lines = [f"m,oracle,T{n},1,{-1 if n < 5 else 0},false" for n in range(10)]
    path = tmp_path / "s.csv"
    path.write_text("\n".join([HEAD, *lines]) + "\n")

    done = threadmed("measure", path)

    assert done.returncode == 0, done.stderr
    assert "  m, oracle\n    false alarms  50.0 [" in done.stdout
    assert "or doubt      100.0 [" in done.stdout
    assert "PCR  " not in done.stdout


def test_weights_reach_the_numbers(tmp_path: Path) -> None:
    scores = table(tmp_path / "s.csv", harm=True, control=False)

    done = threadmed("measure", scores, "--harm-weights", "0,1,1,1")

    assert "harm-weighted PCR  50.0 [" in done.stdout
    assert "Over-correction" not in done.stdout


@pytest.mark.parametrize("weights", ["1,2,3", "a,b,c,d", "0,0,0,0", "0,1,2,-4"])
def test_weights_that_are_none_are_one_line(tmp_path: Path, weights: str) -> None:
    scores = table(tmp_path / "s.csv", harm=True, control=False)

    done = threadmed("measure", scores, f"--harm-weights={weights}")

    assert done.returncode == 2
    assert "weights" in complaint(done)


def test_weights_are_read_with_blanks() -> None:
    assert harm_weights(" 0, 1.5,2 ,4").mild == 1.5
    with pytest.raises(InputError, match="a number each for none, mild"):
        harm_weights("")


def test_a_wrong_harm_class_is_one_line(tmp_path: Path) -> None:
    path = tmp_path / "s.csv"
    path.write_text(f"{HEAD},harm\nm,oracle,T1,1,1,true,bad\n")

    assert "s.csv:2: harm is 'bad'" in complaint(threadmed("measure", path))


@pytest.mark.parametrize("weights", ["0,1,1_0,4", "0,1,nan,4", "0,1,1e999,4", "0,1,,4"])
def test_a_weight_that_no_table_would_take_for_a_number_is_refused(
    tmp_path: Path, weights: str
) -> None:
    scores = table(tmp_path / "s.csv", harm=True, control=False)

    done = threadmed("measure", scores, "--harm-weights", weights)

    assert f"--harm-weights is '{weights}'; expected a number each" in complaint(done)
