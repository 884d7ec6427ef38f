"""Where things lie in a study folder, and how its study.toml is read."""

import re
import tomllib
from pathlib import Path
from typing import TypeVar

import msgspec

from threadmed.errors import InputError, StudyError
from threadmed.records import Record
from threadmed.study.checks import complaints
from threadmed.study.file import Study
from threadmed.study.keys import unknown_key

T = TypeVar("T")


class Folder(Record, frozen=True, kw_only=True):
    """Where the files of one study lie; docs/data.md says what each holds."""

    root: Path
    study: Path
    journal: Path
    labels: Path
    answers: Path
    interventions: Path
    verdicts: Path
    scores: Path
    manifest: Path
    controls: Path
    """Which questions without a misconception are asked, where any are."""
    ratings: Path
    harms: Path
    """Harm classes that experts gave."""
    report: Path


def study_folder(root: Path) -> Folder:
    """Lay out the study folder at `root`; nothing is made or read."""
    return Folder(
        root=root,
        study=root / "study.toml",
        journal=root / "journal.sqlite",
        labels=root / "labels.jsonl",
        answers=root / "answers.jsonl",
        interventions=root / "interventions.jsonl",
        verdicts=root / "verdicts.jsonl",
        scores=root / "scores.csv",
        manifest=root / "manifest.json",
        controls=root / "controls.jsonl",
        ratings=root / "ratings",
        harms=root / "ratings" / "harm.csv",
        report=root / "report",
    )


def read_toml(path: Path, kind: type[T]) -> T:
    """Read a TOML file that a person wrote.

    Raises:
        InputError: If it is missing, is not TOML, or has a key or value that does
            not belong; names file, line and key.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except FileNotFoundError as cause:
        raise InputError(f"{path}: no such file") from cause
    except (OSError, UnicodeDecodeError) as cause:
        raise InputError(f"{path}: cannot read: {cause}") from cause
    try:
        return msgspec.convert(tomllib.loads(text), kind, strict=True)
    except tomllib.TOMLDecodeError as cause:
        raise InputError(f"{path}: not TOML: {cause}") from cause
    except msgspec.ValidationError as cause:
        said = unknown_key(str(cause), kind) or cause
        raise InputError(f"{path}:{_line(text, str(cause))}: {said}") from cause


def _line(text: str, complaint: str) -> int:
    r"""Find the line that a complaint of msgspec is about; 1 where it cannot be told.

    Example:
        >>> _line("a = 1\n[panel]\nrule = 3\n", "Expected `str` - at `$.panel.rule`")
        3
    """
    quoted = re.search(r"unknown field `([^`]+)`", complaint)
    place = re.search(r"at `\$\.?([^`]*)`", complaint)
    steps = re.findall(r"[A-Za-z_]\w*|\[(?:\d+|\.\.\.)\]", place[1] if place else "")
    wanted = [*steps, quoted[1]] if quoted else steps
    lines, at = text.splitlines(), 0
    for step in wanted:
        pattern = rf"^\s*(\[+\s*([\w.]+\.)?)?{re.escape(step)}\b"
        if step.startswith("["):
            continue
        found = (n for n in range(at, len(lines)) if re.match(pattern, lines[n]))
        at = next(found, at)
    return at + 1


def read_study(folder: Folder) -> Study:
    """Read and check study.toml.

    Raises:
        InputError: If the file is missing or malformed.
        StudyError: If it names a model that it does not describe, or the like.
    """
    if not folder.root.is_dir():
        raise InputError(f"{folder.root}: no such folder; `threadmed init` makes one")
    study = read_toml(folder.study, Study)
    complaint = next(complaints(study), None)
    if complaint:
        raise StudyError(f"{folder.study}: {complaint}")
    return study
