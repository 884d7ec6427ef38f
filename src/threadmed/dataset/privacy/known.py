"""What keeps a thread from leading back to a person; pure.

Numbers instead of ids, in an order that says nothing about time, and what a thread's
own records are known by, which `scrub` takes out of the text and `audit` looks for.
"""

import hashlib
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from threadmed.records import Record, ThreadId, Turn

TOKEN = re.compile(r"[/@]?[^\W_]+")
"""A word with what makes a name of it, as in "u/name" or "@name"."""
ASCII = bytes(range(128))
"""Every byte that is a character of its own in UTF-8."""
TO_TOKENS = bytes(
    ord(chr(code).lower())
    if chr(code) in "/@" or (code < 128 and chr(code).isalnum())
    else ord(" ")
    for code in range(256)
)
"""For `bytes.translate`: what `TOKEN` has of ASCII stays, in lower case, and all else is
a blank."""

ENOUGH_THREADS = 3
"""In so many threads of others a name must be used before it counts as a word, and in
so many times as many as its owner wrote in: whom many threads know is no word."""


class Known(Record, frozen=True, kw_only=True):
    """What the records of a thread are known by."""

    ids: frozenset[str] = frozenset()
    """Bare ids, in base 36, of the post and of all comments under it."""
    accounts: frozenset[str] = frozenset()
    """Names of all who wrote there."""
    times: frozenset[int] = frozenset()
    """When each was written, in seconds since 1970, UTC."""


def together(all_known: Iterable[Known]) -> Known:
    """Join what several threads are known by.

    Example:
        >>> both = together([Known(ids=frozenset({"a1"})), Known(times=frozenset({7}))])
        >>> sorted(both.ids), sorted(both.times)
        (['a1'], [7])
    """
    every = tuple(all_known)
    return Known(
        ids=frozenset().union(*(known.ids for known in every)),
        accounts=frozenset().union(*(known.accounts for known in every)),
        times=frozenset().union(*(known.times for known in every)),
    )


def ordinary_words(
    threads: Mapping[str, Sequence[Turn]], known: Mapping[str, Known]
) -> frozenset[str]:
    """Find the user names and ids that are words or numbers anybody uses.

    Somebody called "pain" must not take the word from their own thread.
    A name of letters alone, or of digits alone, is a word if it is used in at least
    three times as many threads, where nobody of that name wrote, as one of it wrote in.

    Args:
        threads: Turns by thread, before they are scrubbed.
        known: What the same threads are known by.

    Returns:
        The names in lower case.

    Example:
        >>> says = lambda text: (Turn(question=text, answer=None),)
        >>> threads = {"a": says("no pain, jodoe"), "b": says("pain"), "c": says("Pain")}
        >>> threads["d"] = says("pain")
        >>> by = lambda *names: Known(accounts=frozenset(names))
        >>> known = dict.fromkeys("bcd", by()) | {"a": by("Pain", "JoDoe")}
        >>> sorted(ordinary_words(threads, known))
        ['pain']
    """
    named = {thread: frozenset(_plain_names(its)) for thread, its in known.items()}
    plain = frozenset().union(*named.values())
    used: Counter[str] = Counter()
    for thread, turns in threads.items():
        texts = [text for turn in turns for text in (turn.question, turn.answer or "")]
        text = "\n".join(texts)
        used.update(plain.intersection(tokens_in(text)) - named[thread])
    wrote = Counter(name for names in named.values() for name in names)
    return frozenset(
        word for word, count in used.items() if count >= ENOUGH_THREADS * wrote[word]
    )


def _plain_names(known: Known) -> Iterator[str]:
    """Give the names and ids, in lower case, that could be words or numbers at all."""
    for names in (known.ids, known.accounts):
        for name in (*filter(str.isalpha, names), *filter(str.isdigit, names)):
            low = name.lower()
            # The lower case of a dotted capital I has a sign that is no letter.
            if low.isalpha() or low.isdigit():
                yield low


def tokens_in(text: str) -> list[str]:
    """Find the tokens of a text, in lower case.

    The pattern is slow, and used only where letters are not of ASCII.

    Example:
        >>> tokens_in("No pain, u/Jo_Doe")
        ['no', 'pain', 'u', '/jo', 'doe']
    """
    data = text.encode("utf-8", "surrogatepass")
    if not data.isascii():
        others = data.translate(None, ASCII).decode("utf-8", "surrogatepass")
        # Quotation marks and dashes part words as blanks do; letters do not.
        if any(map(str.isalnum, set(others))):
            return TOKEN.findall(text.lower())
    marked = data.replace(b"/", b" /").replace(b"@", b" @")
    return marked.translate(TO_TOKENS).decode("ascii").split()


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
