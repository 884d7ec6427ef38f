"""The page of studies of every shape: whole, and without holes."""

import itertools
import re
from pathlib import Path

import msgspec
import pytest

from report.rated_study import write_rated
from report.study_factory import write_run
from report.test_write import Reader
from threadmed.metrics.estimates import NotEstimable
from threadmed.report.analyses import report_of, tables_of
from threadmed.report.blocks import Column, Note, Report, Section, Table, Words
from threadmed.report.material import Found, read_found
from threadmed.report.page import page, starts


@pytest.fixture(
    params=["rated", "armed", "few", "one", "tiny", "single turns", "nothing scored"]
)
def report(request: pytest.FixtureRequest, tmp_path: Path) -> Report:
    match request.param:
        case "rated" | "armed":
            found: Found = request.getfixturevalue(request.param)
            return report_of(found)
        case "few":
            folder = write_rated(tmp_path, n_threads=20, chance=0.03)
        case "one":
            folder = write_run(
                tmp_path, targets=["a"], settings=("oracle",), judges=("J",)
            )
        case "tiny":
            folder = write_run(tmp_path, n_threads=1, with_dataset=False)
        case "single turns":
            folder = write_run(
                tmp_path, settings=("isolated",), n_threads=30, with_dataset=False
            )
        case _:
            folder = write_run(tmp_path, n_threads=2)
            folder.scores.unlink()
    return report_of(read_found(folder))


def test_no_study_leaves_a_hole(report: Report) -> None:
    read = Reader(page(report, None))
    levels = [int(tag[1]) for tag, _ in read.tags if re.fullmatch(r"h[1-6]", tag)]
    ids = read.values("id")

    assert read.open == []
    assert len(ids) == len(set(ids))
    assert all(after <= before + 1 for before, after in itertools.pairwise(levels))
    assert all(section.blocks for section in report.sections)
    assert all(table.rows for table in tables_of(report))
    assert all(
        attrs.get("aria-label") or attrs.get("aria-hidden") == "true"
        for tag, attrs in read.tags
        if tag == "svg"
    )
    assert "NotEstimable" not in " ".join(read.text)


def test_every_row_is_as_long_as_its_head(report: Report) -> None:
    for table in tables_of(report):
        for row in (*table.rows, *([table.total] if table.total else [])):
            assert len(row) == len(table.columns), table.id


def test_no_table_stands_twice(report: Report) -> None:
    names = [table.id for table in tables_of(report)]

    assert len(names) == len(set(names))


def test_every_missing_number_has_its_reason(report: Report) -> None:
    missing = [
        (table.id, cell)
        for table in tables_of(report)
        for row in table.rows
        for cell in row
        if type(cell).__name__ == "Quantity" and cell.value is None and not cell.note
    ]

    assert missing == []


def test_a_validated_page_carries_no_tag(rated: Found) -> None:
    html = page(report_of(rated), None)

    assert 'class="tag' not in html


def test_long_tables_fold_and_long_titles_shorten(rated: Found) -> None:
    html = page(report_of(rated), None)

    assert "<summary>All 25 rows</summary>" in html
    assert " Corrected rates</a>" in html


def words(*firsts: str) -> Table:
    return Table(
        id="t",
        title="t",
        columns=(Column(key="a", title="A", align="text"),),
        rows=tuple((Words(text=text),) for text in firsts),
    )


def test_a_group_of_rows_begins_where_the_first_word_changes() -> None:
    table = words("a", "a", "b", "a")

    assert [starts(table, row) for row in range(4)] == [True, False, True, True]


@pytest.mark.parametrize(
    ("items", "tags"), [((), ("p",)), (("a",), ("p",)), (("a", "b"), ("ul", "li"))]
)
def test_warnings_are_a_sentence_or_a_list(
    rated: Found, items: tuple[str, ...], tags: tuple[str, ...]
) -> None:
    import msgspec

    section = Section(id="s", title="S", blocks=(Note(text="Beware", items=items),))
    report = msgspec.structs.replace(report_of(rated), sections=(section,))
    read = Reader(page(report, None))
    notes = [tag for tag, attrs in read.tags if attrs.get("role") == "note"]

    assert len(notes) == 1
    assert set(tags) <= {tag for tag, _ in read.tags}
    assert "Beware" in " ".join(read.text)


def test_many_warnings_fold(rated: Found) -> None:
    import msgspec

    note = Note(text="Beware", items=tuple("abcde"))
    section = Section(id="s", title="S", blocks=(note,))
    report = msgspec.structs.replace(report_of(rated), sections=(section,))

    assert "<summary>Beware: 5 warnings</summary>" in page(report, None)


def test_an_unvalidated_study_is_marked(tmp_path: Path) -> None:
    found = read_found(write_run(tmp_path, n_threads=2))

    assert isinstance(found.validation.scoring, NotEstimable)
    assert "Judges not validated: not evidence" in page(report_of(found), None)


def test_first_questions_alone_have_no_parts_of_a_conversation(tmp_path: Path) -> None:
    from threadmed.store import read_scores, write_scores

    folder = write_run(tmp_path, n_threads=30)
    rows = [row for row in read_found(folder).scores if row.turn == 0]
    write_scores(folder.scores, rows)
    report = report_of(read_found(folder))
    names = {section.id for section in report.sections}

    assert len(read_scores(folder.scores)) == len(rows)
    assert not names & {"turns", "recovery", "settings", "trajectories"}
    assert len(report.summary.questions) == 2
    assert report.summary.figure is not None
    assert report.summary.figure.chart.__class__.__name__ == "RatesChart"
    comparisons = next(s for s in report.sections if s.id == "comparisons")
    assert "earlier answers" not in comparisons.blocks[0].text  # type: ignore[union-attr]


def test_a_name_with_a_hyphen_is_not_broken_in_the_headline(tmp_path: Path) -> None:
    report = report_of(read_found(write_run(tmp_path, n_threads=2)))
    summary = msgspec.structs.replace(
        report.summary, headline="smollm2-135m <b> corrects"
    )
    html = page(msgspec.structs.replace(report, summary=summary), None)

    assert '<span class="nb">smollm2-135m</span> &lt;b&gt; corrects' in html
