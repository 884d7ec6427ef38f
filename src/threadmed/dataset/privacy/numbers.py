"""Numbers that belong to one person or one moment; pure.

Medicine writes numbers too: doses, counts of cells, ranges, ratios and dates stay.
"""

import re
from collections.abc import Collection, Iterator
from datetime import datetime
from ipaddress import AddressValueError, IPv6Address

from threadmed.dataset.privacy.contacts import Found

CROWDED = re.compile(r"[0-9](?:[ ().-]{0,2}[0-9]){6}")
"""Seven digits close together; without them there is nothing but IPs to find."""

PHONE = re.compile(
    r"(?<![\w.+/-])(?:"
    r"\+(?![0-9]\.[0-9]{2}(?![0-9]))\d{1,3}[ .-]?(?:\(?\d{1,4}\)?[ .-]?){2,4}\d{2,4}"
    r"|(?:1[ .-]?)?(?:\([2-9]\d{2}\) ?|[2-9]\d{2}[ .-])[2-9]\d{2}[ .-]\d{4}"
    r"|[01]\d{2}-\d{3}-\d{4}|\d{3}-[01]\d{2}-\d{4}"
    r"|\(?0\d{2,4}\)?[ -]\d{3,4}[ -]?\d{3,4}"
    r"|0\d{10}|[2-9]\d{2}[2-9]\d{6}"
    r")(?![\w/])"
)
FEWEST_DIGITS = 8
"""Of a number for phones with its country's."""

LOCAL = re.compile(r"[2-9][0-9]{2}[-. ][0-9]{4}(?![\w-])")
LOCAL_LEAD = re.compile(
    r"(?<![^\W_])(?:call|phone|cell ?phone|tel|telephone|mobile|fax|text)(?: me)?"
    r"(?: number| no\.?)?(?: is| at)?:? ?$"
)
"""Before a number without that of an area, which else may be a range of doses."""

LONG = re.compile(r"[0-9][0-9]{6,}")
GROUPED = re.compile(
    r"[0-9]{3}-[0-9]{2}-[0-9]{4}(?![\w-])"
    r"|[3-6][0-9]{3}([ -])[0-9]{4}\1[0-9]{4}\1[0-9]{4}(?![\w-])"
    r"|3[0-9]{3}([ -])[0-9]{6}\2[0-9]{5}(?![\w-])"
)
"""Social security and credit card numbers as they are printed."""

PUBLIC = re.compile(
    r"(?:PMID|PMC|NCT|ISRCTN|EudraCT|ISBN|doi)[:# ]{0,3}$", re.IGNORECASE
)
"""Before the number of a paper or a trial."""

AMOUNT = re.compile(
    r" ?(?:copies|cop/|i\.?u\b|units?\b|cells?\b|cfu|sperm|/|per\b|platelets|people"
    r"|million|dollars|mcg|mg|ml|genome)",
    re.IGNORECASE,
)
"""Behind a number that counts something."""

MARKED_BY = ("mrn", "ssn", "record n", "nhs n", "policy n", "member id", "patient id",
             "account n", "case n", "insurance n", "social security")  # fmt: skip
MARKED = re.compile(
    r"(?<![^\W_])(?:mrn|ssn|(?:social security|(?:medical )?record|nhs|policy|account|case"
    r"|insurance)(?: (?:number|no\b\.?|num\b\.?|#))|(?:member|patient) id)"
    r"(?: is|:|#|=)? ?#? ?(?P<it>[a-z]{0,3}[0-9][0-9 -]{2,}[0-9])"
)
"""Numbers of four digits and more, where the text says whose they are."""

MOMENT = re.compile(
    r"(?P<day>[12][0-9]{3}-[01][0-9]-[0-3][0-9])[^0-9]{1,2}"
    r"(?P<clock>[0-2][0-9]:[0-5][0-9]:[0-5][0-9])(?:\.[0-9]{1,6})?"
    r"(?: ?(?:UTC|[Zz]|(?P<zone>[+-][0-9]{2}:?[0-9]{2}))(?![^\W_]))?"
)

V4 = re.compile(r"[0-9]{1,3}(?:\.[0-9]{1,3}){3}(?![\w]|\.[0-9])")
V6_LIKELY = re.compile(r":[0-9A-Fa-f]{0,4}:")
V6 = re.compile(r"(?<![\w:.])[0-9A-Fa-f:]{6,39}(?![\w:])")


def numbers(text: str, low: str, times: Collection[int]) -> Iterator[Found]:
    """Find numbers of phones, machines, people and papers, and known times.

    Args:
        text: A message.
        low: The same in lower case, of the same length.
        times: Seconds since 1970 at which the thread's records were written.

    Example:
        >>> text = "WBC 4,500,000, 192.168.0.17, 123-45-6789, at 1558096496, MRN 4711"
        >>> [(one.kind, one.key) for one in numbers(text, text.lower(), {1558096496})]
        [('ip', '192.168.0.17'), ('number', '123456789'), ('time', '1558096496'), \
('number', '4711')]
    """
    if text.count(".") >= 3:
        yield from _v4(text)
    if V6_LIKELY.search(text):
        yield from _v6(text)
    if CROWDED.search(text):
        yield from _moments(text, times)
        yield from _phones(text, low)
        yield from _long(text, times)
    if any(mark in low for mark in MARKED_BY):
        for match in MARKED.finditer(low):
            start, end = match.span("it")
            yield Found(start, end, "number", _digits(match["it"]))


def _digits(text: str) -> str:
    return "".join([char for char in text if char.isdigit()])


def _stands_alone(text: str, start: int) -> bool:
    """Tell whether no number runs into what begins here."""
    return not re.compile(r"(?:\w|[0-9][.,:/-])$").search(
        text[max(0, start - 2) : start]
    )


def _v4(text: str) -> Iterator[Found]:
    for match in V4.finditer(text):
        fits = all(int(part) < 256 for part in match[0].split("."))
        if fits and _stands_alone(text, match.start()):
            yield Found(*match.span(), "ip", match[0])


def _v6(text: str) -> Iterator[Found]:
    for match in V6.finditer(text):
        groups = [group for group in match[0].split(":") if group]
        # A time or a ratio has digits alone.
        if len(groups) < 3 or not re.search("[A-Fa-f]", match[0]):
            continue
        try:
            yield Found(*match.span(), "ip", str(IPv6Address(match[0])))
        except AddressValueError:
            continue


def _moments(text: str, times: Collection[int]) -> Iterator[Found]:
    """Find times that one of the thread's records has, to the second."""
    for match in MOMENT.finditer(text) if times else ():
        written = f"{match['day']}T{match['clock']}"
        # Its zone may be meant otherwise than written.
        for zone in {match["zone"] or "Z", "Z"}:
            try:
                moment = int(datetime.fromisoformat(written + zone).timestamp())
            except ValueError:
                continue
            if moment in times:
                yield Found(*match.span(), "time", str(moment))


def _phones(text: str, low: str) -> Iterator[Found]:
    for match in PHONE.finditer(text):
        digits = _digits(match[0])
        if match[0][0] != "+" or len(digits) >= FEWEST_DIGITS:
            yield Found(*match.span(), "phone", digits)
    for match in LOCAL.finditer(text):
        if LOCAL_LEAD.search(low[max(0, match.start() - 30) : match.start()]):
            yield Found(*match.span(), "phone", _digits(match[0]))


def _long(text: str, times: Collection[int]) -> Iterator[Found]:
    for match in GROUPED.finditer(text):
        digits = _digits(match[0])
        is_card = len(digits) > 9
        if _stands_alone(text, match.start()) and (not is_card or _is_luhn(digits)):
            yield Found(*match.span(), "number", digits)
    for match in LONG.finditer(text):
        if len(match[0]) in {10, 13} and int(match[0][:10]) in times:
            yield Found(*match.span(), "time", match[0][:10])
            continue
        before = text[max(0, match.start() - 10) : match.start()]
        is_fraction = before[-1:] == "." and before[-2:-1].isdigit()
        is_amount = match[0].endswith("0000") or AMOUNT.match(text, match.end())
        if not (is_fraction or is_amount or PUBLIC.search(before)):
            yield Found(*match.span(), "number", match[0])


def _is_luhn(digits: str) -> bool:
    """Check the last digit of a card's number, as ISO/IEC 7812-1 has it."""
    total = 0
    for place, digit in enumerate(reversed(digits)):
        value = int(digit) * (1 + place % 2)
        total += value - 9 * (value > 9)
    return total % 10 == 0
