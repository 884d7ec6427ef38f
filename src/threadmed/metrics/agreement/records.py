"""What `agree` gives: the records behind every printed number of agreement.

Agreement
├── raters    who rated how many items, with which values
├── overall   all raters: raw, unanimous, AC, alpha, Fleiss' kappa
└── pairs     two raters on the items that both rated
"""

from threadmed.metrics.agreement.coefficients import Reliability
from threadmed.metrics.agreement.confusion import ClassAgreement, Confusion
from threadmed.metrics.agreement.raters import Scale
from threadmed.metrics.estimates import NotEstimable, Number
from threadmed.records import Record


class Coefficients(Record, frozen=True, kw_only=True):
    """Agreement corrected for chance, in each of its kinds."""

    kappa: Reliability
    """Of two raters Cohen's, unweighted; of more Fleiss'."""
    kappa_linear: Reliability
    kappa_quadratic: Reliability
    ac1: Reliability
    """Gwet's."""
    ac2_linear: Reliability
    ac2_quadratic: Reliability
    alpha_nominal: Reliability
    """Krippendorff's."""
    alpha_ordinal: Reliability
    alpha_interval: Reliability


class RaterCount(Record, frozen=True, kw_only=True):
    """What one rater did."""

    rater: str
    n_rated: int
    n_missing: int
    counts: tuple[int, ...]
    """How often each value of the scale was given."""


class PairAgreement(Record, frozen=True, kw_only=True):
    """Two raters on the items that both rated; the first is held for the truth."""

    first: str
    second: str
    n_total: int
    """Items of the table."""
    n_scored: int
    """Items that both rated."""
    n_missing: int
    raw: Number
    """Share of items on which they agree exactly."""
    coefficients: Coefficients
    confusion: Confusion
    classes: tuple[ClassAgreement, ...]
    """A value of the scale each."""
    macro_f1: Number
    warnings: tuple[str, ...] = ()


class OverallAgreement(Record, frozen=True, kw_only=True):
    """All raters together, on the items that at least two rated."""

    raw: Number
    """Mean over items of the share of pairs of raters who agree."""
    unanimous: Number
    """Share of items on which all who rated them agree."""
    coefficients: Coefficients
    n_left_out_of_fleiss: int
    """Items with another number of ratings than most; Fleiss' kappa cannot use them."""
    fleiss_raters: int
    """Ratings of each item that it uses; 0 where there is none."""


class Agreement(Record, frozen=True, kw_only=True, tag="agreement", tag_field="kind"):
    """Every number of a ratings table."""

    version: int = 1
    level: float
    """Coverage that intervals aim at."""
    scale: Scale
    raters: tuple[RaterCount, ...]
    n_total: int
    """Items of the table."""
    n_scored: int
    """Items with at least two ratings."""
    n_missing: int
    """Items with fewer."""
    n_ratings: int
    n_ratings_missing: int
    """Cells of the table, an item and a rater each, that hold no rating."""
    n_threads: int
    """Threads of the items; 0 where the table names none."""
    overall: OverallAgreement
    pairs: tuple[PairAgreement, ...]


def fitting(found: Coefficients, scale: Scale, *, n: int) -> Coefficients:
    """Take back what the level of the scale does not allow.

    Example:
        >>> from threadmed.metrics.agreement.raters import YES_NO
        >>> every = NotEstimable(reason="few", n=3)
        >>> found = Coefficients(**dict.fromkeys(Coefficients.__struct_fields__, every))
        >>> fitting(found, YES_NO, n=3).kappa.reason
        'few'
        >>> fitting(found, YES_NO, n=3).kappa_linear.reason
        'the values have no order'
    """
    unordered = NotEstimable(reason="the values have no order", n=n)
    unnumbered = NotEstimable(reason="the values are no numbers", n=n)
    is_ordinal, has_numbers = scale.level == "ordinal", scale.numbers is not None
    return Coefficients(
        kappa=found.kappa,
        kappa_linear=found.kappa_linear if is_ordinal else unordered,
        kappa_quadratic=found.kappa_quadratic if is_ordinal else unordered,
        ac1=found.ac1,
        ac2_linear=found.ac2_linear if is_ordinal else unordered,
        ac2_quadratic=found.ac2_quadratic if is_ordinal else unordered,
        alpha_nominal=found.alpha_nominal,
        alpha_ordinal=found.alpha_ordinal if is_ordinal else unordered,
        alpha_interval=(
            unordered
            if not is_ordinal
            else found.alpha_interval
            if has_numbers
            else unnumbered
        ),
    )
