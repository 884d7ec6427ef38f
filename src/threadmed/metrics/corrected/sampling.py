"""Whether labelled items look like a random sample of those they stand for."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from threadmed.metrics.intervals import NO_VARIANCE, Values
from threadmed.records import Record

LARGEST_DIFFERENCE = 0.25
"""A standardised difference above this is warned of (convention)."""


class Imbalance(Record, frozen=True, kw_only=True):
    """How far labelled items part from unlabelled ones in one thing."""

    of: str
    """What is compared, as in "judge score" or "target gpt-5"."""
    labelled: float
    """Mean over the labelled items."""
    unlabelled: float
    """Mean over the unlabelled ones."""
    standardised: float
    """Their difference in standard deviations."""

    @property
    def is_large(self) -> bool:
        """Whether it must be warned of."""
        return abs(self.standardised) > LARGEST_DIFFERENCE


def imbalances(
    columns: Mapping[str, Values], is_labelled: NDArray[np.bool_]
) -> tuple[Imbalance, ...]:
    """Compare labelled with unlabelled items, the largest difference first.

    (mean - mean) / sqrt((var + var)/2); where both sides are each alike but differ,
    the deviation of all items together takes the place of the root.

    Args:
        columns: What is compared, each of shape (N,).
        is_labelled: Shape (N,); nothing is compared unless both sides have items.

    Example:
        >>> found = imbalances({"turn": np.array([0.0, 1, 2, 3])},
        ...     np.array([True, True, False, False]))
        >>> found[0].standardised
        -4.0
    """
    if is_labelled.all() or not is_labelled.any():
        return ()
    found = [
        Imbalance(
            of=name,
            labelled=float(column[is_labelled].mean()),
            unlabelled=float(column[~is_labelled].mean()),
            standardised=_standardised(column[is_labelled], column[~is_labelled]),
        )
        for name, column in columns.items()
    ]
    return tuple(sorted(found, key=lambda one: -abs(one.standardised)))


def _standardised(one: Values, other: Values) -> float:
    gap = float(one.mean() - other.mean())
    spread = float(one.var() + other.var()) / 2
    if spread <= NO_VARIANCE:
        spread = float(np.concatenate([one, other]).var())
    return gap / spread**0.5 if spread > NO_VARIANCE else 0.0


def membership(names: Sequence[str], *, what: str) -> dict[str, Values]:
    """Make a column of 0 and 1 for every name but where there is only one.

    Example:
        >>> membership(["a", "b", "a"], what="target")["target a"]
        array([1., 0., 1.])
    """
    different = sorted(set(names))
    if len(different) == 1:
        return {}
    column = np.array(names)
    return {
        f"{what} {name}": np.asarray(column == name, dtype=np.float64)
        for name in different
    }


def warning(found: Sequence[Imbalance]) -> str:
    """Name the large differences in a sentence; empty where there is none.

    Example:
        >>> warning([Imbalance(of="turn", labelled=3, unlabelled=1, standardised=0.5)])
        'the labelled items are no random sample: they differ in turn (+0.50 sd)'
    """
    large = [f"{one.of} ({one.standardised:+.2f} sd)" for one in found if one.is_large]
    if not large:
        return ""
    return "the labelled items are no random sample: they differ in " + ", ".join(large)
