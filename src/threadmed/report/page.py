"""Draws a report as one HTML page; decides nothing."""

from collections.abc import Callable, Mapping

from jinja2 import Environment, PackageLoader, StrictUndefined

from threadmed.markup import UNSHOWN
from threadmed.report.blocks import Block, Cell, Note, Report, Table, Words
from threadmed.report.catalogue import shortcuts
from threadmed.report.conversations import Index
from threadmed.report.figures import legend, page_drawings
from threadmed.report.strips import is_cut, scale_head, stack, strip
from threadmed.report.tables import cell_notes, letter
from threadmed.report.theme import style_variables

ASSETS = ("page.css", "report.css", "page.js")
"""Style and script of our own, which stand in the page as they are."""


def page(report: Report, conversations: Index | None) -> str:
    """Write the whole page; it needs no network and reads without a script.

    Args:
        report: What it shows.
        conversations: What the viewer beside it holds; None where there is none.

    Returns:
        HTML; the same arguments give the same text.
    """
    drawn = environment()
    html = drawn.get_template("report.html.j2").render(
        report=report,
        conversations=conversations,
        assets={name: asset(drawn, name) for name in ASSETS},
        variables=style_variables(),
    )
    return html.translate(UNSHOWN)


def environment() -> Environment:
    """Give what draws templates: all text is escaped, and no name may be missing."""
    made = Environment(
        loader=PackageLoader("threadmed.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    made.globals.update(DRAWERS)
    return made


def asset(environment: Environment, name: str) -> str:
    """Give a style sheet or script as it is."""
    if environment.loader is None:
        raise ValueError("the page has no templates to load")
    return environment.loader.get_source(environment, name)[0]


def kind(block: Block | Cell) -> str:
    """Name what a block or a cell is, for the templates to choose by."""
    return type(block).__name__.lower()


def noted(note: Note) -> tuple[str, ...]:
    """Give the clauses of a note, which templates would take for a method."""
    return note.items


def starts(table: Table, row: int) -> bool:
    """Whether a row is the first of those that begin alike, as those of one model."""
    here, before = (table.rows[at][0] for at in (row, max(row - 1, 0)))
    if not (isinstance(here, Words) and isinstance(before, Words)):
        return True
    return row == 0 or here.text != before.text


DRAWERS: Mapping[str, Callable[..., object]] = {
    "kind": kind,
    "drawings": page_drawings,
    "legend": legend,
    "strip": strip,
    "stack": stack,
    "scale_head": scale_head,
    "is_cut": is_cut,
    "shortcuts": shortcuts,
    "notes": cell_notes,
    "letter": letter,
    "starts": starts,
    "noted": noted,
}
"""What templates may call; those that give SVG escape all text in it."""
