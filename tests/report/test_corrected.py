from pathlib import Path

from report.rated_study import write_rated
from report.section_content import column, table, values, words
from report.study_factory import write_run
from threadmed.report.material import Found, read_found
from threadmed.report.numbers import MINUS
from threadmed.report.sections.corrected import corrected


def test_corrected_rates_stand_beside_those_of_judges_and_experts(rated: Found) -> None:
    rates = table(corrected(rated), "table-corrected")
    assert rated.corrected is not None
    first = rated.corrected.groups[0]

    assert (column(rates, "model")[0], column(rates, "setting")[0]) == (
        first.target,
        "Multi-turn",
    )
    row = [values(rates, key)[0] for key in ("judge", "humans", "corrected", "lam")]
    assert row == [
        first.pcr.judge.value,
        first.pcr.humans.value,
        first.pcr.corrected.value,
        first.lam,
    ]
    assert values(rates, "labels")[0] == first.n_labels


def test_few_labels_give_the_rate_of_experts_and_no_correction(tmp_path: Path) -> None:
    found = read_found(write_rated(tmp_path, n_threads=20, chance=0.3))
    rates = table(corrected(found), "table-corrected")

    assert values(rates, "corrected") == [None] * 8
    assert any(value is not None for value in values(rates, "humans"))
    notes = [row[6].note for row in rates.rows]
    assert all("fewer than 30 labels" in note for note in notes)


def test_differences_say_what_is_taken_from_what(rated: Found) -> None:
    differences = table(corrected(rated), "table-corrected-differences")
    said = column(differences, "what")

    assert said[0] == f"gpt-5 {MINUS} claude-haiku-4.5, multi-turn"
    assert f"gpt-5: oracle {MINUS} target-turn" in said


def test_other_methods_carry_their_assumption(rated: Found) -> None:
    others = table(corrected(rated), "table-corrected-others")

    assert "stratified" not in {c.key for c in others.columns}
    assert all(value is not None for value in values(others, "rogan_gladen"))


def test_the_opening_counts_what_could_be_corrected(rated: Found) -> None:
    assert "8 of 8 rates could be corrected" in words(corrected(rated))


def test_without_experts_nothing_is_corrected(tmp_path: Path) -> None:
    assert corrected(read_found(write_run(tmp_path, n_threads=2))) is None


def test_what_no_method_can_correct_is_left_out(tmp_path: Path) -> None:
    found = read_found(write_rated(tmp_path, n_threads=20, chance=0.03))
    section = corrected(found)
    assert section is not None
    names = {getattr(block, "id", "") for block in section.blocks}

    assert "table-corrected" in names
    assert not names & {"table-corrected-others", "table-corrected-differences"}
