"""Which of a target's earlier answers are changed before the patient goes on; pure.

Between multi_turn, where a target builds on all its own answers, and oracle, where it
builds on the physician's alone: some of its answers are replaced by the physician's,
or a clinician's note is put behind them. Ours, after what the paper proposes.
"""

import hashlib
from collections.abc import Collection, Mapping

from threadmed.records import Act, Message, Record, Thread
from threadmed.study import Intervening

FLAG = "Note from a clinician: the answer above needs another look before it is used."
CORRECTED = "Note from a clinician: the answer above needs another look. What is so: "


class Change(Record, frozen=True, kw_only=True):
    """What is done to one answer: other words for it, or a note behind it."""

    answer: str | None = None
    """In the place of the target's own; None leaves that."""
    note: str | None = None


def chosen(
    by: Intervening, thread: Thread, labelled: Collection[int], *, seed: int
) -> frozenset[int]:
    """Say which answers a policy changes that need not look at them.

    Args:
        by: The policy.
        thread: The conversation.
        labelled: Its turns that carry a misconception, from 0.
        seed: Of the study; the lot of a turn depends on it and on the turn alone, so
            that a larger k changes what a smaller one does, and more.

    Returns:
        Turns before the last labelled one; none for the policies that look, and for
        `last`, which depends on the question that is asked.

    Example:
        >>> from threadmed.records import Turn
        >>> turns = (Turn(question="Q", answer="A"),) * 4
        >>> thread = Thread(thread_id="THREAD_0001", turns=turns)
        >>> sorted(chosen(Intervening(policy="first"), thread, {1, 3}, seed=1))
        [0]
        >>> sorted(chosen(Intervening(policy="random", k=9), thread, {3}, seed=1))
        [0, 1, 2]
    """
    before = range(max(labelled, default=0))
    match by.policy:
        case "first":
            return frozenset(before[:1])
        case "turns":
            return frozenset(before) & frozenset(by.turns)
        case "random":
            drawn = sorted(before, key=lambda turn: _lot(seed, thread.thread_id, turn))
            return frozenset(drawn[: by.k])
        case "last" | "first_failing" | "every_failing":
            return frozenset()


def asked(by: Intervening, scored: Collection[int]) -> tuple[int, ...]:
    """Say which turns have an answer in an intervention, in order.

    Args:
        by: The policy.
        scored: The turns of a thread whose answers are scored.

    Returns:
        All turns to the last scored one; for `last` the scored ones alone, since what
        leads to them is the conversation of multi_turn.

    Example:
        >>> asked(Intervening(policy="first"), {0, 2}), asked(
        ...     Intervening(policy="last"), {0, 2})
        ((0, 1, 2), (0, 2))
    """
    if by.policy == "last":
        return tuple(sorted(set(scored)))
    return tuple(range(max(scored, default=-1) + 1))


def _lot(seed: int, thread_id: str, turn: int) -> bytes:
    return hashlib.sha256(f"{seed}:intervention:{thread_id}:{turn}".encode()).digest()


def change(act: Act, thread: Thread, turn: int, *, correction: str) -> Change | None:
    """Say what an act makes of the answer to a turn.

    Args:
        act: What is done.
        thread: The conversation.
        turn: Whose answer is changed.
        correction: What is right instead, by the turn's label; empty where unknown.

    Returns:
        The change; None where there is nothing to say: no physician answered, and no
        label says what is right.
    """
    physician = thread.turns[turn].answer
    match act:
        case "replace":
            return Change(answer=physician) if physician else None
        case "flag":
            return Change(note=FLAG)
        case "flag_and_correct":
            right = correction or physician
            return Change(note=CORRECTED + right) if right else None


def exchange(
    thread: Thread,
    turn: int,
    *,
    own_answers: Mapping[int, str],
    changes: Mapping[int, Change],
    system: str | None = None,
) -> tuple[Message, ...]:
    r"""Give what a target sees after some of its answers were changed.

    A note stands at the head of the patient's next message, set off from it: a chat
    has no third voice, and no provider takes two answers in a row.

    Args:
        thread: The conversation.
        turn: Which of its questions is asked, from 0.
        own_answers: The target's own answers by turn.
        changes: What was done to them.
        system: A system message to begin with; None is none.

    Raises:
        ValueError: If an answer before the turn is neither there nor changed.

    Example:
        >>> from threadmed.records import Turn
        >>> turns = (Turn(question="Q0", answer="A0"), Turn(question="Q1", answer=None))
        >>> thread = Thread(thread_id="T", turns=turns)
        >>> said = exchange(thread, 1, own_answers={0: "a"}, changes={0: Change(note="N")})
        >>> [message.content for message in said]
        ['Q0', 'a', '[N]\n\nQ1']
    """
    said = [Message(role="system", content=system)] if system else []
    note: str | None = None
    for at, each in enumerate(thread.turns[: turn + 1]):
        question = f"[{note}]\n\n{each.question}" if note else each.question
        said.append(Message(role="user", content=question))
        if at == turn:
            break
        done = changes.get(at, Change())
        answer = done.answer if done.answer is not None else own_answers.get(at)
        if answer is None:
            raise ValueError(f"{thread.thread_id} has no answer to turn {at}")
        said.append(Message(role="assistant", content=answer))
        note = done.note
    return tuple(said)
