"""May the judges be trusted: the panel and each judge against experts."""

from collections.abc import Iterator, Sequence

from threadmed.metrics.agreement.confusion import Confusion
from threadmed.metrics.agreement.records import Agreement
from threadmed.metrics.agreement.validation import Experts, ScoringValidation, Versus
from threadmed.metrics.estimates import NotEstimable, Number
from threadmed.report.blocks import (
    Block,
    Cell,
    Column,
    Prose,
    Quantity,
    Section,
    Table,
    Words,
)
from threadmed.report.material import Found
from threadmed.report.numbers import MINUS, count, percent, ratio, spelled, things
from threadmed.report.readings import (
    agreement,
    estimate_columns,
    rate,
    said,
    strip,
    warned,
    whole,
)
from threadmed.report.sections.comparisons import kappa_scale
from threadmed.report.sections.panel import among_judges
from threadmed.report.sections.trust import ceiling_of

NAMES = {
    "-1": f"not noticed, {MINUS}1",
    "0": "partly, 0",
    "1": "corrected, +1",
    "no": "none",
    "yes": "misconception",
}
"""What values are called, of scores and of labels."""


def judges(found: Found) -> Section | None:
    """Hold the judges against experts, and against each other."""
    if found.measured is None or not found.verdicts:
        return None
    scoring = found.validation.scoring
    blocks: list[Block]
    if isinstance(scoring, NotEstimable):
        blocks = [
            Prose(
                text="This is not known: no expert has scored any of these answers. "
                "Rates are the judges\u2019 opinion, with nothing to correct them by, "
                "and how far the judges agree among themselves does not say who is "
                "right."
            )
        ]
    else:
        blocks = _against_experts(scoring)
    blocks += among_judges(found)
    return Section(
        id="judges",
        title="May the judges be trusted?",
        short="Judges",
        blocks=tuple(blocks),
    )


def _against_experts(scoring: ScoringValidation) -> list[Block]:
    everyone = (scoring.panel, *scoring.judges)
    return [
        Prose(text=opening(scoring)),
        *warned(scoring.warnings),
        confusion_table(
            "table-confusion",
            everyone,
            title="Where panel and judges part from experts",
            caption="Answers that both scored, and share of the row: rows are what the "
            "experts say together, columns what the judge says.",
        ),
        agreement_table(
            "table-agreement",
            everyone,
            scoring.experts,
            title="Agreement with experts",
            caption="The band is the experts\u2019 agreement with each other (paper, "
            "Table 6).",
        ),
        _coefficients(everyone, scoring.experts),
        classes_table(
            "table-classes",
            everyone,
            title="Precision, recall and F1 by score",
            caption="Experts together are taken for the truth (paper, Table 7).",
        ),
    ]


def opening(scoring: ScoringValidation) -> str:
    """Say who scored how much, and how far panel and experts are alike."""
    panel, experts = scoring.panel, scoring.experts
    text = (
        f"{experts_of(experts)} scored "
        f"{things(experts.n_items, 'answer')}, {count(experts.n_several)} of them "
        f"twice or more. {_same_score('Panel and experts', panel.agreement.raw)}"
    )
    if not isinstance(experts.ceiling, NotEstimable):
        raw = experts.ceiling.overall.raw
        text += f". {_same_score('Experts with each other', raw)}"
    left = [
        (panel.n_split, "on which experts differ and nobody settled it"),
        (panel.n_unrated, "that no expert gave a score"),
        (panel.n_unscored, "that the panel gave none"),
    ]
    out = [f"{things(n, 'answer')} {why}" for n, why in left if n]
    return f"{text}. Left out: {'; '.join(out)}." if out else f"{text}."


def _same_score(who: str, number: Number) -> str:
    """Say to which share two sides give the same score, or that it is not known.

    Example:
        >>> few = NotEstimable(reason="fewer than 5 scored items", n=3)
        >>> _same_score("Panel and experts", few)
        'Panel and experts: how often they give the same score is not known (fewer than 5 scored items)'
    """
    if isinstance(number, NotEstimable):
        how = "how often they give the same score"
        return f"{who}: {how} is {said(number, percent)}"
    return f"{who} give the same score to {said(number, percent)}"


def experts_of(experts: Experts) -> str:
    """Count the experts at the start of a sentence."""
    n = len(experts.raters)
    return f"{spelled(n).capitalize()} expert{'s' * (n != 1)}"


def confusion_table(
    name: str,
    everyone: Sequence[Versus],
    *,
    title: str,
    caption: str,
    is_judged: bool = True,
) -> Table:
    """Cross what experts say with what each judge, or source of labels, says."""
    values = everyone[0].agreement.confusion.values
    return Table(
        id=name,
        title=title,
        caption=caption,
        columns=(
            Column(key="judge", title="Judge" if is_judged else "Source", align="text"),
            Column(key="experts", title="Experts say", align="text"),
            *(Column(key=f"says_{value}", title=NAMES[value]) for value in values),
            Column(key="all", title="All"),
        ),
        rows=tuple(
            row
            for one in everyone
            for row in _confusion_rows(one.judge, one.agreement.confusion)
        ),
        judged=is_judged,
    )


def _confusion_rows(judge: str, found: Confusion) -> Iterator[tuple[Cell, ...]]:
    for value, row in zip(found.values, found.counts, strict=True):
        total = sum(row)
        yield (
            Words(text=judge),
            Words(text=NAMES[value], value=value),
            *(_shaded(part, total) for part in row),
            whole(total),
        )


def _shaded(part: int, total: int) -> Quantity:
    if not total:
        return Quantity(value=part, text=count(part))
    share = part / total
    text = f"{count(part)} ({percent(share, decimals=0)}%)"
    return Quantity(value=part, text=text, shade=share)


def agreement_table(
    name: str, everyone: Sequence[Versus], experts: Experts, *, title: str, caption: str
) -> Table:
    """Show agreement with experts, and at last that of experts with each other."""
    kappa, band, note = ceiling_of(experts), None, ""
    if isinstance(kappa, NotEstimable):
        note = f" There is no band: {kappa.reason}."
    else:
        band = (kappa.low, kappa.high)
    rows = [_agreement_row(one, band) for one in everyone]
    if not isinstance(experts.ceiling, NotEstimable):
        rows.append(_ceiling_row(experts, experts.ceiling))
    return Table(
        id=name,
        title=title,
        caption=caption,
        columns=(
            Column(key="judge", title="Judge", align="text"),
            *estimate_columns(raw="Same, %", kappa="\u03ba"),
            Column(key="drawn", title="", align="drawing", scale=kappa_scale(rows)),
            *estimate_columns(f1="Macro F1"),
            Column(key="n", title="n"),
            Column(key="missing", title="Missing"),
        ),
        rows=tuple(rows),
        note="\u03ba: Cohen\u2019s, of experts with each other Fleiss\u2019 where they "
        "are more than two. n: items with both; missing: the rest of what experts were "
        f"given.{note}",
    )


def _agreement_row(one: Versus, band: tuple[float, float] | None) -> tuple[Cell, ...]:
    found = one.agreement.coefficients
    return (
        Words(text=one.judge),
        *rate(one.agreement.raw),
        *agreement(found.kappa),
        strip(found.kappa, ratio, unit="", band=band),
        *agreement(one.agreement.macro_f1),
        whole(one.n_scored),
        whole(one.n_missing),
    )


def _ceiling_row(experts: Experts, ceiling: Agreement) -> tuple[Cell, ...]:
    overall = ceiling.overall
    found = overall.coefficients
    none: Number = NotEstimable(reason="experts have no truth of their own", n=0)
    return (
        Words(text="experts with each other"),
        *rate(overall.raw),
        *agreement(found.kappa),
        strip(found.kappa, ratio, unit=""),
        *agreement(none),
        whole(experts.n_several),
        whole(experts.n_items - experts.n_several),
    )


def _coefficients(everyone: Sequence[Versus], experts: Experts) -> Table:
    """Show the other coefficients, which see another chance or weigh how far apart."""
    found = [(one.judge, one.agreement.coefficients) for one in everyone]
    if not isinstance(experts.ceiling, NotEstimable):
        overall = experts.ceiling.overall.coefficients
        found.append(("experts with each other", overall))
    rows = tuple(
        (
            Words(text=judge),
            Words(text=name),
            *agreement(number),
            strip(number, ratio, unit=""),
            whole(number.n),
        )
        for judge, each in found
        for name, number in (
            ("\u03ba, quadratic", each.kappa_quadratic),
            ("Gwet\u2019s AC1", each.ac1),
            ("Gwet\u2019s AC2, quadratic", each.ac2_quadratic),
            ("Krippendorff\u2019s \u03b1, nominal", each.alpha_nominal),
            ("Krippendorff\u2019s \u03b1, ordinal", each.alpha_ordinal),
        )
    )
    return Table(
        id="table-coefficients",
        title="Agreement by other coefficients",
        columns=(
            Column(key="judge", title="Judge", align="text"),
            Column(key="coefficient", title="Coefficient", align="text"),
            *estimate_columns(value="Value"),
            Column(key="drawn", title="", align="drawing", scale=kappa_scale(rows)),
            Column(key="n", title="n"),
        ),
        rows=rows,
    )


def classes_table(
    name: str, everyone: Sequence[Versus], *, title: str, caption: str
) -> Table:
    """Show precision, recall and F1 of each judge by value."""
    return Table(
        id=name,
        title=title,
        caption=caption,
        columns=(
            Column(key="judge", title="Judge", align="text"),
            Column(key="value", title="Value", align="text"),
            *estimate_columns(precision="Precision, %", recall="Recall, %", f1="F1, %"),
            Column(key="judge_n", title="Judge says"),
            Column(key="experts_n", title="Experts say"),
        ),
        rows=tuple(
            (
                Words(text=one.judge),
                Words(text=NAMES[each.value], value=each.value),
                *rate(each.precision),
                *rate(each.recall),
                *rate(each.f1),
                whole(each.n_second),
                whole(each.n_first),
            )
            for one in everyone
            for each in one.agreement.classes
        ),
        note="Precision: of what the judge calls so, the share that experts do; recall: "
        "of what experts call so, the share that the judge does.",
    )
