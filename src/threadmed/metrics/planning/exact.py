"""How many items the exact test of a difference takes, whose power has no formula."""

from threadmed.metrics.intervals import Values
from threadmed.metrics.planning.power import Design, items_needed, power_at


def items_by_test(
    wished: float, design: Design, *, seen: Values, rejected: Values
) -> int | None:
    """Give the items with which the exact test has the wished power, about.

    Those at which the formula has as much more power as the test lacks in the studies
    that were made. Interval and test look at the same studies, so that their difference
    has less chance in it than either share; it is what the test lacks as long as
    interval and formula agree, within three Monte Carlo errors.

    Args:
        wished: The paired difference.
        design: Of the size for which the studies were made.
        seen: Of each study whether the interval leaves out 0, shape (studies,).
        rejected: Of each whether the test rejects, shape (studies,).

    Returns:
        None without studies, or where ten million items are not enough.

    Example:
        >>> import numpy as np
        >>> design = Design(items=1256, threads=1256, discordant=0.4, deff=1, alike=0)
        >>> seen = np.repeat([1.0, 0.0], [800, 200])
        >>> items_by_test(0.05, design, seen=seen, rejected=seen)
        1248
        >>> items_by_test(0.05, design, seen=seen, rejected=np.repeat([1.0, 0], [785, 215]))
        1298
    """
    if not len(seen):
        return None
    formula, share = power_at(wished, design), float(seen.mean())
    agree = abs(share - formula) <= 3 * float(seen.std()) / len(seen) ** 0.5
    lacking = max(0.0, (share if agree else formula) - float(rejected.mean()))
    if design.power + lacking >= 1:
        return None
    return items_needed(
        lambda sized: 1 - power_at(wished, sized), 1 - design.power - lacking, design
    )
