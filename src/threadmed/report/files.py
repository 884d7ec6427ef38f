"""Writes the files of a report: JSON, tables and figures; the page is `page`'s."""

from pathlib import Path

from threadmed.report.analyses import figures_of, mark_of, tables_of
from threadmed.report.blocks import Figure, Report
from threadmed.report.material import Found
from threadmed.report.prints import WIDTHS, Width, caption, printed
from threadmed.report.schema import Published, json_schema
from threadmed.report.tables import to_csv, to_latex, to_markdown
from threadmed.store import write_bytes, write_json, write_text


def write_files(root: Path, report: Report, found: Found) -> None:
    """Write report.json, its schema, tables/ and figures/ of a study's report.

    Args:
        root: The folder of the report.
        report: What it shows.
        found: What it was made of.
    """
    write_json(root / "report.json", published(report, found))
    write_json(root / "report.schema.json", json_schema(Published))
    write_drawn(root, report)


def published(report: Report, found: Found) -> Published:
    """Gather what report.json holds."""
    both = found.both
    return Published(
        report=report,
        measurement=found.measured,
        as_published=both.as_published if both else None,
        differs=both.differs if both else (),
        validation=found.validation,
        corrected=found.corrected,
        identification=found.doubt,
        panel=found.quality,
        arms=found.arms,
        over_correction=found.alarms,
        severity=found.severity,
    )


def write_drawn(root: Path, report: Report) -> None:
    """Write each table, and each figure with its numbers, in every format."""
    for table in tables_of(report):
        mark = mark_of(report, table)
        path = root / "tables" / table.id
        write_text(path.with_suffix(".csv"), to_csv(table, mark=mark))
        write_text(path.with_suffix(".tex"), to_latex(table, mark=mark))
        write_text(path.with_suffix(".md"), to_markdown(table, mark=mark))
    for figure in figures_of(report):
        mark = mark_of(report, figure)
        path = root / "tables" / figure.id
        write_text(path.with_suffix(".csv"), to_csv(figure.numbers, mark=mark))
        for width in WIDTHS:
            _write_figure(root / "figures", figure, mark=mark, width=width)


def _write_figure(root: Path, figure: Figure, *, mark: str, width: Width) -> None:
    path = root / f"{figure.id}{width.ending}"
    made = printed(figure, mark=mark, width=width)
    write_text(path.with_suffix(".svg"), made.svg)
    write_bytes(path.with_suffix(".pdf"), made.pdf)
    write_bytes(path.with_suffix(".png"), made.png)
    text = caption(figure, mark=mark, width=width)
    write_text(path.with_suffix(".tex"), text)
