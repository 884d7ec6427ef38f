"""Made studies whose true values are known, to plan with and to test intervals on.

Pure: the source of randomness is an argument, and everything is drawn for many studies
at once. Truth follows from the construction: a latent value of each item is the sum of
effects of its thread, of the thread in the setting, of the item, and logistic noise;
where it is above a threshold the item is corrected, and the threshold that gives a
wished share is found by integration.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from threadmed.metrics.intervals import Codes, Values

Flags = NDArray[np.bool_]

PAPER_TURN_SIZES = (109, 100, 198, 80, 50, 30, 20, 11, 6)
"""Labelled items at turns 0 to 8; 109, 198 and their sum 604 meet printed rates."""
PAPER_RUNS = (
    (0, 4, 2),
    (0, 3, 3),
    (1, 3, 9),
    (1, 2, 20),
    (2, 2, 25),
    (3, 2, 12),
    (4, 2, 8),
    (5, 2, 4),
)
"""First turn, labelled turns in a row, threads; how items lie over threads is ours."""


class Layout(NamedTuple):
    """Where the items of a study lie, ordered by thread and turn."""

    threads: Codes
    """Shape (n,), thread of each item, counted from 0 without gaps."""
    turns: Codes
    """Shape (n,), turn counted from 0."""

    @property
    def sizes(self) -> Values:
        """Shape (G,), items of each thread."""
        return np.bincount(self.threads).astype(np.float64)

    @property
    def starts(self) -> Codes:
        """Shape (G,), place of each thread's first item."""
        return np.searchsorted(self.threads, np.arange(self.threads[-1] + 1))


class Effects(NamedTuple):
    """Standard deviations on the logit scale of what makes items unlike."""

    thread: float = 0.0
    """Of a thread, shared by its items in all settings."""
    setting: float = 0.0
    """Of a thread in one setting, shared by its items there."""
    item: float = 0.0
    """Of an item, shared by all settings."""


def layout_of(runs: Sequence[tuple[int, int]]) -> Layout:
    """Lay out threads, each with its first labelled turn and how many follow in a row.

    Example:
        >>> layout_of([(0, 2), (3, 1)]).turns
        array([0, 1, 3])
    """
    lengths = [length for _, length in runs]
    return Layout(
        threads=np.repeat(np.arange(len(runs)), lengths),
        turns=np.concatenate([first + np.arange(length) for first, length in runs]),
    )


def paper_layout() -> Layout:
    """Lay out 604 items in 505 threads, with the paper's sizes of turns.

    422, 69, 12 and 2 threads have 1, 2, 3 and 4 labelled turns in a row, which makes
    99 consecutive pairs in 83 threads.

    Example:
        >>> len(paper_layout().turns), int(paper_layout().threads[-1])
        (604, 504)
    """
    runs = [(first, length) for first, length, n in PAPER_RUNS for _ in range(n)]
    held = np.zeros(len(PAPER_TURN_SIZES), dtype=np.int64)
    for first, length in runs:
        held[first : first + length] += 1
    singles = np.repeat(np.arange(len(held)), np.array(PAPER_TURN_SIZES) - held)
    return layout_of([*runs, *((turn, 1) for turn in singles.tolist())])


def even_layout(*, items: int, threads: int) -> Layout:
    """Spread items over threads as evenly as can be, each from turn 0 on.

    Example:
        >>> even_layout(items=5, threads=2).threads
        array([0, 0, 0, 1, 1])
    """
    if not 1 <= threads <= items:
        raise ValueError(f"expected 1 to {items} threads, got {threads!r}")
    each, more = divmod(items, threads)
    return layout_of([(0, each + (thread < more)) for thread in range(threads)])


def latent(
    layout: Layout,
    effects: Effects,
    *,
    settings: int,
    studies: int,
    rng: np.random.Generator,
) -> Values:
    """Draw the latent value of every item in every setting.

    Args:
        layout: Of one study.
        effects: What makes items unlike.
        settings: Settings (or targets) that answer the same items.
        studies: Studies to draw.
        rng: Source of randomness.

    Returns:
        Shape (studies, settings, n); `value > -thresholds(...)` is a correction.

    Example:
        >>> rng = np.random.default_rng(0)
        >>> latent(even_layout(items=5, threads=2), Effects(), settings=3, studies=4,
        ...     rng=rng).shape
        (4, 3, 5)
    """
    n, groups = len(layout.threads), len(layout.sizes)
    shape = (studies, settings, n)
    found = rng.logistic(size=shape)
    thread = effects.thread * rng.standard_normal((studies, 1, groups))
    thread = thread + effects.setting * rng.standard_normal((studies, settings, groups))
    found += thread[:, :, layout.threads]
    found += effects.item * rng.standard_normal((studies, 1, n))
    return np.asarray(found, dtype=np.float64)


def thresholds(shares: Values, effects: Effects) -> Values:
    """Find the intercepts that give wished shares, whatever their shape.

    Args:
        shares: Each in (0, 1), the share of corrected items over all threads that
            could be drawn.
        effects: What makes items unlike.

    Example:
        >>> thresholds(np.array([0.5]), Effects(thread=1.0)).round(6) + 0.0
        array([0.])
    """
    from scipy.special import expit

    spread = _grid(2_000) * np.hypot(
        np.hypot(effects.thread, effects.setting), effects.item
    )
    shares = np.asarray(shares, dtype=np.float64)
    low, high = np.full(shares.shape, -40.0), np.full(shares.shape, 40.0)
    for _ in range(60):
        middle = (low + high) / 2
        is_high = expit(middle[..., None] + spread).mean(axis=-1) > shares
        low, high = np.where(is_high, low, middle), np.where(is_high, middle, high)
    return low


def chances(share: float, effects: Effects) -> Values:
    """Give a thread's chance of a correction, over threads that could be drawn.

    Every expectation over threads is a mean of it: with c the chances,
    P(corrected next | failed) is mean(c (1-c)) / mean(1-c).

    Args:
        share: Of corrected items over all threads, in (0, 1).
        effects: What makes items unlike; those of the item are averaged out.

    Returns:
        Shape (2000,), equally likely.

    Example:
        >>> round(float(chances(0.3, Effects(thread=1.5)).mean()), 4)
        0.3
    """
    from scipy.special import expit

    middle = thresholds(np.array([share]), effects)
    thread = np.hypot(effects.thread, effects.setting) * _grid(2_000)
    inner = effects.item * _grid(400)
    given = expit(middle + thread[:, None] + inner)
    return np.asarray(given.mean(axis=1), dtype=np.float64)


def _grid(points: int) -> Values:
    """Give equally likely values of a standard normal."""
    from scipy.special import ndtri

    return np.asarray(ndtri((np.arange(points) + 0.5) / points), dtype=np.float64)


def judged(
    truth: Flags, *, sensitivity: float, specificity: float, rng: np.random.Generator
) -> Flags:
    """Let a judge see what is true, with errors that are independent given the truth.

    Args:
        truth: Any shape, whether the expert says corrected.
        sensitivity: Chance that the judge says corrected where the expert does.
        specificity: Chance that it does not where the expert does not.
        rng: Source of randomness.

    Example:
        >>> truth = np.array([True, False])
        >>> judged(truth, sensitivity=1, specificity=1, rng=np.random.default_rng(0))
        array([ True, False])
    """
    chance = np.where(truth, sensitivity, 1 - specificity)
    return np.asarray(rng.random(truth.shape) < chance)


def places(
    layout: Layout, *, alike: float, studies: int, rng: np.random.Generator
) -> Values:
    """Draw where each item's difference lies among all differences, uniform in [0, 1].

    An item takes the place of its thread's leader with chance sqrt(alike) and one of
    its own otherwise, so that two items of a thread have the correlation `alike` in
    whatever is made of their places.

    Args:
        layout: Of one study.
        alike: Correlation within threads, in [0, 1].
        studies: Studies to draw.
        rng: Source of randomness.

    Returns:
        Shape (studies, n).

    Example:
        >>> rng = np.random.default_rng(0)
        >>> drawn = places(even_layout(items=2, threads=1), alike=1, studies=1, rng=rng)
        >>> (drawn[0, 0] - drawn[0, 1]).item()
        0.0
    """
    n, groups = len(layout.threads), len(layout.sizes)
    leaders = rng.random((studies, groups))[:, layout.threads]
    follows = rng.random((studies, n)) < np.sqrt(alike)
    return np.where(follows, leaders, rng.random((studies, n)))


def differences(place: Values, *, difference: float, discordant: float) -> Values:
    """Turn places into paired differences -1, 0 and 1.

    Args:
        place: Any shape, uniform in [0, 1].
        difference: Mean of the differences.
        discordant: Share of items that differ, at least the absolute difference.

    Example:
        >>> differences(np.array([0.1, 0.5, 0.95]), difference=0.1, discordant=0.3)
        array([ 1.,  0., -1.])
    """
    better = place < (discordant + difference) / 2
    worse = place > 1 - (discordant - difference) / 2
    return better.astype(np.float64) - worse


def thread_means(values: Values, layout: Layout) -> tuple[Values, Values]:
    """Give the mean of every study and its CR2 variance over threads.

    Args:
        values: Shape (studies, n).
        layout: Of one study, of two threads or more.

    Returns:
        Mean and variance, each of shape (studies,); what `cluster_variance` computes
        for one study.

    Example:
        >>> thread_means(np.array([[1.0, 0]]), even_layout(items=2, threads=2))
        (array([0.5]), array([0.25]))
    """
    sizes = layout.sizes
    sums = np.add.reduceat(values, layout.starts, axis=1)
    mean = values.mean(axis=1)
    squares = (sums - mean[:, None] * sizes) ** 2 / (1 - sizes / sizes.sum())
    return mean, squares.sum(axis=1) / sizes.sum() ** 2
