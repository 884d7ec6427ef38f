"""A scores table that holds the counts which the paper's printed rates come from.

The paper prints percentages; the smallest counts that give them are 109, 198 and 604
items at turn 0, at turn 2 and in all, and 27 failure-start pairs. How the other items
lie over turns and threads is ours: 505 threads, of which 422, 69, 12 and 2 have 1, 2,
3 and 4 labelled turns in a row, 99 consecutive pairs in all.
"""

from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from threadmed.records import PanelScore, Score, Setting, ThreadId

TURN_SIZES = (109, 100, 198, 80, 50, 30, 20, 11, 6)
"""Labelled items at turns 0 to 8."""
RUNS = (
    [(0, 4)] * 2
    + [(0, 3)] * 3
    + [(1, 3)] * 9
    + [(1, 2)] * 20
    + [(2, 2)] * 25
    + [(3, 2)] * 12
    + [(4, 2)] * 8
    + [(5, 2)] * 4
)
"""First turn and number of labelled turns of the threads that have several."""


class Target(NamedTuple):
    """What is known of a target: corrected items at turn 0, at turn 2, and in all."""

    name: str
    first: int
    third: int
    overall: int
    starts: int
    """Failure-start pairs in the threads with two labelled turns."""
    recovered: int
    long_runs: Score
    """Score of every item of a thread with three or four: 1 adds no failure start."""
    others: Score
    """Score of both turns of the remaining threads with two."""


TARGETS = (
    Target("gpt-5", 96, 95, 377, 27, 7, 1, 1),
    Target("haiku", 92, 106, 366, 27, 14, 1, 1),
    Target("gpt-4o", 71, 42, 200, 69, 8, -1, -1),
    Target("llama", 60, 35, 190, 69, 6, -1, -1),
)
GEMINI = Target("gemini", 80, 70, 260, 69, 20, -1, -1)
"""Only its overall rate is known; the rest is ours."""

ORACLE = {"gpt-5": 528 - 96, "haiku": 458 - 92}
"""Corrected in oracle: 87.4 and 75.8 % are 528 and 458 of 604 with turn 0 copied in."""
TARGET_TURN = {"gpt-5": 461}
"""Corrected in target_turn, turn 0 included: 76.3 % of 604."""


def paper_scores() -> list[PanelScore]:
    """Every row of the table."""
    return [row for target in (*TARGETS, GEMINI) for row in _rows(target)]


def threads() -> list[tuple[int, int]]:
    """First turn and number of labelled turns of all 505 threads."""
    held = Counter(first + step for first, length in RUNS for step in range(length))
    singles = [
        (turn, 1)
        for turn, size in enumerate(TURN_SIZES)
        for _ in range(size - held[turn])
    ]
    return RUNS + singles


def _rows(target: Target) -> Iterator[PanelScore]:
    scores = _multi_turn(target)
    yield from _setting(target.name, "multi_turn", scores)
    items = list(scores)
    if target.name in TARGET_TURN:
        late = TARGET_TURN[target.name] - target.first
        found = {item: scores[item] for item in items if item[1] == 0}
        found |= _filled([item for item in items if item[1] > 0], late)
        yield from _setting(target.name, "target_turn", found)
    if target.name in ORACLE:
        late_items = [item for item in items if item[1] > 0]
        yield from _setting(
            target.name, "oracle", _filled(late_items, ORACLE[target.name])
        )


Item = tuple[int, int]
"""Number of the thread, turn."""


def _multi_turn(target: Target) -> dict[Item, Score]:
    scores: dict[Item, Score] = {}
    singles: dict[int, list[Item]] = {turn: [] for turn in range(len(TURN_SIZES))}
    pairs = 0
    for number, (first, length) in enumerate(threads()):
        if length == 1:
            singles[first].append((number, first))
        elif length > 2:
            for step in range(length):
                scores[number, first + step] = target.long_runs
        else:
            failed = pairs < target.starts
            recovered = pairs < target.recovered
            scores[number, first] = 0 if failed else target.others
            after: Score = 1 if recovered else -1
            scores[number, first + 1] = after if failed else target.others
            pairs += 1
    wanted = {0: target.first, 2: target.third}
    for turn, total in wanted.items():
        done = sum(score == 1 for (_, at), score in scores.items() if at == turn)
        scores |= _filled(singles[turn], total - done)
    rest = [item for turn in singles if turn not in wanted for item in singles[turn]]
    done = sum(score == 1 for score in scores.values())
    scores |= _filled(rest, target.overall - done)
    return scores


def _filled(items: list[Item], corrected: int) -> dict[Item, Score]:
    """Give 1 to so many of the items, evenly, and -1 and 0 in turn to the others."""
    assert 0 <= corrected <= len(items), (corrected, len(items))
    scores: dict[Item, Score] = {}
    for place, item in enumerate(items):
        failure: Score = 0 if place % 2 else -1
        done, due = (corrected * at // len(items) for at in (place, place + 1))
        scores[item] = 1 if due > done else failure
    return scores


def _setting(
    target: str, setting: Setting, scores: dict[Item, Score]
) -> Iterator[PanelScore]:
    for (number, turn), score in scores.items():
        yield PanelScore(
            target=target,
            setting=setting,
            thread_id=ThreadId(f"THREAD_{number:04}"),
            turn=turn,
            score=score,
            outcome="scored",
        )
