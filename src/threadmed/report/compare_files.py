"""Writes the page on several studies, with its tables, figures and numbers as files."""

from collections.abc import Sequence
from pathlib import Path

from threadmed.report.analyses import numbered
from threadmed.report.compare import compare_studies
from threadmed.report.compare_page import compared_report
from threadmed.report.files import write_drawn
from threadmed.report.page import page
from threadmed.report.schema import PublishedComparison, json_schema
from threadmed.store import write_json, write_text
from threadmed.study import Folder


def write_comparison(folders: Sequence[Folder], out: Path) -> Path:
    """Write one page on several studies.

    Args:
        folders: Two or more study folders; each must have been run.
        out: The folder to write to; what is in it already is written over.

    Returns:
        The page, index.html; beside it report.json, tables/ and figures/.

    Raises:
        InputError: If a study cannot be read, or fewer than two are named.
    """
    from threadmed import __version__

    found = compare_studies(folders)
    report = numbered(compared_report(found, threadmed=__version__))
    path = out / "index.html"
    write_text(path, page(report, None))
    write_json(
        out / "report.json", PublishedComparison(report=report, comparison=found)
    )
    write_json(out / "report.schema.json", json_schema(PublishedComparison))
    write_drawn(out, report)
    return path
