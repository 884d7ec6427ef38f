"""Reads experts' ratings beside a study's labels and verdicts; the door is `validate`."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from threadmed.errors import InputError
from threadmed.judgements.scores import Item, item_of, scores_by_judge
from threadmed.labels.experts import IDENTIFICATION, SCORING, Reading, read_ratings
from threadmed.metrics.estimates import NotEstimable
from threadmed.metrics.validation import (
    IdentificationValidation,
    Place,
    Said,
    ScoringValidation,
    Validation,
    place_of,
    validate_labels,
    validate_scores,
)
from threadmed.records import Label, Labelled, Rating, Score, Verdict
from threadmed.store import read_records, read_scores, write_json
from threadmed.study import Folder, Study, read_study

IDENTIFICATION_FILE = "identification.csv"
SCORING_FILE = "scoring.csv"
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
    labels_of = identification or _file(
        folder, study.validation.identification, IDENTIFICATION_FILE
    )
    scores_of = scoring or _file(folder, study.validation.scoring, SCORING_FILE)
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


def _file(folder: Folder, named: str | None, usual: str) -> Path | None:
    """Find a file of ratings; one that the study names must be there."""
    if named is not None:
        return folder.root / named
    path = folder.ratings / usual
    return path if path.exists() else None


def _identification(
    folder: Folder, path: Path | None
) -> IdentificationValidation | NotEstimable:
    if path is None:
        return _nothing(folder.ratings / IDENTIFICATION_FILE)
    ratings = _read(path, IDENTIFICATION, question_of, needs=("thread_id", "turn"))
    labels: list[Label] = read_records(folder.labels, Label)  # type: ignore[arg-type]
    said: dict[str, dict[Place, str | None]] = defaultdict(dict)
    for label in labels:
        place = ("", "", label.thread_id, label.turn)
        said[label.source][place] = _yes_or_no(label)
    _refuse_strangers(path, ratings, said.values())
    return validate_labels(ratings, said)


def _yes_or_no(label: Label) -> str | None:
    if not isinstance(label, Labelled):
        return None
    return "yes" if label.misconception else "no"


def question_of(rating: Rating) -> Rating:
    """Take a rating for one of the question alone, whatever answer it came with."""
    return Rating(
        item=rating.item,
        rater=rating.rater,
        value=rating.value,
        thread_id=rating.thread_id,
        turn=rating.turn,
        probability=rating.probability,
        stratum=rating.stratum,
        note=rating.note,
        belief=rating.belief,
    )


def _scoring(
    folder: Folder, study: Study, path: Path | None
) -> ScoringValidation | NotEstimable:
    if path is None:
        return _nothing(folder.ratings / SCORING_FILE)
    needs = ("thread_id", "turn", "target", "setting")
    ratings = _read(path, SCORING, lambda rating: rating, needs=needs)
    panel: dict[Place, Score | None] = {
        item_of(row): row.score for row in read_scores(folder.scores)
    }
    _refuse_strangers(path, ratings, [panel])
    return validate_scores(
        ratings,
        _by_judge(folder, study),
        panel,
        is_lazy=study.panel.lazy,
    )


def _by_judge(folder: Folder, study: Study) -> dict[str, dict[Place, Score | None]]:
    """Give each judge's score of each answer that it was asked about."""
    verdicts: list[Verdict] = read_records(folder.verdicts, Verdict)  # type: ignore[arg-type]
    given: dict[Item, list[Verdict]] = defaultdict(list)
    for verdict in verdicts:
        given[item_of(verdict)].append(verdict)
    found: dict[str, dict[Place, Score | None]] = {
        judge: {} for judge in study.panel.judges
    }
    for item, said in given.items():
        for judge, score in scores_by_judge(said, by=study.panel).items():
            found.setdefault(judge, {})[item] = score
    return found


def _nothing(path: Path) -> NotEstimable:
    return NotEstimable(reason=f"there is no {path.parent.name}/{path.name}", n=0)


def _read(
    path: Path,
    reading: Reading,
    taken: Callable[[Rating], Rating],
    *,
    needs: Sequence[str],
) -> list[Rating]:
    """Read ratings of places in a study, each place under one name."""
    ratings = [taken(rating) for rating in read_ratings(path, reading=reading)]
    names: dict[Place, str] = {}
    for rating in ratings:
        lacking = [name for name in needs if getattr(rating, name) in {None, ""}]
        if lacking:
            raise InputError(
                f"{path}: item {rating.item} has no {lacking[0]}; needed are "
                f"{', '.join(needs)}"
            )
        name = names.setdefault(place_of(rating), rating.item)
        if name != rating.item:
            raise InputError(
                f"{path}: items {name} and {rating.item} are the same place, turn "
                f"{rating.turn} of {rating.thread_id}; give both one name"
            )
    return ratings


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
