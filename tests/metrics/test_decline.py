from collections.abc import Sequence

import numpy as np
import pytest

from threadmed.metrics.correction import Numbered
from threadmed.metrics.decline import loss
from threadmed.metrics.estimates import Estimate, NotEstimable, Number
from threadmed.metrics.items import Items
from threadmed.metrics.measurement import MeasureOptions

NUMBER = Numbered(MeasureOptions(), ("m",))
MISSING = np.nan


def turn(scores: Sequence[float], *, at: int = 1, first_thread: int = 0) -> Items:
    """One item a thread at one turn, in threads numbered from `first_thread`."""
    column = np.array(scores, dtype=float)
    return Items(
        threads=np.arange(len(column)) + first_thread,
        turns=np.full(len(column), at),
        scores=column,
        is_scored=~np.isnan(column),
    )


def value(number: Number) -> float:
    assert isinstance(number, Estimate)
    return number.value


def test_the_fall_is_the_sum_of_its_parts() -> None:
    # Turn 0: 24 of 30; turn 2: 40 items, 10 in multi_turn, 22 in target_turn.
    first = turn([1] * 24 + [0] * 6, at=0)
    later = turn([1] * 10 + [0] * 30, at=2, first_thread=25)
    seam = turn([1] * 22 + [0] * 18, at=2, first_thread=25)

    found = loss(
        "m",
        {"multi_turn": first.joined(later), "target_turn": first.joined(seam)},
        number=NUMBER,
    )

    assert value(found.fall) == pytest.approx(24 / 30 - 10 / 40)
    assert value(found.harder_questions) == pytest.approx(24 / 30 - 22 / 40)
    assert value(found.own_earlier_answers) == pytest.approx(12 / 40)
    assert value(found.fall) == pytest.approx(
        value(found.harder_questions) + value(found.own_earlier_answers), abs=1e-12
    )
    assert (value(found.first), value(found.later), value(found.seam)) == (
        0.8,
        0.25,
        0.55,
    )
    assert found.n_left_out == 0


def test_the_later_turn_is_taken_on_the_items_of_both_settings() -> None:
    first = turn([1] * 30, at=0)
    later = turn([MISSING, 1] + [0] * 28, at=2)
    seam = turn([1] * 28 + [0, MISSING], at=2)

    found = loss(
        "m",
        {"multi_turn": first.joined(later), "target_turn": first.joined(seam)},
        number=NUMBER,
    )

    assert found.n_left_out == 2
    assert value(found.later) == pytest.approx(1 / 28)
    assert value(found.seam) == pytest.approx(27 / 28)
    assert isinstance(found.fall, Estimate)
    assert found.fall.flag == "coverage differs by 3.3 points"


def test_without_target_turn_the_fall_is_not_split() -> None:
    first, later = turn([1] * 30, at=0), turn([1] * 10 + [0] * 20, at=2)

    found = loss("m", {"multi_turn": first.joined(later)}, number=NUMBER)

    absent = NotEstimable(reason="the table has no target_turn", n=0)
    assert value(found.fall) == pytest.approx(2 / 3)
    assert found.seam == found.harder_questions == found.own_earlier_answers == absent


def test_a_turn_of_few_items_gives_no_fall_but_what_can_be_paired() -> None:
    first, later = turn([1] * 19, at=0), turn([0] * 20, at=2)
    seam = turn([1] * 15 + [0] * 5, at=2)

    found = loss(
        "m",
        {"multi_turn": first.joined(later), "target_turn": first.joined(seam)},
        number=NUMBER,
    )

    few = NotEstimable(reason="turn 0 has fewer than 20 scored items", n=19)
    assert found.fall == found.harder_questions == few
    assert value(found.own_earlier_answers) == 0.75


def test_a_later_turn_of_few_items_gives_nothing() -> None:
    first, later = turn([1] * 30, at=0), turn([0] * 19, at=2)

    found = loss(
        "m",
        {"multi_turn": first.joined(later), "target_turn": first.joined(later)},
        number=NUMBER,
    )

    few = NotEstimable(reason="turn 2 has fewer than 20 scored items", n=19)
    assert found.fall == found.harder_questions == found.own_earlier_answers == few
