from pathlib import Path

import pytest

from report.rated_study import write_rated
from report.study_factory import write_run
from threadmed.errors import InputError
from threadmed.labels.experts import write_ratings
from threadmed.metrics.estimates import NotEstimable
from threadmed.records import Model, Rating, Score, ThreadId
from threadmed.report.expertise import Expertise, judging
from threadmed.report.material import Found, read_found
from threadmed.study import Folder, Panel


def rating(rater: str, value: str | None, **more: object) -> Rating:
    given = {
        "item": "x",
        "thread_id": ThreadId("THREAD_0000"),
        "turn": 1,
        "target": "a",
        "setting": "oracle",
        **more,
    }
    return Rating(rater=rater, value=value, **given)  # type: ignore[arg-type]


def with_scores(root: Path, *ratings: Rating) -> Folder:
    folder = write_run(root, targets=["a"], n_threads=3)
    write_ratings(folder.ratings / "scoring.csv", ratings)
    return folder


def test_a_study_without_ratings_has_no_expertise(tmp_path: Path) -> None:
    found = read_found(write_run(tmp_path, n_threads=2))

    assert found.experts == Expertise()
    assert isinstance(found.validation.scoring, NotEstimable)
    assert (found.corrected, found.doubt) == (None, None)


def test_experts_who_differ_say_nothing_together(tmp_path: Path) -> None:
    folder = with_scores(
        tmp_path,
        rating("x", "1"),
        rating("y", "0"),
        rating("x", "1", item="z", turn=2),
        rating("y", "1", item="z", turn=2, probability=0.25),
    )
    experts = read_found(folder).experts

    assert list(experts.scores) == [("a", "oracle", ThreadId("THREAD_0000"), 2)]
    assert experts.raters == 2


def test_an_item_without_a_place_is_refused(tmp_path: Path) -> None:
    folder = with_scores(tmp_path, rating("x", "1", turn=None))

    with pytest.raises(InputError, match="has no (thread_id|turn); needed are"):
        read_found(folder)


def test_a_score_of_no_answer_is_refused(tmp_path: Path) -> None:
    folder = with_scores(tmp_path, rating("x", "1", target="", setting=None))

    with pytest.raises(InputError, match="has no (target|setting); needed are"):
        read_found(folder)


def test_one_rater_scores_a_place_once(tmp_path: Path) -> None:
    folder = with_scores(tmp_path, rating("x", "1"), rating("x", "0", item="other"))

    with pytest.raises(InputError, match="x rates turn 1 of THREAD_0000 twice"):
        read_found(folder)


def test_ratings_may_lie_where_the_study_says(tmp_path: Path) -> None:
    folder = with_scores(tmp_path, rating("x", "1"))
    (folder.ratings / "scoring.csv").rename(tmp_path / "mine.csv")
    folder.study.write_text(
        "name = 's'\nthreads = 'data/answered.jsonl'\n"
        "[identify]\nlabels = 'reference.jsonl'\n"
        "[validation]\nscoring = 'mine.csv'\n"
    )

    assert len(read_found(folder).experts.scoring) == 1


def test_what_experts_say_of_a_question_does_not_depend_on_an_answer(
    rated: Found,
) -> None:
    assert {rating.target for rating in rated.experts.identification} == {""}
    assert set(rated.experts.carries.values()) == {True, False}


def test_scores_of_experts_carry_the_chance_of_their_draw(rated: Found) -> None:
    assert {expert.probability for expert in rated.experts.scores.values()} == {0.5}


@pytest.mark.parametrize(
    ("left", "scores", "score"),
    [
        (("a", "b", "c"), (0, 1, -1), 0),  # the primary judge decides
        (("b", "c"), (1, -1), 1),  # the first that is left takes its place
        (("b",), (None,), None),
    ],
)
def test_a_part_of_the_panel_judges_by_the_same_rule(
    left: tuple[str, ...], scores: tuple[Score | None, ...], score: Score | None
) -> None:
    panel = Panel(judges=("a", "b", "c"), primary="a")
    found = judging(panel, [Model(name="a", model="openai:gpt-4o")])

    assert found.rule_for(left)(scores) == score
    assert found.models == {"a": "openai:gpt-4o"}


def test_a_panel_without_a_primary_has_none_in_its_parts() -> None:
    lazy = judging(Panel(judges=("a", "b", "c"), lazy=True), [])
    assert lazy.selected == {"c"}

    found = judging(Panel(judges=("a", "b", "c")), [])
    assert not found.selected

    assert found.rule_for(("b", "c"))((1, -1)) is None


def test_a_rated_study_is_written_with_both_tables(tmp_path: Path) -> None:
    folder = write_rated(tmp_path, n_threads=3)

    assert {path.name for path in folder.ratings.iterdir()} == {
        "identification.csv",
        "scoring.csv",
    }
