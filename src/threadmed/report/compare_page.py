"""The page on several studies, as data: the same blocks as one study's report."""

from collections.abc import Sequence

from threadmed.metrics.compared import PairedTest
from threadmed.metrics.estimates import Estimate
from threadmed.metrics.measurement import Group
from threadmed.report.blocks import (
    Block,
    Cell,
    Column,
    Figure,
    Note,
    Prose,
    Quantity,
    Rates,
    RatesChart,
    Report,
    Scale,
    Section,
    Summary,
    Table,
    TurnPoint,
    TurnsChart,
    TurnsPanel,
    Words,
)
from threadmed.report.compare import Compared, Contrast, Studies
from threadmed.report.numbers import MINUS, listed, percent, points, things
from threadmed.report.readings import (
    adjusted_p,
    dashes,
    difference,
    estimate_columns,
    mean,
    point,
    rate,
    said,
    setting_cell,
    strip,
    whole,
)
from threadmed.report.theme import SETTING_NAMES

ALPHA = 0.05
DIFFERENCES = Scale(
    low=-0.5,
    high=0.5,
    ticks=((-0.5, f"{MINUS}50"), (0, "0"), (0.5, "+50")),
    zero=True,
)
Row = tuple[Compared, Group]


def compared_report(found: Studies, *, threadmed: str) -> Report:
    """Say what a page on several studies shows.

    Args:
        found: The studies.
        threadmed: The version that writes the page.
    """
    sections = (_sameness(found), _rates(found), _by_turn(found), _differences(found))
    marks = dict.fromkeys(each.mark for each in found.studies if each.mark)
    told = [f"{each.letter}: {each.mark}" for each in found.studies if each.mark]
    return Report(
        study=" and ".join(each.study for each in found.studies)
        if len(found.studies) == 2
        else things(len(found.studies), "study", "studies"),
        threadmed=threadmed,
        notice="",
        mark=next(iter(marks), "") if len(marks) < 2 else "; ".join(told),
        marks_all=False,
        complete=all(each.complete for each in found.studies),
        summary=_summary(found),
        sections=tuple(section for section in sections if section.blocks),
    )


def _summary(found: Studies) -> Summary:
    targets = dict.fromkeys(g.target for s in found.studies for g in s.groups)
    names = listed([f"{each.letter} ({each.study})" for each in found.studies])
    return Summary(
        headline=_headline(found.contrasts),
        lead=f"{things(len(found.studies), 'study', 'studies')} with "
        f"{things(len(targets), 'target')}: {names}. {_sameness_said(found)}",
        figure=_figure(_main(found)),
        questions=(),
    )


def _headline(contrasts: Sequence[Contrast]) -> str:
    if not contrasts:
        return "Studies on unlike threads stand beside each other, and are not compared"
    tests = [each.comparison.test for each in contrasts]
    clear = [t for t in tests if isinstance(t, PairedTest) and t.p_holm < ALPHA]
    made = things(len(contrasts), "difference")
    if not clear:
        return f"Of {made} between studies on the same questions, none is clear"
    verb = "is" if len(clear) == 1 else "are"
    return f"Of {made} between studies on the same questions, {len(clear)} {verb} clear"


def _sameness_said(found: Studies) -> str:
    same = [each.name for each in found.aspects if each.is_same]
    unlike = [each.name for each in found.aspects if not each.is_same]
    parts = (
        f"The same in all: {listed(same)}." if same else "",
        f"Not the same: {listed(unlike)}." if unlike else "Nothing differs.",
    )
    return " ".join(part for part in parts if part)


def _sameness(found: Studies) -> Section:
    columns = [
        Column(key=each.letter, title=f"{each.letter}: {each.study}", align="text")
        for each in found.studies
    ]
    table = Table(
        id="table-same",
        title="What decides the numbers, study by study",
        caption="Hashes are cut to eight digits; they are of the files and prompts that "
        "each study says it used.",
        columns=(
            Column(key="what", title="What", align="text"),
            Column(key="same", title="Same", align="text"),
            *columns,
        ),
        rows=tuple(
            (
                Words(text=each.name),
                Words(text="yes" if each.is_same else "no"),
                *(Words(text=value) for value in each.values),
            )
            for each in found.aspects
        ),
        judged=False,
    )
    unfinished = [each.letter for each in found.studies if not each.complete]
    verb = "is" if len(unfinished) == 1 else "are"
    notes = (
        [Note(text=f"{listed(unfinished)} {verb} not finished: numbers may change.")]
        if unfinished
        else []
    )
    return Section(
        id="same", title="What is the same, and what differs", blocks=(*notes, table)
    )


def _main(found: Studies) -> list[Row]:
    """Give each study's targets in its main setting, those of one name together."""
    rows = [
        (study, group)
        for study in found.studies
        for group in study.groups
        if group.setting == study.main_setting
    ]
    order = list(dict.fromkeys(group.target for _, group in rows))
    return sorted(rows, key=lambda row: order.index(row[1].target))


def _named(row: Row) -> str:
    study, group = row
    return f"{group.target} ({study.letter})"


def _figure(rows: Sequence[Row]) -> Figure | None:
    if not any(isinstance(group.pcr, Estimate) for _, group in rows):
        return None
    settings = dict.fromkeys(SETTING_NAMES[group.setting] for _, group in rows)
    return Figure(
        id="figure-studies",
        title="How often each target corrects the false belief, study by study",
        method=f"{listed(list(settings))}, all turns of each study, as in its own report;"
        " the letter is the study. Lines are 95% intervals; hollow points rest on fewer "
        "than 100 answers. Rows of unlike studies hold the same questions only where "
        "the table of differences says so." + dashes(group.pcr for _, group in rows),
        alt="Share of scored answers that fully correct the false belief. "
        + " ".join(f"{_named(row)}: {said(row[1].pcr)}." for row in rows),
        chart=RatesChart(
            rows=tuple(
                Rates(
                    model=_named(row),
                    corrected=point(row[1].pcr),
                    uncorrected=point(row[1].uncorrected),
                )
                for row in rows
            )
        ),
        numbers=_table(rows, name="figure-studies"),
    )


def _rates(found: Studies) -> Section:
    rows = [(study, group) for study in found.studies for group in study.groups]
    blocks: tuple[Block, ...] = (_table(rows, name="table-studies"),) if rows else ()
    return Section(id="rates", title="Each study\u2019s own numbers", blocks=blocks)


def _table(rows: Sequence[Row], *, name: str) -> Table:
    return Table(
        id=name,
        title="Correction by study, target and setting",
        columns=(
            Column(key="study", title="Study", align="text"),
            Column(key="target", title="Target", align="text"),
            Column(key="setting", title="Setting", align="text"),
            *estimate_columns(pcr="PCR, %", uncorrected="Uncorrected, %", pcs="PCS"),
            Column(key="n", title="n"),
            Column(key="coverage", title="Coverage, %"),
        ),
        rows=tuple(_cells(row) for row in rows),
        note="n: answers scored; coverage: their share of all items.",
    )


def _cells(row: Row) -> tuple[Cell, ...]:
    study, group = row
    return (
        Words(text=study.letter, value=study.study),
        Words(text=group.target),
        setting_cell(group.setting),
        *rate(group.pcr),
        *rate(group.uncorrected),
        *mean(group.pcs),
        whole(group.n_scored),
        Quantity(value=group.coverage, text=percent(group.coverage)),
    )


def _by_turn(found: Studies) -> Section:
    rows = [row for row in _main(found) if row[1].setting == "multi_turn"]
    rates = [rates.pcr for _, group in rows for rates in group.by_turn]
    turns = {rates.turn for _, group in rows for rates in group.by_turn}
    if len(turns) < 2 or not any(isinstance(each, Estimate) for each in rates):
        return Section(id="turns", title="By turn", blocks=())
    figure = Figure(
        id="figure-turns",
        title="Share of false beliefs that each target corrects, by turn",
        method="Multi-turn; percent; vertical lines are 95% intervals, n stands below; "
        "grey lines are the other panels; the letter is the study." + dashes(rates),
        alt="\n".join(
            f"{_named(row)}: "
            + "; ".join(f"turn {r.turn}, {said(r.pcr)}" for r in row[1].by_turn)
            + "."
            for row in rows
        ),
        chart=TurnsChart(
            panels=tuple(
                TurnsPanel(
                    model=_named(row),
                    points=tuple(
                        TurnPoint(turn=each.turn, point=point(each.pcr))
                        for each in row[1].by_turn
                    ),
                )
                for row in rows
            )
        ),
        numbers=_turns_table(rows),
    )
    return Section(id="turns", title="By turn", blocks=(figure,))


def _turns_table(rows: Sequence[Row]) -> Table:
    return Table(
        id="figure-turns",
        title="PCR by turn",
        columns=(
            Column(key="study", title="Study", align="text"),
            Column(key="target", title="Target", align="text"),
            Column(key="turn", title="Turn"),
            *estimate_columns(pcr="PCR, %"),
            Column(key="n", title="n"),
        ),
        rows=tuple(
            (
                Words(text=study.letter, value=study.study),
                Words(text=group.target),
                whole(each.turn),
                *rate(each.pcr),
                whole(each.n_scored),
            )
            for study, group in rows
            for each in group.by_turn
        ),
    )


def _differences(found: Studies) -> Section:
    contrasts = found.contrasts
    blocks: tuple[Block, ...]
    if contrasts:
        blocks = (Prose(text=PAIRED), _differences_table(contrasts))
    else:
        blocks = (Note(text=UNPAIRED),)
    return Section(id="differences", title="Differences between studies", blocks=blocks)


PAIRED = (
    "Two studies whose files of threads are the same are compared over the questions "
    "that both scored: a target with itself in every setting, and other targets in the "
    "main setting. Where more than the target differs, the difference may come from "
    "that, and the last column names it."
)
UNPAIRED = (
    "No two of these studies asked about the same threads, so no difference is printed: "
    "rates of unlike questions differ for reasons that no interval holds."
)


def _differences_table(contrasts: Sequence[Contrast]) -> Table:
    test = next(
        (t for c in contrasts if isinstance(t := c.comparison.test, PairedTest)), None
    )
    family = f" of {test.family_size}" if test else ""
    return Table(
        id="table-differences",
        title="PCR of the first minus PCR of the second, on the same questions",
        columns=(
            Column(key="first", title="First", align="text"),
            Column(key="second", title="Second", align="text"),
            Column(key="setting", title="Setting", align="text"),
            Column(key="drawn", title="", align="drawing", scale=DIFFERENCES),
            *estimate_columns(difference="Points"),
            Column(key="p_holm", title="p, adjusted"),
            Column(key="n", title="n"),
            Column(key="left_out", title="Left out"),
            Column(key="also_differs", title="Also differs", align="text"),
        ),
        rows=tuple(_difference_cells(each) for each in contrasts),
        note=f"p: exact, two-sided, adjusted by Holm\u2019s method over the family{family};"
        " n: questions scored on both sides; left out: those that lack a score on one.",
    )


def _difference_cells(contrast: Contrast) -> tuple[Cell, ...]:
    found = contrast.comparison
    return (
        Words(text=f"{found.first.target} ({contrast.first})"),
        Words(text=f"{found.second.target} ({contrast.second})"),
        setting_cell(found.first.setting),
        strip(found.difference, points, unit=" points"),
        *difference(found.difference),
        adjusted_p(found.test),
        whole(found.n),
        whole(found.n_left_out),
        Words(text=", ".join(contrast.also_differs) or "nothing"),
    )
