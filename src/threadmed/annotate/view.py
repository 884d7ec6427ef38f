"""What a rater's page shows: the item, what is done, and what was said of it."""

from collections.abc import Sequence

from threadmed.annotate.items import Shown
from threadmed.annotate.ledger import Entry, Ledger
from threadmed.annotate.tasks import COUNTS_AS, TASKS, Said, TaskName, complaint
from threadmed.errors import InputError
from threadmed.records import ADJUDICATED, Record

RECENT = 7
"""Last answers that can be opened again at once."""


class Recent(Record, frozen=True, kw_only=True):
    """One of the last answers."""

    item: str
    number: int
    value: str


class Opinion(Record, frozen=True, kw_only=True):
    """What one of those who disagree said, without a name."""

    value: str
    belief: str
    note: str


class View(Record, frozen=True, kw_only=True):
    """Everything that a rater's page shows; nothing else is ever sent to it."""

    task: TaskName
    done: int
    total: int
    item: str | None
    """None where all is done."""
    number: int
    """Place of the item among the rater's, from 1."""
    shown: Shown | None
    draft: Said | None
    """What the rater said of it before, to go on from."""
    answered: bool
    """Whether an answer to it holds."""
    recent: tuple[Recent, ...]
    opinions: tuple[Opinion, ...] = ()
    """In adjudication, what the raters said, in an order without meaning."""


def disputed(ledger: Ledger, task: TaskName) -> tuple[str, ...]:
    """Name the items on which raters differ, in the order of the draw."""
    values: dict[str, set[str]] = {}
    for entry in ledger.holding(task):
        if entry.rater != ADJUDICATED:
            value = COUNTS_AS.get(entry.said.value, entry.said.value)
            values.setdefault(entry.said.item, set()).add(value)
    return tuple(
        item.item for item in ledger.items(task) if len(values.get(item.item, ())) > 1
    )


def _queue(ledger: Ledger, task: TaskName, rater: str) -> tuple[str, ...]:
    if rater != ADJUDICATED:
        return ledger.queue(task, rater)
    settled = [entry.said.item for entry in ledger.holding(task, rater)]
    # What was settled stays settled, also where a rater has come round since.
    open_ = [item for item in disputed(ledger, task) if item not in settled]
    return ledger.with_put_off(task, rater, [*settled, *open_])


def view(
    ledger: Ledger, task: TaskName, rater: str, *, item: str | None = None
) -> View:
    """Put together what a rater's page shows.

    Args:
        ledger: The store.
        task: Which task.
        rater: Whose page; `adjudicated` is where disagreements are settled.
        item: An item to open; None is the next without an answer.

    Raises:
        InputError: If the item is not one of the rater's.
    """
    queue = _queue(ledger, task, rater)
    holding = ledger.holding(task, rater)
    answered = [entry.said.item for entry in holding]
    if item is not None and item not in queue:
        raise InputError("this item is not on your list")
    done = set(answered)
    wanted = item or next((name for name in queue if name not in done), None)
    is_answered = wanted in done
    number = answered.index(wanted) + 1 if wanted in done else len(answered) + 1
    return View(
        task=task,
        done=len(answered),
        total=len(queue),
        item=wanted,
        number=number,
        shown=None if wanted is None else ledger.item(wanted).shown,
        draft=None if wanted is None else ledger.last_said(task, rater, wanted),
        answered=is_answered,
        recent=_recent(holding),
        opinions=_opinions(ledger, task, wanted) if rater == ADJUDICATED else (),
    )


def _recent(holding: Sequence[Entry]) -> tuple[Recent, ...]:
    numbered = [
        Recent(item=entry.said.item, number=at, value=entry.said.value)
        for at, entry in enumerate(holding, start=1)
    ]
    return tuple(reversed(numbered[-RECENT:]))


def _opinions(ledger: Ledger, task: TaskName, item: str | None) -> tuple[Opinion, ...]:
    given = [
        Opinion(value=entry.said.value, belief=entry.said.belief, note=entry.said.note)
        for entry in ledger.holding(task)
        if entry.said.item == item and entry.rater != ADJUDICATED
    ]
    return tuple(sorted(given, key=lambda opinion: (opinion.value, opinion.belief)))


def save(ledger: Ledger, task: TaskName, rater: str, said: Said, *, at: float) -> None:
    """Keep an answer.

    Raises:
        InputError: If it is not complete, or not to an item of the rater's.
    """
    if said.item not in _queue(ledger, task, rater):
        raise InputError("this item is not on your list")
    lacking = complaint(TASKS[task], said)
    if lacking:
        raise InputError(lacking)
    ledger.save(task, rater, said, at=at)


def put_off(ledger: Ledger, task: TaskName, rater: str, item: str) -> None:
    """Leave an item for later.

    Raises:
        InputError: If it is not one of the rater's.
    """
    if item not in _queue(ledger, task, rater):
        raise InputError("this item is not on your list")
    ledger.put_off(task, rater, item)
