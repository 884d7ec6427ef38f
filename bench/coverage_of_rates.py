"""Coverage of what is computed from scores alone."""

from collections.abc import Callable, Iterator

import numpy as np
from scipy.special import expit, logit

from bench.made import EFFECTS, GAP, STUDIES, Case, Draws, Found, Printed
from threadmed.metrics import within
from threadmed.metrics.comparison import paired_difference
from threadmed.metrics.course import WorkingCorrelation
from threadmed.metrics.decline import fall_between
from threadmed.metrics.estimates import NotEstimable
from threadmed.metrics.intervals import Values, mean_score, rate
from threadmed.metrics.items import Items
from threadmed.metrics.pairs import Pairs, pairs_of
from threadmed.metrics.planning.simulate import PAPER_TURN_SIZES, chances
from threadmed.metrics.propagation import counts_of, propagation_ratio
from threadmed.metrics.survival import first_failure
from threadmed.metrics.trajectory import recovery_rate
from threadmed.metrics.trend import trend

FALL = 0.1
"""By how much PCR falls from turn 0 to turn 2."""
STEP = -0.02
"""By how much PCR changes from turn to turn."""
SLOPE = -0.15
"""By how much the log odds change from turn to turn."""


def pcr(draws: Draws, share: float) -> Found:
    """Overall."""
    threads = draws.layout.threads
    found = (rate(one, threads) for one in draws.corrected(share))
    return Found(share, found)


def pcs(draws: Draws, share: float) -> Found:
    """Mean score."""
    threads = draws.layout.threads
    found = (mean_score(one, threads) for one in draws.scores(share))
    return Found(share - (1 - share) / 2, found)


def pcr_at(turn: int) -> Callable[[Draws, float], Found]:
    """Rate of one turn."""

    def run(draws: Draws, share: float) -> Found:
        at = draws.layout.turns == turn
        threads = draws.layout.threads[at]
        return Found(share, (rate(one[at], threads) for one in draws.corrected(share)))

    return run


def paired(draws: Draws, share: float) -> Found:
    """Second setting less the first, as propagation and information are."""
    first, second = draws.corrected(share), draws.corrected(share + GAP, setting=1)
    threads = draws.layout.threads
    found = (
        paired_difference(other, one, threads)
        for one, other in zip(first, second, strict=True)
    )
    return Found(GAP, found)


def _at(draws: Draws, share: float) -> Values:
    """Give each item the share of its turn, which is lower from turn 2 on."""
    return np.where(draws.layout.turns < 2, share, share - FALL)


def fall(draws: Draws, share: float) -> Found:
    """Turn 0 less turn 2, in the paper's shape of unlike threads."""
    turns = draws.layout.turns
    found = (
        fall_between(
            each.where(turns == 0),
            each.where(turns == 2),
            later_is="turn 2",
            level=0.95,
        )
        for each in draws.items(draws.corrected(_at(draws, share)))
    )
    return Found(FALL, found)


def slope(working_correlation: WorkingCorrelation) -> Callable[[Draws, float], Found]:
    """Log odds a turn; the model of the margins holds exactly."""

    def run(draws: Draws, share: float) -> Found:
        log_odds = logit(share) + SLOPE * draws.layout.turns
        shares = np.asarray(expit(log_odds), dtype=np.float64)
        items = draws.items(draws.corrected(shares))
        found = (
            trend(each, working_correlation=working_correlation).slope for each in items
        )
        return Found(SLOPE, found)

    return run


def _pairs(draws: Draws, share: float) -> Iterator[Pairs]:
    return (pairs_of(each) for each in draws.items(draws.corrected(share)))


def recovery(draws: Draws, share: float) -> Found:
    """RR, in threads of unlike difficulty without further dependence."""
    chance = chances(share, EFFECTS)
    truth = (chance * (1 - chance)).mean() / (1 - chance).mean()
    return Found(float(truth), (_recovered(each) for each in _pairs(draws, share)))


def _recovered(pairs: Pairs) -> Printed:
    failed = pairs.failed_first
    of = pairs.totals(failed & pairs.corrected_next, failed)
    held = of.sizes > 0
    if not held.any():
        return NotEstimable(reason="no failures to recover from", n=0)
    return recovery_rate(type(of)(of.sums[held], of.sizes[held]))


def propagation(draws: Draws, share: float) -> Found:
    """EPR, likewise."""
    failing = 1 - chances(share, EFFECTS)
    after_failure = (failing**2).mean() / failing.mean()
    after_correction = (failing * (1 - failing)).mean() / (1 - failing).mean()
    found = (propagation_ratio(counts_of(each)) for each in _pairs(draws, share))
    return Found(float(after_failure / after_correction), found)


def no_failure(step: int) -> Callable[[Draws, float], Found]:
    """Share of threads without a failure up to a labelled turn."""

    def at(items: Items) -> Printed:
        points = first_failure(items).points
        if len(points) < step:
            return NotEstimable(reason="no thread is at risk", n=0)
        return points[step - 1].without_failure

    def run(draws: Draws, share: float) -> Found:
        items = draws.items(draws.corrected(share))
        truth = float((chances(share, EFFECTS) ** step).mean())
        return Found(truth, (at(each) for each in items))

    return run


def step(draws: Draws, share: float) -> Found:
    """Change from a turn to the next one within threads."""
    turns = draws.layout.turns.astype(np.float64)
    shares = share + STEP * turns
    items = draws.items(draws.corrected(shares))
    return Found(STEP, (within.step(each).change for each in items))


def own_answers_step(draws: Draws, share: float) -> Found:
    """The same of the gap between two settings, which opens after turn 0."""
    turns, threads = draws.layout.turns, draws.layout.threads
    first = turns[:-1][threads[1:] == threads[:-1]]
    kept = turns > 0
    multi_turn = draws.items(draws.corrected(share))
    target_turn = draws.items(draws.corrected(share + GAP, setting=1))
    found = (
        within.own_answers_step(one, other.where(kept)).change
        for one, other in zip(multi_turn, target_turn, strict=True)
    )
    return Found(-GAP * float((first == 0).mean()), found)


CASES = (
    Case("PCR", STUDIES, pcr),
    *(
        Case(f"PCR at a turn of {size} items", ("paper",), pcr_at(turn))
        for turn, size in enumerate(PAPER_TURN_SIZES)
    ),
    Case("PCS", STUDIES, pcs),
    Case("RR", STUDIES, recovery),
    Case("EPR", STUDIES, propagation),
    Case("no failure up to labelled turn 2", STUDIES, no_failure(2)),
    Case("no failure up to labelled turn 3", STUDIES[1:], no_failure(3)),
    Case("paired difference", STUDIES, paired),
    Case("fall from turn 0 to turn 2", STUDIES, fall),
    Case("step to the next turn", STUDIES, step),
    Case("step of the cost of own answers", STUDIES, own_answers_step),
    Case("slope over turns", STUDIES, slope("independence")),
    Case("slope over turns, exchangeable", STUDIES, slope("exchangeable")),
)
