"""The quick version of `make bench-coverage`."""

import pytest
from bench.coverage import CASES, Covered, Row, cell, covered, measured, table

from bench import coverage

STUDIES = 300
QUICK = (
    "PCR",
    "PCR at a turn of 109 items",
    "PCS",
    "RR",
    "paired difference",
    "kappa",
    "corrected PCR, 72 labels",
)


@pytest.mark.parametrize("number", QUICK)
def test_intervals_cover_about_as_often_as_they_say(number: str) -> None:
    (case,) = (case for case in CASES if case.number == number)

    for shape in case.shapes[:1]:
        found = covered(case, shape, 0.6, studies=STUDIES)
        # 300 studies: the error is 1.26 points at 95 %; three of them below 93 and
        # above 97. An interval of half the width would cover about 67 %.
        assert found.printed > 0.95 * STUDIES
        assert 0.892 <= found.share <= 1.0
        assert 0 < found.width < 1


def test_an_interval_of_half_the_width_is_found_out() -> None:
    (case,) = (case for case in CASES if case.number == "PCR")

    truth, numbers = case.run(coverage.draws("paper", STUDIES), 0.6)
    held = [
        abs(truth - (each.low + each.high) / 2) <= (each.high - each.low) / 4
        for each in numbers
    ]

    assert sum(held) < 0.8 * STUDIES


def test_the_same_studies_are_made_again() -> None:
    (case,) = (case for case in CASES if case.number == "RR")

    once = covered(case, "paper", 0.6, studies=50)
    coverage.draws.cache_clear()

    assert covered(case, "paper", 0.6, studies=50) == once


def test_every_number_has_a_name_of_its_own() -> None:
    names = [case.number for case in CASES]

    assert len(set(names)) == len(names)


def test_limits_are_stated_of_rows_that_there_are() -> None:
    rows = {(case.number, shape) for case in CASES for shape in case.shapes}

    assert set(coverage.LIMITS) - rows == set()


def test_a_coverage_beyond_the_band_is_marked_and_must_be_explained() -> None:
    (case,) = (case for case in CASES if case.number == "PCS")
    good, low = Covered(2_000, 0.95, 0.1), Covered(1_990, 0.9, 0.1)
    row = Row(case, "nowhere", (good, low))

    assert cell(good, studies=2_000) == "95.0 ± 0.5 (0.10)"
    assert cell(low, studies=2_000) == "90.0 ± 0.7\\* (0.10, 1,990 print it)"
    assert cell(Covered(7, 1.0, 0.1), studies=2_000) == "- (7 print it)"
    assert row.lacks_limit
    assert not Row(case, "nowhere", (good,)).lacks_limit


def test_the_table_has_a_row_a_number_and_shape(
    capsys: pytest.CaptureFixture[str],
) -> None:
    cases = [case for case in CASES if case.number.startswith("no failure")]

    lines = list(table(measured(cases, studies=20), studies=20))

    assert len(lines) == 2 + sum(len(case.shapes) for case in cases)
    assert "no failure up to labelled turn 2 paper" in capsys.readouterr().err
