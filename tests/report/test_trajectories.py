from pathlib import Path

from report.section_content import column, figure, table, values, words
from report.study_factory import write_run
from threadmed.report.figures import page_drawings
from threadmed.report.material import Found, read_found
from threadmed.report.panels import panel_drawing
from threadmed.report.sections.recovery import recovery
from threadmed.report.sections.trajectories import trajectories


def test_recovery_is_shown_over_both_kinds_of_pairs(rated: Found) -> None:
    found = table(recovery(rated), "table-recovery")
    assert rated.measured is not None
    group = rated.measured.groups[0]

    assert column(found, "pairs_are")[:2] == ["the very next", "the next labelled"]
    assert values(found, "starts")[:2] == [
        group.trajectory.consecutive.starts,
        group.trajectory.next_labelled.starts,
    ]


def test_the_sentence_about_selection_stands_beside_the_ratio(rated: Found) -> None:
    section = trajectories(rated)
    assert section is not None
    names = [getattr(block, "id", "") for block in section.blocks]

    assert "so neither is an effect of a failure" in words(section)
    assert names.index("table-repeats") == len(names) - 1


def test_the_first_failure_is_drawn_as_steps_with_who_is_followed(rated: Found) -> None:
    life = figure(trajectories(rated), "figure-first-failure")
    assert rated.measured is not None
    points = rated.measured.groups[0].trajectory.first_failure.points
    drawing = panel_drawing(life.chart, life.chart.panels[0], named=False)

    assert [p.point.n for p in life.chart.panels[0].points] == [
        p.at_risk for p in points
    ]
    first = [line for line in drawing.lines if line.width == 2.0][:2]
    assert (first[0].x, first[0].y, first[0].y2) == (
        0.5,
        1.0,
        points[0].without_failure.value,
    )
    assert (first[1].x, first[1].x2) == (0.5, 1.5)
    assert len(page_drawings(life)) == 2


def test_a_step_without_an_estimate_ends_the_curve(tmp_path: Path) -> None:
    found = read_found(write_run(tmp_path, targets=["a"], n_threads=14))
    life = figure(trajectories(found), "figure-first-failure")
    (panel,) = life.chart.panels
    drawn = panel_drawing(life.chart, panel, named=False)
    known = [p for p in panel.points if p.point.value is not None]

    assert len(known) < len(panel.points)
    assert len([line for line in drawn.lines if line.width == 2.0]) == 2 * len(known)


def test_pairs_of_turns_part_into_four_kinds(rated: Found) -> None:
    flips = table(trajectories(rated), "table-flips")
    kinds = [
        sum(n or 0 for n in row)
        for row in zip(
            *(values(flips, key) for key in ("kept", "recovered", "lost", "neither")),
            strict=True,
        )
    ]

    assert kinds == values(flips, "pairs")


def test_threads_of_one_question_have_no_trajectory(tmp_path: Path) -> None:
    found = read_found(
        write_run(tmp_path, targets=["a"], settings=("oracle",), n_threads=3)
    )

    assert trajectories(found) is None
    assert recovery(found) is None
