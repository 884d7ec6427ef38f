"""Writes the files of a study folder; all of them derive from the journal."""

import hashlib
import platform
from collections.abc import Iterable, Mapping
from pathlib import Path

from threadmed import __version__
from threadmed.conversations.mitigation import Mitigation
from threadmed.errors import InputError, boundary
from threadmed.judgements.scores import score_table
from threadmed.labels.harms import harm_classes, read_harms
from threadmed.llm.engine import Engine
from threadmed.llm.model import ChatModel, Request
from threadmed.records import Harm, Intervention, Label, Question, Spend, Stage
from threadmed.run.conduct import Run
from threadmed.store import (
    Questions,
    write_json,
    write_records,
    write_scores,
)
from threadmed.study import (
    Folder,
    ModelUsed,
    PromptUsed,
    RunManifest,
)


def write_files(
    this: Run,
    engine: Engine,
    folder: Folder,
    *,
    models: Mapping[str, ChatModel],
    only: Stage | None,
) -> RunManifest:
    """Write the files that are derived from the journal, in an order of their own.

    A run that was to answer alone leaves what was judged before pending: a verdict
    stands beside the answer that it is of. The judge stage takes it from the journal.
    """
    study, items = this.study, this.items()
    answers = [this.answers[item] for item in this.asked() if item in this.answers]
    verdicts = [
        verdict
        for item in items
        for judge in study.panel.judges
        for verdict in this.verdicts.get((judge, item), ())
    ]
    scores = score_table(
        items, this.answers, verdicts, by=study.panel, controls=this.controls
    )
    write_records(folder.labels, _in_order(this))
    if only != "identify":
        write_records(folder.answers, answers)
        write_records(folder.verdicts, verdicts)
        if this.interventions or folder.interventions.exists():
            write_records(folder.interventions, _as_asked(this))
        write_scores(folder.scores, scores, questions=_questions(this, folder))
        if study.control.n or folder.controls.exists():
            write_records(folder.controls, this.drawn)
    manifest = manifest_of(
        this,
        engine,
        folder,
        models=models,
        complete=this.is_marked
        and not engine.broken
        and all(score.outcome != "pending" for score in scores),
    )
    write_json(folder.manifest, manifest)
    return manifest


def experts_harms(folder: Folder) -> dict[Question, Harm]:
    """Read the harm classes that experts gave, if they gave any.

    Raises:
        InputError: As `read_harms`.
    """
    return read_harms(folder.harms) if folder.harms.exists() else {}


def _questions(this: Run, folder: Folder) -> Questions:
    """Collect what scores.csv says of questions besides their scores."""
    return Questions(
        harms=harm_classes(this.marked.values(), experts_harms(folder)),
        chances={(each.thread_id, each.turn): each.probability for each in this.drawn},
        baselines={
            each.name: each.target for each in this.study.contestants() if each.arm
        },
    )


def _as_asked(this: Run) -> Iterable[Intervention]:
    """Order interventions by contestant as the answers are, then by thread and turn."""
    names = [each.name for each in this.study.contestants()]
    order = {name: place for place, name in enumerate(names)}
    return sorted(
        this.interventions,
        key=lambda each: (order[each.target], each.thread_id, each.turn),
    )


def _in_order(this: Run) -> Iterable[Label]:
    return sorted(
        this.labels, key=lambda label: (label.source, label.thread_id, label.turn)
    )


def manifest_of(
    this: Run,
    engine: Engine,
    folder: Folder,
    *,
    models: Mapping[str, ChatModel],
    complete: bool,
) -> RunManifest:
    """Say what made the numbers."""
    study, material = this.study, this.material
    labels = study.identify.labels
    return RunManifest(
        threadmed=__version__,
        python=platform.python_version(),
        study=study,
        study_sha256=_sha256(folder.study),
        threads_sha256=_sha256(folder.root / study.threads),
        labels_sha256=_sha256(folder.root / labels) if labels else None,
        label_source=material.source,
        prompts=tuple(
            PromptUsed(
                name=prompt.name,
                sha256=prompt.sha256,
                system=prompt.system,
                user=prompt.user,
            )
            for prompt in (
                material.identify_prompt,
                material.score_prompt,
                *((material.control_prompt,) if study.control.n else ()),
            )
        )
        + tuple(_of_arms(material.mitigations)),
        models=tuple(_models_used(this, models)),
        spend=tuple(_spend(this, engine)),
        complete=complete,
    )


def _of_arms(prompts: Mapping[str, Mitigation]) -> Iterable[PromptUsed]:
    """Give the prompts of arms, each once; the call before the answer stands first."""
    for prompt in {each.sha256: each for each in prompts.values()}.values():
        calls = [prompt.prepare, prompt.answer] if prompt.prepare else [prompt.answer]
        yield PromptUsed(
            name=prompt.name,
            sha256=prompt.sha256,
            system=prompt.system,
            user="\n---answer---\n".join(calls),
        )


def _sha256(path: Path) -> str:
    with boundary(InputError, f"reading {path}"), path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _models_used(this: Run, models: Mapping[str, ChatModel]) -> Iterable[ModelUsed]:
    study = this.study
    identifier = (study.identify.model,) if study.identify.model else ()
    for role, names, most in (
        ("identify", identifier, study.identify.max_tokens),
        ("target", study.targets, study.answer.max_tokens),
        ("judge", study.panel.judges, study.panel.max_tokens),
        ("screen", study.screens(), study.panel.max_tokens),
    ):
        for name in names:
            if name not in models:
                continue
            primary = role == "judge" and name == study.panel.primary
            request = Request(messages=(), max_tokens=most)
            yield ModelUsed(
                name=name,
                model=study.model(name).model,
                roles=(role, "primary judge") if primary else (role,),
                parameters=dict(models[name].parameters(request)),
                served_by=tuple(sorted(this.served[name])),
            )


def _spend(this: Run, engine: Engine) -> Iterable[Spend]:
    """Put beside what was paid how often a reply served again instead of a call."""
    for spend in engine.spend():
        used = this.used.get((spend.stage, spend.model), [])
        yield Spend(
            stage=spend.stage,
            model=spend.model,
            calls=spend.calls,
            reused=len(used) - len(set(used)),
            tokens_in=spend.tokens_in,
            tokens_out=spend.tokens_out,
            cost_usd=spend.cost_usd,
        )
