"""Addresses at which a person can be reached or looked up; pure.

Example:
    >>> from threadmed.dataset.privacy.rules import needed, thread_text
    >>> text = "u/jo_doe, jo@mail.org or @jo.doe; 20 u/day"
    >>> rules = needed(CONTACTS, thread_text([text], WORDS))
    >>> [(one.kind, one.key) for find in rules for one in find(text, text)]
    [('e-mail', 'jo@mail.org'), ('user', 'jo_doe'), ('handle', 'jo.doe')]
"""

import re
from collections.abc import Iterator
from typing import Literal, NamedTuple

from threadmed.dataset.privacy.rules import Find, Rule, ThreadText

Kind = Literal[
    "e-mail",
    "user",
    "handle",
    "phone",
    "ip",
    "number",
    "name",
    "place",
    "link",
    "id",
    "time",
    "age",
]
"""What can be found in a text; all but "age" are placeholders' names."""

UNITS = (
    r"(?:day|days|d|hr|hrs|hour|min|week|wk|month|meal|dose|kg|dl|ml|l|litre|liter"
    r"|night|gram)"
)
"""What "u/" means behind a number in medicine: units a day, units a kilogram."""

MAIL = re.compile(r"(?<![\w.+-])[\w.+-]{1,64}@(?:[\w-]{1,63}\.){1,8}[A-Za-z]{2,24}\b")

PROVIDERS = ("gmail", "yahoo", "hotmail", "outlook", "icloud", "protonmail", "aol")
SPELLED = re.compile(
    r"(?<![\w.+-])[\w.+-]{2,64}(?: ?[(\[{]at[)\]}] ?(?:[\w-]{2,63}"
    r"(?: ?[(\[{]dot[)\]}] ?| dot |\.))+| at (?:[\w-]{2,63} dot )+"
    rf"|(?: ?@ ?| at )(?:{'|'.join(PROVIDERS)})(?: ?\. ?| dot | ?[(\[]dot[)\]] ?))"
    r"(?:[a-z]{2,24})\b"
)
"""An address for mail as people write it to hide it from programs."""

USER = re.compile(
    rf"(?:(?<![A-Za-z0-9/])/?|/)_?u(?:ser)?/(?!{UNITS}(?![\w-]))"
    r"(?P<it>[A-Za-z0-9_-]{3,20})(?![A-Za-z0-9])",
    re.IGNORECASE,
)
HANDLE = re.compile(r"(?<![\w@/.])@(?P<it>[A-Za-z_](?:[A-Za-z0-9_]|\.(?=\w)){2,29})")

SITES = (
    "instagram",
    "insta",
    "snapchat",
    "kik",
    "telegram",
    "discord",
    "skype",
    "whatsapp",
    "tiktok",
    "twitter",
    "username",
    "user name",
)
ON_SITE = re.compile(
    rf"(?<![^\W_])(?:{'|'.join(SITES)})(?: (?:handle|name|username|id|account))?"
    r"(?: is|:| -)? @?(?=[\w.]*[a-z])(?=[\w.]*[0-9_]|\w+\.\w)(?P<it>[\w.]{2,29}\w)"
)
"""Only what has a digit, an underscore or a dot within; else it may be any word."""

SITE_WORDS = frozenset(site.partition(" ")[0] for site in SITES)
SPELLED_WORDS = frozenset({"dot", *PROVIDERS})
WORDS = SITE_WORDS | SPELLED_WORDS
"""Words that the rules below ask a thread for."""

TAGGED = re.compile(r"(?<![^\W_])(?P<it>[A-Za-z][\w.]{1,31}#[0-9]{4})(?![^\W_])")
"""As on Discord."""

SITE = re.compile(
    r"\.(?:com|org|net|gov|edu|info|io|it|be|ly|uk|ca|au|de|eu|gg|me|tv|app|gl)/"
)
ADDRESS = re.compile(
    r"(?:https?|hxxps?):/{1,3}[^\s<>\[\]]*|(?<![^\W_])www\.[^\s<>\[\]]+"
    r"|(?<![\w@/.-])/?r/\w+/comments(?:/[^\s<>\[\]]*)?"
    r"|(?<![\w@/.-])(?:[a-z0-9-]+\.)+(?:com|org|net|gov|edu|info|io|it|be|ly|uk|ca|au|de|eu"
    r"|gg|me|tv|app|gl)/[^\s<>\[\]]+"
)
AFTER_ADDRESS = ".,;:!?'\"*_)>"


class Found(NamedTuple):
    """A stretch of text to replace; the same key gets the same placeholder."""

    start: int
    end: int
    kind: Kind
    key: str


def _where(
    signs: tuple[str, ...],
    pattern: re.Pattern[str],
    kind: Kind,
    *,
    part: str | int = 0,
    in_lower_case: bool = False,
) -> Find[Found]:
    """Make what finds all that match, in texts that have one of the signs.

    Args:
        signs: In lower case.
        pattern: What the key is stands in its group "it", if it has one.
        kind: Of all.
        part: The group that is to be replaced.
        in_lower_case: Whether the pattern is one of letters in lower case.
    """
    key = "it" if "it" in pattern.groupindex else 0

    def find(text: str, low: str) -> Iterator[Found]:
        if any(sign in low for sign in signs):
            for match in pattern.finditer(low if in_lower_case else text):
                yield Found(
                    match.start(part), match.end(part), kind, match[key].lower()
                )

    return find


def _links(_text: str, low: str) -> Iterator[Found]:
    if "http" in low or "www." in low or "/comments" in low or SITE.search(low):
        for match in ADDRESS.finditer(low):
            address = match[0].rstrip(AFTER_ADDRESS)
            yield Found(match.start(), match.start() + len(address), "link", address)


def _may_be_spelled(thread: ThreadText) -> bool:
    low = thread.low
    return not SPELLED_WORDS.isdisjoint(thread.words) or any(
        # Some brackets are rare, and one character is looked for much faster.
        bracket in low and f"{bracket}at" in low
        for bracket in "([{"
    )


CONTACTS: tuple[Rule[Found], ...] = (
    Rule(_links, lambda thread: "/" in thread.low or "www." in thread.low),
    Rule(_where(("@",), MAIL, "e-mail"), lambda thread: "@" in thread.low),
    Rule(
        _where(
            (" dot ", "(at)", "[at]", "{at}", *PROVIDERS),
            SPELLED,
            "e-mail",
            in_lower_case=True,
        ),
        _may_be_spelled,
    ),
    Rule(_where(("u/", "user/"), USER, "user"), lambda thread: "/" in thread.low),
    Rule(_where(("@",), HANDLE, "handle"), lambda thread: "@" in thread.low),
    Rule(
        # What is behind the name of a site goes, and the site's stays.
        _where(SITES, ON_SITE, "handle", part="it", in_lower_case=True),
        lambda thread: not SITE_WORDS.isdisjoint(thread.words),
    ),
    Rule(_where(("#",), TAGGED, "handle", part="it"), lambda thread: "#" in thread.low),
)
"""Find links, addresses for mail, and names on Reddit and elsewhere."""
