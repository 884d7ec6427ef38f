"""Labels held against experts, and what is left of the rates if labels are doubted."""

from collections.abc import Iterator, Sequence

from threadmed.metrics.agreement.validation import Identified
from threadmed.metrics.controls.identification import (
    Bound,
    IdentificationUncertainty,
    TrueRate,
)
from threadmed.metrics.estimates import NotEstimable
from threadmed.report.blocks import (
    Block,
    Cell,
    Column,
    Heading,
    Interval,
    Prose,
    Quantity,
    Section,
    Table,
    Words,
)
from threadmed.report.material import Found
from threadmed.report.numbers import (
    MISSING,
    count,
    percent,
    percents,
    ratio,
    things,
)
from threadmed.report.readings import (
    agreement,
    cells,
    derived_rate,
    estimate_columns,
    rate,
    said,
    setting_cell,
    strip,
    warned,
    whole,
)
from threadmed.report.sections.comparisons import kappa_scale
from threadmed.report.sections.judges import confusion_table, experts_of
from threadmed.report.sections.trust import ceiling_of


def expert_check(found: Found) -> list[Block]:
    """Hold each source of labels against experts (paper, Table 5)."""
    held = found.validation.identification
    if isinstance(held, NotEstimable):
        return [
            Prose(
                text="No expert has checked any of these labels, so how many of them "
                "are wrong, and how many misconceptions were missed, is not known."
            )
        ]
    experts = held.experts
    opening = (
        f"{experts_of(experts)} checked "
        f"{things(experts.n_items, 'question')}, {count(experts.n_several)} of them "
        "twice or more."
    )
    if not isinstance(experts.ceiling, NotEstimable):
        raw = said(experts.ceiling.overall.raw, percent)
        opening += f" They agree with each other on {raw}."
    marked = warned(held.warnings)
    return [
        Heading(text="Labels against experts"),
        Prose(text=opening),
        *marked,
        _check(held.identifiers, ceiling_of(experts)),
        confusion_table(
            "table-labels-confusion",
            [each.versus for each in held.identifiers],
            title="Where labels part from experts",
            caption="Questions that both labelled, and share of the row.",
            is_judged=False,
        ),
    ]


def _check(held: Sequence[Identified], ceiling: object) -> Table:
    note = "Precision: of the source\u2019s misconceptions, the share that experts see too. "
    note += (
        "Recall: of the experts\u2019, the share that it finds. Specificity: of those "
    )
    note += "without one for experts, the share that it leaves."
    if not isinstance(ceiling, NotEstimable):
        note += f" Experts with each other: \u03ba {agreement(ceiling)[0].text}."  # type: ignore[arg-type]
    rows = tuple(row for each in held for row in _check_rows(each))
    return Table(
        id="table-identification",
        title="Identification against experts",
        caption="By source of labels (paper, Table 5).",
        columns=(
            Column(key="source", title="Source", align="text"),
            Column(key="measure", title="Measure", align="text"),
            *estimate_columns(value="Value"),
            Column(key="drawn", title="", align="drawing", scale=kappa_scale(rows)),
            Column(key="n", title="n"),
            Column(key="missing", title="Missing"),
        ),
        rows=rows,
        note=note,
        judged=False,
    )


def _check_rows(held: Identified) -> Iterator[tuple[Cell, ...]]:
    versus = held.versus
    kappa = versus.agreement.coefficients.kappa
    for measure, number in (
        ("same label, %", versus.agreement.raw),
        ("\u03ba", kappa),
        ("precision, %", held.precision),
        ("recall, %", held.recall),
        ("F1, %", held.f1),
        ("specificity, %", held.specificity),
    ):
        shown = agreement(number) if number is kappa else rate(number)
        write, unit = (ratio, "") if number is kappa else (percent, "%")
        yield (
            Words(text=versus.judge),
            Words(text=measure),
            *shown,
            strip(number, write, unit=unit),
            whole(number.n),
            whole(versus.n_missing),
        )


def doubt(found: Found) -> Section | None:
    """Show what is left of PCR if labels are doubted; None without checks."""
    known = found.doubt
    if known is None or not known.rates:
        return None
    return Section(
        id="doubt",
        title="If the identification is doubted",
        short="Identification in doubt",
        blocks=(
            Prose(
                text="PCR counts answers to questions that were labelled. Some of these "
                "carry no misconception, and some misconceptions were missed. Experts "
                f"checked {things(known.n_checked, 'labelled question')} and "
                f"{count(known.n_unlabelled_checked)} that were labelled as carrying none; what "
                "follows holds if these are random samples."
            ),
            *warned(known.warnings),
            _found(known),
            _rates(known.rates),
        ),
    )


def _found(known: IdentificationUncertainty) -> Table:
    return Table(
        id="table-doubt",
        title="What was found, and what was missed",
        columns=(
            Column(key="what", title="", align="text"),
            Column(key="value", title="Value"),
            Column(key="ci", title="95% CI", align="interval"),
            Column(key="n", title="Checked"),
        ),
        rows=(
            (
                Words(text="Labelled questions that carry one, %"),
                *rate(known.precision),
                whole(known.n_checked),
            ),
            (
                Words(text="Misconceptions missed, number"),
                *cells(known.missed, lambda value: count(round(value))),
                whole(known.n_unlabelled_checked),
            ),
            (
                Words(text="Misconceptions found, %, between"),
                *_bound(known.recall),
                whole(known.n_checked + known.n_unlabelled_checked),
            ),
        ),
        note=f"Of {things(known.n_labelled, 'labelled question')} and "
        f"{count(known.n_unlabelled)} labelled as carrying none.",
        judged=False,
    )


def _bound(bound: Bound | NotEstimable) -> tuple[Quantity, Interval]:
    """Show between what a rate lies; it has no value of its own."""
    if isinstance(bound, NotEstimable):
        return (
            Quantity(value=None, text=MISSING, note=bound.reason),
            Interval(low=None, high=None, text=MISSING),
        )
    return (
        Quantity(value=None, text=MISSING, note="a bound, which has no middle"),
        Interval(low=bound.low, high=bound.high, text=percents(bound.low, bound.high)),
    )


def _rates(rates: Sequence[TrueRate]) -> Table:
    return Table(
        id="table-true",
        title="PCR among true misconceptions",
        columns=(
            Column(key="model", title="Model", align="text"),
            Column(key="setting", title="Setting", align="text"),
            *estimate_columns(pcr="As labelled, %", true="True ones, %"),
            Column(key="missed", title="With missed, %, between", align="interval"),
            Column(key="n", title="n"),
            Column(key="checked", title="Checked"),
        ),
        rows=tuple(_rate_row(each) for each in rates),
        note="With missed: every missed misconception a failure, or every one corrected, "
        "with the limits of all that enters; wider than an interval of 95%.",
    )


def _rate_row(each: TrueRate) -> tuple[Cell, ...]:
    true, interval = derived_rate(each.true_pcr)
    missed = _bound(each.with_missed)
    why = missed[0].note if missed[1].low is None else ""
    notes = "; ".join(dict.fromkeys(note for note in (true.note, why) if note))
    return (
        Words(text=each.target),
        setting_cell(each.setting),
        *rate(each.pcr),
        Quantity(value=true.value, text=true.text, note=notes),
        interval,
        missed[1],
        whole(each.n_scored),
        whole(each.n_checked),
    )
