import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from threadmed.metrics.items import Items, items_of, thread_codes
from threadmed.records import PanelScore, Score, ThreadId

CODES = {ThreadId("A"): 0, ThreadId("B"): 1}


def row(
    thread: str, turn: int, score: Score | None = 1, *, misconception: bool = True
) -> PanelScore:
    return PanelScore(
        target="m",
        setting="multi_turn",
        thread_id=ThreadId(thread),
        turn=turn,
        score=score,
        outcome="unjudged" if score is None else "scored",
        misconception=misconception,
    )


def places(items: Items) -> list[tuple[int, int]]:
    return list(zip(items.threads.tolist(), items.turns.tolist(), strict=True))


def test_rows_become_columns_in_the_order_of_threads_and_turns() -> None:
    rows = [row("B", 0), row("A", 10, 0), row("A", 2, -1), row("B", 1, None)]

    found = items_of(rows, thread_codes(rows))

    assert places(found) == [(0, 2), (0, 10), (1, 0), (1, 1)]
    assert found.corrected.tolist() == [0, 0, 1, 0]
    assert found.is_scored.tolist() == [True, True, True, False]
    assert places(found.scored) == [(0, 2), (0, 10), (1, 0)]


def test_a_question_without_a_misconception_is_no_item() -> None:
    found = items_of([row("A", 0, misconception=False), row("A", 1)], CODES)

    assert places(found) == [(0, 1)]


def test_no_rows_are_no_items() -> None:
    assert places(items_of([], CODES)) == []


def test_items_of_several_groups_are_aligned_by_thread_and_turn() -> None:
    one = items_of([row("A", 0), row("A", 1), row("B", 0)], CODES)
    other = items_of([row("B", 0, 0), row("A", 1, -1), row("B", 1)], CODES)
    third = items_of([row("A", 1), row("B", 0), row("A", 0)], CODES)

    found = one.shared(other, third)

    assert [places(each) for each in found] == [[(0, 1), (1, 0)]] * 3
    assert found[1].scores.tolist() == [-1, 0]
    assert one.united(other) == 4


cells = st.sets(st.tuples(st.sampled_from("AB"), st.integers(0, 9)))


@settings(deadline=None)
@given(cells, cells)
def test_what_is_shared_and_what_is_united_are_those_of_sets(
    left: set[tuple[str, int]], right: set[tuple[str, int]]
) -> None:
    one = items_of([row(*cell) for cell in left], CODES)
    other = items_of([row(*cell) for cell in right], CODES)

    mine, theirs = one.shared(other)

    assert places(mine) == places(theirs)
    assert len(places(mine)) == len(left & right)
    assert one.united(other) == len(left | right)


@pytest.mark.parametrize("names", [["T2", "T1", "T1"], ["T1", "T2"]])
def test_threads_are_numbered_by_name_and_not_by_place(names: list[str]) -> None:
    assert thread_codes([row(name, 0) for name in names]) == {"T1": 0, "T2": 1}
