"""A store with a small draw in it."""

from pathlib import Path

from threadmed.annotate.items import Candidate, Earlier, Shown
from threadmed.annotate.ledger import Ledger
from threadmed.annotate.sampling import draw
from threadmed.annotate.tasks import TASK_NAMES, TaskName
from threadmed.records import ThreadId

RATERS = ("ann", "bob")


def small_ledger(
    path: Path,
    *,
    size: int = 10,
    gold_share: float = 0.5,
    tasks: tuple[TaskName, ...] = TASK_NAMES,
    raters: tuple[str, ...] = RATERS,
) -> Ledger:
    """Open a store of ten items a task."""
    ledger = Ledger(path)
    for task in tasks:
        scoring = task == "scoring"
        candidates = [
            Candidate(
                thread_id=ThreadId(f"THREAD_{at:04}"),
                turn=1,
                target="Aster 5" if scoring else "",
                setting="oracle" if scoring else None,
                stratum=("score 1",),
                shown=Shown(
                    question=f"Question {at} <b>bold</b>?",
                    earlier=(Earlier(who="patient", text="Before that?"),),
                    belief="A belief." if scoring else "",
                    answer=f"Answer {at}." if scoring else "",
                ),
            )
            for at in range(20)
        ]
        ledger.add(
            draw(
                candidates,
                task=task,
                size=size,
                raters=raters,
                gold_share=gold_share,
                seed=5,
            )
        )
    return ledger


def gold(ledger: Ledger, task: TaskName = "scoring") -> list[str]:
    """Name the items that every rater gets."""
    return [item.item for item in ledger.items(task) if item.gold]
