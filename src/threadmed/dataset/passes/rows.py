"""Posts and comments that the scanner in C took, many at a time; pure.

Beside each record the scanner writes a row of what decides whether the record has to
be looked at at all: most posts are kept by their rows alone.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import compress
from typing import Any, Generic, TypeVar

import msgspec
import numpy as np
import numpy.typing as npt

from threadmed.dataset.dumps.layout import (
    LIST_HEAD,
    LONG_LIST,
    POST_BOT,
    POST_NAMELESS,
    POST_NOTICE,
    POST_PLAIN,
    Bools,
    Frame,
    Numbers,
    has,
    number_of,
    numbers,
)
from threadmed.dataset.dumps.reddit import CATEGORIES, Comment, Post
from threadmed.dataset.options import BuildOptions
from threadmed.dataset.passes.spill import frames
from threadmed.dataset.threads.clean import Limits

Kind = TypeVar("Kind", Post, Comment)
Rows = npt.NDArray[Any]
Row = np.dtype[Any]


class PostHead(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """The first fields of a `Post`: `created` stands before `author`, which is needed."""

    id: str
    created: int
    author: str


class Written(Generic[Kind]):
    """What one pass wrote to a part.

    Args:
        pieces: As it was written.
        kind: What the records are.
        row: What their rows are.
    """

    def __init__(self, pieces: Sequence[bytes], kind: type[Kind], row: Row) -> None:
        self._decode = msgspec.msgpack.Decoder(list[kind]).decode  # type: ignore[valid-type]
        every = list(frames(pieces))
        self.frames = [frame for frame in every if frame.rows]
        """Those of the scanner."""
        self.rows: Rows = np.concatenate(
            [np.empty(0, row), *(np.frombuffer(one.rows, row) for one in self.frames)]
        )
        """Of all their records, one after the other; `flair` is the place in `flairs`."""
        # Before copies are compared, since each frame has numbers of its own.
        self.flairs = self._number_flairs()
        """Flairs of all comments with rows; the first is none."""
        self.rowless: list[Kind] = [
            record
            for frame in every
            if not frame.rows
            for record in self._decode(frame.records)
        ]
        """Records that were read in Python, and have no rows."""
        rowless = numbers([number_of(one.id) for one in self.rowless])
        again, unlike = _copies(self.rows)
        self.is_alike: Bools = ~np.isin(
            self.rows["id"], np.concatenate([unlike, rowless])
        )
        """For each row whether all copies of its record have rows, and equal ones.

        What is merged of them has that row too (`dumps/copies.py`), except for the name
        of the author, which no row holds.
        """
        self.is_copy: Bools = again & self.is_alike
        """For each row whether it is alike, and repeats one before."""

    def records(self, chosen: Bools) -> Iterator[Kind]:
        """Give the records of some rows.

        Args:
            chosen: One for each row.
        """
        for frame, rows, those in self._by_frame(chosen):
            ends = LIST_HEAD + np.cumsum(rows["size"], dtype=np.int64)
            begins = ends - rows["size"]
            each = zip(begins[those].tolist(), ends[those].tolist(), strict=True)
            wanted: list[memoryview] = [frame.records[begin:end] for begin, end in each]
            head = LONG_LIST + len(wanted).to_bytes(LIST_HEAD - 1, "big")
            yield from self._decode(b"".join([head, *wanted]))

    def _by_frame(self, chosen: Bools) -> Iterator[tuple[Frame, Rows, Bools]]:
        start = 0
        for frame in self.frames:
            end = start + len(frame.rows) // self.rows.itemsize
            yield frame, self.rows[start:end], chosen[start:end]
            start = end

    def heads(self, chosen: Bools) -> Iterator[PostHead]:
        """Give what is needed of some posts, without their words."""
        decode = msgspec.msgpack.Decoder(list[PostHead]).decode
        for frame, _, those in self._by_frame(chosen):
            if not those.any():
                continue
            yield from compress(decode(frame.records), those.tolist())

    def _number_flairs(self) -> list[str]:
        """Give each flair one number in all rows; gives the flairs by it."""
        number_of_flair = {"": 0}
        for frame, rows, _ in self._by_frame(np.ones(len(self.rows), np.bool_)):
            if frame.flairs:
                ours = np.zeros(max(frame.flairs) + 1, np.uint32)
                for number, flair in frame.flairs.items():
                    ours[number] = number_of_flair.setdefault(
                        flair, len(number_of_flair)
                    )
                rows["flair"] = ours[rows["flair"]]
        return list(number_of_flair)


def _copies(rows: Rows) -> tuple[Bools, Numbers]:
    """Find records that are there several times.

    Returns:
        For each row whether its record has one before, and the ids of those whose rows
        are not equal.
    """
    # Stable, since rows are nearly in this order, which that makes use of.
    order = np.argsort(rows["id"], kind="stable")
    ids = rows["id"][order]
    is_next = ids[1:] == ids[:-1]
    later, before = rows[order[1:][is_next]], rows[order[:-1][is_next]]
    is_same = np.ones(len(later), np.bool_)
    for field in set(rows.dtype.names or ()) - {"size"}:
        is_same &= later[field] == before[field]
    again = np.zeros(len(rows), np.bool_)
    again[order[1:][is_next]] = True
    return again, later["id"][~is_same]


LOSSES: tuple[str, ...] = ("deleted", "removed", *CATEGORIES.values())
"""By the number, from 1, that a row has for them."""

POST_REASONS: tuple[str, ...] = (
    "outside_window",
    *LOSSES,
    "bot",
    "notice",
    "author_deleted",
)
"""Why a post is of no use as it was read, as `clean.RULES_AS_READ` say it."""


def dropped_posts(posts: Written[Post], limits: Limits) -> tuple[Bools, Counter[str]]:
    """Say of each row whether its post is surely dropped.

    Returns:
        That, and how many posts there are by reason.
    """
    rows = posts.rows
    flags, created = rows["flags"], rows["created"]
    is_outside = (created < limits.start) | (created >= limits.end)
    is_nameless = has(flags, POST_NAMELESS) & (limits.deleted_post_author == "drop")
    last = len(POST_REASONS)
    number = np.select(
        [is_outside, rows["loss"] > 0, has(flags, POST_BOT), has(flags, POST_NOTICE)],
        [1, 1 + rows["loss"].astype(np.int64), last - 2, last - 1],
        np.where(is_nameless, last, 0),
    )
    number[~posts.is_alike] = 0
    once = number[~posts.is_copy]
    counts = np.bincount(once, minlength=last + 1).tolist()
    dropped: Counter[str] = Counter()
    # Several categories of Reddit's are one loss.
    for reason, count in zip(POST_REASONS, counts[1:], strict=True):
        dropped[reason] += count
    return number > 0, dropped


def plain_posts(posts: Written[Post], options: BuildOptions) -> Bools:
    """Say of each row whether its post is surely kept."""
    rows = posts.rows
    if options.edits != "keep" or options.at_least_one_comment == "stated":
        return np.zeros(len(rows), np.bool_)
    return has(rows["flags"], POST_PLAIN) & posts.is_alike


def years_of(created: npt.NDArray[np.int64]) -> Counter[int]:
    """Count times, in seconds since 1970, by their year, UTC.

    Example:
        >>> years_of(np.array([0, 1, 1577836800]))
        Counter({1970: 2, 2020: 1})
    """
    years = created.astype("datetime64[s]").astype("datetime64[Y]").astype(int) + 1970
    found, counts = np.unique(years, return_counts=True)
    return Counter(dict(zip(found.tolist(), counts.tolist(), strict=True)))
