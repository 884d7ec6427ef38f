"""What raters said, as columns; what several of them say together; and their scale."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from threadmed.errors import InputError
from threadmed.metrics.intervals import Codes, Values
from threadmed.records import ADJUDICATED, Rating, Record

Level = Literal["nominal", "ordinal"]
"""Whether the values of a scale have an order."""

MOST_VALUES = 50
"""A table with more values than this holds no categories."""


class Scale(Record, frozen=True, kw_only=True):
    """The values that a rating can have."""

    values: tuple[str, ...]
    """In order where the level is ordinal."""
    level: Level
    is_declared: bool
    """Whether somebody said so; otherwise these are the values that occur, and one
    that nobody used is not known of."""

    @property
    def size(self) -> int:
        """Number of values, K."""
        return len(self.values)

    @property
    def numbers(self) -> Values | None:
        """The values as numbers, shape (K,), or None where they are words."""
        found = [number_of(value) for value in self.values]
        if any(number is None for number in found):
            return None
        return np.array(found, dtype=np.float64)


YES_NO = Scale(values=("no", "yes"), level="nominal", is_declared=True)
"""Whether a question carries a misconception."""
SCORES = Scale(values=("-1", "0", "1"), level="ordinal", is_declared=True)
"""How far an answer corrects it."""


class Ratings(NamedTuple):
    """The ratings of n items by r raters."""

    raters: tuple[str, ...]
    items: tuple[str, ...]
    codes: Codes
    """Shape (n, r), place on the scale from 0; -1 is missing."""
    clusters: Codes
    """Shape (n,), the thread of each item; without one, a code of its own."""
    has_threads: bool
    """Whether any item says which thread it is of."""

    def counts(self, size: int) -> Values:
        """Say how many raters gave each item each of `size` values: shape (n, K)."""
        ranks = np.arange(size)
        found = (self.codes[:, :, None] == ranks).sum(axis=1)
        return np.asarray(found, dtype=np.float64)

    def rated(self, *raters: int) -> NDArray[np.bool_]:
        """Mark the items that all of these raters rated, shape (n,)."""
        found = (self.codes[:, list(raters)] >= 0).all(axis=1)
        return np.asarray(found, dtype=np.bool_)


def number_of(value: str) -> float | None:
    """Read a number, or None where the text is none.

    Example:
        >>> number_of("-1"), number_of("yes"), number_of("nan")
        (-1.0, None, None)
    """
    try:
        found = float(value)
    except ValueError:
        return None
    return found if np.isfinite(found) else None


def scale_of(
    ratings: Sequence[Rating],
    *,
    declared: Sequence[str] = (),
    level: Level | None = None,
) -> Scale:
    """Say which values there are, and whether they have an order.

    Args:
        ratings: All of a table.
        declared: The values in their order; empty takes those that occur.
        level: None is ordinal where all values are numbers, and nominal otherwise.

    Raises:
        InputError: If words are to be ordinal and nobody says their order, if there
            are no values, or too many to be categories, or if two differ in nothing
            but capitals.

    Example:
        >>> rows = [Rating(item="a", rater="x", value=value) for value in ("1", "-1")]
        >>> scale_of(rows).values
        ('-1', '1')
    """
    seen = {rating.value for rating in ratings if rating.value is not None}
    values = list(declared) or sorted(seen)
    _refuse_capitals(values)
    numbers = {value: number_of(value) for value in values}
    all_numbers = all(number is not None for number in numbers.values())
    if all_numbers and not declared:
        values.sort(key=lambda value: numbers[value] or 0.0)
    if level is None:
        level = "ordinal" if all_numbers else "nominal"
    if level == "ordinal" and not all_numbers and not declared:
        raise InputError(
            f"the values {', '.join(values[:4])} have no order of their own; say it "
            "with --scale, or take --level nominal"
        )
    if not values:
        raise InputError("the table holds no rating: every value is empty")
    if len(values) > MOST_VALUES:
        raise InputError(
            f"there are {len(values)} different values, as {values[0]!r} and "
            f"{values[1]!r}; agreement is of at most {MOST_VALUES} categories"
        )
    return Scale(values=tuple(values), level=level, is_declared=bool(declared))


def _refuse_capitals(values: Sequence[str]) -> None:
    """Complain of a value that is spelt in two ways: it would count as two."""
    first: dict[str, str] = {}
    for value in values:
        other = first.setdefault(value.lower(), value)
        if other != value:
            raise InputError(
                f"the values {other!r} and {value!r} differ in nothing but capitals; "
                "write them alike, or say all values once with --scale"
            )


def tabulate(ratings: Sequence[Rating], scale: Scale) -> Ratings:
    """Set ratings as columns; items in order of first appearance, raters by name.

    Args:
        ratings: Each (item, rater) at most once; the values are of the scale.
        scale: What they can be.

    Example:
        >>> rows = [Rating(item="a", rater=name, value="1") for name in ("x", "y")]
        >>> tabulate(rows, scale_of(rows, declared=("0", "1"))).codes
        array([[1, 1]])
    """
    raters = sorted({rating.rater for rating in ratings})
    items = list(dict.fromkeys(rating.item for rating in ratings))
    row, column = _places(items), _places(raters)
    code = _places(scale.values)
    codes = np.full((len(items), len(raters)), -1, dtype=np.int64)
    threads: dict[str, str] = {}
    for rating in ratings:
        if rating.value is not None:
            codes[row[rating.item], column[rating.rater]] = code[rating.value]
        if rating.thread_id is not None:
            threads[rating.item] = rating.thread_id
    names = [("", threads[i]) if i in threads else (i, "") for i in items]
    numbered = {name: number for number, name in enumerate(dict.fromkeys(names))}
    return Ratings(
        raters=tuple(raters),
        items=tuple(items),
        codes=codes,
        clusters=np.array([numbered[name] for name in names], dtype=np.int64),
        has_threads=bool(threads),
    )


def _places(names: Sequence[str]) -> dict[str, int]:
    return {name: place for place, name in enumerate(names)}


class Consensus(NamedTuple):
    """What experts say together, item by item."""

    values: Mapping[str, str]
    """Of the items on which they come to one value."""
    split: frozenset[str]
    """Items that several rated, without a strict majority."""
    unrated: frozenset[str]
    """Items that nobody gave a value."""
    adjudicated: frozenset[str]
    """Items that were settled by an adjudicated rating."""


def consensus(ratings: Sequence[Rating]) -> Consensus:
    """Give each item the value of more than half of those who rated it.

    A rating by the rater named `adjudicated` settles its item alone.

    Example:
        >>> rows = [Rating(item="a", rater=name, value=value)
        ...     for name, value in (("x", "1"), ("y", "0"), ("z", "1"))]
        >>> dict(consensus(rows).values)
        {'a': '1'}
    """
    given: dict[str, list[str]] = defaultdict(list)
    settled = {
        rating.item: rating.value
        for rating in ratings
        if rating.rater == ADJUDICATED and rating.value is not None
    }
    for rating in ratings:
        votes = given[rating.item]
        if rating.rater != ADJUDICATED and rating.value is not None:
            votes.append(rating.value)
    values = {
        item: majority
        for item, votes in given.items()
        if (majority := settled.get(item) or _majority(votes)) is not None
    }
    rest = given.keys() - values.keys()
    return Consensus(
        values=values,
        split=frozenset(item for item in rest if given[item]),
        unrated=frozenset(item for item in rest if not given[item]),
        adjudicated=frozenset(settled),
    )


def _majority(votes: Sequence[str]) -> str | None:
    commonest = Counter(votes).most_common(1)
    if commonest and 2 * commonest[0][1] > len(votes):
        return commonest[0][0]
    return None
