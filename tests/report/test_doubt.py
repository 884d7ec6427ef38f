from pathlib import Path

from report.section_content import column, table, values, words
from report.study_factory import write_run
from threadmed.metrics.estimates import NotEstimable
from threadmed.report.material import Found, read_found
from threadmed.report.sections.doubt import doubt, expert_check
from threadmed.report.sections.identification import identification


def test_labels_are_held_against_experts_by_source(rated: Found) -> None:
    check = table(identification(rated), "table-identification")
    held = rated.validation.identification
    assert not isinstance(held, NotEstimable)

    assert column(check, "source") == ["reference"] * 6 + ["Finder"] * 6
    assert values(check, "value")[:2] == [
        held.identifiers[0].versus.agreement.raw.value,
        held.identifiers[0].versus.agreement.coefficients.kappa.value,
    ]
    assert column(check, "measure")[2:4] == ["precision, %", "recall, %"]


def test_the_confusion_of_labels_is_no_judgement(rated: Found) -> None:
    confusion = table(identification(rated), "table-labels-confusion")

    assert not confusion.judged
    assert [c.title for c in confusion.columns[:2]] == ["Source", "Experts say"]


def test_labels_that_nobody_checked_say_so_in_a_sentence(tmp_path: Path) -> None:
    (block,) = expert_check(read_found(write_run(tmp_path, n_threads=2)))

    assert block.text.startswith("No expert has checked any of these labels")  # type: ignore[union-attr]


def test_a_doubted_identification_leaves_rates_and_bounds(rated: Found) -> None:
    section = doubt(rated)
    true = table(section, "table-true")
    assert rated.doubt is not None
    first = rated.doubt.rates[0]

    assert values(true, "true")[0] == first.true_pcr.value
    place = [c.key for c in true.columns].index("missed")
    assert (true.rows[0][place].low, true.rows[0][place].high) == (
        first.with_missed.low,
        first.with_missed.high,
    )
    assert f"checked {rated.doubt.n_checked} labelled questions" in words(section)


def test_a_bound_has_no_middle(rated: Found) -> None:
    found = table(doubt(rated), "table-doubt")

    assert values(found, "value")[2] is None
    assert found.rows[2][1].note == "a bound, which has no middle"
    assert rated.doubt is not None
    assert found.rows[2][2].low == rated.doubt.recall.low


def test_nothing_is_doubted_without_a_check(tmp_path: Path) -> None:
    assert doubt(read_found(write_run(tmp_path, n_threads=2))) is None
