"""What planning is asked and what it gives: the records behind `threadmed power`."""

from typing import Literal

from threadmed.metrics.planning.pilot import PilotPair
from threadmed.metrics.planning.power import Design
from threadmed.records import Record


class Wish(Record, frozen=True, kw_only=True):
    """What a person says of a study to come; what is None is taken from elsewhere."""

    items: int | None = None
    threads: int | None = None
    turns_per_thread: float | None = None
    discordant: float | None = None
    deff: float | None = None
    comparisons: int = 1
    power: float = 0.8
    difference: float | None = None
    """A paired difference to be seen, in (0, 1)."""
    half_width: float | None = None
    """Half the width that an interval may have, in (0, 1)."""
    rate: float = 0.5
    """PCR that is expected."""
    sensitivity: float = 0.9
    """Of the judges against experts."""
    specificity: float = 0.84
    simulate: int = 1_000
    """Made studies; 0 for formulas alone."""
    seed: int = 0


class Beside(Record, frozen=True, kw_only=True):
    """A number by formula and from made studies."""

    formula: float
    simulated: float | None = None
    """None where no studies were made, or they would not fit into memory."""
    error: float | None = None
    """Monte Carlo standard error of `simulated`; of a smallest difference that of the
    share of studies, over the slope of the power by formula."""
    studies: int = 0


Sought = Literal["difference", "rate_half_width", "difference_half_width", "labels"]


class Need(Record, frozen=True, kw_only=True, tag="need", tag_field="kind"):
    """How many items, or labels, a wish needs."""

    of: Sought
    wished: float
    n: int
    reached: Beside
    """Power for a difference, otherwise half the width, with so many."""
    test: Beside | None = None
    """Of a difference: the power of the exact test; its formula is the interval's."""
    n_by_test: int | None = None
    """Items with which the exact test has the wished power, about; None where no
    studies are made, or no number is enough."""


class OutOfReach(
    Record, frozen=True, kw_only=True, tag="out_of_reach", tag_field="kind"
):
    """A wish that no number of items or labels grants."""

    of: Sought
    wished: float
    reason: str


class Smallest(Record, frozen=True, kw_only=True, tag="smallest", tag_field="kind"):
    """The smallest paired difference that is seen with the wished power."""

    difference: Beside
    interval_power: Beside
    """Chance that the interval leaves out 0, at the difference by formula."""
    test_power: Beside
    """Likewise that the exact test rejects; its formula is that of the interval."""


class StudyPower(Record, frozen=True, kw_only=True):
    """What `threadmed power` says."""

    version: int = 1
    wish: Wish
    design: Design
    assumed: tuple[str, ...]
    """Where each assumption comes from, in words."""
    pilot: tuple[PilotPair, ...]
    smallest: Smallest | OutOfReach
    half_width: Beside
    """Of a paired difference of 0."""
    rate_half_width: Beside
    step: float | None
    """Smallest fall from one labelled turn to the next within threads, by formula;
    None where no thread has two labelled turns."""
    step_pairs: int
    needs: tuple[Need | OutOfReach, ...]
    advice: str
