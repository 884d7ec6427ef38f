"""Two raters of a table, on the items that both rated."""

import numpy as np

from threadmed.metrics.agreement.alpha import Difference
from threadmed.metrics.agreement.coefficients import Coefficient, Reliability
from threadmed.metrics.agreement.confusion import class_agreement, confusion, macro_f1
from threadmed.metrics.agreement.kappa import (
    Measure,
    Weights,
    cohen,
    gwet,
    krippendorff,
    two_raters,
)
from threadmed.metrics.agreement.raters import Ratings, Scale
from threadmed.metrics.agreement.records import Coefficients, PairAgreement, fitting
from threadmed.metrics.intervals import Codes, rate

PARTED = 0.15
"""AC1 and kappa further apart than this have parted; a convention."""
COMMON = 0.8
"""A value with a larger share than this is so common that kappa suffers from it."""


def pair_of(
    table: Ratings, first: int, second: int, *, scale: Scale, level: float = 0.95
) -> PairAgreement:
    """Compute the agreement of two raters of a table.

    Args:
        table: The ratings.
        first: Place of the one among the raters, held for the truth.
        second: Place of the other.
        scale: What values there are.
        level: Coverage aimed at, in (0, 1).

    Example:
        >>> from threadmed.metrics.agreement.raters import YES_NO
        >>> codes = np.column_stack([np.arange(12) % 2, np.arange(12) % 2])
        >>> table = Ratings(("x", "y"), tuple("abcdefghijkl"), codes, np.arange(12), False)
        >>> found = pair_of(table, 0, 1, scale=YES_NO)
        >>> found.n_scored, found.raw.value, found.coefficients.kappa.value
        (12, 1.0, 1.0)
    """
    both = table.rated(first, second)
    one, other = table.codes[both, first], table.codes[both, second]
    clusters = table.clusters[both]
    found = _of_two(one, other, clusters, scale=scale, level=level)
    return PairAgreement(
        first=table.raters[first],
        second=table.raters[second],
        n_total=len(both),
        n_scored=len(one),
        n_missing=len(both) - len(one),
        raw=rate((one == other).astype(np.float64), clusters, level=level),
        coefficients=found,
        confusion=confusion(one, other, scale.values),
        classes=tuple(
            class_agreement(one, other, clusters, place=place, value=value, level=level)
            for place, value in enumerate(scale.values)
        ),
        macro_f1=macro_f1(one, other, clusters, size=scale.size, level=level),
        warnings=tuple(_paradox(one, other, found, scale)),
    )


def _of_two(
    first: Codes, second: Codes, clusters: Codes, *, scale: Scale, level: float
) -> Coefficients:
    numbers = scale.numbers

    def of(measure: Measure) -> Reliability:
        return two_raters(
            first, second, clusters, size=scale.size, measure=measure, level=level
        )

    def kappa(kind: Weights) -> Reliability:
        return of(lambda counted: cohen(counted, kind))

    def ac(kind: Weights) -> Reliability:
        return of(lambda counted: gwet(counted, kind))

    def alpha(difference: Difference) -> Reliability:
        return of(lambda counted: krippendorff(counted, difference, numbers=numbers))

    return fitting(
        Coefficients(
            kappa=kappa("plain"),
            kappa_linear=kappa("linear"),
            kappa_quadratic=kappa("quadratic"),
            ac1=ac("plain"),
            ac2_linear=ac("linear"),
            ac2_quadratic=ac("quadratic"),
            alpha_nominal=alpha("nominal"),
            alpha_ordinal=alpha("ordinal"),
            alpha_interval=alpha("interval"),
        ),
        scale,
        n=len(first),
    )


def _paradox(
    first: Codes, second: Codes, found: Coefficients, scale: Scale
) -> list[str]:
    """Name the prevalence paradox where one value is so common that kappa falls."""
    kappa, ac1 = found.kappa, found.ac1
    if not (isinstance(kappa, Coefficient) and isinstance(ac1, Coefficient)):
        return []
    counts = [np.bincount(rated, minlength=scale.size) for rated in (first, second)]
    commonest = max(counts, key=lambda each: int(each.max()))
    share = float(commonest.max() / len(first))
    if abs(ac1.value - kappa.value) <= PARTED or share <= COMMON:
        return []
    message = (
        f"prevalence paradox: {scale.values[int(commonest.argmax())]} is "
        f"{100 * share:.0f} % of a rater's ratings; kappa ({kappa.value:.2f}) takes "
        f"most of the agreement on it for chance and AC1 ({ac1.value:.2f}) does not: "
        "read both beside the raw agreement"
    )
    return [message]
