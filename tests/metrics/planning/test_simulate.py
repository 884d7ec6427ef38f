import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from threadmed.metrics.intervals import cluster_variance, totals
from threadmed.metrics.planning.simulate import (
    PAPER_TURN_SIZES,
    Effects,
    Layout,
    chances,
    differences,
    even_layout,
    judged,
    latent,
    paper_layout,
    places,
    thread_means,
    thresholds,
)

SOME = Effects(thread=1.0, setting=0.5, item=0.8)


def test_the_layout_of_the_paper_has_its_turns_threads_and_pairs() -> None:
    layout = paper_layout()

    follows = layout.threads[1:] == layout.threads[:-1]
    assert np.bincount(layout.turns).tolist() == list(PAPER_TURN_SIZES)
    assert np.bincount(layout.sizes.astype(int)).tolist() == [0, 422, 69, 12, 2]
    assert int((follows & (np.diff(layout.turns) == 1)).sum()) == 99


@settings(deadline=None)
@given(st.integers(1, 60), st.integers(0, 300))
def test_an_even_layout_holds_all_items_as_evenly_as_can_be(
    threads: int, more: int
) -> None:
    layout = even_layout(items=threads + more, threads=threads)

    assert layout.sizes.sum() == threads + more
    assert layout.sizes.max() - layout.sizes.min() <= 1
    assert (layout.turns[layout.starts] == 0).all()


def test_more_threads_than_items_cannot_be_laid_out() -> None:
    with pytest.raises(ValueError, match="1 to 3 threads, got 4"):
        even_layout(items=3, threads=4)


def test_cut_at_a_threshold_the_wished_share_is_corrected() -> None:
    layout = even_layout(items=400, threads=100)
    drawn = latent(layout, SOME, settings=2, studies=400, rng=np.random.default_rng(5))

    for share in (0.1, 0.5, 0.8):
        found = (drawn > -thresholds(np.array([share]), SOME)).mean(axis=(0, 2))
        # 400 studies of 100 threads: the error of a share is about .0016.
        assert found == pytest.approx([share, share], abs=0.006)


def test_settings_share_threads_and_items_as_the_effects_say() -> None:
    layout = even_layout(items=200, threads=100)
    alike = latent(
        layout, Effects(item=30.0), settings=2, studies=20, rng=np.random.default_rng(1)
    )
    apart = latent(
        layout,
        Effects(setting=30.0),
        settings=2,
        studies=20,
        rng=np.random.default_rng(1),
    )

    one, other = (alike[:, setting].ravel() for setting in (0, 1))
    assert np.corrcoef(one, other)[0, 1] > 0.98
    assert abs(np.corrcoef(apart[:, 0].ravel(), apart[:, 1].ravel())[0, 1]) < 0.1
    assert np.corrcoef(apart[:, 0, ::2].ravel(), apart[:, 0, 1::2].ravel())[0, 1] > 0.98


def test_chances_average_to_the_share_and_tell_what_follows_a_failure() -> None:
    chance = chances(0.7, SOME)
    layout = even_layout(items=1_000, threads=500)
    drawn = latent(layout, SOME, settings=1, studies=200, rng=np.random.default_rng(2))[
        :, 0
    ]
    corrected = drawn > -thresholds(np.array([0.7]), SOME)

    first, second = corrected[:, ::2], corrected[:, 1::2]
    expected = (chance * (1 - chance)).mean() / (1 - chance).mean()
    assert chance.mean() == pytest.approx(0.7, abs=1e-3)
    # 30,000 failures: the error is about .003.
    assert second[~first].mean() == pytest.approx(expected, abs=0.01)


def test_a_judge_errs_as_often_as_it_is_told_to() -> None:
    truth = np.repeat([True, False], 50_000)

    said = judged(truth, sensitivity=0.9, specificity=0.7, rng=np.random.default_rng(3))

    assert said[truth].mean() == pytest.approx(0.9, abs=0.006)
    assert said[~truth].mean() == pytest.approx(0.3, abs=0.009)


def test_places_are_uniform_and_as_alike_within_threads_as_wished() -> None:
    layout = even_layout(items=2_000, threads=1_000)

    place = places(layout, alike=0.3, studies=50, rng=np.random.default_rng(4))

    drawn = differences(place, difference=0.1, discordant=0.4)
    one, other = drawn[:, ::2].ravel(), drawn[:, 1::2].ravel()
    assert np.quantile(place, [0.25, 0.5, 0.75]) == pytest.approx(
        [0.25, 0.5, 0.75], abs=0.01
    )
    assert drawn.mean() == pytest.approx(0.1, abs=0.01)
    assert np.abs(drawn).mean() == pytest.approx(0.4, abs=0.01)
    assert np.corrcoef(one, other)[0, 1] == pytest.approx(0.3, abs=0.02)


@settings(deadline=None, max_examples=30)
@given(st.integers(2, 20), st.integers(0, 40), st.integers(0, 2**32 - 1))
def test_all_studies_at_once_have_the_variance_of_each(
    threads: int, more: int, seed: int
) -> None:
    layout: Layout = even_layout(items=threads + more, threads=threads)
    rng = np.random.default_rng(seed)
    values = rng.integers(-1, 2, (3, threads + more)).astype(float)

    mean, variance = thread_means(values, layout)

    for study in range(3):
        of = totals(values[study], layout.threads)
        assert mean[study] == pytest.approx(of.ratio)
        assert variance[study] == pytest.approx(cluster_variance(of), abs=1e-15)
