"""Rules that find something in a text, and which of them a thread needs at all; pure.

Most rules find nothing in most threads, and to ask each text for each of them takes
long. Whether a rule may find anything is asked once, of all texts of a thread together.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import Generic, NamedTuple, TypeVar

Sight = TypeVar("Sight")

Find = Callable[[str, str], Iterator[Sight]]
"""Finds something in a text, given it and the same in lower case, letter for letter."""

TO_WORDS = bytes(
    code if code < 128 and chr(code).isalnum() else ord(" ") for code in range(256)
)
"""For `bytes.translate`: letters and digits of ASCII stay, and all else is a blank."""

ALSO = {"\u0130": "i", "\u0131": "i", "\u017f": "s"}
"""Letters that `re` takes for those of ASCII where case is ignored, and that are none
in lower case."""


class ThreadText(NamedTuple):
    """The texts of a thread as one."""

    text: str
    low: str
    """The same in lower case."""
    data: bytes
    """That with question marks for all that is not of ASCII."""
    words: frozenset[str]
    """Those of the words asked for that are there on their own, in lower case.

    Words are parted by all that is neither a letter nor a digit of ASCII.
    """


class Rule(NamedTuple, Generic[Sight]):
    """What finds something in a text, and a cheap test of the whole thread."""

    find: Find[Sight]
    may_find: Callable[[ThreadText], bool]
    """False only if nothing is found in any text of the thread."""


def thread_text(texts: Iterable[str], wanted: frozenset[str]) -> ThreadText:
    r"""Join texts, and look for words in them.

    Args:
        texts: Those of a thread.
        wanted: Words of ASCII letters and digits alone, in lower case.

    Example:
        >>> wanted = frozenset({"kik", "jo", "jos", "k"})
        >>> sorted(thread_text(["Kik: @jo", "jos\u00e9"], wanted).words)
        ['jo', 'jos', 'kik']
    """
    text = "\n".join(texts)
    low = folded = text.lower()
    if not low.isascii() and any(letter in text for letter in ALSO):
        folded = text
        for letter, as_ascii in ALSO.items():
            folded = folded.replace(letter, as_ascii)
        folded = folded.lower()
    data = folded.encode("ascii", "replace")
    words = data.translate(TO_WORDS).decode("ascii").split()
    return ThreadText(text, low, data, wanted.intersection(words))


def needed(rules: Iterable[Rule[Sight]], thread: ThreadText) -> list[Find[Sight]]:
    """Leave out the rules that find nothing in a thread."""
    return [rule.find for rule in rules if rule.may_find(thread)]
