"""A plan is drawn once, and what is asked for wrongly is said in one line."""

from pathlib import Path

import pytest

from annotate.rating_server import rated_study
from threadmed.annotate.opening import Wanted, open_ledger, store_of, without_scoring
from threadmed.errors import InputError
from threadmed.study import Folder


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    return rated_study(tmp_path_factory.mktemp("study"))


@pytest.fixture
def fresh(tmp_path: Path) -> Folder:
    return rated_study(tmp_path)


def opened(folder: Folder, **wanted: object) -> list[tuple[str, int]]:
    ledger = open_ledger(folder, Wanted(**wanted))
    plans = [(plan.task, plan.size) for plan in ledger.plans()]
    ledger.close()
    return plans


def test_a_plan_is_drawn_once_and_goes_on(fresh: Folder) -> None:
    assert opened(fresh, size=9) == [("identification", 9), ("scoring", 9)]
    assert opened(fresh) == opened(fresh, size=9)
    for wanted, why in (
        ({"size": 8}, "--size 9 and stays"),
        ({"raters": ("x", "y")}, "--raters rater-1,rater-2 and stays"),
        ({"gold_share": 0.5}, "--gold-share 0.3 and stays"),
    ):
        with pytest.raises(InputError, match=why):
            opened(fresh, **wanted)


def test_one_task_may_be_drawn_after_the_other(fresh: Folder) -> None:
    assert opened(fresh, task="scoring", size=5) == [("scoring", 5)]
    assert opened(fresh) == [("scoring", 5)]
    assert opened(fresh, task="identification", size=6, raters=("a", "b")) == [
        ("identification", 6),
        ("scoring", 5),
    ]


def test_more_than_there_is_draws_all_and_may_be_asked_for_again(
    fresh: Folder,
) -> None:
    assert opened(fresh, task="identification", size=500) == [("identification", 48)]
    assert opened(fresh, task="identification", size=500)


def test_a_study_without_answers_begins_with_identification(fresh: Folder) -> None:
    fresh.answers.unlink()

    assert opened(fresh, size=4) == [("identification", 4)]


@pytest.mark.parametrize(
    ("wanted", "why"),
    [
        ({"size": 0}, "--size is 0"),
        ({"gold_share": 1.5}, "--gold-share is 1.5"),
        ({"gold_share": float("nan")}, "--gold-share is nan"),
        ({"raters": ("a", "a")}, "names 'a' twice"),
        ({"raters": ("organiser",)}, "cannot be a rater's name"),
        ({"raters": ("adjudicated",)}, "cannot be a rater's name"),
        ({"raters": ("",)}, "cannot be a rater's name"),
        ({"raters": ("<b>",)}, "cannot be a rater's name"),
        ({"raters": tuple("abcdefghijklmnopqrstuv")}, "at most 20"),
        ({"raters": ("ito", "brandt"), "kit": "zoe"}, "would be ito, brandt, unless"),
    ],
)
def test_what_cannot_be_is_refused_before_anything_is_drawn(
    folder: Folder, wanted: dict[str, object], why: str
) -> None:
    with pytest.raises(InputError, match=why):
        opened(folder, **wanted)
    assert not store_of(folder).exists()


def test_a_study_in_which_nothing_can_be_rated_says_so(fresh: Folder) -> None:
    lines = fresh.labels.read_text().splitlines()
    fresh.labels.write_text("\n".join(line for line in lines if "Finder" in line))

    with pytest.raises(InputError, match="nothing to rate for scoring"):
        opened(fresh, task="scoring")
    # Nobody asked for that task: the other is drawn.
    assert [task for task, _ in opened(fresh)] == ["identification"]


def test_why_answers_are_not_scored_is_said_until_they_are(fresh: Folder) -> None:
    ledger = open_ledger(fresh, Wanted(task="identification"))
    assert "was not drawn" in without_scoring(fresh, ledger.plans())
    kept = fresh.answers.rename(fresh.answers.with_suffix(".kept"))
    assert "the study was not run" in without_scoring(fresh, ledger.plans())
    kept.rename(fresh.answers)
    ledger.close()

    ledger = open_ledger(fresh, Wanted(task="scoring"))
    assert without_scoring(fresh, ledger.plans()) == ""
    ledger.close()
