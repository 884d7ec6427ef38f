"""A judge's rate, corrected by how often it errs on labels from elsewhere."""

from typing import NamedTuple

from threadmed.metrics.corrected.adjusted import Adjusted, AdjustedNumber
from threadmed.metrics.estimates import NotEstimable
from threadmed.metrics.intervals import Interval, wilson
from threadmed.metrics.quantiles import normal_quantile

FEWEST_OF_A_CLASS = 20
"""Below this many labels of a class its error rate is not known well enough."""
ASSUMES = "the judge errs alike on every target and setting"


class Known(NamedTuple):
    """How a judge's yes and no stand against an expert's."""

    true_yes: int
    """Labels that are yes for both."""
    yes: int
    """Labels that are yes for the expert."""
    true_no: int
    """Labels that are no for both."""
    no: int
    """Labels that are no for the expert."""

    @property
    def sensitivity(self) -> float:
        """Share of the expert's yes that the judge finds."""
        return self.true_yes / self.yes

    @property
    def specificity(self) -> float:
        """Share of the expert's no that the judge finds."""
        return self.true_no / self.no


class Shares(NamedTuple):
    """The three shares of a correction, each with the number that it is a share of."""

    share: float
    """Judged corrected, among `n`."""
    n: float
    sensitivity: float
    yes: float
    specificity: float
    no: float

    @property
    def corrected(self) -> float:
        """The true share that they come to."""
        return corrected_share(self.share, self.sensitivity, self.specificity)


def rogan_gladen(
    hits: int, n: int, *, known: Known, threads: int, level: float = 0.95
) -> AdjustedNumber:
    """Estimate a true share from a judge's share and its error rates.

    theta = (p + sp - 1)/(se + sp - 1), cut to [0, 1], with the interval of Lang and
    Reiczigel, which counts the uncertainty of p, se and sp.

    Args:
        hits: Items that the judge calls corrected.
        n: Items that it judged, at least 1.
        known: Its errors on labelled items, of whatever target.
        threads: Threads that hold those labels.
        level: Coverage aimed at, in (0, 1).

    Returns:
        The share, always with the assumption that it rests on; a reason with fewer
        than 20 labels of a class, where the judge may be no better than chance, or
        where its rate lies beyond what its errors allow.

    References:
        Rogan and Gladen (1978); Lang and Reiczigel (2014); Lee et al. (2025),
        arXiv 2511.21140, equations 4 to 7.

    Example:
        >>> known = Known(true_yes=35, yes=38, true_no=27, no=34)
        >>> found = rogan_gladen(380, 604, known=known, threads=72)
        >>> round(found.value, 6), round(found.low, 6), round(found.high, 6)
        (0.591826, 0.466605, 0.722869)
    """
    labels = known.yes + known.no
    if (reason := _refused(known, level=level)) is not None:
        return NotEstimable(reason=reason, n=labels)
    share = corrected_share(hits / n, known.sensitivity, known.specificity)
    limits = lang_reiczigel(hits, n, known=known, level=level)
    if limits.low == limits.high:
        reason = "the judge's rate lies beyond what its known errors allow"
        return NotEstimable(reason=reason, n=labels)
    value = _cut(share)
    return Adjusted(
        value=value,
        low=min(value, limits.low),
        high=max(value, limits.high),
        level=level,
        n=labels,
        threads=threads,
        method="lang_reiczigel",
        assumes=ASSUMES,
        flag="" if value == share else "cut to the range of a share",
    )


def corrected_share(share: float, sensitivity: float, specificity: float) -> float:
    """Give (p + sp - 1)/(se + sp - 1), which may leave [0, 1].

    Example:
        >>> corrected_share(0.75, 1.0, 0.5)
        0.5
    """
    return (share + specificity - 1) / (sensitivity + specificity - 1)


def plain_shares(hits: int, n: int, known: Known) -> Shares:
    """Set the shares as they are counted.

    Example:
        >>> of = plain_shares(380, 604, Known(35, 38, 27, 34))
        >>> round(of.corrected, 6), round(corrected_variance(of) ** 0.5, 6)
        (0.591826, 0.060267)
    """
    return Shares(
        share=hits / n,
        n=n,
        sensitivity=known.sensitivity,
        yes=known.yes,
        specificity=known.specificity,
        no=known.no,
    )


def corrected_variance(of: Shares) -> float:
    """Give the variance of a corrected share, by the delta method.

    [p(1-p)/n + theta^2 se(1-se)/m1 + (1-theta)^2 sp(1-sp)/m0] / (se + sp - 1)^2.

    Args:
        of: Shares with se + sp above 1.

    References:
        Rogan and Gladen (1978); Lee et al. (2025), arXiv 2511.21140.

    Example:
        >>> perfect = Shares(0.5, 100, sensitivity=1, yes=9, specificity=1, no=9)
        >>> corrected_variance(perfect)
        0.0025
    """
    theta = of.corrected
    of_se = of.sensitivity * (1 - of.sensitivity) / of.yes
    of_sp = of.specificity * (1 - of.specificity) / of.no
    of_share = of.share * (1 - of.share) / of.n
    variance = of_share + theta**2 * of_se + (1 - theta) ** 2 * of_sp
    return variance / (of.sensitivity + of.specificity - 1) ** 2


def _refused(known: Known, *, level: float) -> str | None:
    if min(known.yes, known.no) < FEWEST_OF_A_CLASS:
        few = f"fewer than {FEWEST_OF_A_CLASS} labels of a class"
        return f"{few} ({known.yes} corrected, {known.no} not)"
    if informedness_low(known, level=level) <= 0:
        return "the judge may be no better than chance"
    return None


def informedness_low(known: Known, *, level: float = 0.95) -> float:
    """Give a lower limit of se + sp - 1, which is 0 for a judge that guesses.

    J - sqrt((se - se_L)^2 + (sp - sp_L)^2) with Wilson's lower limits.

    Example:
        >>> round(informedness_low(Known(35, 38, 27, 34)), 3)
        0.508
    """
    se, sp = known.sensitivity, known.specificity
    se_off = se - wilson(se, known.yes, level=level).low
    sp_off = sp - wilson(sp, known.no, level=level).low
    return float(se + sp - 1 - (se_off**2 + sp_off**2) ** 0.5)


def lang_reiczigel(hits: int, n: int, *, known: Known, level: float = 0.95) -> Interval:
    """Give the interval of a corrected share, cut to [0, 1].

    All three shares are drawn towards 1/2 (by z^2 and by 2 pseudo-items), and the
    middle is moved by d = 2 z^2 (theta se(1-se)/m1 - (1-theta) sp(1-sp)/m0).

    Args:
        hits: Items that the judge calls corrected.
        n: Items that it judged.
        known: Its errors; its smoothed se + sp must exceed 1.
        level: Coverage aimed at, in (0, 1).

    References:
        Lang and Reiczigel (2014), Preventive Veterinary Medicine 113:13.

    Example:
        >>> limits = lang_reiczigel(380, 604, known=Known(35, 38, 27, 34))
        >>> round(limits.low, 6), round(limits.high, 6)
        (0.466605, 0.722869)
    """
    z = normal_quantile(level)
    all_n, yes, no = n + z**2, known.yes + 2, known.no + 2
    se, sp = (known.true_yes + 1) / yes, (known.true_no + 1) / no
    of = Shares((hits + z**2 / 2) / all_n, all_n, se, yes, sp, no)
    half = z * corrected_variance(of) ** 0.5
    theta, of_se, of_sp = of.corrected, se * (1 - se) / yes, sp * (1 - sp) / no
    middle = theta + 2 * z**2 * (theta * of_se - (1 - theta) * of_sp)
    return Interval(_cut(middle - half), _cut(middle + half))


def _cut(share: float) -> float:
    return min(1.0, max(0.0, share))
