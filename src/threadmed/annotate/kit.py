"""The kit for those without the server: one HTML file out, one JSON file back."""

import hashlib
from collections.abc import Iterable
from pathlib import Path

import msgspec

from threadmed.annotate.items import Shown
from threadmed.annotate.ledger import Entry, Ledger
from threadmed.annotate.pages import embedded, fingerprint, page, setup, static
from threadmed.annotate.sampling import Plan
from threadmed.annotate.tasks import TASKS, Said, TaskName, complaint
from threadmed.errors import InputError
from threadmed.records import Record
from threadmed.store import read_json, write_text


class KitItem(Record, frozen=True, kw_only=True):
    """An item as it lies in a kit."""

    item: str
    shown: Shown


class KitPart(Record, frozen=True, kw_only=True):
    """A rater's items of one task."""

    items: tuple[KitItem, ...]
    begun: tuple[Said, ...]
    """What the rater had answered when the kit was made."""


class Returned(Record, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An answer that comes back."""

    task: TaskName
    said: Said
    at: float
    """When it was given by the rater's own clock, in seconds since 1970."""


class KitFile(Record, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The JSON file that a rater sends back; the answers that hold, one an item."""

    threadmed_kit: int
    """Version of this form: 1."""
    kit: str
    """Name of the kit: of which plans and which rater it is."""
    rater: str
    revision: int
    """Grows with every act of the rater, so that later files can be told."""
    answers: tuple[Returned, ...]


class Merged(Record, frozen=True, kw_only=True):
    """What came of merging a file."""

    new: int
    changed: int
    """Answers that the rater gave anew in a later file of the same kit."""
    same: int
    conflicts: tuple[str, ...]
    """Answers that differ from what is there; what is there stays."""


def kit_name(plans: Iterable[Plan], rater: str) -> str:
    """Name the kit of a rater: other plans, other name."""
    text = msgspec.json.encode([*plans]) + rater.encode()
    return hashlib.sha256(text).hexdigest()[:16]


def write_kit(ledger: Ledger, rater: str, out: Path) -> int:
    """Write a rater's kit.

    Returns:
        Number of items in it.

    Raises:
        InputError: If there is no such rater, or the file cannot be written.
    """
    plans = [plan for plan in ledger.plans() if rater in plan.raters]
    if not plans:
        known = {name: None for plan in ledger.plans() for name in plan.raters}
        raise InputError(f"there is no rater {rater!r}; there are {', '.join(known)}")
    parts = {plan.task: _part(ledger, plan.task, rater) for plan in plans}
    names, kit = tuple(parts), kit_name(plans, rater)
    style, scripts = static("rate.css"), [static("rate.js"), static("kit.js")]
    html = page(
        "kit.html.j2",
        setup=embedded(
            setup(
                names,
                task=names[0],
                kit=kit,
                rater=rater,
                parts=msgspec.to_builtins(parts),
                adjudicating=False,
            )
        ),
        names=names,
        task=names[0],
        who=rater,
        style=style,
        scripts=scripts,
        script_hashes=" ".join(fingerprint(script) for script in scripts),
        style_hash=fingerprint(style),
        adjudicating=False,
    )
    ledger.note_fact(f"kit {kit}", rater)
    write_text(out, html)
    return sum(len(part.items) for part in parts.values())


def _part(ledger: Ledger, task: TaskName, rater: str) -> KitPart:
    queue = ledger.queue(task, rater)
    return KitPart(
        items=tuple(
            KitItem(item=name, shown=ledger.item(name).shown) for name in queue
        ),
        begun=tuple(entry.said for entry in ledger.holding(task, rater)),
    )


def merge(ledger: Ledger, path: Path) -> Merged:
    """Take in what a rater sent back; a second time changes nothing.

    Raises:
        InputError: If the file is not of a kit of this study.
    """
    if path.suffix.lower() in {".html", ".htm"}:
        raise InputError(
            f"{path}: is a page; --merge takes the file that a rater saves in it with "
            '"Save answers as a file", threadmed-RATER.json'
        )
    file = read_json(path, KitFile)
    if file.threadmed_kit != 1:
        raise InputError(f"{path}: is in form {file.threadmed_kit}; 1 is known here")
    # Known by its name: since it was made, a further task may have been drawn.
    if ledger.fact(f"kit {file.kit}") != file.rater:
        raise InputError(
            f"{path}: is not of a kit of this study's plan (rater {file.rater!r})"
        )
    _check(ledger, file, path)
    with ledger.writing():
        counts, conflicts = _take_in(ledger, file)
    return Merged(
        new=counts["new"],
        changed=counts["changed"],
        same=counts["same"],
        conflicts=tuple(conflicts),
    )


def _check(ledger: Ledger, file: KitFile, path: Path) -> None:
    queues = {
        plan.task: set(ledger.queue(plan.task, file.rater)) for plan in ledger.plans()
    }
    seen: set[str] = set()
    for at, returned in enumerate(file.answers, start=1):
        lacking = complaint(TASKS[returned.task], returned.said)
        if returned.said.item in seen:
            lacking = f"item {returned.said.item!r} is answered a second time"
        seen.add(returned.said.item)
        if returned.said.item not in queues.get(returned.task, set()):
            lacking = f"item {returned.said.item!r} is not of {file.rater}'s"
        if lacking:
            raise InputError(f"{path}: answer {at}: {lacking}")


def _take_in(ledger: Ledger, file: KitFile) -> tuple[dict[str, int], list[str]]:
    counts = {"new": 0, "changed": 0, "same": 0}
    conflicts = []
    there = {
        entry.said.item: entry
        for plan in ledger.plans()
        for entry in ledger.holding(plan.task, file.rater)
    }
    for returned in file.answers:
        found = there.get(returned.said.item)
        what = _compared(file, returned, found)
        if what == "conflict" and found is not None:
            conflicts.append(
                f"{returned.task} item {returned.said.item}: {file.rater} says "
                f"{found.said.value!r} here and {returned.said.value!r} in the file; "
                "what is here stays"
            )
            continue
        counts[what] += 1
        if what != "same":
            ledger.save(
                returned.task,
                file.rater,
                msgspec.structs.replace(returned.said, key=""),
                at=returned.at,
                source=f"{file.kit}:{file.revision}",
            )
    return counts, conflicts


def _compared(file: KitFile, returned: Returned, found: Entry | None) -> str:
    """Say what an answer is to the one that is there: new, same, changed, conflict."""
    if found is None:
        return "new"
    if _content(found.said) == _content(returned.said):
        return "same"
    kit, _, revision = found.source.partition(":")
    if kit != file.kit:
        return "conflict"
    # An older file of the same kit has nothing to say to a later one.
    return "changed" if file.revision > int(revision) else "same"


def _content(said: Said) -> tuple[object, ...]:
    return (said.value, said.belief, said.note, said.flag)
