import statistics

import pytest
from hypothesis import given
from hypothesis import strategies as st

from threadmed.dataset.statistics import (
    LONGEST,
    _counter,
    _counter_of_package,
    describe,
    distribution,
    quantile,
    tokens,
)
from threadmed.records import Thread, ThreadId, Turn


def thread(number: int, *turns: tuple[str, str | None]) -> Thread:
    return Thread(
        thread_id=ThreadId(f"THREAD_{number:04}"),
        turns=tuple(Turn(question=asked, answer=given) for asked, given in turns),
    )


def test_table_two_of_two_threads() -> None:
    # "hello world" is two tokens of cl100k_base, 15339 and 1917.
    found = describe(
        [
            thread(1, ("hello world", "hello"), ("hello", None)),
            thread(2, *(("hello", "hello world"),) * 4),
        ]
    )

    assert (found.threads, found.questions, found.answered) == (2, 6, 5)
    assert found.answered_share == pytest.approx(5 / 6)
    assert [(one.turns, one.threads) for one in found.turn_counts] == [(2, 1), (4, 1)]
    assert found.turns is not None
    assert (found.turns.mean, found.turns.median) == (3, 3)
    assert found.tokens_question is not None
    assert found.tokens_question.n == 6
    assert found.tokens_question.mean == pytest.approx(7 / 6)
    assert found.tokens_answer is not None
    assert (found.tokens_answer.n, found.tokens_answer.mean) == (5, 9 / 5)


def test_no_threads_give_no_numbers_and_no_zeros() -> None:
    found = describe([])

    assert (found.threads, found.questions, found.answered) == (0, 0, 0)
    assert found.answered_share is None
    assert found.turns is None
    assert found.tokens_question is None
    assert found.tokens_answer is None


def test_a_text_too_long_for_the_tokenizer_is_counted_in_pieces() -> None:
    words = "the patient said so " * 10_000
    assert len(words) > 3 * LONGEST

    # Four words, each a token with its space, and the last space a token of its own.
    assert tokens(words) == 40_001


def test_a_long_text_without_a_place_to_part_is_counted_too() -> None:
    assert 0 < tokens("x" * (2 * LONGEST + 1)) < 2 * LONGEST


@given(st.lists(st.integers(0, 1_000), min_size=2, max_size=30))
def test_quantiles_are_those_of_the_standard_library(values: list[int]) -> None:
    quarters = statistics.quantiles(values, n=4, method="inclusive")
    found = distribution(values)

    assert found is not None
    assert [found.q25, found.median, found.q75] == pytest.approx(quarters)
    assert found.mean == pytest.approx(statistics.fmean(values))
    assert (found.min, found.max) == (min(values), max(values))


def test_a_single_value_is_all_its_quantiles() -> None:
    assert [quantile([7], share) for share in (0, 0.25, 1)] == [7, 7, 7]


@pytest.mark.parametrize(
    "text", ["", "hello world", "naïve 🩺 10,000 mg\n\n  <|endoftext|>", "a" * 3_000]
)
def test_what_counts_without_the_package_counts_as_the_package(text: str) -> None:
    assert _counter()(text) == _counter_of_package()(text)


def test_known_lengths_are_not_counted_again() -> None:
    threads = [thread(1, ("a b", "c")), thread(2, ("d", None))]

    found = describe(threads, tokens_of={"a b": 7, "c": 5, "d": 1}.__getitem__)

    assert found.tokens_question is not None
    assert found.tokens_question.mean == 4
    assert found.tokens_answer is not None
    assert found.tokens_answer.mean == 5
