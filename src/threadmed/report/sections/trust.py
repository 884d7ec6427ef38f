"""How far the judges may be trusted, in a word: what every judged number is marked with."""

from typing import NamedTuple

from threadmed.metrics.agreement.coefficients import Coefficient, Reliability
from threadmed.metrics.agreement.validation import Experts, Validation
from threadmed.metrics.corrected.debias import FEWEST_LABELS
from threadmed.metrics.estimates import NotEstimable
from threadmed.report.numbers import ratio, span, things

UNVALIDATED = "Judges not validated: not evidence"
BARELY = "Judges hardly validated: not evidence"
BY_CHANCE = "Judges no better than chance: not evidence"


class Trust(NamedTuple):
    """What is known of the judges, and what it makes of their scores."""

    mark: str
    """What judged figures and tables carry; empty where the judges are validated."""
    before: str
    """What stands before the headline."""
    answer: str
    """Whether they may be trusted, as a number where there is one."""
    detail: str


def trust_of(validation: Validation) -> Trust:
    """Say how far the judges may be trusted.

    They are validated where experts scored at least 30 of the answers and the interval
    of kappa between experts and panel lies above 0; how good it is, is for the reader
    to say, and so it stands on the first screen.

    Args:
        validation: Of the study.

    Example:
        >>> nobody = NotEstimable(reason="no expert has rated any", n=0)
        >>> trust_of(Validation(identification=nobody, scoring=nobody)).answer
        'Not known'
    """
    scoring = validation.scoring
    if isinstance(scoring, NotEstimable) or not scoring.panel.n_scored:
        return Trust(
            UNVALIDATED,
            "According to unvalidated judges, ",
            "Not known",
            "no expert has scored any of these answers; the rates are the judges\u2019 "
            "opinion.",
        )
    n, kappa = scoring.panel.n_scored, scoring.panel.agreement.coefficients.kappa
    answer = kappa_in_short(kappa)
    detail = f"against experts, {_measured(kappa)}; {_ceiling(scoring.experts)}"
    if n < FEWEST_LABELS or isinstance(kappa, NotEstimable):
        few = f"experts scored only {things(n, 'answer')}; {detail}"
        return Trust(BARELY, "According to hardly validated judges, ", answer, few)
    if kappa.low <= 0:
        poor = f"no better than chance, as far as this study can tell; {detail}"
        return Trust(
            BY_CHANCE, "According to judges no better than chance, ", answer, poor
        )
    return Trust("", "", answer, detail)


def kappa_in_short(kappa: Reliability) -> str:
    """Write a kappa as it stands in a headline."""
    if isinstance(kappa, NotEstimable):
        return "Not known"
    return f"\u03ba {ratio(kappa.value)}"


def _measured(kappa: Reliability) -> str:
    if isinstance(kappa, NotEstimable):
        return f"not known ({kappa.reason})"
    interval = span(ratio(kappa.low), ratio(kappa.high))
    return f"{kappa.level:.0%} CI {interval}, n = {kappa.n:,}"


def ceiling_of(experts: Experts) -> Reliability:
    """Give how far experts agree with each other, corrected for chance."""
    if isinstance(experts.ceiling, NotEstimable):
        return experts.ceiling
    return experts.ceiling.overall.coefficients.kappa


def _ceiling(experts: Experts) -> str:
    kappa = ceiling_of(experts)
    if isinstance(kappa, Coefficient):
        return f"experts with each other {ratio(kappa.value)} (n = {kappa.n:,})."
    return f"how far experts agree with each other is not known: {kappa.reason}."
