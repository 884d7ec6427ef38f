"""What changes from a turn to the next one inside a thread: a check of direction.

Threads with two labelled turns are few in a study of the paper's shape, so a fall of
eight points a step is seen in one study of three; dense labelling is what would help.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from threadmed.metrics.compared import Step
from threadmed.metrics.comparison import mean_difference, paired_difference
from threadmed.metrics.estimates import NotEstimable, Number
from threadmed.metrics.intervals import Codes, Values
from threadmed.metrics.items import Items
from threadmed.metrics.pairs import Pairs, pairs_of

FEWEST_THREADS = 30
"""Below this many threads with a pair of turns there are counts and no mean."""


class Gaps(NamedTuple):
    """How much better one setting is than another at items; columns of shape (n,)."""

    threads: Codes
    turns: Codes
    values: Values
    """Each -1, 0 or 1: multi_turn less target_turn."""


def step(multi_turn: Items, *, level: float = 0.95) -> Step:
    """Give the mean change of correction from turn t to t+1 of the same thread.

    Args:
        multi_turn: All labelled items of one target in multi_turn.
        level: Coverage aimed at, in (0, 1).

    Example:
        >>> threads, turns = np.arange(60) // 2, np.arange(60) % 2
        >>> scores = np.where((turns == 1) & (threads < 12), 0.0, 1.0)
        >>> found = step(Items(threads, turns, scores, scores > -2))
        >>> found.pairs, found.down, found.change.value
        (30, 12, -0.4)
    """
    pairs: Pairs = pairs_of(multi_turn)
    after = pairs.corrected_next.astype(np.float64)
    before = (~pairs.failed_first).astype(np.float64)
    return _step(
        pairs.threads,
        after - before,
        lambda: paired_difference(after, before, pairs.threads, level=level),
    )


def own_answers_step(
    multi_turn: Items, target_turn: Items, *, level: float = 0.95
) -> Step:
    """Give the mean change of multi_turn - target_turn from turn t to t+1.

    Turn 0 is one request in both settings, so the gap there is 0.

    Args:
        multi_turn: All labelled items of one target in multi_turn.
        target_turn: Those in target_turn; its own turn 0 is not looked at.
        level: Coverage aimed at, in (0, 1).

    Example:
        >>> threads, turns = np.arange(80) // 2, np.arange(80) % 2
        >>> one = Items(threads, turns, np.ones(80), np.ones(80, bool))
        >>> lost = one._replace(scores=np.where((turns == 1) & (threads < 10), 0.0, 1.0))
        >>> own_answers_step(lost, one).change.value
        -0.25
    """
    gaps = gaps_of(multi_turn, target_turn)
    follows = (gaps.threads[1:] == gaps.threads[:-1]) & (
        gaps.turns[1:] == gaps.turns[:-1] + 1
    )
    changes = (gaps.values[1:] - gaps.values[:-1])[follows]
    threads = gaps.threads[1:][follows]
    return _step(
        threads,
        changes,
        lambda: mean_difference(changes, threads, most=2.0, level=level),
    )


def gaps_of(multi_turn: Items, target_turn: Items) -> Gaps:
    """Give multi_turn less target_turn at the items scored in both, in order.

    Example:
        >>> one = Items(np.zeros(2, int), np.arange(2), np.zeros(2), np.ones(2, bool))
        >>> gaps_of(one, one._replace(scores=np.ones(2))).values
        array([ 0., -1.])
    """
    scored = multi_turn.scored
    first = scored.where(scored.turns == 0)
    one, other = scored.where(scored.turns > 0).shared(target_turn.scored)
    threads = np.concatenate([first.threads, one.threads])
    turns = np.concatenate([first.turns, one.turns])
    values = np.concatenate(
        [np.zeros(len(first.turns)), one.corrected - other.corrected]
    )
    order = np.lexsort([turns, threads])
    return Gaps(threads[order], turns[order], values[order])


def _step(threads: Codes, changes: Values, estimate: Callable[[], Number]) -> Step:
    n_threads = len(np.unique(threads))
    change: Number
    if n_threads < FEWEST_THREADS:
        few = f"fewer than {FEWEST_THREADS} threads have two scored turns in a row"
        change = NotEstimable(reason=few, n=len(changes))
    else:
        change = estimate()
    return Step(
        pairs=len(changes),
        threads=n_threads,
        up=int((changes > 0).sum()),
        down=int((changes < 0).sum()),
        change=change,
    )
