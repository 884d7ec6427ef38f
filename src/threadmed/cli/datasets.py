"""What the commands about datasets do once their lines are parsed."""

import re
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Literal

import msgspec
import typer

from threadmed.cli.commands import say, stoppable
from threadmed.cli.progress import shown
from threadmed.dataset.manifest import Manifest
from threadmed.dataset.options import BuildOptions
from threadmed.dataset.passes.executors import Executor, local
from threadmed.records import Record
from threadmed.study import read_toml

Where = Literal["local", "ray"]


class BuildRequest(Record, frozen=True, kw_only=True):
    """What `threadmed build` was asked for."""

    posts: list[Path]
    comments: list[Path]
    out: Path | None
    config: Path | None
    subreddit: str | None
    executor: Where
    release: Literal["text", "ids"]
    explain: list[str]
    allow_partial: bool


def run_build(request: BuildRequest) -> None:
    """Build a dataset, print its funnel, and explain what is to be explained."""
    from threadmed.dataset.build import gather
    from threadmed.dataset.dumps.scanner import library
    from threadmed.dataset.inputs import find_dump
    from threadmed.dataset.release import write_release
    from threadmed.dataset.threads.drawing import lines

    if request.out is None and not request.explain:
        raise typer.BadParameter("--out says where to; only --explain writes nothing")
    options = _options(request)
    dump = find_dump(
        request.posts, request.comments, allow_partial=request.allow_partial
    )
    if library() is None:
        typer.echo(
            "reading without the scanner in C, which takes longer and gives the same",
            err=True,
        )
    with (
        stoppable("nothing was written"),
        _executor(request.executor, request.out) as executor,
    ):
        with shown(unit="bytes") as progress:
            gathering = gather(
                dump,
                options=options,
                executor=executor,
                progress=progress,
                all_words=bool(request.explain),
            )
        explanations = [gathering.explain(name) for name in request.explain]
        if request.out is not None:
            # It takes a while, and reads nothing that could be shown.
            typer.echo(f"scrubbing {len(gathering.found):,} threads", err=True)
            manifest = write_release(
                gathering.release(), request.out, kind=request.release
            )
            for step in manifest.funnel:
                say(f"{step}")
            say("docs/data.md, From a dump to threads, says when each reason holds")
            _say_partial(manifest)
            say(f"dataset: {request.out}")
    for explanation in explanations:
        for line in lines(explanation):
            say(line)


def _options(request: BuildRequest) -> BuildOptions:
    plain = re.sub(r"^/?r/", "", request.subreddit or "")
    options = read_toml(request.config, BuildOptions) if request.config else None
    if options is None:
        return BuildOptions(subreddit=plain or BuildOptions().subreddit)
    named = plain or options.subreddit
    if named.casefold() != options.subreddit.casefold():
        raise typer.BadParameter(
            f"--subreddit says {named}, and {request.config} {options.subreddit}"
        )
    return msgspec.structs.replace(options, subreddit=named)


def _executor(where: Where, out: Path | None) -> AbstractContextManager[Executor]:
    if where == "local":
        return local(beside=out)
    from threadmed.dataset.passes.cluster import ray_cluster

    return ray_cluster()


def run_hydrate(
    ids: Path,
    posts: list[Path],
    comments: list[Path],
    *,
    out: Path,
    allow_partial: bool,
) -> None:
    """Make the threads of an ids-only release, and say how many came back."""
    from threadmed.dataset.hydrate import hydrate
    from threadmed.dataset.inputs import find_dump

    dump = find_dump(posts, comments, allow_partial=allow_partial)
    with (
        stoppable("nothing was written"),
        local(beside=out) as executor,
        shown(unit="bytes") as progress,
    ):
        manifest = hydrate(ids, dump, out, executor=executor, progress=progress)
    for step in manifest.funnel:
        if step.step == "hydrate":
            say(f"{step}")
    _say_partial(manifest)
    say(f"dataset: {out}")


def _say_partial(manifest: Manifest) -> None:
    for file in manifest.inputs:
        if file.cut_at is not None:
            say(
                f"partial: {file.name} could be read up to byte {file.cut_at:,} of "
                f"{file.bytes:,}; the dataset is of what that gave"
            )
