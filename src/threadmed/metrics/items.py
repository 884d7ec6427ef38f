"""The labelled items of one target in one setting, as columns."""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from threadmed.metrics.intervals import Codes, Values
from threadmed.records import ALL_SETTINGS, PanelScore, Setting, ThreadId


class Items(NamedTuple):
    """Columns of equal length n, one entry a labelled item, ordered by thread and turn.

    Thread codes are the table's, so that the same code is the same thread in every
    target and setting.
    """

    threads: Codes
    """Shape (n,), code of the thread."""
    turns: Codes
    """Shape (n,), turn counted from 0."""
    scores: Values
    """Shape (n,), in {-1, 0, 1}; NaN where `is_scored` is false, never to be read."""
    is_scored: NDArray[np.bool_]
    """Shape (n,), whether there is a score."""

    @property
    def corrected(self) -> Values:
        """Shape (n,), 1 where the score is 1, else 0."""
        return np.asarray(self.scores == 1, dtype=np.float64)

    def where(self, mask: NDArray[np.bool_]) -> "Items":
        """Keep the items that `mask`, of shape (n,), marks."""
        return Items(
            self.threads[mask],
            self.turns[mask],
            self.scores[mask],
            self.is_scored[mask],
        )

    @property
    def scored(self) -> "Items":
        """The items that have a score."""
        return self.where(self.is_scored)

    def joined(self, other: "Items") -> "Items":
        """Put other items behind these, whatever their order."""
        return Items(
            np.concatenate([self.threads, other.threads]),
            np.concatenate([self.turns, other.turns]),
            np.concatenate([self.scores, other.scores]),
            np.concatenate([self.is_scored, other.is_scored]),
        )

    def shared(self, *others: "Items") -> "tuple[Items, ...]":
        """Keep of each the items that all of them hold, in the same order."""
        everyone = (self, *others)
        keys = [items.threads * _TURNS + items.turns for items in everyone]
        common = np.sort(keys[0])
        for key in keys[1:]:
            common = np.intersect1d(common, key, assume_unique=True)
        return tuple(
            items.where(_within(key, common))
            for items, key in zip(everyone, keys, strict=True)
        )

    def united(self, *others: "Items") -> int:
        """Count the items that any of them holds."""
        keys = [items.threads * _TURNS + items.turns for items in (self, *others)]
        return len(np.unique(np.concatenate(keys)))


def _within(keys: Codes, ordered: Codes) -> NDArray[np.bool_]:
    """Say which of `keys` are among others that stand in order and once each."""
    if not len(ordered):
        return np.zeros(len(keys), dtype=np.bool_)
    places = np.searchsorted(ordered, keys).clip(max=len(ordered) - 1)
    return np.asarray(ordered[places] == keys, dtype=np.bool_)


_TURNS = 2**31
"""More turns than any thread has: a thread and a turn make one whole number."""


def thread_codes(rows: Sequence[PanelScore]) -> dict[ThreadId, int]:
    """Number the threads of a table in the order of their names.

    Example:
        >>> row = PanelScore(target="m", setting="oracle", thread_id=ThreadId("T1"), turn=2,
        ...     score=1, outcome="scored")
        >>> thread_codes([row, row])
        {'T1': 0}
    """
    return {name: code for code, name in enumerate(sorted({r.thread_id for r in rows}))}


def by_group(
    rows: Iterable[PanelScore],
) -> dict[tuple[str, Setting], list[PanelScore]]:
    """Part rows by target, in order of first appearance, and setting.

    Example:
        >>> from threadmed.records import PanelScore, ThreadId
        >>> row = PanelScore(target="m", setting="oracle", thread_id=ThreadId("T1"),
        ...     turn=2, score=1, outcome="scored")
        >>> list(by_group([row, row]))
        [('m', 'oracle')]
    """
    targets: dict[str, dict[Setting, list[PanelScore]]] = {}
    for row in rows:
        targets.setdefault(row.target, {}).setdefault(row.setting, []).append(row)
    return {
        (target, setting): settings[setting]
        for target, settings in targets.items()
        for setting in ALL_SETTINGS
        if setting in settings
    }


def items_of(rows: Sequence[PanelScore], codes: Mapping[ThreadId, int]) -> Items:
    """Set the labelled rows of one target and setting as columns.

    Args:
        rows: Each (thread, turn) at most once; those without a misconception are
            passed over.
        codes: From `thread_codes` of the whole table.

    Example:
        >>> from threadmed.records import PanelScore, ThreadId
        >>> row = PanelScore(target="m", setting="oracle", thread_id=ThreadId("T1"),
        ...     turn=2, score=1, outcome="scored")
        >>> items_of([row], {ThreadId("T1"): 0}).corrected
        array([1.])
    """
    found = sorted(
        (codes[row.thread_id], row.turn, np.nan if row.score is None else row.score)
        for row in rows
        if row.misconception
    )
    columns = np.array(found, dtype=np.float64).reshape(-1, 3)
    return Items(
        threads=columns[:, 0].astype(np.int64),
        turns=columns[:, 1].astype(np.int64),
        scores=columns[:, 2],
        is_scored=~np.isnan(columns[:, 2]),
    )
