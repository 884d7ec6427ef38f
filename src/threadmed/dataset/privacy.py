"""What keeps a thread from leading back to a person; pure.

Numbers instead of ids, in an order that says nothing about time, and placeholders
for what people write about themselves.
"""

import hashlib
import re
from collections import Counter
from collections.abc import Collection
from typing import Literal

from threadmed.records import ThreadId

Scrubbed = Literal["e-mail", "user", "handle", "phone"]

UNITS = (
    r"(?:day|days|d|hr|hrs|hour|min|week|wk|month|meal|dose|kg|dl|ml|l|litre|liter"
    r"|night|gram)"
)
"""What "u/" means behind a number in medicine: units a day, units a kilogram."""

RULES: tuple[tuple[Scrubbed, re.Pattern[str]], ...] = (
    (
        "e-mail",
        re.compile(r"(?<![\w.+-])[\w.+-]{1,64}@(?:[\w-]{1,63}\.){1,8}[A-Za-z]{2,24}\b"),
    ),
    (
        "user",
        re.compile(
            rf"(?:(?<![A-Za-z0-9/])/?|/)_?u(?:ser)?/(?!{UNITS}(?![\w-]))"
            r"[A-Za-z0-9_-]{3,20}(?![A-Za-z0-9])",
            re.IGNORECASE,
        ),
    ),
    (
        "handle",
        re.compile(r"(?<![\w@/.])@[A-Za-z_](?:[A-Za-z0-9_]|\.(?=\w)){2,29}"),
    ),
    (
        "phone",
        re.compile(
            r"(?<![\w.+/-])(?:"
            r"\+\d{1,3}[ .-]?(?:\(?\d{1,4}\)?[ .-]?){2,4}\d{2,4}"
            r"|(?:1[ .-]?)?(?:\([2-9]\d{2}\) ?|[2-9]\d{2}[ .-])[2-9]\d{2}[ .-]\d{4}"
            r"|\(?0\d{2,4}\)?[ -]\d{3,4}[ -]?\d{3,4}"
            r"|0\d{10}|[2-9]\d{2}[2-9]\d{6}"
            r")(?![\w/])"
        ),
    ),
)
"""Tried in this order; an address for mail would else be taken for a handle."""


def scrub(text: str, *, counts: Counter[str]) -> str:
    """Replace what leads to a person by a placeholder, and count it by kind.

    Example:
        >>> counts = Counter()
        >>> scrub("write to jo@mail.org, u/jo_doe or (555) 234-5678", counts=counts)
        'write to [e-mail], [user] or [phone]'
        >>> counts["phone"], scrub("20 u/day, BP 120/80, TSH 0.4-4.0", counts=counts)
        (1, '20 u/day, BP 120/80, TSH 0.4-4.0')
    """
    # Reddit's editor escapes the underscores of names.
    text = text.replace("\\_", "_")
    for kind, rule in RULES:
        text, found = rule.subn(f"[{kind}]", text)
        if found:
            counts[kind] += found
    return text


def thread_ids(posts: Collection[str], *, seed: int) -> dict[str, ThreadId]:
    """Number posts in an order that only the seed and their ids decide.

    Args:
        posts: Ids of the posts, each once.
        seed: Key of the shuffle, at least 0.

    Returns:
        Name by post id, from THREAD_0001 on, wider where there are more.

    Example:
        >>> sorted(thread_ids(["x", "y", "z"], seed=0).values())
        ['THREAD_0001', 'THREAD_0002', 'THREAD_0003']
    """
    key = seed.to_bytes(8, "big")

    def shuffled(post: str) -> bytes:
        return hashlib.blake2b(post.encode(), key=key).digest()

    width = max(4, len(str(len(posts))))
    return {
        post: ThreadId(f"THREAD_{number:0{width}}")
        for number, post in enumerate(sorted(posts, key=shuffled), start=1)
    }
