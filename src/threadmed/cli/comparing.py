"""`threadmed compare`: several studies on one page."""

from pathlib import Path
from typing import Annotated

import typer


def compare(
    studies: Annotated[
        list[Path],
        typer.Argument(help="Two or more study folders.", metavar="STUDY"),
    ],
    out: Annotated[Path, typer.Option(help="Folder for the page and its files.")],
) -> None:
    """Put several studies side by side on one page.

    It says what is the same in them and what differs. A difference of rates is printed
    only where two studies asked about the same threads, over the questions that both
    scored.
    """
    if len(studies) < 2:
        raise typer.BadParameter("takes two studies or more", param_hint="STUDY")
    from threadmed.cli.commands import say
    from threadmed.report.compare_files import write_comparison
    from threadmed.study import study_folder

    say(f"{write_comparison([study_folder(root) for root in studies], out)}")
