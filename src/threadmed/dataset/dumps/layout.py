"""How the records and rows lie that the scanner in C writes, as native/scan.h has them; pure."""

import re
from collections.abc import Collection, Mapping
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Bools = npt.NDArray[np.bool_]
Flags = npt.NDArray[np.uint32]
Numbers = npt.NDArray[np.uint64]

VERSION = 2
"""What the scanner says of itself; one of another version is not used."""

POST_ROW = np.dtype(
    [
        ("id", np.uint64),
        ("created", np.int64),
        ("size", np.uint32),
        ("flags", np.uint32),
        ("loss", np.uint32),
        ("unused", np.uint32),
    ]
)
COMMENT_ROW = np.dtype(
    [
        ("post", np.uint64),
        ("id", np.uint64),
        ("parent", np.uint64),
        ("size", np.uint32),
        ("flair", np.uint32),
        ("flags", np.uint32),
        ("unused", np.uint32),
    ]
)
"""As native/scan.h has them."""

POST_PLAIN, POST_EDITED, POST_BOT, POST_NOTICE, POST_NAMELESS = (
    1 << bit for bit in range(5)
)
(
    COMMENT_DELETED,
    COMMENT_REMOVED,
    COMMENT_NOTICE,
    COMMENT_EDITED,
    COMMENT_PATIENT,
    COMMENT_OTHER_NAME,
    COMMENT_NAMELESS,
    COMMENT_BOT,
    COMMENT_WORDS,
) = (1 << bit for bit in range(9))
"""What the flags of a row say."""

LIST_HEAD = 5
"""Bytes before the first record of a list, as msgpack: a sign and how many follow."""
LONG_LIST = b"\xdd"
"""That sign."""


NO_FLAIRS: Mapping[int, str] = MappingProxyType({})


class Frame(NamedTuple):
    """Records of one part."""

    records: memoryview
    """A list, as msgpack."""
    rows: memoryview = memoryview(b"")
    """One for each record; none where the records did not come from the scanner."""
    flairs: Mapping[int, str] = NO_FLAIRS
    """Those of the comments, by the numbers that the rows have for them."""


ID = re.compile(r"[1-9a-z][0-9a-z]{0,10}")
"""Ids that rows have a number for: any other is left to the long way."""


def number_of(identity: str) -> int:
    """Give the number that rows have for an id; 0 where no row can have it.

    Example:
        >>> number_of("c6a0"), number_of("0a"), number_of("no_id")
        (568008, 0, 0)
    """
    return int(identity, 36) if ID.fullmatch(identity) else 0


def numbers(ids: Collection[int]) -> Numbers:
    """Give ids as rows have them."""
    return np.fromiter(ids, np.uint64, len(ids))


def has(flags: Flags, flag: int) -> Bools:
    """Say of each whether a flag is set."""
    found: Bools = (flags & flag) != 0
    return found
