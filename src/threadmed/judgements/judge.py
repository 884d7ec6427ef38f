"""Asks one judge what an answer did with the false belief (paper, 4.4)."""

from pathlib import Path
from typing import assert_never

from msgspec.structs import replace

from threadmed.judgements.rubric import Rated, parse_own
from threadmed.llm.model import Ask, Request
from threadmed.llm.prompt import Missing, Prompt, Understood, ask_for, fill, load_prompt
from threadmed.records import (
    Answer,
    Labelled,
    Record,
    Scored,
    Thread,
    Unscored,
    Verdict,
)
from threadmed.study import Panel

PROMPTS = Path(__file__).parent / "prompts"
BUILT_IN = PROMPTS / "score-v1.md"
CONTROL = PROMPTS / "control-v1.md"


class Judge(Record, frozen=True, kw_only=True):
    """A model that judges, and how it is asked."""

    name: str
    ask: Ask
    prompt: Prompt
    options: Panel
    control: Prompt | None = None
    """Takes the place of `prompt` where the question carries no misconception."""


def scoring_prompt(options: Panel, *, path: Path | None = None) -> Prompt:
    """Read the prompt for judges.

    Args:
        options: What the panel is to be shown must have its place in the file.
        path: A file of the user's own; None is the one that is built in.

    Raises:
        InputError: If the file is not what it must be; see llm.prompt.load_prompt.
    """
    required = {"question", "answer"}
    if options.show_prior_questions:
        required.add("prior_questions")
    if options.show_misconception:
        required.add("belief")
    optional = {"prior_questions", "belief", "correction"}
    return load_prompt(path or BUILT_IN, required=required, optional=optional)


def control_prompt() -> Prompt:
    """Read the prompt by which answers to controls are judged."""
    required, optional = {"question", "answer"}, {"prior_questions"}
    return load_prompt(CONTROL, required=required, optional=optional)


async def judge(
    answer: Answer,
    thread: Thread,
    *,
    by: Judge,
    label: Labelled | None = None,
    repeat: int = 0,
) -> Verdict:
    """Ask one judge for its score of one answer.

    The judge sees the question and the answer, and what the panel's options add; it
    is never told which model answered or in which setting.

    Args:
        answer: The answer; it must be `answered`.
        thread: Where its question stands.
        by: The judge.
        label: What is known of the question; needed for `show_misconception`. One
            that says that there is no misconception makes the question a control.
        repeat: How many times this judge was asked the same before.

    Returns:
        Scored, or Unscored where nothing could be read, even after one re-ask.

    Raises:
        ValueError: If the answer cannot be judged, if thread or label are another's,
            or if it is of a control and the judge has no prompt for these.
    """
    request = _request(answer, thread, by=by, label=label)
    shown = [answer.text, *(turn.question for turn in thread.turns)]
    said = await ask_for(
        replace(request, repeat=repeat),
        ask=by.ask,
        parse=lambda text: parse_own(text, shown=shown),
    )
    return _verdict(said, answer, name=by.name, repeat=repeat)


def _verdict(
    said: Understood[Rated] | Missing, answer: Answer, *, name: str, repeat: int
) -> Verdict:
    match said:
        case Understood(value=rated):
            return Scored(
                judge=name,
                target=answer.target,
                setting=answer.setting,
                thread_id=answer.thread_id,
                turn=answer.turn,
                repeat=repeat,
                score=rated.score,
                explanation=rated.explanation,
                request=said.request,
            )
        case Missing():
            return Unscored(
                judge=name,
                target=answer.target,
                setting=answer.setting,
                thread_id=answer.thread_id,
                turn=answer.turn,
                repeat=repeat,
                why=said.why,
                detail=said.detail,
                request=said.request,
            )
        case _:
            assert_never(said)


def _request(
    answer: Answer, thread: Thread, *, by: Judge, label: Labelled | None
) -> Request:
    """Put question, answer and what the options add into the prompt.

    A label without a belief leaves that place of the prompt empty.
    """
    _check(answer, thread, label)
    if by.options.show_misconception and label is None:
        raise ValueError("show_misconception needs the label of the question")
    questions = [turn.question for turn in thread.turns[: answer.turn + 1]]
    is_control = label is not None and not label.misconception
    known = label if by.options.show_misconception and not is_control else None
    prompt = by.control if is_control else by.prompt
    if prompt is None:
        raise ValueError(f"{by.name} has no prompt for controls")
    quoted = {
        "question": questions[-1:],
        "answer": [answer.text],
        "prior_questions": questions[:-1] if by.options.show_prior_questions else [],
        "belief": [known.belief] if known and known.belief else [],
        "correction": [known.correction] if known and known.correction else [],
    }
    return Request(
        messages=fill(prompt, quoted),
        max_tokens=by.options.max_tokens,
        schema=prompt.schema,
    )


def _check(answer: Answer, thread: Thread, label: Labelled | None) -> None:
    """Refuse what would put a score on the wrong thing."""
    place = (answer.thread_id, answer.turn)
    if answer.outcome != "answered":
        raise ValueError(
            f"only answers are judged; that of {place} is {answer.outcome}"
        )
    is_there = 0 <= answer.turn < len(thread.turns)
    if thread.thread_id != answer.thread_id or not is_there:
        raise ValueError(f"{thread.thread_id} does not hold the question of {place}")
    if label is not None and (label.thread_id, label.turn) != place:
        found = (label.thread_id, label.turn)
        raise ValueError(f"the label of {found} was given for the answer of {place}")
