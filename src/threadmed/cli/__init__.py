"""The command line: a command parses, calls one door, prints."""

import gc
import os
import sys
from pathlib import Path
from typing import Annotated, Literal

import typer

from threadmed.cli import annotating, exporting, measuring
from threadmed.cli import power as planning
from threadmed.cli.agreement import agree, validate
from threadmed.cli.comparing import compare
from threadmed.cli.importing import import_data
from threadmed.cli.line import spread
from threadmed.cli.terminal import printable, stand_in_for_closed
from threadmed.errors import Stopped, ThreadmedError, UsageError
from threadmed.records import Stage

app = typer.Typer(
    help="Measure whether language models notice and correct the false beliefs in "
    "patients' questions, and whether they keep doing so as a conversation goes on.",
    epilog="A study is one folder: build threads, init a study.toml, run, report.",
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    add_completion=False,
    no_args_is_help=True,
)

Posts = Annotated[
    list[Path], typer.Option(help="Dump files of submissions.", metavar="FILE...")
]
Comments = Annotated[
    list[Path], typer.Option(help="Dump files of comments.", metavar="FILE...")
]
DatasetFolder = Annotated[
    Path | None,
    typer.Option(
        help="Folder for the dataset; not needed with --explain.", show_default=False
    ),
]
AllowPartial = Annotated[
    bool,
    typer.Option(
        "--allow-partial", help="Use what a truncated file holds, and say so."
    ),
]
StudyPath = Annotated[Path, typer.Argument(help="The study folder.", metavar="STUDY")]


@app.command()
def demo(
    out: Annotated[Path, typer.Option(help="Folder of the demo study.")] = Path("demo"),
) -> None:
    """Run the whole line on an invented sample.

    Needs no key and no network; the small language model that answers is a package
    of its own, which the README says how to install.
    """
    from threadmed.cli.commands import run_demo

    run_demo(out)


@app.command()
def build(
    posts: Posts,
    comments: Comments,
    out: DatasetFolder = None,
    config: Annotated[
        Path | None, typer.Option(help="build.toml; without it the paper's choices.")
    ] = None,
    subreddit: Annotated[
        str | None, typer.Option(help="Whose posts; AskDocs unless said.")
    ] = None,
    executor: Annotated[
        Literal["local", "ray"], typer.Option(help="This process, or a Ray cluster.")
    ] = "local",
    release: Annotated[
        Literal["text", "ids"],
        typer.Option(help="Threads, or only the ids to make them from a dump."),
    ] = "text",
    explain: Annotated[
        list[str] | None,
        typer.Option(
            help="Say why a thread is as it is, by its name or its post's id.",
            metavar="THREAD...",
        ),
    ] = None,
    *,
    allow_partial: AllowPartial = False,
) -> None:
    """Make de-identified threads from Reddit dumps.

    --posts and --comments take several files or patterns, packed or not.
    """
    from threadmed.cli.datasets import BuildRequest, run_build

    run_build(
        BuildRequest(
            posts=posts,
            comments=comments,
            out=out,
            config=config,
            subreddit=subreddit,
            executor=executor,
            release=release,
            explain=explain or [],
            allow_partial=allow_partial,
        )
    )


@app.command()
def hydrate(
    ids: Annotated[
        Path, typer.Argument(help="Folder of an ids-only release.", metavar="IDS")
    ],
    posts: Posts,
    comments: Comments,
    out: Annotated[Path, typer.Option(help="Folder for the dataset.")],
    *,
    allow_partial: AllowPartial = False,
) -> None:
    """Make the threads of an ids-only release from an own dump.

    What has been deleted since is left out.
    """
    from threadmed.cli.datasets import run_hydrate

    run_hydrate(ids, posts, comments, out=out, allow_partial=allow_partial)


@app.command()
def init(
    folder: Annotated[str, typer.Argument(help="Folder to make.", metavar="DIR")],
    *,
    paper: Annotated[
        bool, typer.Option("--paper", help="The paper's five targets and three judges.")
    ] = False,
) -> None:
    """Write a commented study.toml into a folder.

    Nothing that exists is overwritten.
    """
    from threadmed.cli.commands import run_init

    if not folder.strip():
        raise typer.BadParameter("DIR is empty; name the folder to make, or . for this")
    run_init(Path(folder), paper=paper)


@app.command()
def plan(
    study: StudyPath,
    *,
    check: Annotated[
        bool, typer.Option("--check", help="Send one tiny call to every model.")
    ] = False,
    json: Annotated[
        Path | None, typer.Option(help="Write every number to this file.")
    ] = None,
) -> None:
    """Say what a study will cost, before anything is sent.

    Calls, tokens and USD per stage and model, beside what a naive run would make;
    after a part was run, predicted from what was seen.
    """
    from threadmed.cli.plans import run_plan

    run_plan(study, check=check, json=json)


@app.command()
def run(
    study: StudyPath,
    only: Annotated[
        Stage | None, typer.Option(help="One stage, from what stands before it.")
    ] = None,
    budget: Annotated[
        float | None, typer.Option(help="Most that the whole study may cost, in USD.")
    ] = None,
    *,
    no_wait: Annotated[
        bool, typer.Option("--no-wait", help="Submit batches, and come back for them.")
    ] = False,
) -> None:
    """Pay for what a study still lacks.

    Finds the questions with a misconception, lets the targets answer, lets the panel
    judge. May be interrupted at any moment and run again; Ctrl-C once finishes what
    is in flight, twice stops at once.
    """
    from threadmed.cli.commands import run_study

    run_study(study, only=only, budget=budget, wait=not no_wait)


@app.command()
def report(study: StudyPath) -> None:
    """Write the report of a study.

    One page for a browser, and the same tables and figures as files.
    """
    from threadmed.cli.commands import run_report

    run_report(study)


@app.command()
def export(
    study: StudyPath,
    to: exporting.To,
    out: exporting.Out,
    held_out: exporting.HeldOut = None,
    seed: exporting.Seed = None,
    *,
    partly: exporting.Partly = False,
    unanimous: exporting.Unanimous = False,
    no_words: exporting.NoWords = False,
) -> None:
    """Write the results of a study for another tool.

    hf is a folder with a card, csv flat tables, inspect logs; preferences are pairs
    for training, in the layout of TRL, of threads that are not held out.
    """
    request = exporting.ExportRequest(
        to=to, out=out, held_out=held_out, seed=seed, partly=partly,
        unanimous=unanimous, no_words=no_words,
    )  # fmt: skip
    exporting.run_export(study, request)


@app.command()
def measure(
    scores: measuring.Scores,
    json: measuring.Json = None,
    rule: measuring.Rule = "majority",
    primary: measuring.Primary = None,
    mode: measuring.ModeWanted = "recommended",
    level: measuring.Level = 0.95,
    recovery_pairs: measuring.Pairs = "consecutive",
    p_value: measuring.PValueWanted = "exact",
    working_correlation: measuring.Working = "independence",
    harm_weights: measuring.HarmWeights = measuring.HARM_WEIGHTS,
    seed: measuring.Seed = 0,
) -> None:
    """Compute the numbers of any scores table.

    --json holds both modes side by side and a list of what differs.
    """
    from threadmed.cli.numbers import MeasureRequest, run_measure
    from threadmed.metrics import MeasureOptions

    options = MeasureOptions(
        mode=mode,
        level=level,
        recovery_pairs=recovery_pairs,
        p_value=p_value,
        working_correlation=working_correlation,
        seed=seed,
    )
    run_measure(MeasureRequest(scores, json, rule, primary, options, harm_weights))


@app.command()
def power(
    scores: planning.Scores = None,
    items: planning.Items = None,
    threads: planning.Threads = None,
    turns_per_thread: planning.Turns = None,
    discordant: planning.Discordant = None,
    deff: planning.Deff = None,
    comparisons: planning.Comparisons = 1,
    power: planning.Power = 0.8,
    difference: planning.Difference = None,
    half_width: planning.HalfWidth = None,
    rate: planning.Rate = 0.5,
    sensitivity: planning.Sensitivity = 0.9,
    specificity: planning.Specificity = 0.84,
    simulate: planning.Simulate = 1_000,
    seed: planning.Seed = 0,
    json: planning.Json = None,
) -> None:
    """Say what a study of a size can see, before it is made.

    The smallest paired difference, and the items or labels that a wish needs; by
    formula and by simulation, from conventions or from a pilot's scores.
    """
    from threadmed.metrics.planning.prospect import Wish

    wish = Wish(
        items=items,
        threads=threads,
        turns_per_thread=turns_per_thread,
        discordant=discordant,
        deff=deff,
        comparisons=comparisons,
        power=power,
        difference=difference,
        half_width=half_width,
        rate=rate,
        sensitivity=sensitivity,
        specificity=specificity,
        simulate=simulate,
        seed=seed,
    )
    planning.run_power(wish, scores=scores, json=json)


@app.command()
def annotate(
    study: StudyPath,
    task: annotating.Task = None,
    size: annotating.Size = None,
    raters: annotating.Raters = None,
    gold_share: annotating.GoldShare = None,
    host: annotating.Host = "127.0.0.1",
    port: annotating.Port = 8717,
    kit: annotating.Kit = None,
    out: annotating.Out = None,
    merge: annotating.Merge = None,
    *,
    export: annotating.Export = False,
) -> None:
    """Let clinicians label questions and score answers, blind, in a browser.

    A first call draws what is rated; later ones go on. Every answer is kept in
    STUDY/ratings before the next item is shown.
    """
    request = annotating.Request(
        task=task, size=size, raters=raters, gold_share=gold_share, host=host,
        port=port, kit=kit, out=out, merge=merge or [], export=export,
    )  # fmt: skip
    annotating.run_annotate(study, request)


app.command("import")(import_data)
app.command()(agree)
app.command()(compare)
app.command()(validate)


@app.callback(invoke_without_command=True)
def version(
    *,
    version: Annotated[
        bool, typer.Option("--version", help="Print the version and stop.")
    ] = False,
) -> None:
    """Print the version where it is asked for."""
    if version:
        from threadmed import __version__

        typer.echo(f"threadmed {__version__}")
        raise typer.Exit


INTERRUPTED = 130
"""Status that typer ends with after Ctrl-C."""


def main() -> None:
    """Run a command; a known error is one line and status 1, wrong usage 2, a stop 3."""
    stand_in_for_closed()
    # No matrix here is worth more threads, which take a while to start in every
    # process; and with one, sums do not depend on how many cores there are.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    try:
        app(spread(sys.argv[1:]))
    except Stopped as stop:
        typer.echo(f"threadmed: {printable(str(stop))}", err=True)
        sys.exit(3)
    except ThreadmedError as error:
        typer.echo(f"threadmed: {printable(str(error))}", err=True)
        sys.exit(2 if isinstance(error, UsageError) else 1)
    except SystemExit as end:
        # Ctrl-C before a command was at work, or after it.
        if end.code != INTERRUPTED:
            raise
        typer.echo("threadmed: stopped; nothing was under way", err=True)
        sys.exit(3)
    finally:
        # The process ends, and to look through all that is left takes a while.
        gc.freeze()
