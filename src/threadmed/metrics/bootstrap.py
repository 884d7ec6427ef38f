"""Percentile bootstrap over items, as the paper prints it, and over threads.

A draw gives each thread a weight, w ~ Multinomial(G; 1/G, ..., 1/G), and every number
here depends on totals over threads alone. So threads with equal totals are one cell
with weights Multinomial(G; c_k/G), and the cost depends on the number of cells (a
dozen) and not on the number of items.
"""

import hashlib

import numpy as np
from numpy.typing import NDArray

from threadmed.metrics.estimates import Estimate, NotEstimable, Number
from threadmed.metrics.intervals import (
    Interval,
    Totals,
    Values,
    few_threads,
    ranked,
    share_estimate,
)

MOST_CELLS = 1_000_000
"""Up to so many possible cells are counted in a table."""
MOST_EMPTY = 0.05
"""Largest share of draws that may be without a value."""


def stream(seed: int, *names: str) -> np.random.Generator:
    """Give the source of randomness of one number, whatever else is computed.

    Args:
        seed: The measurement's.
        names: What number it is, as in target, setting and "pcr".

    Example:
        >>> bool(stream(0, "a", "b").random() == stream(0, "a", "b").random())
        True
    """
    key = hashlib.sha256("\0".join(names).encode()).digest()
    words = np.frombuffer(key, dtype=">u4").astype(np.uint32)
    return np.random.default_rng([seed, *words.tolist()])


def percentile(values: Values, *, level: float) -> Interval:
    """Take the order statistics that cut off (1-level)/2 of the draws on either side.

    Args:
        values: Shape (draws,), the statistic in each draw; one or more.
        level: Share of the draws between the limits, in (0, 1).

    Example:
        >>> percentile(np.arange(1, 1001) / 1000, level=0.95)
        Interval(low=0.025, high=0.975)
    """
    tail = round((1 - level) / 2, 12)  # else 0.95 of 1,000 draws begins at the 26th
    low, high = np.quantile(values, [tail, 1 - tail], method="inverted_cdf")
    return Interval(float(low), float(high))


ALL_ALIKE = "every bootstrap sample is the same, so the interval has no width"


def from_samples(
    value: float, drawn: Values, *, level: float, n: int, threads: int, flag: str = ""
) -> Number:
    """Put the limits of bootstrap samples around a value, which they then hold.

    Args:
        value: Of all items.
        drawn: The same of each sample of threads, shape (draws,), without NaN.
        level: Coverage aimed at, in (0, 1).
        n: Items behind it.
        threads: Their threads.
        flag: What is to be said of it.

    Example:
        >>> found = from_samples(0.5, np.arange(1, 1001) / 1000, level=0.95, n=9, threads=3)
        >>> found.low, found.high
        (0.025, 0.975)
        >>> from_samples(0.5, np.full(9, 0.5), level=0.95, n=9, threads=3).reason
        'every bootstrap sample is the same, so the interval has no width'
    """
    limits = percentile(drawn, level=level)
    if limits.low == limits.high:
        return NotEstimable(reason=ALL_ALIKE, n=n)
    return Estimate(
        value=value,
        low=min(value, limits.low),
        high=max(value, limits.high),
        level=level,
        n=n,
        threads=threads,
        method="thread_bootstrap",
        flag=flag,
    )


def draw_totals(
    rows: Values, *, draws: int, rng: np.random.Generator
) -> NDArray[np.float64]:
    """Sum what threads add, in samples of threads drawn with replacement.

    Args:
        rows: Shape (G, k), what each thread adds to k totals; equal rows are one cell.
        draws: Number of samples.
        rng: Source of randomness; the order of the threads does not matter.

    Returns:
        Shape (draws, k).

    References:
        Davison and Hinkley (1997), chapter 3; Field and Welsh (2007).

    Example:
        >>> rng = np.random.default_rng(0)
        >>> draw_totals(np.ones((4, 1)), draws=2, rng=rng)
        array([[4.],
               [4.]])
    """
    cells, counts = cells_of(rows)
    weights = rng.multinomial(len(rows), counts / len(rows), size=draws)
    return np.asarray(weights @ cells, dtype=np.float64)


def cells_of(rows: Values) -> tuple[Values, NDArray[np.int64]]:
    """Find the unlike rows, in order, and how often each occurs.

    Args:
        rows: Shape (G, k), one row or more.

    Returns:
        Cells, shape (c, k), and counts, shape (c,).

    Example:
        >>> cells_of(np.array([[1.0, 2], [0, 1], [1, 2]]))
        (array([[0., 1.],
               [1., 2.]]), array([1, 2]))
    """
    whole = rows.astype(np.int64)
    low = whole.min(axis=0)
    spans = whole.max(axis=0) - low + 1
    if (whole != rows).any() or np.prod(spans.astype(np.float64)) > MOST_CELLS:
        cells, counts = np.unique(rows, axis=0, return_counts=True)
        return cells, counts.astype(np.int64)
    # Rows are counts and sums of scores: few whole numbers, so counting beats sorting.
    shape = tuple(spans.tolist())
    places = np.ravel_multi_index(tuple((whole - low).T), shape)
    counts = np.bincount(places)
    held = np.flatnonzero(counts)
    cells = np.column_stack(np.unravel_index(held, shape)) + low
    return cells.astype(np.float64), counts[held].astype(np.int64)


def draw_ratios(
    of: Totals, *, draws: int, rng: np.random.Generator
) -> NDArray[np.float64]:
    """Compute a ratio of sums in samples of threads drawn with replacement.

    Args:
        of: By thread; here denominators may be 0 (a thread without failures in RR).
        draws: Number of samples.
        rng: Source of randomness; the order of the threads does not matter.

    Returns:
        Shape (at most draws,): samples whose denominator is 0 have no value and are
        dropped; how many is `draws` less the length.

    Example:
        >>> of = Totals(sums=np.array([1.0, 1.0]), sizes=np.array([2.0, 2.0]))
        >>> draw_ratios(of, draws=3, rng=np.random.default_rng(0))
        array([0.5, 0.5, 0.5])
    """
    pairs = np.column_stack([of.sums, of.sizes])
    sums, sizes = draw_totals(pairs, draws=draws, rng=rng).T
    usable = sizes > 0
    return np.asarray(sums[usable] / sizes[usable], dtype=np.float64)


def item_bootstrap(
    values: Values,
    threads: NDArray[np.int64],
    *,
    shares: bool,
    draws: int,
    level: float,
    rng: np.random.Generator,
) -> Number:
    """Estimate a mean with the paper's interval, which takes items for independent.

    Args:
        values: Shape (n,).
        threads: Shape (n,); only counted.
        shares: Whether the values are 0 and 1 and their mean a share of items.
        draws: Number of bootstrap samples.
        level: Coverage aimed at, in (0, 1).
        rng: Source of randomness.

    Returns:
        The mean, or a reason where there is no item or where all are alike: then
        every sample is alike too, and an interval without width would claim certainty.

    Example:
        >>> item_bootstrap(np.ones(9), np.arange(9), shares=True, draws=100, level=0.95,
        ...     rng=np.random.default_rng(0)).hits
        9
    """
    n_threads = len(np.bincount(ranked(threads)))
    hits = round(values.sum()) if shares else None
    if len(values) == 0 or (values == values[0]).all():
        alike = "every value is the same, so a bootstrap interval has no width"
        return NotEstimable(
            reason=alike if len(values) else "no scored items",
            n=len(values),
            hits=hits,
        )
    items = Totals(sums=values, sizes=np.ones_like(values))
    limits = percentile(draw_ratios(items, draws=draws, rng=rng), level=level)
    return Estimate(
        value=items.ratio,
        low=limits.low,
        high=limits.high,
        level=level,
        n=len(values),
        threads=n_threads,
        method="item_bootstrap",
        hits=hits,
        flag=few_threads(n_threads),
    )


def thread_bootstrap(
    of: Totals, *, draws: int, level: float, rng: np.random.Generator
) -> Number:
    """Estimate a share, with a percentile interval that resamples whole threads.

    Args:
        of: Successes and items by thread; some threads may have no items.
        draws: Number of bootstrap samples.
        level: Coverage aimed at, in (0, 1).
        rng: Source of randomness; the same state gives the same interval.

    Returns:
        The share; a reason where more than 5 % of the samples hold no item, or where
        all samples are alike.

    Raises:
        ValueError: If there are no items at all.

    Example:
        >>> of = Totals(sums=np.arange(20.0) % 2, sizes=np.ones(20))
        >>> found = thread_bootstrap(of, draws=999, level=0.95, rng=np.random.default_rng(0))
        >>> found.value, found.low < 0.5 < found.high
        (0.5, True)
    """
    held = of.sizes > 0
    kept = Totals(sums=of.sums[held], sizes=of.sizes[held])
    if not kept.threads:
        raise ValueError("expected at least one item")
    ratios = draw_ratios(of, draws=draws, rng=rng)
    empty = draws - len(ratios)
    if empty > MOST_EMPTY * draws:
        reason = f"{empty:,} of {draws:,} bootstrap samples hold no item"
    elif (ratios == ratios[0]).all():
        reason = ALL_ALIKE
    else:
        limits = percentile(ratios, level=level)
        flag = f"{empty:,} of {draws:,} samples were empty" if empty else ""
        return share_estimate(
            kept, limits, level=level, method="thread_bootstrap", flag=flag
        )
    return NotEstimable(
        reason=reason,
        n=kept.n,
        hits=round(kept.sums.sum()),
    )
