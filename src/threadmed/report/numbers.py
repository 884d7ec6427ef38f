"""Numbers to text, for pages and tables; pure.

Rules: shares and points have one decimal, whole percent in prose; ratios and mean
scores have two; p has three and stops at <0.001; money has two; counts have thousands
separated.
The minus is U+2212, a range has an en dash, and a range with signs says "to".
What is missing is an en dash, which never stands without its reason.
"""

from collections.abc import Sequence

MINUS = "\u2212"
MISSING = "\u2013"
"""An en dash; whoever prints it says why beside it."""

FEW = 100
"""Below so many items a share is shown as a count of them."""

SPELLED = (
    ["no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]
)  # fmt: skip


def count(value: int) -> str:
    """Write a whole number with its thousands apart.

    Example:
        >>> count(41870)
        '41,870'
    """
    return f"{value:,}".replace("-", MINUS)


def percent(share: float, *, decimals: int = 1) -> str:
    """Write a share in percent, without the sign.

    Example:
        >>> percent(377 / 604), percent(1), percent(0.125, decimals=0)
        ('62.4', '100.0', '12')
    """
    return _fixed(share * 100, decimals)


def points(difference: float, *, decimals: int = 1) -> str:
    r"""Write a difference of shares in points, with its sign.

    Example:
        >>> points(0.067), points(-0.0001)
        ('+6.7', '0.0')
        >>> points(-0.025) == "\u22122.5"
        True
    """
    return _signed(difference * 100, decimals)


def ratio(value: float) -> str:
    """Write a ratio or a kappa.

    Example:
        >>> ratio(1.8), ratio(-0.004)
        ('1.80', '0.00')
    """
    return _fixed(value, 2)


def mean_score(value: float) -> str:
    """Write a mean of scores between -1 and 1, with its sign.

    Example:
        >>> mean_score(0.5), mean_score(0)
        ('+0.50', '0.00')
    """
    return _signed(value, 2)


def p_value(value: float) -> str:
    """Write a p-value.

    Example:
        >>> p_value(0.0004), p_value(0.04), p_value(1)
        ('<0.001', '0.040', '1.000')
    """
    return "<0.001" if value < 0.001 else _fixed(value, 3)


def usd(value: float) -> str:
    """Write an amount of money; what is not nothing does not become it.

    Example:
        >>> usd(1148.954), usd(0.0), usd(0.0004)
        ('1,148.95', '0.00', '<0.01')
    """
    return "<0.01" if 0 < value < 0.005 else f"{value:,.2f}"


def score(value: int) -> str:
    """Write one score.

    Example:
        >>> score(0), score(1)
        ('0', '+1')
    """
    return _signed(value, 0)


def span(low: str, high: str) -> str:
    r"""Join the ends of an interval that were written by one of the above.

    Example:
        >>> span("+2.5", "+6.7")
        '+2.5 to +6.7'
        >>> span("55.4", "63.7") == "55.4\u201363.7"
        True
    """
    signed = any(end.startswith(("+", MINUS)) for end in (low, high))
    return f"{low} to {high}" if signed else f"{low}{MISSING}{high}"


def percents(low: float, high: float, *, decimals: int = 1) -> str:
    r"""Write an interval of shares.

    Example:
        >>> percents(0.554, 0.637) == "55.4\u201363.7"
        True
    """
    ends = (percent(end, decimals=decimals) for end in (low, high))
    return span(*ends)


def signed_points(low: float, high: float, *, decimals: int = 1) -> str:
    """Write an interval of differences.

    Example:
        >>> signed_points(0.021, 0.067)
        '+2.1 to +6.7'
    """
    ends = (points(end, decimals=decimals) for end in (low, high))
    return span(*ends)


def of(part: int, whole: int) -> str:
    """Write a part of a whole: the two counts where they are few, else a percentage.

    Example:
        >>> of(6, 32), of(279, 310)
        ('6/32', '90.0% of 310')
    """
    if whole < FEW:
        return f"{part}/{whole}"
    return f"{percent(part / whole)}% of {count(whole)}"


def spelled(value: int) -> str:
    """Write a small number as a word, as it stands in a sentence.

    Example:
        >>> spelled(5), spelled(13)
        ('five', '13')
    """
    return SPELLED[value] if 0 <= value < len(SPELLED) else count(value)


def things(number: int, one: str, many: str = "") -> str:
    """Write a count with its noun.

    Example:
        >>> things(1, "thread"), things(1204, "thread"), things(2, "reply", "replies")
        ('1 thread', '1,204 threads', '2 replies')
    """
    return f"{count(number)} {one if number == 1 else many or one + 's'}"


def listed(words: Sequence[str]) -> str:
    """Join words as a sentence does.

    Example:
        >>> listed(["A", "B", "C"]), listed(["A"])
        ('A, B and C', 'A')
    """
    *most, last = words
    return f"{', '.join(most)} and {last}" if most else last


def between(numbers: Sequence[int]) -> str:
    """Write the smallest and the largest of some counts.

    Example:
        >>> between([604]), between([98, 109, 96])
        ('604', '96 to 109')
    """
    low, high = count(min(numbers)), count(max(numbers))
    return low if low == high else f"{low} to {high}"


def _fixed(value: float, decimals: int) -> str:
    text = f"{value:.{decimals}f}"
    if not float(text):
        text = text.removeprefix("-")
    return text.replace("-", MINUS)


def _signed(value: float, decimals: int) -> str:
    text = _fixed(value, decimals)
    positive = value > 0 and float(text) > 0
    return f"+{text}" if positive else text
