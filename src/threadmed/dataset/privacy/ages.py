"""Ages over 89, which are so rare that they lead to a person; pure.

Only where the text says that a number is an age.

Example:
    >>> from threadmed.dataset.privacy.rules import needed, thread_text
    >>> text = "Gran, 92F, is 92 years old, 95 kg, temp 99F, O2 sat 95, aged 90"
    >>> rules = needed(AGES, thread_text([text], frozenset()))
    >>> found = [one for find in rules for one in find(text, text.lower())]
    >>> [text[one.start - 2 : one.end + 2] for one in found]
    [', 92F,', 's 92 y', 'd 90']
"""

import re
from collections.abc import Iterator

from threadmed.dataset.privacy.contacts import Found
from threadmed.dataset.privacy.rules import Rule, ThreadText

NINETIES = re.compile(r"9[0-9](?![0-9])")
HUNDREDS = re.compile(r"1[0-2][0-9](?![0-9])")
"""Two patterns, since one that begins with a plain character is found much faster."""
NINETY = re.compile(
    r"ninety(?:[ -](?:one|two|three|four|five|six|seven|eight|nine))?"
    r"(?=[ -](?:years?|yrs?)[ -]old|[ -]years? of age)"
)

YEARS = re.compile(
    r"[ -]?(?:y(?:ea)?rs?[ -]?old|years? of age|y\.?/?o\.?(?![^\W_])|yo[mf](?![^\W_])"
    r"|y[mf](?![^\W_]))"
)
"""Behind the number of an age, whatever stands before it."""

WHO = re.compile(
    r"(?<![^\W_])(?:i['\u2019]?m|i am|(?:s?he|who|mother|father|mom|mum|dad|grandmother"
    r"|grandfather|grandma|grandpa|gran|nan|aunt|uncle)(?:['\u2019]s| is| was)"
    r"|turn(?:ed|ing|s)) (?:now |already |only |almost |nearly )?$"
)
"""Before an age, if what stands behind it is no unit."""

END = re.compile(
    r"[,;!?)\]]|\.(?![0-9])|$|\n| (?:and|with|but|so|now|years young)\b"
    r"|[ /]?(?:male|female|yo|[mf])(?![^\W_])"
)
AGED = re.compile(r"(?<![^\W_])age[ds]?(?: of| is| was| at)?[:=]? ?$")
NO_YEARS = re.compile(
    r"[0-9%]|[.-][0-9]| ?(?:days?|weeks?|wks?|months?|mos?|min|minutes|h|hours|hrs)\b"
)

SEX_BEHIND = re.compile(
    r"(?: ?/ ?)?[MF](?![\w'\u2019]|/[A-Za-z0-9]| (?:sperm|motile|copies|cells|people|dollars))"
)
BEGINS = re.compile(
    r"(?:^|[(\[,;/]|(?<![^\W_])(?:an?|i['\u2019]?m|i am|patient|pt|old)) ?$"
)
"""Before "92F" as people give their age and sex; elsewhere it is a measurement."""
SEX_BEFORE = re.compile(r"(?<![\w.-])[MF] ?/? ?$")
NO_AGE = re.compile(
    r"temp|fever|degree|°|thermom|spik|sperm|motil|count|copies|\$|icd|code|diagnos"
    r"|\bdx\b"
    r"|(?:\b(?:of|at|to|over|under|above|below|around|about|hit)|[~<>=]) ?(?:[mf] ?)?$"
)
"""Before "99F" a temperature, before "100M" a count, before "F90" a diagnosis."""

REACH = 40
"""How far around a number its meaning is looked for."""


def _in_digits(text: str, low: str) -> Iterator[Found]:
    for match in (*NINETIES.finditer(text), *HUNDREDS.finditer(text)):
        start, end = match.span()
        if text.startswith("90+", start):
            continue
        before = low[max(0, start - REACH) : start].rpartition("\n")[2]
        after = text[end : end + REACH]
        if _is_age(before, after.lower()) or _is_sexed(
            before, text[max(0, start - 4) : start], after
        ):
            # The sign may be there already, as in "aged 92+".
            yield Found(start, end + text.startswith("+", end), "age", "")


def _in_words(_text: str, low: str) -> Iterator[Found]:
    for match in NINETY.finditer(low):
        yield Found(match.start(), match.end(), "age", "")


def _may_have_digits(thread: ThreadText) -> bool:
    text = thread.text
    return bool(NINETIES.search(text) or HUNDREDS.search(text))


AGES: tuple[Rule[Found], ...] = (
    Rule(_in_digits, _may_have_digits),
    Rule(_in_words, lambda thread: "ninety" in thread.low),
)
"""Find what gives an age over 89."""


def _is_age(before: str, after: str) -> bool:
    if YEARS.match(after):
        hyphenated = before[-1:] == "-" and before[-2:-1].isdigit()
        return not (hyphenated or _runs_on(before))
    if WHO.search(before):
        return END.match(after) is not None
    return AGED.search(before) is not None and not NO_YEARS.match(after)


def _runs_on(before: str) -> bool:
    """Tell whether the number is the rest of another, or of a word."""
    return before[-1:].isalnum() or before[-1:] in {"_", ".", ",", "/", "$"}


def _is_sexed(before: str, as_written: str, after: str) -> bool:
    """Tell whether it is an age as in "92F" or "M 91"."""
    behind = SEX_BEHIND.match(after) and BEGINS.search(before)
    in_front = SEX_BEFORE.search(as_written) and not re.match(r"\w|%|\.[0-9]", after)
    return bool(behind or in_front) and not NO_AGE.search(before)
