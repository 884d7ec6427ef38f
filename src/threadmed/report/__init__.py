"""Writes what a study found: one page, and its tables and figures as files.

Data decides, drawing follows: `material` reads the folder, `analyses` and `sections`
say what to show as the records of `blocks`, and `page`, `figures` and `tables` draw.
"""

from pathlib import Path

from threadmed.study import Folder


def write(folder: Folder) -> Path:
    """Write the report of a study, from whatever its folder holds.

    Args:
        folder: The study folder; a run must have begun in it.

    Returns:
        The page, report/index.html; beside it report.json, tables/ and figures/.

    Raises:
        InputError: If nothing was run yet, or a file of the folder is malformed.
    """
    from threadmed.report.analyses import report_of
    from threadmed.report.files import write_files
    from threadmed.report.material import read_found
    from threadmed.report.page import page
    from threadmed.report.transcripts import conversations
    from threadmed.store import write_text

    found = read_found(folder)
    report = report_of(found)
    path = folder.report / "index.html"
    write_text(path, page(report, conversations(found)))
    write_files(folder.report, report, found.measured)
    return path
