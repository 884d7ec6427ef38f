"""Addresses at which a person can be reached or looked up; pure."""

import re
from collections.abc import Iterator
from typing import Literal, NamedTuple

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


def contacts(text: str, low: str) -> Iterator[Found]:
    """Find links, addresses for mail, and names on Reddit and elsewhere.

    Args:
        text: A message.
        low: The same in lower case, of the same length.

    Example:
        >>> text = "u/jo_doe, jo@mail.org or @jo.doe; 20 u/day"
        >>> [(one.kind, one.key) for one in contacts(text, text)]
        [('e-mail', 'jo@mail.org'), ('user', 'jo_doe'), ('handle', 'jo.doe')]
    """
    if "http" in low or "www." in low or "/comments" in low or SITE.search(low):
        yield from _links(low)
    if "@" in text:
        yield from _all(MAIL, text, "e-mail")
    if any(sign in low for sign in (" dot ", "(at)", "[at]", "{at}", *PROVIDERS)):
        yield from _all(SPELLED, low, "e-mail")
    if "u/" in low or "user/" in low:
        yield from _all(USER, text, "user")
    if "@" in text:
        yield from _all(HANDLE, text, "handle")
    if any(site in low for site in SITES):
        yield from _all(ON_SITE, low, "handle")
    if "#" in text:
        yield from _all(TAGGED, text, "handle")


def _all(pattern: re.Pattern[str], text: str, kind: Kind) -> Iterator[Found]:
    key = "it" if "it" in pattern.groupindex else 0
    # A name on Reddit goes with its "u/"; that of a site leaves the site's.
    part = key if pattern in (ON_SITE, TAGGED) else 0
    for match in pattern.finditer(text):
        yield Found(match.start(part), match.end(part), kind, match[key].lower())


def _links(low: str) -> Iterator[Found]:
    for match in ADDRESS.finditer(low):
        address = match[0].rstrip(AFTER_ADDRESS)
        yield Found(match.start(), match.start() + len(address), "link", address)
