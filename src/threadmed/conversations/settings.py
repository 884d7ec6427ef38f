"""Which messages a target model sees before a question; pure.

docs/terms.md says what each setting is.
"""

from collections.abc import Collection, Mapping, Sequence
from types import MappingProxyType
from typing import assert_never

from threadmed.records import Message, Setting, Thread

NO_ANSWERS: Mapping[int, str] = MappingProxyType({})


def turns(setting: Setting, labelled: Collection[int]) -> tuple[int, ...]:
    """Say which turns of a thread are asked in a setting, in order.

    Args:
        setting: The setting.
        labelled: The turns that carry a misconception, from 0.

    Returns:
        For multi_turn and intervention all turns to the last labelled one, since each
        answer is part of what follows; for oracle the labelled turns after the first; else the
        labelled turns.

    Example:
        >>> turns("multi_turn", {0, 3})
        (0, 1, 2, 3)
        >>> turns("oracle", {0, 3})
        (3,)
    """
    match setting:
        case "multi_turn" | "intervention":
            return tuple(range(max(labelled, default=-1) + 1))
        case "oracle":
            return tuple(sorted({turn for turn in labelled if turn >= 1}))
        case "target_turn" | "isolated":
            return tuple(sorted(set(labelled)))
        case _:
            assert_never(setting)


def messages(
    setting: Setting,
    thread: Thread,
    turn: int,
    *,
    own_answers: Mapping[int, str] = NO_ANSWERS,
    system: str | None = None,
    merge_questions: bool = False,
) -> tuple[Message, ...]:
    """Give what a target sees in a setting; the last message is the question.

    Args:
        setting: The setting.
        thread: The conversation.
        turn: Which of its questions is asked, from 0.
        own_answers: The target's own answers by turn; only multi_turn shows them,
            and only those before `turn`.
        system: A system message to begin with; None is none.
        merge_questions: Whether target_turn sends all questions as one message.

    Raises:
        ValueError: If the thread has no such turn, if multi_turn lacks one of the own
            answers before it, if oracle is asked for turn 0, or of an intervention.

    Example:
        >>> from threadmed.records import Turn
        >>> two = (Turn(question="Q0", answer="A0"), Turn(question="Q1", answer=None))
        >>> said = messages("oracle", Thread(thread_id="T", turns=two), 1)
        >>> [f"{message.role}: {message.content}" for message in said]
        ['user: Q0', 'assistant: A0', 'user: Q1']
    """
    if not 0 <= turn < len(thread.turns):
        raise ValueError(
            f"{thread.thread_id} has {len(thread.turns)} turns; got turn {turn}"
        )
    start = (Message(role="system", content=system),) if system else ()
    questions = [each.question for each in thread.turns[: turn + 1]]
    match setting:
        case "multi_turn":
            return (*start, *_exchange(questions, _own(own_answers, turn)))
        case "oracle":
            return (*start, *_exchange(questions, _physicians(thread, turn)))
        case "target_turn":
            return (*start, *_questions(questions, merge=merge_questions))
        case "isolated":
            return (*start, *_questions(questions[-1:], merge=False))
        case "intervention":
            raise ValueError("see conversations.interventions.exchange")
        case _:
            assert_never(setting)


def _own(answers: Mapping[int, str], turn: int) -> list[str]:
    """Give the target's answers before a turn."""
    missing = [before for before in range(turn) if before not in answers]
    if missing:
        raise ValueError(f"multi_turn at turn {turn} lacks own answers of {missing}")
    return [answers[before] for before in range(turn)]


def _physicians(thread: Thread, turn: int) -> list[str | None]:
    """Give the physician's answers before a turn."""
    if turn == 0:
        raise ValueError("oracle has no turn 0: no physician has answered yet")
    return [each.answer for each in thread.turns[:turn]]


def _questions(questions: Sequence[str], *, merge: bool) -> tuple[Message, ...]:
    """Say the questions and nothing else."""
    texts = ["\n\n".join(questions)] if merge else questions
    return tuple(Message(role="user", content=text) for text in texts)


def _exchange(
    questions: Sequence[str], answers: Sequence[str | None]
) -> tuple[Message, ...]:
    """Say each question and its answer; a question without one stays alone."""
    said: list[Message] = []
    for question, answer in zip(questions, (*answers, None), strict=True):
        said.append(Message(role="user", content=question))
        if answer is not None:
            said.append(Message(role="assistant", content=answer))
    return tuple(said)
