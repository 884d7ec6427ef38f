"""What experts' scores change about the rates that a judge gave: the records.

`judge_correction.correct` fills them in.

JudgeCorrection
├── groups        one target in one setting
├── means         one setting, the mean over its targets
└── differences   targets in their main setting, and settings of one target, on the same
                  items
"""

from typing import Annotated, Literal, NamedTuple

import msgspec

from threadmed.metrics.corrected.adjusted import AdjustedNumber
from threadmed.metrics.corrected.label_budget import LabelsNeeded
from threadmed.metrics.corrected.sampling import Imbalance
from threadmed.metrics.estimates import NotEstimable, Number
from threadmed.records import Record, Score, Setting

Sampling = Literal["recorded", "by_verdict", "assumed_random"]
"""How the labelled items were drawn: with chances that are known, by what the judge
had said, or in a way that nobody recorded."""


class Expert(NamedTuple):
    """What an expert said of one answer."""

    score: Score
    probability: float | None = None
    """Chance with which the item was drawn to be labelled; None is not recorded."""


class CorrectionOptions(Record, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How a judge's errors are taken out."""

    tuning: Literal["tuned", "plain"] = "tuned"
    """PPI++, which says itself how far the judge is believed, or PPI, which does not."""
    by_verdict: bool = False
    """Whether labelled items were drawn by what the judge had said of them."""
    level: Annotated[float, msgspec.Meta(gt=0, lt=1)] = 0.95
    draws: Annotated[int, msgspec.Meta(ge=100)] = 10_000
    """Bootstrap samples of the 3x3 inversion."""
    seed: Annotated[int, msgspec.Meta(ge=0)] = 0

    @property
    def lam(self) -> float | None:
        """As `debias.ppi` takes it."""
        return None if self.tuning == "tuned" else 1.0


class Versions(Record, frozen=True, kw_only=True):
    """One number by the judge, by the experts, and by both."""

    judge: Number
    """Over all judged items."""
    humans: Number
    """Over the labelled items, the judge left out."""
    corrected: Number
    """PPI++ over all judged items."""


class Corrected(Record, frozen=True, kw_only=True):
    """The rates of one target in one setting with the judge's errors taken out."""

    target: str
    setting: Setting
    n_judged: int
    """N: items that the panel scored."""
    n_labels: int
    """m: items that the panel and an expert scored."""
    n_label_threads: int
    n_unjudged: int
    """Items that an expert scored and the panel did not; they are left out."""
    sampling: Sampling
    lam: float | None
    """How far the judge is believed for PCR, in [0, 1]; None without correction."""
    pcr: Versions
    pcs: Versions
    post_stratified: Number
    """PCR from labels by verdict; a reason where they were not drawn so."""
    rogan_gladen: AdjustedNumber
    """PCR from the judge's errors on all labels, of every target and setting."""
    inverted_pcr: Number
    """PCR from the judge's 3x3 confusion on all labels."""
    inverted_pcs: Number
    imbalances: tuple[Imbalance, ...]
    """Labelled against unlabelled items, the largest difference first."""
    to_halve: LabelsNeeded | NotEstimable
    """Labels that would halve the interval of the corrected PCR."""
    warnings: tuple[str, ...]


class CorrectedMean(Record, frozen=True, kw_only=True):
    """The plain mean over the targets of one setting."""

    setting: Setting
    targets: tuple[str, ...]
    n_labels: int
    lam: float | None
    judge: Number
    corrected: Number


class CorrectedDifference(Record, frozen=True, kw_only=True):
    """PCR of one side minus PCR of the other, on the items judged on both."""

    first: tuple[str, Setting]
    second: tuple[str, Setting]
    n_judged: int
    """Items judged on both sides."""
    n_labels: int
    """Of these, items labelled on both sides."""
    lam: float | None
    difference: Versions
    warnings: tuple[str, ...]


class JudgeCorrection(Record, frozen=True, kw_only=True):
    """Everything that experts' scores change about a table of a judge's scores."""

    version: int = 1
    options: CorrectionOptions
    n_labels: int
    """Labels that fit an item of the table."""
    n_unmatched: int
    """Labels that fit none; they are left out."""
    groups: tuple[Corrected, ...]
    means: tuple[CorrectedMean, ...]
    differences: tuple[CorrectedDifference, ...]
    imbalances: tuple[Imbalance, ...]
    """Over all targets and settings together."""
    warnings: tuple[str, ...]
