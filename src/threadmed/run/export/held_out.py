"""Which threads are kept away from training: by thread, by a seed, with their hashes."""

import hashlib
import math
from collections.abc import Collection
from pathlib import Path

from threadmed.errors import InputError, UsageError
from threadmed.records import Record, Thread, ThreadId
from threadmed.store import read_bytes, read_json


class HeldOut(Record, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """held-out.json: a split that can be checked, and made again from other data."""

    seed: int
    how: str
    """What was asked for: a share, or the name of a file."""
    threads: int
    """Threads of this study that are held out."""
    of: int
    """Threads of this study."""
    hash: str = "sha256 of SEED:THREAD_ID"
    hashes: tuple[str, ...]
    """In order; of threads of other studies too, where a list of theirs was given."""


def thread_hash(seed: int, thread_id: ThreadId) -> str:
    """Name a thread without saying which it is.

    Example:
        >>> thread_hash(1, ThreadId("THREAD_0001"))[:8]
        'a3c35091'
    """
    return hashlib.sha256(f"{seed}:{thread_id}".encode()).hexdigest()


def hold_out(
    threads: Collection[ThreadId], *, by: str, seed: int
) -> tuple[frozenset[ThreadId], HeldOut]:
    """Say which threads of a study are held out.

    Args:
        threads: All of the study's.
        by: A share between 0 and 1; or a file: a held-out.json, whose own seed and
            hashes then decide, or a text file with a thread's name a line.
        seed: Decides the draw and the hashes. A thread's lot depends on the seed and
            its own name alone.

    Returns:
        Their names, and the record of them.

    Raises:
        UsageError: If `by` is a number and no share.
        InputError: If `by` is neither, if a name is of no thread, or if all threads or
            none would be held out.
    """
    share = _share(by)
    path = Path(by)
    hashes: set[str] = set()
    if share is not None:
        in_order = sorted(threads, key=lambda name: thread_hash(seed, name))
        held = frozenset(in_order[: max(1, math.ceil(share * len(threads)))])
    elif path.suffix == ".json":
        earlier = read_json(path, HeldOut)
        seed, hashes = earlier.seed, set(earlier.hashes)
        held = frozenset(t for t in threads if thread_hash(seed, t) in hashes)
    else:
        held = _named(path, threads)
    if not held or len(held) == len(threads):
        which = "all" if held else "none"
        raise InputError(
            f"--held-out {by}: holds out {which} of the {len(threads)} threads; some "
            "must be held out, and some left"
        )
    hashes |= {thread_hash(seed, name) for name in held}
    return held, HeldOut(
        seed=seed,
        how=f"share {share}" if share is not None else f"file {path.name}",
        threads=len(held),
        of=len(threads),
        hashes=tuple(sorted(hashes)),
    )


def _share(by: str) -> float | None:
    """Read a share; None where it is no number."""
    try:
        share = float(by)
    except ValueError:
        return None
    if not 0 < share < 1:
        raise UsageError(f"--held-out is {by}; expected a share between 0 and 1")
    return share


def _named(path: Path, threads: Collection[ThreadId]) -> frozenset[ThreadId]:
    try:
        lines = read_bytes(path).decode("utf-8-sig").splitlines()
    except UnicodeDecodeError as cause:
        raise InputError(f"{path}: not a text file in UTF-8: {cause}") from cause
    for number, line in enumerate(lines, start=1):
        if line.strip() and line.strip() not in threads:
            raise InputError(
                f"{path}:{number}: {line.strip()[:40]!r} is no thread of the study; "
                "expected one name a line, as THREAD_0001"
            )
    return frozenset(ThreadId(line.strip()) for line in lines if line.strip())


LONG_ENOUGH = 6
"""Words from which a later question is telling: many threads hold a `Thank you.`"""


def telling(thread: Thread) -> frozenset[str]:
    r"""Give the questions by which a copy of a thread is recognised, whatever its name.

    Returns:
        The first, and later ones of six words or more, without regard to case and to
        spaces.

    Example:
        >>> from threadmed.records import Turn
        >>> asked = ("Is it\n SO?", "Thanks!")
        >>> turns = tuple(Turn(question=text, answer=None) for text in asked)
        >>> telling(Thread(thread_id=ThreadId("T"), turns=turns))
        frozenset({'is it so?'})
    """
    texts = [" ".join(turn.question.casefold().split()) for turn in thread.turns]
    later = (text for text in texts[1:] if len(text.split()) >= LONG_ENOUGH)
    return frozenset([*texts[:1], *later])
