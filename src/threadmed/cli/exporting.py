"""The command `export`, and what it prints."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, assert_never

import typer

from threadmed.records import Record
from threadmed.study import Folder, study_folder

if TYPE_CHECKING:
    from threadmed.run.export.hub import Held

OF_PAIRS = "goes with --to preferences"

Tool = Literal["hf", "csv", "preferences", "inspect"]
To = Annotated[Tool, typer.Option(help="For which tool.")]
Out = Annotated[
    Path, typer.Option(help="A folder; for inspect also a .eval or .json file.")
]
HeldOut = Annotated[
    str | None,
    typer.Option(
        help="preferences: share of threads, held-out.json, or file of names.",
        metavar="SHARE|FILE",
    ),
]
Seed = Annotated[
    int | None, typer.Option(help="preferences: seed of the draw; else the study's.")
]
Partly = Annotated[
    bool, typer.Option("--partly", help="preferences: reject scores of 0, too.")
]
Unanimous = Annotated[
    bool, typer.Option("--unanimous", help="preferences: only where all judges agree.")
]
NoWords = Annotated[
    bool,
    typer.Option(
        "--no-words", help="hf, csv: leave out patients' and physicians' words."
    ),
]


class ExportRequest(Record, frozen=True, kw_only=True):
    """What `threadmed export` was asked for."""

    to: Tool
    out: Path
    held_out: str | None
    seed: int | None
    partly: bool
    unanimous: bool
    no_words: bool


def run_export(study: Path, request: ExportRequest) -> None:
    """Write a study's results for another tool, and say what was written."""
    of_pairs = request.held_out is not None or request.seed is not None
    of_pairs = of_pairs or request.partly or request.unanimous
    if request.to != "preferences" and of_pairs:
        raise typer.BadParameter(
            f"each of --held-out, --seed, --partly, --unanimous {OF_PAIRS}"
        )
    if request.to not in {"hf", "csv"} and request.no_words:
        raise typer.BadParameter("--no-words goes with --to hf or csv")
    folder = study_folder(study)
    match request.to:
        case "inspect":
            _inspect(folder, request.out)
        case "hf" | "csv":
            _tables(folder, request)
        case "preferences":
            _preferences(folder, request)
        case _:
            assert_never(request.to)


def _inspect(folder: Folder, out: Path) -> None:
    from threadmed.cli.commands import say
    from threadmed.inspection.export import export_inspect
    from threadmed.study import read_study

    say(f"{export_inspect(folder, out)}: open it with inspect view")
    study = read_study(folder)
    if study.arms or study.control.n:
        say("arms and controls are not in it; `--to csv` has them")


def _tables(folder: Folder, request: ExportRequest) -> None:
    from threadmed.cli.commands import say
    from threadmed.run.export.hub import export_hub
    from threadmed.run.export.tables import export_csv

    write = export_hub if request.to == "hf" else export_csv
    for path in write(folder, request.out, words=not request.no_words):
        say(f"{path}")


def _preferences(folder: Folder, request: ExportRequest) -> None:
    from threadmed.cli.commands import say
    from threadmed.run.export.hub import export_preferences
    from threadmed.run.export.preferences import Rule

    if request.held_out is None:
        raise typer.BadParameter(
            "--to preferences needs --held-out: threads to measure on must not be "
            "trained on; give a share such as 0.3, or a file of their names"
        )
    found = export_preferences(
        folder,
        request.out,
        held_out=request.held_out,
        seed=request.seed,
        rule=Rule(partly=request.partly, unanimous=request.unanimous),
    )
    for line in _lines(found, request.out):
        say(line)


def _lines(found: "Held", out: Path) -> Iterator[str]:
    pairs, held = found.pairs, found.held
    threads = len({pair.thread_id for pair in pairs.train})
    yield f"{out / 'train.jsonl'}: {len(pairs.train):,} pairs of {threads:,} threads"
    yield (
        f"left out of {pairs.judged:,} scored answers: {pairs.held_out:,} in threads "
        f"that are held out, {pairs.copies:,} in threads that share a question with "
        f"one of those, {pairs.split:,} on which the judges differ; answers of arms "
        f"make no pairs ({pairs.arms:,})"
    )
    yield f"{out / 'held-out.json'}: {held.threads:,} of {held.of:,} threads, as hashes"
