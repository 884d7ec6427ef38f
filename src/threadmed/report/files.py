"""Writes the files of a report: JSON, tables and figures; the page is `page`'s."""

from pathlib import Path

from threadmed.metrics import Measurement
from threadmed.records import Record
from threadmed.report.analyses import figures_of, mark_of, tables_of
from threadmed.report.blocks import Figure, Report
from threadmed.report.figures import file_specification, tidy
from threadmed.report.tables import to_csv, to_latex
from threadmed.store import write_bytes, write_json, write_text

PNG_SCALE = 3
"""Px of the picture for each px of the drawing: 300 dpi at 178 mm and more."""


class Published(Record, frozen=True, kw_only=True):
    """report.json: what the page shows, and every number behind it."""

    version: int = 1
    report: Report
    measurement: Measurement | None


def write_files(root: Path, report: Report, measured: Measurement | None) -> None:
    """Write report.json, tables/ and figures/ into the folder of a report."""
    write_json(root / "report.json", Published(report=report, measurement=measured))
    for table in tables_of(report):
        mark = mark_of(report, table)
        path = root / "tables" / table.id
        write_text(path.with_suffix(".csv"), to_csv(table, mark=mark))
        write_text(path.with_suffix(".tex"), to_latex(table, mark=mark))
    for figure in figures_of(report):
        mark = mark_of(report, figure)
        path = root / "tables" / figure.id
        write_text(path.with_suffix(".csv"), to_csv(figure.numbers, mark=mark))
        _write_figure(root / "figures" / figure.id, figure, mark=mark)


def _write_figure(path: Path, figure: Figure, *, mark: str) -> None:
    import vl_convert

    drawing = file_specification(figure, mark)
    svg = tidy(vl_convert.vegalite_to_svg(drawing), fonts=True)
    write_text(path.with_suffix(".svg"), svg)
    write_bytes(
        path.with_suffix(".png"), vl_convert.vegalite_to_png(drawing, scale=PNG_SCALE)
    )
    write_bytes(path.with_suffix(".pdf"), vl_convert.vegalite_to_pdf(drawing))
