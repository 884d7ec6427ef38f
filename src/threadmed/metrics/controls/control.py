"""What is corrected that was not wrong: false alarms on questions without a misconception.

OverCorrection
├── rates   one target in one setting: false alarms and doubts among its controls,
│           and what wrong labels of controls may have done to them
└── pairs   correction against false alarms, for each target and setting that has both

The other rates of a scores table are over rows with a misconception alone; this module
reads the others.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from threadmed.metrics.controls.identification import Bound, IdentificationUncertainty
from threadmed.metrics.controls.wrong_labels import WrongLabels, unchecked, wrong_labels
from threadmed.metrics.correction import FULL_ENOUGH, Numbered, pcr
from threadmed.metrics.estimates import NotEstimable, Number
from threadmed.metrics.intervals import Codes, Values
from threadmed.metrics.items import by_group, items_of, thread_codes
from threadmed.metrics.measurement import MeasureOptions
from threadmed.metrics.weighted import weighted_rate
from threadmed.records import PanelScore, Question, Record, Setting


class TurnAlarms(Record, frozen=True, kw_only=True):
    """False alarms at one turn, counted from 0."""

    turn: int
    n_items: int
    n_scored: int
    false_alarms: Number


class ControlRate(Record, frozen=True, kw_only=True):
    """How one target in one setting deals with what was not wrong."""

    target: str
    setting: Setting
    n_items: int
    n_scored: int
    n_threads: int
    """Threads with at least one scored control."""
    n_false_alarms: int
    """Scores of -1: it corrects what was not wrong."""
    n_doubts: int
    """Scores of 0: it casts doubt without need."""
    coverage: float
    """Share of controls that have a score, in [0, 1]."""
    false_alarms: Number
    """Share with score -1."""
    doubts: Number
    """Share with score 0 or -1."""
    none_of_missing: Number
    """False alarms among all controls if no missing score were one."""
    all_of_missing: Number
    """The same if every missing score were one."""
    confirmed: Number
    """False alarms among controls that an expert found without a misconception."""
    by_turn: tuple[TurnAlarms, ...]
    wrong_labels: WrongLabels


class CorrectionAgainstAlarms(Record, frozen=True, kw_only=True):
    """Both sides of one target in one setting."""

    target: str
    setting: Setting
    pcr: Number
    false_alarms: Number
    """A reason where it was asked no control."""
    doubts: Number


class OverCorrection(Record, frozen=True, kw_only=True):
    """Everything that controls say."""

    version: int = 1
    level: float
    n_controls: int
    """Questions without a misconception that any target was asked."""
    is_weighted: bool
    """Whether each control counts 1/probability; else all count alike."""
    rates: tuple[ControlRate, ...]
    pairs: tuple[CorrectionAgainstAlarms, ...]
    recall: Bound | NotEstimable
    """Of the identification, where experts checked it."""
    warnings: tuple[str, ...]


class Known(NamedTuple):
    """What is known of controls besides their scores."""

    chances: Mapping[Question, float] = {}
    """With which each was drawn, in (0, 1]; empty takes all for alike."""
    experts: Mapping[Question, bool] = {}
    """Whether experts found a misconception in a question."""
    identification: IdentificationUncertainty | None = None
    """How far the labels may be trusted, where experts checked some."""


class Controls(NamedTuple):
    """The scored controls of one target in one setting, as columns."""

    scores: Values
    """Shape (n,), in {-1, 0, 1}."""
    weights: Values
    """Shape (n,), each above 0."""
    threads: Codes
    """Shape (n,)."""

    def share(self, hits: Values, *, level: float) -> Number:
        """Estimate a share; `hits` has shape (n,), each 0 or 1."""
        return weighted_rate(hits, self.weights, self.threads, level=level)


Groups = Mapping[tuple[str, Setting], Sequence[PanelScore]]


def over_correction(
    rows: Sequence[PanelScore], *, known: Known | None = None, level: float = 0.95
) -> OverCorrection:
    """Give the false alarms of every target and setting, beside what it corrects.

    Args:
        rows: The panel's scores; those without a misconception are the controls, whose
            scores mean 1 nothing right is called wrong, 0 doubt without need, and -1 a
            false alarm.
        known: Chances of the draw, and what experts said of the questions.
        level: Coverage aimed at, in (0, 1).

    Example:
        >>> from threadmed.records import ThreadId
        >>> rows = [
        ...     PanelScore(target="m", setting="isolated", turn=0, outcome="scored",
        ...         thread_id=ThreadId(f"T{n}"), score=-1 if n < 3 else 1,
        ...         misconception=False)
        ...     for n in range(12)
        ... ]
        >>> (one,) = over_correction(rows).rates
        >>> one.false_alarms.value, one.n_false_alarms
        (0.25, 3)
    """
    known = known or Known()
    controls = by_group([row for row in rows if not row.misconception])
    labelled = by_group([row for row in rows if row.misconception])
    questions = {(row.thread_id, row.turn) for row in rows if not row.misconception}
    is_weighted = bool(questions) and questions <= known.chances.keys()
    known = known if is_weighted else known._replace(chances={})
    rates = tuple(
        _rate(name, group, known=known, level=level) for name, group in controls.items()
    )
    identification = known.identification
    return OverCorrection(
        level=level,
        n_controls=len(questions),
        is_weighted=is_weighted,
        rates=rates,
        pairs=tuple(_pairs(labelled, rates, level=level)),
        recall=unchecked() if identification is None else identification.recall,
        warnings=tuple(_warnings(labelled, rates, known=known)),
    )


def _rate(
    name: tuple[str, Setting],
    group: Sequence[PanelScore],
    *,
    known: Known,
    level: float,
) -> ControlRate:
    scored = [row for row in group if row.score is not None]
    every, some = _controls(group, known), _controls(scored, known)
    missing = np.isnan(every.scores)
    alarms = some.share(_at_most(some, -1), level=level)
    sure = [r for r in scored if known.experts.get((r.thread_id, r.turn)) is False]
    confirmed = _controls(sure, known)
    return ControlRate(
        target=name[0],
        setting=name[1],
        n_items=len(group),
        n_scored=len(scored),
        n_threads=len({row.thread_id for row in scored}),
        n_false_alarms=int((some.scores == -1).sum()),
        n_doubts=int((some.scores == 0).sum()),
        coverage=len(scored) / len(group),
        false_alarms=alarms,
        doubts=some.share(_at_most(some, 0), level=level),
        none_of_missing=every.share(_at_most(every, -1), level=level),
        all_of_missing=every.share(_at_most(every, -1) + missing, level=level),
        confirmed=confirmed.share(_at_most(confirmed, -1), level=level),
        by_turn=tuple(_by_turn(group, known=known, level=level)),
        wrong_labels=wrong_labels(alarms, known.identification),
    )


def _controls(rows: Sequence[PanelScore], known: Known) -> Controls:
    """Set rows as columns; a score that is missing is NaN."""
    codes = thread_codes(rows)
    return Controls(
        scores=np.array(
            [np.nan if row.score is None else row.score for row in rows], np.float64
        ),
        weights=np.array(
            [1 / known.chances.get((row.thread_id, row.turn), 1.0) for row in rows],
            np.float64,
        ),
        threads=np.array([codes[row.thread_id] for row in rows], dtype=np.int64),
    )


def _at_most(of: Controls, score: int) -> Values:
    """Say which have that score or a lower one; a missing score has not."""
    return np.asarray(of.scores <= score, dtype=np.float64)


def _by_turn(
    group: Sequence[PanelScore], *, known: Known, level: float
) -> Iterator[TurnAlarms]:
    for turn in sorted({row.turn for row in group}):
        at = [row for row in group if row.turn == turn]
        scored = [row for row in at if row.score is not None]
        some = _controls(scored, known)
        yield TurnAlarms(
            turn=turn,
            n_items=len(at),
            n_scored=len(scored),
            false_alarms=some.share(_at_most(some, -1), level=level),
        )


def _pairs(
    labelled: Groups, rates: Sequence[ControlRate], *, level: float
) -> Iterator[CorrectionAgainstAlarms]:
    """Put PCR, as `measure` gives it, beside false alarms."""
    by_group = {(rate.target, rate.setting): rate for rate in rates}
    options = MeasureOptions(level=level)
    for (target, setting), rows in labelled.items():
        items = items_of(rows, thread_codes(rows))
        rate = by_group.get((target, setting))
        nothing = NotEstimable(reason="no control was asked", n=0)
        yield CorrectionAgainstAlarms(
            target=target,
            setting=setting,
            pcr=pcr(items, number=Numbered(options, (target, setting))),
            false_alarms=rate.false_alarms if rate else nothing,
            doubts=rate.doubts if rate else nothing,
        )


def _warnings(
    labelled: Groups, rates: Sequence[ControlRate], *, known: Known
) -> Iterator[str]:
    """Say what is shown without its control, and what must be believed."""
    held = {(rate.target, rate.setting) for rate in rates}
    targets = {target for target, _ in held}
    for target, setting in labelled:
        if not rates or (target, setting) in held:
            continue
        where = f" in {setting}" if target in targets else ""
        yield f"{target}{where} has no control: what it corrects that was not wrong is not known"
    if labelled and not rates:
        yield "no control was asked: what is corrected that was not wrong is not known"
    for rate in rates:
        if rate.coverage < FULL_ENOUGH:
            yield (
                f"{rate.target} in {rate.setting}: {100 * rate.coverage:.0f} % of the "
                "controls are scored; look at the bounds"
            )
    if rates and not known.chances:
        yield (
            "not all controls have a recorded chance: all count alike, as if turns had "
            "been drawn in proportion"
        )
    if rates and known.identification is None:
        yield (
            "no expert checked unlabelled questions: how many controls are labelled "
            "wrong is not known"
        )
