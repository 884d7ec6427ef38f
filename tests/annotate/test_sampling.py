"""The draw: chances that are known and true, spread over strata, dealt fairly."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from threadmed.annotate.items import Candidate, Shown
from threadmed.annotate.sampling import (
    Draw,
    draw,
    inclusion_probabilities,
    systematic,
)
from threadmed.records import ThreadId

WEIGHTS = st.lists(st.floats(0.01, 100), min_size=1, max_size=60)


def candidates(n: int = 60) -> list[Candidate]:
    return [
        Candidate(
            thread_id=ThreadId(f"T{at // 3}"),
            turn=at % 3,
            stratum=("judges differ" if at % 5 == 0 else "score 1", f"turn {at % 3}"),
            weight=2.0 if at % 5 == 0 else 1.0,
            shown=Shown(question=f"question {at}"),
        )
        for at in range(n)
    ]


def drawn(**changed: object) -> Draw:
    options: dict = {
        "task": "scoring",
        "size": 20,
        "raters": ("ann", "bob", "cy"),
        "gold_share": 0.3,
        "seed": 7,
    }
    return draw(candidates(), **(options | changed))


@given(WEIGHTS, st.integers(1, 80))
def test_chances_sum_to_the_size_and_none_is_zero_or_above_one(
    weights: list[float], size: int
) -> None:
    chances = inclusion_probabilities(np.array(weights), size)

    assert chances.sum() == pytest.approx(min(size, len(weights)))
    assert ((chances > 0) & (chances <= 1)).all()


@given(WEIGHTS, st.integers(1, 80), st.integers(0, 1_000))
def test_a_draw_has_the_size_and_holds_nothing_twice(
    weights: list[float], size: int, seed: int
) -> None:
    chances = inclusion_probabilities(np.array(weights), size)
    found = systematic(chances, np.random.default_rng(seed))

    assert len(found) == min(size, len(weights))
    assert len(set(found.tolist())) == len(found)
    assert set(np.flatnonzero(chances == 1)) <= set(found.tolist())


def test_items_are_drawn_as_often_as_their_chances_say() -> None:
    chances = inclusion_probabilities(np.array([1.0, 1.0, 2.0, 4.0, 1.0, 3.0]), 3)
    rng = np.random.default_rng(3)
    times = np.zeros(6)
    for _ in range(4_000):
        times[systematic(chances, rng)] += 1

    assert times / 4_000 == pytest.approx(chances, abs=0.03)


def test_the_recorded_chances_weight_the_sample_up_to_the_population() -> None:
    # Of 60 candidates 12 weigh 2 and 48 weigh 1: 20 x 2 / 72 and 20 x 1 / 72.
    found = drawn()
    totals = [
        sum(1 / item.probability for item in drawn(seed=seed).items)
        for seed in range(200)
    ]

    assert {round(item.probability, 6) for item in found.items} <= {0.555556, 0.277778}
    assert np.mean(totals) == pytest.approx(60, rel=0.02)


def test_every_stratum_gets_what_it_should_to_within_one() -> None:
    plan = drawn().plan

    assert sum(stratum.population for stratum in plan.strata) == plan.population == 60
    assert sum(stratum.drawn for stratum in plan.strata) == plan.size == 20
    for stratum in plan.strata:
        expected = stratum.population * stratum.probability
        assert abs(stratum.drawn - expected) <= 1


def test_the_same_seed_gives_the_same_draw_and_another_seed_another() -> None:
    assert drawn() == drawn()
    assert drawn().items != drawn(seed=8).items
    assert {i.item for i in drawn().items}.isdisjoint(
        i.item for i in drawn(task="identification").items
    )


def test_the_order_of_the_candidates_does_not_reach_the_names_of_items() -> None:
    found = drawn(size=60)
    places = {(item.thread_id, item.turn): item.item for item in found.items}

    assert len(places) == 60
    assert all(len(name) == 12 and "T" not in name for name in places.values())


def test_gold_goes_to_everybody_and_the_rest_to_one_rater_each() -> None:
    found = drawn()
    times = Counter(item for queue in found.queues.values() for item in queue)
    gold = {item.item for item in found.items if item.gold}

    assert len(gold) == 6
    assert all(times[item.item] == (3 if item.gold else 1) for item in found.items)
    sizes = [len(queue) for queue in found.queues.values()]
    assert max(sizes) - min(sizes) <= 1


def test_each_rater_has_an_order_of_their_own() -> None:
    found = drawn(gold_share=1.0)
    orders = list(found.queues.values())

    assert len({frozenset(order) for order in orders}) == 1
    assert len(set(orders)) == 3


def test_no_gold_is_no_gold_and_a_size_above_the_population_takes_all() -> None:
    assert not any(item.gold for item in drawn(gold_share=0.0).items)
    everything = drawn(size=1_000)
    assert everything.plan.size == 60
    assert {item.probability for item in everything.items} == {1.0}
