"""The command `import`, and what it prints."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

if TYPE_CHECKING:
    from threadmed.dataset.imports import Imported


def import_data(
    kind: Annotated[
        Literal["cancer-myth", "threadmed-qa", "messages", "table"],
        typer.Argument(help="What kind of file it is.", metavar="FORMAT"),
    ],
    path: Annotated[
        Path, typer.Argument(help="JSON, JSONL, CSV or Parquet.", metavar="PATH")
    ],
    out: Annotated[Path, typer.Option(help="Where the threads go, a .jsonl file.")],
    mapping: Annotated[
        Path | None,
        typer.Option(help="TOML file that says which key or column is what."),
    ] = None,
) -> None:
    """Make threads of data that threadmed did not build.

    FORMAT is cancer-myth, threadmed-qa, messages (OpenAI chats) or table. Labels,
    answers and scores that came along are written beside the threads.
    """
    from threadmed.cli.commands import say
    from threadmed.dataset.imports import read_data

    if out.suffix != ".jsonl":
        raise typer.BadParameter("--out names a file that ends in .jsonl")
    found = read_data(kind, path, mapping=mapping)
    for line in found.said:
        say(line)
    for line in written(found, out):
        say(line)
    for line in study_lines(found, out):
        say(line)


def written(found: "Imported", out: Path) -> Iterator[str]:
    """Write what was imported, the threads last, and say what each file holds."""
    from threadmed.dataset.imports.imported import extent
    from threadmed.store import write_records, write_scores

    labels, answers, scores = beside(out)
    if found.labels:
        write_records(labels, found.labels)
        marked = sum(label.misconception for label in found.labels)
        sources = ", ".join(sorted({label.source for label in found.labels}))
        yield (
            f"{labels}: {len(found.labels):,} labels, {marked:,} with a misconception, "
            f"source {sources}"
        )
    if found.answers:
        write_records(answers, found.answers)
        targets = sorted({answer.target for answer in found.answers})
        yield f"{answers}: {len(found.answers):,} answers of {', '.join(targets)}"
    if found.scores:
        write_scores(scores, found.scores)
        unscored = sum(score.score is None for score in found.scores)
        yield (
            f"{scores}: {len(found.scores):,} scores, {unscored:,} of them empty; "
            f"threadmed measure {scores}"
        )
    write_records(out, found.threads)
    yield f"{out}: {extent(found.threads)}"
    made = (bool(found.labels), bool(found.answers), bool(found.scores))
    for path, is_made in zip(beside(out), made, strict=True):
        if path.exists() and not is_made:
            yield f"{path}: was there before and is not of this import"


def beside(out: Path) -> tuple[Path, Path, Path]:
    """Name the files of labels, answers and scores.

    Example:
        >>> [path.name for path in beside(Path("data/x.jsonl"))]
        ['x.labels.jsonl', 'x.answers.jsonl', 'x.scores.csv']
    """
    labels, answers, scores = (
        out.with_name(f"{out.stem}.{ending}")
        for ending in ("labels.jsonl", "answers.jsonl", "scores.csv")
    )
    return labels, answers, scores


def study_lines(found: "Imported", out: Path) -> Iterator[str]:
    """Give the lines of a study.toml that lies beside the threads."""
    turns = [turn for thread in found.threads for turn in thread.turns]
    settings = ["multi_turn", "target_turn"]
    if any(turn.answer for turn in turns):
        settings.append("oracle")
    if len(turns) == len(found.threads):
        settings = ["isolated"]
    believed = any(label.belief for label in found.labels)
    yield "in a study.toml beside it:"
    yield f'  threads = "{out.name}"'
    quoted = ", ".join(f'"{setting}"' for setting in settings)
    yield f"  settings = [{quoted}]"
    if any(label.misconception for label in found.labels):
        yield "  [identify]"
        yield f'  labels = "{beside(out)[0].name}"'
    if believed:
        yield "  [panel]"
        yield "  show_misconception = true   # judges are told the belief that is known"
