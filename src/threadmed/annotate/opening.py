"""Opens the store of a study, and draws for each task what is rated, once."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NoReturn

from threadmed.annotate.candidates import read_candidates
from threadmed.annotate.ledger import Ledger
from threadmed.annotate.sampling import Draw, Plan, draw
from threadmed.annotate.sessions import ORGANISER
from threadmed.annotate.tasks import TASK_NAMES, TaskName
from threadmed.errors import InputError, UsageError
from threadmed.records import ADJUDICATED, Record
from threadmed.study import Folder, Study, read_study

SIZE = 120
"""Items of a task where nobody says; docs/annotate.md says what that buys."""

GOLD_SHARE = 0.3
RATERS = ("rater-1", "rater-2")
MOST_RATERS = 20


class Wanted(Record, frozen=True, kw_only=True):
    """What is asked of a draw; None leaves it as it is, or to the defaults."""

    task: TaskName | None = None
    size: int | None = None
    raters: tuple[str, ...] | None = None
    gold_share: float | None = None
    kit: str | None = None
    """The rater whose kit is to be written."""


def store_of(folder: Folder) -> Path:
    """Say where a study's ratings are kept."""
    return folder.ratings / "annotation.sqlite"


def open_ledger(folder: Folder, wanted: Wanted) -> Ledger:
    """Open the store; draw for the tasks that are wanted and have no plan yet.

    A plan is drawn once: who asks for another afterwards is told so.

    Raises:
        UsageError: If a number or a rater's name cannot be.
        InputError: If there is nothing to rate, or a plan is there that is not what
            is wanted.
        StudyError: If study.toml asks for what cannot be done.
    """
    study = read_study(folder)
    _check(wanted)
    if not store_of(folder).exists():
        _check_kit(wanted)
    ledger = Ledger(store_of(folder))
    try:
        drawn = [
            _drawn(folder, study, task, wanted=wanted)
            for task in _unplanned(folder, ledger, wanted)
        ]
        if not (any(drawn) or ledger.plans()):
            _refuse(folder, "any task")
        for each in filter(None, drawn):
            ledger.add(each)
    except BaseException:
        ledger.close()
        raise
    return ledger


def _check_kit(wanted: Wanted) -> None:
    """Refuse a kit for nobody before anything is drawn for others."""
    raters = wanted.raters or RATERS
    if wanted.kit is not None and wanted.kit not in raters:
        raise UsageError(
            f"--kit: there is no rater {wanted.kit!r}; there would be "
            f"{', '.join(raters)}, unless --raters names others"
        )


def _unplanned(folder: Folder, ledger: Ledger, wanted: Wanted) -> Iterator[TaskName]:
    """Give the tasks to draw for; of others see to it that the plan is as wanted."""
    for task in _tasks(folder, ledger, wanted):
        plan = ledger.plan(task)
        if plan is None:
            yield task
        else:
            _same(plan, wanted)


def _drawn(
    folder: Folder, study: Study, task: TaskName, *, wanted: Wanted
) -> Draw | None:
    """Draw for a task; None where there is nothing, and nobody asked for that task."""
    candidates = read_candidates(folder, study, task)
    if not candidates:
        if task == wanted.task:
            _refuse(folder, task)
        return None
    return draw(
        candidates,
        task=task,
        size=wanted.size or SIZE,
        raters=wanted.raters or RATERS,
        gold_share=_gold(wanted),
        seed=study.seed,
    )


def _refuse(folder: Folder, what: str) -> NoReturn:
    raise InputError(f"{folder.root}: there is nothing to rate for {what}")


def _tasks(folder: Folder, ledger: Ledger, wanted: Wanted) -> Sequence[TaskName]:
    """Say for which tasks there must be a plan."""
    if wanted.task is not None:
        return (wanted.task,)
    planned = tuple(plan.task for plan in ledger.plans())
    if planned:
        return planned
    return TASK_NAMES if folder.answers.exists() else ("identification",)


def without_scoring(folder: Folder, plans: Sequence[Plan]) -> str:
    """Say why answers are not scored here; empty where they are."""
    if any(plan.task == "scoring" for plan in plans):
        return ""
    add = f"`threadmed annotate {folder.root} --task scoring` adds it"
    if folder.answers.exists():
        return f"Scoring of answers was not drawn; {add}."
    return (
        "Answers cannot be scored yet, as the study was not run. "
        f"Scoring comes once it was: {add}."
    )


def _gold(wanted: Wanted) -> float:
    return GOLD_SHARE if wanted.gold_share is None else wanted.gold_share


def _check(wanted: Wanted) -> None:
    raters = wanted.raters or RATERS
    if wanted.size is not None and wanted.size < 1:
        raise UsageError(f"--size is {wanted.size}; expected at least 1")
    if not 0 <= _gold(wanted) <= 1:
        raise UsageError(f"--gold-share is {_gold(wanted)}; expected 0 to 1")
    if len(raters) > MOST_RATERS:
        raise UsageError(f"--raters names {len(raters)}; at most {MOST_RATERS}")
    for name in raters:
        if name in {ORGANISER, ADJUDICATED} or not _is_name(name):
            raise UsageError(
                f"--raters: {name!r} cannot be a rater's name; use letters, digits, "
                f"spaces, - _ . and neither {ORGANISER} nor {ADJUDICATED}"
            )
        if raters.count(name) > 1:
            raise UsageError(f"--raters names {name!r} twice")


def _is_name(name: str) -> bool:
    """Tell whether a name can stand in links, files and tables as it is.

    Example:
        >>> _is_name("Dr. Ito-2"), _is_name(""), _is_name("a,b"), _is_name(" a")
        (True, False, False, False)
    """
    plain = all(sign.isalnum() or sign in "-_. " for sign in name)
    return plain and bool(name) and name == name.strip() and len(name) <= 60


def _same(plan: Plan, wanted: Wanted) -> None:
    """Refuse to let a plan pass for another one."""
    asked: tuple[tuple[str, object, object], ...] = (
        ("--raters", wanted.raters, plan.raters),
        ("--gold-share", wanted.gold_share, plan.gold_share),
    )
    if wanted.size is not None and wanted.size != plan.size:
        # A size above the population draws all of it, and asks for no more later.
        whole = plan.size == plan.population and wanted.size > plan.population
        asked += () if whole else (("--size", wanted.size, plan.size),)
    for flag, new, old in asked:
        if new is not None and new != old:
            raise InputError(
                f"the plan for {plan.task} was drawn with {flag} {_told(old)} and "
                "stays; leave the flag out to go on with it"
            )


def _told(value: object) -> str:
    return ",".join(value) if isinstance(value, tuple) else str(value)
