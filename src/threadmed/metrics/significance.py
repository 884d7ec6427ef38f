"""Tests that a paired difference has no direction, and their adjustment; exact."""

from collections.abc import Sequence
from typing import Literal

import numpy as np

from threadmed.metrics.intervals import Totals, Values


def sign_flip(
    differences: Totals, *, p_value: Literal["exact", "mid"] = "exact"
) -> float:
    """Test exactly that paired differences have no direction, over threads.

    If neither side is better, a thread's sum D_i keeps its size and takes either sign
    with probability 1/2. The law of the sum is a convolution over the distinct sizes
    |D|, so no sampling is needed; with one item a thread this is McNemar's exact test.

    Args:
        differences: By thread, the sum of first - second (a whole number) and the
            number of items.
        p_value: `mid` counts outcomes as extreme as the one seen by half, which is
            nearer to the nominal level and no longer exact.

    Returns:
        Two-sided p, in (0, 1].

    Example:
        >>> sums = np.array([2.0, 1, 1, -1, 1, 0, 1, 2, -1, 1])
        >>> round(sign_flip(Totals(sums=sums, sizes=np.full(10, 3.0))), 6)
        0.121094
    """
    whole = np.rint(differences.sums).astype(np.int64)
    sizes, counts = np.unique(np.abs(whole[whole != 0]), return_counts=True)
    law = np.ones(1)
    for size, count in zip(sizes.tolist(), counts.tolist(), strict=True):
        law = np.convolve(law, _spread(_coin_flips(count), step=2 * size))
    reach = len(law) // 2
    sums = np.abs(np.arange(-reach, reach + 1))
    seen = abs(int(whole.sum()))
    beyond, level = float(law[sums > seen].sum()), float(law[sums == seen].sum())
    return min(1.0, beyond + (level if p_value == "exact" else level / 2))


def _coin_flips(count: int) -> Values:
    """Give the law of the number of heads, shape (count + 1,)."""
    from scipy.special import gammaln

    heads = np.arange(count + 1)
    ways = gammaln(count + 1) - gammaln(heads + 1) - gammaln(count - heads + 1)
    return np.asarray(np.exp(ways - count * np.log(2.0)), dtype=np.float64)


def _spread(law: Values, *, step: int) -> Values:
    """Put a law on a grid of whole numbers whose outcomes lie `step` apart."""
    wide = np.zeros(step * (len(law) - 1) + 1)
    wide[::step] = law
    return wide


def mcnemar(
    first_only: int,
    second_only: int,
    *,
    p_value: Literal["exact", "mid"] = "exact",
) -> float:
    """Test exactly that as many items go one way as the other; items independent.

    Args:
        first_only: Items that only the first corrected.
        second_only: Items that only the second corrected.
        p_value: As for `sign_flip`.

    Returns:
        Two-sided p, in (0, 1]; valid only where no thread has two items.

    References:
        McNemar (1947); exact two-sided binomial form.

    Example:
        >>> round(mcnemar(9, 2), 6), round(mcnemar(9, 2, p_value="mid"), 6)
        (0.06543, 0.038574)
    """
    from scipy.special import bdtr, gammaln

    n, fewer = first_only + second_only, min(first_only, second_only)
    ways = gammaln(n + 1) - gammaln(fewer + 1) - gammaln(n - fewer + 1)
    at = float(np.exp(ways - n * np.log(2.0)))
    if 2 * fewer == n:  # both tails begin in the middle, and the middle is one outcome
        return 1.0 if p_value == "exact" else 1 - at / 2
    return float(2 * bdtr(fewer, n, 0.5)) - (0.0 if p_value == "exact" else at)


def holm(p_values: Sequence[float]) -> tuple[float, ...]:
    """Adjust the p-values of one family; the order is kept.

    Sorted, p_(1) <= ... <= p_(m), the adjusted value is
    max over j <= i of min(1, (m - j + 1) p_(j)).

    Args:
        p_values: Of every comparison in the family; 1 for one that could not be made.

    References:
        Holm (1979), Scandinavian Journal of Statistics 6:65.

    Example:
        >>> holm([0.04, 0.01])
        (0.04, 0.02)
    """
    order = np.argsort(p_values, kind="stable")
    factors = np.arange(len(p_values), 0, -1)
    sorted_p = np.asarray(p_values, dtype=np.float64)[order]
    adjusted = np.empty(len(p_values))
    adjusted[order] = np.maximum.accumulate(np.minimum(1.0, factors * sorted_p))
    return tuple(adjusted.tolist())
