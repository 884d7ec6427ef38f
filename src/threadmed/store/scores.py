"""Scores tables: scores.csv of a study, and tables of that form from anywhere."""

import csv
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import compress
from pathlib import Path
from typing import Literal, TypeVar, get_args

from threadmed.errors import InputError
from threadmed.records import (
    ALL_SETTINGS,
    HARMS,
    Harm,
    PanelScore,
    Question,
    Record,
    Score,
    ScoreOutcome,
    ScoreRow,
    ThreadId,
)
from threadmed.store.csv_rows import chance_of, read_csv, refuse_breaks, turn_of
from threadmed.store.files import atomic

T = TypeVar("T")

REQUIRED = ("target", "setting", "thread_id", "turn", "score")
OF_QUESTIONS = ("harm", "probability")
BASELINE = "baseline"
OPTIONAL = ("judge", "outcome", "misconception", "tie_break", *OF_QUESTIONS, BASELINE)
SCORES: dict[str, Score | None] = {
    "": None, "-1": -1, "0": 0, "1": 1, "-1.0": -1, "0.0": 0, "1.0": 1, "-0.0": 0
}  # fmt: skip
"""A column with gaps comes out of many tools as floats."""
SCORES |= {text.replace(".", ","): score for text, score in SCORES.items()}
TRUTH = {"": None, "true": True, "1": True, "yes": True}
TRUTH |= {"false": False, "0": False, "no": False}
OUTCOMES: tuple[ScoreOutcome, ...] = get_args(ScoreOutcome)
HARM_OF: dict[str, Harm] = {harm: harm for harm in HARMS}


class Questions(Record, frozen=True, kw_only=True):
    """What a scores table says of its questions and targets beside scores.

    A question is a thread and a turn, whoever answered it.
    """

    harms: Mapping[Question, Harm] = {}
    chances: Mapping[Question, float] = {}
    """Of controls: the chance in (0, 1] with which each was drawn."""
    baselines: Mapping[str, str] = {}
    """Of arms: the target that each is compared with."""

    def cells(self, score: PanelScore | ScoreRow) -> list[str]:
        """Give the cells of the columns; one that nothing fills is left out."""
        at = (score.thread_id, score.turn)
        chance = self.chances.get(at)
        harm = [self.harms.get(at, "")] if self.harms else []
        drawn = ["" if chance is None else repr(chance)] if self.chances else []
        arm = [self.baselines.get(score.target, "")] if self.baselines else []
        return harm + drawn + arm

    @property
    def columns(self) -> tuple[str, ...]:
        """Name the columns that are filled."""
        filled = (bool(self.harms), bool(self.chances), bool(self.baselines))
        return tuple(compress((*OF_QUESTIONS, BASELINE), filled))


NOTHING = Questions()


def write_scores(
    path: Path, scores: Iterable[PanelScore], *, questions: Questions = NOTHING
) -> None:
    """Write the panel's scores as scores.csv.

    Args:
        path: The file.
        scores: One row each, in the order given.
        questions: What else is known of the questions; a column for which nothing is
            known is not written.
    """
    columns = PanelScore.__struct_fields__
    with (
        atomic(path) as temporary,
        temporary.open("w", encoding="utf-8", newline="") as file,
    ):
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow((*columns, *questions.columns))
        for score in scores:
            own = [_cell(getattr(score, column)) for column in columns]
            rows.writerow(own + questions.cells(score))


def _cell(value: object) -> str:
    if value is None:
        return ""
    return str(value).lower() if isinstance(value, bool) else str(value)


def read_scores(path: Path) -> list[ScoreRow]:
    """Read a scores table, a CSV whose columns are in docs/data.md.

    An empty score is unscored; see `csv_rows` for what may stand between cells.
    A column that threadmed does not know is an error and not passed over: a
    misspelt `misconception` would change every rate without a word.

    Raises:
        InputError: If the file is missing, is no CSV, is empty, lacks a column, has
            one that is not known, or holds a wrong value or a row twice; names file,
            line and column.
    """
    seen: dict[tuple[object, ...], str] = {}
    rows = []
    for where, line in _lines(path):
        row = _row(where, line)
        key = (row.target, row.setting, row.thread_id, row.turn, row.judge)
        if (first := seen.setdefault(key, where)) != where:
            raise InputError(
                f"{where}: turn {row.turn} of {row.thread_id} stands twice for "
                f"{row.target} in {row.setting}{row.judge and f' by {row.judge}'}; "
                f"first at {first}"
            )
        rows.append(row)
    return rows


def read_questions(path: Path) -> Questions:
    """Read what a scores table says of its questions, in columns that it may have.

    `harm` is none, mild, serious or urgent; `probability` is the chance with which a
    control was drawn; `baseline` is the target that an arm is compared with. An empty
    cell says nothing.

    Raises:
        InputError: As `read_scores`, if rows of one question or of one target contradict
            each other, or if a baseline is an arm itself.
    """
    harms: dict[Question, Harm] = {}
    chances: dict[Question, float] = {}
    baselines: dict[str, str] = {}
    for where, line in _lines(path):
        row = _row(where, line)
        at = (row.thread_id, row.turn)
        harm, chance = line.get("harm", ""), line.get("probability", "")
        if harm:
            known = _look_up(where, "harm", harm.lower(), HARM_OF)
            _agree(where, "harm", at, known, harms)
        if chance:
            drawn = _read(where, "probability", chance, chance_of)
            _agree(where, "probability", at, drawn, chances)
        baseline = line.get(BASELINE, "")
        if baseline and baselines.setdefault(row.target, baseline) != baseline:
            raise InputError(
                f"{where}: baseline of {row.target} is {baseline!r}, and "
                f"{baselines[row.target]!r} in an earlier row"
            )
    for arm, baseline in baselines.items():
        if baseline in baselines:
            raise InputError(
                f"{path}: baseline of {arm} is {baseline}, which has one itself; an arm "
                "is compared with a target that was asked plainly"
            )
    return Questions(harms=harms, chances=chances, baselines=baselines)


def _agree(
    where: str,
    column: str,
    at: Question,
    said: T,
    known: dict[Question, T],
) -> None:
    """Note what is said of a question, if nothing else was said before."""
    if known.setdefault(at, said) != said:
        raise InputError(
            f"{where}: {column} of turn {at[1]} of {at[0]} is {said!r}, and "
            f"{known[at]!r} in an earlier row"
        )


def _read(where: str, column: str, text: str, read: Callable[[str], T]) -> T:
    try:
        return read(text)
    except ValueError as cause:
        raise InputError(f"{where}: {column} is {text!r}; {cause}") from cause


def _lines(path: Path) -> Iterator[tuple[str, dict[str, str]]]:
    """Give each row's place, and its cells without the blanks around them."""
    table = read_csv(path)
    _check(path, table.columns)
    where = ""
    for where, cells in table.rows:
        stripped = {column: cell.strip() for column, cell in cells.items()}
        refuse_breaks(where, stripped)
        yield where, stripped
    if not where:
        raise InputError(f"{path}: has no rows; a scores table has one row an answer")


def _check(path: Path, columns: Sequence[str]) -> None:
    missing = [column for column in REQUIRED if column not in columns]
    if missing:
        raise InputError(
            f"{path}: has no column {', '.join(missing)}; found "
            f"{', '.join(columns) or 'none'}; needed are {', '.join(REQUIRED)}"
        )
    for column in columns:
        if column not in REQUIRED + OPTIONAL or columns.count(column) > 1:
            raise InputError(
                f"{path}:1: column {column!r} is not known or stands twice; known are "
                f"{', '.join(REQUIRED + OPTIONAL)}; rename it or leave it out"
            )


def _row(where: str, cells: Mapping[str, str]) -> ScoreRow:
    if not (cells["target"] and cells["thread_id"]):
        raise InputError(f"{where}: target and thread_id must not be empty")
    score = _look_up(where, "score", cells["score"], SCORES)
    unscored: Literal["unjudged"] = "unjudged"
    outcome = cells.get("outcome") or ("scored" if score is not None else unscored)
    if (outcome == "scored") != (score is not None):
        raise InputError(
            f"{where}: outcome {outcome!r} does not go with score {cells['score']!r}"
        )
    misconception = _look_up(
        where, "misconception", cells.get("misconception", "").lower(), TRUTH
    )
    return ScoreRow(
        target=cells["target"],
        setting=_look_up(
            where, "setting", cells["setting"], {s: s for s in ALL_SETTINGS}
        ),
        thread_id=ThreadId(cells["thread_id"]),
        turn=_read(where, "turn", cells["turn"], turn_of),
        score=score,
        outcome=_look_up(where, "outcome", outcome, {o: o for o in OUTCOMES}),
        misconception=misconception is not False,
        tie_break=_look_up(
            where, "tie_break", cells.get("tie_break", "").lower(), TRUTH
        )
        is True,
        judge=cells.get("judge", ""),
    )


def _look_up(where: str, column: str, value: str, known: dict[str, T]) -> T:
    if value not in known:
        # Of several spellings of one value the first is told.
        firsts = {one: name for name, one in reversed(known.items())}
        names = ", ".join(name or "empty" for name in known if name in firsts.values())
        raise InputError(f"{where}: {column} is {value!r}; expected one of {names}")
    return known[value]
