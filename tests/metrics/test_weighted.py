import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from threadmed.metrics.estimates import Estimate, NotEstimable, Number
from threadmed.metrics.intervals import Codes, Values, rate, wilson
from threadmed.metrics.quantiles import t_factor
from threadmed.metrics.weighted import weighted_rate


def estimate(found: Number) -> Estimate:
    assert isinstance(found, Estimate)
    return found


def test_a_weighted_share_by_hand() -> None:
    # Five threads of one item; weights 2 1 1 1 1 (sum 6), values 1 1 0 0 0: p = 3/6.
    # CR2: e_i = w(y - p)/6 = 1/6, 1/12, -1/12 x 3; shares of weight 1/3 and 1/6:
    # (1/36)/(2/3) + 4 (1/144)/(5/6) = 1/24 + 1/30 = 3/40. p(1-p)/V = .25/.075 = 10/3;
    # Kish: 36/8 = 4.5, larger. Times (1.959964/2.776445)^2 = .498333: 1.661110.
    values = np.array([1.0, 1, 0, 0, 0])
    weights = np.array([2.0, 1, 1, 1, 1])

    found = estimate(weighted_rate(values, weights, np.arange(5)))

    assert found.value == pytest.approx(0.5)
    # Wilson at p = .5: half-width z/(2 sqrt(n + z^2)) = 1.959964/(2 sqrt(5.502568)).
    assert found.high - found.value == pytest.approx(0.417770, abs=1e-5)
    assert (found.n, found.threads, found.hits) == (5, 5, None)
    assert found.flag == "few threads"


def test_no_more_items_count_than_the_weights_leave() -> None:
    # Six threads with a success and a failure each, all but alike, so that V is next to
    # nothing; Kish: (12.2)^2 / (11 + 1.2^2).
    values = np.tile([1.0, 0], 6)
    weights = np.array([1.0] * 11 + [1.2])

    found = estimate(weighted_rate(values, weights, np.repeat(np.arange(6), 2)))

    worth = 12.2**2 / 12.44 * t_factor(0.95, 5)
    assert (found.low, found.high) == pytest.approx(wilson(6 / 12.2, worth))


tables = st.lists(
    st.tuples(st.booleans(), st.floats(0.1, 10), st.integers(0, 6)),
    min_size=5,
    max_size=40,
).filter(lambda rows: len({row[2] for row in rows}) > 1)


@settings(deadline=None)
@given(tables, st.floats(0.01, 100))
def test_only_the_ratios_of_weights_matter(
    rows: list[tuple[bool, float, int]], scale: float
) -> None:
    y, w, threads = (np.array(column) for column in zip(*rows, strict=True))

    one = weighted_rate(y.astype(float), w, threads)
    other = weighted_rate(y.astype(float), w * scale, threads)

    assert isinstance(one, Estimate)
    assert isinstance(other, Estimate)
    assert (other.value, other.low, other.high) == pytest.approx(
        (one.value, one.low, one.high), abs=1e-6
    )
    assert 0 <= one.low <= one.value <= one.high <= 1


@settings(deadline=None)
@given(tables)
def test_equal_weights_give_the_plain_rate(rows: list[tuple[bool, float, int]]) -> None:
    y, _, threads = (np.array(column) for column in zip(*rows, strict=True))
    values = y.astype(float)

    found = weighted_rate(values, np.full(len(values), 2.5), threads)

    assert found == rate(values, threads)


@settings(deadline=None)
@given(tables)
def test_success_and_failure_are_mirrored(rows: list[tuple[bool, float, int]]) -> None:
    y, w, threads = (np.array(column) for column in zip(*rows, strict=True))
    values = y.astype(float)

    one = estimate(weighted_rate(values, w, threads))
    other = estimate(weighted_rate(1 - values, w, threads))

    assert one.value == pytest.approx(1 - other.value)
    assert one.low == pytest.approx(1 - other.high, abs=1e-6)


def test_a_share_of_nothing_still_has_an_upper_limit() -> None:
    weights = np.arange(1.0, 21)

    found = estimate(weighted_rate(np.zeros(20), weights, np.arange(20)))

    # Kish: 210^2/2870 = 15.37 of 20 items.
    assert found.value == found.low == 0
    assert 0.17 < found.high < 0.24


def test_too_little_is_a_reason_with_its_count() -> None:
    few = weighted_rate(np.array([1.0, 0]), np.array([1.0, 2]), np.arange(2))
    alone = weighted_rate(np.ones(6), np.arange(1.0, 7), np.zeros(6, dtype=np.int64))
    none = weighted_rate(np.ones(0), np.ones(0), np.zeros(0, dtype=np.int64))

    assert few == NotEstimable(reason="fewer than 5 scored items", n=2, hits=1)
    assert isinstance(alone, NotEstimable)
    assert "of one thread" in alone.reason
    assert none == NotEstimable(reason="no scored items", n=0, hits=0)


@pytest.mark.parametrize("weight", [0.0, -1.0, np.nan, np.inf])
def test_a_weight_that_is_none_is_refused(weight: float) -> None:
    with pytest.raises(ValueError, match="weights above 0"):
        weighted_rate(np.ones(6), np.array([weight, 1, 1, 1, 1, 1]), np.arange(6))


STUDIES = 300
"""Tables of each shape; docs/methods.md has what 1,500 give."""
CONTROLS = (np.array([1.0, 1.1, 1.3]), [0.5, 0.3, 0.2])
HARM = (np.array([1.0, 2.0, 4.0]), [0.6, 0.3, 0.1])


def drawn(
    threads: int,
    most: int,
    kinds: tuple[Values, list[float]],
    *,
    base: float,
    slope: float,
    rng: np.random.Generator,
) -> tuple[Values, Values, Codes]:
    """A table with threads of unlike difficulty; a heavier item may be harder."""
    codes = np.repeat(np.arange(threads), rng.integers(1, most + 1, threads))
    weights = rng.choice(kinds[0], len(codes), p=kinds[1])
    logit = base + slope * np.log(weights) + rng.normal(0, 1, threads)[codes]
    hits = rng.random(len(codes)) < 1 / (1 + np.exp(-logit))
    return hits.astype(np.float64), weights, codes


@pytest.mark.parametrize("base", [-3.5, -1.5, 0.0, 1.5])
@pytest.mark.parametrize(
    ("threads", "most", "kinds", "slope"),
    [
        (200, 1, CONTROLS, 0.0),
        (60, 1, CONTROLS, 0.0),
        (170, 2, HARM, 0.0),
        (170, 2, HARM, -0.7),
        (30, 4, HARM, -0.7),
    ],
)
def test_the_interval_holds_the_truth_about_as_often_as_it_says(
    threads: int,
    most: int,
    kinds: tuple[Values, list[float]],
    slope: float,
    base: float,
) -> None:
    rng = np.random.default_rng(11)
    shape = {"kinds": kinds, "base": base, "slope": slope, "rng": rng}
    y, w, _ = drawn(400_000, most, **shape)  # type: ignore[arg-type]
    truth = float(y @ w / w.sum())
    held = 0
    for _ in range(STUDIES):
        found = estimate(weighted_rate(*drawn(threads, most, **shape)))  # type: ignore[arg-type]
        held += found.low <= truth <= found.high

    # 95 % less three Monte Carlo errors.
    print(f"{threads} threads, up to {most}, {truth:.3f}: {held / STUDIES:.1%}")
    assert held / STUDIES >= 0.95 - 3 * (0.95 * 0.05 / STUDIES) ** 0.5
