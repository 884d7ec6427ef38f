import numpy as np
import pytest

from threadmed.metrics.comparison import paired_difference
from threadmed.metrics.estimates import Estimate
from threadmed.metrics.planning.power import (
    Design,
    Judge,
    difference_half_width,
    power_at,
    rate_half_width,
    smallest_difference,
)
from threadmed.metrics.planning.simulate import differences, even_layout, places
from threadmed.metrics.planning.trials import MOST_VALUES, Trials

DENSE = Design(items=300, threads=60, discordant=0.38, alike=0.1, deff=1.4)
PLAIN = Design(items=400, threads=400, discordant=0.3, alike=0.0, deff=1.0)
TRIALS = Trials(studies=600, seed=3)


@pytest.mark.parametrize("design", [DENSE, PLAIN], ids=["dense", "plain"])
def test_made_studies_see_a_difference_about_as_often_as_the_formula(
    design: Design,
) -> None:
    for difference in (0.05, 0.1):
        by_formula = power_at(difference, design)
        # 600 studies: an error of at most 2 points, and the formula's own of 3.
        found = TRIALS.intervals_see(design, difference).mean()
        assert found == pytest.approx(by_formula, abs=0.07)
        assert TRIALS.tests_see(design, difference).mean() <= found + 0.02


def test_no_difference_is_seen_in_about_one_study_of_twenty() -> None:
    found = TRIALS.intervals_see(DENSE, 0.0)

    # 600 studies of .05: .0089 a standard error.
    assert found.mean() == pytest.approx(0.05, abs=0.03)


def test_the_smallest_difference_that_made_studies_see_is_near_the_formula() -> None:
    found = TRIALS.smallest_difference(PLAIN)

    assert found == pytest.approx(smallest_difference(PLAIN), rel=0.08)


def test_a_study_sees_what_its_printed_interval_leaves_out() -> None:
    few = Design(items=24, threads=12, discordant=0.3, alike=0.0, deff=1.0)
    layout = even_layout(items=24, threads=12)
    # The draws of these trials, made again.
    place = places(layout, alike=0.0, studies=200, rng=np.random.default_rng([9, 24]))
    drawn = differences(place, difference=0.25, discordant=0.3)

    expected = []
    for each in drawn:
        first = np.where(each == 0, np.arange(24) % 2, each > 0).astype(float)
        found = paired_difference(first, first - each, layout.threads)
        assert isinstance(found, Estimate)
        expected.append(not found.low <= 0 <= found.high)

    seen = Trials(studies=200, seed=9).intervals_see(few, 0.25)
    assert seen.tolist() == expected
    assert 0 < seen.mean() < 1


def test_widths_are_about_those_of_the_formulas() -> None:
    paired = TRIALS.difference_half_widths(DENSE)
    rates = TRIALS.rate_half_widths(DENSE, 0.5)
    corrected = TRIALS.corrected_half_widths(PLAIN, 72, Judge(0.6, 0.9, 0.84))

    assert paired.mean() == pytest.approx(difference_half_width(DENSE), rel=0.05)
    assert rates.mean() == pytest.approx(rate_half_width(DENSE, 0.5), rel=0.08)
    # sqrt(.24) 1.96 sqrt((1-.742^2)/72 + .742^2/400) is .082.
    assert corrected.mean() == pytest.approx(0.082, rel=0.06)


def test_no_studies_or_none_that_fit_say_nothing() -> None:
    huge = Design(
        items=MOST_VALUES, threads=MOST_VALUES, discordant=0.3, alike=0.0, deff=1.0
    )

    for trials, design in ((Trials(0, 0), PLAIN), (Trials(1_000, 0), huge)):
        assert trials.smallest_difference(design) is None
        for found in (
            trials.intervals_see(design, 0.1),
            trials.tests_see(design, 0.1),
            trials.difference_half_widths(design),
            trials.rate_half_widths(design, 0.5),
            trials.corrected_half_widths(design, 72, Judge(0.5, 0.9, 0.9)),
        ):
            assert len(found) == 0


def test_where_nothing_is_seen_often_enough_there_is_no_smallest_difference() -> None:
    tiny = Design(items=12, threads=12, discordant=0.2, alike=0.0, deff=1.0)

    assert TRIALS.smallest_difference(tiny) is None


def test_the_same_seed_gives_the_same_studies() -> None:
    once, again = (Trials(100, 7).difference_half_widths(DENSE) for _ in range(2))
    other = Trials(100, 8).difference_half_widths(DENSE)

    assert (once == again).all()
    assert (once != other).any()
