"""Pairs of turns of one thread, both labelled and scored."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from threadmed.metrics.course import RecoveryPairs
from threadmed.metrics.intervals import Codes, Totals, Values, ranked
from threadmed.metrics.items import Items


class Pairs(NamedTuple):
    """Pairs of turns of one thread, both labelled and scored; columns of shape (m,)."""

    threads: Codes
    failed_first: NDArray[np.bool_]
    """Whether the first turn does not have score 1."""
    corrected_next: NDArray[np.bool_]
    """Whether the second turn has."""

    def totals(self, counted: NDArray[np.bool_], among: NDArray[np.bool_]) -> Totals:
        """Count by thread the pairs of `counted` (sums) and of `among` (sizes).

        Every thread that holds a pair has an entry; its size may be 0.

        Args:
            counted: Shape (m,).
            among: Shape (m,), true at least where `counted` is.
        """
        codes = ranked(self.threads)
        return Totals(sums=_by_code(codes, counted), sizes=_by_code(codes, among))


def _by_code(codes: Codes, mask: NDArray[np.bool_]) -> Values:
    return np.bincount(codes, weights=mask).astype(np.float64)


def pairs_of(items: Items, *, kind: RecoveryPairs = "consecutive") -> Pairs:
    """Find the pairs of turns that recovery is counted over.

    Args:
        items: All labelled items of one target and setting, scored or not.
        kind: `consecutive` pairs turns t and t+1; `next_labelled` pairs a turn with
            the thread's next labelled one, however far. An unscored turn ends a pair
            and is never stepped over.

    Example:
        >>> scores = np.array([0.0, 1, 1])
        >>> items = Items(np.zeros(3, int), np.array([0, 1, 3]), scores, scores < 2)
        >>> pairs_of(items).failed_first
        array([ True])
        >>> pairs_of(items, kind="next_labelled").failed_first
        array([ True, False])
    """
    follows = items.threads[1:] == items.threads[:-1]
    if kind == "consecutive":
        follows &= items.turns[1:] == items.turns[:-1] + 1
    is_pair = follows & items.is_scored[1:] & items.is_scored[:-1]
    corrected = items.scores == 1
    return Pairs(
        threads=items.threads[:-1][is_pair],
        failed_first=~corrected[:-1][is_pair],
        corrected_next=corrected[1:][is_pair],
    )
