import statistics as stdlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from threadmed.dataset.statistics import (
    LONGEST,
    describe,
    distribution,
    quantile,
    tokens,
)
from threadmed.records import Thread, ThreadId, Turn


def thread(name: str, *turns: tuple[str, str | None]) -> Thread:
    made = tuple(Turn(question=asked, answer=given_) for asked, given_ in turns)
    return Thread(thread_id=ThreadId(name), turns=made)


def test_table_two_by_hand() -> None:
    found = describe(
        [
            thread("THREAD_0001", ("hello world", "hello"), ("hello", None)),
            thread(
                "THREAD_0002",
                ("hello world", "hello world"),
                ("hello", "hello"),
                ("hello", None),
                ("hello world", None),
            ),
        ]
    )

    assert (found.threads, found.questions, found.answered) == (2, 6, 3)
    assert found.answered_share == 3 / 6
    assert [(one.turns, one.threads) for one in found.turn_counts] == [(2, 1), (4, 1)]
    assert found.turns is not None
    assert (found.turns.mean, found.turns.median) == (3, 3)
    # Questions have 2, 1, 2, 1, 1, 2 tokens, answers 1, 2, 1.
    assert found.tokens_question is not None
    assert found.tokens_question.mean == 9 / 6
    assert found.tokens_answer is not None
    assert (found.tokens_answer.n, found.tokens_answer.mean) == (3, 4 / 3)


def test_no_threads_have_no_share_and_no_spread() -> None:
    found = describe([])

    assert (found.threads, found.questions) == (0, 0)
    assert found.answered_share is None
    assert found.turns is found.tokens_question is found.tokens_answer is None


@given(st.lists(st.integers(0, 1_000), min_size=1))
def test_quantiles_are_those_of_numpy(values: list[int]) -> None:
    found = distribution(values)

    assert found is not None
    for share, ours in ((0.25, found.q25), (0.75, found.q75), (0.95, found.q95)):
        assert ours == pytest.approx(float(np.quantile(values, share)))
    assert found.median == stdlib.median(values)
    assert found.mean == pytest.approx(stdlib.mean(values))
    assert (found.min, found.max) == (min(values), max(values))


def test_a_quantile_of_one_value_is_that_value() -> None:
    assert quantile([7], 0.95) == 7


def test_a_text_too_long_for_the_tokenizer_is_counted_in_pieces() -> None:
    words = "the patient is well "
    # A piece that ends between two words changes no token.
    text = words * (3 * LONGEST // len(words))

    assert tokens(text) == pytest.approx(len(text.split()) + 1, abs=1)
    assert tokens("x" * 1_200_000) > 0


def test_braces_and_special_tokens_in_a_text_are_text() -> None:
    assert tokens("<|endoftext|>") > 1
