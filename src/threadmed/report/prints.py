"""Figures as files for papers: SVG, PDF and PNG at the widths that journals print.

A file holds the drawing, its legend and its mark; title and method are the caption,
which stands beside it as LaTeX, since a paper numbers its figures itself.
"""

import re
import textwrap
from collections.abc import Iterator, Sequence
from html import escape

from threadmed.records import Record
from threadmed.report.blocks import Figure
from threadmed.report.figures import Legend, file_chart, legend, tidy
from threadmed.report.pdf import ordered
from threadmed.report.rows import CHARACTER
from threadmed.report.tables import latex
from threadmed.report.theme import LIGHT, SANS, SMALL, Token

DPI = 300
"""Of PNG files: what journals ask of drawings that are not lines alone."""
POINTS, LINE, EDGE = 72, 18.0, 4.0
"""PDF points an inch; px from a line of text to the next; px of paper around."""


class Width(Record, frozen=True, kw_only=True):
    """A width that figures are printed at."""

    ending: str
    """What follows a figure's name in the names of its files."""
    inches: float
    px: float
    """Of the drawing, without its edge; text of 12 px is 6.8 or 8.3 points."""
    is_narrow: bool


PAGE = Width(ending="", inches=7.0, px=880, is_narrow=False)
"""Both columns of a journal's page, 178 mm."""
COLUMN = Width(ending="-column", inches=3.35, px=346, is_narrow=True)
"""One column, 85 mm."""
WIDTHS = (PAGE, COLUMN)


class Print(Record, frozen=True, kw_only=True):
    """A figure at one width, in the three formats."""

    svg: str
    pdf: bytes
    png: bytes


def printed(figure: Figure, *, mark: str, width: Width) -> Print:
    """Draw a figure as files; the same figure gives the same bytes.

    Args:
        figure: What to draw.
        mark: What a judged figure is marked with; it stands under the drawing.
        width: How wide it is printed.
    """
    import vl_convert

    inside, height = _composed(figure, mark=mark, width=width)
    whole = width.px + 2 * EDGE
    tall = width.inches / whole * height
    frame = f'viewBox="{-EDGE:g} {-EDGE:g} {whole:g} {height:g}"'
    words = f"<title>{escape(figure.title)}</title><desc>{_said(figure, mark)}</desc>"

    def svg(unit: str, per_inch: float) -> str:
        size = (
            f'width="{width.inches * per_inch:.4g}{unit}" '
            f'height="{tall * per_inch:.5g}{unit}"'
        )
        opening = f'<svg xmlns="http://www.w3.org/2000/svg" role="img" {size} {frame}'
        return f'{opening} font-family="{SANS}">{words}{inside}</svg>\n'

    at_points = svg("", POINTS)
    return Print(
        svg=svg("in", 1),
        pdf=ordered(vl_convert.svg_to_pdf(at_points)),
        png=vl_convert.svg_to_png(at_points, scale=1, ppi=DPI),
    )


def _said(figure: Figure, mark: str) -> str:
    method = " ".join(figure.method.split())
    alt = " ".join(figure.alt.split())
    return escape(" ".join(part for part in (method, alt, mark) if part))


def _composed(figure: Figure, *, mark: str, width: Width) -> tuple[str, float]:
    """Put legend, drawing and mark under each other.

    Returns:
        The drawn parts, and the height of all of them with their edges, in px.
    """
    import vl_convert

    drawn = vl_convert.vegalite_to_svg(
        file_chart(figure, is_narrow=width.is_narrow, width=width.px)
    )
    size = re.match(r'<svg[^>]* width="(\S+)" height="(\S+)"', drawn)
    if size is None:
        raise ValueError("vl-convert wrote an SVG without a size")
    wide, high = (float(px) for px in size.groups())
    inner = tidy(drawn[drawn.index(">") + 1 : drawn.rindex("</svg>")], fonts=True)
    named = legend(figure) if width.is_narrow else ()
    above = list(_legend_lines(named, width))
    below = textwrap.wrap(mark, int(width.px / CHARACTER))
    top = LINE * len(above) + (6 if above else 0)
    left = max(0.0, (width.px - wide) / 2)
    texts = [
        _text(0, LINE * (row + 1) - 5, line, colour="ink-2")
        for row, line in enumerate(above)
    ]
    texts += [
        _text(0, top + high + LINE * (row + 1), escape(line), colour="orange")
        for row, line in enumerate(below)
    ]
    moved = f'<g transform="translate({left:g},{top:g})">{inner}</g>'
    bottom = LINE * len(below) + 4 if below else 0.0
    return moved + "".join(texts), top + high + bottom + 2 * EDGE


def _legend_lines(named: Sequence[Legend], width: Width) -> Iterator[str]:
    """Set the entries of a legend in lines that fit, each symbol in its colour."""
    line, used = "", 0.0
    for symbol, text, colour in named:
        needs = CHARACTER * (len(text) + 4)
        if line and used + needs > width.px:
            yield line
            line, used = "", 0.0
        line += f'<tspan fill="{LIGHT[colour]}">{symbol}</tspan> {escape(text)}'
        line += "\N{NO-BREAK SPACE}" * 3
        used += needs
    if line:
        yield line


def _text(x: float, y: float, inside: str, *, colour: Token) -> str:
    place = f'x="{x:g}" y="{y:g}" font-size="{SMALL:g}"'
    return f'<text {place} font-family="{SANS}" fill="{LIGHT[colour]}">{inside}</text>'


def caption(figure: Figure, *, mark: str, width: Width) -> str:
    """Write the LaTeX that puts a figure and its caption into a paper."""
    method = " ".join(figure.method.split())
    said = " ".join(
        part
        for part in (figure.title + ".", method, f"{mark}." if mark else "")
        if part
    )
    name = "figure" if width.is_narrow else "figure*"
    lines = (
        f"\\begin{{{name}}}",
        r"  \centering",
        f"  \\includegraphics[width={width.inches:g}in]{{{figure.id}{width.ending}.pdf}}",
        f"  \\caption{{{latex(said)}}}",
        f"  \\label{{fig:{figure.id.removeprefix('figure-')}{width.ending}}}",
        f"\\end{{{name}}}",
        "",
    )
    return "\n".join(lines)
