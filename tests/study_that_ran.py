"""A small study that has been run on scripted models, for exports."""

import asyncio
import json
from collections.abc import Callable, Iterable
from pathlib import Path

from study_factory import STUDY, say, write_study
from threadmed.llm.model import Request, ScriptedModel
from threadmed.records import Model, Thread
from threadmed.run import run
from threadmed.store import read_records, write_records
from threadmed.study import Folder

Says = Callable[[str, Request], str]


def agree(name: str, request: Request) -> str:
    """Reply as in study_factory, with judges who are of one mind."""
    return say("judge-a" if name.startswith("judge") else name, request)


def found_study(
    root: Path, *, text: str = STUDY, says: Says = say, more: Iterable[Thread] = ()
) -> Folder:
    """Write a study, with more threads that nobody has labelled, and run it."""
    folder = write_study(root, text=text)
    threads = root / "threads.jsonl"
    write_records(threads, [*read_records(threads, Thread), *more])

    def opened(entry: Model) -> ScriptedModel:
        name = entry.name
        return ScriptedModel(lambda request: says(name, request), identity=name)

    asyncio.run(
        run(
            folder,
            open_model=opened,
            clock=lambda: 1.0,
            progress=lambda *_: None,
        )
    )
    return folder


def lines(path: Path) -> list[dict[str, object]]:
    """Read JSON lines as they stand."""
    return [json.loads(line) for line in path.read_text().splitlines()]
