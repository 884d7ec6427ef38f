"""Which answers are changed, what becomes of them, and what a target then sees."""

from collections.abc import Collection
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from threadmed.conversations.interventions import (
    CORRECTED,
    FLAG,
    Change,
    asked,
    change,
    chosen,
    exchange,
)
from threadmed.conversations.settings import messages
from threadmed.records import Act, Policy, Thread, ThreadId, Turn
from threadmed.study import Intervening

THREAD = Thread(
    thread_id=ThreadId("THREAD_0001"),
    turns=tuple(
        Turn(question=f"Q{turn}", answer=f"A{turn}" if turn != 1 else None)
        for turn in range(5)
    ),
)
OWN = {turn: f"a{turn}" for turn in range(5)}

TURNS = st.sets(st.integers(0, 4))
POLICIES = st.builds(
    Intervening,
    policy=st.sampled_from(get_args(Policy)),
    turns=st.just((0, 3)),
    k=st.integers(1, 6),
)


def shown(
    turn: int, changes: dict[int, Change], system: str | None = None
) -> list[str]:
    said = exchange(THREAD, turn, own_answers=OWN, changes=changes, system=system)
    return [f"{message.role[0]}: {message.content}" for message in said]


@given(by=POLICIES, labelled=TURNS, seed=st.integers(0, 99))
def test_only_answers_before_the_last_labelled_question_are_chosen(
    by: Intervening, labelled: Collection[int], seed: int
) -> None:
    found = chosen(by, THREAD, labelled, seed=seed)

    assert all(0 <= turn < max(labelled, default=0) for turn in found)


@given(labelled=TURNS, seed=st.integers(0, 99), k=st.integers(1, 5))
def test_a_larger_k_changes_what_a_smaller_one_does_and_one_more(
    labelled: Collection[int], seed: int, k: int
) -> None:
    less = chosen(Intervening(policy="random", k=k), THREAD, labelled, seed=seed)
    more = chosen(Intervening(policy="random", k=k + 1), THREAD, labelled, seed=seed)

    assert less <= more
    assert len(less) == min(k, max(labelled, default=0))
    assert len(more) == min(k + 1, max(labelled, default=0))


def test_the_lot_depends_on_the_seed_and_on_the_thread() -> None:
    by = Intervening(policy="random", k=2)
    others = Thread(thread_id=ThreadId("THREAD_0002"), turns=THREAD.turns)
    draws = {chosen(by, THREAD, {4}, seed=seed) for seed in range(40)}

    assert len(draws) == 6  # of four answers any two
    assert any(
        chosen(by, THREAD, {4}, seed=seed) != chosen(by, others, {4}, seed=seed)
        for seed in range(9)
    )


@pytest.mark.parametrize("policy", ["last", "first_failing", "every_failing"])
def test_a_policy_that_looks_or_depends_on_the_question_chooses_nothing_ahead(
    policy: Policy,
) -> None:
    assert chosen(Intervening(policy=policy), THREAD, {4}, seed=1) == frozenset()


def test_given_turns_are_those_that_lie_before_the_last_labelled_one() -> None:
    by = Intervening(policy="turns", turns=(0, 2, 4, 9))

    assert chosen(by, THREAD, {1, 4}, seed=1) == {0, 2}


def test_an_answer_is_replaced_by_the_physicians_where_there_is_one() -> None:
    assert change("replace", THREAD, 0, correction="no") == Change(answer="A0")
    assert change("replace", THREAD, 1, correction="no") is None


def test_a_flag_says_nothing_but_that_the_answer_needs_another_look() -> None:
    assert change("flag", THREAD, 1, correction="no") == Change(note=FLAG)


def test_a_flag_with_a_correction_takes_the_labels_words_first() -> None:
    told = change("flag_and_correct", THREAD, 0, correction="It is not so.")
    without = change("flag_and_correct", THREAD, 0, correction="")

    assert told == Change(note=f"{CORRECTED}It is not so.")
    assert without == Change(note=f"{CORRECTED}A0")
    assert change("flag_and_correct", THREAD, 1, correction="") is None


@pytest.mark.parametrize("act", get_args(Act))
def test_an_act_leaves_the_answer_or_takes_its_place(act: Act) -> None:
    done = change(act, THREAD, 0, correction="")

    assert done is not None
    assert (done.answer is None) != (done.note is None)


@given(turn=st.integers(0, 4), system=st.none() | st.text(min_size=1))
def test_without_changes_the_exchange_is_that_of_multi_turn(
    turn: int, system: str | None
) -> None:
    said = exchange(THREAD, turn, own_answers=OWN, changes={}, system=system)

    assert said == messages("multi_turn", THREAD, turn, own_answers=OWN, system=system)


def test_all_answers_replaced_is_what_oracle_shows() -> None:
    every = {turn: Change(answer=f"A{turn}") for turn in (2, 3)}
    thread = Thread(thread_id=THREAD.thread_id, turns=THREAD.turns[2:])
    changes = {turn - 2: done for turn, done in every.items()}

    said = exchange(thread, 2, own_answers={}, changes=changes)

    assert said == messages("oracle", thread, 2)


def test_a_note_stands_before_the_next_question_and_stays_there() -> None:
    assert shown(2, {0: Change(note="N")}, system="S") == [
        "s: S",
        "u: Q0",
        "a: a0",
        "u: [N]\n\nQ1",
        "a: a1",
        "u: Q2",
    ]


def test_changes_behind_the_question_are_not_shown() -> None:
    assert shown(1, {1: Change(note="N"), 3: Change(answer="A3")}) == shown(1, {})


def test_an_answer_that_is_neither_there_nor_changed_is_refused() -> None:
    with pytest.raises(ValueError, match="THREAD_0001 has no answer to turn 0"):
        exchange(THREAD, 1, own_answers={}, changes={0: Change(note="N")})


@given(by=POLICIES, scored=TURNS)
def test_every_scored_turn_is_asked(by: Intervening, scored: Collection[int]) -> None:
    found = asked(by, scored)

    assert set(scored) <= set(found) <= set(range(max(scored, default=-1) + 1))
    assert list(found) == sorted(found)
