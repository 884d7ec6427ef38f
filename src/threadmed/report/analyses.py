"""Decides what a report shows: its sections, their numbers, and the mark they carry."""

from collections.abc import Callable
from itertools import count

import msgspec

from threadmed.report.blocks import Block, Figure, Report, Section, Table
from threadmed.report.material import Found
from threadmed.report.sections.alarms import alarms
from threadmed.report.sections.arms import arms
from threadmed.report.sections.comparisons import comparisons
from threadmed.report.sections.corrected import corrected
from threadmed.report.sections.correction import correction
from threadmed.report.sections.cost import cost
from threadmed.report.sections.coverage import coverage
from threadmed.report.sections.dataset import dataset
from threadmed.report.sections.doubt import doubt
from threadmed.report.sections.identification import identification
from threadmed.report.sections.judges import judges
from threadmed.report.sections.provenance import provenance
from threadmed.report.sections.recovery import recovery
from threadmed.report.sections.settings import settings
from threadmed.report.sections.severity import harm
from threadmed.report.sections.summary import summary
from threadmed.report.sections.trajectories import trajectories
from threadmed.report.sections.trust import trust_of
from threadmed.report.sections.turns import by_turn

SECTIONS: tuple[Callable[[Found], Section | None], ...] = (
    dataset,
    identification,
    correction,
    by_turn,
    recovery,
    settings,
    comparisons,
    arms,
    alarms,
    trajectories,
    harm,
    judges,
    corrected,
    doubt,
    coverage,
    cost,
    provenance,
)
"""In the order of the page; a section whose part a study lacks is left out."""

DEMONSTRATION = "Demonstration, not evidence"


def report_of(found: Found) -> Report:
    """Put the report of a study together; what it lacks leaves no hole."""
    sections = [section for make in SECTIONS if (section := make(found)) is not None]
    return numbered(
        Report(
            study=found.manifest.study.name,
            threadmed=found.manifest.threadmed,
            notice=found.manifest.study.notice,
            mark=mark_of_study(found),
            marks_all=found.is_demonstration,
            complete=found.manifest.complete,
            summary=summary(found),
            sections=tuple(sections),
        )
    )


def mark_of_study(found: Found) -> str:
    """Give what all judged numbers of a study are marked with; empty is nothing."""
    if found.is_demonstration:
        return DEMONSTRATION
    return trust_of(found.validation).mark


def numbered(report: Report) -> Report:
    """Number sections, figures and tables in the order in which they stand."""
    figures, tables = count(1), count(1)

    def with_number(block: Block) -> Block:
        if isinstance(block, Figure):
            return msgspec.structs.replace(block, number=next(figures))
        if isinstance(block, Table):
            return msgspec.structs.replace(block, number=next(tables))
        return block

    top = report.summary
    if top.figure is not None:
        first = msgspec.structs.replace(top.figure, number=next(figures))
        top = msgspec.structs.replace(top, figure=first)
    sections = tuple(
        msgspec.structs.replace(
            section,
            number=number,
            blocks=tuple(with_number(block) for block in section.blocks),
        )
        for number, section in enumerate(report.sections, start=1)
    )
    return msgspec.structs.replace(report, summary=top, sections=sections)


def figures_of(report: Report) -> tuple[Figure, ...]:
    """List every figure, in the order of the page."""
    first = (report.summary.figure,) if report.summary.figure else ()
    return first + tuple(
        block
        for section in report.sections
        for block in section.blocks
        if isinstance(block, Figure)
    )


def tables_of(report: Report) -> tuple[Table, ...]:
    """List every table that stands by itself, in the order of the page."""
    return tuple(
        block
        for section in report.sections
        for block in section.blocks
        if isinstance(block, Table)
    )


def mark_of(report: Report, block: Figure | Table) -> str:
    """Give what a figure or table is marked with; empty where it needs no mark."""
    return report.mark if block.judged or report.marks_all else ""
