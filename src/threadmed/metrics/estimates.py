"""What a number is: an estimate with its interval, or the reason why there is none."""

from typing import Literal

from threadmed.records import Record

Method = Literal[
    "wilson",
    "wilson_n_star",
    "wilson_n_eff",
    "wilson_rescaled",
    "cr2_t",
    "newcombe_paired",
    "linearised_t",
    "newcombe_independent",
    "item_bootstrap",
    "thread_bootstrap",
    "log_ratio",
    "greenwood_log_log",
    "gee_bias_reduced_t",
    "clopper_pearson",
]
"""How an interval was computed; each is described in docs/methods.md."""


class Estimate(Record, frozen=True, kw_only=True, tag="estimate", tag_field="kind"):
    """A number with its interval."""

    value: float
    low: float
    high: float
    level: float
    """Coverage aimed at, in (0, 1)."""
    n: int
    """Items (or pairs) that the number rests on."""
    threads: int
    """Threads that hold them; turns of one thread are not independent."""
    method: Method
    hits: int | None = None
    """Counted successes among the n, where the value is a share of items."""
    flag: str = ""
    """What a reader must be told beside the number; empty is nothing."""


class NotEstimable(
    Record, frozen=True, kw_only=True, tag="not_estimable", tag_field="kind"
):
    """A number that the data cannot give; never 0, NaN or an interval of no width."""

    reason: str
    """Why not, in words that may stand in a report."""
    n: int
    """Items (or pairs) that there were."""
    hits: int | None = None
    """Counted successes among the n, where counts are all that can be said."""


Number = Estimate | NotEstimable
