import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import nct, norm, t
from statsmodels.stats.power import NormalIndPower

from threadmed.metrics.planning.power import (
    Design,
    Judge,
    corrected_level,
    design_effect,
    difference_half_width,
    items_needed,
    power_at,
    rate_half_width,
    smallest_difference,
    smallest_step,
)


def design(
    items: int,
    threads: int | None = None,
    *,
    discordant: float = 0.38,
    deff: float = 1.0,
    comparisons: int = 1,
    power: float = 0.8,
) -> Design:
    return Design(
        items=items,
        threads=threads or items,
        discordant=discordant,
        deff=deff,
        alike=0.0,
        comparisons=comparisons,
        power=power,
    )


@pytest.mark.parametrize(
    ("planned", "difference"),
    [
        (design(604), 0.070271),
        (design(300, deff=1.47), 0.120891),
        # 2.801585 sqrt(.2 / 198) = .089040
        (design(198, discordant=0.2), 0.089040),
    ],
)
def test_the_smallest_difference_is_the_known_one(
    planned: Design, difference: float
) -> None:
    assert smallest_difference(planned) == pytest.approx(difference, abs=5e-7)


def test_ten_comparisons_ask_for_the_level_of_the_smallest_p_value() -> None:
    planned = design(604, comparisons=10)

    # (z_.9975 + z_.8) sqrt(.38 / 604)
    by_hand = (norm.ppf(0.9975) + norm.ppf(0.8)) * (0.38 / 604) ** 0.5
    assert corrected_level(planned) == pytest.approx(0.995)
    assert smallest_difference(planned) == pytest.approx(by_hand)


def test_up_to_thirty_threads_take_the_noncentral_t() -> None:
    planned = design(60, 10)
    error = ((0.38 - 0.15**2) / 60) ** 0.5

    theirs = 1 - nct.cdf(t.ppf(0.975, 9), 9, 0.15 / error)

    assert power_at(0.15, planned) == pytest.approx(theirs, abs=1e-6)


def test_power_agrees_with_statsmodels_for_a_normal_difference() -> None:
    spread = (0.38 - 0.05**2) ** 0.5
    theirs = NormalIndPower(ddof=0).power(
        0.05 / spread, nobs1=604, alpha=0.05, ratio=0, alternative="larger"
    )

    # Their one-sided 5 % is our two-sided 10 %.
    ours = norm.cdf(0.05 / (spread / 604**0.5) - norm.ppf(0.95))
    assert ours == pytest.approx(theirs)
    assert power_at(0.05, design(604)) == pytest.approx(
        norm.cdf(0.05 / (spread / 604**0.5) - norm.ppf(0.975))
    )


@settings(deadline=None)
@given(
    st.integers(40, 5_000),
    st.floats(0.05, 0.6),
    st.floats(1, 2),
    st.integers(1, 20),
    st.floats(0.5, 0.99),
)
def test_a_study_has_the_wished_power_at_its_smallest_difference(
    items: int, discordant: float, deff: float, comparisons: int, power: float
) -> None:
    planned = design(
        items, discordant=discordant, deff=deff, comparisons=comparisons, power=power
    )
    smallest = smallest_difference(planned)

    if smallest < discordant:
        assert power_at(smallest, planned) >= power - 1e-9


@settings(deadline=None)
@given(st.integers(2, 30), st.floats(0.5, 0.99), st.integers(1, 10))
def test_so_it_has_with_few_threads(
    threads: int, power: float, comparisons: int
) -> None:
    planned = design(6 * threads, threads, power=power, comparisons=comparisons)
    smallest = smallest_difference(planned)

    if smallest < planned.discordant:
        assert power_at(smallest, planned) >= power - 1e-6


def test_nothing_is_as_likely_to_be_seen_as_a_difference_of_all_that_differs() -> None:
    assert power_at(1.0, design(50, discordant=1.0)) == 1.0
    assert power_at(0.0, design(604)) == pytest.approx(0.025)


def test_the_step_within_threads_is_that_of_the_thread_ends() -> None:
    # 100 threads of 4 labelled turns: SE = sqrt(.36 * 100) / 300 = .02.
    assert smallest_step(design(400, 100, discordant=0.36)) == pytest.approx(
        (norm.ppf(0.975) + norm.ppf(0.8)) * 0.02
    )
    assert smallest_step(design(50)) is None


@settings(deadline=None)
@given(st.floats(0.02, 0.3), st.sampled_from([1.0, 1.2, 4.0]))
def test_one_item_less_than_needed_is_too_few(wished: float, turns: float) -> None:
    planned = design(1_200, round(1_200 / turns))

    for value in (smallest_difference, difference_half_width):
        n = items_needed(value, wished, planned)
        assert n is not None
        assert value(planned.sized(n)) <= wished
        assert n <= 5 or value(planned.sized(n - 1)) > wished


def test_more_than_ten_million_items_are_out_of_reach() -> None:
    assert items_needed(smallest_difference, 1e-5, design(604)) is None


def test_a_rate_without_clusters_has_the_width_of_wilson() -> None:
    # Wilson 96/109 is .806585 to .928960.
    assert rate_half_width(design(109), 96 / 109) == pytest.approx(0.0611875, abs=1e-6)
    assert rate_half_width(design(109, 20, deff=1.4), 0.5) > 1.18 * rate_half_width(
        design(109), 0.5
    )


def test_the_design_effect_of_even_threads_is_that_of_kish() -> None:
    assert design_effect(0.1, squares=10 * 6**2, items=60) == pytest.approx(1.5)
    assert design_effect(0.1, squares=60, items=60) == 1.0


def test_a_perfect_judge_tells_everything_and_a_guessing_one_nothing() -> None:
    assert Judge(0.3, 1.0, 1.0).explained.correlation == pytest.approx(1.0)
    assert Judge(0.3, 0.5, 0.5).explained.correlation == pytest.approx(0.0)
    assert Judge(0.3, 1.0, 0.0).explained.correlation == 0.0
