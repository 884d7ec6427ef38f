"""What wrong labels of controls may have done to a rate of false alarms."""

from threadmed.metrics.controls.identification import IdentificationUncertainty
from threadmed.metrics.corrected.adjusted import Adjusted
from threadmed.metrics.estimates import NotEstimable, Number
from threadmed.records import Record

SUPPOSED = (0.01, 0.05, 0.1)
"""Shares of wrong labels that are tried, whatever experts say (convention)."""


class AtShare(Record, frozen=True, kw_only=True, tag="at_share", tag_field="kind"):
    """Between what the false alarms lie if a share of the controls is labelled wrong."""

    share: float
    """Of controls that do carry a misconception."""
    low: float
    """Every wrongly labelled one counted as a false alarm."""
    high: float
    """None of them did."""


class WrongLabels(Record, frozen=True, kw_only=True):
    """What wrong labels of controls may have done to the rate of false alarms."""

    supposed: tuple[AtShare, ...]
    """The rate as it is, at shares that are only supposed."""
    checked: AtShare | NotEstimable
    """The same at the share that experts found among unlabelled questions."""
    widest: AtShare | NotEstimable
    """At the upper limit of that share, with the limits of the rate in place of it."""


def without_wrong(low: float, high: float, *, share: float) -> AtShare:
    """Bound the false alarms among controls whose label is right.

    Of the observed rate F = (1-e) f + e g only F is known; g, the rate among the share
    e of controls that do carry a misconception, is anything from 0 to 1. So f lies
    between (F - e)/(1 - e) and F/(1 - e), cut to [0, 1].

    Args:
        low: F, or its lower limit, in [0, 1].
        high: F, or its upper limit, in [0, 1].
        share: e, in [0, 1].

    Example:
        >>> found = without_wrong(0.2, 0.2, share=0.1)
        >>> round(found.low, 4), round(found.high, 4)
        (0.1111, 0.2222)
    """
    if not 0 <= share <= 1:
        raise ValueError(f"expected a share from 0 to 1, got {share!r}")
    if share == 1:
        return AtShare(share=share, low=0.0, high=1.0)
    return AtShare(
        share=share,
        low=max(0.0, (low - share) / (1 - share)),
        high=min(1.0, high / (1 - share)),
    )


def wrong_labels(
    alarms: Number, identification: IdentificationUncertainty | None
) -> WrongLabels:
    """Say what wrong labels of controls may have done to a rate of false alarms.

    Args:
        alarms: The rate as it was observed.
        identification: Where experts checked unlabelled questions.

    Example:
        >>> import numpy as np
        >>> from threadmed.metrics.intervals import rate
        >>> alarms = rate(np.tile([1.0, 0, 0, 0, 0], 8), np.arange(40))
        >>> found = wrong_labels(alarms, None).supposed[-1]
        >>> found.share, round(found.low, 3), round(found.high, 3)
        (0.1, 0.111, 0.222)
    """
    if isinstance(alarms, NotEstimable):
        return WrongLabels(supposed=(), checked=alarms, widest=alarms)
    supposed = tuple(
        without_wrong(alarms.value, alarms.value, share=share) for share in SUPPOSED
    )
    if identification is None:
        return WrongLabels(supposed=supposed, checked=unchecked(), widest=unchecked())
    missed, n = identification.missed, identification.n_unlabelled
    if not isinstance(missed, Adjusted) or not n:
        reason = missed if isinstance(missed, NotEstimable) else unchecked()
        return WrongLabels(supposed=supposed, checked=reason, widest=reason)
    middle, most = min(1.0, missed.value / n), min(1.0, missed.high / n)
    return WrongLabels(
        supposed=supposed,
        checked=without_wrong(alarms.value, alarms.value, share=middle),
        widest=without_wrong(alarms.low, alarms.high, share=most),
    )


def unchecked() -> NotEstimable:
    """Say that no expert checked.

    Example:
        >>> unchecked().reason
        'no expert checked unlabelled questions'
    """
    return NotEstimable(reason="no expert checked unlabelled questions", n=0)
