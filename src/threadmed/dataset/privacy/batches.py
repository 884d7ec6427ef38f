"""Many threads without anybody's traces, in batches that any process can take; pure."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from itertools import islice
from typing import NamedTuple, TypeVar

import msgspec

from threadmed.dataset.privacy.audit import unclean_lines
from threadmed.dataset.privacy.known import Known
from threadmed.dataset.privacy.scrub import Recognise, scrub_turns
from threadmed.records import Thread, ThreadId, Turn

Item = TypeVar("Item")

BATCH = 100
"""Threads in a batch; fewer, and the way to another process is most of the work."""


class Open(NamedTuple):
    """A thread as it was written, and what its records are known by."""

    name: ThreadId
    turns: tuple[Turn, ...]
    known: Known
    beside: tuple[bytes, ...] = ()
    """Lines about it in other files, to look for traces in."""


class Batch(NamedTuple):
    """Some threads with placeholders for what leads to a person."""

    lines: list[bytes]
    """Each thread as it is released, as JSON."""
    unclean: list[bytes]
    """Lines, also of those beside, in which the audit found a trace of a person."""
    replaced: dict[str, int]
    """How often what was replaced, by kind."""
    tokens: list[int]
    """Length of every question and answer, in their order."""


def scrub_batch(
    batch: Sequence[Open],
    *,
    words: Collection[str],
    recognise: Recognise | None = None,
    tokens: Callable[[str], int],
) -> Batch:
    """Scrub some threads, measure what is left of them, and look for traces in it.

    Args:
        batch: The threads.
        words: User names and ids, in lower case, that are words anybody uses.
        recognise: Finds further names and places; None finds none.
        tokens: Measures a text.

    Example:
        >>> turn = Turn(question="Thanks u/jo_doe", answer=None)
        >>> one = Open(name=ThreadId("THREAD_0001"), turns=(turn,), known=Known())
        >>> found = scrub_batch([one], words=(), tokens=len)
        >>> found.replaced, found.tokens, found.unclean
        ({'user': 1}, [13], [])
        >>> found.lines[0].decode()
        '{"thread_id":"THREAD_0001","turns":[{"question":"Thanks [user]","answer":null}]}'
    """
    replaced: Counter[str] = Counter()
    lines, unclean, lengths = [], [], []
    encode = msgspec.json.Encoder().encode
    for one in batch:
        turns = scrub_turns(
            one.turns,
            known=one.known,
            words=words,
            recognise=recognise,
            counts=replaced,
        )
        line = encode(Thread(thread_id=one.name, turns=turns))
        lines.append(line)
        lengths += [tokens(text) for text in texts_of(turns)]
        unclean += unclean_lines(
            (line, *one.beside), thread=one.name, known=one.known, words=words
        )
    return Batch(lines, unclean, dict(replaced), lengths)


class Scrubbed(NamedTuple):
    """All threads of a release, with placeholders for what leads to a person."""

    threads: list[Thread]
    lines: list[bytes]
    """The same as JSON."""
    clean: frozenset[bytes]
    """Lines, also of those beside, in which the audit found nothing."""
    replaced: Counter[str]
    """How often what was replaced, by kind."""
    tokens: dict[str, int]
    """Length of every question and answer, by its words."""

    def answered(self) -> list[Thread]:
        """Give the threads in which every question has an answer."""
        return list(filter(is_answered, self.threads))


def joined(parts: Iterable[Batch], *, beside: Iterable[bytes]) -> Scrubbed:
    """Join what became of all batches.

    Args:
        parts: The batches, in the order of the threads.
        beside: All lines that went with the threads.
    """
    decode = msgspec.json.Decoder(Thread).decode
    lines: list[bytes] = []
    threads: list[Thread] = []
    unclean: set[bytes] = set()
    replaced: Counter[str] = Counter()
    tokens: dict[str, int] = {}
    for part in parts:
        here = [decode(line) for line in part.lines]
        texts = (text for thread in here for text in texts_of(thread.turns))
        tokens.update(zip(texts, part.tokens, strict=True))
        threads += here
        lines += part.lines
        unclean.update(part.unclean)
        replaced.update(part.replaced)
    clean = frozenset(lines).union(beside) - unclean
    return Scrubbed(threads, lines, clean, replaced, tokens)


def is_answered(thread: Thread) -> bool:
    """Tell whether every question of a thread has an answer."""
    return all(turn.answer for turn in thread.turns)


def texts_of(turns: Iterable[Turn]) -> list[str]:
    """Give the questions and answers of a thread, in their order."""
    return [
        text
        for turn in turns
        for text in (turn.question, turn.answer)
        if text is not None
    ]


def batches(items: Iterable[Item], *, size: int = BATCH) -> Iterator[list[Item]]:
    """Cut what comes into batches; the last may be smaller.

    Example:
        >>> list(batches("abcde", size=2))
        [['a', 'b'], ['c', 'd'], ['e']]
    """
    rest = iter(items)
    while batch := list(islice(rest, size)):
        yield batch
