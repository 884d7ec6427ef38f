import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from factories_threads import items
from threadmed.metrics.course import WorkingCorrelation
from threadmed.metrics.estimates import Estimate, NotEstimable
from threadmed.metrics.gee import Fit, fit, fit_exchangeable
from threadmed.metrics.items import Items
from threadmed.metrics.quantiles import t_quantile
from threadmed.metrics.trend import trend


def study() -> Items:
    """Twenty threads, half of them with two turns; correction falls from turn 0 on."""
    return items(
        *[{0: 1, 1: 1 if n < 2 else 0} for n in range(10)],
        *[{n % 3: 1 if n % 4 else 0} for n in range(10)],
    )


def test_a_trend_names_how_many_threads_have_several_turns() -> None:
    found = trend(study())

    assert (found.n, found.threads, found.threads_several) == (30, 20, 10)
    assert found.share_several == 0.5


def test_the_interval_of_a_trend_takes_t_over_threads() -> None:
    of = study()

    found = trend(of).slope

    fitted = fit(of.turns, of.corrected, of.threads)
    assert isinstance(found, Estimate)
    assert fitted.bias_reduced_se is not None
    half = t_quantile(0.95, 18) * fitted.bias_reduced_se
    assert found.value == fitted.slope < 0
    assert (found.low, found.high) == pytest.approx(
        (found.value - half, found.value + half)
    )
    assert found.method == "gee_bias_reduced_t"


def test_a_trend_says_how_it_weighed_items_of_one_thread() -> None:
    of = study()

    plain, alike = trend(of), trend(of, working_correlation="exchangeable")

    fitted = fit_exchangeable(of.turns, of.corrected, of.threads)
    assert isinstance(fitted, Fit)
    assert (plain.working_correlation, plain.alpha) == ("independence", 0.0)
    assert (alike.working_correlation, alike.alpha) == ("exchangeable", fitted.alpha)
    assert isinstance(alike.slope, Estimate)
    assert isinstance(plain.slope, Estimate)
    assert alike.slope.value == fitted.slope != plain.slope.value
    assert fitted.bias_reduced_se is not None
    half = t_quantile(0.95, 18) * fitted.bias_reduced_se
    assert alike.slope.high - alike.slope.low == pytest.approx(2 * half)


@pytest.mark.parametrize(
    ("threads", "reason"),
    [
        (
            [{0: 1}, {0: 0}, {1: 1}, {1: 0}, {2: 0}] * 3,
            "too few items share a thread to tell how alike they are",
        ),
        # p = 1/2 at both turns, so that e = 1 or -1 throughout 26 items: phi = 26/24;
        # each of 12 pairs has a product of -1: alpha = -12/(26/24 x 10) = -1.108.
        (
            [{0: 1, 1: 0}, {0: 0, 1: 1}] * 6 + [{0: 1}, {0: 0}],
            (
                "items of one thread would correlate by -1.108, which cannot be: it has to "
                "lie between -1.000 and 1"
            ),
        ),
    ],
)
def test_a_correlation_that_cannot_be_had_is_a_reason(
    threads: list[dict[int, int | None]], reason: str
) -> None:
    found = trend(items(*threads), working_correlation="exchangeable")

    assert isinstance(trend(items(*threads)).slope, Estimate)
    assert isinstance(found.slope, NotEstimable)
    assert found.slope.reason == reason
    assert found.alpha is None


def test_unscored_items_are_not_in_a_trend() -> None:
    of = study()
    more = of.joined(items({0: None, 1: None}))

    assert trend(more) == trend(of)


@pytest.mark.parametrize(
    ("threads", "reason"),
    [
        ([{0: 1, 1: 0}] * 9, "fewer than 10 threads"),
        ([{0: 1, 1: 1}] * 10, "every scored item has the same outcome"),
        ([{0: -1, 1: 0}] * 10, "every scored item has the same outcome"),
        ([{2: 1}] * 9 + [{2: 0}], "all scored items are of one turn"),
        (
            [{0: 1, 1: 1, 2: 0}] * 10,
            "a turn parts the corrected items from the others",
        ),
        (
            [{0: 1}] * 8 + [{0: 0}] * 3 + [{1: 0}],
            "a turn parts the corrected items from the others",
        ),
        (
            [{0: 1}] * 6 + [{0: 0}] * 5 + [{1: 1, 2: 0, 3: 1}],
            "without one thread there would be no slope",
        ),
        (
            [{0: 1, 1: 0}] * 6 + [{0: 0, 1: 1}] * 6,
            None,
        ),
    ],
)
def test_a_slope_that_the_items_cannot_give_is_refused(
    threads: list[dict[int, int | None]], reason: str | None
) -> None:
    found = trend(items(*threads)).slope

    if reason is None:
        assert isinstance(found, Estimate)
    else:
        assert isinstance(found, NotEstimable)
        assert found.reason == reason


def test_threads_that_do_not_differ_give_no_interval_without_width() -> None:
    # Each thread holds both outcomes at both turns' rates: its score sums to 0.
    found = fit(
        np.array([0, 0, 1, 1] * 10), np.array([1.0, 0, 1, 0] * 10), np.arange(40) // 4
    )
    of = Items(
        threads=np.arange(40) // 4,
        turns=np.array([0, 0, 1, 1] * 10),
        scores=np.array([1.0, 0, 1, 0] * 10),
        is_scored=np.ones(40, dtype=bool),
    )

    assert found.robust_se == pytest.approx(0, abs=1e-9)
    assert trend(of).slope == NotEstimable(
        reason="threads do not differ, so the interval would have no width",
        n=40,
        hits=20,
    )


def test_rounding_gives_no_interval_next_to_none() -> None:
    # What fails lies evenly about the middle turn in each thread, so that no thread
    # pulls at the slope; the product of the sandwich's matrices has 1e-16 for its 0.
    threads = [
        dict(enumerate(scores))
        for scores in ([0, 1, 0, 1, 0], *[[1] * 5] * 6, [1, 1, 0, 1, 1], *[[1] * 5] * 2)
    ]

    for working in ("independence", "exchangeable"):
        found = trend(items(*threads), working_correlation=working)
        assert found.slope == NotEstimable(
            reason="threads do not differ, so the interval would have no width",
            n=50,
            hits=46,
        )


def test_no_item_at_all_is_a_trend_with_a_reason() -> None:
    found = trend(items())

    assert (found.n, found.threads, found.share_several) == (0, 0, 0.0)
    assert isinstance(found.slope, NotEstimable)


threads_drawn = st.lists(
    st.dictionaries(
        st.integers(0, 8), st.sampled_from([-1, 0, 1, None]), min_size=1, max_size=5
    ).map(lambda drawn: dict(sorted(drawn.items()))),
    min_size=10,
    max_size=40,
)


@settings(max_examples=200, deadline=None)
@given(threads_drawn, st.sampled_from(["independence", "exchangeable"]))
def test_any_threads_have_a_slope_or_a_reason_whatever_their_order(
    threads: list[dict[int, int | None]], working: WorkingCorrelation
) -> None:
    found = trend(items(*threads), working_correlation=working).slope
    turned = trend(items(*reversed(threads)), working_correlation=working).slope

    if isinstance(found, Estimate):
        assert isinstance(turned, Estimate)
        assert turned.value == pytest.approx(found.value, abs=1e-6)
        assert np.isfinite([found.low, found.high]).all()
        assert found.low < found.value < found.high
    else:
        assert turned == found


@pytest.mark.parametrize("working", ["independence", "exchangeable"])
def test_later_numbers_of_turns_move_no_slope(working: WorkingCorrelation) -> None:
    of = study()
    later = of._replace(turns=of.turns + 40)

    moved = trend(later, working_correlation=working).slope

    found = trend(of, working_correlation=working).slope
    assert isinstance(found, Estimate)
    assert isinstance(moved, Estimate)
    assert (moved.value, moved.low) == pytest.approx((found.value, found.low))
