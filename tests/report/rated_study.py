"""Experts' ratings of an invented study, as `threadmed annotate` would export them."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from report.study_factory import REPLIES, write_run
from threadmed.labels.experts import write_ratings
from threadmed.records import Answer, Label, Labelled, Rating
from threadmed.store import read_records
from threadmed.study import Folder

TARGETS = ("gpt-5", "claude-haiku-4.5")
JUDGES = ("gpt-4o", "claude-sonnet-4", "llama-3.3-70b")
"""Names whose families are known, so that judges have kin among the targets."""


def write_rated(
    root: Path, *, n_threads: int = 60, chance: float = 0.5, **options: object
) -> Folder:
    """Write a study that two experts rated, each item with the same chance.

    A third of the items has both experts; they see what the answer truly is nine times
    in ten.
    """
    asked = {"targets": TARGETS, "judges": JUDGES, **options}
    folder = write_run(root, n_threads=n_threads, **asked)  # type: ignore[arg-type]
    rng = np.random.default_rng(7)
    scores = list(_scores(folder, rng, chance))
    write_ratings(folder.ratings / "scoring.csv", scores)
    labels = list(_labels(folder, rng, chance))
    write_ratings(folder.ratings / "identification.csv", labels)
    return folder


def _scores(
    folder: Folder, rng: np.random.Generator, chance: float
) -> Iterator[Rating]:
    true = {text[:40]: score for score, text in REPLIES.items()}
    labels = read_records(folder.labels, Label)  # type: ignore[arg-type]
    marked = {
        (label.thread_id, label.turn)
        for label in labels
        if isinstance(label, Labelled)
        and label.source == "reference"
        and label.misconception
    }
    for answer in read_records(folder.answers, Answer):
        is_asked = (answer.thread_id, answer.turn) in marked and answer.text
        if not is_asked or rng.random() > chance:
            continue
        for rater in _raters(rng):
            score = true[answer.text[:40]]
            if rng.random() > 0.9:
                score = int(rng.integers(-1, 2))
            yield Rating(
                item=f"{answer.target}/{answer.setting}/{answer.thread_id}/{answer.turn}",
                rater=rater,
                value=str(score),
                thread_id=answer.thread_id,
                turn=answer.turn,
                target=answer.target,
                setting=answer.setting,
                probability=chance,
            )


def _labels(
    folder: Folder, rng: np.random.Generator, chance: float
) -> Iterator[Rating]:
    labels = read_records(folder.labels, Label)  # type: ignore[arg-type]
    for label in labels:
        if label.source != "reference" or rng.random() > chance:
            continue
        for rater in _raters(rng):
            says = label.misconception != (rng.random() > 0.93)
            yield Rating(
                item=f"{label.thread_id}/{label.turn}",
                rater=rater,
                value="yes" if says else "no",
                thread_id=label.thread_id,
                turn=label.turn,
                probability=chance,
            )


def _raters(rng: np.random.Generator) -> tuple[str, ...]:
    if rng.random() < 1 / 3:
        return ("dr-a", "dr-b")
    return ("dr-a",) if rng.random() < 0.5 else ("dr-b",)
