"""Reads what a study starts from: threads, labels that came with them, prompts."""

from collections.abc import Mapping
from pathlib import Path

from threadmed.conversations.mitigation import Mitigation, load_mitigation
from threadmed.errors import InputError
from threadmed.judgements import control_prompt, scoring_prompt
from threadmed.labels import identification_prompt
from threadmed.labels.identify import WITH_HARM
from threadmed.labels.selection import deciding_source, select_threads
from threadmed.llm.prompt import Prompt
from threadmed.records import Label, Question, Record, Thread, ThreadId
from threadmed.store import (
    read_records,
)
from threadmed.study import (
    Folder,
    Study,
)


class Material(Record, frozen=True, kw_only=True):
    """What a study starts from."""

    threads: tuple[Thread, ...]
    given: tuple[Label, ...]
    """Labels that came with the data."""
    source: str
    """Whose labels decide what is answered."""
    identify_prompt: Prompt
    score_prompt: Prompt
    control_prompt: Prompt
    """Of controls, where the study has any."""
    mitigations: Mapping[str, Mitigation] = {}
    """The prompts of arms, by the arm's name."""


def read_material(folder: Folder, study: Study) -> Material:
    """Read what a study starts from.

    Raises:
        InputError: If a file is missing or malformed.
        StudyError: If the study selects what is not there.
    """
    options = study.identify
    everything = _threads(folder.root / study.threads)
    given = _labels(folder.root / options.labels, everything) if options.labels else []
    threads = select_threads(everything, given, by=study.select, seed=study.seed)
    names = {thread.thread_id for thread in threads}
    source = deciding_source(given, model=options.model, wanted=options.source)
    return Material(
        threads=threads,
        given=tuple(label for label in given if label.thread_id in names),
        source=source,
        identify_prompt=identification_prompt(
            options,
            path=WITH_HARM
            if options.prompt == "harm"
            else _own(folder, options.prompt),
        ),
        score_prompt=scoring_prompt(study.panel, path=_own(folder, study.panel.prompt)),
        control_prompt=control_prompt(),
        mitigations={
            arm.name: load_mitigation(arm.prompt, folder=folder.root)
            for arm in study.arms
            if arm.prompt is not None
        },
    )


def _threads(path: Path) -> list[Thread]:
    """Read the threads; a name that stands twice would hide one of them."""
    threads = read_records(path, Thread)
    if not threads:
        raise InputError(f"{path}: holds no threads")
    seen: set[ThreadId] = set()
    for thread in threads:
        if thread.thread_id in seen:
            raise InputError(f"{path}: {thread.thread_id} stands twice")
        seen.add(thread.thread_id)
    return threads


def _labels(path: Path, threads: list[Thread]) -> list[Label]:
    """Read labels that came with the data; those of other threads are passed over."""
    lengths = {thread.thread_id: len(thread.turns) for thread in threads}
    labels: list[Label] = read_records(path, Label)  # type: ignore[arg-type]
    seen: set[tuple[str, Question]] = set()
    for label in labels:
        turns = lengths.get(label.thread_id)
        if turns is not None and not 0 <= label.turn < turns:
            raise InputError(
                f"{path}: labels turn {label.turn} of {label.thread_id}, which has "
                f"turns 0 to {turns - 1}"
            )
        place = (label.source, (label.thread_id, label.turn))
        if place in seen:
            raise InputError(
                f"{path}: {label.source} labels turn {label.turn} of "
                f"{label.thread_id} twice"
            )
        seen.add(place)
    known = [label for label in labels if label.thread_id in lengths]
    if not known:
        raise InputError(f"{path}: holds no label of any of the study's threads")
    return known


def _own(folder: Folder, prompt: str | None) -> Path | None:
    return folder.root / prompt if prompt else None
