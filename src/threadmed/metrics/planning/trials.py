"""Made studies of a planned size: how often they see a difference, how wide they are."""

from typing import NamedTuple

import numpy as np

from threadmed.metrics.comparison import FEW_DISCORDANT, paired_difference
from threadmed.metrics.corrected.debias import Sample, corrected_rate
from threadmed.metrics.estimates import Estimate
from threadmed.metrics.intervals import Totals, Values, rate
from threadmed.metrics.planning.power import Design, Judge, corrected_level
from threadmed.metrics.planning.simulate import (
    Layout,
    differences,
    even_layout,
    judged,
    places,
    thread_means,
)
from threadmed.metrics.quantiles import t_quantile
from threadmed.metrics.significance import sign_flip

MOST_VALUES = 20_000_000
"""Items of all studies together, which take some 600 MB."""
FEWEST_STUDIES = 100
"""With fewer, nothing is said."""


class Trials(NamedTuple):
    """Made studies; two methods with one design see the same draws."""

    studies: int
    """How many are wished for; 0 for none."""
    seed: int

    def fitting(self, items: int) -> int:
        """Say how many studies of so many items are made; 0 where too few fit."""
        most = min(self.studies, MOST_VALUES // items)
        return most if most >= min(FEWEST_STUDIES, self.studies) else 0

    def _drawn(self, design: Design) -> tuple[Layout, Values]:
        layout = even_layout(items=design.items, threads=design.threads)
        rng = np.random.default_rng([self.seed, design.items])
        studies = self.fitting(design.items)
        drawn = places(layout, alike=design.alike, studies=studies, rng=rng)
        return layout, drawn

    def intervals_see(self, design: Design, difference: float) -> Values:
        """Say of each study whether the interval leaves out 0.

        The interval is at the level that Holm asks of the smallest p-value.

        Returns:
            Shape (studies,), 0 or 1; empty where no studies are made.
        """
        if not self.fitting(design.items):
            return np.empty(0)
        return _seen(*self._drawn(design), design=design, difference=difference)

    def tests_see(self, design: Design, difference: float) -> Values:
        """Say of each study whether the exact test rejects, as `intervals_see`."""
        if not self.fitting(design.items):
            return np.empty(0)
        layout, place = self._drawn(design)
        drawn = differences(place, difference=difference, discordant=design.discordant)
        sums = np.add.reduceat(drawn, layout.starts, axis=1)
        limit = 1 - corrected_level(design)
        return np.array(
            [sign_flip(Totals(each, layout.sizes)) <= limit for each in sums],
            dtype=np.float64,
        )

    def smallest_difference(self, design: Design) -> float | None:
        """Find where the share of studies that see the difference meets the power.

        Returns:
            None where no studies are made, or none that can exist is seen so often.
        """
        if not self.fitting(design.items):
            return None
        layout, place = self._drawn(design)

        def seen(difference: float) -> float:
            found = _seen(layout, place, design=design, difference=difference)
            return float(found.mean())

        low, high = 0.0, design.discordant
        if seen(high) < design.power:
            return None
        while high - low > 1e-4:
            middle = (low + high) / 2
            low, high = (
                (low, middle) if seen(middle) >= design.power else (middle, high)
            )
        return high

    def difference_half_widths(self, design: Design) -> Values:
        """Give half the width of each study's interval of a paired difference of 0."""
        if not self.fitting(design.items):
            return np.empty(0)
        layout, place = self._drawn(design)
        drawn = differences(place, difference=0.0, discordant=design.discordant)
        _, variance = thread_means(drawn, layout)
        return t_quantile(design.level, design.threads - 1) * np.sqrt(variance)

    def rate_half_widths(self, design: Design, share: float) -> Values:
        """Give half the width of each study's interval of a rate.

        A study that refuses the rate gives nothing.
        """
        if not self.fitting(design.items):
            return np.empty(0)
        layout, place = self._drawn(design)
        found = (
            rate((each < share).astype(np.float64), layout.threads) for each in place
        )
        return np.array(
            [(of.high - of.low) / 2 for of in found if isinstance(of, Estimate)]
        )

    def corrected_half_widths(
        self, design: Design, labels: int, judge: Judge
    ) -> Values:
        """Give half the width of each study's corrected rate, labels drawn at random.

        Below 30 labels there is no correction, and so no width.
        """
        if not self.fitting(design.items):
            return np.empty(0)
        layout, place = self._drawn(design)
        rng = np.random.default_rng([self.seed, design.items, labels])
        truth = place < judge.rate
        said = judged(
            truth,
            sensitivity=judge.sensitivity,
            specificity=judge.specificity,
            rng=rng,
        )
        widths = []
        for one, other in zip(truth, said, strict=True):
            expert = np.full(design.items, np.nan)
            drawn = rng.permutation(design.items)[:labels]
            expert[drawn] = one[drawn]
            found = corrected_rate(
                Sample(other.astype(np.float64), expert, layout.threads)
            )
            if isinstance(found, Estimate):
                widths.append((found.high - found.low) / 2)
        return np.array(widths)


def _seen(
    layout: Layout, place: Values, *, design: Design, difference: float
) -> Values:
    """Say of each study whether the interval leaves out 0, shape (studies,)."""
    drawn = differences(place, difference=difference, discordant=design.discordant)
    mean, variance = thread_means(drawn, layout)
    level = corrected_level(design)
    reach = t_quantile(level, layout.threads[-1]) * np.sqrt(variance)
    seen = np.abs(mean) > reach
    sparse = (np.abs(drawn).sum(axis=1) < FEW_DISCORDANT) | (variance == 0)
    for study in np.flatnonzero(sparse):
        seen[study] = _newcombe_sees(drawn[study], layout, level=level)
    return seen.astype(np.float64)


def _newcombe_sees(drawn: Values, layout: Layout, *, level: float) -> bool:
    """Look at a study with few items that differ, by the interval that it has then.

    Of the items that do not differ every second one counts as corrected by both.
    """
    first = np.where(drawn == 0, np.arange(len(drawn)) % 2, drawn > 0)
    found = paired_difference(
        first.astype(np.float64), first - drawn, layout.threads, level=level
    )
    return isinstance(found, Estimate) and not found.low <= 0 <= found.high
