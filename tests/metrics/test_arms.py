"""Arms beside their targets, and what changes of answers are worth."""

from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from threadmed.metrics import Estimate, NotEstimable, measure
from threadmed.metrics.arms import measure_arms
from threadmed.metrics.compared import PairedTest
from threadmed.metrics.interventions import SELECTED, Intervened, Pairs
from threadmed.records import Intervention, PanelScore, Policy, Score, Setting, ThreadId
from threadmed.study import Arm, Contestant, Intervening

WARN = Contestant(
    name="m+warn",
    target="m",
    settings=("multi_turn", "oracle"),
    arm=Arm(name="warn", prompt="warn"),
)
PLAIN = Contestant(name="m", target="m", settings=("multi_turn", "oracle"))


def changing(policy: Policy, screen: str | None = None) -> Contestant:
    by = Intervening(policy=policy, screen=screen)
    return Contestant(
        name="m+a",
        target="m",
        settings=("intervention",),
        arm=Arm(name="a", intervention=by),
    )


def row(
    target: str,
    setting: Setting,
    thread: int,
    turn: int,
    score: Score | None,
    *,
    misconception: bool = True,
) -> PanelScore:
    return PanelScore(
        target=target,
        setting=setting,
        thread_id=ThreadId(f"T{thread:02}"),
        turn=turn,
        score=score,
        outcome="unjudged" if score is None else "scored",
        misconception=misconception,
    )


def note(
    thread: int,
    turn: int,
    *,
    is_made: bool = True,
    before: int | None = None,
    score: Score | None = None,
) -> Intervention:
    return Intervention(
        target="m+a",
        thread_id=ThreadId(f"T{thread:02}"),
        turn=turn,
        before=before,
        act="replace",
        is_made=is_made,
        why="policy" if score is None else "not_failing" if score == 1 else "failing",
        score=score,
    )


def table(
    arm: dict[tuple[int, int], Score | None], plain: dict[tuple[int, int], Score | None]
) -> list[PanelScore]:
    """Scores by thread and turn, of an arm that intervenes and of multi_turn."""
    return [
        row("m+a", "intervention", *place, score) for place, score in arm.items()
    ] + [row("m", "multi_turn", *place, score) for place, score in plain.items()]


def effects(
    rows: Sequence[PanelScore],
    notes: Sequence[Intervention],
    *,
    policy: Policy = "first",
    screen: str | None = None,
) -> Intervened:
    (found,) = measure_arms(
        rows, notes, [PLAIN, changing(policy, screen)]
    ).interventions
    return found


def value(pairs: Pairs) -> float:
    assert isinstance(pairs.difference, Estimate)
    return pairs.difference.value


def test_a_prompt_is_compared_with_its_target_in_each_setting() -> None:
    rows = [
        row(target, setting, thread, 1, score)
        for setting, kept in (("multi_turn", 2), ("oracle", 8))
        for thread in range(10)
        for target, score in (("m", 1 if thread < kept else -1), ("m+warn", 1))
    ]  # type: ignore[misc]

    found = measure_arms(rows, [], [PLAIN, WARN])

    # 8 and 2 of ten items more are corrected.
    assert [
        (each.first.setting, each.second.target, each.first_only, each.second_only)
        for each in found.comparisons
    ] == [("multi_turn", "m", 8, 0), ("oracle", "m", 2, 0)]
    assert {each.question for each in found.comparisons} == {"arm"}
    assert found.interventions == ()


def test_the_tests_of_all_arms_are_one_family() -> None:
    other = Contestant(
        name="m+b", target="m", settings=("multi_turn",), arm=Arm(name="b", prompt="b")
    )
    rows = [
        row(target, "multi_turn", thread, 0, score)
        for thread in range(12)
        for target, score in (
            ("m", -1), ("m+warn", 1), ("m+b", 1 if thread < 2 else -1)
        )
    ]  # type: ignore[misc]  # fmt: skip

    first, second = measure_arms(rows, [], [PLAIN, WARN, other]).comparisons

    assert isinstance(first.test, PairedTest)
    assert isinstance(second.test, PairedTest)
    # 2 of 2^12 ways of signs, and 2 of 4.
    assert first.test.p == pytest.approx(2 / 2**12)
    assert first.test.p_holm == pytest.approx(2 * 2 / 2**12)
    assert second.test.p == second.test.p_holm == pytest.approx(0.5)
    assert (first.test.family, first.test.family_size) == ("arms", 2)


def test_items_that_lack_a_score_on_a_side_are_left_out_and_counted() -> None:
    rows = [
        row(target, "multi_turn", thread, 0, score)
        for thread in range(8)
        for target, score in (
            ("m", 1 if thread else None), ("m+warn", 1 if thread != 7 else None)
        )
    ]  # type: ignore[misc]  # fmt: skip

    (found,) = measure_arms(rows, [], [WARN]).comparisons

    assert (found.n, found.n_left_out) == (6, 2)


def test_controls_are_no_part_of_it() -> None:
    rows = [
        row(target, "multi_turn", thread, turn, 1, misconception=turn == 0)
        for thread in range(6)
        for turn in (0, 1)
        for target in ("m", "m+warn")
    ]

    (found,) = measure_arms(rows, [], [WARN]).comparisons

    assert (found.n, found.n_left_out) == (6, 0)


def test_an_arm_that_is_not_in_the_table_yet_has_no_comparison() -> None:
    rows = [row("m", "multi_turn", thread, 0, 1) for thread in range(6)]

    found = measure_arms(rows, [], [PLAIN, WARN, changing("first")])

    assert (found.comparisons, found.interventions) == ((), ())


def test_an_intervention_is_compared_with_multi_turn() -> None:
    rows = table(
        {(t, turn): 1 for t in range(6) for turn in (0, 1)},
        {(t, turn): 1 - turn for t in range(6) for turn in (0, 1)},  # type: ignore[misc]
    )

    (found,) = measure_arms(rows, [], [changing("first")]).comparisons

    assert (found.first.setting, found.second.setting) == ("intervention", "multi_turn")
    assert (found.n, found.first_only) == (12, 6)


def test_the_response_is_told_by_the_number_of_changes_before_an_item() -> None:
    """Eight threads: turns 1 and 3 labelled, changed at 0 and, of half, at 2 too."""
    arm = {(t, turn): 1 for t in range(8) for turn in (1, 3)}
    plain = {(t, turn): -1 if turn == 3 else 1 for t in range(8) for turn in (1, 3)}
    notes = [note(t, 0) for t in range(8)] + [note(t, 2) for t in range(4)]

    found = effects(table(arm, plain), notes, policy="random")  # type: ignore[arg-type]

    assert [(each.at, each.pairs.n) for each in found.by_changes] == [(1, 12), (2, 4)]
    # Of the twelve, the four of turn 3 differ.
    assert value(found.by_changes[0].pairs) == pytest.approx(1 / 3)
    assert found.by_changes[1].pairs.changed_only == 4
    assert isinstance(found.by_changes[1].pairs.difference, NotEstimable)
    assert [(dose.changes, dose.threads) for dose in found.doses] == [(1, 4), (2, 4)]
    assert found.none.n == 0
    assert (found.any.n, value(found.any)) == (16, 0.5)
    assert found.caution == ""


def test_the_first_correction_is_told_by_its_turn_and_the_turns_since() -> None:
    """Threads 0 to 5 are changed at turn 0, 6 to 11 at turn 2; turn 3 is labelled."""
    arm = {(t, 3): 1 for t in range(12)}
    plain = {(t, 3): 1 if t < 6 else 0 for t in range(12)}
    notes = [note(t, 0 if t < 6 else 2) for t in range(12)]

    found = effects(table(arm, plain), notes, policy="random")  # type: ignore[arg-type]

    assert [(each.at, value(each.pairs)) for each in found.by_turn] == [(0, 0), (2, 1)]
    assert [(each.at, value(each.pairs)) for each in found.by_distance] == [
        (1, 1),
        (3, 0),
    ]
    assert value(found.first) == 0.5


def test_a_change_made_for_one_question_is_none_of_another() -> None:
    places = [(t, turn) for t in range(6) for turn in (0, 1, 3)]
    notes = [note(t, turn - 1, before=turn) for t in range(6) for turn in (1, 3)]
    same: dict[tuple[int, int], Score | None] = dict.fromkeys(places, 1)

    found = effects(table(same, same), notes, policy="last")

    assert [(each.at, each.pairs.n) for each in found.by_changes] == [(1, 12)]
    assert [(each.at, each.pairs.n) for each in found.by_distance] == [(1, 12)]
    assert found.none.n == 6


def test_changes_that_were_not_made_do_not_count_but_are_told() -> None:
    same: dict[tuple[int, int], Score | None] = {(t, 1): 1 for t in range(6)}
    notes = [note(t, 0, is_made=t < 2) for t in range(6)]

    found = effects(table(same, same), notes)

    assert (found.none.n, found.any.n) == (4, 2)
    assert [(each.why, each.is_made, each.n) for each in found.reasons] == [
        ("policy", False, 4),
        ("policy", True, 2),
    ]


def test_the_first_correction_of_every_failing_is_judged_by_the_next_item() -> None:
    """Six threads fail at turn 0; half fail again at 1, so that 2 has no one dose."""
    places = [(t, turn) for t in range(6) for turn in (0, 1, 2)]
    arm: dict[tuple[int, int], Score | None] = {
        (t, turn): -1 if turn == 0 or (turn == 1 and t < 3) else 1 for t, turn in places
    }
    plain: dict[tuple[int, int], Score | None] = dict.fromkeys(places, -1)
    notes = [note(t, 0, score=-1) for t in range(6)]
    notes += [note(t, 1, score=-1 if t < 3 else 1, is_made=t < 3) for t in range(6)]

    found = effects(table(arm, plain), notes, policy="every_failing")

    assert (found.first.n, value(found.first)) == (6, 0.5)
    assert [(each.at, each.pairs.n) for each in found.by_distance] == [(1, 6)]
    assert [(each.at, each.pairs.n) for each in found.by_changes] == [(1, 9), (2, 3)]
    assert found.caution == SELECTED


def test_a_next_item_without_a_score_is_not_stepped_over() -> None:
    places = [(t, turn) for t in range(6) for turn in (0, 1, 2)]
    arm: dict[tuple[int, int], Score | None] = {
        (t, turn): None if turn == 1 else 1 for t, turn in places
    }
    plain: dict[tuple[int, int], Score | None] = dict.fromkeys(places, 1)

    found = effects(
        table(arm, plain), [note(t, 0) for t in range(6)], policy="every_failing"
    )

    assert found.first.n == 0
    assert found.n_left_out == 6


def test_a_screening_judge_is_held_against_the_panel() -> None:
    """Of ten answers six fail by the panel; it passes two of them, and fails one more."""
    arm: dict[tuple[int, int], Score | None] = {
        (t, 0): -1 if t < 6 else 1 for t in range(10)
    } | {(t, 1): 1 for t in range(10)}
    notes = [
        note(
            t, 0, score=1 if t in {0, 1, 7, 8, 9} else -1, is_made=t in {2, 3, 4, 5, 6}
        )
        for t in range(10)
    ]

    found = effects(
        table(arm, arm), notes, policy="first_failing", screen="cheap"
    ).screening

    assert found is not None
    assert (found.n_looked, found.n_unscored, found.n_unjudged) == (10, 0, 0)
    assert (found.misses.hits, found.misses.n) == (2, 6)
    # Four are corrected by the panel: below five there are counts and no share.
    assert (found.false_alarms.hits, found.false_alarms.n) == (1, 4)
    assert isinstance(found.false_alarms, NotEstimable)


def test_what_the_screen_or_the_panel_has_no_score_of_is_counted() -> None:
    arm: dict[tuple[int, int], Score | None] = {(0, 0): None, (1, 0): 1, (2, 0): 1}
    notes = [note(0, 0, score=1), note(1, 0), note(2, 0, score=1), note(9, 0, score=1)]

    found = effects(
        table(arm, arm), notes, policy="every_failing", screen="cheap"
    ).screening

    assert found is not None
    assert (found.n_looked, found.n_unscored, found.n_unjudged) == (4, 1, 2)
    assert found.misses.n == 0


def test_only_a_screen_is_held_against_the_panel() -> None:
    same: dict[tuple[int, int], Score | None] = {(0, 0): 1}

    assert effects(table(same, same), [], policy="every_failing").screening is None


SCORE = st.sampled_from([-1, 0, 1, None])
PLACES = st.dictionaries(
    st.tuples(st.integers(0, 5), st.integers(0, 4)), st.tuples(SCORE, SCORE), min_size=1
)


@settings(deadline=None)
@given(
    both=PLACES,
    made=st.sets(st.tuples(st.integers(0, 5), st.integers(0, 3))),
    policy=st.sampled_from(["random", "every_failing", "first"]),
)
def test_every_shared_item_has_one_dose_and_is_counted_once(
    both: dict[tuple[int, int], tuple[Score | None, Score | None]],
    made: set[tuple[int, int]],
    policy: Policy,
) -> None:
    arm = {place: scores[0] for place, scores in both.items()}
    plain = {place: scores[1] for place, scores in both.items()}
    rows = table(arm, plain)

    found = effects(rows, [note(*place) for place in sorted(made)], policy=policy)

    n = sum(None not in scores for scores in both.values())
    assert found.none.n + found.any.n == n
    assert sum(each.pairs.n for each in found.by_changes) == found.any.n
    assert sum(each.pairs.n for each in found.by_turn) == found.first.n
    assert sum(each.pairs.n for each in found.by_distance) == found.first.n
    assert found.n_left_out == len(both) - n
    assert all(each.at >= 1 for each in (*found.by_changes, *found.by_distance))
    (compared,) = measure_arms(rows, [], [changing(policy)]).comparisons
    assert compared.n == n


@settings(deadline=None)
@given(both=PLACES, seed=st.randoms(use_true_random=False))
def test_the_order_of_rows_changes_nothing(
    both: dict[tuple[int, int], tuple[Score | None, Score | None]], seed: object
) -> None:
    arm = {place: scores[0] for place, scores in both.items()}
    rows = table(arm, {place: scores[1] for place, scores in both.items()})
    mixed = list(rows)
    seed.shuffle(mixed)  # type: ignore[attr-defined]
    notes = [note(t, 0) for t in range(6)]

    assert effects(rows, notes) == effects(mixed, notes)


def test_arms_are_no_part_of_the_comparisons_between_targets() -> None:
    rows = [
        row(target, "multi_turn", thread, 0, 1)
        for thread in range(6)
        for target in ("m", "n", "m+warn")
    ]

    found = measure(rows, arms=["m+warn"])

    assert [(each.first.target, each.second.target) for each in found.comparisons] == [
        ("m", "n")
    ]
    assert len(measure(rows).comparisons) == 3
    assert {group.target for group in found.groups} == {"m", "n", "m+warn"}


def test_interventions_have_a_group_of_their_own() -> None:
    same: dict[tuple[int, int], Score | None] = {(t, 1): 1 for t in range(6)}

    found = measure(table(same, same))

    assert [(group.target, group.setting) for group in found.groups] == [
        ("m+a", "intervention"),
        ("m", "multi_turn"),
    ]
