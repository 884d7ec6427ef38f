"""Coverage of coefficients of agreement."""

from collections.abc import Callable, Iterator
from functools import partial

import numpy as np

from bench.made import (
    CONFUSION,
    EXPERTS,
    SENSITIVITY,
    SPECIFICITY,
    Case,
    Draws,
    Found,
    Printed,
    rated,
)
from threadmed.metrics.agreement.alpha import alpha
from threadmed.metrics.agreement.coefficients import jackknifed_coefficient
from threadmed.metrics.agreement.kappa import (
    Measure,
    cohen,
    gwet,
    krippendorff,
    two_raters,
)
from threadmed.metrics.intervals import Codes

CAREFUL = np.array([[0.95, 0.05], [0.08, 0.92]])
HASTY = np.array([[SPECIFICITY, 1 - SPECIFICITY], [1 - SENSITIVITY, SENSITIVITY]])
"""Two raters of yes and no, against what is so."""
PLENTY = 1e9
"""Items of a table that is as good as the population."""

TWO: dict[str, Measure] = {
    "kappa": cohen,
    "AC1": gwet,
    "alpha, nominal": partial(krippendorff, difference="nominal"),
}
THREE: dict[str, Measure] = {
    "kappa, quadratic, 3 scores": partial(cohen, kind="quadratic"),
    "AC2, quadratic, 3 scores": partial(gwet, kind="quadratic"),
    "alpha, ordinal, 3 scores": partial(krippendorff, difference="ordinal"),
}


def two(measure: Measure) -> Callable[[Draws, float], Found]:
    """Two raters of yes and no."""

    def run(draws: Draws, share: float) -> Found:
        truth, rng = draws.corrected(share).astype(np.int64), draws.rng("two raters")
        raters = rated(truth, CAREFUL, rng), rated(truth, HASTY, rng)
        shares = np.diag([1 - share, share])
        value = measure(PLENTY * CAREFUL.T @ shares @ HASTY).value
        return Found(value, _coefficients(draws, raters, measure, size=2))

    return run


def three(measure: Measure) -> Callable[[Draws, float], Found]:
    """An expert and a judge of scores."""

    def run(draws: Draws, share: float) -> Found:
        truth, rng = draws.scores(share).astype(np.int64) + 1, draws.rng("three scores")
        shares = np.diag([(1 - share) / 2, (1 - share) / 2, share])
        value = measure(PLENTY * shares @ CONFUSION).value
        raters = truth, rated(truth, CONFUSION, rng)
        return Found(value, _coefficients(draws, raters, measure, size=3))

    return run


def _coefficients(
    draws: Draws, raters: tuple[Codes, Codes], measure: Measure, *, size: int
) -> Iterator[Printed]:
    threads = draws.layout.threads
    for one, other in zip(*raters, strict=True):
        yield two_raters(one, other, threads, size=size, measure=measure)


def three_raters(draws: Draws, share: float) -> Found:
    """Nominal alpha of three raters who are alike."""
    truth, rng = draws.corrected(share).astype(np.int64), draws.rng("three raters")
    yes = sum(rated(truth, HASTY, rng) for _ in range(3))
    shares = np.diag([1 - share, share])
    value = krippendorff(PLENTY * HASTY.T @ shares @ HASTY, "nominal").value

    def numbers() -> Iterator[Printed]:
        for each in np.asarray(yes, dtype=np.float64):
            of = alpha(np.column_stack([3 - each, each]), "nominal")
            threads = draws.layout.threads
            yield jackknifed_coefficient(of, threads, n=len(threads), level=0.95)

    return Found(value, numbers())


CASES = (
    *(Case(name, EXPERTS, two(measure)) for name, measure in TWO.items()),
    *(Case(name, EXPERTS, three(measure)) for name, measure in THREE.items()),
    Case("alpha, nominal, 3 raters", EXPERTS, three_raters),
)
