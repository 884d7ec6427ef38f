"""Tables as data to CSV, LaTeX and Markdown; drawings are left out of all."""

import csv
import io
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import assert_never

from threadmed.report.blocks import (
    Cell,
    Column,
    Interval,
    Quantity,
    Stack,
    Strip,
    Table,
    Words,
)

LATEX = {
    "\\": r"\textbackslash{}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "[": "{[}",
    "]": "{]}",
    "*": "{*}",
    "\u2212": "$-$",
    "\u2013": "--",
    "\u2014": "---",
    "\u2018": "`",
    "\u2019": "'",
    "\u201c": "``",
    "\u201d": "''",
    "\u2026": r"\ldots{}",
    "\u00d7": r"$\times$",
    "\u00b1": r"$\pm$",
    "\u2192": r"$\rightarrow$",
    "\u2264": r"$\leq$",
    "\u2265": r"$\geq$",
    "\u03b1": r"$\alpha$",
    "\u03ba": r"$\kappa$",
    "\u03bb": r"$\lambda$",
    "\u03c1": r"$\rho$",
}
"""What LaTeX would take for a command, or a plain font lacks.

A bracket or a star that begins a row would be read as an option of the row before."""


def cell_notes(table: Table) -> tuple[str, ...]:
    """List what is to be known of single cells, each once, in order of appearance."""
    rows = (*table.rows, table.total)
    notes = (cell.note for row in rows for cell in row if isinstance(cell, Quantity))
    return tuple(dict.fromkeys(note for note in notes if note))


def letter(notes: Sequence[str], note: str) -> str:
    """Give the letter under which a note stands.

    Example:
        >>> letter(("few threads", "no failures"), "no failures")
        'b'
    """
    place = notes.index(note)
    return chr(ord("a") + place) if place < 26 else str(place + 1)


def to_csv(table: Table, *, mark: str) -> str:
    """Write a table as CSV: numbers unrounded, shares as shares, an interval as two.

    A number that is missing is an empty cell; where a column has notes, a further
    column holds them.

    Args:
        table: What to write.
        mark: What the table is marked with; it stands in a column of that name.
    """
    noted = {
        column.key
        for index, column in enumerate(table.columns)
        for row in table.rows
        if isinstance(cell := row[index], Quantity) and cell.note
    }
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    names = [name for column in table.columns for name in _names(column, noted)]
    ends = ([mark], ["mark"]) if mark else ([], [])
    rows.writerow([*names, *ends[1]])
    for row in table.rows:
        cells = zip(table.columns, row, strict=True)
        values = [v for column, cell in cells for v in _values(column, cell, noted)]
        rows.writerow([*values, *ends[0]])
    return text.getvalue()


def _names(column: Column, noted: set[str]) -> Iterator[str]:
    if column.align == "drawing":
        return
    if column.align == "interval":
        yield from (f"{column.key}_low", f"{column.key}_high")
        return
    yield column.key
    if column.key in noted:
        yield f"{column.key}_note"


def _values(
    column: Column, cell: Cell, noted: set[str]
) -> Iterator[str | int | float | None]:
    match cell:
        case Words():
            yield cell.value or cell.text
        case Quantity():
            yield cell.value
            if column.key in noted:
                yield cell.note
        case Interval():
            yield from (cell.low, cell.high)
        case Strip() | Stack():
            return
        case _:
            assert_never(cell)


def to_latex(table: Table, *, mark: str) -> str:
    """Write a table for the booktabs package, as it is printed on the page.

    Args:
        table: What to write.
        mark: What the table is marked with; it ends the caption.
    """
    kept = [i for i, column in enumerate(table.columns) if column.align != "drawing"]
    columns = [table.columns[i] for i in kept]
    notes = cell_notes(table)

    def row(cells: Sequence[Cell]) -> str:
        return _line(
            [_written(cells[i], notes, plain=latex, raised="$^{{}}$") for i in kept]
        )

    spec = "".join("l" if column.align == "text" else "r" for column in columns)
    caption = " ".join(
        part for part in (table.title + ".", table.caption, mark) if part
    )
    lines = [
        r"% \usepackage{booktabs}",
        r"\begin{table}",
        r"  \centering",
        f"  \\caption{{{latex(caption)}}}",
        f"  \\label{{tab:{table.id}}}",
        f"  \\begin{{tabular}}{{{spec}}}",
        r"    \toprule",
        _line([latex(column.title) for column in columns]),
        r"    \midrule",
        *(row(cells) for cells in table.rows),
    ]
    if table.total:
        lines += [r"    \midrule", row(table.total)]
    lines += [r"    \bottomrule", r"  \end{tabular}"]
    below = [f"$^{{{letter(notes, note)}}}$ {latex(note)}." for note in notes]
    below = [latex(table.note), *below] if table.note else below
    if below:
        lines.append("  \\par\\smallskip\\footnotesize " + " ".join(below))
    return "\n".join([*lines, r"\end{table}", ""])


def to_markdown(table: Table, *, mark: str) -> str:
    """Write a table as Markdown with pipes, as it is printed on the page.

    Args:
        table: What to write.
        mark: What the table is marked with; it ends the caption.
    """
    kept = [i for i, column in enumerate(table.columns) if column.align != "drawing"]
    columns = [table.columns[i] for i in kept]
    notes = cell_notes(table)

    def line(cells: Iterable[str]) -> str:
        return f"| {' | '.join(cells)} |"

    def row(cells: Sequence[Cell], around: str = "") -> str:
        shown = (
            _written(cells[i], notes, plain=markdown, raised="<sup>{}</sup>")
            for i in kept
        )
        return line(f"{around}{text}{around}" if text else "" for text in shown)

    ends = [table.caption, f"{mark}." if mark else ""]
    said = " ".join(markdown(part) for part in ends if part)
    lines = [
        f"**{markdown(table.title)}.** {said}".rstrip(),
        "",
        line(markdown(column.title) for column in columns),
        line("---" if column.align == "text" else "---:" for column in columns),
        *(row(cells) for cells in table.rows),
        *([row(table.total, "**")] if table.total else []),
    ]
    below = [f"<sup>{letter(notes, note)}</sup> {markdown(note)}." for note in notes]
    below = [*below, markdown(table.note)] if table.note else below
    return "\n".join([*lines, *(["", " ".join(below)] if below else []), ""])


def _written(
    cell: Cell, notes: Sequence[str], *, plain: Callable[[str], str], raised: str
) -> str:
    """Write a cell as text, with the letter of its note.

    Args:
        cell: What stands in it; a drawing leaves it empty.
        notes: Those of the table, in the order of their letters.
        plain: Writes text so that the format shows it as it is.
        raised: How the format raises what takes the place of {}.
    """
    match cell:
        case Words() | Interval():
            return plain(cell.text)
        case Quantity():
            above = raised.replace("{}", letter(notes, cell.note)) if cell.note else ""
            return plain(cell.text) + above
        case Strip() | Stack():
            return ""
        case _:
            assert_never(cell)


def markdown(text: str) -> str:
    r"""Write text so that Markdown shows it as it is, on one line.

    Example:
        >>> print(markdown("a_b | <c>"))
        a\_b \| &lt;c&gt;
    """
    shown = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return re.sub(r"[\\`*_{}\[\]#|~$!]", r"\\\g<0>", " ".join(shown.split()))


def _line(cells: Sequence[str]) -> str:
    return f"    {' & '.join(cells)} \\\\"


def latex(text: str) -> str:
    r"""Write text so that LaTeX shows it as it is.

    Example:
        >>> print(latex("50% of a_b"))
        50\% of a\_b
    """
    return "".join(
        LATEX.get(character, character) for character in " ".join(text.split())
    )
