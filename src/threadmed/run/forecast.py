"""The numbers of a plan: per stage and model, what is spared, how far the last was off."""

from collections.abc import Mapping, Sequence
from typing import Literal

from threadmed.records import Record, Stage
from threadmed.run.paid import Paid, Place, Seen
from threadmed.run.rehearsal import Amount, Counted, Rehearsed

STAGES: tuple[Stage, ...] = ("identify", "answer", "judge")


class Row(Record, frozen=True, kw_only=True):
    """What one stage asks of one model."""

    stage: Stage
    model: str
    naive_calls: int
    """Calls of a run that shares nothing and stops nowhere."""
    calls: int
    """Calls of our run in all, paid ones among them."""
    paid_calls: int
    """Of these calls, those whose reply is in the journal."""
    spent: Amount
    """All that the journal holds of this stage and model."""
    to_pay: Amount
    """What is still to pay, as expected."""
    at_most: Amount
    """What is still to pay if every reply is as long, and every JSON reply as
    unreadable, as may be."""


class Saving(Record, frozen=True, kw_only=True):
    """What a naive run would pay on top; amounts are at the mean price of a call.

    `batches` spares no calls: they are those that cost less.
    """

    by: Literal["stopping", "sharing", "judging_once", "lazy_panel", "batches"]
    calls: int
    usd: float


class Verdicts(Record, frozen=True, kw_only=True):
    """Between what numbers of calls the verdicts of a lazy panel lie."""

    least: int
    most: int


class Miss(Record, frozen=True, kw_only=True):
    """How far the last plan was off, by what was paid since."""

    calls: int
    """Calls that were paid since."""
    said: Amount
    """What the last plan said of as many calls."""
    cost: Amount
    """What they came to."""
    calls_said: int
    """Calls that were then still to pay."""
    calls_now: int
    """The calls paid since, and those that are still to pay."""


class Plan(Record, frozen=True, kw_only=True):
    """What a study will cost; plan.json of its folder."""

    study: str
    threads: int
    questions: int
    misconceptions: int
    """Questions that carry one, by labels that are there or are supposed."""
    unlabelled: int = 0
    """Questions that have no label yet."""
    supposed_share: float = 0.0
    """Of these, the share that is supposed to carry a misconception."""
    expected_misconceptions: float = 0.0
    """What labels and that share come to; the plan counts whole questions, at least
    one, and all that are worded alike."""
    left_out: int = 0
    """Questions without a label that nobody is to label."""
    rows: tuple[Row, ...]
    savings: tuple[Saving, ...]
    verdicts: Verdicts | None = None
    """Only where the panel is lazy."""
    spent: Amount
    """All that the journal holds, of models that the study dropped, too."""
    unsettled_usd: float
    """What may be on the bill, at most, for attempts that brought no reply."""
    to_pay: Amount
    at_most: Amount
    budget_usd: float | None
    budget_tokens: int | None
    assumptions: tuple[str, ...]
    miss: Miss | None = None
    """None until something is paid after a first plan."""


def rows(expected: Rehearsed, most: Rehearsed, paid: Paid) -> tuple[Row, ...]:
    """Put what was counted into rows, by stage and in the order of the study.

    Args:
        expected: The rehearsal with replies as they are expected.
        most: The rehearsal with the longest replies.
        paid: What was paid for.
    """
    places = sorted(expected.counts, key=lambda place: STAGES.index(place[0]))
    return tuple(
        _row(
            place,
            expected.counts[place],
            extra=_naive_extra(place, expected),
            most=most.counts.get(place, Counted()).to_pay,
            seen=paid.seen.get(place, Seen()),
        )
        for place in places
    )


def _row(
    place: Place, counted: Counted, *, extra: int, most: Amount, seen: Seen
) -> Row:
    stage, model = place
    return Row(
        stage=stage,
        model=model,
        naive_calls=counted.asked + extra,
        calls=counted.paid + counted.to_pay.calls,
        paid_calls=counted.paid,
        spent=spent_on(seen),
        to_pay=counted.to_pay,
        at_most=most,
    )


def _naive_extra(place: Place, expected: Rehearsed) -> int:
    """Count the calls that a naive run makes and ours does not even ask for."""
    stage, model = place
    if stage == "judge":
        return expected.skipped.get(model, 0)
    return expected.after_last.get(model, 0) if stage == "answer" else 0


def spent_on(seen: Seen) -> Amount:
    """Say what the journal holds of one stage and model."""
    return Amount(
        calls=seen.calls,
        tokens_in=seen.tokens_in,
        tokens_out=seen.tokens_out,
        usd=seen.cost_usd,
    )


def total(amounts: Sequence[Amount]) -> Amount:
    """Add up.

    Example:
        >>> total([Amount(calls=1, usd=0.5), Amount(calls=2, usd=0.25)]).usd
        0.75
    """
    return sum(amounts, Amount())


def savings(expected: Rehearsed, planned: Sequence[Row]) -> tuple[Saving, ...]:
    """Say what each way to spare calls spares, where it spares any."""
    answers = [row for row in planned if row.stage == "answer"]
    verdicts = [row for row in planned if row.stage == "judge"]
    equal = _shared(expected, ("identify", "answer"))
    judged = _shared(expected, ("judge",))
    batched = total([each.batched for each in expected.counts.values()])
    found = (
        Saving(
            by="stopping",
            calls=sum(expected.after_last[row.model] for row in answers),
            usd=sum(expected.after_last[row.model] * mean_usd(row) for row in answers),
        ),
        Saving(by="sharing", calls=equal.calls, usd=equal.usd),
        Saving(by="judging_once", calls=judged.calls, usd=judged.usd),
        Saving(
            by="lazy_panel",
            calls=sum(expected.skipped.values()),
            usd=sum(expected.skipped[row.model] * mean_usd(row) for row in verdicts),
        ),
        Saving(by="batches", calls=batched.calls, usd=batched.usd),
    )
    return tuple(saving for saving in found if saving.calls)


def _shared(expected: Rehearsed, stages: tuple[Stage, ...]) -> Amount:
    return total(
        [each.shared for place, each in expected.counts.items() if place[0] in stages]
    )


def mean_usd(row: Row) -> float:
    """Give the mean price of a call of a row, paid or still to pay."""
    both = row.spent + row.to_pay
    return both.usd / both.calls if both.calls else 0.0


def missed(
    before: Plan, planned: Sequence[Row], seen: Mapping[Place, Seen]
) -> Miss | None:
    """Hold the last plan against what was paid since.

    Args:
        before: The last plan.
        planned: The rows of the new one.
        seen: What the journal holds now.

    Returns:
        How far it was off; the last plan's own finding where nothing was paid since.
    """
    said, cost = Amount(), Amount()
    for row in before.rows:
        since = _since(row, seen.get((row.stage, row.model), Seen()))
        if since.calls > 0 and row.to_pay.calls:
            said += _scaled(row.to_pay, since.calls)
            cost += since
    if not cost.calls:
        return before.miss
    return Miss(
        calls=cost.calls,
        said=said,
        cost=cost,
        calls_said=before.to_pay.calls,
        calls_now=cost.calls + sum(row.to_pay.calls for row in planned),
    )


def _since(row: Row, seen: Seen) -> Amount:
    """Say what was paid for a row since its plan was made."""
    now, then = spent_on(seen), row.spent
    return Amount(
        calls=now.calls - then.calls,
        tokens_in=now.tokens_in - then.tokens_in,
        tokens_out=now.tokens_out - then.tokens_out,
        usd=now.usd - then.usd,
    )


def _scaled(amount: Amount, calls: int) -> Amount:
    """Bring an amount to another number of calls."""
    share = calls / amount.calls
    return Amount(
        calls=calls,
        tokens_in=amount.tokens_in * share,
        tokens_out=amount.tokens_out * share,
        usd=amount.usd * share,
    )
