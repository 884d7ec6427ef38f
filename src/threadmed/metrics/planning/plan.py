"""The door of planning: what a study of a size can see, and what a wish needs.

Everything stands twice: by formula, and from made studies of the same size.
"""

from collections.abc import Callable, Iterator, Sequence
from math import inf

import msgspec

from threadmed.errors import InputError, UsageError
from threadmed.metrics.corrected.label_budget import half_width, labels_needed
from threadmed.metrics.intervals import Values
from threadmed.metrics.planning.exact import items_by_test
from threadmed.metrics.planning.pilot import FEWEST_IN_COMMON, PilotPair, pilot_pairs
from threadmed.metrics.planning.power import (
    MOST_ITEMS,
    Design,
    Judge,
    design_effect,
    difference_half_width,
    items_needed,
    power_at,
    rate_half_width,
    smallest_difference,
    smallest_step,
)
from threadmed.metrics.planning.prospect import (
    Beside,
    Need,
    OutOfReach,
    Smallest,
    Sought,
    StudyPower,
    Wish,
)
from threadmed.metrics.planning.simulate import even_layout
from threadmed.metrics.planning.trials import Trials
from threadmed.records import PanelScore

DISCORDANT = 0.4
"""psi without a pilot: between two settings of one model simulations have .36-.40."""
ALIKE = 0.08
"""Likeness of the differences within threads without a pilot: it gives the 1.02 of a
study of the paper's shape and 1.4 with six turns a thread, amid what was simulated."""

TOO_MANY = "ten million items are not enough"

DENSE = (
    "A fall over turns is seen within threads. Where most threads have one labelled "
    "turn, a difference between turns is one between questions, and more such threads "
    "do not help: label several turns of each thread instead."
)
"""The advice that goes with every plan (methods.md, Planning a study)."""


def plan_study(wish: Wish, *, scores: Sequence[PanelScore] = ()) -> StudyPower:
    """Say what a study sees, and what the wishes need.

    Args:
        wish: Checked here; the first value that cannot be is named as its option.
        scores: Of a pilot, or none.

    Raises:
        UsageError: If a value cannot be.
        InputError: If the pilot compares nothing.

    Example:
        >>> wish = Wish(items=604, threads=505, discordant=0.38, deff=1, simulate=0)
        >>> round(plan_study(wish).smallest.difference.formula, 6)
        0.070271
    """
    _check(wish)
    pilot = pilot_pairs(scores)
    if scores and not pilot:
        raise InputError(
            f"the pilot has no two settings or targets with {FEWEST_IN_COMMON} scored "
            "items in common of which one differs; give --discordant and --deff instead"
        )
    design, assumed = _design(_sized(wish, pilot), pilot)
    if not (wish.items or wish.threads or pilot):
        assumed += ("as many items as the difference needs, by formula",)
    trials = Trials(studies=wish.simulate, seed=wish.seed)
    return StudyPower(
        wish=wish,
        design=design,
        assumed=assumed,
        pilot=pilot,
        smallest=_smallest(design, trials),
        half_width=_beside(
            difference_half_width(design), trials.difference_half_widths(design)
        ),
        rate_half_width=_beside(
            rate_half_width(design, wish.rate),
            trials.rate_half_widths(design, wish.rate),
        ),
        step=smallest_step(design),
        step_pairs=design.items - design.threads,
        needs=tuple(_needs(wish, design, trials)),
        advice=DENSE,
    )


SHARES = (
    "discordant",
    "power",
    "difference",
    "half_width",
    "rate",
    "sensitivity",
    "specificity",
)
RANGES: tuple[tuple[str, float, float, str], ...] = (
    ("items", 2, MOST_ITEMS, "from 2 to 10,000,000"),
    ("threads", 2, MOST_ITEMS, "from 2 to 10,000,000"),
    ("comparisons", 1, inf, "at least 1"),
    ("deff", 1, inf, "at least 1"),
    ("turns_per_thread", 1, inf, "at least 1"),
    ("simulate", 0, 100_000, "from 0 to 100,000"),
    ("seed", 0, inf, "at least 0"),
)
"""What each option may be, with both ends but for infinity."""


def _check(wish: Wish) -> None:
    for name in SHARES:
        value = getattr(wish, name)
        if value is not None and not 0 < value < 1:
            raise UsageError(_wrong(name, value, "between 0 and 1"))
    for name, least, most, expected in RANGES:
        value = getattr(wish, name)
        if value is not None and not (least <= value <= most and value < inf):
            raise UsageError(_wrong(name, value, expected))
    if wish.sensitivity + wish.specificity <= 1:
        raise UsageError(
            "--sensitivity and --specificity add up to 1 or less: such a judge tells "
            "nothing of the truth"
        )


def _wrong(name: str, value: float, expected: str) -> str:
    return f"--{name.replace('_', '-')}: expected {expected}, got {value!r}"


def _design(wish: Wish, pilot: tuple[PilotPair, ...]) -> tuple[Design, tuple[str, ...]]:
    """Take each assumption from the wish, else from the pilot, else from convention."""
    items, threads = _size(wish, pilot)
    if items > MOST_ITEMS:
        raise UsageError(_wrong("threads", threads, "no more than 10,000,000 items"))
    widest = max(pilot, key=lambda pair: pair.discordant * pair.deff, default=None)
    sizes = even_layout(items=items, threads=threads).sizes
    squares = float((sizes**2).sum())
    most = squares / items - 1
    if wish.deff is not None:
        alike = (wish.deff - 1) / most if most else 2.0 * (wish.deff > 1)
        source = "given"
    elif widest is not None:
        alike, source = widest.alike, f"of {widest.first} and {widest.second}"
    else:
        alike, source = ALIKE, "a convention"
    if alike > 1:
        raise UsageError(
            f"--deff: with {items} items in {threads} threads a design effect is at "
            f"most {1 + most:.2f}, got {wish.deff}"
        )
    deff = design_effect(alike, squares=squares, items=items)
    discordant = wish.discordant or (widest.discordant if widest else DISCORDANT)
    if wish.discordant is not None:
        origin = "given"
    elif widest is not None:
        origin = f"of {widest.first} and {widest.second}"
    else:
        origin = "a convention"
    return Design(
        items=items,
        threads=threads,
        discordant=discordant,
        alike=alike,
        deff=deff,
        comparisons=wish.comparisons,
        power=wish.power,
    ), (
        f"{100 * discordant:.1f} % of items differ between the sides ({origin})",
        f"design effect {deff:.2f} ({source})",
    )


TO_BEGIN_WITH = 600
"""Items of a study from which the size that a difference needs is found."""


def _sized(wish: Wish, pilot: Sequence[PilotPair]) -> Wish:
    """Let the difference say how large the study is, where nothing else does."""
    if wish.items or wish.threads or pilot or wish.difference is None:
        return wish
    design, _ = _design(msgspec.structs.replace(wish, items=TO_BEGIN_WITH), ())
    if wish.difference > design.discordant:
        raise UsageError(
            f"--difference: no more than the share of items that differ, "
            f"{design.discordant:g}, can be a difference, got {wish.difference!r}; say "
            "that share with --discordant"
        )
    n = items_needed(smallest_difference, wish.difference, design)
    if n is None:
        raise UsageError(f"--difference: {TOO_MANY} for {wish.difference!r}")
    return msgspec.structs.replace(wish, items=n)


def _size(wish: Wish, pilot: tuple[PilotPair, ...]) -> tuple[int, int]:
    """Give items and threads from any two of items, threads and turns a thread."""
    turns = wish.turns_per_thread
    items, threads = wish.items, wish.threads
    if items and threads and turns and round(threads * turns) != items:
        raise UsageError(
            f"--turns-per-thread: {items} items in {threads} threads are "
            f"{items / threads:.2f} a thread, got {turns}"
        )
    largest = max(pilot, key=lambda pair: pair.n, default=None)
    if turns is None and largest is not None and not (items and threads):
        turns = largest.n / largest.threads
    if items is None and threads is None and largest is not None:
        items = largest.n
    if items is None and threads is not None:
        items = round(threads * (turns or 1))
    if items is None:
        raise UsageError(
            "say how large the study is: --items, --threads, --scores, or a --difference "
            "to be seen"
        )
    threads = threads or max(1, round(items / (turns or 1)))
    if not 2 <= threads <= items:
        raise UsageError(
            f"--threads: expected 2 to {items} threads for {items} items, got {threads}"
        )
    return items, threads


def _smallest(design: Design, trials: Trials) -> Smallest | OutOfReach:
    by_formula = min(smallest_difference(design), design.discordant)
    chance = power_at(by_formula, design)
    if chance < design.power:
        return OutOfReach(
            of="difference",
            wished=design.power,
            reason=f"a difference is at most the share of items that differ, and one of "
            f"{design.discordant:.3f} is not seen with this power",
        )
    simulated, studies = (
        trials.smallest_difference(design),
        trials.fitting(design.items),
    )
    return Smallest(
        difference=Beside(
            formula=by_formula,
            simulated=simulated,
            error=simulated and _error_of(simulated, design, studies=studies),
            studies=studies,
        ),
        interval_power=_beside(chance, trials.intervals_see(design, by_formula)),
        test_power=_beside(chance, trials.tests_see(design, by_formula)),
    )


def _error_of(difference: float, design: Design, *, studies: int) -> float | None:
    """Give the Monte Carlo error of where a share of studies meets the power.

    That of the share, over the slope of the power there, which is by formula.
    """
    near = 1e-3
    rise = power_at(difference + near, design) - power_at(difference - near, design)
    if rise <= 0:
        return None
    of_share = (design.power * (1 - design.power) / studies) ** 0.5
    return float(of_share * 2 * near / rise)


def _beside(formula: float, drawn: Values) -> Beside:
    """Set the mean of what was drawn, one value a study, beside a formula."""
    if not len(drawn):
        return Beside(formula=formula)
    return Beside(
        formula=formula,
        simulated=float(drawn.mean()),
        error=float(drawn.std() / len(drawn) ** 0.5),
        studies=len(drawn),
    )


def _needs(wish: Wish, design: Design, trials: Trials) -> Iterator[Need | OutOfReach]:
    if wish.difference is not None:
        yield _difference_needs(wish.difference, design, trials)
    if wish.half_width is None:
        return
    yield _width_needs(
        "difference_half_width",
        wish.half_width,
        design,
        formula=difference_half_width,
        drawn=trials.difference_half_widths,
    )
    yield _width_needs(
        "rate_half_width",
        wish.half_width,
        design,
        formula=lambda of: rate_half_width(of, wish.rate),
        drawn=lambda of: trials.rate_half_widths(of, wish.rate),
    )
    yield _labels_needed(wish.half_width, wish, design, trials)


def _difference_needs(
    wished: float, design: Design, trials: Trials
) -> Need | OutOfReach:
    if wished > design.discordant:
        return OutOfReach(
            of="difference",
            wished=wished,
            reason="no more than the share of items that differ can be a difference",
        )
    n = items_needed(smallest_difference, wished, design)
    if n is None:
        return OutOfReach(of="difference", wished=wished, reason=TOO_MANY)
    there = design.sized(n)
    formula = power_at(wished, there)
    seen, rejected = (
        trials.intervals_see(there, wished),
        trials.tests_see(there, wished),
    )
    return Need(
        of="difference",
        wished=wished,
        n=n,
        reached=_beside(formula, seen),
        test=_beside(formula, rejected),
        n_by_test=items_by_test(wished, there, seen=seen, rejected=rejected),
    )


def _width_needs(
    of: Sought,
    wished: float,
    design: Design,
    *,
    formula: Callable[[Design], float],
    drawn: Callable[[Design], Values],
) -> Need | OutOfReach:
    n = items_needed(formula, wished, design)
    if n is None:
        return OutOfReach(of=of, wished=wished, reason=TOO_MANY)
    there = design.sized(n)
    return Need(
        of=of, wished=wished, n=n, reached=_beside(formula(there), drawn(there))
    )


def _labels_needed(
    wished: float, wish: Wish, design: Design, trials: Trials
) -> Need | OutOfReach:
    judge = Judge(wish.rate, wish.sensitivity, wish.specificity)
    of, level = judge.explained, design.level
    of = of._replace(variance=of.variance * design.deff)
    found = labels_needed(wished, design.items, of=of, level=level)
    if found.labels is None:
        least = 100 * found.half_width_of_all
        return OutOfReach(
            of="labels",
            wished=wished,
            reason=f"labels of all {design.items:,} items give {least:.1f} points",
        )
    return Need(
        of="labels",
        wished=wished,
        n=found.labels,
        reached=_beside(
            half_width(found.labels, design.items, of=of, level=level),
            trials.corrected_half_widths(design, found.labels, judge),
        ),
    )
