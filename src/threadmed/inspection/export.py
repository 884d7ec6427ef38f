"""Writes what a study has found as logs that Inspect's viewer opens."""

from collections import defaultdict
from collections.abc import Sequence
from datetime import UTC, datetime
from itertools import chain, count
from pathlib import Path
from typing import TYPE_CHECKING

from threadmed.errors import InputError, ModelError
from threadmed.inspection.material import Found, open_study
from threadmed.judgements.scores import item_of
from threadmed.records import Answer, Item, Verdict
from threadmed.store import atomic, read_json, read_records, read_scores
from threadmed.study import Folder, RunManifest

if TYPE_CHECKING:
    from inspect_ai.log import EvalLog

SUFFIXES = (".eval", ".json")
"""What a log's name ends in; a path that ends in neither is a folder for several."""

LONGEST = 150
"""Bytes of a model's name in a file's name; file systems take 255, endings included."""


def export_inspect(folder: Folder, out: Path) -> Path:
    """Write a study's results for Inspect: one sample a scored turn and setting.

    Args:
        folder: A study that has been run, wholly or in part.
        out: A file that ends in .eval or .json takes all targets in one log; any
            other path is a folder and gets one log a target, which is what Inspect's
            viewer compares models by.

    Returns:
        `out`.

    Raises:
        ModelError: If Inspect is not installed.
        InputError: If the study has not been run, its files are malformed, or `out`
            cannot be written.
        StudyError: If the study has no judges.
    """
    try:
        import inspect_ai  # noqa: F401 - the message belongs before any work
    except ImportError as cause:
        raise ModelError(
            "logs of Inspect need the inspect-ai package; install it with "
            "pip install 'threadmed[inspect]'"
        ) from cause
    found = _read(folder)
    from threadmed.inspection.logs import log_of

    targets = found.opened.study.targets
    if out.suffix in SUFFIXES:
        _write(log_of(found, targets), out)
        return out
    for target, name in zip(targets, _file_names(targets), strict=True):
        _write(log_of(found, (target,)), out / f"{name}.eval")
    return out


def _read(folder: Folder) -> Found:
    opened = open_study(folder.root)
    verdicts: dict[Item, list[Verdict]] = defaultdict(list)
    given: list[Verdict] = read_records(folder.verdicts, Verdict)  # type: ignore[arg-type]
    for verdict in given:
        verdicts[item_of(verdict)].append(verdict)
    answers = read_records(folder.answers, Answer)
    rows = [
        row
        for row in read_scores(folder.scores)
        if row.target in opened.study.targets
        and (row.thread_id, row.turn) in opened.marked
    ]
    if not rows:
        raise InputError(f"{folder.scores}: holds no score; run the study first")
    return Found(
        opened=opened,
        manifest=read_json(folder.manifest, RunManifest),
        answers={item_of(answer): answer for answer in answers},
        verdicts=verdicts,
        rows=rows,
        written=datetime.fromtimestamp(folder.scores.stat().st_mtime, tz=UTC),
    )


def _file_names(targets: Sequence[str]) -> list[str]:
    """Make file names of models' names, no two alike.

    Example:
        >>> _file_names(["org/model 7b", "org model/7b"])
        ['org_model_7b', 'org_model_7b-2']
        >>> [len(name) for name in _file_names(["x" * 300, "x" * 400])]
        [150, 152]
    """
    names: list[str] = []
    for target in targets:
        plain = "".join(c if c.isalnum() or c in "-._" else "_" for c in target)
        plain = plain.encode()[:LONGEST].decode(errors="ignore")
        again = (f"{plain}-{number}" for number in count(2))
        # Some file systems do not tell capital letters from small ones.
        taken = {name.lower() for name in names}
        names.append(next(n for n in chain([plain], again) if n.lower() not in taken))
    return names


def _write(log: "EvalLog", path: Path) -> None:
    """Write a log whole or not at all."""
    from inspect_ai.log import write_eval_log

    with atomic(path) as temporary:
        is_json = path.suffix == ".json"
        write_eval_log(log, temporary, format="json" if is_json else "eval")
