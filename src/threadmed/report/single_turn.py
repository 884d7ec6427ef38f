"""Studies of single questions, where all settings are one request and so one row."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import TypeVar

import msgspec

from threadmed.records import (
    SETTINGS,
    Answer,
    PanelScore,
    Rating,
    Setting,
    ThreadId,
    Verdict,
)

Row = TypeVar("Row", PanelScore, Answer, Verdict)


def shared_settings(scores: Sequence[PanelScore]) -> tuple[Setting, ...]:
    """Name the settings that are one request in this study; the first stands for all.

    They are where every question is the first of its thread, and no setting scores
    one of them otherwise than another.

    Example:
        >>> row = {"target": "a", "thread_id": ThreadId("T"), "turn": 0, "score": 1}
        >>> both: list[Setting] = ["multi_turn", "isolated"]
        >>> shared_settings(
        ...     [PanelScore(**row, setting=each, outcome="scored") for each in both])
        ('multi_turn', 'isolated')
    """
    found = {row.setting for row in scores}
    if len(found) < 2 or "intervention" in found or any(row.turn for row in scores):
        return ()
    ends: dict[tuple[str, ThreadId], set[object]] = defaultdict(set)
    for row in scores:
        ends[row.target, row.thread_id].add((row.score, row.outcome, row.tie_break))
    if any(len(each) > 1 for each in ends.values()):
        return ()
    return tuple(setting for setting in SETTINGS if setting in found)


def once(rows: Iterable[Row], shared: Sequence[Setting]) -> tuple[Row, ...]:
    """Keep the rows of the setting that stands for all; all, where none does."""
    return tuple(row for row in rows if not shared or row.setting == shared[0])


def rated_once(
    ratings: Iterable[Rating], shared: Sequence[Setting]
) -> tuple[Rating, ...]:
    """Take ratings of an answer in any setting for those of the one that stands.

    Of two by one rater, which are of the same answer, the first counts.
    """
    if not shared:
        return tuple(ratings)
    found: dict[tuple[object, ...], Rating] = {}
    for rating in ratings:
        place = (rating.target, rating.thread_id, rating.turn)
        name = "/".join(map(str, (place[0], shared[0], *place[1:])))
        kept = msgspec.structs.replace(rating, setting=shared[0], item=name)
        found.setdefault((*place, rating.rater), kept)
    return tuple(found.values())
