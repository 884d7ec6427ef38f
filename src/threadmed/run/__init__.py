"""Joins the rooms for one study: identify, answer, judge, in one resumable pass.

What was paid for is in the journal; the files of a study folder are derived from it
and are written at the end of every run, whole or stopped.
"""

from collections.abc import Callable, Mapping, Sequence

import msgspec

from threadmed.errors import ModelError, ThreadmedError
from threadmed.judgements.scores import item_of
from threadmed.llm.batches import PATIENT
from threadmed.llm.engine import Engine
from threadmed.llm.journal import Journal
from threadmed.llm.model import ChatModel
from threadmed.records import Answer, Intervention, Label, Model, Stage
from threadmed.run.conduct import Run
from threadmed.run.files import experts_harms, write_files
from threadmed.run.material import read_material
from threadmed.run.remarks import remarks
from threadmed.run.tally import Progress
from threadmed.store import read_records
from threadmed.study import Folder, RunManifest, Study, read_study

__all__ = ["Progress", "run"]

HASTY = msgspec.structs.replace(PATIENT, waits=False)

Open = Callable[[Model], ChatModel]
"""Makes a model of its entry in the study; the command line binds the environment."""


async def run(  # noqa: PLR0913 - all but the folder by keyword
    folder: Folder,
    *,
    open_model: Open,
    clock: Callable[[], float],
    progress: Progress,
    only: Stage | None = None,
    budget_usd: float | None = None,
    wait: bool = True,
    on_engine: Callable[[Engine], None] = lambda _: None,
    on_answers: Callable[[Sequence[str]], None] = lambda _: None,
) -> RunManifest:
    """Pay for what a study still lacks, write its files, and give its manifest.

    Args:
        folder: The study folder.
        open_model: Makes a model of its entry.
        clock: Seconds since 1970, for the journal.
        progress: Told what is done.
        only: One stage alone; what comes before it is read from the folder.
        budget_usd: Replaces the study's budget.
        wait: Whether batches are waited for, or left for later.
        on_engine: Is handed the engine before anything is asked.
        on_answers: Is told what is lost and left out, once all answers are there.

    Raises:
        InputError: If a file is missing or malformed.
        StudyError: If the study asks for what cannot be done.
        ModelError: If a model was given up, or none of its calls got through.
        Stopped: If the budget is used up; everything paid for is kept.
    """
    study = read_study(folder)
    material, experts = read_material(folder, study), experts_harms(folder)
    models = {name: open_model(study.model(name)) for name in _needed(study, only)}
    with Journal(folder.journal) as journal:
        engine = Engine(
            models,
            entries={name: study.model(name) for name in models},
            journal=journal,
            budget_usd=study.budget.usd if budget_usd is None else budget_usd,
            budget_tokens=study.budget.tokens,
            clock=clock,
            pace=PATIENT if wait else HASTY,
        )
        on_engine(engine)
        this = Run(study, material, engine=engine, progress=progress)
        this.when_answered = lambda: on_answers(remarks(this, experts=experts))
        manifest = await _conducted(this, engine, folder, models=models, only=only)
    _refuse_silence(this, engine)
    return manifest


async def _conducted(
    this: Run,
    engine: Engine,
    folder: Folder,
    *,
    models: Mapping[str, ChatModel],
    only: Stage | None,
) -> RunManifest:
    """Go through the stages; whatever ends them, write what has come in."""
    try:
        await _stages(this, folder, only)
    except BaseExceptionGroup as group:
        raise _known(group) from group
    finally:
        await engine.close()
        manifest = write_files(this, engine, folder, models=models, only=only)
    return manifest


def _needed(study: Study, only: Stage | None) -> list[str]:
    """Name the models that are called, each once."""
    by_stage: dict[Stage, tuple[str, ...]] = {
        "identify": (study.identify.model,) if study.identify.model else (),
        "answer": (*study.targets, *study.lookers()),
        "judge": study.panel.judges,
    }
    stages = [only] if only else list(by_stage)
    return list(dict.fromkeys(name for stage in stages for name in by_stage[stage]))


async def _stages(this: Run, folder: Folder, only: Stage | None) -> None:
    """Go through the stages, or read what came before the one that is wanted."""
    if only in {None, "identify"}:
        await this.identify()
    else:
        this.labels = read_records(folder.labels, Label)  # type: ignore[arg-type]
    this.mark()
    if only in {None, "answer"}:
        await this.answer(and_judge=only is None)
    elif only == "judge":
        asked = set(this.asked())
        this.answers = {
            item_of(answer): answer
            for answer in read_records(folder.answers, Answer)
            if item_of(answer) in asked
        }
        this.when_answered()
        this.interventions = _interventions(folder, study=this.study)
        await this.judge()


def _interventions(folder: Folder, *, study: Study) -> list[Intervention]:
    """Read what was changed on the way to the answers that are there."""
    if not folder.interventions.exists():
        return []
    names = {each.name for each in study.contestants() if each.intervention}
    found = read_records(folder.interventions, Intervention)
    return [each for each in found if each.target in names]


def _known(group: BaseExceptionGroup[BaseException]) -> BaseException:
    """Find the error that a person can mend; without one the group is a bug."""
    known: BaseException | None = group.subgroup(ThreadmedError)
    while isinstance(known, BaseExceptionGroup):
        known = known.exceptions[0]
    return group if known is None else known


def _refuse_silence(this: Run, engine: Engine) -> None:
    """Complain of a model that was given up, or never answered: that is no finding."""
    if engine.broken:
        given_up = "; ".join(why for _, why in sorted(engine.broken.items()))
        raise ModelError(
            f"{given_up}; what was paid for is kept, so mend this and run again"
        )
    for (stage, model), why in sorted(this.failed.items()):
        if not this.used.get((stage, model)):
            raise ModelError(
                f"{model}: not one call to {stage} got through ({why}); what was paid "
                "for is kept, so mend this and run again"
            )
