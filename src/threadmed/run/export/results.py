"""Reads what a study has found, for every export alike."""

from collections.abc import Mapping

from threadmed.errors import InputError
from threadmed.judgements.scores import item_of
from threadmed.labels.selection import misconceptions
from threadmed.records import (
    Answer,
    Intervention,
    Item,
    Label,
    Labelled,
    Question,
    Record,
    ScoreRow,
    Thread,
    ThreadId,
    Verdict,
)
from threadmed.run.material import read_material
from threadmed.store import (
    Questions,
    read_json,
    read_questions,
    read_records,
    read_scores,
)
from threadmed.study import Folder, RunManifest, Study, read_study


class Results(Record, frozen=True, kw_only=True):
    """A study and all that its runs have found."""

    study: Study
    manifest: RunManifest
    threads: Mapping[ThreadId, Thread]
    labels: tuple[Label, ...]
    marked: Mapping[Question, Labelled]
    """Questions with a misconception, by the source that decides."""
    answers: tuple[Answer, ...]
    verdicts: tuple[Verdict, ...]
    rows: tuple[ScoreRow, ...]
    questions: Questions
    """What the table of scores says of questions and targets beside scores."""
    interventions: tuple[Intervention, ...] = ()

    def answer_of(self) -> Mapping[Item, Answer]:
        """Give the answers by their items."""
        return {item_of(answer): answer for answer in self.answers}


def read_results(folder: Folder) -> Results:
    """Read a study that has been run, wholly or in part.

    Raises:
        InputError: If it has not been run, or a file is malformed.
        StudyError: If study.toml does not fit its data.
    """
    study = read_study(folder)
    if not (folder.manifest.exists() and folder.scores.exists()):
        raise InputError(
            f"{folder.scores}: no such file; `threadmed run {folder.root}` writes it"
        )
    manifest = read_json(folder.manifest, RunManifest)
    labels: list[Label] = read_records(folder.labels, Label)  # type: ignore[arg-type]
    verdicts: list[Verdict] = read_records(folder.verdicts, Verdict)  # type: ignore[arg-type]
    changed = folder.root / "interventions.jsonl"
    return Results(
        study=study,
        manifest=manifest,
        threads={t.thread_id: t for t in read_material(folder, study).threads},
        labels=tuple(labels),
        marked=misconceptions(labels, manifest.label_source),
        answers=tuple(read_records(folder.answers, Answer)),
        verdicts=tuple(verdicts),
        rows=tuple(read_scores(folder.scores)),
        questions=read_questions(folder.scores),
        interventions=tuple(read_records(changed, Intervention))
        if changed.exists()
        else (),
    )
