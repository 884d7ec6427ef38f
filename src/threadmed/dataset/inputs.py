"""The files that a dataset is made of; edge."""

from collections.abc import Sequence
from pathlib import Path

from threadmed.errors import InputError
from threadmed.records import Record

PART_BYTES = 1 << 22
"""Bytes of dump files, as they are packed, for each part that is in memory at once."""
MOST_PARTS = 256

MAGIC = frozenset("*?[")
"""What makes a path a pattern, where there is no such file."""


class Dump(Record, frozen=True, kw_only=True):
    """The files of a dump, each once."""

    posts: tuple[Path, ...]
    comments: tuple[Path, ...]
    allow_partial: bool = False
    """Whether truncated or corrupt files are used as far as they can be read."""


def find_dump(
    posts: Sequence[Path], comments: Sequence[Path], *, allow_partial: bool = False
) -> Dump:
    """Find the files of a dump.

    Args:
        posts: Files of submissions, or patterns such as `RS_201*.zst`.
        comments: Files of comments, or patterns.
        allow_partial: Use truncated or corrupt files as far as they can be read.

    Raises:
        InputError: If one is missing or is a folder, if a pattern finds nothing, or
            if a file is given for both sides.
    """
    dump = Dump(
        posts=_files(posts), comments=_files(comments), allow_partial=allow_partial
    )
    if not (dump.posts and dump.comments):
        raise InputError("a build needs at least one file of posts and one of comments")
    both = {path.resolve() for path in dump.posts} & {
        path.resolve() for path in dump.comments
    }
    for path in sorted(both):
        raise InputError(f"{path}: is given for posts and for comments; it holds one")
    return dump


def _files(patterns: Sequence[Path]) -> tuple[Path, ...]:
    """Give the files that are meant, each once, in the order given."""
    found: dict[Path, Path] = {}
    for pattern in patterns:
        for path in _matches(pattern):
            found.setdefault(path.resolve(), path)
    return tuple(found.values())


def _matches(pattern: Path) -> list[Path]:
    try:
        return _matching(pattern)
    except (OSError, ValueError) as cause:
        raise InputError(f"{pattern}: cannot be looked up: {cause}") from cause


def _matching(pattern: Path) -> list[Path]:
    if pattern.is_dir():
        raise InputError(
            f"{pattern}: is a folder; give its files, or a pattern such as "
            f"{pattern / '*.zst'}"
        )
    if pattern.exists():
        return [pattern]
    if MAGIC.isdisjoint(str(pattern)):
        raise InputError(f"{pattern}: no such file; check the path")
    start = Path(pattern.anchor)
    matches = start.glob(str(pattern.relative_to(start)))
    files = sorted(path for path in matches if path.is_file())
    if not files:
        raise InputError(f"{pattern}: no file is named like this; check the pattern")
    return files


def parts_for(dump: Dump) -> int:
    """Choose into how many parts records are sorted; it changes no result.

    Example:
        >>> parts_for(Dump(posts=(), comments=()))
        1
    """
    size = sum(path.stat().st_size for path in (*dump.posts, *dump.comments))
    return min(size // PART_BYTES + 1, MOST_PARTS)
