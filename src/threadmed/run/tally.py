"""Counts what a run has done, and tells."""

from collections import defaultdict
from collections.abc import Callable

from threadmed.records import Stage

Progress = Callable[[Stage, str, int, int], None]
"""Told a stage, a model or an arm, and how many of its items are done, of how many."""


class Tally:
    """Counts what is done, and says so."""

    def __init__(self, say: Progress) -> None:
        self._say = say
        self._done: dict[tuple[Stage, str], int] = defaultdict(int)
        self._total: dict[tuple[Stage, str], int] = defaultdict(int)

    def expect(self, stage: Stage, model: str, items: int) -> None:
        """Add to what there is to do."""
        self._total[stage, model] += items
        self._tell(stage, model)

    def add(self, stage: Stage, model: str) -> None:
        """Count one item as done."""
        self._done[stage, model] += 1
        self._tell(stage, model)

    def _tell(self, stage: Stage, model: str) -> None:
        self._say(stage, model, self._done[stage, model], self._total[stage, model])
