"""Draws a report and its conversations as one HTML page; decides nothing."""

from collections.abc import Callable, Mapping

from jinja2 import Environment, PackageLoader, StrictUndefined

from threadmed.report.blocks import Block, Cell, Report
from threadmed.report.conversations import Conversation
from threadmed.report.figures import legend, page_drawings
from threadmed.report.strips import scale_head, stack, strip
from threadmed.report.tables import cell_notes, letter
from threadmed.report.theme import SETTING_NAMES, style_variables

ASSETS = ("page.css", "report.css", "conversations.css", "page.js", "conversations.js")
"""Style and script of our own, which stand in the page as they are."""

UNSHOWN = dict.fromkeys(
    (
        *(code for code in range(0x20) if chr(code) not in "\t\n\r"),
        0x7F,
        *range(0x202A, 0x202F),
        *range(0x2066, 0x206A),
    ),
    "\N{REPLACEMENT CHARACTER}",
)
"""Control characters, and those that turn the direction of all that follows: HTML has
no place for the first, and the second would let a post rearrange the page."""


def page(report: Report, conversations: tuple[Conversation, ...]) -> str:
    """Write the whole page; it needs no network and reads without a script.

    Args:
        report: What it shows.
        conversations: Every thread with labelled turns.

    Returns:
        HTML; the same arguments give the same text.
    """
    environment = Environment(
        loader=PackageLoader("threadmed.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.globals.update(DRAWERS)
    assets = {name: _asset(environment, name) for name in ASSETS}
    html = environment.get_template("report.html.j2").render(
        report=report,
        conversations=conversations,
        assets=assets,
        variables=style_variables(),
        settings=SETTING_NAMES,
    )
    return html.translate(UNSHOWN)


def _asset(environment: Environment, name: str) -> str:
    if environment.loader is None:
        raise ValueError("the page has no templates to load")
    return environment.loader.get_source(environment, name)[0]


def kind(block: Block | Cell) -> str:
    """Name what a block or a cell is, for the templates to choose by."""
    return type(block).__name__.lower()


DRAWERS: Mapping[str, Callable[..., object]] = {
    "kind": kind,
    "drawings": page_drawings,
    "legend": legend,
    "strip": strip,
    "stack": stack,
    "scale_head": scale_head,
    "notes": cell_notes,
    "letter": letter,
}
"""What templates may call; those that give SVG escape all text in it."""
