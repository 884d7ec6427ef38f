"""Reads from the journal what was paid for, without holding the study.

A plan may be made while a run is under way: it reads and never writes.
"""

import sqlite3
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import cast

import msgspec

from threadmed.errors import InputError, boundary
from threadmed.llm.model import Reply
from threadmed.llm.tables import VERSION, version_of
from threadmed.llm.writer import complaint
from threadmed.records import Message, Record, Stage, Usage

Place = tuple[Stage, str]
"""A stage, and the study's name for a model."""

WITH_ATTEMPTS = 2
"""The first version of a journal that notes attempts."""

Row = tuple[str, Stage, str, bytes, bytes, float]


class Seen(Record, frozen=True, kw_only=True):
    """What the calls of one stage to one model came to."""

    calls: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    reasoning: int = 0
    """Of those that came out, spent on reasoning."""
    cost_usd: float = 0.0
    told: int = 0
    """Calls for which the server said how many tokens there were."""
    counted: int = 0
    """What these calls' messages come to by our own count."""


class Paid(Record, frozen=True, kw_only=True):
    """Everything that a study has paid for so far."""

    replies: Mapping[str, Reply]
    """By the key of the request."""
    seen: Mapping[Place, Seen]
    unsettled_usd: float = 0.0
    """What may be on the bill, at most, for attempts that brought no reply."""


class _Sent(Record, frozen=True, kw_only=True):
    """What of a journalled request is counted."""

    messages: tuple[Message, ...]


def read_paid(path: Path, *, count: Callable[[tuple[Message, ...]], int]) -> Paid:
    """Read a journal; a study that was never run has none, and has paid nothing.

    Args:
        path: The journal.
        count: Counts the tokens of messages.

    Raises:
        InputError: If it cannot be read, or is of a newer version.
    """
    if not path.exists():
        return Paid(replies={}, seen={})
    try:
        with closing(_open(path)) as rows:
            return _read(path, rows, count)
    except sqlite3.Error as cause:
        raise complaint(path, "reading", cause) from cause


def _open(path: Path) -> sqlite3.Connection:
    return sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)


def _read(
    path: Path, rows: sqlite3.Connection, count: Callable[[tuple[Message, ...]], int]
) -> Paid:
    version = version_of(rows)
    if version > VERSION:
        raise InputError(
            f"{path}: is of version {version}, this threadmed reads up to {VERSION}; "
            "take the newer threadmed"
        )
    replies: dict[str, Reply] = {}
    seen: dict[Place, Seen] = defaultdict(Seen)
    for key, stage, model, sent, came, cost in _replies(rows, version):
        with boundary(InputError, f"{path}: reading the reply {key}"):
            reply = msgspec.json.decode(came, type=Reply)
            messages = msgspec.json.decode(sent, type=_Sent).messages
        replies[key] = reply
        place = (stage, model)
        seen[place] = _with(seen[place], reply, cost=cost, counted=count(messages))
    return Paid(
        replies=replies, seen=dict(seen), unsettled_usd=_unsettled(rows, version)
    )


def _replies(rows: sqlite3.Connection, version: int) -> Iterator[Row]:
    """Give what a journal holds, in the order of its keys."""
    if version == 0:
        return
    found = rows.execute(
        "SELECT key, stage, model, request, reply, cost_usd FROM replies ORDER BY key"
    )
    yield from cast("Iterator[Row]", found)


def _unsettled(rows: sqlite3.Connection, version: int) -> float:
    if version < WITH_ATTEMPTS:
        return 0.0
    (most,) = rows.execute("SELECT total(most_usd) FROM attempts").fetchone()
    return float(most)


def _with(seen: Seen, reply: Reply, *, cost: float, counted: int) -> Seen:
    """Add one reply."""
    is_told = reply.usage != Usage()
    return Seen(
        calls=seen.calls + 1,
        tokens_in=seen.tokens_in + reply.usage.tokens_in,
        tokens_out=seen.tokens_out + reply.usage.tokens_out,
        reasoning=seen.reasoning + reply.usage.reasoning,
        cost_usd=seen.cost_usd + cost,
        told=seen.told + is_told,
        counted=seen.counted + (counted if is_told else 0),
    )
