"""What PCR would be with fewer judges: one left out, or those of a target's family."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from msgspec.structs import replace

from threadmed.metrics.bootstrap import from_samples, stream
from threadmed.metrics.estimates import NotEstimable, Number
from threadmed.metrics.intervals import Codes, Values, few_threads, rate
from threadmed.records import ALL_SETTINGS, Record, Score, Setting, ThreadId

Rule = Callable[[tuple[Score | None, ...]], Score | None]
"""From the judges' scores of one answer, in the panel's order, to the panel's."""
AT_ONCE = 20_000_000
"""Random numbers held at once."""
BY_SELECTION = (
    "the panel is lazy: it rests on a judge that was asked only where others left the "
    "score open"
)
UNSCORED = 9.0
"""Stands for a missing score while equal rows are found; no score is so high."""


class Place(NamedTuple):
    """Where an item stands."""

    target: str
    setting: Setting
    thread: int
    """Code of the thread, alike for all targets and settings."""
    thread_id: ThreadId
    turn: int


class Panels(NamedTuple):
    """What each judge said of each item, and how a panel makes a score of it."""

    places: tuple[Place, ...]
    table: Values
    """Shape (n, J), items by judges; NaN where there is no score."""
    judges: tuple[str, ...]
    rule_for: Callable[[tuple[str, ...]], Rule]
    selected: frozenset[str] = frozenset()
    """Judges that were asked only where those before them left a score open."""

    @property
    def threads(self) -> Codes:
        """Shape (n,), the thread of each item."""
        return np.array([place.thread for place in self.places], dtype=np.int64)


class Variant(Record, frozen=True, kw_only=True):
    """One target in one setting by a part of the panel, beside the whole."""

    target: str
    setting: Setting
    left_out: tuple[str, ...]
    """Judges that do not count here; empty where none had to go."""
    n: int
    """Items that both the part and the whole panel gave a score."""
    n_left_out: int
    """Items that only one of the two gave a score."""
    pcr: Number
    """By the judges that are left."""
    whole: Number
    """By the whole panel, on the same items."""
    difference: Number
    """`pcr` minus `whole`; threads are drawn for both at once."""
    rank: int | None
    """Place among the targets of the setting, 1 is the highest PCR; targets of equal
    PCR share the better place. None without a rate."""
    rank_whole: int | None
    rank_moves: float | None
    """Share of the samples of threads in which the two ranks differ."""


class _Side(NamedTuple):
    """The items of one target that part and whole gave a score."""

    left_out: tuple[str, ...]
    part: Values
    """Shape (n,), 1 where the score is 1."""
    whole: Values
    threads: Codes
    n_left_out: int


def without_judge(
    panels: Panels, *, draws: int, level: float, seed: int
) -> tuple[Variant, ...]:
    """Leave out each judge in turn, in every setting; a panel of one has no part.

    Args:
        panels: What was said.
        draws: Samples of threads.
        level: Coverage aimed at, in (0, 1).
        seed: Where the samples start.

    Example:
        >>> places = tuple(Place("m", "oracle", n, ThreadId(f"T{n}"), 0) for n in range(20))
        >>> table = np.column_stack([np.ones(20), np.arange(20) % 2])
        >>> panels = Panels(places, table, ("a", "b"), lambda judges: lambda scores: scores[0])
        >>> found = without_judge(panels, draws=100, level=0.95, seed=0)
        >>> [(each.left_out, each.pcr.value) for each in found]
        [(('a',), 0.5), (('b',), 1.0)]
    """
    if len(panels.judges) < 2:
        return ()
    found: list[Variant] = []
    for judge in panels.judges:
        for setting in _settings(panels):
            sides = {
                target: _side(panels, target, setting, left_out=(judge,))
                for target in _targets(panels, setting)
            }
            rng = stream(seed, setting, "without a judge")
            made = _variants(setting, sides, draws=draws, level=level, rng=rng)
            found += _given(panels, made)
    return tuple(found)


def _given(panels: Panels, made: Iterable[Variant]) -> Iterable[Variant]:
    """Give no number of a part whose judges were not all asked about every answer.

    The whole panel has its score wherever a lazy one stops. A rank is a place among
    all, and so one refusal in a setting takes the ranks of the others too.
    """
    found = list(made)
    refused = [
        bool(each.left_out and panels.selected.difference(each.left_out))
        for each in found
    ]
    for each, is_refused in zip(found, refused, strict=True):
        none = NotEstimable(reason=BY_SELECTION, n=each.n)
        kept = replace(each, pcr=none, difference=none) if is_refused else each
        unranked = {"rank": None, "rank_whole": None, "rank_moves": None}
        yield replace(kept, **unranked) if any(refused) else kept


def own_family_out(
    panels: Panels,
    families: Mapping[str, str],
    *,
    draws: int,
    level: float,
    seed: int,
) -> tuple[Variant, ...]:
    """Judge each target only by judges that are not of its own family.

    Args:
        panels: What was said.
        families: Family of every judge and target, by name.
        draws: Samples of threads.
        level: Coverage aimed at, in (0, 1).
        seed: Where the samples start.

    Returns:
        One variant a target and setting; of a target without relatives on the panel
        nothing is left out, but its rank may move.

    Example:
        >>> places = tuple(Place("m", "oracle", n, ThreadId(f"T{n}"), 0) for n in range(20))
        >>> table = np.column_stack([np.ones(20), np.arange(20) % 2])
        >>> panels = Panels(places, table, ("a", "b"), lambda judges: lambda scores: scores[0])
        >>> families = {"a": "x", "b": "y", "m": "x"}
        >>> found = own_family_out(panels, families, draws=100, level=0.95, seed=0)
        >>> found[0].left_out, found[0].pcr.value, found[0].whole.value
        (('a',), 0.5, 1.0)
    """
    found: list[Variant] = []
    for setting in _settings(panels):
        sides = {
            target: _side(
                panels,
                target,
                setting,
                left_out=tuple(
                    judge
                    for judge in panels.judges
                    if families[judge] == families[target]
                ),
            )
            for target in _targets(panels, setting)
        }
        rng = stream(seed, setting, "own family out")
        made = _variants(setting, sides, draws=draws, level=level, rng=rng)
        found += _given(panels, made)
    return tuple(found)


def _settings(panels: Panels) -> list[Setting]:
    seen = {place.setting for place in panels.places}
    return [setting for setting in ALL_SETTINGS if setting in seen]


def _targets(panels: Panels, setting: Setting) -> list[str]:
    held = (place.target for place in panels.places if place.setting == setting)
    return list(dict.fromkeys(held))


def _side(
    panels: Panels, target: str, setting: Setting, *, left_out: tuple[str, ...]
) -> _Side:
    at = [
        number
        for number, place in enumerate(panels.places)
        if (place.target, place.setting) == (target, setting)
    ]
    stay = tuple(judge for judge in panels.judges if judge not in left_out)
    whole = scores_of(panels, at, panels.judges)
    part = scores_of(panels, at, stay)
    both = ~np.isnan(whole) & ~np.isnan(part)
    return _Side(
        left_out=left_out,
        part=np.asarray(part[both] == 1, dtype=np.float64),
        whole=np.asarray(whole[both] == 1, dtype=np.float64),
        threads=panels.threads[at][both],
        n_left_out=int((np.isnan(whole) != np.isnan(part)).sum()),
    )


def scores_of(panels: Panels, at: Sequence[int], judges: tuple[str, ...]) -> Values:
    """Let a panel of these judges decide the items `at`; NaN where it has no score.

    Args:
        panels: What was said.
        at: Rows of the table.
        judges: Who counts, in the panel's order; none gives no score.

    Example:
        >>> panels = Panels((), np.array([[1.0, 0], [0, 1]]), ("a", "b"),
        ...     lambda judges: lambda scores: scores[0])
        >>> scores_of(panels, [0, 1], ("b",))
        array([0., 1.])
    """
    if not judges:
        return np.full(len(at), np.nan)
    rule = panels.rule_for(judges)
    columns = [panels.judges.index(judge) for judge in judges]
    # NaN equals nothing, itself included: a number stands for it, else each is a kind.
    said = np.nan_to_num(panels.table[np.ix_(at, columns)], nan=UNSCORED)
    kinds, back = np.unique(said, axis=0, return_inverse=True)
    made = [rule(tuple(_score(value) for value in kind)) for kind in kinds]
    decided = np.array([np.nan if score is None else score for score in made])
    return np.asarray(decided[back.reshape(-1)], dtype=np.float64)


def _score(value: float) -> Score | None:
    scores: tuple[Score, ...] = (-1, 0, 1)
    return next((score for score in scores if score == value), None)


def _variants(
    setting: Setting,
    sides: Mapping[str, _Side],
    *,
    draws: int,
    level: float,
    rng: np.random.Generator,
) -> Iterable[Variant]:
    """Compare part and whole of all targets of a setting in the same samples."""
    held = {target: side for target, side in sides.items() if len(side.part)}
    parts, wholes = _drawn(tuple(held.values()), draws=draws, rng=rng)
    ranks = {
        "part": _ranks(np.array([[side.part.mean() for side in held.values()]])),
        "whole": _ranks(np.array([[side.whole.mean() for side in held.values()]])),
    }
    moves = (_ranks(parts) != _ranks(wholes)).mean(axis=0)
    names = list(held)
    for target, side in sides.items():
        at = names.index(target) if target in held else None
        gaps = None if at is None else parts[:, at] - wholes[:, at]
        yield Variant(
            target=target,
            setting=setting,
            left_out=side.left_out,
            n=len(side.part),
            n_left_out=side.n_left_out,
            pcr=rate(side.part, side.threads, level=level),
            whole=rate(side.whole, side.threads, level=level),
            difference=_difference(side, gaps, level=level),
            rank=None if at is None else int(ranks["part"][0, at]),
            rank_whole=None if at is None else int(ranks["whole"][0, at]),
            rank_moves=None if at is None else float(moves[at]),
        )


def _difference(side: _Side, gaps: Values | None, *, level: float) -> Number:
    n = len(side.part)
    if not side.left_out:
        return NotEstimable(reason="no judge is left out", n=n)
    if gaps is None:
        return NotEstimable(reason="the judges that are left gave no score", n=n)
    if (side.part == side.whole).all():
        return NotEstimable(reason="no score changes", n=n)
    n_threads = len(np.unique(side.threads))
    return from_samples(
        float((side.part - side.whole).mean()),
        gaps[~np.isnan(gaps)],
        level=level,
        n=n,
        threads=n_threads,
        flag=few_threads(n_threads),
    )


def _drawn(
    sides: Sequence[_Side], *, draws: int, rng: np.random.Generator
) -> tuple[Values, Values]:
    """Give the PCR of each side in samples of threads: two of shape (draws, sides).

    Threads with the same totals for all sides are one cell.
    """
    if not sides:
        return np.zeros((draws, 0)), np.zeros((draws, 0))
    everyone = np.unique(np.concatenate([side.threads for side in sides]))
    columns = []
    for side in sides:
        places = np.searchsorted(everyone, side.threads)
        columns += [
            np.bincount(places, values, minlength=len(everyone))
            for values in (side.part, side.whole, np.ones_like(side.part))
        ]
    cells, counts = np.unique(np.stack(columns, axis=1), axis=0, return_counts=True)
    shares = counts / counts.sum()
    size = max(1, min(draws, AT_ONCE // len(cells)))
    totals = [
        rng.multinomial(counts.sum(), shares, size=min(size, draws - start)) @ cells
        for start in range(0, draws, size)
    ]
    found = np.concatenate(totals)
    part, whole, n = found[:, 0::3], found[:, 1::3], found[:, 2::3]
    with np.errstate(invalid="ignore"):
        return part / n, whole / n


def _ranks(rates: Values) -> Codes:
    """Rank each row: 1 is the highest, equal rates share the better place."""
    higher = rates[:, None, :] > rates[:, :, None] + 1e-12
    return np.asarray(1 + higher.sum(axis=2), dtype=np.int64)
