"""Asks a model whether a patient's question rests on a false belief (paper, 4.1)."""

from functools import partial
from pathlib import Path
from typing import assert_never

from threadmed.labels.parse import parse
from threadmed.llm.model import Ask, Request
from threadmed.llm.prompt import Missing, Prompt, Understood, ask_for, fill, load_prompt
from threadmed.records import Label, Labelled, Record, Thread, Unlabelled
from threadmed.study import Identification

PROMPTS = Path(__file__).parent / "prompts"
BUILT_IN = PROMPTS / "identify-v1.md"
WITH_HARM = PROMPTS / "identify-harm-v1.md"
"""Asks for the harm class as well; a study names it `harm`."""


class Identifier(Record, frozen=True, kw_only=True):
    """A model that labels, and how it is asked."""

    name: str
    """Becomes the source of the labels."""
    ask: Ask
    prompt: Prompt
    options: Identification


def identification_prompt(
    options: Identification, *, path: Path | None = None
) -> Prompt:
    """Read the prompt for identification.

    Args:
        options: With `prior_questions` the file must have a place for them.
        path: A file of the user's own; None is the one that is built in.

    Raises:
        InputError: If the file is not what it must be; see llm.prompt.load_prompt.
    """
    prior = {"prior_questions"}
    required = {"question"} | (prior if options.prior_questions else set())
    return load_prompt(path or BUILT_IN, required=required, optional=prior)


async def identify(thread: Thread, turn: int, *, by: Identifier) -> Label:
    """Label one question.

    Args:
        thread: The conversation.
        turn: Which of its questions, from 0.
        by: Who is asked.

    Returns:
        Labelled, where the model said yes or no (it is told to say no where it is
        unsure); Unlabelled where nothing could be read, even after one re-ask.
        The physician's answers are never shown.

    Raises:
        ValueError: If the thread has no such turn.
    """
    said = await ask_for(
        _request(thread, turn, by),
        ask=by.ask,
        parse=partial(parse, with_harm=_wants_harm(by.prompt)),
    )
    match said:
        case Understood(value=identified):
            return Labelled(
                thread_id=thread.thread_id,
                turn=turn,
                misconception=identified.misconception,
                belief=identified.belief,
                correction=identified.correction,
                harm=identified.harm,
                source=by.name,
            )
        case Missing():
            return Unlabelled(
                thread_id=thread.thread_id,
                turn=turn,
                why=said.why,
                detail=said.detail,
                source=by.name,
            )
        case _:
            assert_never(said)


def _wants_harm(prompt: Prompt) -> bool:
    """Tell whether a prompt asks for the harm class, in its schema or in its words."""
    schema = prompt.schema.json if prompt.schema is not None else ""
    return any('"harm"' in text for text in (schema, prompt.system, prompt.user))


def _request(thread: Thread, turn: int, by: Identifier) -> Request:
    """Put the question, and what the options add, into the prompt."""
    if not 0 <= turn < len(thread.turns):
        raise ValueError(
            f"{thread.thread_id} has {len(thread.turns)} turns; got turn {turn}"
        )
    questions = [each.question for each in thread.turns[: turn + 1]]
    quoted = {
        "question": questions[-1:],
        "prior_questions": questions[:-1] if by.options.prior_questions else [],
    }
    return Request(
        messages=fill(by.prompt, quoted),
        max_tokens=by.options.max_tokens,
        schema=by.prompt.schema,
    )
