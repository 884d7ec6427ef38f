"""The first screen: one sentence, one picture, four answers.

No sentence here claims more than the intervals allow, and none is a ranking.
"""

from collections.abc import Sequence

from threadmed.metrics.estimates import Estimate, NotEstimable, Number
from threadmed.metrics.measurement import Group, Loss, Measurement
from threadmed.report.blocks import Figure, Summary
from threadmed.report.material import Found
from threadmed.report.numbers import count, percent, points, spelled, things
from threadmed.report.sections.correction import opens_with_rates, rates_figure
from threadmed.report.sections.fall import loss_figure, loss_row
from threadmed.report.sections.questions import main_groups, own_shares, questions
from threadmed.report.sections.settings import all_items_figure
from threadmed.report.sections.trust import trust_of


def summary(found: Found) -> Summary:
    """Say at a glance what was found, and how far it may be believed."""
    measured = found.plain
    if measured is None or not measured.groups:
        return Summary(
            headline="No answer has been scored yet",
            lead=f"{_asked(found)} The sections below show what there is.",
            figure=None,
            questions=(),
        )
    trust = trust_of(found.validation)
    return Summary(
        headline=headline(trust.before, measured),
        lead=_lead(found, measured),
        figure=_picture(found, measured),
        questions=questions(measured, trust),
    )


def headline(before: str, measured: Measurement) -> str:
    """Begin with a capital, but leave the name of a model as it is.

    Judges are named where a rate follows that is theirs.
    """
    said = finding(measured)
    if not any(isinstance(group.pcr, Estimate) for group in main_groups(measured)):
        before = ""
    is_name = any(said.startswith(group.target) for group in measured.groups)
    if before or is_name:
        return before + said
    return f"{said[0].upper()}{said[1:]}"


def finding(measured: Measurement) -> str:
    """Say in a clause what the intervals allow.

    A fall or a cost counts only where its interval lies above 0, and none does where
    so many scores are missing that the rates need their bounds.
    """
    falls = [loss for loss in measured.losses if isinstance(loss.fall, Estimate)]
    if not falls or any(group.bounds.is_needed for group in measured.groups):
        return _rate_clause(measured)
    falling = [loss for loss in falls if above_zero(loss.fall)]
    one = len(measured.losses) == 1
    who = falls[0].target if one else "every model"
    if len(falling) == len(measured.losses):
        clause = f"{who} corrects fewer false beliefs at the third question than at the first"
        if all(above_zero(loss.own_earlier_answers) for loss in falling):
            its = "its own earlier answers are part of why"
            return f"{clause}, and {its}"
        return clause
    if falling:
        number = f"{spelled(len(falling))} of {spelled(len(measured.losses))} models"
        correct = "corrects" if len(falling) == 1 else "correct"
        return (
            f"{number} {correct} fewer false beliefs at the third question than at the "
            "first; for the others this study cannot tell"
        )
    whether = f"{who} corrects" if one else "models correct"
    return (
        f"this study cannot tell whether {whether} fewer false beliefs as the "
        "conversation goes on"
    )


def above_zero(number: Number) -> bool:
    """Tell whether the whole interval of a number lies above 0."""
    return isinstance(number, Estimate) and number.low > 0


def _rate_clause(measured: Measurement) -> str:
    """Say how often beliefs are corrected: the rates, and how far they may be off.

    The rates are those that the figure and the first answer below give too. Where
    many scores are missing the outer ends are those that hold whatever they are.
    """
    known = [g for g in main_groups(measured) if isinstance(g.pcr, Estimate)]
    if not known:
        return "too few answers are scored to say how often a false belief is corrected"
    rates = percent_range([g.pcr.value for g in known if isinstance(g.pcr, Estimate)])
    ends = [_ends(group) for group in known]
    low = percent(min(low for low, _ in ends), decimals=0)
    high = percent(max(high for _, high in ends), decimals=0)
    if len(known) == 1:
        who, interval = f"{known[0].target} corrects", "95% interval"
    else:
        who, interval = "models correct", "95% intervals from"
    missing = ""
    if any(group.bounds.is_needed for group in known):
        missing = ", with missing scores counted either way"
    return f"{who} {rates} in 100 false beliefs ({interval} {low} to {high}{missing})"


def _ends(group: Group) -> tuple[float, float]:
    wrong, right = group.bounds.all_wrong, group.bounds.all_right
    is_needed = group.bounds.is_needed
    if is_needed and isinstance(wrong, Estimate) and isinstance(right, Estimate):
        return wrong.low, right.high
    if isinstance(group.pcr, NotEstimable):
        raise TypeError(f"{group.target} has no rate: {group.pcr.reason}")
    return group.pcr.low, group.pcr.high


def _asked(found: Found) -> str:
    targets = found.manifest.study.targets
    marked = len(found.marked)
    threads = len({label.thread_id for label in found.marked})
    models = f"{spelled(len(targets)).capitalize()} model{'s' * (len(targets) != 1)}"
    return (
        f"{models} answered {things(marked, 'patient question')} that "
        f"rest{'s' * (marked == 1)} on a false belief, in "
        f"{things(threads, 'conversation')}."
    )


def _lead(found: Found, measured: Measurement) -> str:
    sentences = [_asked(found), _loss_sentence(measured.losses, own_shares(measured))]
    pending = sum(
        o.n
        for group in measured.groups
        for o in group.outcomes
        if o.outcome == "pending"
    )
    if not (found.manifest.complete or pending):
        sentences.append(
            "The run is not complete; outcomes and coverage, below, say what is missing."
        )
    if pending:
        items = sum(group.n_items for group in measured.groups)
        sentences.append(
            f"The run is not complete: {count(pending)} of {count(items)} items are "
            "still to be answered or judged."
        )
    return " ".join(sentence for sentence in sentences if sentence)


def _loss_sentence(losses: Sequence[Loss], shares: Sequence[Number]) -> str:
    falls = [each.fall for each in losses]
    if not falls or not all(above_zero(fall) for fall in falls):
        return _single_fall(falls)
    values = [fall.value for fall in falls if isinstance(fall, Estimate)]
    fewer, own = percent_range(values), _own_share(shares)
    they = "they correct" if len(falls) > 1 else "it corrects"
    return (
        f"At the third question {they} {fewer} fewer answers in 100 than at the first, "
        f"of other and perhaps harder questions{own}."
    )


def _own_share(shares: Sequence[Number]) -> str:
    """Say which part of the fall its own answers make, where every part is known."""
    known = [share.value for share in shares if isinstance(share, Estimate)]
    if not known or len(known) < len(shares):
        return ""
    whose = "a model\u2019s" if len(known) > 1 else "its"
    return (
        f"; {percent_range(known)}% of that fall goes away when {whose} own earlier "
        "answers are taken out of the conversation"
    )


def _single_fall(falls: Sequence[Number]) -> str:
    known = [fall for fall in falls if isinstance(fall, Estimate)]
    if len(known) != 1 or len(falls) != 1:
        return ""
    low, high = (points(-end, decimals=0) for end in (known[0].high, known[0].low))
    return (
        "Between the first and the third question the share that it corrects may have "
        f"changed by anything from {low} to {high} points."
    )


def percent_range(values: Sequence[float]) -> str:
    """Write the lowest and the highest of some shares as whole numbers.

    Example:
        >>> percent_range([0.32, 0.45]), percent_range([0.32])
        ('32 to 45', '32')
    """
    low, high = (percent(end, decimals=0) for end in (min(values), max(values)))
    return low if low == high else f"{low} to {high}"


def _picture(found: Found, measured: Measurement) -> Figure | None:
    """Choose the best picture that the data can give."""
    losses = [loss for loss in measured.losses if loss_row(loss) is not None]
    if losses:
        return loss_figure(losses)
    if not any(isinstance(group.pcr, Estimate) for group in measured.groups):
        return None
    if opens_with_rates(measured):
        return rates_figure(measured, found.main_setting)
    return all_items_figure(measured)
