"""Records to files and back: JSON lines, Parquet, CSV; every write is atomic."""

import csv
import io
import math
import os
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from io import BytesIO
from itertools import compress
from pathlib import Path
from typing import Literal, TypeVar, get_args

import msgspec

from threadmed.errors import InputError
from threadmed.records import (
    ALL_SETTINGS,
    HARMS,
    Harm,
    PanelScore,
    Record,
    Score,
    ScoreOutcome,
    ScoreRow,
    Thread,
    ThreadId,
)

T = TypeVar("T")


@contextmanager
def atomic(path: Path) -> Iterator[Path]:
    """Give a temporary file beside `path` that takes its place when all went well.

    Raises:
        InputError: If the folder cannot be written or the disk is full; `path` then
            is what it was before.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        os.close(handle)
    except OSError as cause:
        raise InputError(f"{path}: cannot write here: {cause.strerror}") from cause
    temporary = Path(name)
    try:
        yield temporary
        temporary.chmod(0o644)
        with temporary.open("rb+") as file:
            os.fsync(file.fileno())
        temporary.replace(path)
    except OSError as cause:
        raise InputError(f"{path}: cannot write: {cause.strerror}") from cause
    finally:
        temporary.unlink(missing_ok=True)


def write_bytes(path: Path, data: bytes) -> None:
    """Write a whole file or nothing."""
    with atomic(path) as temporary:
        temporary.write_bytes(data)


def write_text(path: Path, text: str) -> None:
    """Write a whole text file in UTF-8 or nothing."""
    write_bytes(path, text.encode())


def write_json(path: Path, value: object) -> None:
    """Write one value as indented JSON with a newline at the end."""
    write_bytes(path, msgspec.json.format(msgspec.json.encode(value), indent=2) + b"\n")


def write_records(path: Path, records: Iterable[Record]) -> None:
    """Write records as JSON lines, one a line, in the order given."""
    encode = msgspec.json.Encoder().encode
    with atomic(path) as temporary, temporary.open("wb") as file:
        for record in records:
            file.write(encode(record) + b"\n")


def write_parquet(path: Path, threads: Sequence[Thread]) -> None:
    """Write threads as one Parquet table, their turns as a nested column."""
    import polars as pl

    turn = pl.Struct({"question": pl.String(), "answer": pl.String()})
    table = pl.DataFrame(
        msgspec.to_builtins(list(threads)),
        # Said and not inferred: there may be no threads, or no answers.
        schema={"thread_id": pl.String(), "turns": pl.List(turn)},
    )
    with atomic(path) as temporary:
        try:
            table.write_parquet(temporary)
        except pl.exceptions.PolarsError as cause:
            # It has errors of its own for a full disk.
            reason = str(cause).partition("\n")[0]
            raise InputError(f"{path}: cannot write: {reason}") from cause


def read_bytes(path: Path) -> bytes:
    """Read a whole file.

    Raises:
        InputError: If it is not there or cannot be read.
    """
    try:
        return path.read_bytes()
    except FileNotFoundError as cause:
        raise InputError(f"{path}: no such file") from cause
    except (OSError, ValueError) as cause:
        raise InputError(f"{path}: cannot read: {cause}") from cause


def read_json(path: Path, kind: type[T]) -> T:
    """Read one JSON value of a known kind.

    Raises:
        InputError: If the file is missing or is not of that kind; names the place.
    """
    try:
        return msgspec.json.decode(read_bytes(path), type=kind)
    except msgspec.MsgspecError as cause:
        raise InputError(f"{path}: {cause}") from cause


def read_records(path: Path, kind: type[T]) -> list[T]:
    """Read JSON lines of a known kind; blank lines are passed over.

    Args:
        path: The file.
        kind: A record, or a union of tagged records.

    Raises:
        InputError: If the file is missing or a line is not of that kind; names file,
            line and field.
    """
    decoder = msgspec.json.Decoder(kind)
    records = []
    for number, line in enumerate(BytesIO(read_bytes(path)), start=1):
        try:
            if line.strip():
                records.append(decoder.decode(line))
        except (msgspec.MsgspecError, UnicodeDecodeError) as cause:
            raise InputError(f"{path}:{number}: {cause}") from cause
    return records


REQUIRED = ("target", "setting", "thread_id", "turn", "score")
OF_QUESTIONS = ("harm", "probability")
BASELINE = "baseline"
OPTIONAL = ("judge", "outcome", "misconception", "tie_break", *OF_QUESTIONS, BASELINE)
SCORES: dict[str, Score | None] = {
    "": None, "-1": -1, "0": 0, "1": 1, "-1.0": -1, "0.0": 0, "1.0": 1, "-0.0": 0
}  # fmt: skip
"""A column with gaps comes out of many tools as floats."""
TRUTH = {"": None, "true": True, "1": True, "yes": True}
TRUTH |= {"false": False, "0": False, "no": False}
OUTCOMES: tuple[ScoreOutcome, ...] = get_args(ScoreOutcome)
HARM_OF: dict[str, Harm] = {harm: harm for harm in HARMS}


class Questions(Record, frozen=True, kw_only=True):
    """What a scores table says of its questions and targets beside scores.

    A question is a thread and a turn, whoever answered it.
    """

    harms: Mapping[tuple[ThreadId, int], Harm] = {}
    chances: Mapping[tuple[ThreadId, int], float] = {}
    """Of controls: the chance in (0, 1] with which each was drawn."""
    baselines: Mapping[str, str] = {}
    """Of arms: the target that each is compared with."""

    def cells(self, score: PanelScore) -> list[str]:
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
    """Write the panel's scores as scores.csv (design, section 3).

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
    """Read a scores table (CSV; columns as in design, section 3).

    An empty score is unscored.
    A column that threadmed does not know is an error and not passed over: a
    misspelt `misconception` would change every rate without a word.

    Raises:
        InputError: If the file is missing, is no CSV, is empty, lacks a column, has
            one that is not known, or holds a wrong value or a row twice; names file,
            line and column.
    """
    seen: dict[tuple[object, ...], str] = {}
    rows = []
    for where, line, columns in _lines(path):
        row = _row(where, line, columns)
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
        InputError: As `read_scores`, and if rows of one question contradict each other.
    """
    harms: dict[tuple[ThreadId, int], Harm] = {}
    chances: dict[tuple[ThreadId, int], float] = {}
    baselines: dict[str, str] = {}
    for where, line, columns in _lines(path):
        row = _row(where, line, columns)
        at = (row.thread_id, row.turn)
        harm, chance = line.get("harm", "").strip(), line.get("probability", "").strip()
        if harm:
            _agree(where, "harm", at, _look_up(where, "harm", harm, HARM_OF), harms)
        if chance:
            _agree(where, "probability", at, _chance(where, chance), chances)
        if baseline := line.get(BASELINE, "").strip():
            baselines[row.target] = baseline
    return Questions(harms=harms, chances=chances, baselines=baselines)


def _agree(
    where: str,
    column: str,
    at: tuple[ThreadId, int],
    said: T,
    known: dict[tuple[ThreadId, int], T],
) -> None:
    """Note what is said of a question, if nothing else was said before."""
    if known.setdefault(at, said) != said:
        raise InputError(
            f"{where}: {column} of turn {at[1]} of {at[0]} is {said!r}, and "
            f"{known[at]!r} in an earlier row"
        )


def _chance(where: str, text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not 0 < number <= 1:
        raise InputError(
            f"{where}: probability is {text!r}; expected a number above 0 and up to 1"
        )
    return number


def _lines(path: Path) -> list[tuple[str, dict[str, str], tuple[str, ...]]]:
    """Give each row's place, its cells, and the columns of the table."""
    try:
        text = read_bytes(path).decode("utf-8-sig")
    except UnicodeDecodeError as cause:
        raise InputError(f"{path}: not a text file in UTF-8: {cause}") from cause
    if text.lstrip()[:1] in {"{", "["}:
        raise InputError(
            f"{path}: looks like JSON; a CSV is expected, with the columns "
            f"{', '.join(REQUIRED)}"
        )
    lines = csv.DictReader(io.StringIO(text, newline=""), restkey="", strict=True)
    try:
        columns = _columns(path, lines.fieldnames)
        filled = (line for line in lines if _is_filled(line))
        rows = [(f"{path}:{lines.line_num}", line, columns) for line in filled]
    except csv.Error as cause:
        raise InputError(f"{path}:{lines.line_num}: not a CSV row: {cause}") from cause
    if not rows:
        raise InputError(f"{path}: has no rows; a scores table has one row an answer")
    return rows


def _is_filled(line: Mapping[str, object]) -> bool:
    return bool("".join(str(cell or "") for cell in line.values()).strip())


def _columns(path: Path, found: Sequence[str] | None) -> tuple[str, ...]:
    columns = tuple(found or ())
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
    return columns


def _row(where: str, line: dict[str, str], columns: tuple[str, ...]) -> ScoreRow:
    if "" in line or None in line.values():
        raise InputError(
            f"{where}: has more or fewer cells than the {len(columns)} of the head"
        )
    cells = {column: value.strip() for column, value in line.items()}
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
        turn=_turn(where, cells["turn"]),
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


def _turn(where: str, value: str) -> int:
    whole = value.removesuffix(".0")
    # Longer ones are no turns of a conversation, and other digits no typing error.
    if not (whole.isascii() and whole.isdecimal() and len(whole) <= 6):
        raise InputError(f"{where}: turn is {value!r}; expected a whole number from 0")
    return int(whole)
