"""The made studies that coverage is measured on: shapes, effects, draws."""

from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple, Protocol

import numpy as np

from threadmed.metrics.estimates import NotEstimable
from threadmed.metrics.intervals import Codes, Values
from threadmed.metrics.items import Items
from threadmed.metrics.planning.simulate import (
    Effects,
    Flags,
    Layout,
    even_layout,
    latent,
    paper_layout,
    thresholds,
)

EFFECTS = Effects(thread=1.5, setting=0.5, item=1.0)
"""Threads unlike in difficulty, and settings that differ from thread to thread."""
SENSITIVITY, SPECIFICITY = 0.90, 0.84
"""Of the panel against experts: they agree on 87 to 89 %."""
CONFUSION = np.array([[0.78, 0.14, 0.08], [0.16, 0.62, 0.22], [0.02, 0.05, 0.93]])
"""Row: the expert's score -1, 0, 1; column: the judge's."""
SETTINGS = 3
GAP = 0.05
"""By how much PCR of the second setting exceeds that of the first."""

LAYOUTS: dict[str, Callable[[], Layout]] = {
    "paper": paper_layout,
    "10 x 5": lambda: even_layout(items=50, threads=10),
    "20 x 5": lambda: even_layout(items=100, threads=20),
    "50 x 5": lambda: even_layout(items=250, threads=50),
    "100 x 5": lambda: even_layout(items=500, threads=100),
    "72 items": lambda: even_layout(items=72, threads=72),
    "310 items": lambda: even_layout(items=310, threads=310),
    "24 x 3": lambda: even_layout(items=72, threads=24),
    "31 x 10": lambda: even_layout(items=310, threads=31),
}
STUDIES = ("paper", "10 x 5", "20 x 5", "50 x 5", "100 x 5")
EXPERTS = ("72 items", "310 items", "24 x 3", "31 x 10")


class Limited(Protocol):
    """Whatever has an interval."""

    @property
    def low(self) -> float:
        """The lower limit."""

    @property
    def high(self) -> float:
        """The upper limit."""


Printed = Limited | NotEstimable


class Found(NamedTuple):
    """What a case gives."""

    truth: float
    numbers: Iterable[Printed]
    """One a study."""


class Draws(NamedTuple):
    """Studies of one shape; cuts of the same latent values are cheap."""

    shape: str
    layout: Layout
    latent: Values
    """Shape (studies, settings, n)."""

    @property
    def studies(self) -> int:
        """How many."""
        return len(self.latent)

    def corrected(self, share: float | Values, *, setting: int = 0) -> Values:
        """Cut so that a share is corrected: shape (studies, n), 0 or 1.

        Args:
            share: One, or one an item.
            setting: Which draws.
        """
        cut = thresholds(np.atleast_1d(share), EFFECTS)
        return np.asarray(self.latent[:, setting] > -cut, dtype=np.float64)

    def scores(self, share: float, *, setting: int = 0) -> Values:
        """Give scores -1, 0 and 1; of what is not 1, half is 0."""
        above = self.corrected((1 + share) / 2, setting=setting)
        return self.corrected(share, setting=setting) + above - 1

    def items(self, scores: Values) -> Iterator[Items]:
        """Give each study's items, all of them scored."""
        everything: Flags = np.ones(len(self.layout.turns), dtype=np.bool_)
        for one in scores:
            yield Items(self.layout.threads, self.layout.turns, one, everything)

    def rng(self, purpose: str) -> np.random.Generator:
        """Give a source of randomness for what comes on top of the latent values."""
        return np.random.default_rng([*self.shape.encode(), 0, *purpose.encode()])


class Case(NamedTuple):
    """A printed number in studies of some shapes."""

    number: str
    shapes: tuple[str, ...]
    run: Callable[[Draws, float], Found]
    """From the studies and the share of corrected items."""


@lru_cache(maxsize=2)
def draws(shape: str, studies: int) -> Draws:
    """Draw studies of a shape; the same name and number give the same studies."""
    layout = LAYOUTS[shape]()
    rng = np.random.default_rng([1, *shape.encode()])
    drawn = latent(layout, EFFECTS, settings=SETTINGS, studies=studies, rng=rng)
    return Draws(shape, layout, drawn)


def rated(truth: Codes, confusion: Values, rng: np.random.Generator) -> Codes:
    """Let a rater see classes, each mistaken by its own row."""
    limits = confusion.cumsum(axis=1)[truth]
    found = (rng.random(truth.shape)[..., None] > limits).sum(axis=-1)
    return np.asarray(np.minimum(found, len(confusion) - 1), dtype=np.int64)
