"""`threadmed annotate`: its options, and what it does once they are parsed."""

import signal
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, NamedTuple

import typer

from threadmed.study import Folder, study_folder

if TYPE_CHECKING:
    from threadmed.annotate.ledger import Ledger

Task = Annotated[
    Literal["identification", "scoring"] | None,
    typer.Option(help="One task; without it all that the study has something for."),
]
Size = Annotated[
    int | None, typer.Option(help="Items to draw for a task; 120 unless said.")
]
Raters = Annotated[
    str | None,
    typer.Option(help="Names with commas between; rater-1,rater-2 unless said."),
]
GoldShare = Annotated[
    float | None,
    typer.Option(help="Share of the items that every rater gets; 0.3 unless said."),
]
Host = Annotated[str, typer.Option(help="Address to listen on.")]
Port = Annotated[int, typer.Option(help="Port to listen on; 0 is any.")]
Kit = Annotated[
    str | None,
    typer.Option(help="Write this rater's items as one HTML file.", metavar="RATER"),
]
Out = Annotated[
    Path | None, typer.Option(help="File of the kit; RATER.html unless said.")
]
Merge = Annotated[
    list[Path] | None,
    typer.Option(
        help="Take in the JSON files that raters sent back.", metavar="FILE..."
    ),
]
Export = Annotated[
    bool, typer.Option("--export", help="Write the ratings tables and stop.")
]


class Request(NamedTuple):
    """What the command line says."""

    task: Literal["identification", "scoring"] | None
    size: int | None
    raters: str | None
    gold_share: float | None
    host: str
    port: int
    kit: str | None
    out: Path | None
    merge: list[Path]
    export: bool


def run_annotate(root: Path, request: Request) -> None:
    """Open the store, then write a kit, merge, export, or serve until stopped."""
    from threadmed.annotate.opening import Wanted, open_ledger, store_of

    folder = study_folder(root)
    names = request.raters
    wanted = Wanted(
        task=request.task,
        size=request.size,
        raters=tuple(name.strip() for name in names.split(",")) if names else None,
        gold_share=request.gold_share,
        kit=request.kit,
    )
    if request.export or request.merge:
        _must_exist(store_of(folder), root)
    ledger = open_ledger(folder, wanted)
    try:
        _act(ledger, folder, request)
    finally:
        ledger.close()


def _must_exist(store: Path, root: Path) -> None:
    from threadmed.errors import InputError

    if not store.exists():
        raise InputError(f"{store}: not there yet; `threadmed annotate {root}` first")


def _act(ledger: "Ledger", folder: Folder, request: Request) -> None:
    if request.kit is not None:
        _write_kit(ledger, request.kit, request.out)
    elif request.merge:
        for path in request.merge:
            _merge(ledger, path)
    if request.export:
        _export(ledger, folder)
    elif request.kit is None and not request.merge:
        _serve(ledger, folder, request)


def _write_kit(ledger: "Ledger", rater: str, out: Path | None) -> None:
    from threadmed.annotate.kit import write_kit
    from threadmed.cli.commands import say

    path = out or Path(f"{rater}.html")
    items = write_kit(ledger, rater, path)
    say(f"{path}: {items} items for {rater}; opens in any browser, needs no network")


def _merge(ledger: "Ledger", path: Path) -> None:
    from threadmed.annotate.kit import merge
    from threadmed.cli.commands import say

    merged = merge(ledger, path)
    say(
        f"{path}: {merged.new} new answers, {merged.changed} changed, {merged.same} "
        f"known, {len(merged.conflicts)} in conflict"
    )
    for conflict in merged.conflicts:
        say(f"  {conflict}")


def _export(ledger: "Ledger", folder: Folder) -> None:
    from threadmed.annotate.export import export
    from threadmed.cli.commands import say

    written = export(ledger, folder)
    for path in written:
        say(f"{path}: ratings; now `threadmed validate {folder.root}`")
    if not written:
        say("there are no answers to export yet")


def _serve(ledger: "Ledger", folder: Folder, request: Request) -> None:
    from threadmed.annotate.serve import serve
    from threadmed.cli.commands import say

    for plan in ledger.plans():
        say(
            f"{plan.task}: {plan.size} of {plan.population} drawn, for "
            f"{', '.join(plan.raters)}"
        )
    if request.host not in {"127.0.0.1", "localhost", "::1"}:
        say("Beyond this machine: put it behind HTTPS; see docs/annotate.md")
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    serve(
        ledger,
        folder,
        host=request.host,
        port=request.port,
        clock=time.time,
        say=say,
    )
    say(f"stopped; every answer is in {folder.ratings}")
