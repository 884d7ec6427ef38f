from pathlib import Path

import msgspec
import pytest

from report.study_factory import dataset_manifest, run_manifest, write_run
from threadmed.dataset.sample import sample_hashes
from threadmed.records import Labelled, PanelScore, ThreadId
from threadmed.report.analyses import figures_of, mark_of, report_of, tables_of
from threadmed.report.blocks import Figure, Report, Table
from threadmed.report.material import Found, read_found
from threadmed.report.numbers import MISSING
from threadmed.report.sections.cost import cost
from threadmed.store import write_json, write_records
from threadmed.study import Folder, Study, study_folder

EVERYTHING = [
    "dataset",
    "identification",
    "correction",
    "turns",
    "recovery",
    "settings",
    "comparisons",
    "trajectories",
    "harm",
    "judges",
    "coverage",
    "cost",
    "provenance",
]


def sections(report: Report) -> list[str]:
    return [section.id for section in report.sections]


def numbers_close_up(report: Report) -> bool:
    figures = [figure.number for figure in figures_of(report)]
    tables = [table.number for table in tables_of(report)]
    parts = [section.number for section in report.sections]
    return all(
        numbers == list(range(1, len(numbers) + 1))
        for numbers in (figures, tables, parts)
    )


def found_in(root: Path, **options: object) -> Found:
    return read_found(write_run(root, **options))  # type: ignore[arg-type]


def text_of(report: Report) -> str:
    return msgspec.json.encode(report).decode()


def test_a_whole_study_has_every_section(tmp_path: Path) -> None:
    report = report_of(found_in(tmp_path))

    assert sections(report) == EVERYTHING
    assert numbers_close_up(report)


def test_a_study_of_other_threads_has_no_dataset_and_no_hole(tmp_path: Path) -> None:
    report = report_of(found_in(tmp_path, with_dataset=False))

    assert sections(report) == EVERYTHING[1:]
    assert report.sections[0].number == 1
    assert numbers_close_up(report)


def test_one_setting_and_one_model_leave_their_sections_out(tmp_path: Path) -> None:
    report = report_of(found_in(tmp_path, targets=["a"], settings=("oracle",)))

    assert not {"turns", "settings", "recovery"} & set(sections(report))
    assert "table-comparisons" not in {table.id for table in tables_of(report)}
    assert [figure.id for figure in figures_of(report)].count("figure-correction") == 1
    assert numbers_close_up(report)


def test_a_run_that_has_only_identified_shows_what_there_is(tmp_path: Path) -> None:
    folder = write_run(tmp_path)
    for path in (folder.scores, folder.answers, folder.verdicts):
        path.unlink()
    report = report_of(read_found(folder))

    assert sections(report) == ["dataset", "identification", "cost", "provenance"]
    assert report.summary.headline == "No answer has been scored yet"
    assert report.summary.figure is None
    assert numbers_close_up(report)


def bare(root: Path, scores: list[PanelScore]) -> tuple[Folder, Study]:
    from threadmed.store import write_scores

    folder = write_run(root, targets=["a"], n_threads=3)
    write_scores(folder.scores, scores)
    return folder, read_found(folder).manifest.study


def test_a_table_of_scores_without_rows_is_no_measurement(tmp_path: Path) -> None:
    folder, _ = bare(tmp_path, [])

    assert read_found(folder).measured is None


def test_scores_too_few_for_any_rate_give_tables_and_no_empty_picture(
    tmp_path: Path,
) -> None:
    scores = [
        PanelScore(
            target="a",
            setting="multi_turn",
            thread_id=ThreadId("THREAD_0000"),
            turn=turn,
            score=1,
            outcome="scored",
        )
        for turn in (0, 1)
    ]
    folder, _ = bare(tmp_path, scores)
    report = report_of(read_found(folder))

    assert [figure.id for figure in figures_of(report) if figure.judged] == []
    assert "table-turns" in {table.id for table in tables_of(report)}


def test_unvalidated_judges_mark_what_they_judged_and_nothing_else(
    tmp_path: Path,
) -> None:
    report = report_of(found_in(tmp_path))
    marks = {table.id: mark_of(report, table) for table in tables_of(report)}

    assert marks["table-correction"] == "Judges not validated: not evidence"
    assert marks["table-dataset"] == ""
    assert report.summary.headline.startswith("According to unvalidated judges, ")


def test_an_embedded_model_marks_everything(tmp_path: Path) -> None:
    report = report_of(found_in(tmp_path, provider="embedded"))
    marks = [
        mark_of(report, block) for block in (*figures_of(report), *tables_of(report))
    ]

    assert set(marks) == {"Demonstration, not evidence"}


def test_a_stopped_run_says_how_much_is_missing(tmp_path: Path) -> None:
    folder = write_run(tmp_path)
    manifest = read_found(folder).manifest
    write_json(folder.manifest, msgspec.structs.replace(manifest, complete=False))
    report = report_of(read_found(folder))

    # No score is pending, and none is said to be.
    assert "The run is not complete; outcomes" in report.summary.lead
    assert "0 of" not in report.summary.lead
    assert "stopped early" in text_of(report)


def test_two_sources_are_crossed_on_what_both_labelled(tmp_path: Path) -> None:
    folder = write_run(tmp_path, n_threads=2)
    says = {"reference": (True, True, False), "Finder": (True, False, False)}
    write_records(
        folder.labels,
        [
            Labelled(
                thread_id=ThreadId("THREAD_0000"),
                turn=turn,
                misconception=misconception,
                source=source,
            )
            for source, marks in says.items()
            for turn, misconception in enumerate(marks)
        ],
    )
    report = report_of(read_found(folder))
    section = next(s for s in report.sections if s.id == "identification")
    table = next(t for t in tables_of(report) if t.id == "table-labels-beside-1")

    # both yes 1, reference alone 1, Finder alone 0, neither 1: agreement 2 of 3
    assert [[cell.text for cell in row[1:]] for row in table.rows] == [
        ["1", "1", "2"],
        ["0", "1", "1"],
    ]
    assert "they agree on 2/3" in section.blocks[2].text
    assert "Finder found 1/2" in section.blocks[2].text


def test_labels_of_one_source_stand_alone(tmp_path: Path) -> None:
    folder = write_run(tmp_path, n_threads=2)
    labels = [
        label for label in read_found(folder).labels if label.source == "reference"
    ]
    write_records(folder.labels, labels)
    report = report_of(read_found(folder))

    assert "table-labels-beside-1" not in {table.id for table in tables_of(report)}


def test_every_number_without_a_value_has_a_reason(tmp_path: Path) -> None:
    report = report_of(found_in(tmp_path, n_threads=3))
    missing = [
        cell
        for table in tables_of(report)
        for row in table.rows
        for cell in row
        if type(cell).__name__ == "Quantity" and cell.value is None
    ]

    assert missing
    assert all(cell.note for cell in missing)
    assert MISSING in text_of(report)


def test_a_chart_with_a_dash_says_why_in_its_caption(tmp_path: Path) -> None:
    few = report_of(found_in(tmp_path / "few", n_threads=8))
    many = report_of(found_in(tmp_path / "many", n_threads=75))
    said = {figure.id: figure.method for figure in figures_of(few)}

    assert said["figure-turns"].endswith(
        f"{MISSING} where there is no estimate: fewer than 5 scored items."
    )
    assert not [f for f in figures_of(many) if "no estimate" in f.method]


def test_money_and_calls_add_up_in_the_last_row(tmp_path: Path) -> None:
    report = report_of(found_in(tmp_path))
    tables = {table.id: table for table in tables_of(report)}
    whole, *stages = (
        tables[name] for name in ("table-cost", "table-cost-answer", "table-cost-judge")
    )

    for column in range(1, 7):
        for table in (whole, *stages):
            added = sum(row[column].value for row in table.rows)
            assert table.total[column].value == pytest.approx(added)
        assert [row[column].value for row in whole.rows] == [
            stage.total[column].value for stage in stages
        ]
    assert whole.total[6].value == 1
    assert "table-cost-identify" not in tables


def test_models_of_a_batch_api_are_named_and_what_costs_nothing_has_no_share(
    tmp_path: Path,
) -> None:
    found = found_in(tmp_path)
    manifest = found.manifest
    study = msgspec.structs.replace(
        manifest.study,
        models=tuple(
            msgspec.structs.replace(each, batch=each.name == "Judge A")
            for each in manifest.study.models
        ),
    )
    spend = tuple(
        msgspec.structs.replace(each, cost_usd=0.0)
        for each in manifest.spend
        if each.stage == "judge"
    )
    changed = msgspec.structs.replace(manifest, study=study, spend=spend)
    section = cost(msgspec.structs.replace(found, manifest=changed))
    assert section is not None
    (judging,) = [block for block in section.blocks if isinstance(block, Table)]

    assert judging.note.endswith("where calls could wait: Judge A.")
    assert judging.total[6].note == "nothing was paid"


def test_a_study_without_judges_or_labels_or_calls_still_has_its_provenance(
    tmp_path: Path,
) -> None:
    study = Study(name="bare", threads="threads.jsonl", notice="Take care.")
    folder = study_folder(tmp_path)
    manifest = msgspec.structs.replace(
        run_manifest(study_with_finder(study)), spend=(), prompts=(), labels_sha256=None
    )
    write_json(folder.manifest, manifest)
    write_records(tmp_path / "threads.jsonl", [])
    report = report_of(read_found(folder))

    assert sections(report) == ["provenance"]
    assert report.notice == "Take care."


def study_with_finder(study: Study) -> Study:
    from threadmed.records import Model

    return msgspec.structs.replace(
        study, models=(Model(name="Finder", model="openai:finder"),)
    )


def figure_of(report: Report, name: str) -> Figure:
    return next(figure for figure in figures_of(report) if figure.id == name)


def table_of(report: Report, name: str) -> Table:
    return next(table for table in tables_of(report) if table.id == name)


def test_the_funnel_goes_from_posts_to_threads_and_has_the_comments_last(
    tmp_path: Path,
) -> None:
    report = report_of(found_in(tmp_path, n_threads=20))
    figure = figure_of(report, "figure-funnel")

    assert [(s.name, s.came, s.stayed) for s in figure.chart.stages] == [
        ("posts read", 41_870, 37_954),
        ("posts kept", 37_954, 8_654),
        ("threads with a physician", 8_654, 1_533),
        ("complete threads", 1_533, 20),
        ("fully answered threads", 20, None),
        ("comments read", 90_000, 72_000),
    ]
    assert figure.title == "From 41,870 posts read to 20 fully answered threads"
    assert "Of 90,000 comments read, 72,000 are kept." in figure.alt


def test_the_table_of_the_funnel_has_every_reason(tmp_path: Path) -> None:
    report = report_of(found_in(tmp_path, n_threads=20))
    rows = figure_of(report, "figure-funnel").numbers.rows

    assert [cell.text for cell in rows[2]] == [
        "keep posts", "too few words", "posts", "900", "37,966",
    ]  # fmt: skip
    assert len(rows) == 14


def test_a_funnel_of_comments_alone_has_a_title_of_its_own(tmp_path: Path) -> None:
    folder = write_run(tmp_path, n_threads=2)
    manifest = dataset_manifest(2)
    comments = tuple(row for row in manifest.funnel if row.unit == "comments")
    write_json(
        tmp_path / "data" / "manifest.json",
        msgspec.structs.replace(manifest, funnel=comments),
    )
    figure = figure_of(report_of(read_found(folder)), "figure-funnel")

    assert figure.title == "90,000 comments read"


def test_threads_made_again_from_ids_have_a_stage_of_their_own(
    tmp_path: Path,
) -> None:
    from threadmed.dataset.manifest import FunnelStep

    folder = write_run(tmp_path, n_threads=2)
    manifest = dataset_manifest(20)
    rows = tuple(
        FunnelStep(
            step="hydrate", reason=reason, unit="threads", dropped=n, threads=left
        )
        for reason, n, left in (("", 0, 20), ("post_gone", 3, 17))
    )
    write_json(
        tmp_path / "data" / "manifest.json",
        msgspec.structs.replace(manifest, funnel=(*manifest.funnel, *rows)),
    )
    figure = figure_of(report_of(read_found(folder)), "figure-funnel")
    last = figure.chart.stages[-1]

    assert (last.name, last.came, last.stayed) == ("threads of the release", 20, 17)
    assert figure.title.endswith("to 20 fully answered threads")
    assert figure.alt.endswith("Of 20 threads of the release, 17 are kept.")


def test_years_and_lengths_are_charts_with_their_numbers(tmp_path: Path) -> None:
    report = report_of(found_in(tmp_path, n_threads=20))
    years, lengths = (
        figure_of(report, name) for name in ("figure-years", "figure-lengths")
    )

    assert years.title == (
        "Posts are from 2021 to 2022; 2021 gave the most complete threads, 1,000"
    )
    assert [cell.value for cell in years.numbers.rows[0]] == [2021, 20_000, 1_000, 20]
    assert years.alt.split("\n")[1] == (
        "Complete threads by year: 2021: 1,000, 2022: 533."
    )
    assert lengths.title == "59% of the complete threads have 3 questions"  # 902/1533
    assert [cell.value for cell in lengths.numbers.rows[1]] == [4, 631, 20]


def test_very_long_threads_share_a_bar_and_have_rows_of_their_own() -> None:
    from threadmed.dataset.manifest import TurnCount
    from threadmed.report.sections.extent import lengths_figure

    statistics = dataset_manifest(2).statistics.complete
    counts = tuple(TurnCount(turns=turns, threads=1) for turns in (11, 13, 40))
    figure = lengths_figure(
        msgspec.structs.replace(statistics, turn_counts=counts),
        msgspec.structs.replace(statistics, turn_counts=()),
    )

    assert [(bar.label, bar.count) for bar in figure.chart.panels[0].bars] == [
        ("11", 1), ("12", 0), ("over 12", 2),
    ]  # fmt: skip
    assert [row[0].value for row in figure.numbers.rows] == [11, 13, 40]


def test_roles_are_counted_and_each_shows_its_commonest_flairs(tmp_path: Path) -> None:
    report = report_of(found_in(tmp_path, n_threads=2))
    roles = [
        [cell.text for cell in row] for row in table_of(report, "table-roles").rows
    ]
    flairs = table_of(report, "table-flair")

    assert roles == [
        ["physician", "2", "9,181", "30.6"],  # of 30,000
        ["clinician", "1", "818", "2.7"],
        ["student", "0", "0", "0.0"],
        ["lay", "1", "20,001", "66.7"],
    ]
    assert flairs.caption == "Shown: physician 2 of 2, clinician 1 of 1, lay 1 of 1."
    assert [row[1].text for row in flairs.rows] == [
        "Physician", "Physician | Moderator", "Registered Nurse", "(none)",
    ]  # fmt: skip


def test_quantiles_stand_beside_means_for_both_sets(tmp_path: Path) -> None:
    report = report_of(found_in(tmp_path, n_threads=20))
    table = table_of(report, "table-spread")
    rows = [[cell.text for cell in row] for row in table.rows]

    assert [column.key for column in table.columns][3:] == [
        "mean", "min", "q25", "median", "q75", "q95", "max",
    ]  # fmt: skip
    assert rows[2] == [
        "Tokens in a question", "Complete", "5,230",  # 3 * 902 + 4 * 631
        "121.4", "4", "30.0", "70.0", "150.0", "402.0", "3,117",
    ]  # fmt: skip
    assert rows[3][:3] == ["Tokens in a question", "Fully answered", "80"]


def test_the_manifest_of_an_older_build_has_no_years_and_no_hole(
    tmp_path: Path,
) -> None:
    folder = write_run(tmp_path, n_threads=2)
    manifest = msgspec.to_builtins(dataset_manifest(2))
    del manifest["years"]
    write_json(tmp_path / "data" / "manifest.json", manifest)

    names = {figure.id for figure in figures_of(report_of(read_found(folder)))}
    assert "figure-funnel" in names
    assert "figure-years" not in names


def test_a_dataset_of_a_truncated_dump_says_so(tmp_path: Path) -> None:
    folder = write_run(tmp_path, n_threads=2)
    manifest = msgspec.structs.replace(dataset_manifest(2), partial=True, flair=())
    write_json(tmp_path / "data" / "manifest.json", manifest)
    report = report_of(read_found(folder))
    kinds = [type(block).__name__ for block in report.sections[0].blocks]

    assert kinds[1] == "Note"
    assert "table-flair" not in {table.id for table in tables_of(report)}


def test_an_empty_dataset_has_reasons_and_no_numbers(tmp_path: Path) -> None:
    from threadmed.dataset.manifest import BothStatistics, Statistics

    none = Statistics(
        threads=0,
        questions=0,
        answered=0,
        answered_share=None,
        turns=None,
        turn_counts=(),
        tokens_question=None,
        tokens_answer=None,
    )
    folder = write_run(tmp_path, n_threads=2)
    manifest = msgspec.structs.replace(
        dataset_manifest(2),
        statistics=BothStatistics(complete=none, answered=none),
        funnel=(),
        years=(),
    )
    write_json(tmp_path / "data" / "manifest.json", manifest)
    report = report_of(read_found(folder))
    table = table_of(report, "table-dataset")
    names = {block.id for block in (*tables_of(report), *figures_of(report))}

    assert [row[1].text for row in table.rows[:3]] == ["0", "0", "0"]
    assert all(row[1].note for row in table.rows[3:])
    assert names & {
        "table-spread", "figure-funnel", "figure-lengths", "figure-years",
    } == set()  # fmt: skip


def test_what_judges_are_shown_stands_in_the_provenance(tmp_path: Path) -> None:
    folder = write_run(tmp_path, n_threads=2)
    manifest = read_found(folder).manifest
    panel = msgspec.structs.replace(manifest.study.panel, show_misconception=True)
    study = msgspec.structs.replace(manifest.study, panel=panel)
    write_json(folder.manifest, msgspec.structs.replace(manifest, study=study))

    text = text_of(report_of(read_found(folder)))
    assert "judges also see the identified misconception" in text


def test_labels_of_sources_that_share_no_question_are_not_crossed(
    tmp_path: Path,
) -> None:
    folder = write_run(tmp_path, n_threads=2)
    write_records(
        folder.labels,
        [
            Labelled(
                thread_id=ThreadId("THREAD_0000"),
                turn=turn,
                misconception=True,
                source=source,
            )
            for turn, source in enumerate(("reference", "Finder"))
        ],
    )
    report = report_of(read_found(folder))

    assert "table-labels-beside-1" not in {table.id for table in tables_of(report)}


def test_who_answers_is_said_as_far_as_it_is_known(tmp_path: Path) -> None:
    folder = write_run(tmp_path, n_threads=2)
    said = {}
    for name, hashes in (("flair", {"e" * 64}), ("sample", sample_hashes())):
        manifest = dataset_manifest(2)
        one = manifest.inputs[0]
        files = [msgspec.structs.replace(one, sha256=each) for each in hashes]
        manifest = msgspec.structs.replace(manifest, inputs=tuple(files))
        write_json(tmp_path / "data" / "manifest.json", manifest)
        said[name] = report_of(read_found(folder)).sections[0].blocks[0].text

    assert "whose flair says that they are physicians" in said["flair"]
    assert "invented sample" in said["sample"]
    assert "verified" not in said["flair"] + said["sample"]
