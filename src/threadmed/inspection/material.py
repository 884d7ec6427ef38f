"""A study as Inspect's tasks and logs see it: scored turns, one a sample."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from threadmed.conversations import turns
from threadmed.errors import StudyError
from threadmed.labels.selection import misconceptions
from threadmed.llm.model import plain
from threadmed.records import (
    Answer,
    Item,
    Label,
    Labelled,
    Model,
    Question,
    Record,
    ScoreRow,
    Setting,
    Thread,
    ThreadId,
    Verdict,
)
from threadmed.run.material import Material, read_material
from threadmed.store import read_records
from threadmed.study import Folder, RunManifest, Study, read_study, study_folder

PANEL = "panel"
"""Key of the joint score, beside one key for each judge."""


class Place(Record, frozen=True, kw_only=True):
    """A scored turn in one setting: what one sample is about."""

    setting: Setting
    thread_id: ThreadId
    turn: int

    @property
    def name(self) -> str:
        """Name it in a log."""
        return f"{self.setting}/{self.thread_id}/{self.turn}"


class Opened(Record, frozen=True, kw_only=True):
    """A study with its threads, its prompts and the labels that decide."""

    folder: Folder
    study: Study
    material: Material
    threads: dict[ThreadId, Thread]
    marked: dict[Question, Labelled]

    def entry(self, name: str) -> Model:
        """Give the model of that name.

        Raises:
            StudyError: If the study describes none.
        """
        known = {model.name: model for model in self.study.models}
        if name not in known:
            raise StudyError(
                f"{self.folder.study}: no [[models]] has the name {name!r}; described "
                f"are {', '.join(known)}"
            )
        return known[name]

    def label(self, place: Place) -> Labelled:
        """Give what is known of the question at a place."""
        return self.marked[place.thread_id, place.turn]

    def question(self, place: Place) -> str:
        """Give the patient's message at a place."""
        return self.threads[place.thread_id].turns[place.turn].question

    def places(self) -> list[Place]:
        """List what is scored, in the order of the study's files."""
        return [
            Place(setting=setting, thread_id=thread.thread_id, turn=turn)
            for setting in self.study.settings
            for thread in self.material.threads
            for turn in turns(setting, self._labelled(thread))
            if (thread.thread_id, turn) in self.marked
        ]

    def _labelled(self, thread: Thread) -> list[int]:
        return [
            turn
            for turn in range(len(thread.turns))
            if (thread.thread_id, turn) in self.marked
        ]


class Found(Record, frozen=True, kw_only=True):
    """A study and what its runs have found."""

    opened: Opened
    manifest: RunManifest
    answers: Mapping[Item, Answer]
    verdicts: Mapping[Item, Sequence[Verdict]]
    rows: Sequence[ScoreRow]
    written: datetime
    """When the scores were written."""


def open_study(path: Path) -> Opened:
    """Read a study and the labels that say which of its questions are scored.

    Args:
        path: The study folder, or the study.toml in it.

    Raises:
        InputError: If a file is missing or malformed.
        StudyError: If nobody judges, if a judge has a name that the panel needs, or
            if the labels that decide have yet to be made.
    """
    folder = study_folder(path.parent if path.name == "study.toml" else path)
    study = read_study(folder)
    if not study.panel.judges:
        raise StudyError(f"{folder.study}: panel.judges is empty; name at least one")
    if PANEL in study.panel.judges:
        raise StudyError(
            f"{folder.study}: a judge is called {PANEL!r}, which is what the joint "
            "score is called in Inspect's logs; give the judge another name"
        )
    material = read_material(folder, study)
    return Opened(
        folder=folder,
        study=study,
        material=material,
        threads={thread.thread_id: thread for thread in material.threads},
        marked=dict(misconceptions(_labels(folder, material), material.source)),
    )


def _labels(folder: Folder, material: Material) -> list[Label]:
    """Take the labels that came with the data, or those that a run has made."""
    given: list[Label] = list(material.given)
    if any(label.source == material.source for label in given):
        return given
    if not folder.labels.exists():
        raise StudyError(
            f"{folder.labels}: no such file, and {material.source} decides which "
            f"questions are asked; run `threadmed run {folder.root} --only identify`"
        )
    threads = {thread.thread_id for thread in material.threads}
    made: list[Label] = read_records(folder.labels, Label)  # type: ignore[arg-type]
    return [label for label in made if label.thread_id in threads]


def metadata(opened: Opened, place: Place) -> dict[str, Any]:
    """Give what Inspect's viewer and its metrics know of a sample."""
    label = opened.label(place)
    return {
        "setting": place.setting,
        "thread": place.thread_id,
        "turn": place.turn,
        "misconception": plain(label.belief),
        "correction": plain(label.correction),
        "label_source": label.source,
    }


def inspect_name(entry: Model) -> str:
    """Spell a study's model in the way of Inspect.

    Raises:
        StudyError: If the model is one that Inspect has no provider for.

    Example:
        >>> inspect_name(Model(name="a", model="openai:gpt-4o"))
        'openai/gpt-4o'
        >>> inspect_name(Model(name="b", model="inspect:mistral/mistral-large-latest"))
        'mistral/mistral-large-latest'
    """
    provider, _, name = entry.model.partition(":")
    if provider == "inspect":
        return name
    if provider in {"openai", "anthropic", "google"}:
        return f"{provider}/{name}"
    raise StudyError(
        f"{entry.name}: Inspect has no provider for {entry.model}; name another model "
        f"for it with --model-role {entry.name}=PROVIDER/MODEL"
    )
