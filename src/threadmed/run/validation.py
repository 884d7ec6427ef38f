"""Reads experts' ratings beside a study's labels and verdicts; the door is `validate`."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from threadmed.errors import InputError
from threadmed.judgements.panel import asked_last
from threadmed.judgements.scores import item_of
from threadmed.labels.experts import IDENTIFICATION, SCORING
from threadmed.metrics.agreement.validation import (
    IdentificationValidation,
    Place,
    Said,
    ScoringValidation,
    Validation,
    place_of,
    validate_labels,
    validate_scores,
)
from threadmed.metrics.estimates import NotEstimable
from threadmed.records import Label, Rating, Score, Verdict
from threadmed.report.expertise import (
    IDENTIFICATION_FILE,
    SCORING_FILE,
    by_judge,
    judged,
    labelled,
    placed_ratings,
    ratings_file,
)
from threadmed.store import read_records, read_scores, write_json
from threadmed.study import Folder, Study, read_study

RESULT = "validation.json"


def validate(
    folder: Folder,
    *,
    identification: Path | None = None,
    scoring: Path | None = None,
) -> Validation:
    """Hold a study's labels and scores against experts, and write validation.json.

    Args:
        folder: The study folder.
        identification: Experts' yes or no; None is the file that the study names, or
            `ratings/identification.csv` where it is there.
        scoring: Experts' scores, likewise.

    Returns:
        What was written. A part without a file of ratings is a reason.

    Raises:
        InputError: If a file is missing or malformed, if there are no ratings at all,
            or if none of those rated is in the study.
        StudyError: If study.toml is.
    """
    study = read_study(folder)
    labels_of = identification or ratings_file(
        folder, study.validation.identification, IDENTIFICATION_FILE
    )
    scores_of = scoring or ratings_file(folder, study.validation.scoring, SCORING_FILE)
    if labels_of is None and scores_of is None:
        raise InputError(
            f"{folder.ratings}: has neither {IDENTIFICATION_FILE} nor {SCORING_FILE}; "
            "experts make them with `threadmed annotate`, or give --identification or "
            "--scoring"
        )
    found = Validation(
        identification=_identification(folder, labels_of),
        scoring=_scoring(folder, study, scores_of),
    )
    write_json(folder.root / RESULT, found)
    return found


def _identification(
    folder: Folder, path: Path | None
) -> IdentificationValidation | NotEstimable:
    if path is None:
        return _nothing(folder.ratings / IDENTIFICATION_FILE)
    ratings = placed_ratings(path, IDENTIFICATION, is_of_answers=False)
    labels: list[Label] = read_records(folder.labels, Label)  # type: ignore[arg-type]
    said = labelled(labels)
    _refuse_strangers(path, ratings, said.values())
    return validate_labels(ratings, said)


def _scoring(
    folder: Folder, study: Study, path: Path | None
) -> ScoringValidation | NotEstimable:
    if path is None:
        return _nothing(folder.ratings / SCORING_FILE)
    ratings = placed_ratings(path, SCORING, is_of_answers=True)
    verdicts: list[Verdict] = read_records(folder.verdicts, Verdict)  # type: ignore[arg-type]
    panel: dict[Place, Score | None] = {
        item_of(row): row.score for row in read_scores(folder.scores)
    }
    _refuse_strangers(path, ratings, [panel])
    return validate_scores(
        ratings,
        by_judge(judged(verdicts, study.panel), study.panel),
        panel,
        selected=asked_last(study.panel.judges, lazy=study.panel.lazy),
    )


def _nothing(path: Path) -> NotEstimable:
    return NotEstimable(reason=f"there is no {path.parent.name}/{path.name}", n=0)


def _refuse_strangers(
    path: Path, ratings: Sequence[Rating], said: Iterable[Said | Mapping[Place, object]]
) -> None:
    """Complain of ratings that are of another study altogether."""
    known = {place for each in said for place in each}
    if not any(place_of(rating) in known for rating in ratings):
        first = ratings[0]
        raise InputError(
            f"{path}: none of the items is in this study, as turn {first.turn} of "
            f"{first.thread_id}"
        )
