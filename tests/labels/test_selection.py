import pytest
from hypothesis import given
from hypothesis import strategies as st

from threadmed.errors import StudyError
from threadmed.labels.selection import (
    deciding_source,
    misconceptions,
    select_threads,
)
from threadmed.records import Labelled, Thread, ThreadId, Turn, Unlabelled
from threadmed.study import Selection

THREADS = [
    Thread(
        thread_id=ThreadId(f"THREAD_{number}"),
        turns=(Turn(question="q", answer="a"),),
    )
    for number in range(9)
]


def label(
    number: int, turn: int = 0, *, yes: bool = True, source: str = "a"
) -> Labelled:
    return Labelled(
        thread_id=ThreadId(f"THREAD_{number}"),
        turn=turn,
        misconception=yes,
        source=source,
    )


def chosen(
    by: Selection, given: list[Labelled] | None = None, seed: int = 1
) -> list[str]:
    threads = select_threads(THREADS, given or [], by=by, seed=seed)
    return [thread.thread_id for thread in threads]


def test_without_a_selection_all_threads_are_used() -> None:
    assert chosen(Selection()) == [thread.thread_id for thread in THREADS]


def test_named_threads_come_in_the_order_of_their_ids() -> None:
    names = (ThreadId("THREAD_7"), ThreadId("THREAD_2"))

    assert chosen(Selection(thread_ids=names)) == ["THREAD_2", "THREAD_7"]


def test_a_named_thread_that_is_not_there_is_an_error() -> None:
    with pytest.raises(StudyError, match="THREAD_99 is not among"):
        chosen(Selection(thread_ids=(ThreadId("THREAD_99"),)))


@given(st.integers(), st.integers(1, 8))
def test_a_larger_draw_holds_the_smaller_one(seed: int, size: int) -> None:
    small = chosen(Selection(threads=size), seed=seed)
    large = chosen(Selection(threads=size + 1), seed=seed)

    assert set(small) < set(large)
    assert len(small) == size


def test_the_seed_decides_the_draw() -> None:
    draws = {tuple(chosen(Selection(threads=3), seed=seed)) for seed in range(20)}

    assert len(draws) > 5


def test_a_draw_is_made_among_the_threads_with_a_misconception() -> None:
    given = [label(3), label(4, yes=False), label(5)]

    assert chosen(Selection(threads=5), given) == ["THREAD_3", "THREAD_5"]


def test_the_labels_that_came_with_the_data_decide() -> None:
    assert deciding_source([label(1)], model="m", wanted=None) == "a"


def test_without_given_labels_the_identifier_decides() -> None:
    assert deciding_source([], model="m", wanted=None) == "m"


def test_the_study_may_let_the_identifier_decide() -> None:
    assert deciding_source([label(1)], model="m", wanted="m") == "m"


def test_labels_of_two_sources_need_a_choice() -> None:
    labels = [label(1), label(1, source="b")]

    with pytest.raises(StudyError, match=r"a, b; say in identify\.source"):
        deciding_source(labels, model=None, wanted=None)


def test_a_source_that_there_is_not_is_an_error() -> None:
    with pytest.raises(StudyError, match="'c'; there are labels of a, m"):
        deciding_source([label(1)], model="m", wanted="c")


def test_only_the_sources_own_yes_counts_and_a_missing_label_is_no_label() -> None:
    missing = Unlabelled(
        thread_id=ThreadId("THREAD_5"), turn=0, why="failed", source="a"
    )
    labels = [label(1), label(2, yes=False), label(3, source="b"), missing]

    assert list(misconceptions(labels, "a")) == [("THREAD_1", 0)]


def test_a_question_labelled_twice_by_one_source_is_an_error() -> None:
    with pytest.raises(StudyError, match="turn 0 of THREAD_1 twice"):
        misconceptions([label(1), label(1, yes=False)], "a")
