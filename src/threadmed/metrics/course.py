"""Records of how a thread goes on: recovery, repeated failure, first failure, trend."""

from typing import Literal

from threadmed.metrics.estimates import NotEstimable, Number
from threadmed.records import Record

RecoveryPairs = Literal["consecutive", "next_labelled"]
"""Which turn follows a failure: the very next one, or the thread's next labelled one."""

WorkingCorrelation = Literal["independence", "exchangeable"]
"""How a trend weighs items of one thread: as if they were independent, or as if any
two of them were alike to one degree."""

SELECTION = (
    "RR and EPR mix how hard a thread is with whether a failure repeats itself: "
    "threads of unlike difficulty alone lower the one and raise the other, with no "
    "dependence between turns at all, so neither is an effect of a failure."
)
"""What must stand beside RR and EPR wherever they are printed."""


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


class ErrorPropagation(Record, frozen=True, kw_only=True):
    """EPR: how much likelier a failure is after a failure than after a correction.

    It selects as RR does and is no effect; `SELECTION` says so in words.
    """

    fail_fail: int
    """Consecutive pairs of which both turns failed."""
    fail_corrected: int
    corrected_fail: int
    corrected_corrected: int
    ratio: Number
    """P(failure | failure before) / P(failure | correction before)."""


class LifePoint(Record, frozen=True, kw_only=True):
    """One step of a life table."""

    step: int
    """The labelled turn's place in its thread, from 1; or the turn, from 0."""
    at_risk: int
    """Threads with a score at this step and no failure before."""
    failures: int
    """Threads of these that fail here for the first time."""
    without_failure: Number
    """Share of threads without a failure up to and with this step."""


class FirstFailure(
    Record, frozen=True, kw_only=True, tag="first_failure", tag_field="kind"
):
    """When threads fail for the first time, the unfinished ones censored."""

    clock: Literal["labelled_turn", "turn"]
    """What a step is: the next labelled turn of a thread, or a turn of that number."""
    points: tuple[LifePoint, ...]


class Flips(Record, frozen=True, kw_only=True):
    """How often one of two consecutive turns is corrected and the other is not."""

    pairs: int
    lost: int
    """Pairs that go from corrected to not."""
    regained: int
    """Pairs that go from not corrected to corrected."""
    threads: int
    """Threads with a flip."""
    share: Number
    """Share of pairs that flip either way."""


class Trajectory(Record, frozen=True, kw_only=True):
    """How the threads of one target in one setting go on, over labelled turns."""

    consecutive: Recovery
    """RR over turns t and t+1 (the paper's)."""
    next_labelled: Recovery
    """RR over a turn and the thread's next labelled one."""
    error_propagation: ErrorPropagation
    selection: str = SELECTION
    first_failure: FirstFailure
    first_failure_by_turn: FirstFailure | NotEstimable
    """The same on the number of the turn, refused unless threads have a history."""
    flips: Flips
    both_extremes: Number
    """Share of threads with score 1 at one turn and -1 at another, among those with
    two scored turns or more."""


class Trend(Record, frozen=True, kw_only=True):
    """The slope of correction over turns, in log odds a turn.

    Where few threads have two labelled turns it is a slope between questions.
    """

    n: int
    """Scored items."""
    threads: int
    threads_several: int
    """Threads of these with two scored items or more."""
    share_several: float
    """`threads_several` over `threads`, in [0, 1]; 0 where there is no thread."""
    working_correlation: WorkingCorrelation = "independence"
    alpha: float | None = None
    """Correlation of two items of one thread that the slope is fitted with, in (-1, 1):
    0 with independence; null where there is no fit."""
    slope: Number
