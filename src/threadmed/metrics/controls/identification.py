"""What is left of a rate once the identification of misconceptions is doubted.

PCR counts answers to questions that a model labelled. Some of these carry no
misconception, and some misconceptions were missed: experts who check a sample of
labelled questions, and of unlabelled ones, say how many.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from threadmed.metrics.corrected.adjusted import Adjusted, AdjustedNumber
from threadmed.metrics.estimates import NotEstimable, Number
from threadmed.metrics.intervals import (
    FEWEST_ITEMS,
    Codes,
    Values,
    clopper_pearson,
    effective_n,
    few_threads,
    rate,
    totals,
)
from threadmed.metrics.quantiles import normal_quantile
from threadmed.records import Labelled, PanelScore, Question, Record, Setting

FEWEST_CHECKED = 30
"""Below this many checked questions an estimate is flagged (convention)."""
FEWEST_CONFIRMED = 5
"""Below this many confirmed questions a rate among them is not given (convention)."""
ENOUGH_CONFIRMED = 10
"""Below this many confirmed questions the rate is flagged (convention)."""
ALIKE = "every item has the same score"
CHECKED_AT_RANDOM = "the checked questions are a random sample of the labelled ones"
UNLABELLED_AT_RANDOM = (
    "the checked questions are a random sample of the unlabelled ones"
)


class TrueRate(Record, frozen=True, kw_only=True):
    """PCR of one target and setting among true misconceptions."""

    target: str
    setting: Setting
    n_scored: int
    """Scored items of labelled questions."""
    n_checked: int
    """Of these, items whose question an expert checked."""
    pcr: Number
    """As labelled."""
    true_pcr: AdjustedNumber
    """Among labelled questions that do carry a misconception."""
    with_missed: "Bound | NotEstimable"
    """Among all misconceptions, missed ones included."""


class Bound(Record, frozen=True, kw_only=True, tag="bound", tag_field="kind"):
    """Between what a rate must lie; no interval, since the missed were not asked."""

    low: float
    """Every missed one a failure, as many missed as may be, the rate at its lowest."""
    high: float
    """Every missed one corrected, and the rate at its highest."""


class IdentificationUncertainty(Record, frozen=True, kw_only=True):
    """How far the identification may be trusted, and what that does to PCR."""

    n_labelled: int
    """Questions that were said to carry a misconception."""
    n_unlabelled: int
    """Questions that were said to carry none."""
    n_checked: int
    """Labelled questions that an expert checked."""
    n_unlabelled_checked: int
    """Unlabelled questions that an expert checked."""
    precision: Number
    """Share of checked labelled questions that carry a misconception."""
    missed: AdjustedNumber
    """Misconceptions among the unlabelled questions, a number of questions."""
    recall: "Bound | NotEstimable"
    """Share of all misconceptions that were labelled, from the limits of the two."""
    rates: tuple[TrueRate, ...]
    warnings: tuple[str, ...]


class Checks(NamedTuple):
    """Scored items of labelled questions, some of which an expert checked."""

    corrected: Values
    """Shape (N,), 1 where the score is 1, else 0."""
    is_true: Values
    """Shape (N,), 1 or 0 where the expert said whether the question carries a
    misconception; NaN where it was not checked."""
    threads: Codes
    """Shape (N,)."""


class _Missed(NamedTuple):
    """How many misconceptions may have been missed, and how many were labelled."""

    low: float
    high: float
    precision: float
    n_labelled: int


def true_pcr(checks: Checks, *, level: float = 0.95) -> AdjustedNumber:
    """Estimate PCR among labelled questions that do carry a misconception.

    Post-stratified by score: w is the share of score 1 among the N, q_s the share of
    true ones among the k_s checked with score 1 or without, as (true + .5)/(k_s + 1);
    A = w q_1, B = (1-w) q_0; the rate is A/(A+B), on the logit scale with
    SE^2 = 1/(N w (1-w)) + sum_s (1-q_s)/(q_s (k_s + 1)), N the effective number.

    Args:
        checks: The items.
        level: Coverage aimed at, in (0, 1).

    Returns:
        The rate; a reason if all scores are alike, one kind was not checked, or fewer
        than `FEWEST_CONFIRMED` of the checked questions carry a misconception.

    Example:
        >>> corrected = np.repeat([1.0, 0.0], 100)
        >>> is_true = np.where(np.arange(200) % 100 < 40, 1.0, np.nan)
        >>> round(true_pcr(Checks(corrected, is_true, np.arange(200))).value, 3)
        0.5
    """
    share = float(checks.corrected.mean())
    is_checked = ~np.isnan(checks.is_true)
    hits = checks.corrected == 1
    k_1, k_0 = int((is_checked & hits).sum()), int((is_checked & ~hits).sum())
    if share in {0.0, 1.0}:
        return NotEstimable(reason=ALIKE, n=len(checks.corrected))
    confirmed = int(checks.is_true[is_checked].sum())
    if not (k_1 and k_0) or confirmed < FEWEST_CONFIRMED:
        return _too_few(k_1, k_0, confirmed=confirmed)
    q_1 = (checks.is_true[is_checked & hits].sum() + 0.5) / (k_1 + 1)
    q_0 = (checks.is_true[is_checked & ~hits].sum() + 0.5) / (k_0 + 1)
    worth = effective_n(totals(checks.corrected, checks.threads))
    square = 1 / (worth * share * (1 - share))
    square += sum((1 - q) / (q * (k + 1)) for q, k in ((q_1, k_1), (q_0, k_0)))
    middle = float(np.log(share * q_1 / ((1 - share) * q_0)))
    half = normal_quantile(level) * square**0.5
    held = len(np.unique(checks.threads[is_checked]))
    return Adjusted(
        value=_share(middle),
        low=_share(middle - half),
        high=_share(middle + half),
        level=level,
        n=k_1 + k_0,
        threads=held,
        method="logit",
        assumes=CHECKED_AT_RANDOM,
        flag=_few_checked(k_1 + k_0, held, confirmed=confirmed),
    )


def _too_few(k_1: int, k_0: int, *, confirmed: int) -> NotEstimable:
    """Say what is missing of the items that were checked, or of those confirmed."""
    if not (k_1 and k_0):
        reason = f"of the checked items {k_1} are corrected and {k_0} are not"
        return NotEstimable(reason=reason, n=k_1 + k_0)
    reason = (
        f"fewer than {FEWEST_CONFIRMED} checked questions were confirmed"
        if confirmed
        else "no checked question was confirmed"
    )
    return NotEstimable(reason=reason, n=k_1 + k_0, hits=confirmed)


def _share(logit: float) -> float:
    return float(1 / (1 + np.exp(-logit)))


def _few_checked(checked: int, threads: int, *, confirmed: int | None = None) -> str:
    few = f"fewer than {FEWEST_CHECKED} checked" if checked < FEWEST_CHECKED else ""
    thin = (
        f"fewer than {ENOUGH_CONFIRMED} confirmed"
        if confirmed is not None and confirmed < ENOUGH_CONFIRMED
        else ""
    )
    return "; ".join(part for part in (few, thin, few_threads(threads)) if part)


def missed(
    found: int, controls: int, n_unlabelled: int, *, threads: int, level: float = 0.95
) -> AdjustedNumber:
    """Estimate how many misconceptions the identification missed.

    The share of control questions with its exact interval, times the unlabelled.

    Args:
        found: Control questions that do carry a misconception.
        controls: Unlabelled questions that an expert checked.
        n_unlabelled: All unlabelled questions.
        threads: Threads that hold the control questions.
        level: Coverage aimed at, in (0, 1).

    Returns:
        A number of questions; a reason without controls.

    References:
        Clopper and Pearson (1934).

    Example:
        >>> some = missed(0, 12, 1000, threads=12)
        >>> some.value, round(some.low), round(some.high)
        (0.0, 0, 265)
    """
    if controls < FEWEST_ITEMS:
        reason = f"fewer than {FEWEST_ITEMS} unlabelled questions were checked"
        return NotEstimable(reason=reason, n=controls, hits=found)
    limits = clopper_pearson(found, controls, level=level)
    return Adjusted(
        value=found / controls * n_unlabelled,
        # Those that were seen are there for certain.
        low=max(float(found), limits.low * n_unlabelled),
        high=limits.high * n_unlabelled,
        level=level,
        n=controls,
        threads=threads,
        method="clopper_pearson",
        assumes=UNLABELLED_AT_RANDOM,
        flag=_few_checked(controls, threads),
    )


def identification_uncertainty(
    rows: Sequence[PanelScore],
    labels: Sequence[Labelled],
    experts: Mapping[Question, bool],
    *,
    level: float = 0.95,
) -> IdentificationUncertainty:
    """Say how far the identification may be trusted, and what that does to PCR.

    Args:
        rows: The panel's scores.
        labels: Of the source that the study goes by, each question at most once.
        experts: Whether a checked question carries a misconception: of labelled
            questions for precision, of unlabelled ones for what was missed.
        level: Coverage aimed at, in (0, 1).

    Example:
        >>> identification_uncertainty([], [], {}).precision.reason
        'no scored items'
    """
    said = {(label.thread_id, label.turn): label.misconception for label in labels}
    # In the order of the labels, so that nothing depends on that of the experts.
    checked = {at: experts[at] for at, yes in said.items() if yes and at in experts}
    controls = {
        at: experts[at] for at, yes in said.items() if not yes and at in experts
    }
    n_labelled = sum(said.values())
    precision = _precision(checked, level=level)
    misses = missed(
        sum(controls.values()),
        len(controls),
        len(said) - n_labelled,
        threads=len({thread for thread, _ in controls}),
        level=level,
    )
    spread = _spread(precision, misses, n_labelled)
    return IdentificationUncertainty(
        n_labelled=n_labelled,
        n_unlabelled=len(said) - n_labelled,
        n_checked=len(checked),
        n_unlabelled_checked=len(controls),
        precision=precision,
        missed=misses,
        recall=_recall(precision, spread),
        rates=tuple(
            _true_rate(name, group, checked, spread, level=level)
            for name, group in _scored(rows).items()
        ),
        warnings=_warnings(experts, said, len(checked), len(controls)),
    )


def _scored(
    rows: Sequence[PanelScore],
) -> dict[tuple[str, Setting], list[PanelScore]]:
    groups: dict[tuple[str, Setting], list[PanelScore]] = {}
    for row in rows:
        if row.misconception and row.score is not None:
            groups.setdefault((row.target, row.setting), []).append(row)
    return groups


def _precision(checked: Mapping[Question, bool], *, level: float) -> Number:
    codes = {name: code for code, name in enumerate(sorted({at[0] for at in checked}))}
    return rate(
        np.array(list(checked.values()), dtype=np.float64),
        np.array([codes[thread] for thread, _ in checked], dtype=np.int64),
        level=level,
    )


def _spread(
    precision: Number, misses: AdjustedNumber, n_labelled: int
) -> _Missed | NotEstimable:
    if isinstance(misses, NotEstimable):
        return misses
    if isinstance(precision, NotEstimable):
        return precision
    return _Missed(misses.low, misses.high, precision.value, n_labelled)


def _recall(precision: Number, spread: _Missed | NotEstimable) -> Bound | NotEstimable:
    if isinstance(spread, NotEstimable):
        return spread
    if isinstance(precision, NotEstimable):
        return precision
    low, high = precision.low * spread.n_labelled, precision.high * spread.n_labelled
    return Bound(low=_part(low, low + spread.high), high=_part(high, high + spread.low))


def _part(some: float, everyone: float) -> float:
    """Give a share; of nobody it is 1, as nothing was missed."""
    return some / everyone if everyone > 0 else 1.0


def _true_rate(
    name: tuple[str, Setting],
    group: Sequence[PanelScore],
    checked: Mapping[Question, bool],
    spread: _Missed | NotEstimable,
    *,
    level: float,
) -> TrueRate:
    codes = {
        thread: code for code, thread in enumerate(sorted({r.thread_id for r in group}))
    }
    checks = Checks(
        corrected=np.array([row.score == 1 for row in group], dtype=np.float64),
        is_true=np.array(
            [checked.get((row.thread_id, row.turn), np.nan) for row in group],
            dtype=np.float64,
        ),
        threads=np.array([codes[row.thread_id] for row in group], dtype=np.int64),
    )
    true = true_pcr(checks, level=level)
    return TrueRate(
        target=name[0],
        setting=name[1],
        n_scored=len(group),
        n_checked=int((~np.isnan(checks.is_true)).sum()),
        pcr=rate(checks.corrected, checks.threads, level=level),
        true_pcr=true,
        with_missed=_bound(true, spread),
    )


def _bound(
    true: AdjustedNumber, spread: _Missed | NotEstimable
) -> Bound | NotEstimable:
    if isinstance(true, NotEstimable):
        return true
    if isinstance(spread, NotEstimable):
        return spread
    labelled = spread.precision * spread.n_labelled
    everyone = labelled + spread.high
    if everyone <= 0:
        return NotEstimable(reason="there may be no misconception", n=true.n)
    return Bound(
        low=true.low * labelled / everyone,
        high=(true.high * labelled + spread.high) / everyone,
    )


def _warnings(
    experts: Mapping[Question, bool],
    said: Mapping[Question, bool],
    checked: int,
    controls: int,
) -> tuple[str, ...]:
    strangers = sum(at not in said for at in experts)
    found = []
    if strangers:
        found.append(f"{strangers:,} checked questions have no label and were left out")
    if checked < FEWEST_CHECKED:
        found.append(f"only {checked} labelled questions were checked")
    if not controls:
        found.append("no unlabelled question was checked: what was missed is not known")
    return tuple(found)
