import numpy as np
import pytest

from factories_threads import items
from threadmed.metrics.pairs import Pairs, pairs_of


def found_pairs(*threads: dict[int, int | None], **kind: object) -> list[object]:
    pairs: Pairs = pairs_of(items(*threads), **kind)  # type: ignore[arg-type]
    return list(
        zip(
            pairs.threads.tolist(),
            pairs.failed_first.tolist(),
            pairs.corrected_next.tolist(),
            strict=True,
        )
    )


def test_consecutive_scored_turns_of_one_thread_are_pairs() -> None:
    found = found_pairs({0: -1, 1: 1, 2: 0}, {3: 0})

    assert found == [(0, True, True), (0, False, False)]


def test_a_turn_between_that_carries_no_misconception_parts_a_pair() -> None:
    assert found_pairs({0: 0, 2: 1}) == []


def test_the_variant_steps_over_turns_that_carry_no_misconception() -> None:
    found = found_pairs({0: 0, 2: 1}, {5: 1}, kind="next_labelled")

    assert found == [(0, True, True)]


@pytest.mark.parametrize("kind", ["consecutive", "next_labelled"])
def test_an_unscored_turn_is_no_failure_and_is_never_stepped_over(kind: str) -> None:
    assert found_pairs({0: -1, 1: None, 2: 1}, kind=kind) == []


def test_threads_have_an_entry_whether_or_not_their_pairs_are_counted() -> None:
    pairs = Pairs(
        threads=np.array([4, 4, 9]),
        failed_first=np.array([True, False, False]),
        corrected_next=np.array([True, True, True]),
    )

    of = pairs.totals(pairs.failed_first, pairs.corrected_next)

    assert (of.sums.tolist(), of.sizes.tolist()) == ([1, 0], [2, 1])
