"""Studies of single questions, as imported ones are: one request in all settings."""

from pathlib import Path

import msgspec
import pytest

from report.section_content import column, table, words
from report.study_factory import FOUR, run_manifest, write_run
from threadmed.judgements.scores import panel_scores
from threadmed.metrics.estimates import NotEstimable
from threadmed.records import (
    Answer,
    Label,
    PanelScore,
    Rating,
    Setting,
    Thread,
    ThreadId,
    Verdict,
)
from threadmed.report.analyses import figures_of, report_of
from threadmed.report.blocks import Prompts
from threadmed.report.catalogue import settings_of
from threadmed.report.material import Found, read_found
from threadmed.report.page import page
from threadmed.report.sections.correction import correction
from threadmed.report.sections.coverage import coverage
from threadmed.report.sections.provenance import provenance
from threadmed.report.single_turn import rated_once, shared_settings
from threadmed.store import read_records, read_scores, write_records, write_scores
from threadmed.study import Folder, Identification, PromptUsed


def write_single(root: Path, settings: tuple[Setting, ...]) -> Folder:
    """Write a run whose threads end after their first question."""
    folder = write_run(root, n_threads=60, settings=settings, with_dataset=False)
    for path, kind in (
        (folder.answers, Answer),
        (folder.verdicts, Verdict),
        (folder.labels, Label),
    ):
        rows = [row for row in read_records(path, kind) if row.turn == 0]  # type: ignore[arg-type]
        write_records(path, rows)
    scores = panel_scores(read_scores(folder.scores), rule="majority", primary=None)
    write_scores(folder.scores, [row for row in scores if row.turn == 0])
    threads = read_records(root / "data/answered.jsonl", Thread)
    cut = [msgspec.structs.replace(each, turns=each.turns[:1]) for each in threads]
    write_records(root / "data/answered.jsonl", cut)
    return folder


@pytest.fixture(scope="module")
def four(tmp_path_factory: pytest.TempPathFactory) -> Found:
    return read_found(write_single(tmp_path_factory.mktemp("four"), FOUR))


@pytest.fixture(scope="module")
def isolated(tmp_path_factory: pytest.TempPathFactory) -> Found:
    return read_found(write_single(tmp_path_factory.mktemp("one"), ("isolated",)))


def test_settings_that_are_one_request_stand_in_one_row(four: Found) -> None:
    section = correction(four)

    assert column(table(section, "table-correction"), "setting") == ["Multi-turn"] * 2
    assert "multi-turn, target-turn and isolated are one request" in words(section)
    assert settings_of(four) == ["multi_turn"]


@pytest.mark.parametrize("which", ["four", "isolated"])
def test_nothing_of_later_turns_is_on_the_page(
    which: str, request: pytest.FixtureRequest
) -> None:
    found: Found = request.getfixturevalue(which)
    report = report_of(found)
    html = page(report, None)

    for said in ("all turns", "turn 2", "third question", "Not estimable"):
        assert said not in html.split('<section id="provenance">')[0]
    ids = {section.id for section in report.sections}
    assert not ids & {"turns", "recovery", "settings", "trajectories"}
    assert [q.question for q in report.summary.questions] == [
        "How often is a belief corrected?",
        "May the judges be trusted?",
    ]


def test_no_figure_stands_twice(four: Found) -> None:
    names = [figure.id for figure in figures_of(report_of(four))]

    assert names.count("figure-correction") == 1
    assert len(names) == len(set(names))


def test_a_verdict_on_a_shared_answer_is_counted_once(
    four: Found, tmp_path: Path
) -> None:
    asked = table(coverage(four), "table-judges")
    several = read_found(write_run(tmp_path, targets=["a"], n_threads=12))
    shown = table(coverage(several), "table-judges")
    distinct = {
        (v.thread_id, v.turn, v.setting if v.turn else "")
        for v in several.verdicts
        if v.judge == "Judge A"
    }

    assert column(asked, "asked") == [
        str(sum(v.judge == judge for v in four.verdicts))
        for judge in four.manifest.study.panel.judges
    ]
    assert column(shown, "asked")[0] == str(len(distinct))


def row(setting: Setting, *, turn: int = 0, score: int = 1) -> PanelScore:
    return PanelScore(
        target="a",
        setting=setting,
        thread_id=ThreadId("T"),
        turn=turn,
        score=score,  # type: ignore[arg-type]
        outcome="scored",
    )


@pytest.mark.parametrize(
    "rows",
    [
        [row("isolated")],
        [row("multi_turn"), row("isolated", score=0)],
        [row("multi_turn"), row("isolated"), row("oracle", turn=1)],
        [row("multi_turn"), row("intervention")],
    ],
)
def test_settings_are_told_apart_where_they_may_differ(rows: list[PanelScore]) -> None:
    assert shared_settings(rows) == ()


def test_ratings_of_one_answer_in_two_settings_are_one() -> None:
    ratings = [
        Rating(
            item=setting,
            rater=rater,
            value="1",
            thread_id=ThreadId("T"),
            turn=0,
            target="a",
            setting=setting,  # type: ignore[arg-type]
        )
        for setting in ("isolated", "multi_turn")
        for rater in ("x", "y")
    ]
    found = rated_once(ratings, ("multi_turn", "isolated"))

    assert [(r.rater, r.setting) for r in found] == [
        ("x", "multi_turn"),
        ("y", "multi_turn"),
    ]
    assert len({r.item for r in found}) == 1
    assert rated_once(ratings, ()) == tuple(ratings)


def test_ratings_are_of_the_setting_that_stands_for_all(tmp_path: Path) -> None:
    from threadmed.labels.experts import write_ratings

    folder = write_single(tmp_path, FOUR)
    rated = [
        Rating(
            item=f"{answer.target}/{answer.thread_id}",
            rater="x",
            value="1",
            thread_id=answer.thread_id,
            turn=0,
            target=answer.target,
            setting="isolated",
        )
        for answer in read_records(folder.answers, Answer)
        if answer.setting == "isolated" and answer.text
    ]
    write_ratings(folder.ratings / "scoring.csv", rated)
    scoring = read_found(folder).validation.scoring

    assert not isinstance(scoring, NotEstimable)
    assert scoring.panel.n_scored > 30


@pytest.mark.parametrize(
    ("identify", "roles", "names"),
    [
        (Identification(labels="l.jsonl"), ("target",), ["score-v1"]),
        (Identification(labels="l.jsonl", prompt="own.md"), ("target",), ["score-v1"]),
        (Identification(model="m"), ("identify",), ["own", "identify-v1", "score-v1"]),
    ],
)
def test_the_prompt_of_identification_stands_only_where_it_was_used(
    four: Found, identify: Identification, roles: tuple[str, ...], names: list[str]
) -> None:
    study = msgspec.structs.replace(four.manifest.study, identify=identify)
    made = run_manifest(study)
    used = (
        ("own", "identify-v1")
        if "identify" in roles or identify.prompt
        else ("identify-v1",)
    )
    prompts = tuple(
        PromptUsed(name=name, sha256="a", system="s", user="u")
        for name in (*used, "score-v1")
    )
    models = tuple(msgspec.structs.replace(m, roles=roles) for m in made.models[:1])
    manifest = msgspec.structs.replace(made, prompts=prompts, models=models)
    section = provenance(msgspec.structs.replace(four, manifest=manifest))
    (shown,) = [block for block in section.blocks if isinstance(block, Prompts)]

    assert [prompt.name.split(",")[0] for prompt in shown.prompts] == names
