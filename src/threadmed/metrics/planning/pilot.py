"""What a pilot's scores say of a study to come: how many items differ, how alike."""

from collections.abc import Iterator, Sequence
from itertools import combinations

from threadmed.metrics.comparison import cells
from threadmed.metrics.contrasts import main_setting
from threadmed.metrics.intervals import cluster_variance, totals
from threadmed.metrics.items import Items, by_group, items_of, thread_codes
from threadmed.records import PanelScore, Record, Setting

FEWEST_IN_COMMON = 30
"""A pair of sides with fewer items in common tells nothing of use (convention)."""


class PilotPair(Record, frozen=True, kw_only=True):
    """Two sides of a pilot on the items that both have scored."""

    first: str
    """Target and setting."""
    second: str
    n: int
    threads: int
    difference: float
    """Share corrected by the first less that of the second."""
    discordant: float
    """Share of items that one side corrects and the other does not."""
    deff: float
    """Design effect of the differences, at least 1."""
    alike: float
    """Correlation within threads that the design effect means, in [0, 1]; 0 where no
    thread has two items."""


def pilot_pairs(scores: Sequence[PanelScore]) -> tuple[PilotPair, ...]:
    """Look at all that threadmed would compare in a table of scores.

    Every two settings of a target, and every two targets in their main setting, with at
    least 30 items in common and one that differs.

    Args:
        scores: At most one row for a target, setting, thread and turn.

    Example:
        >>> from threadmed.records import ThreadId
        >>> rows = [
        ...     PanelScore(target=target, setting="multi_turn", turn=0, score=score,
        ...         thread_id=ThreadId(f"T{n}"), outcome="scored")
        ...     for n in range(40)
        ...     for target, score in (("a", 1), ("b", 1 if n % 4 else 0))
        ... ]
        >>> (pair,) = pilot_pairs(rows)
        >>> pair.discordant, pair.deff
        (0.25, 1.0)
    """
    codes = thread_codes(scores)
    sides = {name: items_of(rows, codes) for name, rows in by_group(scores).items()}
    return tuple(_pairs(sides))


def _pairs(sides: dict[tuple[str, Setting], Items]) -> Iterator[PilotPair]:
    main = main_setting(setting for _, setting in sides)
    for one, other in combinations(sides, 2):
        is_same_target = one[0] == other[0]
        if is_same_target or one[1] == other[1] == main:
            first, second = sides[one].scored.shared(sides[other].scored)
            named = f"{one[0]} {one[1]}", f"{other[0]} {other[1]}"
            if len(first.turns) >= FEWEST_IN_COMMON:
                yield from _pair(named, first, second)


def _pair(named: tuple[str, str], first: Items, second: Items) -> Iterator[PilotPair]:
    of = totals(first.corrected - second.corrected, first.threads)
    table = cells(first.corrected, second.corrected)
    discordant = (table.first_only + table.second_only) / of.n
    spread = discordant - of.ratio**2
    if spread <= 0 or of.threads < 2:
        return
    deff = 1.0
    if of.is_clustered:
        deff = max(1.0, cluster_variance(of) * of.n / spread)
    most = float((of.sizes**2).sum()) / of.n - 1
    yield PilotPair(
        first=named[0],
        second=named[1],
        n=of.n,
        threads=of.threads,
        difference=of.ratio,
        discordant=discordant,
        deff=deff,
        alike=min(1.0, (deff - 1) / most) if most > 0 else 0.0,
    )
