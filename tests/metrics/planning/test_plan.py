import numpy as np
import pytest

from factories_scores import paper_scores
from threadmed.errors import InputError
from threadmed.metrics.planning.exact import items_by_test
from threadmed.metrics.planning.pilot import PilotPair, pilot_pairs
from threadmed.metrics.planning.plan import ALIKE, DISCORDANT, plan_study
from threadmed.metrics.planning.power import Design
from threadmed.metrics.planning.prospect import Need, OutOfReach, Smallest, Wish
from threadmed.records import PanelScore, Score, ThreadId


def row(target: str, thread: int, turn: int, score: Score) -> PanelScore:
    return PanelScore(
        target=target,
        setting="multi_turn",
        thread_id=ThreadId(f"T{thread:03}"),
        turn=turn,
        score=score,
        outcome="scored",
    )


def pilot(*, alike: bool) -> list[PanelScore]:
    """Targets a and b on 40 threads of two turns; b fails 20 items, by pairs or not."""
    rows = []
    for thread in range(40):
        for turn in range(2):
            fails = thread < 10 if alike else turn == 0 and thread < 20
            rows += [row("a", thread, turn, 1), row("b", thread, turn, -fails)]
    return rows


def test_a_pilot_tells_how_many_items_differ_and_how_alike_they_are() -> None:
    (pair,) = pilot_pairs(
        [
            row(each.target, int(each.thread_id[1:]), each.turn, 1)
            if each.score == 0 and each.target == "b"
            else each
            for each in pilot(alike=True)
        ]
    )

    # 20 of 80 differ; ten threads by 2 and thirty by 0, delta = .25: residuals are
    # 1.5 and -.5, CR2 = (10 2.25 + 30 .25)/(1-2/80)/80^2 = .004808, and
    # deff = .004808 80 / (.25 - .0625) = 2.051: 1 + (2-1) alike, cut to 1.
    assert pair == PilotPair(
        first="a multi_turn",
        second="b multi_turn",
        n=80,
        threads=40,
        difference=0.25,
        discordant=0.25,
        deff=pytest.approx(2.0513, abs=1e-4),
        alike=1.0,
    )


def test_every_two_settings_and_every_two_targets_are_looked_at() -> None:
    found = pilot_pairs(paper_scores())

    names = {(pair.first, pair.second) for pair in found}
    assert ("gpt-5 multi_turn", "gpt-5 oracle") in names
    assert ("gpt-5 multi_turn", "haiku multi_turn") in names
    assert not any("oracle" in one and "haiku" in other for one, other in names)
    assert all(pair.deff >= 1 and 0 <= pair.alike <= 1 for pair in found)


def test_what_is_not_said_is_a_convention_and_said_so() -> None:
    planned = plan_study(Wish(items=604, threads=505, simulate=0))

    assert planned.design.discordant == DISCORDANT
    # 406 threads of one item and 99 of two: squares 802, so 1 + .08 (802/604 - 1).
    assert planned.design.deff == pytest.approx(1 + ALIKE * (802 / 604 - 1))
    assert all("a convention" in each for each in planned.assumed)
    assert planned.step_pairs == 99


def test_formula_and_simulation_stand_side_by_side() -> None:
    planned = plan_study(
        Wish(items=604, threads=505, discordant=0.38, deff=1.0, simulate=200)
    )

    assert isinstance(planned.smallest, Smallest)
    smallest = planned.smallest.difference
    assert smallest.formula == pytest.approx(0.070271, abs=5e-7)
    assert smallest.simulated == pytest.approx(0.0703, abs=0.01)
    assert planned.smallest.interval_power.studies == 200
    assert planned.half_width.simulated == pytest.approx(
        planned.half_width.formula, rel=0.05
    )


def test_wishes_are_granted_in_items_and_labels() -> None:
    planned = plan_study(
        Wish(
            items=604,
            threads=604,
            discordant=0.38,
            difference=0.0703,
            half_width=0.06,
            rate=0.62,
            simulate=0,
        )
    )

    needs = {need.of: need for need in planned.needs if isinstance(need, Need)}
    assert needs["difference"].n == 604
    # .2356 .4525 / (.06^2/1.96^2 - .2356 .5475/604) is 147.4.
    assert needs["labels"].n == 148
    assert needs["labels"].reached.formula == pytest.approx(0.06, abs=1e-3)
    assert needs["rate_half_width"].reached.formula <= 0.06
    assert needs["difference_half_width"].reached.simulated is None


def test_what_cannot_be_is_out_of_reach_with_a_reason() -> None:
    planned = plan_study(
        Wish(items=20, discordant=0.1, difference=0.2, half_width=0.04, simulate=0)
    )

    assert isinstance(planned.smallest, OutOfReach)
    reasons = {n.of: n.reason for n in planned.needs if isinstance(n, OutOfReach)}
    assert "no more than the share of items that differ" in reasons["difference"]
    assert "labels of all 20 items give" in reasons["labels"]
    tiny = plan_study(Wish(items=20, difference=1e-6, half_width=1e-6, simulate=0))
    assert all(isinstance(need, OutOfReach) for need in tiny.needs)


def test_a_pilot_gives_size_psi_and_design_effect() -> None:
    planned = plan_study(Wish(simulate=0), scores=paper_scores())

    widest = max(planned.pilot, key=lambda pair: pair.discordant * pair.deff)
    assert planned.design.items == 604
    assert planned.design.discordant == widest.discordant
    assert widest.first in planned.assumed[0]


def test_a_pilot_of_one_target_in_one_setting_tells_nothing() -> None:
    alone = [each for each in pilot(alike=True) if each.target == "a"]

    with pytest.raises(InputError, match="the pilot has no two settings or targets"):
        plan_study(Wish(simulate=0), scores=alone)


def test_sides_that_never_differ_or_share_few_items_are_passed_over() -> None:
    same = [row(target, n, 0, 1) for target in "ab" for n in range(40)]

    assert pilot_pairs(same) == ()
    assert pilot_pairs(pilot(alike=True)[:40]) == ()


@pytest.mark.parametrize(
    ("wish", "said"),
    [
        (Wish(), "say how large the study is"),
        (Wish(items=1), "--items: expected from 2 to 10,000,000, got 1"),
        (Wish(items=10**11), "--items: expected from 2 to 10,000,000, got 1000"),
        (Wish(threads=10**11), "--threads: expected from 2 to 10,000,000, got 1000"),
        (Wish(threads=10**6, turns_per_thread=1e6), "no more than 10,000,000 items"),
        (Wish(items=10, threads=20), "--threads: expected 2 to 10 threads"),
        (Wish(items=10, threads=5, turns_per_thread=3), "are 2.00 a thread, got 3"),
        (Wish(items=10, discordant=1.2), "--discordant: expected between 0 and 1"),
        (Wish(items=10, deff=0.5), "--deff: expected at least 1, got 0.5"),
        (Wish(items=10, threads=5, deff=3.0), "a design effect is at most 2.00"),
        (Wish(items=10, deff=1.1), "a design effect is at most 1.00"),
        (Wish(items=10, half_width=0.0), "--half-width: expected between 0 and 1"),
        (Wish(items=10, simulate=-1), "--simulate: expected from 0 to 100,000"),
        (Wish(items=10, comparisons=0), "--comparisons: expected at least 1"),
        (Wish(items=10, seed=-1), "--seed: expected at least 0"),
        (
            Wish(items=10, sensitivity=0.4, specificity=0.5),
            "tells nothing of the truth",
        ),
    ],
)
def test_what_cannot_be_is_named_as_its_option(wish: Wish, said: str) -> None:
    with pytest.raises(InputError) as complaint:
        plan_study(wish)

    assert said in str(complaint.value)


@pytest.mark.parametrize(
    ("wish", "items", "threads"),
    [
        (Wish(items=60, turns_per_thread=3.0, simulate=0), 60, 20),
        (Wish(threads=20, turns_per_thread=3.0, simulate=0), 60, 20),
        (Wish(threads=20, simulate=0), 20, 20),
        (Wish(items=60, simulate=0), 60, 60),
    ],
)
def test_two_of_items_threads_and_turns_give_the_third(
    wish: Wish, items: int, threads: int
) -> None:
    design = plan_study(wish).design

    assert (design.items, design.threads) == (items, threads)


def test_a_difference_alone_says_how_large_a_study_must_be() -> None:
    found = plan_study(Wish(difference=0.1, simulate=0))

    (need,) = found.needs
    assert isinstance(need, Need)
    assert isinstance(found.smallest, Smallest)
    # (1.959964 + .841621)^2 x .4 / .01 = 313.96; with one turn a thread deff is 1.
    assert need.n == found.design.items == found.design.threads == 314
    assert found.smallest.difference.formula == pytest.approx(0.1, abs=1e-4)
    assert found.assumed[-1] == "as many items as the difference needs, by formula"
    assert found.wish.items is None


@pytest.mark.parametrize(
    ("difference", "said"),
    [(0.5, "no more than the share of items that differ, 0.4,"), (1e-6, "ten million")],
)
def test_a_difference_that_none_can_see_gives_no_size(
    difference: float, said: str
) -> None:
    with pytest.raises(InputError, match=said):
        plan_study(Wish(difference=difference, simulate=0))


def test_the_simulated_smallest_difference_has_its_own_error() -> None:
    found = [
        plan_study(Wish(items=200, threads=200, simulate=200, seed=seed)).smallest
        for seed in range(12)
    ]
    drawn = [each.difference for each in found if isinstance(each, Smallest)]

    spread = np.std([each.simulated for each in drawn], ddof=1)
    for each in drawn:
        assert each.error == pytest.approx(spread, rel=0.6)


def test_the_exact_test_takes_more_items_than_the_formula_says() -> None:
    planned = plan_study(Wish(difference=0.05, simulate=1_000))

    (need,) = planned.needs
    assert isinstance(need, Need)
    assert need.test is not None
    assert need.n == 1_256
    assert need.test.simulated < need.reached.simulated
    # 10,000 studies with 1,280 and 1,300 items have a power of 79.7 and 80.5 %.
    assert need.n_by_test == pytest.approx(1_290, abs=30)


def test_without_studies_nothing_is_said_of_the_exact_test() -> None:
    (need,) = plan_study(Wish(difference=0.05, simulate=0)).needs

    assert isinstance(need, Need)
    assert need.test is not None
    assert (need.test.simulated, need.n_by_test) == (None, None)


def test_where_the_formula_is_off_the_test_is_held_against_it() -> None:
    design = Design(items=1_256, threads=1_256, discordant=0.4, deff=1, alike=0)
    half, most = np.repeat([1.0, 0.0], 500), np.repeat([1.0, 0.0], [900, 100])

    # The formula has 80 %, so that 50 lack 30, which no number of items makes up for.
    assert items_by_test(0.05, design, seen=half, rejected=half) is None
    assert items_by_test(0.05, design, seen=most, rejected=most) == 1_248
