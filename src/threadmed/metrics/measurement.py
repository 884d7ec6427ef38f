"""What `measure` is asked and what it gives: the records behind every printed number.

Measurement
├── groups               one target in one setting: rates, turns, recovery
├── settings_same_items  one target's settings against each other
├── comparisons          targets against each other in multi_turn
├── losses               one target's fall from turn 0 to turn 2, in two parts
└── published_oracles    the paper's oracle aggregate (mode as_published only)
"""

from typing import Annotated, Literal

import msgspec

from threadmed.metrics.estimates import NotEstimable, Number
from threadmed.records import Record, ScoreOutcome, Setting

Mode = Literal["recommended", "as_published"]
"""Our intervals, or the paper's bootstrap; docs/methods.md says what differs."""

RecoveryPairs = Literal["consecutive", "next_labelled"]
"""Which turn follows a failure: the very next one, or the thread's next labelled one."""


class MeasureOptions(Record, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What decides how scores become numbers."""

    mode: Mode = "recommended"
    level: Annotated[float, msgspec.Meta(gt=0, lt=1)] = 0.95
    """Coverage that intervals aim at."""
    draws: Annotated[int, msgspec.Meta(ge=100)] = 1_000
    """Bootstrap samples; only `as_published` draws any."""
    seed: Annotated[int, msgspec.Meta(ge=0)] = 0
    """Where the bootstrap starts; the same seed gives the same intervals."""
    recovery_pairs: RecoveryPairs = "consecutive"


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


class Recovery(Record, frozen=True, kw_only=True):
    """RR with the counts that it rests on."""

    pairs: int
    """Pairs of turns that are labelled and scored, whatever their scores."""
    starts: int
    """Failure-start pairs: those whose first turn does not have score 1."""
    recovered: int
    """Failure-start pairs whose second turn has score 1."""
    threads: int
    """Threads that hold failure-start pairs."""
    rate: Number


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
    tie_breaks: int
    """Scores that the primary judge decided for want of a majority."""


class PairedTest(Record, frozen=True, kw_only=True, tag="tested", tag_field="kind"):
    """An exact two-sided test that a paired difference is 0."""

    test: Literal["sign_flip", "mcnemar"]
    """Over threads, or over items where no thread has two; there both are the same."""
    p: float
    p_holm: float
    """Adjusted for the family by Holm's method."""
    family: str
    """The comparisons among which it was adjusted, in words."""
    family_size: int
    """How many they are, with those that could not be made (counted as p = 1)."""


class Side(Record, frozen=True, kw_only=True):
    """One of the two things compared, on the items that both have."""

    target: str
    setting: Setting
    pcr: Number


Question = Literal["targets", "propagation", "information", "oracle_gain"]
"""What a comparison asks: which target corrects more; what the target's own earlier
answers cost it; what the physician's answers add to none; what they add to its own."""


class Comparison(Record, frozen=True, kw_only=True):
    """PCR of `first` minus PCR of `second` on the same (thread, turn) items."""

    question: Question
    first: Side
    second: Side
    n: int
    """Items scored on both sides."""
    n_left_out: int
    """Items of either side that lack a score on the other, or in a third setting."""
    first_only: int
    """Items that only `first` corrected."""
    second_only: int
    difference: Number
    test: PairedTest | NotEstimable


class SettingRate(Record, frozen=True, kw_only=True):
    """PCR in one setting on the items that all settings have."""

    setting: Setting
    pcr: Number


class SameItems(Record, frozen=True, kw_only=True):
    """One target's settings on the same items of turn 1 and later (paper, Table 4)."""

    target: str
    n: int
    """Items scored in every setting that is compared."""
    n_left_out: int
    """Labelled items of turn 1 and later that lack a score in one of them."""
    rates: tuple[SettingRate, ...]
    differences: tuple[Comparison, ...]


class Loss(Record, frozen=True, kw_only=True):
    """A target's fall from turn 0 to a later turn of multi_turn, in two parts.

    fall = harder_questions + own_earlier_answers, exactly. The two turns hold mostly
    different threads, so `fall` and `harder_questions` compare unlike questions; only
    `own_earlier_answers` compares the same items.
    """

    target: str
    turn: int
    """The later turn."""
    first: Number
    """PCR at turn 0, where all settings are one."""
    later: Number
    """PCR in multi_turn at the later turn."""
    seam: Number
    """PCR in target_turn on the same items."""
    n_left_out: int
    """Items of the later turn that lack a score in one of the two settings."""
    fall: Number
    """first - later."""
    harder_questions: Number
    """first - seam."""
    own_earlier_answers: Number
    """seam - later, paired."""


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
    published_oracles: tuple[PublishedOracle, ...]
