"""What init, run, report and demo do once their lines are parsed."""

import asyncio
import os
import signal
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from importlib.resources import files
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from threadmed.cli.progress import shown
from threadmed.cli.terminal import printable
from threadmed.errors import InputError, ModelError, Stopped
from threadmed.llm.model import ChatModel
from threadmed.records import Model, Spend, Stage
from threadmed.store import read_bytes, read_json, write_bytes, write_text
from threadmed.study import Folder, RunManifest, study_folder

if TYPE_CHECKING:
    from threadmed.llm.engine import Engine

VERBS: dict[Stage, str] = {
    "identify": "identifying with",
    "answer": "answers of",
    "judge": "verdicts of",
}


def say(text: str, *, with_colours: bool = False) -> None:
    """Print a line of result, with what a terminal would obey escaped."""
    try:
        typer.echo(printable(text, with_colours=with_colours))
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as cause:
        raise InputError(f"cannot print the result: {cause.strerror}") from cause


@contextmanager
def stoppable(kept: str) -> Iterator[None]:
    """Let Ctrl-C, or a SIGTERM, end what is being done as an early stop."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    except KeyboardInterrupt:
        raise Stopped(f"stopped; {kept}") from None


def run_init(folder: Path, *, paper: bool) -> None:
    """Write study.toml where there is none; with `paper` the paper's study."""
    target = study_folder(folder).study
    if target.exists():
        raise InputError(
            f"{target}: is there already; edit it, or choose another folder"
        )
    write_text(target, _template("paper.toml" if paper else "study.toml"))
    say(f"{target}: says all that decides a number; edit it, then")
    say(f"  threadmed plan {folder}    # what it will cost")
    say(f"  threadmed run {folder}")


def run_study(
    root: Path, *, only: Stage | None, budget: float | None, wait: bool = True
) -> None:
    """Run a study and say what it came to."""
    if budget is not None and not budget >= 0:
        raise typer.BadParameter("--budget is an amount of USD, 0 or more")
    folder = study_folder(root)
    conduct(folder, only=only, budget=budget, wait=wait)
    say(f"{folder.scores}: the scores; now `threadmed report {root}`")


class Remarks:
    """What a person should know of a run: said when it is known, and at the end."""

    def __init__(self) -> None:
        self._lines: list[str] = []

    def told(self, found: Sequence[str]) -> None:
        """Say it while the run goes on."""
        self._lines.extend(found)
        for line in found:
            typer.echo(printable(line), err=True)

    def again(self) -> None:
        """Say it where the results are said."""
        for line in self._lines:
            say(line)


def conduct(
    folder: Folder,
    *,
    only: Stage | None = None,
    budget: float | None = None,
    wait: bool = True,
) -> None:
    """Run a study with the clock, the environment and a person who watches."""
    from threadmed.llm.providers import open_model
    from threadmed.run import run

    def opened(entry: Model) -> ChatModel:
        return open_model(entry, environment=os.environ)

    engines: list[Engine] = []
    remarks = Remarks()

    def begun(engine: "Engine") -> None:
        engines.append(engine)
        stop_by_signals(engine)

    def cost() -> str:
        return f"{engines[-1].spent_usd:.4f} USD" if engines else ""

    async def conducted() -> RunManifest:
        return await run(
            folder,
            open_model=opened,
            clock=time.time,
            progress=lambda stage, model, done, total: progress(
                f"{VERBS[stage]} {model}", done, total
            ),
            only=only,
            budget_usd=budget,
            wait=wait,
            on_engine=begun,
            on_answers=remarks.told,
        )

    kept = f"everything paid for is in {folder.journal}; run again to go on"
    try:
        with stoppable(kept), shown(more=cost) as progress:
            asyncio.run(conducted())
    except asyncio.CancelledError:
        raise Stopped(f"stopped; {kept}") from None
    except ModelError:
        _say_result(folder, remarks, begun=bool(engines))
        raise
    _say_result(folder, remarks)


def _say_result(folder: Folder, remarks: Remarks, *, begun: bool = True) -> None:
    """Print what should be known of a run, and what was paid.

    Also where a model was given up: the others have been asked.
    """
    if begun:
        remarks.again()
        say_spend(read_json(folder.manifest, RunManifest).spend)


def stop_by_signals(engine: "Engine") -> None:
    """Let a first Ctrl-C or SIGTERM finish what is in flight, and a second not even that.

    Called inside of the task that is to be stopped.
    """
    task, presses = asyncio.current_task(), count(1)

    def pressed() -> None:
        if next(presses) > 1:
            engine.abandon()
        elif task is not None:
            task.cancel()
            typer.echo(
                "finishing what is in flight; once more to stop at once", err=True
            )

    for number in (signal.SIGINT, signal.SIGTERM):
        # Loops of some systems take no handlers; there the first stop is at once.
        with suppress(NotImplementedError):
            asyncio.get_running_loop().add_signal_handler(number, pressed)


def say_spend(spends: Iterable[Spend]) -> None:
    """Print what was paid, per stage and model."""
    for spend in spends:
        say(
            f"{spend.stage:8} {spend.model}: {spend.calls:,} calls, {spend.reused:,} "
            f"more served by them, {spend.tokens_in:,} tokens in, "
            f"{spend.tokens_out:,} out, {spend.cost_usd:.2f} USD"
        )


def run_report(root: Path) -> None:
    """Write the report and print its path."""
    from threadmed.report import write

    say(f"{write(study_folder(root))}")


def run_demo(out: Path) -> None:
    """Go the whole line on the sample; a second time on one folder pays for nothing."""
    from threadmed.dataset.build import build
    from threadmed.dataset.inputs import find_dump
    from threadmed.dataset.sample import sample_folder
    from threadmed.llm.providers.embedded import NOTICE

    say(NOTICE)
    folder, sample = study_folder(out), sample_folder()
    with stoppable("the dataset is not written yet"), shown(unit="bytes") as progress:
        dump = find_dump(
            [sample / "AskDocs_submissions.zst"], [sample / "AskDocs_comments.zst"]
        )
        manifest = build(dump, out / "dataset", progress=progress)
    say(f"{out / 'dataset'}: {manifest.statistics.complete.threads} threads")
    write_bytes(out / "reference.jsonl", read_bytes(sample / "labels.jsonl"))
    if not folder.study.exists():
        write_text(folder.study, _template("demo.toml"))
    conduct(folder)
    run_report(out)


def _template(name: str) -> str:
    return files("threadmed.cli").joinpath(name).read_text("utf-8")
