"""Reads what a study folder holds; what is not there yet is empty or None."""

from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import TypeVar

import msgspec

from threadmed.dataset.manifest import (
    BothStatistics,
    FunnelStep,
    RoleCount,
    YearCount,
)
from threadmed.dataset.sample import sample_hashes
from threadmed.errors import InputError
from threadmed.judgements.panel import asked_last
from threadmed.judgements.scores import panel_scores
from threadmed.labels.control import DrawnControl
from threadmed.labels.harms import harm_classes, read_harms
from threadmed.metrics import Measurement, SideBySide, measure, side_by_side
from threadmed.metrics.agreement.validation import (
    Place,
    Validation,
    validate_labels,
    validate_scores,
)
from threadmed.metrics.arms import Arms, measure_arms
from threadmed.metrics.contrasts import main_setting
from threadmed.metrics.controls.control import Known, OverCorrection, over_correction
from threadmed.metrics.controls.identification import (
    IdentificationUncertainty,
    identification_uncertainty,
)
from threadmed.metrics.controls.severity import Severity, severity
from threadmed.metrics.corrected.correct import correct
from threadmed.metrics.corrected.records import CorrectionOptions, JudgeCorrection
from threadmed.metrics.estimates import NotEstimable
from threadmed.metrics.panel.quality import PanelOptions, PanelQuality, panel_quality
from threadmed.records import (
    Answer,
    Harm,
    Intervention,
    Label,
    Labelled,
    PanelScore,
    Question,
    Record,
    Score,
    Setting,
    Thread,
    Verdict,
)
from threadmed.report.expertise import (
    Expertise,
    by_judge,
    judged,
    judging,
    labelled,
    read_expertise,
)
from threadmed.report.single_turn import once, rated_once, shared_settings
from threadmed.store import read_json, read_records, read_scores
from threadmed.study import Folder, RunManifest

T = TypeVar("T")


class DumpFile(Record, frozen=True, kw_only=True):
    """Which file a dataset was built from."""

    sha256: str


class Dataset(Record, frozen=True, kw_only=True):
    """What a report shows of a dataset's manifest; its other keys are passed over."""

    partial: bool
    funnel: tuple[FunnelStep, ...]
    statistics: BothStatistics
    flair: tuple[RoleCount, ...]
    years: tuple[YearCount, ...] = ()
    """Empty where an older build did not count them."""
    inputs: tuple[DumpFile, ...] = ()

    @property
    def is_invented(self) -> bool:
        """Whether all dump files are those of the bundled sample."""
        hashes = {file.sha256 for file in self.inputs}
        return bool(hashes) and hashes <= sample_hashes()


class Found(Record, frozen=True, kw_only=True, dict=True):
    """Everything that a report is made of: what was read, and what follows from it.

    What takes long to compute, or is not for every study, is computed once it is
    asked for.
    """

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
    experts: Expertise = Expertise()
    interventions: tuple[Intervention, ...] = ()
    controls: tuple[DrawnControl, ...] = ()
    harms: Mapping[Question, Harm] = {}
    """Classes that experts gave."""
    shared: tuple[Setting, ...] = ()
    """Settings that are one request throughout, as every question is a first one; what
    is here is that of the first of them alone."""

    @cached_property
    def plain(self) -> Measurement | None:
        """Give the numbers of targets that are asked plainly, without their arms."""
        arms = arms_of(self.manifest)
        if self.measured is None or not arms:
            return self.measured
        given = self.measured
        return msgspec.structs.replace(
            given,
            groups=tuple(g for g in given.groups if g.target not in arms),
            settings_same_items=tuple(
                s for s in given.settings_same_items if s.target not in arms
            ),
            losses=tuple(each for each in given.losses if each.target not in arms),
            decompositions=tuple(
                d for d in given.decompositions if d.target not in arms
            ),
        )

    @cached_property
    def arms(self) -> Arms | None:
        """Compare arms with their targets; None where the study has no arm."""
        if not (self.scores and arms_of(self.manifest)):
            return None
        asked = self.manifest.study.contestants()
        return measure_arms(self.scores, self.interventions, asked)

    @cached_property
    def alarms(self) -> OverCorrection | None:
        """Say what was corrected that was not wrong; None without controls."""
        if all(row.misconception for row in self.scores):
            return None
        known = Known(
            {(c.thread_id, c.turn): c.probability for c in self.controls},
            self.experts.carries,
            self.doubt,
        )
        return over_correction(self.scores, known=known)

    @cached_property
    def severity(self) -> Severity | None:
        """Weigh by harm; None where no question has a harm class."""
        harms = harm_classes(self.marked, self.harms)
        if not (self.scores and harms):
            return None
        return severity(self.scores, harms)

    @cached_property
    def both(self) -> SideBySide | None:
        """Give the numbers in both modes."""
        return side_by_side(self.scores) if self.scores else None

    @cached_property
    def validation(self) -> Validation:
        """Hold labels and judges against experts; a part without ratings is a reason."""
        nobody = NotEstimable(reason="no expert has rated any", n=0)
        panel, rated = self.manifest.study.panel, self.experts
        scores: dict[Place, Score | None] = {
            (row.target, row.setting, row.thread_id, row.turn): row.score
            for row in self.scores
        }
        return Validation(
            identification=validate_labels(rated.identification, labelled(self.labels))
            if rated.identification
            else nobody,
            scoring=validate_scores(
                rated.scoring,
                by_judge(judged(self.verdicts, panel), panel),
                scores,
                selected=asked_last(panel.judges, lazy=panel.lazy),
            )
            if rated.scoring and scores
            else nobody,
        )

    @cached_property
    def corrected(self) -> JudgeCorrection | None:
        """Take the judges' errors out of the rates; None without experts' scores."""
        experts = self.experts.scores
        if not experts or not self.scores:
            return None
        options = CorrectionOptions(seed=self.manifest.study.seed)
        return correct(self.scores, experts, options=options)

    @cached_property
    def doubt(self) -> IdentificationUncertainty | None:
        """Say what experts' checks change; None where no question was checked."""
        carries = self.experts.carries
        if not carries:
            return None
        source = self.manifest.label_source
        labels = [
            label
            for label in self.labels
            if isinstance(label, Labelled) and label.source == source
        ]
        return identification_uncertainty(self.scores, labels, carries)

    @cached_property
    def quality(self) -> PanelQuality | None:
        """Say how the judges agree among themselves; None without verdicts."""
        study = self.manifest.study
        if not (self.verdicts and self.scores and study.panel.judges):
            return None
        return panel_quality(
            self.scores,
            judged(self.verdicts, study.panel),
            panel=judging(study.panel, study.models),
            experts=self.experts.scores,
            options=PanelOptions(seed=study.seed),
        )

    @property
    def is_demonstration(self) -> bool:
        """Whether an embedded model had a part in it."""
        return any(
            model.model.startswith("embedded:") for model in self.manifest.models
        )

    @property
    def main_setting(self) -> Setting:
        """Give the setting that a model's rates are first told of."""
        return main_setting(self.settings)

    @property
    def settings(self) -> tuple[Setting, ...]:
        """Give the settings that are told apart."""
        return self.shared[:1] or self.manifest.study.settings

    @property
    def is_single_turn(self) -> bool:
        """Whether every question that is scored is the first of its thread."""
        return not any(row.turn for row in self.scores)

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
    shared = shared_settings(scores)
    scores = once(scores, shared)
    experts = read_expertise(folder, manifest.study)
    return Found(
        manifest=manifest,
        threads=tuple(read_records(folder.root / manifest.study.threads, Thread)),
        labels=_read(folder.labels, Label),  # type: ignore[arg-type]
        answers=once(_read(folder.answers, Answer), shared),
        verdicts=once(_read(folder.verdicts, Verdict), shared),  # type: ignore[arg-type]
        scores=scores,
        dataset=_dataset(folder, manifest),
        measured=measure(scores, arms=arms_of(manifest)) if scores else None,
        experts=msgspec.structs.replace(
            experts, scoring=rated_once(experts.scoring, shared)
        ),
        shared=shared,
        interventions=_read(folder.interventions, Intervention),
        controls=_read(folder.controls, DrawnControl),
        harms=read_harms(folder.harms) if folder.harms.exists() else {},
    )


def arms_of(manifest: RunManifest) -> frozenset[str]:
    """Name the targets that are arms of others."""
    asked = manifest.study.contestants()
    return frozenset(each.name for each in asked if each.arm is not None)


def _scores(folder: Folder) -> tuple[PanelScore, ...]:
    """Read the panel's scores; a table with a head and no rows is none at all."""
    if len(folder.scores.read_text(encoding="utf-8").splitlines()) <= 1:
        return ()
    return panel_scores(
        read_scores(folder.scores),
        rule="majority",
        primary=None,
        table=str(folder.scores),
    )


def _read(path: Path, kind: type[T]) -> tuple[T, ...]:
    return tuple(read_records(path, kind)) if path.exists() else ()


def _dataset(folder: Folder, manifest: RunManifest) -> Dataset | None:
    """Read what the build said of the threads, where a build made them."""
    path = (folder.root / manifest.study.threads).parent / "manifest.json"
    if not path.exists() or path.resolve() == folder.manifest.resolve():
        return None
    keys = read_json(path, dict[str, msgspec.Raw])
    return read_json(path, Dataset) if "funnel" in keys else None
