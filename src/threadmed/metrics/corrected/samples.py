"""The judged items of each target and setting, with what experts said of some."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from threadmed.metrics.corrected.debias import Sample, ppi
from threadmed.metrics.corrected.inversion import Labels
from threadmed.metrics.corrected.records import CorrectionOptions, Expert, Sampling
from threadmed.metrics.estimates import Estimate, Number
from threadmed.metrics.intervals import Codes, Values
from threadmed.metrics.items import thread_codes
from threadmed.records import Item, PanelScore, Setting

Name = tuple[str, Setting]
"""Target and setting."""


class Group(NamedTuple):
    """One target in one setting: what the panel and the experts scored, in columns."""

    sample: Sample
    """Scores -1, 0 and 1 of the judged items, ordered by thread and turn."""
    turns: Codes
    """Shape (N,)."""
    n_unjudged: int

    @property
    def shares(self) -> Sample:
        """The same with 1 for score 1 and 0 else."""
        judge, expert = self.sample.judge, self.sample.expert
        return self.sample._replace(
            judge=np.asarray(judge == 1, dtype=np.float64),
            expert=np.where(np.isnan(expert), np.nan, expert == 1),
        )

    @property
    def is_recorded(self) -> bool:
        """Whether the chances of being labelled are known."""
        return self.sample.probability is not None

    @property
    def columns(self) -> dict[str, Values]:
        """What labelled and unlabelled items are compared by."""
        return {
            "judge score": self.sample.judge,
            "turn": self.turns.astype(np.float64),
        }


def grouped(
    rows: Sequence[PanelScore], experts: Mapping[Item, Expert]
) -> dict[Name, Group]:
    """Set the judged items of every target and setting as columns.

    Example:
        >>> from threadmed.records import ThreadId
        >>> row = PanelScore(target="m", setting="oracle", thread_id=ThreadId("T1"), turn=2,
        ...     score=1, outcome="scored")
        >>> grouped([row], {})["m", "oracle"].turns
        array([2])
    """
    codes = thread_codes(rows)
    by_name: dict[Name, list[PanelScore]] = {}
    for row in rows:
        if row.misconception:
            by_name.setdefault((row.target, row.setting), []).append(row)
    found = {}
    for name, held in by_name.items():
        ordered = sorted(held, key=lambda row: (codes[row.thread_id], row.turn))
        judged = [row for row in ordered if row.score is not None]
        said = [experts.get((*name, row.thread_id, row.turn)) for row in judged]
        given = sum((*name, row.thread_id, row.turn) in experts for row in ordered)
        if judged:
            found[name] = Group(
                sample=Sample(
                    judge=np.array([row.score for row in judged], dtype=np.float64),
                    expert=np.array([one.score if one else np.nan for one in said]),
                    threads=np.array([codes[row.thread_id] for row in judged]),
                    probability=_probabilities(said),
                ),
                turns=np.array([row.turn for row in judged], dtype=np.int64),
                n_unjudged=given - sum(one is not None for one in said),
            )
    return found


def _probabilities(said: Sequence[Expert | None]) -> Values | None:
    """Take the recorded chances, if every label has one."""
    labels = [one.probability for one in said if one is not None]
    if not labels or None in labels:
        return None
    chances = [np.nan if one is None else one.probability for one in said]
    return np.array(chances, dtype=np.float64)


def pooled_labels(groups: Mapping[Name, Group]) -> Labels:
    """Put the labels of every target and setting together.

    Example:
        >>> sample = Sample(np.array([1.0, 0]), np.array([1.0, np.nan]), np.arange(2))
        >>> group = Group(sample, np.zeros(2, int), 0)
        >>> pooled_labels({("a", "oracle"): group, ("b", "oracle"): group}).expert
        array([1., 1.])
    """
    kept = [(group.sample, group.sample.is_labelled) for group in groups.values()]
    return Labels(
        expert=np.concatenate([sample.expert[mask] for sample, mask in kept]),
        judge=np.concatenate([sample.judge[mask] for sample, mask in kept]),
        threads=np.concatenate([sample.threads[mask] for sample, mask in kept]),
    )


def sampling_of(group: Group, options: CorrectionOptions) -> Sampling:
    """Say how the labelled items of a group were drawn.

    Example:
        >>> sample = Sample(np.array([1.0, 0]), np.array([1.0, np.nan]), np.arange(2))
        >>> sampling_of(Group(sample, np.zeros(2, int), 0), CorrectionOptions())
        'assumed_random'
    """
    if group.is_recorded:
        return "recorded"
    return "by_verdict" if options.by_verdict else "assumed_random"


def weighed(sample: Sample, group: Group, *, options: CorrectionOptions) -> Sample:
    """Give labels that were drawn by verdict the chances that this implies.

    Example:
        >>> sample = Sample(np.array([1.0, 1, 0]), np.array([1, np.nan, 0]), np.arange(3))
        >>> group = Group(sample, np.zeros(3, int), 0)
        >>> weighed(sample, group, options=CorrectionOptions(by_verdict=True)).probability
        array([0.5, 0.5, 1. ])
    """
    if group.is_recorded or not options.by_verdict or sample.m == 0:
        return sample
    _, kinds = np.unique(group.sample.judge, return_inverse=True)
    drawn = np.bincount(kinds[sample.is_labelled], minlength=kinds.max() + 1)
    return sample._replace(probability=(drawn / np.bincount(kinds))[kinds])


def believed(
    sample: Sample, found: Number, *, options: CorrectionOptions
) -> float | None:
    """Say how far the judge was believed; None where there was no correction.

    Example:
        >>> from threadmed.metrics.corrected.debias import corrected_rate
        >>> f = np.tile([1.0, 0, 1, 1], 30)
        >>> sample = Sample(f, np.where(np.arange(120) < 40, f, np.nan), np.arange(120))
        >>> round(believed(sample, corrected_rate(sample), options=CorrectionOptions()), 6)
        1.0
    """
    is_fit = isinstance(found, Estimate)
    return ppi(sample, lam=options.lam).lam if is_fit else None
