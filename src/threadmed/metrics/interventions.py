"""What changing a target's answers is worth: by number, turn and distance of changes.

Everything is paired with multi_turn on the same labelled items. Up to the first change
both are one conversation, so that whatever a policy looked at before it chose a thread
stands on both sides. What an adaptive policy does after its first change depends on how
the arm itself went on; differences by two or more changes are then no effect, and say
so.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from threadmed.metrics.comparison import cells, paired_difference
from threadmed.metrics.estimates import Number
from threadmed.metrics.intervals import Codes, rate
from threadmed.metrics.items import Items
from threadmed.records import Act, Intervention, Policy, Record, ThreadId
from threadmed.study import Intervening

SELECTED = (
    "an adaptive policy changes more than one answer only where the arm failed again, "
    "so that differences by two or more changes are no effect"
)
"""Said of policies that go by what the arm itself did after a change."""


class Pairs(Record, frozen=True, kw_only=True):
    """An arm beside multi_turn on the same items."""

    n: int
    """Labelled items scored on both sides."""
    threads: int
    changed: Number
    """PCR in the arm."""
    plain: Number
    """PCR in multi_turn."""
    changed_only: int
    """Items that only the arm corrected."""
    plain_only: int
    difference: Number
    """`changed` minus `plain`, paired, with threads as clusters; not tested, since
    these are many looks at one comparison."""


class ByNumber(Record, frozen=True, kw_only=True):
    """Items with so many changes before them, turns of change, or turns since."""

    at: int
    pairs: Pairs


class Reason(Record, frozen=True, kw_only=True):
    """How often an answer was changed, or was not, and why."""

    why: str
    is_made: bool
    n: int


class Dose(Record, frozen=True, kw_only=True):
    """How many threads had so many changes."""

    changes: int
    threads: int


class Screening(Record, frozen=True, kw_only=True, tag="screening", tag_field="kind"):
    """What a screening judge made of answers that the panel scored as well."""

    screen: str
    n_looked: int
    """Answers at which the arm stopped for it to look."""
    n_unscored: int
    """Of them, those that it gave no score of, or that were no answers to be judged."""
    n_unjudged: int
    """Of the rest, those that the panel has no score of."""
    misses: Number
    """Share that it passed, among those that failed by the panel."""
    false_alarms: Number
    """Share that it failed, among those that are corrected by the panel."""


class Intervened(Record, frozen=True, kw_only=True):
    """What one arm's changes are worth."""

    arm: str
    target: str
    policy: Policy
    act: Act
    n_left_out: int = 0
    """Labelled items of either side that lack a score on the other."""
    reasons: tuple[Reason, ...] = ()
    doses: tuple[Dose, ...] = ()
    """Changes in a thread, over the threads with a labelled item in the arm."""
    none: Pairs
    """Items with no change before them: the same requests as in multi_turn, answered
    and judged once, so that a difference here is a mistake in the table."""
    any: Pairs
    """Items with at least one change before them, however many more the arm made: what
    the policy does behind its first change."""
    by_changes: tuple[ByNumber, ...]
    """The response to each dose, from 1."""
    first: Pairs
    """The value of the first correction: items with exactly one change before them;
    of `every_failing` those that come next after it alone, since of later ones only
    those have no second change that went well in between."""
    by_turn: tuple[ByNumber, ...]
    """The items of `first`, by the turn of the change."""
    by_distance: tuple[ByNumber, ...]
    """The items of `first`, by the number of turns since the change."""
    caution: str = ""
    screening: Screening | None = None
    """None where the panel looked, or nobody had to."""


class Setup(NamedTuple):
    """Which arm it is."""

    arm: str
    target: str
    by: Intervening


Made = Mapping[int, Sequence[Intervention]]
"""The changes that were made, by the thread's code."""


class Sides(NamedTuple):
    """Both sides on the same items, and what came before each."""

    changed: Items
    plain: Items
    changes: Codes
    """Shape (n,), changes before the item."""
    first: Codes
    """Shape (n,), turn of the first change before the item; -1 where there is none."""
    level: float

    def pairs(self, mask: NDArray[np.bool_]) -> Pairs:
        """Compare the sides on the items that `mask`, of shape (n,), marks."""
        one, other = self.changed.where(mask), self.plain.where(mask)
        table = cells(one.corrected, other.corrected)
        return Pairs(
            n=len(one.turns),
            threads=len(np.unique(one.threads)),
            changed=rate(one.corrected, one.threads, level=self.level),
            plain=rate(other.corrected, other.threads, level=self.level),
            changed_only=table.first_only,
            plain_only=table.second_only,
            difference=paired_difference(
                one.corrected, other.corrected, one.threads, level=self.level
            ),
        )

    def by(self, numbers: Codes, mask: NDArray[np.bool_]) -> tuple[ByNumber, ...]:
        """Compare them for each of `numbers`, of shape (n,), among the marked items."""
        return tuple(
            ByNumber(at=int(at), pairs=self.pairs(mask & (numbers == at)))
            for at in np.unique(numbers[mask])
        )


def intervened(
    setup: Setup,
    items: Items,
    base: Items,
    *,
    noted: Sequence[Intervention],
    codes: Mapping[ThreadId, int],
    level: float = 0.95,
) -> Intervened:
    """Say what the changes of one arm are worth.

    Args:
        setup: Which arm, of which target, and its policy.
        items: Its labelled items.
        base: The target's labelled items in multi_turn.
        noted: What was changed, or was not; other arms' is passed over.
        codes: Of threads, as in `items`.
        level: Coverage aimed at, in (0, 1).

    Example:
        >>> threads, turns = np.repeat(np.arange(6), 2), np.tile([0, 1], 6)
        >>> ones = np.ones(12, dtype=bool)
        >>> arm = Items(threads, turns, np.tile([0.0, 1.0], 6), ones)
        >>> plain = Items(threads, turns, np.zeros(12), ones)
        >>> codes = {f"T{n}": n for n in range(6)}
        >>> noted = [
        ...     Intervention(target="m+a", thread_id=name, turn=0, act="replace",
        ...         is_made=True, why="policy")
        ...     for name in codes
        ... ]
        >>> setup = Setup("m+a", "m", Intervening(policy="first"))
        >>> found = intervened(setup, arm, plain, noted=noted, codes=codes)
        >>> found.first.difference.value, found.none.difference.value, found.first.n
        (1.0, 0.0, 6)
    """
    noted = [note for note in noted if note.target == setup.arm]
    made = _made(noted, codes)
    sides = _sides(items, base, made, level=level)
    screening = _screening(setup.by, items, noted, codes=codes, level=level)
    return msgspec.structs.replace(
        _worth(setup, sides, _first(setup.by, items, sides)),
        n_left_out=items.united(base) - len(sides.changes),
        reasons=_reasons(noted),
        doses=_doses(items, made),
        screening=screening,
    )


def _worth(setup: Setup, sides: Sides, first: NDArray[np.bool_]) -> Intervened:
    """Compare the sides by number, turn and distance of changes.

    Args:
        setup: Which arm it is.
        sides: Both sides.
        first: Shape (n,), marks the items that tell the value of the first correction.
    """
    by_changes = sides.by(sides.changes, sides.changes > 0)
    is_every = setup.by.policy == "every_failing"
    return Intervened(
        arm=setup.arm,
        target=setup.target,
        policy=setup.by.policy,
        act=setup.by.act,
        none=sides.pairs(sides.changes == 0),
        any=sides.pairs(sides.changes > 0),
        by_changes=by_changes,
        first=sides.pairs(first),
        by_turn=sides.by(sides.first, first),
        by_distance=sides.by(sides.changed.turns - sides.first, first),
        caution=SELECTED if is_every and len(by_changes) > 1 else "",
    )


def _made(noted: Sequence[Intervention], codes: Mapping[ThreadId, int]) -> Made:
    found: dict[int, list[Intervention]] = defaultdict(list)
    for note in noted:
        if note.is_made and note.thread_id in codes:
            found[codes[note.thread_id]].append(note)
    return found


def _sides(items: Items, base: Items, made: Made, *, level: float) -> Sides:
    """Pair both sides, and find the changes before each item."""
    changed, plain = items.scored.shared(base.scored)
    before = [
        [
            note.turn
            for note in made.get(thread, ())
            if note.turn < turn and note.before in {None, turn}
        ]
        for thread, turn in zip(
            changed.threads.tolist(), changed.turns.tolist(), strict=True
        )
    ]
    return Sides(
        changed,
        plain,
        changes=np.array([len(turns) for turns in before], dtype=np.int64),
        first=np.array([min(turns, default=-1) for turns in before], dtype=np.int64),
        level=level,
    )


def _first(by: Intervening, items: Items, sides: Sides) -> NDArray[np.bool_]:
    """Mark the items that tell the value of the first correction, shape (n,)."""
    once = np.asarray(sides.changes == 1)
    if by.policy != "every_failing":
        return once
    turns: dict[int, list[int]] = defaultdict(list)
    for thread, turn in zip(items.threads.tolist(), items.turns.tolist(), strict=True):
        turns[thread].append(turn)
    next_turn = [
        min((turn for turn in turns[thread] if turn > change), default=-1)
        for thread, change in zip(
            sides.changed.threads.tolist(), sides.first.tolist(), strict=True
        )
    ]
    is_next = sides.changed.turns == np.array(next_turn, dtype=np.int64)
    return np.asarray(once & is_next)


def _reasons(noted: Sequence[Intervention]) -> tuple[Reason, ...]:
    counts = Counter((note.why, note.is_made) for note in noted)
    return tuple(
        Reason(why=why, is_made=is_made, n=n)
        for (why, is_made), n in sorted(counts.items())
    )


def _doses(items: Items, made: Made) -> tuple[Dose, ...]:
    counts = Counter(
        len(made.get(thread, ())) for thread in np.unique(items.threads).tolist()
    )
    return tuple(Dose(changes=dose, threads=counts[dose]) for dose in sorted(counts))


def _screening(
    by: Intervening,
    items: Items,
    noted: Sequence[Intervention],
    *,
    codes: Mapping[ThreadId, int],
    level: float,
) -> Screening | None:
    """Hold a screening judge against the panel, on the answers that it was shown."""
    if by.screen is None:
        return None
    panel = {
        (thread, turn): score
        for thread, turn, score in zip(
            items.scored.threads.tolist(),
            items.scored.turns.tolist(),
            items.scored.scores.tolist(),
            strict=True,
        )
    }
    given = [note for note in noted if note.score is not None]
    places = [(codes.get(note.thread_id, -1), note.turn) for note in given]
    both = [
        (place[0], panel[place] == 1, note.score == 1)
        for place, note in zip(places, given, strict=True)
        if place in panel
    ]
    columns = np.array(both, dtype=np.int64).reshape(-1, 3)
    threads, is_right, is_passed = columns[:, 0], columns[:, 1] == 1, columns[:, 2]
    passed = is_passed.astype(np.float64)
    return Screening(
        screen=by.screen,
        n_looked=len(noted),
        n_unscored=len(noted) - len(given),
        n_unjudged=len(given) - len(both),
        misses=rate(passed[~is_right], threads[~is_right], level=level),
        false_alarms=rate(1 - passed[is_right], threads[is_right], level=level),
    )
