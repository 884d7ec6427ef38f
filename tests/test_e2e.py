"""The whole line, from the sample dump to the report, on scripted models."""

import asyncio
from pathlib import Path

from study_factory import STUDY, Scripts
from threadmed.dataset.build import build
from threadmed.dataset.inputs import find_dump
from threadmed.dataset.sample import sample_folder
from threadmed.report import write
from threadmed.run import run
from threadmed.store import read_bytes, read_scores, write_bytes, write_text
from threadmed.study import study_folder

MODELS = "".join(
    f'\n[[models]]\nname = "{name}"\nmodel = "openai:{name}"\n'
    "price = { input = 1.0, output = 1.0 }\n"
    for name in ("good", "bad", "judge-a", "judge-b", "judge-c")
)


def whole_line(root: Path) -> dict[str, bytes]:
    """Build, run and report; give every file but the journal by its place."""
    sample = sample_folder()
    build(
        find_dump(
            [sample / "AskDocs_submissions.zst"], [sample / "AskDocs_comments.zst"]
        ),
        root / "dataset",
    )
    write_bytes(root / "reference.jsonl", read_bytes(sample / "labels.jsonl"))
    folder = study_folder(root)
    text = STUDY.replace('"threads.jsonl"', '"dataset/answered.jsonl"')
    write_text(folder.study, text + MODELS)
    asyncio.run(
        run(
            folder,
            open_model=Scripts().open,
            clock=lambda: 1.0,
            progress=lambda *_: None,
        )
    )
    write(folder)
    return {
        str(path.relative_to(root)): path.read_bytes()
        for path in sorted(root.rglob("*"))
        if path.is_file() and "journal" not in path.name
    }


def test_the_whole_line_gives_the_same_bytes_twice(tmp_path: Path) -> None:
    first, second = whole_line(tmp_path / "one"), whole_line(tmp_path / "two")

    assert first.keys() == second.keys()
    differing = [name for name in first if first[name] != second[name]]
    assert differing == []
    assert {"report/index.html", "report/report.json", "scores.csv"} <= first.keys()
    threads = first["report/conversations/index.js"].decode()
    rows = read_scores(tmp_path / "one" / "scores.csv")
    assert {row.score for row in rows if row.target == "good"} == {1}
    assert {row.thread_id for row in rows if row.thread_id not in threads} == set()
