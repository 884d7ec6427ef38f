"""Draws what is rated, with a chance that is known for every item, and deals it out.

The sample is systematic over candidates that are sorted by stratum, each with its own
chance (Madow 1949, Annals of Mathematical Statistics 20:333): of every stratum, and of
every part of the sorted list, it holds as many as expected to within one, however many
strata there are, and no chance is zero.
"""

import hashlib
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from threadmed.annotate.items import Candidate, Item, place
from threadmed.annotate.tasks import TaskName
from threadmed.records import Record


class Stratum(Record, frozen=True, kw_only=True):
    """How a stratum fared."""

    name: str
    population: int
    drawn: int
    probability: float


class Plan(Record, frozen=True, kw_only=True):
    """What was drawn for one task, and how."""

    task: TaskName
    seed: int
    population: int
    """Candidates that there were."""
    size: int
    """Items drawn."""
    raters: tuple[str, ...]
    gold_share: float
    """Share of the items that every rater gets."""
    strata: tuple[Stratum, ...]


class Draw(Record, frozen=True, kw_only=True):
    """A plan with its items, and each rater's in the order in which they come."""

    plan: Plan
    items: tuple[Item, ...]
    queues: dict[str, tuple[str, ...]]


def inclusion_probabilities(
    weights: NDArray[np.float64], size: int
) -> NDArray[np.float64]:
    """Give chances in proportion to weights, none above 1, that sum to `size`.

    Args:
        weights: Shape (n,), each above 0.
        size: Number of items to draw.

    Returns:
        Shape (n,), each in (0, 1]; all 1 where there are no more than `size`.

    Example:
        >>> inclusion_probabilities(np.array([1.0, 1.0, 2.0, 4.0]), 2).tolist()
        [0.25, 0.25, 0.5, 1.0]
    """
    if size >= len(weights):
        return np.ones(len(weights))
    certain = np.zeros(len(weights), dtype=bool)
    while True:
        left = size - certain.sum()
        chances = np.where(certain, 1.0, left * weights / weights[~certain].sum())
        above = (chances >= 1) & ~certain
        if not above.any():
            return np.asarray(chances, dtype=np.float64)
        certain |= above


def systematic(
    chances: NDArray[np.float64], rng: np.random.Generator
) -> NDArray[np.int64]:
    """Draw by equal steps along the summed chances, from a random start.

    Args:
        chances: Shape (n,), each in (0, 1]; they sum to a whole number.
        rng: Source of randomness.

    Returns:
        Shape (sum of chances,): which were drawn, in order.
    """
    sure = np.flatnonzero(chances >= 1)
    open_ = np.flatnonzero(chances < 1)
    steps = round(float(chances[open_].sum()))
    edges = np.cumsum(chances[open_])
    # The last edge is the number of steps but for rounding, and no step may pass it.
    found = np.searchsorted(edges, rng.random() + np.arange(steps), side="right")
    drawn = open_[np.minimum(found, len(open_) - 1)]
    return np.sort(np.concatenate([sure, drawn]))


def draw(
    candidates: Sequence[Candidate],
    *,
    task: TaskName,
    size: int,
    raters: Sequence[str],
    gold_share: float,
    seed: int,
) -> Draw:
    """Draw a sample and deal it to the raters; the same arguments give the same.

    Args:
        candidates: What there is; no two of one place.
        task: For which task.
        size: Items to draw; all candidates where there are fewer.
        raters: Who rates, one or more.
        gold_share: Share of the items that all raters get; the others go to one each.
        seed: Decides the draw, the dealing and the orders.
    """
    entropy = [seed, int.from_bytes(_digest(task)[:4])]
    rng = np.random.default_rng(entropy)
    shuffled = [candidates[n] for n in rng.permutation(len(candidates))]
    ordered = sorted(shuffled, key=lambda candidate: candidate.stratum)
    weights = np.array([candidate.weight for candidate in ordered], dtype=np.float64)
    chances = inclusion_probabilities(weights, size)
    chosen = systematic(chances, rng)
    gold = set(_every(len(chosen), round(gold_share * len(chosen)), rng))
    items = tuple(
        _item(ordered[n], float(chances[n]), gold=at in gold, salt=f"{seed}:{task}")
        for at, n in enumerate(chosen)
    )
    plan = Plan(
        task=task,
        seed=seed,
        population=len(candidates),
        size=len(items),
        raters=tuple(raters),
        gold_share=gold_share,
        strata=_strata(ordered, chances, chosen),
    )
    return Draw(plan=plan, items=items, queues=_deal(items, raters, entropy))


def _digest(text: str) -> bytes:
    return hashlib.sha256(text.encode()).digest()


def _every(total: int, share: int, rng: np.random.Generator) -> list[int]:
    """Choose `share` of `total` places, spread evenly over the strata."""
    if not share:
        return []
    chosen: list[int] = systematic(np.full(total, share / total), rng).tolist()
    return chosen


def _item(candidate: Candidate, chance: float, *, gold: bool, salt: str) -> Item:
    name = _digest(f"{salt}:{place(candidate)}").hex()[:12]
    return Item(
        item=name,
        thread_id=candidate.thread_id,
        turn=candidate.turn,
        target=candidate.target,
        setting=candidate.setting,
        stratum=_stratum(candidate),
        probability=chance,
        gold=gold,
        shown=candidate.shown,
    )


def _stratum(candidate: Candidate) -> str:
    return ", ".join(candidate.stratum)


def _strata(
    ordered: Sequence[Candidate],
    chances: NDArray[np.float64],
    chosen: NDArray[np.int64],
) -> tuple[Stratum, ...]:
    """Count each stratum's candidates and drawn items, in the order of the draw."""
    drawn = set(chosen.tolist())
    members: dict[str, list[int]] = {}
    for n, candidate in enumerate(ordered):
        members.setdefault(_stratum(candidate), []).append(n)
    return tuple(
        Stratum(
            name=name,
            population=len(places),
            drawn=len(drawn.intersection(places)),
            probability=float(chances[places[0]]),
        )
        for name, places in members.items()
    )


def _deal(
    items: Sequence[Item], raters: Sequence[str], entropy: Sequence[int]
) -> dict[str, tuple[str, ...]]:
    """Give gold items to all raters, the others to one each, in an order of its own."""
    rng = np.random.default_rng([*entropy, 1])
    single = [item.item for item in items if not item.gold]
    dealt = [single[n] for n in rng.permutation(len(single))]
    gold = [item.item for item in items if item.gold]
    queues = {}
    for at, rater in enumerate(raters):
        own = [*gold, *dealt[at :: len(raters)]]
        order = np.random.default_rng([*entropy, 2, at]).permutation(len(own))
        queues[rater] = tuple(own[n] for n in order)
    return queues
