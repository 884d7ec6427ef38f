"""Coverage of rates that experts' labels correct."""

from collections.abc import Callable, Iterator

import numpy as np

from bench.made import (
    CONFUSION,
    GAP,
    SENSITIVITY,
    SPECIFICITY,
    Case,
    Draws,
    Found,
    Printed,
    rated,
)
from threadmed.metrics.controls.identification import Checks, true_pcr
from threadmed.metrics.corrected.debias import (
    Sample,
    corrected_difference,
    corrected_mean,
    corrected_rate,
)
from threadmed.metrics.corrected.inversion import Labels, invert
from threadmed.metrics.corrected.rogan_gladen import Known, rogan_gladen
from threadmed.metrics.corrected.stratified import by_verdict, mean_over_groups
from threadmed.metrics.intervals import Values
from threadmed.metrics.planning.simulate import judged

TRUE = (0.7, 0.85)
"""Share of labelled questions with a misconception, among answers that do not and that
do correct it."""
DRAWS = 500
"""Of the bootstrap of the inversion."""


def _samples(
    judge: Values, expert: Values, *, labels: int, draws: Draws
) -> Iterator[Sample]:
    """Keep the expert's scores of some items, drawn at random in every study."""
    rng = draws.rng(f"{labels} labels")
    for said, true in zip(judge, expert, strict=True):
        kept = np.full(len(true), np.nan)
        drawn = rng.permutation(len(true))[:labels]
        kept[drawn] = true[drawn]
        yield Sample(said, kept, draws.layout.threads)


def _panel(truth: Values, rng: np.random.Generator) -> Values:
    said = judged(truth == 1, sensitivity=SENSITIVITY, specificity=SPECIFICITY, rng=rng)
    return said.astype(np.float64)


def corrected(labels: int) -> Callable[[Draws, float], Found]:
    """PCR by PPI++."""

    def run(draws: Draws, share: float) -> Found:
        truth = draws.corrected(share)
        judge = _panel(truth, draws.rng("panel"))
        samples = _samples(judge, truth, labels=labels, draws=draws)
        return Found(share, (corrected_rate(each) for each in samples))

    return run


def corrected_scores(labels: int) -> Callable[[Draws, float], Found]:
    """PCS by PPI++."""

    def run(draws: Draws, share: float) -> Found:
        truth = draws.scores(share)
        seen = rated(truth.astype(np.int64) + 1, CONFUSION, draws.rng("judge"))
        judge = seen.astype(np.float64) - 1
        samples = _samples(judge, truth, labels=labels, draws=draws)
        return Found(
            share - (1 - share) / 2, (corrected_mean(each) for each in samples)
        )

    return run


def corrected_pair(labels: int) -> Callable[[Draws, float], Found]:
    """Second setting less the first by PPI++ on the items' differences."""

    def run(draws: Draws, share: float) -> Found:
        rng = draws.rng("two settings")
        first, second = draws.corrected(share), draws.corrected(share + GAP, setting=1)
        judge = _panel(second, rng) - _panel(first, rng)
        samples = _samples(judge, second - first, labels=labels, draws=draws)
        return Found(GAP, (corrected_difference(each) for each in samples))

    return run


def from_elsewhere(draws: Draws, share: float) -> Found:
    """PCR by Rogan and Gladen, with 36 labels of either class from elsewhere."""
    rng = draws.rng("elsewhere")
    hits = _panel(draws.corrected(share), rng).sum(axis=1)
    each = 36

    def numbers() -> Iterator[Printed]:
        for judged_so in hits:
            true_yes, true_no = rng.binomial(each, (SENSITIVITY, SPECIFICITY)).tolist()
            known = Known(true_yes=true_yes, yes=each, true_no=true_no, no=each)
            n = len(draws.layout.threads)
            yield rogan_gladen(round(judged_so), n, known=known, threads=72)

    return Found(share, numbers())


def by_score(draws: Draws, share: float) -> Found:
    """PCR with 36 labels of either verdict of the panel."""
    truth, rng = draws.corrected(share), draws.rng("by verdict")
    judge = _panel(truth, rng)

    def numbers() -> Iterator[Printed]:
        for said, true in zip(judge, truth, strict=True):
            kept = np.full(len(true), np.nan)
            for verdict in (0.0, 1.0):
                drawn = rng.permutation(np.flatnonzero(said == verdict))[:36]
                kept[drawn] = true[drawn]
            yield by_verdict(Sample(said, kept, draws.layout.threads))

    return Found(share, numbers())


def weighted(draws: Draws, share: float) -> Found:
    """PCR with some 72 labels, thrice as likely where the panel saw no correction."""
    truth, rng = draws.corrected(share), draws.rng("weighted")
    judge = _panel(truth, rng)

    def numbers() -> Iterator[Printed]:
        for said, true in zip(judge, truth, strict=True):
            weights = np.where(said == 1, 1.0, 3.0)
            probability = np.minimum(1.0, 72 * weights / weights.sum())
            kept = np.where(rng.random(len(true)) < probability, true, np.nan)
            yield corrected_rate(Sample(said, kept, draws.layout.threads, probability))

    return Found(share, numbers())


def over_targets(draws: Draws, share: float) -> Found:
    """Mean PCR of three targets with 24 labels each."""
    rng = draws.rng("three targets")
    shares = [share - GAP, share, share + GAP]
    samples = []
    for setting, each in enumerate(shares):
        truth = draws.corrected(each, setting=setting)
        drawn = _samples(_panel(truth, rng), truth, labels=24, draws=draws)
        samples.append(drawn)
    found = (mean_over_groups(groups) for groups in zip(*samples, strict=True))
    return Found(share, found)


def inverted(draws: Draws, share: float) -> Found:
    """PCR by the 3x3 confusion of 60 labels of each score from elsewhere."""
    truth, rng = draws.scores(share).astype(np.int64) + 1, draws.rng("inverted")
    judge = rated(truth, CONFUSION, rng).astype(np.float64) - 1
    threads = draws.layout.threads
    expert = np.repeat(np.arange(3), 60)
    elsewhere = threads[-1] + 1 + np.arange(len(expert))

    def numbers() -> Iterator[Printed]:
        for said in judge:
            seen = rated(expert, CONFUSION, rng).astype(np.float64) - 1
            labels = Labels(expert.astype(np.float64) - 1, seen, elsewhere)
            yield invert(
                said, threads, labels=labels, draws=DRAWS, level=0.95, rng=rng
            ).pcr

    return Found(share, numbers())


def among_true(draws: Draws, share: float) -> Found:
    """PCR among true misconceptions, 72 labelled questions checked."""
    corrected_ones, rng = draws.corrected(share), draws.rng("true")
    chance = np.where(corrected_ones == 1, TRUE[1], TRUE[0])
    is_true = (rng.random(chance.shape) < chance).astype(np.float64)
    hits, misses = share * TRUE[1], (1 - share) * TRUE[0]
    samples = _samples(corrected_ones, is_true, labels=72, draws=draws)
    found = (
        true_pcr(Checks(each.judge, each.expert, each.threads)) for each in samples
    )
    return Found(hits / (hits + misses), found)


BOTH = ("paper", "50 x 5")

CASES = (
    *(
        Case(f"corrected PCR, {labels} labels", BOTH, corrected(labels))
        for labels in (72, 30)
    ),
    Case("corrected PCR, 72 labels of known chance", BOTH, weighted),
    Case("corrected PCR, 36 labels of either verdict", BOTH, by_score),
    Case("corrected mean over 3 targets, 72 labels", BOTH, over_targets),
    Case("corrected PCS, 72 labels", BOTH, corrected_scores(72)),
    Case("corrected difference, 72 labels", BOTH, corrected_pair(72)),
    Case("corrected PCR, 72 labels from elsewhere", BOTH, from_elsewhere),
    Case("corrected PCR, 3 x 3, 180 labels from elsewhere", BOTH, inverted),
    Case("PCR among true misconceptions, 72 checks", BOTH, among_true),
)
