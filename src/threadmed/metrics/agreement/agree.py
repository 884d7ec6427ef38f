"""How far raters agree: every pair of them, and all together."""

from collections.abc import Sequence
from itertools import combinations
from typing import TypeVar, cast

import msgspec
import numpy as np

from threadmed.metrics.agreement.pairwise import pair_of
from threadmed.metrics.agreement.raters import Ratings, Scale, tabulate
from threadmed.metrics.agreement.records import Agreement, RaterCount
from threadmed.metrics.agreement.together import overall_of
from threadmed.metrics.intervals import few_threads
from threadmed.records import Rating, Record

T = TypeVar("T")
FEW_ITEMS = "few items"
"""The flag of a number of few items, where the table does not tell their threads."""


def agree(ratings: Sequence[Rating], *, scale: Scale, level: float = 0.95) -> Agreement:
    """Compute the agreement of two raters or more.

    Args:
        ratings: A table, each (item, rater) at most once; the values are of the scale.
        scale: What values there are; see raters.scale_of.
        level: Coverage aimed at, in (0, 1).

    Returns:
        All pairs of raters in the order of their names, and all raters together.

    Raises:
        ValueError: If there are fewer than two raters.

    Example:
        >>> from threadmed.metrics.agreement.raters import SCORES
        >>> rows = [Rating(item=f"{n}", rater=name, value="1" if n < 8 else "0")
        ...     for n in range(12) for name in ("x", "y")]
        >>> agree(rows, scale=SCORES).pairs[0].raw.hits
        12
    """
    table = tabulate(ratings, scale)
    if len(table.raters) < 2:
        raise ValueError(f"expected at least 2 raters, got {len(table.raters)}")
    n_total, n_raters = table.codes.shape
    n_scored = int(((table.codes >= 0).sum(axis=1) >= 2).sum())
    n_ratings = int((table.codes >= 0).sum())
    pairs = tuple(
        pair_of(table, first, second, scale=scale, level=level)
        for first, second in combinations(range(n_raters), 2)
    )
    found = Agreement(
        level=level,
        scale=scale,
        raters=tuple(_rater(table, place, scale) for place in range(n_raters)),
        n_total=n_total,
        n_scored=n_scored,
        n_missing=n_total - n_scored,
        n_ratings=n_ratings,
        n_ratings_missing=table.codes.size - n_ratings,
        n_threads=len(np.unique(table.clusters)) if table.has_threads else 0,
        overall=overall_of(table, pairs, scale=scale, level=level),
        pairs=pairs,
    )
    return found if table.has_threads else _of_items(found)


def _of_items(part: T) -> T:
    """Let flags speak of items, each of which is its own cluster, and not of threads."""
    if isinstance(part, tuple):
        return cast("T", tuple(map(_of_items, part)))
    if not isinstance(part, Record):
        return part
    parts = msgspec.structs.asdict(part)
    return msgspec.structs.replace(
        part,
        **{
            name: value.replace(few_threads(0), FEW_ITEMS)
            if name == "flag"
            else _of_items(value)
            for name, value in parts.items()
        },
    )


def _rater(table: Ratings, place: int, scale: Scale) -> RaterCount:
    given = table.codes[:, place]
    given = given[given >= 0]
    return RaterCount(
        rater=table.raters[place],
        n_rated=len(given),
        n_missing=len(table.items) - len(given),
        counts=tuple(np.bincount(given, minlength=scale.size).tolist()),
    )
