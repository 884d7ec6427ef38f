"""Numbers that belong to one person or one moment; pure.

Medicine writes numbers too: doses, counts of cells, ranges, ratios and dates stay.

Example:
    >>> from threadmed.dataset.privacy.rules import needed, thread_text
    >>> text = "WBC 4,500,000, 192.168.0.17, 123-45-6789, at 1558096496, MRN 4711"
    >>> rules = needed(number_rules({1558096496}), thread_text([text], WORDS))
    >>> for find in rules:
    ...     for one in find(text, text.lower()):
    ...         print(one.kind, one.key)
    ip 192.168.0.17
    number 123456789
    time 1558096496
    number 4711
"""

import re
from collections.abc import Collection, Iterator
from datetime import datetime
from ipaddress import AddressValueError, IPv6Address

from threadmed.dataset.privacy.contacts import Found
from threadmed.dataset.privacy.rules import Rule, ThreadText

CROWDED = re.compile(r"[0-9](?:[ ().-]{0,2}[0-9]){6}")
"""Seven digits close together; without them there is nothing but IPs to find."""
BETWEEN = b" ().-"
"""What may stand between digits that are close together, as in `CROWDED`."""
DIGITS_LEVELLED = bytes(
    ord("0") if chr(code) in "0123456789" else 1 for code in range(256)
)
"""For `bytes.translate`: every digit is a zero, and nothing else is one."""
SEVEN = b"0" * 7
"""Seven digits, once they are levelled and nothing is between them."""

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

ACRONYMS = ("mrn", "ssn")
"""Of the numbers of medical records and of social security."""
OWNERS = ("record", "nhs", "policy", "account", "case", "insurance")
"""What has a number, as in "case no."; "social security" is the only one of two words."""
HOLDERS = ("member", "patient")
"""Who has an id."""
SHORT_NUMBERS = ("no", "num")
"""How people write "number" for short."""
MARKED = re.compile(
    rf"(?<![^\W_])(?:{'|'.join(ACRONYMS)}|(?:social security|{'|'.join(OWNERS)})"
    rf"(?: (?:number|(?:{'|'.join(SHORT_NUMBERS)})\b\.?|#))|(?:{'|'.join(HOLDERS)}) id)"
    r"(?: is|:|#|=)? ?#? ?(?P<it>[a-z]{0,3}[0-9][0-9 -]{2,}[0-9])"
)
"""Numbers of four digits and more, where the text says whose they are."""
MARKED_BY = (
    *ACRONYMS,
    "social security",
    *(f"{owner} {sign}" for owner in OWNERS for sign in "n#"),
    *(f"{holder} id" for holder in HOLDERS),
)
"""Only a text that has one of these is searched for such numbers."""

WORDS = frozenset({"social", *OWNERS, *HOLDERS, *SHORT_NUMBERS})
"""Words that the rules below ask a thread for."""

MOMENT = re.compile(
    r"(?P<day>[12][0-9]{3}-[01][0-9]-[0-3][0-9])[^0-9]{1,2}"
    r"(?P<clock>[0-2][0-9]:[0-5][0-9]:[0-5][0-9])(?:\.[0-9]{1,6})?"
    r"(?: ?(?:UTC|[Zz]|(?P<zone>[+-][0-9]{2}:?[0-9]{2}))(?![^\W_]))?"
)

DOTTED = re.compile(r"\.[0-9]{1,3}\.[0-9]")
"""In any address of version 4, and found fast."""
V4 = re.compile(r"[0-9]{1,3}(?:\.[0-9]{1,3}){3}(?![\w]|\.[0-9])")
V6_LIKELY = re.compile(r":[0-9A-Fa-f]{0,4}:")
V6 = re.compile(r"(?<![\w:.])[0-9A-Fa-f:]{6,39}(?![\w:])")


def _digits(text: str) -> str:
    return "".join([char for char in text if char.isdigit()])


def _stands_alone(text: str, start: int) -> bool:
    """Tell whether no number runs into what begins here."""
    return not re.compile(r"(?:\w|[0-9][.,:/-])$").search(
        text[max(0, start - 2) : start]
    )


def _v4(text: str, _low: str) -> Iterator[Found]:
    for match in V4.finditer(text) if DOTTED.search(text) else ():
        fits = all(int(part) < 256 for part in match[0].split("."))
        if fits and _stands_alone(text, match.start()):
            yield Found(*match.span(), "ip", match[0])


def _v6(text: str, _low: str) -> Iterator[Found]:
    for match in V6.finditer(text) if V6_LIKELY.search(text) else ():
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


def _marked(_text: str, low: str) -> Iterator[Found]:
    if any(mark in low for mark in MARKED_BY):
        for match in MARKED.finditer(low):
            start, end = match.span("it")
            yield Found(start, end, "number", _digits(match["it"]))


def _may_be_marked(thread: ThreadText) -> bool:
    low, words = thread.low, thread.words
    if not words.isdisjoint(("social", *OWNERS)) and (
        not words.isdisjoint(SHORT_NUMBERS) or "number" in low or "#" in low
    ):
        return True
    is_held = " id" in low and not words.isdisjoint(HOLDERS)
    return is_held or any(acronym in low for acronym in ACRONYMS)


def is_crowded(data: bytes) -> bool:
    """Tell whether seven digits may be close together, faster than by `CROWDED`.

    Example:
        >>> is_crowded(b"(212) 55 - 5018"), is_crowded(b"120/80, 98.6, 100")
        (True, False)
    """
    return SEVEN in data.translate(DIGITS_LEVELLED, BETWEEN)


def number_rules(times: Collection[int]) -> tuple[Rule[Found], ...]:
    """Find numbers of phones, machines, people and papers, and known times.

    Args:
        times: Seconds since 1970 at which the thread's records were written.
    """

    def crowded(text: str, low: str) -> Iterator[Found]:
        if CROWDED.search(text):
            yield from _moments(text, times)
            yield from _phones(text, low)
            yield from _long(text, times)

    return (
        Rule(_v4, lambda thread: DOTTED.search(thread.text) is not None),
        Rule(_v6, lambda thread: V6_LIKELY.search(thread.text) is not None),
        Rule(crowded, lambda thread: is_crowded(thread.data)),
        Rule(_marked, _may_be_marked),
    )
