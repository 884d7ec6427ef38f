"""Ratings that several tests of agreement share."""

import numpy as np

from threadmed.metrics.intervals import Codes
from threadmed.records import Rating, ThreadId

FIRST = np.array([1, 1, 1, 0, 0, -1, -1, 1, 1, 0, -1, 1]) + 1
SECOND = np.array([1, 1, 0, 0, -1, -1, -1, 1, 1, 1, -1, 1]) + 1
"""Two raters of twelve items, as places on the scale -1, 0, 1."""

THREE = ["111", "001", "---", "101", "00.", "111", "-0-", "11.", "000", "111"]
"""Three raters of ten items; `-` is -1 and `.` is missing."""
VALUE = {"1": "1", "0": "0", "-": "-1", ".": None}


def three_raters() -> list[Rating]:
    return [
        Rating(item=f"i{number}", rater=rater, value=VALUE[mark])
        for number, marks in enumerate(THREE)
        for rater, mark in zip("ABC", marks, strict=True)
    ]


def two(
    first: Codes, second: Codes, values: tuple[str, ...], per_thread: int = 1
) -> list[Rating]:
    """A rating by `x` and one by `y` of each item, so many items a thread."""
    return [
        Rating(
            item=f"i{number}",
            rater=rater,
            value=values[int(codes[number])],
            thread_id=ThreadId(f"T{number // per_thread}"),
        )
        for number in range(len(first))
        for rater, codes in (("x", first), ("y", second))
    ]
