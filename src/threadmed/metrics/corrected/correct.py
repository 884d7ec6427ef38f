"""From the panel's scores and experts' to rates with the judge's errors taken out."""

from collections.abc import Mapping, Sequence

import numpy as np

from threadmed.metrics.bootstrap import stream
from threadmed.metrics.corrected.adjusted import AdjustedNumber
from threadmed.metrics.corrected.contrasts import ASSUMED, differences, means
from threadmed.metrics.corrected.debias import (
    FEWEST_LABELS,
    Sample,
    corrected_mean,
    corrected_rate,
)
from threadmed.metrics.corrected.humans import humans_mean, humans_rate
from threadmed.metrics.corrected.inversion import Inverted, Labels, invert
from threadmed.metrics.corrected.label_budget import LabelsNeeded, to_halve
from threadmed.metrics.corrected.records import (
    Corrected,
    CorrectionOptions,
    Expert,
    JudgeCorrection,
    Versions,
)
from threadmed.metrics.corrected.rogan_gladen import Known, rogan_gladen
from threadmed.metrics.corrected.samples import (
    Group,
    Name,
    believed,
    grouped,
    pooled_labels,
    sampling_of,
    weighed,
)
from threadmed.metrics.corrected.sampling import (
    Imbalance,
    imbalances,
    membership,
    warning,
)
from threadmed.metrics.corrected.stratified import by_verdict
from threadmed.metrics.estimates import Estimate, NotEstimable, Number
from threadmed.metrics.intervals import FEW_THREADS, mean_score, rate
from threadmed.records import Item, PanelScore

LARGEST_SPREAD = 20
"""Weights whose largest is so many times the smallest make an interval unsteady."""

UNWEIGHTED = (
    "labels were drawn with unlike chances, which Rogan-Gladen and inversion do not "
    "weight by; PPI++ does"
)


def correct(
    rows: Sequence[PanelScore],
    experts: Mapping[Item, Expert],
    *,
    options: CorrectionOptions | None = None,
) -> JudgeCorrection:
    """Take the judge's errors out of PCR and PCS, with the experts' scores of some items.

    Args:
        rows: The panel's scores; those without a misconception are passed over.
        experts: What experts said, by item. Chances of being drawn are used where they
            are recorded for every label of a target and setting.
        options: How.

    Returns:
        A group for every target and setting that has a judged item, in the order of
        first appearance, with and without labels.

    Example:
        >>> from threadmed.records import PanelScore, ThreadId
        >>> row = PanelScore(target="m", setting="oracle", thread_id=ThreadId("T1"),
        ...     turn=2, score=1, outcome="scored")
        >>> correct([row], {}).groups[0].pcr.corrected
        NotEstimable(reason='fewer than 30 labels', n=0, hits=None)
    """
    asked = options or CorrectionOptions()
    groups = grouped(rows, experts)
    if not groups:
        return _nothing(asked, len(experts))
    labels = None if _are_unlike(groups) else pooled_labels(groups)
    found = tuple(
        _corrected(name, group, labels, options=asked) for name, group in groups.items()
    )
    labelled = {(r.target, r.setting, r.thread_id, r.turn) for r in rows}
    matched = sum(item in labelled for item in experts)
    differ = _differ(groups)
    return JudgeCorrection(
        options=asked,
        n_labels=sum(group.n_labels for group in found),
        n_unmatched=len(experts) - matched,
        groups=found,
        means=means(groups, options=asked),
        differences=differences(groups, options=asked),
        imbalances=differ,
        warnings=_whole_warnings(groups, differ, len(experts) - matched),
    )


def _nothing(options: CorrectionOptions, unmatched: int) -> JudgeCorrection:
    return JudgeCorrection(
        options=options,
        n_labels=0,
        n_unmatched=unmatched,
        groups=(),
        means=(),
        differences=(),
        imbalances=(),
        warnings=("the table has no judged item",),
    )


def _corrected(
    name: Name, group: Group, labels: Labels | None, *, options: CorrectionOptions
) -> Corrected:
    """Correct one target and setting.

    Labels are those of all targets; None where they cannot be pooled without weights.
    """
    shares = weighed(group.shares, group, options=options)
    scores = weighed(group.sample, group, options=options)
    pcr = _versions(shares, options=options)
    differ = imbalances(group.columns, shares.is_labelled)
    inverted = _inverted(name, group, labels, options=options)
    return Corrected(
        target=name[0],
        setting=name[1],
        n_judged=len(shares.judge),
        n_labels=shares.m,
        n_label_threads=shares.label_threads,
        n_unjudged=group.n_unjudged,
        sampling=sampling_of(group, options),
        lam=believed(shares, pcr.corrected, options=options),
        pcr=pcr,
        pcs=_pcs_versions(scores, options=options),
        post_stratified=_post_stratified(group.shares, group.sample, options=options),
        rogan_gladen=_from_elsewhere(shares, labels, level=options.level),
        inverted_pcr=inverted.pcr,
        inverted_pcs=inverted.pcs,
        imbalances=differ,
        to_halve=_halved(shares, level=options.level),
        warnings=_warnings(group, shares, differ, pcr, options=options),
    )


def _versions(shares: Sample, *, options: CorrectionOptions) -> Versions:
    return Versions(
        judge=rate(shares.judge, shares.threads, level=options.level),
        humans=humans_rate(shares, level=options.level),
        corrected=corrected_rate(shares, lam=options.lam, level=options.level),
    )


def _pcs_versions(scores: Sample, *, options: CorrectionOptions) -> Versions:
    return Versions(
        judge=mean_score(scores.judge, scores.threads, level=options.level),
        humans=humans_mean(scores, level=options.level),
        corrected=corrected_mean(scores, lam=options.lam, level=options.level),
    )


def _post_stratified(
    shares: Sample, scores: Sample, *, options: CorrectionOptions
) -> Number:
    if not options.by_verdict:
        return NotEstimable(reason="labels were not drawn by verdict", n=shares.m)
    return by_verdict(shares._replace(judge=scores.judge), level=options.level)


def _from_elsewhere(
    shares: Sample, labels: Labels | None, *, level: float
) -> AdjustedNumber:
    if labels is None:
        return NotEstimable(reason=UNWEIGHTED, n=shares.m)
    true, said = labels.expert == 1, labels.judge == 1
    known = Known(
        true_yes=int((true & said).sum()),
        yes=int(true.sum()),
        true_no=int((~true & ~said).sum()),
        no=int((~true).sum()),
    )
    return rogan_gladen(
        int(shares.judge.sum()),
        len(shares.judge),
        known=known,
        threads=len(np.unique(labels.threads)),
        level=level,
    )


def _inverted(
    name: Name, group: Group, labels: Labels | None, *, options: CorrectionOptions
) -> Inverted:
    if labels is None:
        refused = NotEstimable(reason=UNWEIGHTED, n=group.sample.m)
        return Inverted(pcr=refused, pcs=refused)
    return invert(
        group.sample.judge,
        group.sample.threads,
        labels=labels,
        draws=options.draws,
        level=options.level,
        rng=stream(options.seed, *name, "inversion"),
    )


def _halved(shares: Sample, *, level: float) -> LabelsNeeded | NotEstimable:
    found = to_halve(shares, level=level)
    alike = "no labels, or all of them alike"
    return NotEstimable(reason=alike, n=shares.m) if found is None else found


def _warnings(
    group: Group,
    shares: Sample,
    differ: Sequence[Imbalance],
    pcr: Versions,
    *,
    options: CorrectionOptions,
) -> tuple[str, ...]:
    """Say in sentences what a reader of one target and setting must know."""
    m = shares.m
    assumed = m > 0 and sampling_of(group, options) == "assumed_random"
    found = [
        (
            m < FEWEST_LABELS,
            f"{m} labels are too few for a correction",
        ),
        (
            0 < shares.label_threads < FEW_THREADS,
            f"the labels come from {shares.label_threads} threads only",
        ),
        (assumed, ASSUMED),
        (assumed and bool(warning(differ)), warning(differ)),
        (
            group.n_unjudged > 0,
            f"{group.n_unjudged} labelled items have no score of the panel",
        ),
        (
            m > 0 and _is_unsteady(shares),
            f"one label counts more than {LARGEST_SPREAD} times another",
        ),
        (
            isinstance(pcr.corrected, Estimate) and _never_errs(shares),
            "the judge agrees with every label: the interval takes it for perfect",
        ),
    ]
    return tuple(text for is_so, text in found if is_so)


def _is_unsteady(shares: Sample) -> bool:
    weights = shares.weights
    return bool(weights.max() > LARGEST_SPREAD * weights.min())


def _never_errs(shares: Sample) -> bool:
    labelled = shares.is_labelled
    return bool((shares.judge[labelled] == shares.expert[labelled]).all())


def _differ(groups: Mapping[Name, Group]) -> tuple[Imbalance, ...]:
    """Compare labelled and unlabelled items of all targets and settings together."""
    sizes = [len(group.turns) for group in groups.values()]
    names = [n for n, size in zip(groups, sizes, strict=True) for _ in range(size)]
    columns = {
        what: np.concatenate([group.columns[what] for group in groups.values()])
        for what in ("judge score", "turn")
    }
    columns |= membership([name[0] for name in names], what="target")
    columns |= membership([name[1] for name in names], what="setting")
    labelled = [group.sample.is_labelled for group in groups.values()]
    return imbalances(columns, np.concatenate(labelled))


def _whole_warnings(
    groups: Mapping[Name, Group], differ: Sequence[Imbalance], unmatched: int
) -> tuple[str, ...]:
    assumed = any(g.sample.m and not g.is_recorded for g in groups.values())
    found = [
        (unmatched > 0, f"{unmatched} labels fit no item of the table"),
        (assumed and bool(warning(differ)), warning(differ)),
        (_are_unlike(groups), UNWEIGHTED),
    ]
    return tuple(text for is_so, text in found if is_so)


def _are_unlike(groups: Mapping[Name, Group]) -> bool:
    """Tell whether some recorded chances of labels differ from others."""
    chances = {
        float(chance)
        for group in groups.values()
        if group.sample.probability is not None
        for chance in group.sample.probability[group.sample.is_labelled]
    }
    return len(chances) > 1
