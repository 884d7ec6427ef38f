"""Records of what is compared with what, and of the parts that a decline is made of."""

from typing import Literal

from threadmed.metrics.estimates import NotEstimable, Number
from threadmed.records import Record, Setting


class PairedTest(Record, frozen=True, kw_only=True, tag="tested", tag_field="kind"):
    """An exact two-sided test that a paired difference is 0."""

    test: Literal["sign_flip", "mcnemar"]
    """Over threads, or over items where no thread has two; there both are the same."""
    p_value: Literal["exact", "mid"] = "exact"
    """Whether an outcome as extreme as the one seen counts whole or by half."""
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


Question = Literal["targets", "propagation", "information", "oracle_gain", "arm"]
"""What a comparison asks: which target corrects more; what the target's own earlier
answers cost it; what the physician's answers add to none; what they add to its own;
what an arm adds to its target asked plainly."""


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


class Support(Record, frozen=True, kw_only=True):
    """How many scored items a setting has where a comparison looks."""

    setting: Setting
    n_scored: int


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
    remaining: Number
    """1 - PCR in oracle on the same items: what is not corrected even so. With
    multi_turn, propagation and information it adds up to 1."""
    supports: tuple[Support, ...]
    """Scored items of each setting before those that another lacks are left out."""
    unlike: str
    """That the settings do not hold the same items, in words; empty where they do."""


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


class FallShares(
    Record, frozen=True, kw_only=True, tag="fall_shares", tag_field="kind"
):
    """Which share of a fall each part is; the two add up to 1."""

    propagation: Number
    """Share that the target's own earlier answers make."""
    drift: Number
    """Share that questions of unlike difficulty make."""


class TurnParts(Record, frozen=True, kw_only=True, tag="turn_parts", tag_field="kind"):
    """The parts of a target's decline at one turn or several, against turn 0.

    fall = propagation - drift, exactly: turn 0 is one request in every setting.
    """

    turn: int
    last_turn: int
    """The same turn, or the last of several that are taken together."""
    same: SameItems
    """Settings on the same items. Tests of one turn are adjusted over all turns, those
    of turns together over the settings of the target."""
    first: Number
    """PCR at turn 0."""
    threads_in_both: int
    """Threads with an item at turn 0 as well; the rest are compared between threads."""
    drift: Number
    """PCR in target_turn here minus PCR at turn 0: above 0 the questions got easier."""
    fall: Number
    """PCR at turn 0 minus PCR in multi_turn here."""
    shares: FallShares | NotEstimable
    """Refused where the interval of the fall holds 0."""


class Step(Record, frozen=True, kw_only=True, tag="step", tag_field="kind"):
    """How something changes from a turn to the next one of the same thread."""

    pairs: int
    threads: int
    up: int
    """Pairs that change upwards."""
    down: int
    change: Number
    """Mean change a step; refused below 30 threads."""


class Decomposition(Record, frozen=True, kw_only=True):
    """The parts of one target's decline: together, by turn, and within threads."""

    target: str
    together: TurnParts | NotEstimable
    """Turn 1 and later as one; it comes first, since single turns hold few items."""
    turns: tuple[TurnParts, ...]
    """Turns 1 and later that hold a labelled item."""
    step: Step
    """Of correction in multi_turn, over turns t and t+1."""
    own_answers_step: Step | NotEstimable
    """Of the gap between multi_turn and target_turn; refused without target_turn."""
