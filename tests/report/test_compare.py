import json
from pathlib import Path

import jsonschema
import msgspec
import pytest

from report.study_factory import write_run
from threadmed.errors import InputError
from threadmed.metrics.estimates import Estimate
from threadmed.report.blocks import RatesChart, Report, Table
from threadmed.report.compare import Studies, compare_studies
from threadmed.report.compare_files import write_comparison
from threadmed.report.compare_page import compared_report
from threadmed.store import read_json, write_json
from threadmed.study import Folder, RunManifest, study_folder

TARGETS = ("Aster 5", "Borage 4.5")


def changed(folder: Folder, **changes: object) -> Folder:
    """Say that something else made the numbers of a study."""
    manifest = read_json(folder.manifest, RunManifest)
    write_json(folder.manifest, msgspec.structs.replace(manifest, **changes))
    return folder


@pytest.fixture(scope="module")
def three(tmp_path_factory: pytest.TempPathFactory) -> list[Folder]:
    """Two studies on the same threads, the second with fewer judges; and one apart."""
    root = tmp_path_factory.mktemp("studies")
    return [
        write_run(root / "one", n_threads=75),
        write_run(
            root / "two",
            n_threads=75,
            targets=["Aster 5", "Dill 70B"],
            settings=("multi_turn", "oracle"),
            judges=("Judge A", "Judge B"),
        ),
        changed(write_run(root / "three", n_threads=30), threads_sha256="e" * 64),
    ]


@pytest.fixture(scope="module")
def found(three: list[Folder]) -> Studies:
    return compare_studies(three)


def shown(found: Studies) -> Report:
    return compared_report(found, threadmed="0.1.0")


def table(report: Report, name: str) -> Table:
    return next(
        block
        for section in report.sections
        for block in section.blocks
        if isinstance(block, Table) and block.id == name
    )


def texts(table: Table, column: str) -> list[str]:
    at = [each.key for each in table.columns].index(column)
    return [row[at].text for row in table.rows]


def test_studies_are_compared_only_where_their_threads_are_the_same(
    found: Studies,
) -> None:
    assert {(each.first, each.second) for each in found.contrasts} == {("A", "B")}


def test_a_target_meets_itself_everywhere_and_others_in_the_main_setting(
    found: Studies,
) -> None:
    sides = [
        (c.first.target, c.second.target, c.first.setting)
        for c in (each.comparison for each in found.contrasts)
    ]

    assert sides == [
        ("Aster 5", "Aster 5", "multi_turn"),
        ("Aster 5", "Aster 5", "oracle"),
        ("Aster 5", "Dill 70B", "multi_turn"),
        ("Borage 4.5", "Aster 5", "multi_turn"),
        ("Borage 4.5", "Dill 70B", "multi_turn"),
    ]


def test_a_difference_is_that_of_the_items_that_both_scored(
    found: Studies, three: list[Folder]
) -> None:
    from threadmed.report.material import read_found

    scores = [
        {
            (row.thread_id, row.turn): row.score
            for row in read_found(folder).scores
            if (row.target, row.setting) == ("Aster 5", "multi_turn")
            and row.score is not None
            and row.misconception
        }
        for folder in three[:2]
    ]
    both = scores[0].keys() & scores[1].keys()
    rates = [sum(side[item] == 1 for item in both) / len(both) for side in scores]

    comparison = found.contrasts[0].comparison
    assert isinstance(comparison.difference, Estimate)
    assert comparison.n == len(both)
    assert comparison.difference.value == pytest.approx(rates[0] - rates[1])
    assert comparison.n_left_out == len(scores[0].keys() | scores[1].keys()) - len(
        both
    ) + _unscored(three[:2], scores)


def _unscored(folders: list[Folder], scores: list[dict]) -> int:
    """Labelled items that have a score in neither study."""
    from threadmed.report.material import read_found

    labelled = {
        (row.thread_id, row.turn)
        for folder in folders
        for row in read_found(folder).scores
        if (row.target, row.setting) == ("Aster 5", "multi_turn") and row.misconception
    }
    return len(labelled - scores[0].keys() - scores[1].keys())


def test_tests_of_all_studies_are_one_family(found: Studies) -> None:
    assert {c.comparison.test.family_size for c in found.contrasts} == {5}
    assert all(c.comparison.test.p_holm >= c.comparison.test.p for c in found.contrasts)


def test_what_else_differs_stands_beside_a_difference(found: Studies) -> None:
    assert {each.also_differs for each in found.contrasts} == {("judges",)}
    report = shown(found)
    assert set(texts(table(report, "table-differences"), "also_differs")) == {"judges"}


def test_what_is_the_same_and_what_is_not_is_said(found: Studies) -> None:
    same = {each.name: each.is_same for each in found.aspects}

    assert same == {
        "threads": False,
        "selection of threads": True,
        "labels": True,
        "prompts": True,
        "how targets are asked": True,
        "targets": False,
        "judges": False,
        "threadmed": True,
    }
    lead = shown(found).summary.lead
    assert "Not the same: threads, targets and judges." in lead


@pytest.mark.parametrize(
    ("changes", "aspect"),
    [
        ({"labels_sha256": "f" * 64}, "labels"),
        ({"label_source": "Finder"}, "labels"),
        ({"labels_sha256": None}, "labels"),
        ({"prompts": ()}, "prompts"),
        ({"models": ()}, "judges"),
    ],
)
def test_a_change_of_what_was_used_is_noticed(
    tmp_path: Path, changes: dict[str, object], aspect: str
) -> None:
    one = write_run(tmp_path / "one", n_threads=6)
    two = changed(write_run(tmp_path / "two", n_threads=6), **changes)

    found = compare_studies([one, two])
    assert aspect in {each.name for each in found.aspects if not each.is_same}
    assert all(aspect in each.also_differs for each in found.contrasts)


def test_threads_that_were_drawn_are_the_same_only_by_the_same_seed(
    tmp_path: Path,
) -> None:
    folders = []
    for name, seed in (("one", 1), ("two", 2)):
        folder = write_run(tmp_path / name, n_threads=6)
        study = read_json(folder.manifest, RunManifest).study
        select = msgspec.structs.replace(study.select, threads=5)
        study = msgspec.structs.replace(study, select=select, seed=seed)
        folders.append(changed(folder, study=study))

    (drawn,) = [
        each
        for each in compare_studies(folders).aspects
        if each.name == "selection of threads"
    ]
    assert (drawn.is_same, drawn.values) == (False, ("5 drawn", "5 drawn"))


def test_each_study_keeps_its_own_numbers(found: Studies) -> None:
    report = shown(found)
    rates = table(report, "table-studies")

    assert texts(rates, "study").count("C") == 8
    assert len(rates.rows) == 8 + 4 + 8
    figure = report.summary.figure
    assert figure is not None
    assert isinstance(figure.chart, RatesChart)
    assert [row.model for row in figure.chart.rows] == [
        "Aster 5 (A)",
        "Aster 5 (B)",
        "Aster 5 (C)",
        "Borage 4.5 (A)",
        "Borage 4.5 (C)",
        "Dill 70B (B)",
    ]


def test_studies_on_unlike_threads_have_no_difference_and_a_sentence(
    three: list[Folder],
) -> None:
    report = shown(compare_studies([three[0], three[2]]))
    last = report.sections[-1]

    assert "not compared" in report.summary.headline
    assert [type(block).__name__ for block in last.blocks] == ["Note"]
    assert "No two of these studies" in last.blocks[0].text


def test_a_study_without_scores_or_at_work_leaves_no_hole(tmp_path: Path) -> None:
    one = write_run(tmp_path / "one", n_threads=6)
    two = changed(write_run(tmp_path / "two", n_threads=6), complete=False)
    two.scores.unlink(missing_ok=True)
    for name in ("verdicts", "answers", "labels"):
        getattr(two, name).unlink()
    page = write_comparison([one, two], tmp_path / "out").read_text()

    assert "B is not finished: numbers may change." in page
    assert "not compared" in page


def test_marks_of_unlike_studies_stand_side_by_side(tmp_path: Path) -> None:
    one = write_run(tmp_path / "one", n_threads=6)
    two = write_run(tmp_path / "two", n_threads=6, provider="embedded")
    report = shown(compare_studies([one, two]))

    assert "A: Judges not validated: not evidence" in report.mark
    assert "B: Demonstration, not evidence" in report.mark


def test_the_page_its_files_and_its_numbers_are_written_and_written_again(
    tmp_path: Path,
) -> None:
    studies = [write_run(tmp_path / name, n_threads=6) for name in ("one", "two")]
    out = tmp_path / "out"
    page = write_comparison(studies, out)
    schema = json.loads((out / "report.schema.json").read_text())
    data = json.loads((out / "report.json").read_text())
    before = {path: path.read_bytes() for path in out.rglob("*") if path.is_file()}

    assert page == out / "index.html"
    assert data["schema"] == "threadmed.comparison"
    assert list(jsonschema.Draft202012Validator(schema).iter_errors(data)) == []
    assert (out / "tables" / "table-differences.md").exists()
    assert (out / "figures" / "figure-studies-column.pdf").exists()
    write_comparison(studies, out)
    assert before == {path: path.read_bytes() for path in before}


@pytest.mark.parametrize("times", [0, 1, 27])
def test_too_few_or_too_many_studies_are_an_error(tmp_path: Path, times: int) -> None:
    folders = [study_folder(tmp_path / str(number)) for number in range(times)]

    with pytest.raises(InputError, match="2 to 26 studies"):
        compare_studies(folders)


def test_one_study_named_twice_is_an_error(tmp_path: Path) -> None:
    folder = study_folder(tmp_path)
    again = study_folder(tmp_path / ".." / tmp_path.name)

    with pytest.raises(InputError, match="is named twice"):
        compare_studies([folder, again])


def test_a_headline_counts_what_is_clear(found: Studies) -> None:
    def headline(*p_values: float) -> str:
        contrasts = tuple(
            msgspec.structs.replace(
                found.contrasts[0],
                comparison=msgspec.structs.replace(
                    found.contrasts[0].comparison,
                    test=msgspec.structs.replace(
                        found.contrasts[0].comparison.test, p_holm=p
                    ),
                ),
            )
            for p in p_values
        )
        return shown(
            msgspec.structs.replace(found, contrasts=contrasts)
        ).summary.headline

    assert headline(0.2).startswith("Of 1 difference")
    assert headline(0.2).endswith("none is clear")
    assert headline(0.04, 0.2).endswith("1 is clear")
    assert headline(0.04, 0.001).endswith("2 are clear")
