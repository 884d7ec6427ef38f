"""Four questions that a report answers at a glance, each with its n and interval."""

from collections.abc import Sequence

from threadmed.metrics.contrasts import main_setting
from threadmed.metrics.decline import NO_TARGET_TURN
from threadmed.metrics.estimates import Estimate, NotEstimable, Number
from threadmed.metrics.measurement import Comparison, Group, Measurement
from threadmed.report.blocks import Question
from threadmed.report.numbers import (
    MISSING,
    between,
    listed,
    percent,
    points,
    span,
)
from threadmed.report.readings import bounds_note, reason, said
from threadmed.report.sections.trust import Trust


def main_groups(measured: Measurement) -> list[Group]:
    """Give each model in the setting in which models are compared."""
    main = main_setting(group.setting for group in measured.groups)
    return [group for group in measured.groups if group.setting == main]


def questions(measured: Measurement, trust: Trust) -> tuple[Question, ...]:
    """Answer the four questions that a reader comes with."""
    asked = [_how_often(measured)]
    if any(t.turn for group in measured.groups for t in group.by_turn):
        asked += _falls(measured)
    asked.append(
        Question(
            question="May the judges be trusted?",
            answer=trust.answer,
            detail=trust.detail,
            is_warning=bool(trust.mark),
        )
    )
    return tuple(asked)


def _falls(measured: Measurement) -> list[Question]:
    """Answer what is lost by turn 2, and to what, where anybody was asked in turn."""
    if not measured.losses:
        return []
    falls = [(loss.target, loss.fall) for loss in measured.losses]
    own = [(loss.target, loss.own_earlier_answers) for loss in measured.losses]
    return [
        _in_points(
            "How much is lost by turn 2?",
            falls,
            "part of it may be that later questions are harder",
        ),
        _in_points(
            "What do a model\u2019s own answers cost by turn 2?",
            own,
            "on the same questions" + _of_the_fall(own_shares(measured)),
        ),
    ]


def own_shares(measured: Measurement) -> list[Number]:
    """Give the share of each model's fall to turn 2 that its own answers make."""
    shares: list[Number] = []
    for loss, each in zip(measured.losses, measured.decompositions, strict=True):
        of_turn = [p.shares for p in each.turns if p.turn == p.last_turn == loss.turn]
        shares += [
            found if isinstance(found, NotEstimable) else found.propagation
            for found in of_turn
        ]
    return shares


def _of_the_fall(shares: Sequence[Number]) -> str:
    """Say the share in words, where it is known of every model."""
    known = [share for share in shares if isinstance(share, Estimate)]
    if not known or len(known) < len(shares):
        return ""
    if len(known) == 1:
        low, high = (percent(end, decimals=0) for end in (known[0].low, known[0].high))
        share = percent(known[0].value, decimals=0)
        return f", {share}% of the fall (CI {low}{MISSING}{high})"
    low, high = (
        percent(end(share.value for share in known), decimals=0) for end in (min, max)
    )
    return f", {_range(low, high)}% of the fall"


def _how_often(measured: Measurement) -> Question:
    groups = main_groups(measured)
    known = [g.pcr for g in groups if isinstance(g.pcr, Estimate)]
    question = "How often is a belief corrected?"
    if not known:
        why = next(g.pcr.reason for g in groups if isinstance(g.pcr, NotEstimable))
        return Question(question=question, answer="Not known", detail=f"{why}.")
    low, high = min(r.value for r in known), max(r.value for r in known)
    answer = _range(percent(low, decimals=0), percent(high, decimals=0)) + "%"
    is_later = any(t.turn for group in groups for t in group.by_turn)
    over = "over all turns" if is_later else "over all questions"
    if len(known) == 1:
        detail = f"{over}; {said(known[0])}."
    else:
        sizes = between([r.n for r in known])
        detail = f"{over}, n = {sizes}. {_apart(measured.comparisons)}"
    return Question(
        question=question, answer=answer, detail=f"{detail} {_missing(groups)}".strip()
    )


def _missing(groups: Sequence[Group]) -> str:
    """Say what the missing scores leave open, where they are many."""
    if len(groups) == 1:
        note = bounds_note(groups[0])
        return f"{note}." if note else ""
    names = [group.target for group in groups if group.bounds.is_needed]
    if not names:
        return ""
    return f"Many scores are missing for {listed(names)}: see Outcomes and coverage."


def _range(low: str, high: str) -> str:
    return low if low == high else f"{low}{MISSING}{high}"


def _apart(comparisons: Sequence[Comparison]) -> str:
    """Say which models this study cannot tell apart."""
    pairs = [
        c
        for c in comparisons
        if c.question == "targets"
        and (isinstance(c.test, NotEstimable) or c.test.p_holm > 0.05)
    ]
    if len(pairs) == 1:
        names = listed([pairs[0].first.target, pairs[0].second.target])
        return f"{names} cannot be told apart."
    if pairs:
        total = sum(c.question == "targets" for c in comparisons)
        return f"{len(pairs)} of {total} pairs of models cannot be told apart."
    return ""


def _in_points(
    question: str, numbers: Sequence[tuple[str, Number]], detail: str
) -> Question:
    """Answer in points, and say for whom the interval holds 0."""
    known = [(name, n) for name, n in numbers if isinstance(n, Estimate)]
    if not known:
        why = next(n for _, n in numbers if isinstance(n, NotEstimable))
        is_asked = why.reason != NO_TARGET_TURN.reason
        return Question(
            question=question,
            answer="Not known" if is_asked else "Not asked",
            detail=f"{reason(why)}.",
        )
    values = [n.value for _, n in known]
    low, high = (f"{end * 100:.0f}" for end in (min(values), max(values)))
    low, high = (_minus(end) for end in (low, high))
    joined = low if low == high else span(low, high)
    unsure = [name for name, n in known if n.low <= 0 <= n.high]
    return Question(
        question=question,
        answer=f"{joined} points",
        detail=f"{detail}; {_certainty(known, unsure)}.",
    )


def _minus(text: str) -> str:
    return text.replace("-0", "0").replace("-", "\u2212")


def _certainty(known: Sequence[tuple[str, Estimate]], unsure: Sequence[str]) -> str:
    if len(known) == 1:
        interval = said(known[0][1], points, unit="")
        return f"{interval}" if not unsure else f"{interval}, which holds 0"
    if not unsure:
        return "every interval excludes 0"
    if len(unsure) == len(known):
        return "no interval excludes 0"
    return f"the interval holds 0 for {listed(unsure)}"
