"""The tasks that Inspect AI finds under the name threadmed.

`inspect eval threadmed/conversations -T study=STUDY --model PROVIDER/MODEL` asks one
target what `threadmed run` would ask it: one sample is one scored turn in one setting,
with the same messages, the same prompts and the same panel.
"""

from pathlib import Path

import msgspec
from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import GenerateConfig, ModelOutput, get_model
from inspect_ai.scorer import Score, Scorer, Target, mean, scorer
from inspect_ai.solver import Generate, Solver, TaskState, solver

from threadmed.conversations import Target as Asked
from threadmed.conversations import play
from threadmed.conversations.settings import messages
from threadmed.inspection.asking import (
    Shared,
    as_given,
    ask_through,
    judge_model,
    unwrapped,
)
from threadmed.inspection.judging import ask_panel
from threadmed.inspection.material import Opened, Place, metadata, open_study
from threadmed.inspection.scoring import metrics, score_of
from threadmed.judgements.scores import item_of, score_table
from threadmed.llm.model import Request, plain
from threadmed.llm.providers.inspect import chat_messages, config_for
from threadmed.records import Answer, Verdict

ANSWER = "answer"
"""Where a sample's store holds the answer as our rooms know it."""


@task
def conversations(study: str, target: str | None = None) -> Task:
    """Put one target through the conversations of a study.

    Args:
        study: The study folder. What it says of settings, threads, labels, prompts
            and panel holds; its targets and its budget do not.
        target: Name of the target in the study whose temperature and most tokens are
            used; without it the temperature is 0.

    Raises:
        InputError: If a file of the study is missing or malformed.
        StudyError: If the study cannot be asked in this way.
    """
    opened = open_study(Path(study))
    return Task(
        dataset=MemoryDataset(
            [sample(opened, place) for place in opened.places()],
            name=opened.study.name,
            location=study,
        ),
        solver=converse(study),
        scorer=judgements(study),
        metrics=metrics(opened.study.panel.judges),
        config=_config(opened, target),
        metadata={"study": opened.study.name, "labels": opened.material.source},
    )


def _config(opened: Opened, target: str | None) -> GenerateConfig:
    """Say how the target is called; options of Inspect's command line go before."""
    most = opened.study.answer.max_tokens
    if target is None:
        return GenerateConfig(max_tokens=most, temperature=0.0)
    return config_for(opened.entry(target), Request(messages=(), max_tokens=most))


def sample(opened: Opened, place: Place) -> Sample:
    """Make the sample of one scored turn."""
    return Sample(
        id=place.name,
        input=plain(opened.question(place)),
        target=plain(opened.label(place).belief),
        metadata=metadata(opened, place),
    )


def place_of(state: TaskState) -> Place:
    """Say which scored turn a sample is about."""
    known = {key: state.metadata[key] for key in ("setting", "turn")}
    return msgspec.convert({**known, "thread_id": state.metadata["thread"]}, Place)


@solver
def converse(study: str) -> Solver:
    """Ask the target up to the scored turn, in the sample's setting.

    Own answers to earlier turns are shared by all samples of the conversation. A
    broken-off conversation ends in a `failed` answer, which is never judged.

    Args:
        study: The study folder.
    """
    opened, shared = open_study(Path(study)), Shared()

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        del generate  # it knows one conversation, and goes by its own cache
        place = place_of(state)
        for name in opened.study.panel.judges:
            judge_model(opened.entry(name))  # complains before anything is paid for
        ask = ask_through(shared, get_model(), configure=as_given, epoch=state.epoch)
        with unwrapped():
            answers = await play(
                opened.threads[place.thread_id],
                {place.turn},
                target=Asked(
                    name=str(state.model), ask=ask, options=opened.study.answer
                ),
                settings=[place.setting],
                on_answer=lambda _: None,
            )
        return _shown(state, answers, opened=opened, shared=shared)

    return solve


def _shown(
    state: TaskState,
    answers: tuple[Answer, ...],
    *,
    opened: Opened,
    shared: Shared,
) -> TaskState:
    """Show the conversation that the target saw, and its last answer."""
    place, last = place_of(state), answers[-1]
    own = {answer.turn: answer.text for answer in answers[:-1]}
    said = messages(
        place.setting,
        opened.threads[place.thread_id],
        place.turn,
        own_answers=own,
        system=opened.study.answer.system,
        merge_questions=opened.study.answer.merge_questions,
    )
    state.messages = chat_messages(said)
    output = shared.outputs.get(last.request)
    if output is None or output.empty:
        state.output = ModelOutput(model=str(state.model), error=last.detail)
    else:
        state.output = output
        state.messages.append(output.message)
    state.store.set(ANSWER, msgspec.to_builtins(last))
    return state


@scorer(metrics=[mean()])
def judgements(study: str) -> Scorer:
    """Have the study's panel score the answer; one key a judge, and one the panel.

    Args:
        study: The study folder.
    """
    opened, shared = open_study(Path(study)), Shared()
    # Inspect repeats by its own epochs.
    by = msgspec.structs.replace(opened.study.panel, repeats=1)

    async def score(state: TaskState, target: Target) -> Score:
        del target  # the belief is shown to judges where the study says so
        kept = state.store.get(ANSWER)
        if kept is None:
            return Score.unscored(reason="pending", explanation="not yet answered")
        answer = msgspec.convert(kept, Answer)
        verdicts: list[Verdict] = []
        if answer.outcome == "answered":
            with unwrapped():
                verdicts = await ask_panel(
                    answer, opened=opened, shared=shared, epoch=state.epoch
                )
        item = item_of(answer)
        (row,) = score_table([item], {item: answer}, verdicts, by=by)
        return score_of(row, verdicts, by=by, answer=answer)

    return score
