"""Whether intervals of agreement hold the true value as often as they say."""

from collections import Counter

import numpy as np
import pytest

from threadmed.metrics.alpha import alpha, fleiss, gwet_many
from threadmed.metrics.coefficients import (
    Coefficient,
    Totalled,
    jackknifed_coefficient,
)
from threadmed.metrics.intervals import Codes, Values
from threadmed.metrics.kappa import (
    Measure,
    cohen,
    gwet,
    krippendorff,
    two_raters,
    weights,
)

pytestmark = pytest.mark.slow

STUDIES = 800
MEASURES: dict[str, Measure] = {
    "kappa": cohen,
    "ac1": gwet,
    "alpha": lambda table: krippendorff(table, "ordinal"),
}
TABLES = {
    "even": np.array([[0.18, 0.05, 0.02], [0.05, 0.20, 0.06], [0.02, 0.05, 0.37]]),
    "skewed": np.array([[0.05, 0.02, 0.01], [0.03, 0.07, 0.04], [0.01, 0.04, 0.73]]),
    "yes and no": np.array([[0.20, 0.05], [0.05, 0.70]]),
}
"""Shares of pairs of ratings; `skewed` agrees in 85 % with a kappa of .63."""


def rated(shares: Values, n: int, thread: int, rng: np.random.Generator) -> Codes:
    """Draw cells; of a thread's items two in five repeat what its first one is."""
    own = rng.choice(shares.size, n, p=shares.ravel())
    first = np.repeat(
        rng.choice(shares.size, -(-n // thread), p=shares.ravel()), thread
    )
    alike = (rng.random(n) < 0.4) & (thread > 1)
    return np.where(alike, first[:n], own)


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize(("n", "thread"), [(72, 1), (72, 3), (310, 1), (310, 5)])
def test_two_raters(name: str, n: int, thread: int) -> None:
    rng, shares = np.random.default_rng(n + thread), TABLES[name]
    size, hits = len(shares), Counter[str]()
    truth = {kind: measure(shares * 1e7).value for kind, measure in MEASURES.items()}
    for _ in range(STUDIES):
        first, second = divmod(rated(shares, n, thread, rng), size)
        for kind, measure in MEASURES.items():
            found = two_raters(
                first, second, np.arange(n) // thread, size=size, measure=measure
            )
            assert isinstance(found, Coefficient)
            hits[kind] += found.low <= truth[kind] <= found.high

    # Three standard errors at 95 % are 2.3 points.
    print(name, n, thread, {kind: 100 * hits[kind] / STUDIES for kind in MEASURES})
    for kind in MEASURES:
        assert 0.91 <= hits[kind] / STUDIES <= 0.99


def totalled(counts: Values) -> dict[str, Totalled]:
    return {
        "fleiss": fleiss(counts),
        "ac1": gwet_many(counts, weights(3, "plain")),
        "alpha": alpha(counts, "ordinal"),
    }


@pytest.mark.parametrize("n", [72, 310])
def test_three_raters(n: int) -> None:
    rng, hits = np.random.default_rng(n), Counter[str]()

    def drawn(items: int) -> Values:
        """Three raters who each err in one item of eight."""
        truth = rng.choice(3, items, p=[0.25, 0.25, 0.5])[:, None]
        errs = rng.random((items, 3)) < 0.125
        codes = np.where(errs, rng.integers(0, 3, (items, 3)), truth)
        return np.stack([(codes == value).sum(axis=1) for value in range(3)], 1) * 1.0

    truth = {
        kind: float(each.statistic(each.features.sum(axis=0)))
        for kind, each in totalled(drawn(400_000)).items()
    }
    for _ in range(STUDIES):
        for kind, each in totalled(drawn(n)).items():
            found = jackknifed_coefficient(each, np.arange(n), n=n, level=0.95)
            assert isinstance(found, Coefficient)
            hits[kind] += found.low <= truth[kind] <= found.high

    print(n, {kind: 100 * hits[kind] / STUDIES for kind in truth})
    for kind in truth:
        assert 0.92 <= hits[kind] / STUDIES <= 0.98
