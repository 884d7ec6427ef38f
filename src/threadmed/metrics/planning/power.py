"""What a study can see before it is run: formulas; `plan` sets simulation beside.

A paired difference of n items, of which a share psi differs between the sides and whose
differences are alike within threads by a design effect deff, has the standard error
sqrt(psi deff / n) where the sides are equal, and sqrt((psi - delta^2) deff / n) at a
difference delta.
"""

from collections.abc import Callable
from math import isnan
from typing import Annotated, NamedTuple

import msgspec

from threadmed.metrics.corrected.label_budget import Explained
from threadmed.metrics.intervals import wilson
from threadmed.metrics.quantiles import normal_quantile, t_factor, t_quantile
from threadmed.records import Record

FEW_FOR_A_NORMAL = 30
"""Up to so many threads Student's t takes the place of the normal."""
MOST_ITEMS = 10_000_000
"""Above this many items a wish counts as out of reach."""

Positive = Annotated[int, msgspec.Meta(ge=1)]


class Design(Record, frozen=True, kw_only=True):
    """A study that is planned, and what is assumed of it."""

    items: Positive
    threads: Annotated[int, msgspec.Meta(ge=2)]
    """Threads that hold the items."""
    discordant: float
    """psi, the share of items that one side corrects and the other does not."""
    alike: float
    """Correlation of the differences of two items of one thread."""
    deff: float
    """Design effect of the differences, 1 or more."""
    comparisons: Positive = 1
    """Comparisons of the family among which Holm's method adjusts."""
    power: float = 0.8
    """Chance to be had of seeing a difference, in (0, 1)."""
    level: float = 0.95

    @property
    def turns_per_thread(self) -> float:
        """Labelled turns that a thread has on average."""
        return self.items / self.threads

    def sized(self, items: int) -> "Design":
        """Plan the same kind of study with another number of items."""
        threads = min(items, max(2, round(items / self.turns_per_thread)))
        return msgspec.structs.replace(self, items=items, threads=threads)


def design_effect(alike: float, *, squares: float, items: int) -> float:
    """Say by how much likeness within threads widens a variance: Kish's factor.

    Args:
        alike: Correlation within threads.
        squares: Sum over threads of the squared number of items.
        items: Sum over threads of the number of items.

    References:
        Kish (1965).

    Example:
        >>> design_effect(0.1, squares=100 * 36, items=600)
        1.5
    """
    return 1 + alike * (squares / items - 1)


def corrected_level(design: Design) -> float:
    """Give the level of the smallest of m p-values under Holm: 1 - (1-level)/m.

    Example:
        >>> plan = Design(items=604, threads=505, discordant=0.38, alike=0, deff=1)
        >>> round(corrected_level(plan.sized(604)), 3)
        0.95
    """
    return 1 - (1 - design.level) / design.comparisons


def _standard_error(design: Design, difference: float = 0.0) -> float:
    spread = max(0.0, design.discordant - difference**2)
    return float((spread * design.deff / design.items) ** 0.5)


def _chance(design: Design, distance: float) -> float:
    """Give the chance to see what lies so many standard errors from 0."""
    from scipy.special import nctdtr, ndtr

    level, df = corrected_level(design), design.threads - 1
    if design.threads > FEW_FOR_A_NORMAL:
        return float(ndtr(distance - normal_quantile(level)))
    # scipy gives no number where the chance is 1 to all digits.
    missed = float(nctdtr(df, distance, t_quantile(level, df)))
    return 1.0 if isnan(missed) else 1 - missed


def power_at(difference: float, design: Design) -> float:
    """Give the chance that the interval of a paired difference leaves out 0.

    Phi(|delta| / SE - z), or by the noncentral t with G-1 degrees of freedom up to 30
    threads.

    Args:
        difference: Between shares, in [-1, 1]; no larger than the discordant share.
        design: Of the study.

    References:
        Connor (1987), Biometrics 43:207, without the design effect.

    Example:
        >>> design = Design(items=604, threads=505, discordant=0.38, deff=1, alike=0)
        >>> round(power_at(0.0703, design), 2)
        0.81
    """
    error = _standard_error(design, difference)
    return _chance(design, abs(difference) / error) if error else 1.0


def smallest_difference(design: Design) -> float:
    """Give the smallest paired difference that is seen with the wished power.

    (z_{1-(1-level)/2m} + z_power) sqrt(psi deff / n); up to 30 threads the sum of
    quantiles is the noncentrality at which Student's t has the wished power. It may
    exceed psi: then no difference that can exist is seen.

    References:
        Connor (1987), Biometrics 43:207, without the design effect.

    Example:
        >>> design = Design(items=604, threads=505, discordant=0.38, deff=1, alike=0)
        >>> round(smallest_difference(design), 6)
        0.070271
    """
    return _reach(design) * _standard_error(design)


def _reach(design: Design) -> float:
    """Say how many standard errors a difference must lie from 0."""
    from scipy.optimize import brentq
    from scipy.special import ndtri

    if design.threads > FEW_FOR_A_NORMAL:
        return normal_quantile(corrected_level(design)) + float(ndtri(design.power))

    def lacking(distance: float) -> float:
        return _chance(design, distance) - design.power

    return float(brentq(lacking, 0.0, 20 * t_quantile(corrected_level(design), 1)))


def smallest_step(design: Design) -> float | None:
    """Give the smallest fall from one labelled turn to the next that threads show.

    A thread's steps add up to its last score less its first, so its share of the
    variance does not grow with its turns: SE = sqrt(psi G) / pairs, with G threads of
    two labelled turns or more and n - G pairs of turns. All labelled turns of a thread
    are taken to follow each other.

    Returns:
        None where no thread has two labelled turns.

    Example:
        >>> dense = Design(items=400, threads=100, discordant=0.36, deff=1, alike=0)
        >>> round(smallest_step(dense) or 0, 3)
        0.056
    """
    pairs = design.items - design.threads
    if pairs < 1:
        return None
    threads = min(design.threads, pairs)
    return _reach(design) * float((design.discordant * threads) ** 0.5) / pairs


def difference_half_width(design: Design) -> float:
    """Give half the width of the interval of a paired difference of 0.

    Example:
        >>> plan = Design(items=604, threads=505, discordant=0.38, alike=0, deff=1)
        >>> round(difference_half_width(plan), 4)
        0.0493
    """
    return t_quantile(design.level, design.threads - 1) * _standard_error(design)


def rate_half_width(design: Design, rate: float) -> float:
    """Give half the width of Wilson's interval of a rate on n*.

    Args:
        design: Its design effect is taken for that of the rate.
        rate: PCR that is expected, in [0, 1].

    Example:
        >>> plan = Design(items=109, threads=109, discordant=0.38, alike=0, deff=1)
        >>> round(rate_half_width(plan, 96 / 109), 6)
        0.061188
    """
    n_star = design.items / design.deff
    if design.deff > 1:
        n_star *= t_factor(design.level, design.threads - 1)
    limits = wilson(rate, n_star, level=design.level)
    return (limits.high - limits.low) / 2


def items_needed(
    value: Callable[[Design], float], wished: float, design: Design
) -> int | None:
    """Find the fewest items at which a falling function of the design is small enough.

    Args:
        value: As `smallest_difference` or `difference_half_width`.
        wished: What it may be at most, above 0.
        design: All but the items is kept, also the labelled turns a thread.

    Returns:
        None where ten million items are not enough.

    Example:
        >>> design = Design(items=604, threads=604, discordant=0.38, deff=1, alike=0)
        >>> items_needed(smallest_difference, 0.0703, design)
        604
    """
    low, high = 1, 4
    while value(design.sized(high)) > wished:
        low, high = high, 2 * high
        if high > MOST_ITEMS:
            return None
    while high - low > 1:
        middle = (low + high) // 2
        if value(design.sized(middle)) > wished:
            low = middle
        else:
            high = middle
    return high


class Judge(NamedTuple):
    """A judge that is held against experts."""

    rate: float
    """The expert's share of corrections, in (0, 1)."""
    sensitivity: float
    """Chance that the judge says corrected where the expert does."""
    specificity: float
    """Chance that it does not where the expert does not."""

    @property
    def explained(self) -> Explained:
        """What the judge tells of the expert's scores.

        Example:
            >>> round(Judge(0.62, 0.9, 0.84).explained.correlation, 2)
            0.74
        """
        rate, sensitivity, specificity = self
        said = rate * sensitivity + (1 - rate) * (1 - specificity)
        spread = rate * (1 - rate) * said * (1 - said)
        correlation = rate * (sensitivity - said) / spread**0.5 if spread > 0 else 0.0
        return Explained(rate * (1 - rate), float(correlation))
