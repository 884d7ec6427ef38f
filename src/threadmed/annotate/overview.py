"""What the organiser sees: who has done how much, and how far raters agree."""

from collections import defaultdict
from typing import assert_never

from threadmed.annotate.export import ratings
from threadmed.annotate.ledger import Entry, Ledger
from threadmed.annotate.sampling import Plan
from threadmed.annotate.tasks import TASKS, TaskName
from threadmed.annotate.view import disputed
from threadmed.metrics.agreement.agree import agree
from threadmed.metrics.agreement.coefficients import Coefficient, Reliability
from threadmed.metrics.agreement.raters import SCORES, YES_NO
from threadmed.metrics.estimates import NotEstimable
from threadmed.records import ADJUDICATED, Record


class RaterProgress(Record, frozen=True, kw_only=True):
    """How far a rater is."""

    rater: str
    done: int
    total: int
    values: tuple[tuple[str, int], ...]
    """Each choice's name, and how often it was given."""


class Agreement(Record, frozen=True, kw_only=True):
    """How far two raters agree on the items that both answered."""

    first: str
    second: str
    n: int
    same: int
    coefficient: Reliability
    """Gwet's: AC1 of yes and no, AC2 with quadratic weights of scores."""

    @property
    def beyond_chance(self) -> str:
        """Write the coefficient, or why there is none."""
        match self.coefficient:
            case Coefficient() as found:
                text = f"{found.value:.2f} ({found.low:.2f} to {found.high:.2f})"
                return text.replace("-", "\N{MINUS SIGN}")
            case NotEstimable() as missing:
                return missing.reason
            case _:
                assert_never(self.coefficient)


class Remark(Record, frozen=True, kw_only=True):
    """A flag or a note of a rater."""

    rater: str
    number: int
    value: str
    flag: bool
    note: str


class Overview(Record, frozen=True, kw_only=True):
    """The state of one task."""

    plan: Plan
    title: str
    progress: tuple[RaterProgress, ...]
    agreement: tuple[Agreement, ...]
    n_gold: int
    n_disputed: int
    n_settled: int
    remarks: tuple[Remark, ...]


def overview(ledger: Ledger, plan: Plan) -> Overview:
    """Count what a task has come to."""
    task = plan.task
    by_rater: dict[str, list[Entry]] = defaultdict(list)
    for entry in ledger.holding(task):
        by_rater[entry.rater].append(entry)
    settled = {entry.said.item for entry in by_rater[ADJUDICATED]}
    return Overview(
        plan=plan,
        title=TASKS[task].title,
        progress=tuple(
            _progress(ledger, plan, rater, by_rater[rater]) for rater in plan.raters
        ),
        agreement=_agreements(ledger, task),
        n_gold=sum(item.gold for item in ledger.items(task)),
        n_disputed=len({*disputed(ledger, task), *settled}),
        n_settled=len(settled),
        remarks=tuple(
            Remark(
                rater=rater,
                number=at,
                value=_name(plan.task, entry.said.value),
                flag=entry.said.flag,
                note=entry.said.note,
            )
            for rater in plan.raters
            for at, entry in enumerate(by_rater[rater], start=1)
            if entry.said.flag or entry.said.note
        ),
    )


def _progress(
    ledger: Ledger, plan: Plan, rater: str, entries: list[Entry]
) -> RaterProgress:
    values = [entry.said.value for entry in entries]
    return RaterProgress(
        rater=rater,
        done=len(entries),
        total=len(ledger.queue(plan.task, rater)),
        values=tuple(
            (choice.name, values.count(choice.value))
            for choice in TASKS[plan.task].choices
        ),
    )


def _name(task: TaskName, value: str) -> str:
    """Give a choice's short name."""
    names = {choice.value: choice.name for choice in TASKS[task].choices}
    return names[value].partition(",")[0]


def _agreements(ledger: Ledger, task: TaskName) -> tuple[Agreement, ...]:
    """Compare every two raters who have an item in common."""
    rows = [each for each in ratings(ledger, task) if each.rater != ADJUDICATED]
    if len({row.rater for row in rows}) < 2:
        return ()
    scale = YES_NO if task == "identification" else SCORES
    found = agree(rows, scale=scale)
    return tuple(
        Agreement(
            first=pair.first,
            second=pair.second,
            n=pair.n_scored,
            same=sum(pair.confusion.counts[at][at] for at in range(scale.size)),
            coefficient=(
                pair.coefficients.ac1
                if task == "identification"
                else pair.coefficients.ac2_quadratic
            ),
        )
        for pair in found.pairs
        if pair.n_scored
    )
