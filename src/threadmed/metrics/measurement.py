"""What `measure` is asked and what it gives: the records behind every printed number.

Measurement
├── groups               one target in one setting: rates, turns, trajectory, trend
├── settings_same_items  one target's settings against each other
├── comparisons          targets against each other in their main setting
├── losses               one target's fall from turn 0 to turn 2, in two parts
├── decompositions       one target's decline by turn, and within threads
└── published_oracles    the paper's oracle aggregate (mode as_published only)
"""

from typing import Annotated, Literal

import msgspec

from threadmed.metrics.compared import (
    Comparison,
    Decomposition,
    FallShares,
    Loss,
    PairedTest,
    Question,
    SameItems,
    SettingRate,
    Side,
    Step,
    Support,
    TurnParts,
)
from threadmed.metrics.course import (
    ErrorPropagation,
    FirstFailure,
    Flips,
    LifePoint,
    Recovery,
    RecoveryPairs,
    Trajectory,
    Trend,
    WorkingCorrelation,
)
from threadmed.metrics.estimates import Number
from threadmed.records import Record, ScoreOutcome, Setting

__all__ = [
    "Bounds",
    "Comparison",
    "Decomposition",
    "Difference",
    "ErrorPropagation",
    "FallShares",
    "FirstFailure",
    "Flips",
    "Group",
    "LifePoint",
    "Loss",
    "MeasureOptions",
    "Measurement",
    "Mode",
    "OutcomeCount",
    "PValue",
    "PairedTest",
    "PublishedOracle",
    "Question",
    "Recovery",
    "RecoveryPairs",
    "SameItems",
    "ScoreCount",
    "SettingRate",
    "Side",
    "SideBySide",
    "Step",
    "Support",
    "Trajectory",
    "Trend",
    "TurnParts",
    "TurnRates",
    "WorkingCorrelation",
]

Mode = Literal["recommended", "as_published"]
"""Our intervals, or the paper's bootstrap; docs/methods.md says what differs."""

PValue = Literal["exact", "mid"]
"""Whether a test counts an outcome as extreme as the one seen whole or by half."""


class MeasureOptions(Record, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What decides how scores become numbers."""

    mode: Mode = "recommended"
    level: Annotated[float, msgspec.Meta(gt=0, lt=1)] = 0.95
    """Coverage that intervals aim at."""
    draws: Annotated[int, msgspec.Meta(ge=100)] = 1_000
    """Bootstrap samples of a rate; only `as_published` draws any."""
    thread_draws: Annotated[int, msgspec.Meta(ge=100)] = 10_000
    """Bootstrap samples of threads, for the numbers that have no formula."""
    seed: Annotated[int, msgspec.Meta(ge=0)] = 0
    """Where the bootstrap starts; the same seed gives the same intervals."""
    recovery_pairs: RecoveryPairs = "consecutive"
    """Which pairs the RR of a group is over; its trajectory has both."""
    p_value: PValue = "exact"
    working_correlation: WorkingCorrelation = "independence"
    """How the trend weighs items of one thread."""


class OutcomeCount(Record, frozen=True, kw_only=True):
    """How many items ended so."""

    outcome: ScoreOutcome
    n: int


class ScoreCount(Record, frozen=True, kw_only=True):
    """How many items have each score."""

    not_noticed: int
    """Score -1."""
    partly: int
    """Score 0."""
    corrected: int
    """Score 1."""


class Bounds(Record, frozen=True, kw_only=True):
    """What PCR would be if the missing scores were known at their extremes.

    The interval that holds whatever the missing scores are goes from the lower limit
    of `all_wrong` to the upper limit of `all_right`.
    """

    n_missing: int
    all_wrong: Number
    """PCR over all items, every missing score taken for a failure."""
    all_right: Number
    """PCR over all items, every missing score taken for a correction."""
    is_needed: bool
    """Whether coverage is below 95 %: then the rate may not stand without its bounds."""


class TurnRates(Record, frozen=True, kw_only=True):
    """The rates of one turn, counted from 0."""

    turn: int
    n_items: int
    n_scored: int
    pcr: Number
    pcs: Number


class Group(Record, frozen=True, kw_only=True):
    """The numbers of one target in one setting, over labelled turns."""

    target: str
    setting: Setting
    n_items: int
    n_scored: int
    n_threads: int
    """Threads with at least one scored item."""
    n_without_misconception: int
    """Rows whose question carries no misconception; they enter no number."""
    outcomes: tuple[OutcomeCount, ...]
    """How the items ended; outcomes that did not occur are left out."""
    coverage: float
    """Share of items that have a score, in [0, 1]."""
    counts: ScoreCount
    pcr: Number
    uncorrected: Number
    pcs: Number
    bounds: Bounds
    by_turn: tuple[TurnRates, ...]
    recovery: Recovery
    trajectory: Trajectory
    trend: Trend
    tie_breaks: int
    """Scores that the primary judge decided for want of a majority."""


class PublishedOracle(Record, frozen=True, kw_only=True):
    """The oracle aggregate with turn 0 copied in, as the paper seems to have it."""

    target: str
    n_oracle: int
    n_copied: int
    """Scores of turn 0, taken from multi_turn: the oracle has no turn 0."""
    pcr: Number
    uncorrected: Number


class Measurement(Record, frozen=True, kw_only=True):
    """Every number of a scores table."""

    version: int = 1
    options: MeasureOptions
    n_rows: int
    n_without_misconception: int
    groups: tuple[Group, ...]
    """Targets in order of first appearance, settings in their usual order; a target
    and setting without labelled items has no group."""
    settings_same_items: tuple[SameItems, ...]
    """Targets that have at least two of multi_turn, target_turn and oracle."""
    comparisons: tuple[Comparison, ...]
    losses: tuple[Loss, ...]
    """Targets that were asked in multi_turn."""
    decompositions: tuple[Decomposition, ...]
    """The same targets."""
    published_oracles: tuple[PublishedOracle, ...]


class Difference(Record, frozen=True, kw_only=True):
    """A number that the two modes give unlike."""

    what: str
    """Where it stands: target, setting, turn where it is of one, and its name."""
    recommended: Number
    as_published: Number
    why: str


class SideBySide(Record, frozen=True, kw_only=True):
    """A scores table measured in both modes."""

    version: int = 1
    recommended: Measurement
    as_published: Measurement
    differs: tuple[Difference, ...]
