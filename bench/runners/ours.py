"""threadmed itself: `threadmed.run.run` on a study folder, journal and all."""

import asyncio
import shutil
import sys
import tempfile
import time
from functools import partial
from pathlib import Path

import openai  # noqa: F401 - loaded at the start, as every contestant's package is

from bench.runners.measuring import report
from bench.runners.workload import write_study
from threadmed.llm.providers import open_model
from threadmed.run import run
from threadmed.study import study_folder


def conduct(root: Path) -> int:
    """Run the study; give the number of its verdicts."""
    folder = study_folder(root)
    manifest = asyncio.run(
        run(
            folder,
            open_model=partial(open_model, environment={}),
            clock=time.time,
            progress=lambda *_: None,
        )
    )
    if not manifest.complete:
        sys.exit("the study is not complete")
    return len(folder.verdicts.read_bytes().splitlines())


def main() -> None:
    """Run a fresh copy of the study, and say what it took."""
    given, url = Path(sys.argv[1]), sys.argv[2]
    # In the folder that was given: a temporary one may be memory and no disk.
    with tempfile.TemporaryDirectory(dir=given) as made:
        root = Path(made)
        for name in ("threads.jsonl", "reference.jsonl"):
            shutil.copy(given / name, root)
        write_study(root, url=url)
        report(lambda: conduct(root))


if __name__ == "__main__":
    main()
