"""Rates and means of items that come in threads, with intervals that know it.

Every number here is a ratio of sums over threads: thread i adds sums[i] to the
numerator and sizes[i] to the denominator. Turns of one thread are alike, so the
variance is taken over threads, never over items.
"""

from typing import Literal, NamedTuple, assert_never

import numpy as np
from numpy.typing import NDArray

from threadmed.metrics.estimates import Estimate, Method, NotEstimable, Number
from threadmed.metrics.quantiles import normal_quantile, t_factor

Values = NDArray[np.float64]
Codes = NDArray[np.int64]

ClusterVariance = Literal["CR0", "CR1", "CR2"]
"""How the residual of a thread is scaled up for what fitting the ratio took from it:
not at all; all by G/(G-1); each by its own share n_i/N of the items."""

FEWEST_ITEMS = 5
"""Below this many items a rate is counts only: no interval says anything then."""
FEW_THREADS = 10
"""Below this many threads an interval is flagged."""
SPARSE = 16
"""Up to so many codes for each item are counted in a table."""
NO_VARIANCE = 1e-18
"""A variance below this is rounding: one item that differs adds more at any size."""


class Interval(NamedTuple):
    """Two limits."""

    low: float
    high: float


class Totals(NamedTuple):
    """What each thread adds to a ratio."""

    sums: Values
    """Shape (G,), the numerators."""
    sizes: Values
    """Shape (G,), the denominators, all above 0."""

    @property
    def ratio(self) -> float:
        """Sum of the numerators over sum of the denominators."""
        return float(self.sums.sum() / self.sizes.sum())

    @property
    def n(self) -> int:
        """Items."""
        return int(self.sizes.sum())

    @property
    def threads(self) -> int:
        """Threads, G."""
        return len(self.sizes)

    @property
    def is_clustered(self) -> bool:
        """Whether any thread has more than one item."""
        return bool((self.sizes > 1).any())


def ranked(threads: Codes) -> Codes:
    """Number the threads that occur from 0, in the order of their codes.

    Args:
        threads: Shape (n,), codes in any order.

    Returns:
        Shape (n,).

    Example:
        >>> ranked(np.array([7, 7, 2]))
        array([1, 1, 0])
    """
    n = len(threads)
    if n and threads.min() >= 0 and threads.max() < SPARSE * n + SPARSE:
        # Counting beats sorting, where codes are not spread too widely for it.
        return np.asarray((np.cumsum(np.bincount(threads) > 0) - 1)[threads], np.int64)
    return np.unique(threads, return_inverse=True)[1].astype(np.int64)


def totals(values: Values, threads: Codes) -> Totals:
    """Sum the items of each thread.

    Args:
        values: Shape (n,), one value an item.
        threads: Shape (n,), the thread that each item comes from, in any order.

    Returns:
        One entry a thread, in the order of the thread codes.

    Example:
        >>> totals(np.array([1.0, 0.0, 1.0]), np.array([7, 7, 2]))
        Totals(sums=array([1., 1.]), sizes=array([1., 2.]))
    """
    codes = ranked(threads)
    return Totals(
        sums=np.bincount(codes, weights=values).astype(np.float64),
        sizes=np.bincount(codes).astype(np.float64),
    )


def cluster_variance(of: Totals, *, kind: ClusterVariance = "CR2") -> float:
    """Estimate the variance of a ratio of sums over threads.

    With e_i = s_i - p n_i, CR0 is the sum of e_i^2 over N^2, CR1 is G/(G-1) times as
    much, and CR2 the sum of e_i^2 / (1 - n_i/N), over N^2.

    Args:
        of: At least two threads.
        kind: Which; all that is printed rests on CR2, the others are for comparison.

    Raises:
        ValueError: If there are fewer than two threads.

    References:
        Bell and McCaffrey (2002) for CR2; this is its closed form for a model of
        nothing but a mean. Liang and Zeger (1986) for CR0 and CR1.

    Example:
        >>> both = Totals(sums=np.array([1.0, 0.0]), sizes=np.array([1.0, 1.0]))
        >>> cluster_variance(both), cluster_variance(both, kind="CR0")
        (0.25, 0.125)
    """
    if of.threads < 2:
        raise ValueError(f"expected at least 2 threads, got {of.threads}")
    n = of.sizes.sum()
    squares = (of.sums - of.ratio * of.sizes) ** 2 / n**2
    match kind:
        case "CR0":
            return float(squares.sum())
        case "CR1":
            return float(squares.sum()) * of.threads / (of.threads - 1)
        case "CR2":
            return float((squares / (1 - of.sizes / n)).sum())
        case _:
            assert_never(kind)


def effective_n(of: Totals) -> float:
    """Say how many independent items a share over threads is worth.

    n_eff = N / max(1, deff), deff = CR2 N / (p(1-p)): a design effect below 1 is
    noise. Where threads do not differ at all, which is so when the share is 0 or 1,
    it is the number of threads: that they are alike is no certainty. Without threads
    of two items it is N.

    Args:
        of: Successes and items by thread; two threads or more if any has two items.

    References:
        Kish (1965) for the design effect; Miller (2024) for its use with models.

    Example:
        >>> effective_n(Totals(sums=np.array([2.0, 0.0]), sizes=np.array([2.0, 2.0])))
        1.0
    """
    if not of.is_clustered:
        return float(of.n)
    variance = cluster_variance(of)
    share = of.ratio
    if variance <= NO_VARIANCE:
        return float(of.threads)
    return of.n / max(1.0, variance * of.n / (share * (1 - share)))


def wilson(share: float, n: float, *, level: float = 0.95) -> Interval:
    """Give Wilson's score interval of a share.

    Args:
        share: In [0, 1].
        n: Items, above 0; an effective number need not be whole.
        level: Coverage aimed at, in (0, 1).

    References:
        Wilson (1927); Brown, Cai and DasGupta (2001).

    Example:
        >>> [round(limit, 6) for limit in wilson(7 / 27, 27)]
        [0.131704, 0.446786]
    """
    z = normal_quantile(level)
    scale = 1 + z**2 / n
    centre = (share + z**2 / (2 * n)) / scale
    half = z * np.sqrt(share * (1 - share) / n + z**2 / (4 * n**2)) / scale
    low, high = float(centre - half), float(centre + half)
    # Rounding must not part a share of 0 or 1 from its limit.
    return Interval(max(0.0, min(low, share)), min(1.0, max(high, share)))


def clopper_pearson(successes: float, n: float, *, level: float = 0.95) -> Interval:
    """Give the exact interval of a share, which never covers less than `level`.

    Args:
        successes: In [0, n].
        n: Items, above 0.
        level: Coverage aimed at, in (0, 1).

    References:
        Clopper and Pearson (1934).

    Example:
        >>> [round(limit, 6) for limit in clopper_pearson(0, 12)]
        [0.0, 0.264648]
    """
    from scipy.special import betaincinv

    tail = (1 - level) / 2
    failures = n - successes
    low = float(betaincinv(successes, failures + 1, tail)) if successes > 0 else 0.0
    high = float(betaincinv(successes + 1, failures, 1 - tail)) if failures > 0 else 1.0
    return Interval(low, high)


def jeffreys(successes: float, n: float, *, level: float = 0.95) -> Interval:
    """Give Jeffreys' interval of a share, with no tail on the side of 0 or of all.

    Args:
        successes: In [0, n].
        n: Items, above 0.
        level: Coverage aimed at, in (0, 1).

    References:
        Brown, Cai and DasGupta (2001).

    Example:
        >>> [round(limit, 6) for limit in jeffreys(7, 27)]
        [0.124166, 0.442889]
    """
    from scipy.special import betaincinv

    hits, misses, tail = successes + 0.5, n - successes + 0.5, (1 - level) / 2
    low = float(betaincinv(hits, misses, tail)) if successes > 0 else 0.0
    high = float(betaincinv(hits, misses, 1 - tail)) if successes < n else 1.0
    return Interval(low, high)


def rate(values: Values, threads: Codes, *, level: float = 0.95) -> Number:
    """Estimate a share of items, with Wilson's interval on the effective number n*.

    n* = n_eff (z/t_{G-1})^2 where some thread has two items, and N where none has.

    Args:
        values: Shape (n,), each 0 or 1; 1 is a success.
        threads: Shape (n,), the thread that each item comes from.
        level: Coverage aimed at, in (0, 1).

    Returns:
        The share, flagged where it rests on fewer than 10 threads; counts without a
        rate below 5 items or 2 threads.

    References:
        Korn and Graubard (1998) for the factor (z/t)^2.

    Example:
        >>> found = rate(np.array([1.0] * 6 + [0.0] * 6), np.arange(12))
        >>> found.value, round(found.low, 3), found.method
        (0.5, 0.254, 'wilson')
    """
    of = totals(values, threads)
    if (refused := too_little(of)) is not None:
        return refused
    n_star = effective_n(of)
    if of.is_clustered:
        n_star *= t_factor(level, of.threads - 1)
    method: Method = "wilson_n_star" if of.is_clustered else "wilson"
    return share_estimate(
        of, wilson(of.ratio, n_star, level=level), level=level, method=method
    )


def mean_score(values: Values, threads: Codes, *, level: float = 0.95) -> Number:
    """Estimate a mean of scores in [-1, 1], with Wilson's interval after rescaling.

    x = (mean + 1)/2, n_eff = x(1-x)/CR2 of x, times (z/t_{G-1})^2; the limits are
    mapped back. Where threads do not differ at all n_eff is their number.

    Args:
        values: Shape (n,), each in [-1, 1].
        threads: Shape (n,), the thread that each item comes from.
        level: Coverage aimed at, in (0, 1).

    Returns:
        The mean; a reason and no mean below 5 items or 2 threads.

    Example:
        >>> found = mean_score(np.zeros(6), np.arange(6))
        >>> found.value, round(found.low + found.high, 6)
        (0.0, 0.0)
    """
    of = totals((values + 1) / 2, threads)
    if (refused := too_little(of, shares=False)) is not None:
        return refused
    variance = cluster_variance(of)
    n_eff = float(of.threads)
    if variance > NO_VARIANCE:
        n_eff = of.ratio * (1 - of.ratio) / variance
    n_eff *= t_factor(level, of.threads - 1)
    limits = wilson(of.ratio, n_eff, level=level)
    return Estimate(
        value=2 * of.ratio - 1,
        low=2 * limits.low - 1,
        high=2 * limits.high - 1,
        level=level,
        n=of.n,
        threads=of.threads,
        method="wilson_rescaled",
        flag=few_threads(of.threads),
    )


def few_threads(threads: int) -> str:
    """Give the flag of a number that rests on few threads, or nothing.

    Example:
        >>> few_threads(9), few_threads(10)
        ('few threads', '')
    """
    return "few threads" if threads < FEW_THREADS else ""


def too_little(of: Totals, *, shares: bool = True) -> NotEstimable | None:
    """Say why there is no rate, or None; the counts stay where they are counts.

    Example:
        >>> too_little(Totals(sums=np.ones(3), sizes=np.ones(3))).reason
        'fewer than 5 scored items'
    """
    if of.n == 0:
        reason = "no scored items"
    elif of.n < FEWEST_ITEMS:
        reason = f"fewer than {FEWEST_ITEMS} scored items"
    elif of.threads < 2:
        reason = "all scored items are of one thread"
    else:
        return None
    return NotEstimable(
        reason=reason,
        n=of.n,
        hits=round(of.sums.sum()) if shares else None,
    )


def share_estimate(
    of: Totals,
    limits: Interval,
    *,
    level: float,
    method: Method,
    flag: str = "",
) -> Estimate:
    """Join a share of items and its limits; `flag` takes the place of few threads.

    Example:
        >>> of = Totals(sums=np.ones(3), sizes=np.full(3, 2.0))
        >>> found = share_estimate(of, Interval(0.2, 0.8), level=0.95, method="wilson")
        >>> found.value, found.hits, found.flag
        (0.5, 3, 'few threads')
    """
    return Estimate(
        value=of.ratio,
        low=limits.low,
        high=limits.high,
        level=level,
        n=of.n,
        threads=of.threads,
        method=method,
        hits=round(of.sums.sum()),
        flag=flag or few_threads(of.threads),
    )
