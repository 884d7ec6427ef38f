import numpy as np
import pytest

from threadmed.metrics.correction import (
    Numbered,
    bounds,
    by_turn,
    pcr,
    pcs,
    published_oracle,
    score_counts,
    uncorrected,
)
from threadmed.metrics.estimates import Estimate, Number
from threadmed.metrics.intervals import wilson
from threadmed.metrics.items import Items
from threadmed.metrics.measurement import MeasureOptions

NUMBER = Numbered(MeasureOptions(), ("m", "multi_turn"))
PUBLISHED = Numbered(MeasureOptions(mode="as_published"), ("m", "multi_turn"))


def column(*scores: float, at: int = 0) -> Items:
    """One item a thread at one turn."""
    values = np.array(scores, dtype=float)
    return Items(
        threads=np.arange(len(values)),
        turns=np.full(len(values), at),
        scores=values,
        is_scored=~np.isnan(values),
    )


SOME = column(1, 1, 1, 0, 0, -1, -1, -1, -1, 1, np.nan, np.nan)


def estimate(number: Number) -> Estimate:
    assert isinstance(number, Estimate)
    return number


@pytest.mark.parametrize("number", [NUMBER, PUBLISHED])
def test_rates_are_over_scored_items_only(number: Numbered) -> None:
    # 1 x 4, 0 x 2, -1 x 4, two missing: PCR 4/10, Uncorrected 6/10, PCS 0/10.
    found = estimate(pcr(SOME, number=number))

    assert (found.value, found.hits, found.n) == (0.4, 4, 10)
    assert estimate(uncorrected(SOME, number=number)).value == 0.6
    assert estimate(pcs(SOME, number=number)).value == pytest.approx(0)


def test_pcr_and_uncorrected_have_mirrored_intervals() -> None:
    one, other = pcr(SOME, number=NUMBER), uncorrected(SOME, number=NUMBER)

    assert estimate(one).low == pytest.approx(1 - estimate(other).high)


def test_scores_are_counted_by_kind() -> None:
    found = score_counts(SOME)

    assert (found.not_noticed, found.partly, found.corrected) == (4, 2, 4)


def test_bounds_are_what_no_missing_score_can_leave() -> None:
    found = bounds(SOME, pcr(SOME, number=NUMBER), number=NUMBER)

    assert estimate(found.all_wrong).low == wilson(4 / 12, 12).low
    assert estimate(found.all_right).high == wilson(6 / 12, 12).high


def test_without_missing_scores_both_bounds_are_the_rate() -> None:
    full = SOME.scored

    found = bounds(full, pcr(full, number=NUMBER), number=NUMBER)

    assert found.all_wrong == found.all_right == pcr(full, number=NUMBER)
    assert not found.is_needed


def test_a_rate_by_turn_is_that_of_the_turns_items() -> None:
    late = column(1, 0, 0, 0, 0, 0, at=4)

    first, second = by_turn(SOME.joined(late), number=NUMBER)

    assert (first.turn, second.turn) == (0, 4)
    assert (first.n_items, first.n_scored) == (12, 10)
    assert second.pcr == pcr(late, number=NUMBER)
    assert estimate(second.pcs).value == pytest.approx(1 / 6)


def test_the_published_oracle_takes_turn_0_from_multi_turn_and_no_more() -> None:
    multi_turn = column(1, 1, 1, np.nan).joined(column(0, 0, at=1))
    oracle = column(1, 0, np.nan, at=1)

    found = published_oracle(oracle, multi_turn, number=PUBLISHED)

    # Three copied, all corrected; two of its own, one corrected.
    assert (found.target, found.n_copied, found.n_oracle) == ("m", 3, 2)
    assert (estimate(found.pcr).hits, estimate(found.pcr).n) == (4, 5)
    assert estimate(found.uncorrected).hits == 1
