"""Reads what a study folder holds; what is not there yet is empty or None."""

from pathlib import Path
from typing import TypeVar

import msgspec

from threadmed.dataset.manifest import (
    BothStatistics,
    FunnelStep,
    RoleCount,
    YearCount,
)
from threadmed.errors import InputError
from threadmed.judgements.scores import panel_scores
from threadmed.metrics import Measurement, measure
from threadmed.records import (
    Answer,
    Label,
    Labelled,
    PanelScore,
    Record,
    Setting,
    Thread,
    Verdict,
)
from threadmed.store import read_json, read_records, read_scores
from threadmed.study import Folder, RunManifest

T = TypeVar("T")


class Dataset(Record, frozen=True, kw_only=True):
    """What a report shows of a dataset's manifest; its other keys are passed over."""

    partial: bool
    funnel: tuple[FunnelStep, ...]
    statistics: BothStatistics
    flair: tuple[RoleCount, ...]
    years: tuple[YearCount, ...] = ()
    """Empty where an older build did not count them."""


class Found(Record, frozen=True, kw_only=True):
    """Everything that a report is made of."""

    manifest: RunManifest
    threads: tuple[Thread, ...]
    labels: tuple[Label, ...]
    answers: tuple[Answer, ...]
    verdicts: tuple[Verdict, ...]
    scores: tuple[PanelScore, ...]
    dataset: Dataset | None
    """None where the threads did not come from `threadmed build`."""
    measured: Measurement | None
    """None where no item is there to be scored."""

    @property
    def is_demonstration(self) -> bool:
        """Whether an embedded model had a part in it."""
        return any(
            model.model.startswith("embedded:") for model in self.manifest.models
        )

    @property
    def main_setting(self) -> Setting:
        """Give the setting that a model's rates are first told of."""
        settings = self.manifest.study.settings
        return "multi_turn" if "multi_turn" in settings else settings[0]

    @property
    def marked(self) -> tuple[Labelled, ...]:
        """Give the labels that decided what was answered, where they found a belief."""
        return tuple(
            label
            for label in self.labels
            if isinstance(label, Labelled)
            and label.misconception
            and label.source == self.manifest.label_source
        )


def read_found(folder: Folder) -> Found:
    """Read a study folder.

    Raises:
        InputError: If nothing was run in it yet, or a file is malformed.
    """
    if not folder.manifest.exists():
        raise InputError(
            f"{folder.manifest}: not there yet; `threadmed run {folder.root}` first"
        )
    manifest = read_json(folder.manifest, RunManifest)
    scores: tuple[PanelScore, ...] = ()
    if folder.scores.exists():
        scores = _scores(folder)
    return Found(
        manifest=manifest,
        threads=tuple(read_records(folder.root / manifest.study.threads, Thread)),
        labels=_read(folder.labels, Label),  # type: ignore[arg-type]
        answers=_read(folder.answers, Answer),
        verdicts=_read(folder.verdicts, Verdict),  # type: ignore[arg-type]
        scores=scores,
        dataset=_dataset(folder, manifest),
        measured=measure(scores) if scores else None,
    )


def _scores(folder: Folder) -> tuple[PanelScore, ...]:
    """Read the panel's scores; a table with a head and no rows is none at all."""
    if len(folder.scores.read_text(encoding="utf-8").splitlines()) <= 1:
        return ()
    return panel_scores(read_scores(folder.scores), rule="majority", primary=None)


def _read(path: Path, kind: type[T]) -> tuple[T, ...]:
    return tuple(read_records(path, kind)) if path.exists() else ()


def _dataset(folder: Folder, manifest: RunManifest) -> Dataset | None:
    """Read what the build said of the threads, where a build made them."""
    path = (folder.root / manifest.study.threads).parent / "manifest.json"
    if not path.exists() or path.resolve() == folder.manifest.resolve():
        return None
    keys = read_json(path, dict[str, msgspec.Raw])
    return read_json(path, Dataset) if "funnel" in keys else None
