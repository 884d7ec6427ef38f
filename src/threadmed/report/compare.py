"""Several studies beside each other: what is the same in them, and what they came to.

A difference is printed only where two studies asked about the same threads, and only
over the questions that both scored; elsewhere each keeps its own numbers.
"""

from collections.abc import Iterator, Sequence
from itertools import combinations, product
from pathlib import Path

import msgspec

from threadmed.errors import InputError
from threadmed.metrics.compared import Comparison
from threadmed.metrics.contrasts import Scored, adjust, compare
from threadmed.metrics.correction import Numbered
from threadmed.metrics.measure import RECOMMENDED, study_of
from threadmed.metrics.measurement import Group
from threadmed.records import PanelScore, Record, Setting
from threadmed.report.analyses import mark_of_study
from threadmed.report.compare_aspects import Aspect, aspects, unlike
from threadmed.report.material import Found, read_found
from threadmed.study import Folder

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
"""What studies are called in tables and figures, where their names have no room."""


class Compared(Record, frozen=True, kw_only=True):
    """One of the studies, with its own numbers."""

    letter: str
    """What it is called in the tables and figures."""
    study: str
    threadmed: str
    """The version that ran it."""
    mark: str
    """What its judged numbers are marked with."""
    complete: bool
    threads_sha256: str
    main_setting: Setting
    groups: tuple[Group, ...]
    """Its targets by setting, as in its own report."""


class Contrast(Record, frozen=True, kw_only=True):
    """A target of one study against a target of another, on the same questions."""

    first: str
    """Letter of the study whose rate counts as positive."""
    second: str
    comparison: Comparison
    also_differs: tuple[str, ...]
    """What else is not the same in the two studies, and may make the difference."""


class Studies(Record, frozen=True, kw_only=True):
    """Everything that a page on several studies is made of."""

    studies: tuple[Compared, ...]
    aspects: tuple[Aspect, ...]
    contrasts: tuple[Contrast, ...]
    """Empty where no two studies have their threads in common."""


def compare_studies(folders: Sequence[Folder]) -> Studies:
    """Read several studies and put them beside each other.

    Args:
        folders: Two or more study folders; each must have been run.

    Raises:
        InputError: If there are fewer than two, one stands twice, there are more than
            letters, or one cannot be read.
    """
    _check([folder.root for folder in folders])
    found = dict(zip(LETTERS, map(read_found, folders), strict=False))
    return Studies(
        studies=tuple(_compared(letter, each) for letter, each in found.items()),
        aspects=aspects([each.manifest for each in found.values()]),
        contrasts=tuple(_contrasts(found)),
    )


def _check(roots: Sequence[Path]) -> None:
    if not 2 <= len(roots) <= len(LETTERS):
        raise InputError(
            f"compare takes 2 to {len(LETTERS)} studies, and got {len(roots)}"
        )
    places = [root.resolve() for root in roots]
    twice = next((root for root in places if places.count(root) > 1), None)
    if twice is not None:
        raise InputError(f"{twice}: is named twice; a study is not compared to itself")


def _compared(letter: str, found: Found) -> Compared:
    return Compared(
        letter=letter,
        study=found.manifest.study.name,
        threadmed=found.manifest.threadmed,
        mark=mark_of_study(found),
        complete=found.manifest.complete,
        threads_sha256=found.manifest.threads_sha256,
        main_setting=found.main_setting,
        groups=found.measured.groups if found.measured else (),
    )


def _contrasts(found: dict[str, Found]) -> Iterator[Contrast]:
    """Compare across each two studies on the same threads; all tests are one family."""
    made = [
        Contrast(
            first=first,
            second=second,
            comparison=comparison,
            also_differs=unlike(found[first].manifest, found[second].manifest),
        )
        for first, second in combinations(found, 2)
        if _same_threads(found[first], found[second])
        for comparison in _across(found[first], found[second])
    ]
    adjusted = adjust(
        [each.comparison for each in made], named="targets of unlike studies"
    )
    for each, comparison in zip(made, adjusted, strict=True):
        yield msgspec.structs.replace(each, comparison=comparison)


def _same_threads(first: Found, second: Found) -> bool:
    return first.manifest.threads_sha256 == second.manifest.threads_sha256


def _across(first: Found, second: Found) -> Iterator[Comparison]:
    """Compare a target with itself in every setting that both studies have it in.

    Targets of unlike names meet in the main setting only, where it is the same.
    """
    # Threads of both studies get their numbers from one table, so that they meet.
    table = study_of([*_named(first.scores, "1"), *_named(second.scores, "2")]).items
    sides = [[(n[1:], table[n]) for n in table if n[0] == side] for side in "12"]
    for (one, of_one), (other, of_other) in product(*sides):
        for setting in [name for name in of_one if name in of_other]:
            is_main = setting == first.main_setting == second.main_setting
            if one == other or is_main:
                yield compare(
                    "targets",
                    Scored(one, setting, of_one[setting]),
                    Scored(other, setting, of_other[setting]),
                    number=Numbered(RECOMMENDED, (one, other)),
                )


def _named(scores: Sequence[PanelScore], side: str) -> Iterator[PanelScore]:
    for row in scores:
        yield msgspec.structs.replace(row, target=side + row.target)
