from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from threadmed.labels.control import DrawnControl, draw_controls, labels_of
from threadmed.records import Label, Labelled, Thread, ThreadId, Turn, Unlabelled

SOURCE = "reference"


def thread(number: int, turns: int) -> Thread:
    return Thread(
        thread_id=ThreadId(f"T{number:03}"),
        turns=tuple(Turn(question="q", answer="a") for _ in range(turns)),
    )


def label(
    number: int, turn: int, *, yes: bool = False, source: str = SOURCE
) -> Labelled:
    return Labelled(
        thread_id=ThreadId(f"T{number:03}"),
        turn=turn,
        misconception=yes,
        source=source,
    )


def no_to_all(threads: list[Thread]) -> list[Label]:
    return [
        label(number, turn)
        for number, each in enumerate(threads)
        for turn in range(len(each.turns))
    ]


def drawn(
    threads: list[Thread], labels: list[Label], n: int, seed: int = 1
) -> tuple[DrawnControl, ...]:
    return draw_controls(threads, labels, source=SOURCE, n=n, seed=seed)


def places(found: tuple[DrawnControl, ...]) -> set[tuple[str, int]]:
    return {(each.thread_id, each.turn) for each in found}


def test_the_shares_of_strata_by_hand() -> None:
    # 10 questions at turn 0, 4 at turn 1, 1 at turn 2. Six go where the drawn part is
    # smallest: 0/10, 0/4, 0/1, then 1/10, 2/10, 1/4 (before 3/10): 3, 2 and 1.
    threads = [thread(n, 3 if n < 1 else 2 if n < 4 else 1) for n in range(10)]

    found = drawn(threads, no_to_all(threads), 6)

    by_stratum = {each.stratum: each for each in found}
    assert Counter(each.turn for each in found) == {0: 3, 1: 2, 2: 1}
    assert {name: each.probability for name, each in by_stratum.items()} == {
        "turn 0": 0.3,
        "turn 1": 0.5,
        "turn 2": 1.0,
    }
    assert {name: each.population for name, each in by_stratum.items()} == {
        "turn 0": 10,
        "turn 1": 4,
        "turn 2": 1,
    }


def test_a_large_stratum_gets_more_than_a_small_one() -> None:
    # 20 questions at turn 0 and 4 at turn 1. Six go 0/20, 0/4, 1/20 to 4/20 (before
    # 1/4): 5 and 1.
    threads = [thread(n, 2 if n < 4 else 1) for n in range(20)]

    found = drawn(threads, no_to_all(threads), 6)

    assert Counter(each.turn for each in found) == {0: 5, 1: 1}


def test_late_turns_are_one_stratum() -> None:
    threads = [thread(0, 9)]

    found = drawn(threads, no_to_all(threads), 99)

    late = [each for each in found if each.stratum == "turn 4 or later"]
    assert [each.turn for each in late] == [4, 5, 6, 7, 8]
    assert {each.population for each in late} == {5}


def test_only_a_no_of_the_deciding_source_is_drawn() -> None:
    threads = [thread(n, 1) for n in range(4)]
    lost = Unlabelled(
        thread_id=ThreadId("T003"), turn=0, why="malformed", source=SOURCE
    )
    labels = [label(0, 0), label(1, 0, yes=True), label(2, 0, source="other"), lost]

    assert places(drawn(threads, labels, 9)) == {("T000", 0)}


def test_threads_that_the_study_leaves_out_give_no_control() -> None:
    threads = [thread(n, 1) for n in range(4)]

    found = drawn(threads[:2], no_to_all(threads), 9)

    assert places(found) == {("T000", 0), ("T001", 0)}


@given(
    st.lists(st.integers(1, 7), min_size=1, max_size=12),
    st.integers(0, 40),
    st.integers(0, 9),
)
def test_a_larger_draw_holds_the_smaller_one(
    sizes: list[int], n: int, seed: int
) -> None:
    threads = [thread(number, size) for number, size in enumerate(sizes)]
    labels = no_to_all(threads)

    some = drawn(threads, labels, n, seed)
    more = drawn(threads, labels, n + 1, seed)

    assert len(some) == min(n, len(labels))
    assert places(some) <= places(more)


@given(st.integers(5, 30), st.permutations(range(10)))
def test_neither_the_order_of_labels_nor_of_threads_changes_the_draw(
    n: int, order: list[int]
) -> None:
    threads = [thread(number, 1 + number % 6) for number in range(10)]
    labels = no_to_all(threads)

    found = drawn([threads[at] for at in order], labels[::-1], n)

    assert places(found) == places(drawn(threads, labels, n))
    held = Counter(each.stratum for each in found)
    for each in found:
        assert each.probability == held[each.stratum] / each.population


def test_every_stratum_has_a_control_as_soon_as_there_are_enough() -> None:
    threads = [thread(number, 1) for number in range(500)] + [thread(500, 6)]

    found = drawn(threads, no_to_all(threads), 5)

    assert len({each.stratum for each in found}) == 5


def test_over_seeds_a_question_is_drawn_as_often_as_its_chance_says() -> None:
    threads = [thread(number, 2) for number in range(10)]
    labels = no_to_all(threads)
    counts = Counter(
        place
        for seed in range(500)
        for place in places(drawn(threads, labels, 6, seed))
    )

    # Chance 3/10 each: 150 of 500, standard deviation 10.2.
    assert set(counts) == {(f"T{n:03}", turn) for n in range(10) for turn in (0, 1)}
    assert all(105 < count < 195 for count in counts.values())


@pytest.mark.parametrize("n", [0, -3])
def test_no_controls_are_drawn_where_none_are_wanted(n: int) -> None:
    threads = [thread(0, 3)]

    assert drawn(threads, no_to_all(threads), n) == ()


def test_the_labels_of_controls_are_those_of_the_deciding_source() -> None:
    threads = [thread(0, 2)]
    mine, theirs = label(0, 1), label(0, 1, source="other")
    found = drawn(threads, [mine], 1)

    assert labels_of(found, [theirs, mine, label(0, 0)], source=SOURCE) == {
        (ThreadId("T000"), 1): mine
    }
