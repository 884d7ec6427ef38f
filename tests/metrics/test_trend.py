import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from factories_threads import items
from threadmed.metrics.estimates import Estimate, NotEstimable
from threadmed.metrics.intervals import t_quantile
from threadmed.metrics.items import Items
from threadmed.metrics.trend import fit, trend

THREADS = np.array([0, 0, 0, 1, 1, 2, 2, 2, 2, 3, 4, 4, 4, 5, 5, 6, 7, 7, 7, 7])
TURNS = np.array([0, 1, 2, 0, 1, 0, 1, 2, 3, 2, 0, 1, 2, 1, 2, 0, 0, 1, 2, 3])
SCORES = np.array([1, 1, 0, 1, 0, 1, 1, 1, 0, 0, 1, 0, 0, 0, 1, 1, 1, 0, 1, 0.0])


def test_the_worked_slope_has_its_known_standard_errors() -> None:
    found = fit(TURNS, SCORES, THREADS)

    assert (found.intercept, found.slope) == pytest.approx(
        (1.890921, -1.363544), abs=5e-7
    )
    assert found.robust_se == pytest.approx(0.402195, abs=5e-7)
    assert found.bias_reduced_se == pytest.approx(0.456941, abs=5e-7)


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10_000))
def test_slopes_and_standard_errors_agree_with_statsmodels(seed: int) -> None:
    from statsmodels.genmod.cov_struct import Independence
    from statsmodels.genmod.families import Binomial
    from statsmodels.genmod.generalized_estimating_equations import GEE

    chance = np.random.default_rng(seed)
    threads = np.sort(chance.integers(0, 25, 90))
    turns = chance.integers(0, 6, 90)
    scores = (chance.random(90) < 0.5).astype(float)
    model = GEE(
        scores,
        np.column_stack([np.ones(90), turns]),
        groups=threads,
        family=Binomial(),
        cov_struct=Independence(),
    )

    found = fit(turns, scores, threads)

    robust = model.fit(cov_type="robust", ctol=1e-12, maxiter=200)
    reduced = model.fit(cov_type="bias_reduced", ctol=1e-12, maxiter=200)
    assert found.slope == pytest.approx(robust.params[1], abs=1e-7)
    assert found.robust_se == pytest.approx(robust.bse[1], rel=1e-6)
    assert found.bias_reduced_se == pytest.approx(reduced.bse[1], rel=1e-6)


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
@given(threads_drawn)
def test_any_threads_have_a_slope_or_a_reason_whatever_their_order(
    threads: list[dict[int, int | None]],
) -> None:
    found = trend(items(*threads)).slope
    turned = trend(items(*reversed(threads))).slope

    if isinstance(found, Estimate):
        assert isinstance(turned, Estimate)
        assert turned.value == pytest.approx(found.value, abs=1e-6)
        assert np.isfinite([found.low, found.high]).all()
        assert found.low < found.value < found.high
    else:
        assert turned == found


def test_later_numbers_of_turns_move_no_slope() -> None:
    of = study()

    moved = trend(of._replace(turns=of.turns + 40)).slope

    found = trend(of).slope
    assert isinstance(found, Estimate)
    assert isinstance(moved, Estimate)
    assert (moved.value, moved.low) == pytest.approx((found.value, found.low))
