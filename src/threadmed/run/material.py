"""Reads what a study starts from: threads, labels that came with them, prompts."""

from pathlib import Path

from threadmed.errors import InputError
from threadmed.judgements import scoring_prompt
from threadmed.labels import identification_prompt
from threadmed.labels.selection import (
    deciding_source,
    select_threads,
)
from threadmed.llm.prompt import Prompt
from threadmed.records import (
    Label,
    Record,
    Thread,
)
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


def read_material(folder: Folder, study: Study) -> Material:
    """Read what a study starts from.

    Raises:
        InputError: If a file is missing or malformed.
        StudyError: If the study selects what is not there.
    """
    options = study.identify
    given: list[Label] = []
    if options.labels:
        given = read_records(folder.root / options.labels, Label)  # type: ignore[arg-type]
    threads = select_threads(
        read_records(folder.root / study.threads, Thread),
        given,
        by=study.select,
        seed=study.seed,
    )
    lengths = {thread.thread_id: len(thread.turns) for thread in threads}
    given = [label for label in given if label.thread_id in lengths]
    for label in given:
        if not 0 <= label.turn < lengths[label.thread_id]:
            raise InputError(
                f"{options.labels}: labels turn {label.turn} of {label.thread_id}, "
                f"which has turns 0 to {lengths[label.thread_id] - 1}"
            )
    return Material(
        threads=threads,
        given=tuple(given),
        source=deciding_source(given, model=options.model, wanted=options.source),
        identify_prompt=identification_prompt(
            options, path=_own(folder, options.prompt)
        ),
        score_prompt=scoring_prompt(study.panel, path=_own(folder, study.panel.prompt)),
    )


def _own(folder: Folder, prompt: str | None) -> Path | None:
    return folder.root / prompt if prompt else None
