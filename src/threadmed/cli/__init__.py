"""The command line: a command parses, calls one door, prints."""

import sys
from pathlib import Path
from typing import Annotated, Literal

import typer

from threadmed.errors import Stopped, ThreadmedError
from threadmed.records import PanelRule, Stage

app = typer.Typer(
    help="Measure whether language models notice and correct the false beliefs in "
    "patients' questions, and whether they keep doing so as a conversation goes on.",
    epilog="A study is one folder: build threads, init a study.toml, run, report.",
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    add_completion=False,
    no_args_is_help=True,
)

SEVERAL = ("--posts", "--comments", "--explain")
"""Options that take all that stands up to the next option, as a shell's globs give."""

StudyPath = Annotated[Path, typer.Argument(help="The study folder.", metavar="STUDY")]


@app.command()
def demo(
    out: Annotated[Path, typer.Option(help="Folder of the demo study.")] = Path("demo"),
) -> None:
    """Run the whole line on an invented sample.

    Needs no key and no network: a small language model comes with the package.
    """
    from threadmed.cli.commands import run_demo

    run_demo(out)


@app.command()
def build(
    posts: Annotated[list[Path], typer.Option(help="Dump files of submissions.")],
    comments: Annotated[list[Path], typer.Option(help="Dump files of comments.")],
    out: Annotated[
        Path | None, typer.Option(help="Folder for the dataset.", show_default=False)
    ] = None,
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
            metavar="THREAD",
        ),
    ] = None,
    *,
    allow_partial: Annotated[
        bool, typer.Option(help="Use what a truncated file holds, and say so.")
    ] = False,
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
    posts: Annotated[list[Path], typer.Option(help="Dump files of submissions.")],
    comments: Annotated[list[Path], typer.Option(help="Dump files of comments.")],
    out: Annotated[Path, typer.Option(help="Folder for the dataset.")],
    *,
    allow_partial: Annotated[
        bool, typer.Option(help="Use what a truncated file holds, and say so.")
    ] = False,
) -> None:
    """Make the threads of an ids-only release from an own dump.

    What has been deleted since is left out.
    """
    from threadmed.cli.datasets import run_hydrate

    run_hydrate(ids, posts, comments, out=out, allow_partial=allow_partial)


@app.command()
def init(
    folder: Annotated[Path, typer.Argument(help="Folder to make.", metavar="DIR")],
    *,
    paper: Annotated[
        bool, typer.Option("--paper", help="The paper's five targets and three judges.")
    ] = False,
) -> None:
    """Write a commented study.toml into a folder.

    Nothing that exists is overwritten.
    """
    from threadmed.cli.commands import run_init

    run_init(folder, paper=paper)


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
    to: Annotated[Literal["inspect"], typer.Option(help="For which tool.")],
    out: Annotated[
        Path, typer.Option(help="A .eval or .json file, or a folder for one a target.")
    ],
) -> None:
    """Write the results of a study for another tool."""
    from threadmed.cli.commands import run_export

    run_export(study, to=to, out=out)


@app.command()
def measure(
    scores: Annotated[
        Path,
        typer.Argument(
            help="CSV: target,setting,thread_id,turn,score.", metavar="SCORES"
        ),
    ],
    json: Annotated[
        Path | None, typer.Option(help="Write every number to this file.")
    ] = None,
    rule: Annotated[
        PanelRule, typer.Option(help="How several judges' scores become one.")
    ] = "majority",
    primary: Annotated[
        str | None, typer.Option(help="The judge that decides without a majority.")
    ] = None,
    mode: Annotated[
        Literal["recommended", "as_published"],
        typer.Option(help="Our intervals, or the paper's bootstrap."),
    ] = "recommended",
) -> None:
    """Compute the numbers of any scores table."""
    from threadmed.cli.commands import run_measure

    run_measure(scores, json=json, rule=rule, primary=primary, mode=mode)


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


def main() -> None:
    """Run a command; a known error is one line and status 1, an early stop 3."""
    try:
        app(spread(sys.argv[1:]))
    except Stopped as stop:
        typer.echo(f"threadmed: {stop}", err=True)
        sys.exit(3)
    except ThreadmedError as error:
        typer.echo(f"threadmed: {error}", err=True)
        sys.exit(1)


def spread(arguments: list[str]) -> list[str]:
    """Repeat an option that takes several paths before each of them.

    Example:
        >>> spread(["build", "--posts", "a", "b", "--out", "c"])
        ['build', '--posts', 'a', '--posts', 'b', '--out', 'c']
    """
    spread_out: list[str] = []
    option = ""
    for argument in arguments:
        if argument.startswith("-"):
            option = argument if argument in SEVERAL else ""
        elif option and spread_out[-1] != option:
            spread_out.append(option)
        spread_out.append(argument)
    return spread_out
