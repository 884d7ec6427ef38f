"""Many threads without anybody's traces, in batches that any process can take; pure."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from itertools import islice
from typing import NamedTuple, TypeVar

from threadmed.dataset.privacy.known import Known
from threadmed.dataset.privacy.scrub import Recognise, scrub_turns
from threadmed.records import Turn

Item = TypeVar("Item")

BATCH = 100
"""Threads in a batch; fewer, and the way to another process is most of the work."""


class Open(NamedTuple):
    """A thread as it was written, and what its records are known by."""

    turns: tuple[Turn, ...]
    known: Known


class Scrubbed(NamedTuple):
    """Threads with placeholders for what leads to a person."""

    threads: tuple[tuple[Turn, ...], ...]
    replaced: dict[str, int]
    """How often what was replaced, by kind."""
    tokens: dict[str, int]
    """Length of every question and answer, by its words."""


def scrub_batch(
    batch: Sequence[Open],
    *,
    words: Collection[str],
    recognise: Recognise | None = None,
    tokens: Callable[[str], int],
) -> Scrubbed:
    """Scrub some threads and measure what is left of them.

    Args:
        batch: The threads.
        words: User names and ids, in lower case, that are words anybody uses.
        recognise: Finds further names and places; None finds none.
        tokens: Measures a text.

    Example:
        >>> turn = Turn(question="Thanks u/jo_doe", answer=None)
        >>> found = scrub_batch([Open(turns=(turn,), known=Known())], words=(), tokens=len)
        >>> found.replaced, found.tokens
        ({'user': 1}, {'Thanks [user]': 13})
    """
    replaced: Counter[str] = Counter()
    threads = tuple(
        scrub_turns(
            one.turns,
            known=one.known,
            words=words,
            recognise=recognise,
            counts=replaced,
        )
        for one in batch
    )
    texts = {
        text
        for turns in threads
        for turn in turns
        for text in (turn.question, turn.answer)
        if text is not None
    }
    return Scrubbed(
        threads=threads,
        replaced=dict(replaced),
        tokens={text: tokens(text) for text in texts},
    )


def batches(items: Iterable[Item], *, size: int = BATCH) -> Iterator[list[Item]]:
    """Cut what comes into batches; the last may be smaller.

    Example:
        >>> list(batches("abcde", size=2))
        [['a', 'b'], ['c', 'd'], ['e']]
    """
    rest = iter(items)
    while batch := list(islice(rest, size)):
        yield batch
