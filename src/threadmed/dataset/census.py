"""What people typed as their flair, without what leads to a person; pure."""

import re
from collections.abc import Collection, Iterator, Sequence

import msgspec

from threadmed.dataset.manifest import RoleCount
from threadmed.dataset.privacy.known import Known
from threadmed.dataset.privacy.scrub import scrub_line

DIGITS = re.compile("[0-9]+")
LONGEST_TIME = 19
"""Digits of a number of 64 bits."""
BEGINNING = 4
"""Characters of a name that are looked for before all of it."""


def without_names(
    census: Sequence[RoleCount], everybody: Known
) -> tuple[RoleCount, ...]:
    """Take out of flairs what else leads to a person, also their user names.

    Names of letters alone, and ids of digits alone, stay: among many thousand any word
    is one.

    Args:
        census: Flairs as they stand in the dump.
        everybody: What the records of all threads together are known by.

    Example:
        >>> census = [RoleCount(flair="RN jo_doe, 1558096496", role="lay", comments=1)]
        >>> everybody = Known(accounts=frozenset({"Jo_Doe"}), times=frozenset({1558096496}))
        >>> without_names(census, everybody)[0].flair
        'RN [user], [time]'
    """
    low = "\n".join(row.flair for row in census).lower()
    # Few of so many names even begin as anything there does.
    begun = {
        low[at : at + size]
        for at in range(len(low))
        for size in range(1, BEGINNING + 1)
    }

    def there_of(names: Collection[str]) -> frozenset[str]:
        return frozenset(
            name
            for name in names
            if (its := name.lower())[:BEGINNING] in begun
            and not name.isalpha()
            and its in low
        )

    there = Known(
        accounts=there_of(everybody.accounts),
        ids=frozenset(one for one in there_of(everybody.ids) if not one.isdigit()),
        times=everybody.times.intersection(_numbers_within(low)),
    )
    return tuple(
        msgspec.structs.replace(row, flair=scrub_line(row.flair, known=there))
        for row in census
    )


def _numbers_within(low: str) -> Iterator[int]:
    """Give the numbers that a text holds, also those within longer ones."""
    for run in DIGITS.findall(low):
        for start in range(len(run)):
            for size in range(1, LONGEST_TIME + 1):
                yield int(run[start : start + size])
