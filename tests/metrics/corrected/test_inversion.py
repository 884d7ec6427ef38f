import numpy as np
import pytest

from threadmed.metrics.corrected.inversion import ASSUMES, Inverted, Labels, invert
from threadmed.metrics.estimates import Estimate, NotEstimable

MATRIX = np.array([[0.78, 0.14, 0.08], [0.16, 0.62, 0.22], [0.02, 0.05, 0.93]])


def judged(truth: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """What a judge with this confusion says of true scores."""
    rows = MATRIX[truth.astype(int) + 1].cumsum(axis=1)
    return (rng.random((len(truth), 1)) > rows).sum(axis=1) - 1.0


def inverted(
    said: np.ndarray, labels: Labels, *, draws: int = 500, seed: int = 1
) -> Inverted:
    threads = np.arange(len(said)) + 1000
    rng = np.random.default_rng(seed)
    return invert(said, threads, labels=labels, draws=draws, level=0.95, rng=rng)


def labels_of(counts: list[list[int]]) -> Labels:
    """Labels with such counts, expert by judge, a thread each."""
    table = np.array(counts)
    expert = np.repeat(np.repeat([-1.0, 0, 1], 3), table.ravel())
    judge = np.repeat(np.tile([-1.0, 0, 1], 3), table.ravel())
    return Labels(expert, judge, np.arange(len(expert)))


def test_one_inversion_by_hand() -> None:
    # Rows of M: (.8 .2 0), (.2 .6 .2), (0 .2 .8). With pi = (.5 .25 .25) the judge says
    # .4 + .05 = .45, .1 + .15 + .05 = .3, .05 + .2 = .25.
    labels = labels_of([[40, 10, 0], [10, 30, 10], [0, 10, 40]])
    said = np.repeat([-1.0, 0, 1], [90, 60, 50])

    found = inverted(said, labels)

    assert isinstance(found.pcr, Estimate)
    assert isinstance(found.pcs, Estimate)
    assert found.pcr.value == pytest.approx(0.25)
    assert found.pcs.value == pytest.approx(-0.25)
    assert found.pcr.low < 0.25 < found.pcr.high
    assert found.pcr.flag == ASSUMES
    assert (found.pcr.n, found.pcr.method) == (150, "thread_bootstrap")


def test_the_same_state_gives_the_same_interval() -> None:
    labels = labels_of([[40, 10, 0], [10, 30, 10], [0, 10, 40]])
    said = np.repeat([-1.0, 0, 1], [90, 60, 50])

    assert inverted(said, labels) == inverted(said, labels)
    assert inverted(said, labels, seed=2) != inverted(said, labels)


def test_a_score_with_few_labels_is_refused() -> None:
    labels = labels_of([[40, 10, 0], [4, 10, 5], [0, 10, 40]])

    assert inverted(np.ones(50), labels).pcr == NotEstimable(
        reason="only 19 labels have score 0", n=119
    )


def test_a_judge_that_hardly_tells_scores_apart_is_refused() -> None:
    labels = labels_of([[14, 13, 13], [13, 14, 13], [13, 13, 14]])

    found = inverted(np.ones(50), labels).pcs

    assert found == NotEstimable(
        reason="the judge hardly tells the scores apart", n=120
    )


def test_a_confusion_near_the_edge_is_refused_for_its_samples() -> None:
    labels = labels_of([[14, 4, 4], [4, 10, 8], [4, 7, 11]])

    found = inverted(np.ones(50), labels).pcr

    assert isinstance(found, NotEstimable)
    assert "samples cannot be inverted" in found.reason


def test_the_interval_covers() -> None:
    # 120 studies of 300 labels and 600 items; Monte Carlo error 2 points.
    rng = np.random.default_rng(5)
    covered = 0
    for _ in range(120):
        truth = rng.choice([-1.0, 0, 1], 300, p=[0.25, 0.25, 0.5])
        labels = Labels(truth, judged(truth, rng), np.arange(300))
        said = judged(rng.choice([-1.0, 0, 1], 600, p=[0.2, 0.2, 0.6]), rng)
        found = inverted(said, labels, draws=300).pcr
        assert isinstance(found, Estimate)
        covered += found.low <= 0.6 <= found.high

    assert covered >= 107


def test_samples_that_are_all_the_same_are_no_interval() -> None:
    # The judge tells -1 from 1 as the expert does and never says 1 of this target.
    labels = labels_of([[40, 0, 0], [0, 40, 0], [0, 0, 40]])

    found = inverted(np.repeat([-1.0, 0], 30), labels)

    assert isinstance(found.pcr, NotEstimable)
    assert "no width" in found.pcr.reason
    assert isinstance(found.pcs, Estimate)
