"""What experts said of a study, and what that changes about its numbers."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

from threadmed.errors import InputError
from threadmed.judgements.panel import asked_last, panel
from threadmed.judgements.scores import item_of, scores_by_judge
from threadmed.labels.experts import IDENTIFICATION, SCORING, Reading, read_ratings
from threadmed.metrics.agreement.raters import consensus
from threadmed.metrics.agreement.validation import Place, Said, place_of
from threadmed.metrics.corrected.records import Expert
from threadmed.metrics.panel.quality import Judging
from threadmed.metrics.panel.variants import Rule
from threadmed.records import (
    ADJUDICATED,
    Item,
    Label,
    Labelled,
    Model,
    Question,
    Rating,
    Record,
    Score,
    Verdict,
)
from threadmed.study import Folder, Panel, Study, read_study

Scores = Mapping[Item, Mapping[str, Score | None]]
"""Of each answer the score by judge; None where it was asked and gave none."""

IDENTIFICATION_FILE = "identification.csv"
SCORING_FILE = "scoring.csv"

SCORES: Mapping[str, Score] = {"-1": -1, "0": 0, "1": 1}


class Expertise(Record, frozen=True, kw_only=True):
    """The ratings that lie in a study folder; empty where there are none."""

    identification: tuple[Rating, ...] = ()
    """Whether questions carry a misconception."""
    scoring: tuple[Rating, ...] = ()
    """How far answers correct it."""

    @property
    def raters(self) -> int:
        """How many people scored answers, the one who settles differences apart."""
        return len({r.rater for r in self.scoring if r.rater != ADJUDICATED})

    @property
    def carries(self) -> dict[Question, bool]:
        """Whether the experts together say that a question carries a misconception."""
        return {
            (thread_id, turn): value == "yes"
            for (_, _, thread_id, turn), value in _together(self.identification)
        }

    @property
    def scores(self) -> dict[Item, Expert]:
        """What the experts together say of an answer, with the chance of its draw."""
        chances = {place_of(rating): rating.probability for rating in self.scoring}
        return {
            place: Expert(SCORES[value], chances[place])
            for place, value in _together(self.scoring)
        }


def _together(ratings: Sequence[Rating]) -> list[tuple[Item, str]]:
    """Give what experts agree on, by place."""
    places = {rating.item: place_of(rating) for rating in ratings}
    return [
        (places[item], value)  # type: ignore[misc]
        for item, value in consensus(ratings).values.items()
    ]


def read_expertise(folder: Folder, study: Study) -> Expertise:
    """Read the experts' ratings of a study, where there are any.

    Args:
        folder: The study folder; study.toml may name files that it did not when the
            study was run.
        study: As it was run.

    Raises:
        InputError: If a file is malformed, or names no place of the study for an item.
    """
    named = (read_study(folder) if folder.study.exists() else study).validation
    return Expertise(
        identification=placed_ratings(
            ratings_file(folder, named.identification, IDENTIFICATION_FILE),
            IDENTIFICATION,
            is_of_answers=False,
        ),
        scoring=placed_ratings(
            ratings_file(folder, named.scoring, SCORING_FILE),
            SCORING,
            is_of_answers=True,
        ),
    )


def ratings_file(folder: Folder, named: str | None, usual: str) -> Path | None:
    """Find a file of ratings; one that the study names must be there."""
    if named is not None:
        return folder.root / named
    path = folder.ratings / usual
    return path if path.exists() else None


def placed_ratings(
    path: Path | None, reading: Reading, *, is_of_answers: bool
) -> tuple[Rating, ...]:
    """Read ratings and name each item by its place in the study.

    Args:
        path: The file; None holds nothing.
        reading: The scale.
        is_of_answers: Whether answers were rated, and not questions.

    Raises:
        InputError: If the file is malformed, an item has no place, or somebody rated
            one place twice.
    """
    if path is None:
        return ()
    of_answers = ("target", "setting") if is_of_answers else ()
    needed = ("thread_id", "turn", *of_answers)
    found: dict[tuple[Place, str], Rating] = {}
    for rating in read_ratings(path, reading=reading):
        lacking = [key for key in needed if getattr(rating, key) in {None, ""}]
        if lacking:
            raise InputError(
                f"{path}: item {rating.item} has no {lacking[0]}; needed are "
                f"{', '.join(needed)}"
            )
        placed = rating
        if not is_of_answers:
            placed = msgspec.structs.replace(rating, target="", setting=None)
        place = place_of(placed)
        if (place, rating.rater) in found:
            raise InputError(
                f"{path}: {rating.rater} rates turn {rating.turn} of "
                f"{rating.thread_id} twice, under two names"
            )
        name = "/".join(str(part) for part in place)
        found[place, rating.rater] = msgspec.structs.replace(placed, item=name)
    return tuple(found.values())


def judged(verdicts: Sequence[Verdict], by: Panel) -> Scores:
    """Give each judge's score of every answer that it was asked about."""
    given: dict[Item, list[Verdict]] = defaultdict(list)
    for verdict in verdicts:
        given[item_of(verdict)].append(verdict)
    return {item: scores_by_judge(said, by=by) for item, said in given.items()}


def by_judge(scores: Scores, by: Panel) -> dict[str, dict[Place, Score | None]]:
    """Turn scores of answers by judge into scores of a judge by answer."""
    found: dict[str, dict[Place, Score | None]] = {judge: {} for judge in by.judges}
    for item, said in scores.items():
        for judge, score in said.items():
            found.setdefault(judge, {})[item] = score
    return found


def labelled(labels: Sequence[Label]) -> dict[str, Said]:
    """Give what each source said of every question: yes, no, or nothing."""
    said: dict[str, dict[Place, str | None]] = defaultdict(dict)
    for label in labels:
        place = ("", "", label.thread_id, label.turn)
        word = None
        if isinstance(label, Labelled):
            word = "yes" if label.misconception else "no"
        said[label.source][place] = word
    return dict(said)


def judging(by: Panel, models: Sequence[Model]) -> Judging:
    """Say who judged and by what rule, also in a part of the panel.

    In a part without the primary judge the first judge that is left is primary.
    """

    def rule_for(judges: tuple[str, ...]) -> Rule:
        first = by.primary if by.primary in judges else judges[0]
        primary = None if by.primary is None and by.rule != "primary" else first

        def rule(scores: tuple[Score | None, ...]) -> Score | None:
            said = dict(zip(judges, scores, strict=True))
            return panel(said, judges=judges, rule=by.rule, primary=primary).score

        return rule

    return Judging(
        by.judges,
        rule_for,
        {model.name: model.model for model in models},
        frozenset(asked_last(by.judges, lazy=by.lazy)),
    )
