"""Writes what a study found: one page, its conversations, and tables and figures.

Data decides, drawing follows: `material` reads the folder, `analyses` and `sections`
say what to show as the records of `blocks`, and `page`, `figures` and `tables` draw;
`viewer` writes the conversations, which are too many for the page.
"""

from pathlib import Path

from threadmed.study import Folder


def write(folder: Folder) -> Path:
    """Write the report of a study, from whatever its folder holds.

    Args:
        folder: The study folder; a run must have begun in it.

    Returns:
        The page, report/index.html; beside it report.json, tables/ and figures/, and
        conversations.html with what it reads in conversations/.

    Raises:
        InputError: If nothing was run yet, or a file of the folder is malformed.
    """
    from threadmed.report.analyses import report_of
    from threadmed.report.files import write_files
    from threadmed.report.material import read_found
    from threadmed.report.page import page
    from threadmed.report.viewer import write_viewer
    from threadmed.store import write_text

    found = read_found(folder)
    report = report_of(found)
    path = folder.report / "index.html"
    write_text(path, page(report, write_viewer(folder.report, found, report)))
    write_files(folder.report, report, found)
    return path
