"""Why items of a table have no score, as lines for a terminal."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from typing import get_args

from threadmed.records import PanelScore, ScoreOutcome


def unscored(rows: Iterable[PanelScore]) -> Iterator[str]:
    """Give a line for each target and setting in which items have no score.

    Args:
        rows: The panel's scores; those without a misconception are passed over.

    Example:
        >>> from threadmed.records import ThreadId
        >>> list(unscored([PanelScore(target="m", setting="isolated", turn=0, score=None,
        ...     thread_id=ThreadId("T1"), outcome="truncated")]))
        ['m, isolated: 1 of 1 items without a score (1 truncated)', '']
    """
    ends: dict[tuple[str, str], Counter[ScoreOutcome]] = defaultdict(Counter)
    for row in rows:
        if row.misconception:
            ends[row.target, row.setting][row.outcome] += 1
    found = False
    for (target, setting), counted in ends.items():
        lost = [
            f"{counted[outcome]:,} {outcome}"
            for outcome in get_args(ScoreOutcome)
            if outcome != "scored" and counted[outcome]
        ]
        if lost:
            found = True
            total = counted.total()
            n = total - counted["scored"]
            yield (
                f"{target}, {setting}: {n:,} of {total:,} items without a score "
                f"({', '.join(lost)})"
            )
    if found:
        yield ""
