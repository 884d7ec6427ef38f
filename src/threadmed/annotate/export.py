"""Writes what raters said as the ratings tables that `agree` and `validate` read."""

import hashlib
from collections.abc import Sequence
from pathlib import Path

from threadmed.annotate.ledger import Entry, Ledger
from threadmed.annotate.tasks import COUNTS_AS, TaskName
from threadmed.errors import InputError
from threadmed.labels.experts import write_ratings
from threadmed.records import Rating
from threadmed.store import atomic, read_bytes
from threadmed.study import Folder


def ratings(ledger: Ledger, task: TaskName) -> tuple[Rating, ...]:
    """Give every answer of a task that holds, in the order of the draw and of raters.

    An item that nobody answered has no row; one that a rater has not answered yet has
    none of that rater.
    """
    items = {item.item: item for item in ledger.items(task)}
    order = {name: at for at, name in enumerate(items)}
    found = sorted(
        ledger.holding(task), key=lambda entry: (order[entry.said.item], entry.rater)
    )
    return tuple(
        Rating(
            item=entry.said.item,
            rater=entry.rater,
            value=COUNTS_AS.get(entry.said.value, entry.said.value),
            thread_id=items[entry.said.item].thread_id,
            turn=items[entry.said.item].turn,
            target=items[entry.said.item].target,
            setting=items[entry.said.item].setting,
            probability=items[entry.said.item].probability,
            stratum=items[entry.said.item].stratum,
            note=_note(entry),
            belief=entry.said.belief,
        )
        for entry in found
    )


def _note(entry: Entry) -> str:
    """Put what has no column of its own before the rater's note."""
    marks = [
        mark
        for mark, is_so in (
            ("[unsure]", entry.said.value == "unsure"),
            ("[flagged]", entry.said.flag),
        )
        if is_so
    ]
    return " ".join([*marks, entry.said.note]).strip()


def export(ledger: Ledger, folder: Folder) -> tuple[Path, ...]:
    """Write ratings/identification.csv and ratings/scoring.csv, where there are any.

    Raises:
        InputError: If a file of that name is there that was not written from here.
    """
    written = []
    for plan in ledger.plans():
        given = ratings(ledger, plan.task)
        if given:
            path = folder.ratings / f"{plan.task}.csv"
            _write(ledger, path, given)
            written.append(path)
    return tuple(written)


def _write(ledger: Ledger, path: Path, given: Sequence[Rating]) -> None:
    """Write a table, but never over one that somebody else made or changed."""
    fact = f"export of {path.name}"
    known = (ledger.fact(fact) or "").split()
    if path.exists() and _sha256(path) not in known:
        raise InputError(
            f"{path}: was not written from here, or was changed since; move it away, "
            "then export again"
        )
    with atomic(path) as temporary:
        write_ratings(temporary, given)
        # Both are known until the next export: the file may not get its name.
        ledger.note_fact(fact, " ".join([_sha256(temporary), *known[:1]]))


def _sha256(path: Path) -> str:
    return hashlib.sha256(read_bytes(path)).hexdigest()
