"""An estimate that rests on an assumption about labels, which it carries with it.

It has the fields of an `Estimate`, with methods of its own and what must be believed.
"""

from typing import Literal

from threadmed.metrics.estimates import NotEstimable
from threadmed.records import Record

AdjustedMethod = Literal["lang_reiczigel", "logit", "clopper_pearson"]
"""How the interval was computed; each is described in docs/methods.md."""


class Adjusted(Record, frozen=True, kw_only=True, tag="adjusted", tag_field="kind"):
    """A number with its interval, which is only as good as its assumption."""

    value: float
    low: float
    high: float
    level: float
    """Coverage aimed at, in (0, 1), if the assumption holds."""
    n: int
    """Experts' labels that the number rests on."""
    threads: int
    """Threads that hold them."""
    method: AdjustedMethod
    assumes: str
    """What must be true for the interval to cover, to be printed beside it."""
    flag: str = ""
    """What a reader must be told besides; empty is nothing."""


AdjustedNumber = Adjusted | NotEstimable
