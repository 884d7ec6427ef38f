from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from threadmed.conversations.settings import messages, turns
from threadmed.records import SETTINGS, Message, Setting, Thread, ThreadId, Turn

THREAD = Thread(
    thread_id=ThreadId("THREAD_0001"),
    turns=(
        Turn(question="Q0", answer="A0"),
        Turn(question="Q1", answer=None),
        Turn(question="Q2", answer="A2"),
        Turn(question="Q3", answer="A3"),
    ),
)
OWN = {0: "O0", 1: "O1", 2: "O2", 3: "O3"}


def short(said: tuple[Message, ...]) -> str:
    return " ".join(f"{message.role[0]}:{message.content}" for message in said)


def test_multi_turn_shows_the_targets_own_answers() -> None:
    said = messages("multi_turn", THREAD, 2, own_answers=OWN)

    assert short(said) == "u:Q0 a:O0 u:Q1 a:O1 u:Q2"


def test_target_turn_shows_the_questions_and_no_answer() -> None:
    assert short(messages("target_turn", THREAD, 2)) == "u:Q0 u:Q1 u:Q2"


def test_target_turn_can_be_one_message() -> None:
    said = messages("target_turn", THREAD, 2, merge_questions=True)

    assert said == (Message(role="user", content="Q0\n\nQ1\n\nQ2"),)


def test_oracle_shows_the_physicians_answers_and_leaves_an_orphan_alone() -> None:
    assert short(messages("oracle", THREAD, 3)) == "u:Q0 a:A0 u:Q1 u:Q2 a:A2 u:Q3"


def test_isolated_shows_nothing_before_the_question() -> None:
    said = messages("isolated", THREAD, 3, own_answers=OWN, merge_questions=True)

    assert short(said) == "u:Q3"


@pytest.mark.parametrize("merge", [False, True])
def test_at_turn_0_three_settings_are_one_request(*, merge: bool) -> None:
    seen = {
        messages(setting, THREAD, 0, system="S", merge_questions=merge)
        for setting in ("multi_turn", "target_turn", "isolated")
    }

    assert len(seen) == 1


@pytest.mark.parametrize("setting", SETTINGS)
def test_a_system_message_comes_first_and_only_where_one_is_given(
    setting: Setting,
) -> None:
    with_one = messages(setting, THREAD, 1, own_answers=OWN, system="Be kind.")

    without = messages(setting, THREAD, 1, own_answers=OWN)
    assert with_one == (Message(role="system", content="Be kind."), *without)
    assert {message.role for message in without} <= {"user", "assistant"}


@pytest.mark.parametrize("turn", [-1, 4])
@pytest.mark.parametrize("setting", SETTINGS)
def test_a_turn_that_is_not_there_is_refused(setting: Setting, turn: int) -> None:
    with pytest.raises(ValueError, match=f"has 4 turns; got turn {turn}"):
        messages(setting, THREAD, turn, own_answers=OWN)


def test_multi_turn_without_the_answers_before_is_refused() -> None:
    with pytest.raises(ValueError, match=r"turn 3 lacks own answers of \[1, 2\]"):
        messages("multi_turn", THREAD, 3, own_answers={0: "O0"})


def test_oracle_has_no_turn_0() -> None:
    with pytest.raises(ValueError, match="oracle has no turn 0"):
        messages("oracle", THREAD, 0)


@pytest.mark.parametrize(
    ("setting", "expected"),
    [
        ("multi_turn", (0, 1, 2, 3)),
        ("target_turn", (0, 3)),
        ("oracle", (3,)),
        ("isolated", (0, 3)),
    ],
)
def test_a_setting_asks_its_turns_in_order_and_once(
    setting: Setting, expected: tuple[int, ...]
) -> None:
    assert turns(setting, [3, 0, 3]) == expected


@pytest.mark.parametrize("setting", SETTINGS)
def test_a_thread_without_a_misconception_is_not_asked(setting: Setting) -> None:
    assert turns(setting, ()) == ()


@st.composite
def places(draw: st.DrawFn) -> tuple[Thread, int]:
    """Draw a thread of any shape, whose texts say what and where they are."""
    answered = draw(st.lists(st.booleans(), min_size=1, max_size=8))
    thread = Thread(
        thread_id=ThreadId("T"),
        turns=tuple(
            Turn(question=f"<Q{turn}>", answer=f"<A{turn}>" if is_answered else None)
            for turn, is_answered in enumerate(answered)
        ),
    )
    return thread, draw(st.integers(0, len(answered) - 1))


@given(place=places(), setting=st.sampled_from(SETTINGS), merge=st.booleans())
def test_nothing_leaks_that_a_setting_must_not_show(
    place: tuple[Thread, int], setting: Setting, *, merge: bool
) -> None:
    thread, turn = place
    if setting == "oracle" and turn == 0:
        return
    own = {each: f"<O{each}>" for each in range(len(thread.turns))}

    said = messages(setting, thread, turn, own_answers=own, merge_questions=merge)
    text = "".join(message.content for message in said)

    before = range(turn)
    asked = {"multi_turn", "target_turn", "oracle"}
    expected = {f"<Q{turn}>"}
    expected |= {f"<Q{each}>" for each in before if setting in asked}
    expected |= {f"<O{each}>" for each in before if setting == "multi_turn"}
    expected |= {
        f"<A{each}>"
        for each in before
        if setting == "oracle" and thread.turns[each].answer is not None
    }
    assert {f"{part}>" for part in text.replace("\n", "").split(">")[:-1]} == expected
    assert said[-1].role == "user"
    assert said[-1].content.endswith(f"<Q{turn}>")


@given(place=places())
def test_multi_turn_alternates_and_grows_by_one_exchange_a_turn(
    place: tuple[Thread, int],
) -> None:
    thread, turn = place
    own = {each: f"<O{each}>" for each in range(turn)}

    said = messages("multi_turn", thread, turn, own_answers=own)

    assert len(said) == 2 * turn + 1
    assert all(one.role != other.role for one, other in pairwise(said))
    if turn:
        shorter = messages("multi_turn", thread, turn - 1, own_answers=own)
        assert said[: len(shorter)] == shorter


def test_what_is_seen_after_an_intervention_is_said_elsewhere() -> None:
    thread = Thread(thread_id=ThreadId("T"), turns=(Turn(question="Q", answer="A"),))

    with pytest.raises(ValueError, match=r"conversations\.interventions\.exchange"):
        messages("intervention", thread, 0)
    assert turns("intervention", {0, 2}) == (0, 1, 2)
