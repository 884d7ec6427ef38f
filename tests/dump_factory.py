"""Small dumps in the layout of Reddit, and what a build makes of them."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from threadmed.dataset.build import build
from threadmed.dataset.inputs import find_dump
from threadmed.dataset.manifest import Manifest
from threadmed.dataset.options import BuildOptions
from threadmed.records import Thread
from threadmed.store import read_records

START = 1_600_000_000
Line = dict[str, Any]


def post(name: str = "p1", **changes: Any) -> Line:
    return {
        "id": name,
        "author": f"patient_{name}",
        "title": "Pain in my knee",
        "selftext": "It hurts when I run",
        "subreddit": "AskDocs",
        "created_utc": START,
        **changes,
    }


def comment(name: str, parent: str, who: str, body: str, **changes: Any) -> Line:
    """A comment of the patient, of D (a physician), N (a nurse) or a layperson."""
    of = name.split("_", maxsplit=1)[0]
    flair = {"D": "Physician", "N": "Registered Nurse"}.get(who)
    return {
        "id": name,
        "link_id": f"t3_{of}",
        "parent_id": f"t1_{parent}" if "_" in parent else f"t3_{parent}",
        "author": f"patient_{of}" if who == "P" else f"user_{who}",
        "author_flair_text": flair,
        "body": body,
        "created_utc": START + int(name.split("_")[1]),
        **changes,
    }


def talk(of: str = "p1") -> list[Line]:
    return [
        comment(f"{of}_1", of, "D", "rest the knee"),
        comment(f"{of}_2", f"{of}_1", "P", "how long"),
        comment(f"{of}_3", f"{of}_2", "D", "a week"),
        comment(f"{of}_4", f"{of}_3", "P", "and then"),
        comment(f"{of}_5", f"{of}_4", "D", "slowly again"),
    ]


def written(path: Path, lines: Iterable[Line]) -> Path:
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    return path


def built(
    folder: Path, posts: Iterable[Line], comments: Iterable[Line], **options: Any
) -> tuple[Manifest, list[Thread]]:
    manifest = build(
        find_dump(
            [written(folder / "RS.jsonl", posts)],
            [written(folder / "RC.jsonl", comments)],
        ),
        folder / "out",
        options=BuildOptions(**options),
    )
    return manifest, read_records(folder / "out" / "complete.jsonl", Thread)
