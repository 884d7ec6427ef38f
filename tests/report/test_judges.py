from pathlib import Path

import msgspec
import pytest

from report.rated_study import write_rated
from report.section_content import column, table, values, words
from report.study_factory import write_run
from threadmed.metrics.estimates import NotEstimable
from threadmed.report.analyses import mark_of, report_of, tables_of
from threadmed.report.material import Found, read_found
from threadmed.report.sections.judges import judges, opening
from threadmed.report.sections.panel import among_judges
from threadmed.store import read_json, write_json
from threadmed.study import RunManifest


def test_a_validated_panel_leaves_the_page_unmarked(rated: Found) -> None:
    report = report_of(rated)

    assert {mark_of(report, table) for table in tables_of(report)} == {""}
    assert not report.summary.headline.startswith("According to")
    assert report.summary.questions[-1].answer.startswith("\u03ba 0.")
    assert not report.summary.questions[-1].is_warning


def test_the_confusion_of_the_panel_holds_every_answer_that_both_scored(
    rated: Found,
) -> None:
    confusion = table(judges(rated), "table-confusion")
    scoring = rated.validation.scoring
    assert not isinstance(scoring, NotEstimable)

    assert column(confusion, "judge")[:3] == ["panel"] * 3
    assert sum(values(confusion, "all")[:3]) == scoring.panel.n_scored
    shades = [row[2].shade for row in confusion.rows]
    assert shades[0] == confusion.rows[0][2].value / confusion.rows[0][-1].value


def test_judges_stand_beside_experts_among_themselves(rated: Found) -> None:
    agreed = table(judges(rated), "table-agreement")

    assert column(agreed, "judge") == [
        "panel",
        "gpt-4o",
        "claude-sonnet-4",
        "llama-3.3-70b",
        "experts with each other",
    ]
    place = [c.key for c in agreed.columns].index("drawn")
    bands = [row[place].band for row in agreed.rows]
    low, high = agreed.rows[-1][4].low, agreed.rows[-1][4].high
    assert bands == [(low, high)] * 4 + [None]


def test_every_score_of_every_judge_has_precision_and_recall(rated: Found) -> None:
    classes = table(judges(rated), "table-classes")

    assert len(classes.rows) == 4 * 3
    assert column(classes, "value")[:3] == [
        "not noticed, \u22121",
        "partly, 0",
        "corrected, +1",
    ]


def test_without_experts_one_sentence_stands_instead(tmp_path: Path) -> None:
    found = read_found(write_run(tmp_path, n_threads=12))
    section = judges(found)

    assert "no expert has scored any of these answers" in words(section)
    assert section is not None
    names = {getattr(block, "id", "") for block in section.blocks}
    assert not names & {"table-confusion", "table-agreement", "table-classes"}


def test_a_study_without_verdicts_has_no_judges(tmp_path: Path) -> None:
    folder = write_run(tmp_path, n_threads=3)
    folder.verdicts.unlink()

    assert judges(read_found(folder)) is None


def test_models_that_kin_judge_are_named_once(rated: Found) -> None:
    said = words(judges(rated))

    assert (
        "judged by a judge of its own family: gpt-5 (by gpt-4o) and claude-haiku-4.5 "
        "(by claude-sonnet-4)"
    ) in said


def test_each_model_is_judged_without_its_own_family(rated: Found) -> None:
    own = table(judges(rated), "table-own-family")

    assert column(own, "left_out") == ["gpt-4o", "claude-sonnet-4"]
    assert rated.quality is not None
    shown = [v for v in rated.quality.unrelated if v.setting == "multi_turn"]
    assert values(own, "rank") == [v.rank for v in shown]


def test_each_judge_is_left_out_in_turn(rated: Found) -> None:
    without = table(judges(rated), "table-without")

    assert len(without.rows) == 3 * 2
    assert set(column(without, "left_out")) == {
        "gpt-4o",
        "claude-sonnet-4",
        "llama-3.3-70b",
    }


def test_the_panel_is_worth_fewer_judges_than_it_has(rated: Found) -> None:
    whole = table(judges(rated), "table-panel")

    assert column(whole, "what")[-1] == "Independent judges that 3 are worth"
    assert 1 <= values(whole, "value")[-1] <= 3


def test_families_that_nobody_knows_are_named_together(tmp_path: Path) -> None:
    found = read_found(write_run(tmp_path, n_threads=12))
    said = words(judges(found))

    assert "whose models these are is not known: Judge A, Judge B, Judge C" in said
    assert "so nothing changes where each model is judged without its own" in said


@pytest.mark.parametrize("has_experts", [True, False])
def test_a_lazy_panel_says_so_and_gives_nothing_that_rests_on_its_last_judge(
    tmp_path: Path, *, has_experts: bool
) -> None:
    folder = write_rated(tmp_path) if has_experts else write_run(tmp_path)
    manifest = read_json(folder.manifest, RunManifest)
    study = manifest.study
    panel = msgspec.structs.replace(study.panel, lazy=True)
    study = msgspec.structs.replace(study, panel=panel)
    write_json(folder.manifest, msgspec.structs.replace(manifest, study=study))
    section = judges(read_found(folder))
    *always, last = study.panel.judges
    pairs = table(section, "table-pairs")
    without = table(section, "table-without")

    assert f"the panel is lazy: {', '.join(always)} scored every answer" in words(
        section
    )
    assert values(table(section, "table-panel"), "value")[:2] == [None, None]
    for first, second, raw in zip(
        column(pairs, "first"),
        column(pairs, "second"),
        values(pairs, "raw"),
        strict=True,
    ):
        assert (raw is None) == (last in {first, second})
    for left_out, part in zip(
        column(without, "left_out"), values(without, "part"), strict=True
    ):
        assert (part is None) == (left_out != last)
    if has_experts:
        asked = column(table(section, "table-agreement"), "judge")
        assert asked == ["panel", *always, "experts with each other"]


def test_one_judge_has_no_second_opinion(tmp_path: Path) -> None:
    found = read_found(write_run(tmp_path, n_threads=12, judges=("J",)))
    said = [block.text for block in among_judges(found)[:1]]  # type: ignore[union-attr]

    assert said[0].startswith("One judge alone scored the answers")


def test_what_few_ratings_leave_unknown_is_a_whole_sentence(rated: Found) -> None:
    scoring = rated.validation.scoring
    assert not isinstance(scoring, NotEstimable)
    few = NotEstimable(reason="fewer than 5 scored items", n=3)
    replace = msgspec.structs.replace
    less = replace(
        scoring,
        panel=replace(
            scoring.panel, agreement=replace(scoring.panel.agreement, raw=few)
        ),
    )

    assert "give the same score to 8" in opening(scoring)
    assert (
        "Panel and experts: how often they give the same score is not known (fewer "
        "than 5 scored items)" in opening(less)
    )
    assert "to not known" not in opening(less)
