"""Corrected means over targets, and corrected differences on the same items."""

from collections.abc import Mapping
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from threadmed.metrics.comparison import paired_difference
from threadmed.metrics.contrasts import main_setting
from threadmed.metrics.corrected.debias import Sample, corrected_difference
from threadmed.metrics.corrected.records import (
    CorrectedDifference,
    CorrectedMean,
    CorrectionOptions,
    Versions,
)
from threadmed.metrics.corrected.samples import Group, Name, believed, weighed
from threadmed.metrics.corrected.stratified import (
    fit_over_groups,
    judged_mean,
    mean_over_groups,
)
from threadmed.metrics.estimates import Estimate
from threadmed.metrics.intervals import Values
from threadmed.records import ALL_SETTINGS, Setting

COMPARED: tuple[Setting, ...] = ("multi_turn", "target_turn", "oracle", "isolated")
"""Settings in pairs: the later of two is the first side."""
ASSUMED = "assumes that the labelled items are a random sample of the judged"


def means(
    groups: Mapping[Name, Group], *, options: CorrectionOptions
) -> tuple[CorrectedMean, ...]:
    """Give the plain mean over the targets of every setting that has several.

    Args:
        groups: From `grouped`.
        options: How.

    Example:
        >>> f = np.tile([1.0, 0, -1, 1], 30)
        >>> y = np.where(np.arange(120) < 40, f, np.nan)
        >>> sample = Sample(f, y, np.arange(120))
        >>> group = Group(sample, np.zeros(120, int), 0)
        >>> groups = {("a", "oracle"): group, ("b", "oracle"): group}
        >>> found = means(groups, options=CorrectionOptions())
        >>> found[0].targets, found[0].n_labels, found[0].corrected.value
        (('a', 'b'), 80, 0.5)
    """
    found = []
    for setting in ALL_SETTINGS:
        held = {name[0]: group for name, group in groups.items() if name[1] == setting}
        if len(held) < 2:
            continue
        shares = [weighed(g.shares, g, options=options) for g in held.values()]
        corrected = mean_over_groups(shares, lam=options.lam, level=options.level)
        is_fit = isinstance(corrected, Estimate)
        found.append(
            CorrectedMean(
                setting=setting,
                targets=tuple(held),
                n_labels=sum(share.m for share in shares),
                lam=fit_over_groups(shares, lam=options.lam).lam if is_fit else None,
                judge=judged_mean(
                    [(share.judge, share.threads) for share in shares],
                    level=options.level,
                ),
                corrected=corrected,
            )
        )
    return tuple(found)


def differences(
    groups: Mapping[Name, Group], *, options: CorrectionOptions
) -> tuple[CorrectedDifference, ...]:
    """Compare targets in their main setting, and the settings of every target, in pairs.

    Args:
        groups: From `grouped`.
        options: How.

    Returns:
        Pairs of which both sides have a judged item. Of settings the one that tells a
        target more is first.

    Example:
        >>> f = np.tile([1.0, 0, -1, 1], 30)
        >>> y = np.where(np.arange(120) < 40, f, np.nan)
        >>> sample = Sample(f, y, np.arange(120))
        >>> group = Group(sample, np.zeros(120, int), 0)
        >>> groups = {("a", "multi_turn"): group, ("b", "multi_turn"): group}
        >>> (found,) = differences(groups, options=CorrectionOptions())
        >>> found.n_judged, found.n_labels, found.difference.corrected.reason
        (120, 40, 'no two labelled items differ')
    """
    main = main_setting(setting for _, setting in groups)
    targets = list(dict.fromkeys(target for target, _ in groups))
    pairs: list[tuple[Name, Name]] = [
        ((one, main), (other, main)) for one, other in combinations(targets, 2)
    ]
    pairs += [
        ((target, one), (target, other))
        for target in targets
        for other, one in combinations(COMPARED, 2)
    ]
    return tuple(
        _difference(one, other, groups, options=options)
        for one, other in pairs
        if one in groups and other in groups
    )


def _difference(
    one: Name,
    other: Name,
    groups: Mapping[Name, Group],
    *,
    options: CorrectionOptions,
) -> CorrectedDifference:
    first, second = _shared(groups[one], groups[other], options=options)
    chances = _both_drawn(first, second)
    sample = Sample(
        first.judge - second.judge, first.expert - second.expert, first.threads, chances
    )
    labelled = sample.is_labelled
    corrected = corrected_difference(sample, lam=options.lam, level=options.level)
    product = "takes items of the two sides for drawn independently of each other"
    return CorrectedDifference(
        first=one,
        second=other,
        n_judged=len(sample.judge),
        n_labels=sample.m,
        lam=believed(sample, corrected, options=options),
        difference=Versions(
            judge=paired_difference(
                first.judge, second.judge, first.threads, level=options.level
            ),
            humans=paired_difference(
                first.expert[labelled],
                second.expert[labelled],
                first.threads[labelled],
                level=options.level,
            ),
            corrected=corrected,
        ),
        warnings=tuple(
            text
            for is_so, text in (
                (sample.m > 0 and sample.is_weighted, product),
                (sample.m > 0 and chances is None, ASSUMED),
            )
            if is_so
        ),
    )


def _shared(
    one: Group, other: Group, *, options: CorrectionOptions
) -> tuple[Sample, Sample]:
    """Keep the items that the panel scored on both sides, in the same order."""
    here, there = (group.sample.threads * 2**31 + group.turns for group in (one, other))
    return (
        _kept(weighed(one.shares, one, options=options), np.isin(here, there)),
        _kept(weighed(other.shares, other, options=options), np.isin(there, here)),
    )


def _kept(sample: Sample, mask: NDArray[np.bool_]) -> Sample:
    chances = sample.probability
    return Sample(
        sample.judge[mask],
        sample.expert[mask],
        sample.threads[mask],
        None if chances is None else chances[mask],
    )


def _both_drawn(first: Sample, second: Sample) -> Values | None:
    """Give the chance that both sides of an item are labelled, if it is known."""
    if first.probability is None or second.probability is None:
        return None
    return first.probability * second.probability
