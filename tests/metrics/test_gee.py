import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from threadmed.metrics.gee import Fit, NoFit, fit, fit_exchangeable
from threadmed.metrics.intervals import Codes, Values

THREADS = np.array([0, 0, 0, 1, 1, 2, 2, 2, 2, 3, 4, 4, 4, 5, 5, 6, 7, 7, 7, 7])
TURNS = np.array([0, 1, 2, 0, 1, 0, 1, 2, 3, 2, 0, 1, 2, 1, 2, 0, 0, 1, 2, 3])
SCORES = np.array([1, 1, 0, 1, 0, 1, 1, 1, 0, 0, 1, 0, 0, 0, 1, 1, 1, 0, 1, 0.0])


def fitted(found: Fit | NoFit) -> Fit:
    assert isinstance(found, Fit), found
    return found


def test_the_worked_slope_has_its_known_standard_errors() -> None:
    found = fit(TURNS, SCORES, THREADS)

    assert (found.intercept, found.slope) == pytest.approx(
        (1.890921, -1.363544), abs=5e-7
    )
    assert found.robust_se == pytest.approx(0.402195, abs=5e-7)
    assert found.bias_reduced_se == pytest.approx(0.456941, abs=5e-7)
    assert found.alpha == 0


def test_the_worked_slope_of_items_that_are_alike_has_its_known_errors() -> None:
    found = fitted(fit_exchangeable(TURNS, SCORES, THREADS))

    assert found.slope == pytest.approx(-1.072029, abs=5e-7)
    assert found.robust_se == pytest.approx(0.295405, abs=5e-7)
    assert found.bias_reduced_se == pytest.approx(0.359699, abs=5e-7)
    assert found.alpha == pytest.approx(-0.239820, abs=5e-7)


def test_threads_of_all_turns_alike_are_fitted_by_hand() -> None:
    # Four threads with turns 0 and 1, scores 10, 11, 00, 11: every thread holds every
    # turn, so the weights are those of independence: p_0 = 3/4, p_1 = 1/2, slope
    # log(1) - log(3) = -log 3. e = 1/sqrt(3) or -sqrt(3) at turn 0, 1 or -1 at turn 1;
    # sum e^2 = 4 + 4 = 8, phi = 8/6; products -1/sqrt 3 + 1/sqrt 3 + sqrt 3 + 1/sqrt 3
    # = 4/sqrt 3; alpha = (4/sqrt 3) / (8/6 (4 - 2)) = sqrt(3)/2.
    turns, threads = np.tile([0, 1], 4), np.repeat(np.arange(4), 2)

    found = fitted(
        fit_exchangeable(turns, np.array([1.0, 0, 1, 1, 0, 0, 1, 1]), threads)
    )

    assert found.intercept == pytest.approx(np.log(3))
    assert found.slope == pytest.approx(-np.log(3))
    assert found.alpha == pytest.approx(3**0.5 / 2)


def drawn(seed: int, *, spread: float = 1.0) -> tuple[Codes, Values, Codes]:
    """Ninety items of up to 25 threads, which are alike by their thread."""
    chance = np.random.default_rng(seed)
    threads = np.sort(chance.integers(0, 25, 90))
    turns = chance.integers(0, 6, 90)
    odds = chance.normal(0, spread, 25)[threads] + 0.5 - 0.2 * turns
    return turns, (chance.random(90) < 1 / (1 + np.exp(-odds))).astype(float), threads


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10_000), st.sampled_from(["independence", "exchangeable"]))
def test_slopes_and_standard_errors_agree_with_statsmodels(
    seed: int, working: str
) -> None:
    from statsmodels.genmod.cov_struct import Exchangeable, Independence
    from statsmodels.genmod.families import Binomial
    from statsmodels.genmod.generalized_estimating_equations import GEE

    turns, scores, threads = drawn(seed)
    model = GEE(
        scores,
        np.column_stack([np.ones(90), turns]),
        groups=threads,
        family=Binomial(),
        cov_struct=Independence() if working == "independence" else Exchangeable(),
    )
    ours = fit if working == "independence" else fit_exchangeable

    found = ours(turns, scores, threads)
    if isinstance(found, NoFit):
        return  # theirs takes a correlation that cannot be

    robust = model.fit(cov_type="robust", ctol=1e-12, maxiter=200)
    reduced = model.fit(cov_type="bias_reduced", ctol=1e-12, maxiter=200)
    assert found.intercept == pytest.approx(robust.params[0], abs=1e-7)
    assert found.slope == pytest.approx(robust.params[1], abs=1e-7)
    assert found.robust_se == pytest.approx(robust.bse[1], rel=1e-6)
    assert found.bias_reduced_se == pytest.approx(reduced.bse[1], rel=1e-6)
    if working == "exchangeable":
        assert found.alpha == pytest.approx(model.cov_struct.dep_params, abs=1e-7)


@settings(max_examples=50, deadline=None)
@given(st.integers(0, 10_000))
def test_neither_order_nor_names_of_threads_change_a_fit(seed: int) -> None:
    turns, scores, threads = drawn(seed)
    order = np.random.default_rng(seed).permutation(90)
    names = 7 * np.random.default_rng(seed).permutation(25)

    for ours in (fit, fit_exchangeable):
        one = ours(turns, scores, threads)
        other = ours(turns[order], scores[order], names[threads][order])
        if isinstance(one, NoFit):
            assert one == other
        else:
            assert one == pytest.approx(fitted(other), abs=1e-8)


@settings(max_examples=50, deadline=None)
@given(st.integers(0, 10_000))
def test_a_fit_of_failures_is_that_of_corrections_with_its_sign_turned(
    seed: int,
) -> None:
    turns, scores, threads = drawn(seed)

    for ours in (fit, fit_exchangeable):
        one, found = (ours(turns, of, threads) for of in (scores, 1 - scores))
        if isinstance(one, NoFit):
            assert one == found
            continue
        other = fitted(found)
        assert (other.intercept, other.slope) == pytest.approx(
            (-one.intercept, -one.slope), abs=1e-8
        )
        assert (other.robust_se, other.alpha) == pytest.approx(
            (one.robust_se, one.alpha), abs=1e-8
        )


def test_items_that_are_not_alike_are_fitted_as_if_independent() -> None:
    turns, scores, threads = drawn(4, spread=0)
    many = 40 * len(turns)
    chance = np.random.default_rng(1)
    turns, scores = np.tile(turns, 40), chance.permuted(np.tile(scores, 40))
    threads = np.arange(many) // 4

    one, other = (ours(turns, scores, threads) for ours in (fit, fit_exchangeable))

    assert abs(fitted(other).alpha) < 0.05
    assert fitted(other).slope == pytest.approx(fitted(one).slope, abs=0.01)


@pytest.mark.parametrize(
    ("turns", "scores", "threads", "reason"),
    [
        (
            [0, 1] * 3,
            [1, 0, 1, 0, 0, 1],
            [0, 0, 1, 1, 2, 3],
            "too few items share a thread to tell how alike they are",
        ),
        # e = 1 or -1 throughout: phi = 8/6, products -4, alpha = -4/(8/6 x 2) = -3/2.
        (
            [0, 1] * 4,
            [1, 0, 0, 1, 1, 0, 0, 1],
            [0, 0, 1, 1, 2, 2, 3, 3],
            (
                "items of one thread would correlate by -1.500, which cannot be: it has to "
                "lie between -1.000 and 1"
            ),
        ),
        (
            [0, 1] * 4,
            [1, 1, 0, 0, 1, 1, 0, 0],
            [0, 0, 1, 1, 2, 2, 3, 3],
            (
                "items of one thread would correlate by 1.500, which cannot be: it has to "
                "lie between -1.000 and 1"
            ),
        ),
        # The steps go to and fro between alpha -.482 and -.184.
        (
            [1, 0, 1, 0, 1, 1, 2, 3, 3, 1],
            [0, 0, 0, 0, 0, 0, 0, 1, 0, 1],
            [2, 8, 4, 0, 9, 9, 4, 1, 2, 4],
            "slope and correlation within threads do not settle",
        ),
        # The slope runs away: 4.1, -10.9, and then chances of 0 and 1.
        (
            [1, 2, 1, 1, 2, 0, 2, 1, 1, 1],
            [1, 1, 0, 1, 1, 1, 1, 1, 1, 1],
            [2, 5, 3, 0, 4, 1, 8, 5, 3, 4],
            "slope and correlation within threads do not settle",
        ),
    ],
)
def test_equations_without_a_solution_have_a_reason(
    turns: list[int], scores: list[int], threads: list[int], reason: str
) -> None:
    found = fit_exchangeable(
        np.array(turns), np.array(scores, float), np.array(threads)
    )

    assert found == NoFit(reason)


def test_threads_that_are_all_of_one_outcome_each_have_a_reason() -> None:
    # Any two items of a thread are equal: alpha is 1, or just below by rounding.
    rng = np.random.default_rng(3)
    for _ in range(300):
        threads = np.repeat(np.arange(rng.integers(10, 40)), 3)
        outcomes = (rng.random(threads[-1] + 1) < 0.5).astype(float)
        outcomes[:2] = 0, 1

        found = fit_exchangeable(
            np.tile([0, 1, 2], threads[-1] + 1), outcomes[threads], threads
        )

        assert isinstance(found, NoFit)
        assert found.reason.startswith("items of one thread would correlate by 1.0")
