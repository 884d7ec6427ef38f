"""How far the judges of a panel agree, and how many of them count; pure.

Scores are a table of shape (n, J): items by judges, -1, 0 or 1, NaN where a judge gave
no score or was not asked.
"""

from collections.abc import Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from threadmed.metrics.agreement.coefficients import Reliability, cluster_sums
from threadmed.metrics.agreement.kappa import cohen, two_raters
from threadmed.metrics.bootstrap import MOST_EMPTY, draw_totals, from_samples
from threadmed.metrics.estimates import NotEstimable, Number
from threadmed.metrics.intervals import (
    FEWEST_ITEMS,
    Codes,
    Values,
    few_threads,
    rate,
)
from threadmed.records import Record

SCALE = 3
"""Scores that a judge may give."""


class JudgePair(Record, frozen=True, kw_only=True):
    """How two judges agree on the items that both scored."""

    first: str
    second: str
    n: int
    """Items that both scored."""
    raw: Number
    """Share of items on which both gave the same score."""
    kappa: Reliability
    """Cohen's, plain."""


class EffectiveJudges(
    Record, frozen=True, kw_only=True, tag="effective_judges", tag_field="kind"
):
    """How many independent judges a panel is worth, held against an expert."""

    n_items: int
    """Items that the expert and every judge scored."""
    judges: int
    correlation: float | None
    """Mean phi of the judges' errors over the pairs that have one."""
    pairs_left_out: tuple[tuple[str, str], ...]
    """Pairs without a phi, as one of them errs never or always."""
    number: Number
    """Of judges, from 1 to J."""


def pair_agreements(
    table: Values, threads: Codes, *, judges: Sequence[str], level: float
) -> tuple[JudgePair, ...]:
    """Compare every two judges.

    Args:
        table: Shape (n, J).
        threads: Shape (n,).
        judges: Names of the columns.
        level: Coverage aimed at, in (0, 1).

    Example:
        >>> table = np.tile([[1.0, 1], [0, 0], [-1, 1]], (8, 1))
        >>> found = pair_agreements(table, np.arange(24), judges="ab", level=0.95)
        >>> round(found[0].raw.value, 3), found[0].n
        (0.667, 24)
    """
    found = []
    for one, other in combinations(range(len(judges)), 2):
        both = ~np.isnan(table[:, [one, other]]).any(axis=1)
        first, second = table[both, one], table[both, other]
        found.append(
            JudgePair(
                first=judges[one],
                second=judges[other],
                n=int(both.sum()),
                raw=rate(_claims(first == second), threads[both], level=level),
                kappa=two_raters(
                    (first + 1).astype(np.int64),
                    (second + 1).astype(np.int64),
                    threads[both],
                    size=SCALE,
                    measure=cohen,
                    level=level,
                ),
            )
        )
    return tuple(found)


def _claims(mask: NDArray[np.bool_]) -> Values:
    return np.asarray(mask, dtype=np.float64)


def complete(table: Values) -> NDArray[np.bool_]:
    """Mark the items that every judge scored, shape (n,).

    Example:
        >>> complete(np.array([[1.0, 0], [1, np.nan]]))
        array([ True, False])
    """
    return np.asarray(~np.isnan(table).any(axis=1))


def unanimity(table: Values, threads: Codes, *, level: float) -> Number:
    """Estimate the share of items that all judges gave the same score.

    Args:
        table: Shape (n, J); only items that every judge scored count.
        threads: Shape (n,).
        level: Coverage aimed at, in (0, 1).

    Example:
        >>> table = np.array([[1.0, 1, 1], [1, 1, 0], [0, 0, 0], [-1, 1, 0]] * 5)
        >>> unanimity(table, np.arange(20), level=0.95).value
        0.5
    """
    whole = complete(table)
    scores = table[whole]
    alike = (scores == scores[:, :1]).all(axis=1)
    return rate(_claims(alike), threads[whole], level=level)


def majority(table: Values, threads: Codes, *, level: float) -> Number:
    """Estimate the share of items on which more than half of the panel agree.

    Args:
        table: Shape (n, J); only items that every judge scored count.
        threads: Shape (n,).
        level: Coverage aimed at, in (0, 1).

    Example:
        >>> table = np.array([[1.0, 1, 0], [1, 0, -1]] * 6)
        >>> majority(table, np.arange(12), level=0.95).value
        0.5
    """
    whole = complete(table)
    counts = np.stack([(table[whole] == score).sum(axis=1) for score in (-1, 0, 1)])
    most = counts.max(axis=0) if whole.any() else np.zeros(0)
    agreed = _claims(2 * most > table.shape[1])
    return rate(agreed, threads[whole], level=level)


def kish(correlation: float, judges: int) -> float:
    """Say how many independent judges J with alike errors are worth.

    J/(1 + (J-1) rho); judges whose errors part more than chance count as J.

    Args:
        correlation: Mean correlation rho of their errors, at most 1.
        judges: J, at least 1.

    References:
        Kish (1965), the design effect; used for judges by Kohli (2026),
        arXiv 2605.29800.

    Example:
        >>> round(kish((0.5 + 0.3 + 0.4) / 3, 3), 6)
        1.666667
    """
    return judges / (1 + (judges - 1) * max(0.0, correlation))


def effective_judges(
    errors: Values,
    threads: Codes,
    *,
    judges: Sequence[str],
    draws: int,
    level: float,
    rng: np.random.Generator,
) -> EffectiveJudges:
    """Say how many independent judges a panel is worth.

    Args:
        errors: Shape (n, J), 1 where a judge's score is not the expert's, else 0.
        threads: Shape (n,).
        judges: Names of the columns, two or more.
        draws: Samples of threads.
        level: Coverage aimed at, in (0, 1).
        rng: Source of randomness.

    Returns:
        The number, or the reason why there is none.

    Example:
        >>> errors = np.array([[1.0, 1], [0, 0], [1, 0], [0, 1]] * 5)
        >>> how = {"judges": "ab", "draws": 200, "level": 0.95}
        >>> rng = np.random.default_rng(0)
        >>> effective_judges(errors, np.arange(20), rng=rng, **how).number.value
        2.0
    """
    pairs = list(combinations(range(len(judges)), 2))
    columns = _columns(errors, pairs)
    phis = _phis(columns.sum(axis=0)[None], pairs)[0]
    seen = ~np.isnan(phis)
    number: Number
    if (reason := _uncounted(len(errors), seen)) is not None:
        number = NotEstimable(reason=reason, n=len(errors))
    else:
        sums = cluster_sums(columns, threads)
        drawn = _phis(draw_totals(sums, draws=draws, rng=rng), pairs)[:, seen]
        rho = float(phis[seen].mean())
        number = _effective(rho, drawn, sums, size=len(judges), level=level)
    left = [pair for pair, is_seen in zip(pairs, seen, strict=True) if not is_seen]
    return EffectiveJudges(
        n_items=len(errors),
        judges=len(judges),
        correlation=float(phis[seen].mean()) if seen.any() else None,
        pairs_left_out=tuple((judges[one], judges[other]) for one, other in left),
        number=number,
    )


def _uncounted(n: int, seen: NDArray[np.bool_]) -> str | None:
    if n < FEWEST_ITEMS:
        return f"an expert and all judges scored fewer than {FEWEST_ITEMS} items"
    return None if seen.any() else "no two judges both err sometimes"


def _columns(errors: Values, pairs: Sequence[tuple[int, int]]) -> Values:
    """What correlations need of each item: 1, the errors, and those in common."""
    products = [errors[:, one] * errors[:, other] for one, other in pairs]
    return np.column_stack([np.ones(len(errors)), errors, *products])


def _effective(
    correlation: float, drawn: Values, sums: Values, *, size: int, level: float
) -> Number:
    """Put limits around the number of judges, from correlations in samples."""
    n, n_threads = round(sums[:, 0].sum()), len(sums)
    usable = drawn[~np.isnan(drawn).any(axis=1)]
    lost = len(drawn) - len(usable)
    if lost > MOST_EMPTY * len(drawn):
        reason = f"in {lost:,} of {len(drawn):,} samples a judge errs never or always"
        return NotEstimable(reason=reason, n=n)
    numbers = np.array([kish(rho, size) for rho in usable.mean(axis=1)])
    return from_samples(
        kish(correlation, size),
        numbers,
        level=level,
        n=n,
        threads=n_threads,
        flag=few_threads(n_threads),
    )


def _phis(sums: Values, pairs: Sequence[tuple[int, int]]) -> Values:
    """Correlate errors from their totals, shape (draws, pairs); NaN where undefined."""
    judges = sums.shape[1] - 1 - len(pairs)
    n = sums[:, 0]
    found = np.full((len(sums), len(pairs)), np.nan)
    for at, (one, other) in enumerate(pairs):
        first, second = sums[:, 1 + one], sums[:, 1 + other]
        spread = first * (n - first) * second * (n - second)
        phi = n * sums[:, 1 + judges + at] - first * second
        np.divide(phi, np.sqrt(spread), out=found[:, at], where=spread > 0)
    return found
