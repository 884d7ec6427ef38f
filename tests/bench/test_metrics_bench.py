import numpy as np

from bench import metrics
from threadmed.metrics import measure, side_by_side
from threadmed.metrics.measurement import MeasureOptions
from threadmed.records import SETTINGS


def test_the_made_table_has_the_papers_shape() -> None:
    found = measure(metrics.table(1))

    assert len(found.groups) == 5 * len(SETTINGS)
    for group in found.groups:
        assert (group.n_items, group.n_threads) == (604, 505)
        assert group.trajectory.consecutive.pairs == 99


def test_more_copies_are_more_threads() -> None:
    assert len(metrics.table(3)) == 3 * len(metrics.table(1))


def test_the_loops_bootstrap_what_is_measured() -> None:
    options = MeasureOptions(draws=500, thread_draws=500)
    found = side_by_side(metrics.table(1), options=options)

    rates = metrics.loop(300)

    assert len(rates) == 20
    assert metrics.check(found, rates) < 0.02


def test_the_plain_loop_counts_recoveries() -> None:
    threads = [[(0, 1.0), (1, 0.0), (2, 1.0)], [(0, -1.0), (2, 1.0)]]

    assert metrics.plain_recovery(threads, reach=1) == 1.0
    assert metrics.plain_rates([(0, 1.0), (0, -1.0), (1, 1.0)]) == (
        2 / 3, 1 / 3, 0.5, 1.0, 0.0, 1.0
    )  # fmt: skip


def test_studies_are_the_same_each_time() -> None:
    one, other = (
        [columns.scores for _, _, columns in metrics.studies(1)] for _ in range(2)
    )

    assert all(np.array_equal(a, b) for a, b in zip(one, other, strict=True))
