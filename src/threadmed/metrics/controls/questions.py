"""What controls and harm classes add to the numbers of a scores table."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from threadmed.metrics.controls.control import Known, OverCorrection, over_correction
from threadmed.metrics.controls.severity import HarmWeights, Severity, severity
from threadmed.metrics.measurement import SideBySide
from threadmed.records import Harm, PanelScore, Question


class WithQuestions(SideBySide, frozen=True, kw_only=True):
    """Both modes, and what controls and harm classes add to them."""

    over_correction: OverCorrection | None = None
    """None where the table has no controls."""
    severity: Severity | None = None
    """None where the table has no harm classes."""


class OfQuestions(NamedTuple):
    """What a table says besides PCR; None where it lacks what that needs."""

    over_correction: OverCorrection | None
    severity: Severity | None

    def beside(self, both: SideBySide) -> SideBySide:
        """Put what there is beside both modes, in one record."""
        if self.over_correction is None and self.severity is None:
            return both
        return WithQuestions(
            **{name: getattr(both, name) for name in both.__struct_fields__},
            over_correction=self.over_correction,
            severity=self.severity,
        )


def of_questions(
    rows: Sequence[PanelScore],
    *,
    harms: Mapping[Question, Harm],
    chances: Mapping[Question, float],
    weights: HarmWeights,
    level: float,
) -> OfQuestions:
    """Compute what controls and harm classes say.

    Args:
        rows: A scores table; rows without a misconception are its controls.
        harms: The class of each question that has one.
        chances: The chance in (0, 1] with which each control was drawn.
        weights: What a misconception of each class counts.
        level: Coverage of the intervals.

    Raises:
        InputError: If weights or chances are not what they must be.

    Example:
        >>> from threadmed.records import ThreadId
        >>> rows = [PanelScore(target="a", setting="oracle", thread_id=ThreadId("T"),
        ...     turn=0, score=1, outcome="scored", misconception=False)]
        >>> found = of_questions(
        ...     rows, harms={}, chances={}, weights=HarmWeights(), level=0.95)
        >>> found.over_correction.n_controls, found.severity
        (1, None)
    """
    has_controls = any(not row.misconception for row in rows)
    return OfQuestions(
        over_correction(rows, known=Known(chances=chances), level=level)
        if has_controls
        else None,
        severity(rows, harms, weights=weights, level=level) if harms else None,
    )
