"""`threadmed import` as a person uses it, and studies of what it wrote."""

import asyncio
import json
import re
import tomllib
from pathlib import Path

import pytest

from command_line import complaint, threadmed
from study_factory import MODELS, Scripts
from threadmed.records import Answer, Labelled, Thread
from threadmed.report import write
from threadmed.run import run
from threadmed.store import read_records, read_scores, write_text
from threadmed.study import study_folder

MYTHS = [
    {
        "example_question": f"My spot number {n} is not sore, so which cream for it?",
        "example_assumption": f"A spot that is not sore is harmless, say {n} people.",
        "source_info": {"myth": "m", "fact": f"Soreness says little, say {n} books."},
        "category": "other",
        "raw_QID": n,
        "answers": {"model-x": "Have it seen."},
        "scores": {"model-x": 1},
    }
    for n in range(3)
]


def written(path: Path, value: object) -> Path:
    path.write_text(json.dumps(value), encoding="utf-8")
    return path


def printed_study(stdout: str) -> str:
    """Cut the lines of a study.toml out of what was printed."""
    return re.sub(r"^  ", "", stdout.partition("beside it:\n")[2], flags=re.MULTILINE)


def test_cancer_myth_is_imported_with_all_that_came_along(tmp_path: Path) -> None:
    out = tmp_path / "data" / "myth.jsonl"

    done = threadmed(
        "import", "cancer-myth", written(tmp_path / "m.json", MYTHS), "--out", out
    )

    assert done.returncode == 0, done.stderr
    assert len(read_records(out, Thread)) == 3
    assert json.loads(out.read_text().splitlines()[0])["category"] == "other"
    labels = read_records(out.with_name("myth.labels.jsonl"), Labelled)
    assert [label.misconception for label in labels] == [True] * 3
    assert len(read_records(out.with_name("myth.answers.jsonl"), Answer)) == 3
    assert {row.score for row in read_scores(out.with_name("myth.scores.csv"))} == {1}
    assert "myth.labels.jsonl: 3 labels, 3 with a misconception" in done.stdout
    assert "myth.answers.jsonl: 3 answers of model-x" in done.stdout
    assert "myth.jsonl: 3 threads, 3 questions, 0 with an answer" in done.stdout


def test_imported_scores_are_measured(tmp_path: Path) -> None:
    threadmed(
        "import", "cancer-myth", written(tmp_path / "m.json", MYTHS),
        "--out", tmp_path / "myth.jsonl",
    )  # fmt: skip

    done = threadmed("measure", tmp_path / "myth.scores.csv")

    assert done.returncode == 0, done.stderr
    assert "model-x, isolated: 3 of 3 items scored" in done.stdout


def test_a_study_of_what_was_imported_tells_its_judges_the_known_belief(
    tmp_path: Path,
) -> None:
    done = threadmed(
        "import", "cancer-myth", written(tmp_path / "m.json", MYTHS),
        "--out", tmp_path / "myth.jsonl",
    )  # fmt: skip
    judges = 'judges = ["judge-a", "judge-b", "judge-c"]\nprimary = "judge-a"\n'
    described = "".join(
        f'[[models]]\nname = "{name}"\nmodel = "openai:{name}"\n'
        "price = { input = 1.0, output = 1.0 }\n"
        for name in MODELS
    )
    folder = study_folder(tmp_path)
    head = 'name = "myth"\ntargets = ["good", "bad"]\n'
    write_text(folder.study, head + printed_study(done.stdout) + judges + described)
    scripts = Scripts()

    planned = threadmed("plan", tmp_path)
    asyncio.run(
        run(
            folder,
            open_model=scripts.open,
            clock=lambda: 1.0,
            progress=lambda *_: None,
        )
    )
    page = write(folder).read_text()

    assert planned.returncode == 0, planned.stderr
    assert "myth: 3 threads, 3 questions, 3 of them with a misconception" in (
        planned.stdout
    )
    asked = [r.messages[-1].content for r in scripts.models["judge-b"].requests]
    assert len(asked) == 6
    for n in range(3):
        about = [text for text in asked if f"My spot number {n} is" in text]
        assert len(about) == 2
        assert all(f"harmless, say {n} people" in text for text in about)
        assert all(f"says little, say {n} books" in text for text in about)
    rows = read_scores(folder.scores)
    assert {(row.target, row.setting, row.score) for row in rows} == {
        ("good", "isolated", 1), ("bad", "isolated", -1),
    }  # fmt: skip
    assert "judges also see the identified misconception" in page


def test_the_printed_lines_fit_what_there_is(tmp_path: Path) -> None:
    table = tmp_path / "t.csv"
    table.write_text(
        "thread_id,turn,question,answer\na,0,Is it so?,No.\na,1,Why is it not?,\n"
    )

    done = threadmed("import", "table", table, "--out", tmp_path / "t.jsonl")

    assert done.returncode == 0, done.stderr
    assert tomllib.loads(printed_study(done.stdout)) == {
        "threads": "t.jsonl",
        "settings": ["multi_turn", "target_turn", "oracle"],
    }
    assert not (tmp_path / "t.labels.jsonl").exists()


def test_an_unknown_layout_is_detected_and_said(tmp_path: Path) -> None:
    row = {"id": "a", "exchanges": [{"patient": "Is it so?", "doctor": "No."}]}

    done = threadmed(
        "import", "threadmed-qa", written(tmp_path / "d.json", [row]),
        "--out", tmp_path / "d.jsonl",
    )  # fmt: skip

    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(
        'detected: a thread a row, its turns as objects; turns = "exchanges", '
        'question = "patient", answer = "doctor"; thread_id = "id"\n'
    )


def test_a_mapping_that_an_error_prints_mends_it(tmp_path: Path) -> None:
    rows = [{"talk": [{"first": "Is it so?", "second": "No."}]}]
    mapping = tmp_path / "mapping.toml"
    arguments = [
        "import", "threadmed-qa", written(tmp_path / "d.json", rows),
        "--out", tmp_path / "d.jsonl",
    ]  # fmt: skip

    refused = threadmed(*arguments)
    printed = complaint(refused).partition("--mapping: ")[2]
    mapping.write_text(printed.replace(", ", "\n"))
    mended = threadmed(*arguments, "--mapping", mapping)

    assert refused.returncode == 1
    assert mended.returncode == 0, mended.stderr
    (thread,) = read_records(tmp_path / "d.jsonl", Thread)
    assert thread.turns[0].answer == "No."


def test_chats_are_imported_with_the_models_answers(tmp_path: Path) -> None:
    chat = {
        "messages": [
            {"role": "user", "content": "Is it so?"},
            {"role": "assistant", "content": "No."},
        ]
    }
    path = tmp_path / "chats.jsonl"
    path.write_text(f"{json.dumps(chat)}\n{json.dumps(chat)}\n")

    done = threadmed("import", "messages", path, "--out", tmp_path / "c.jsonl")

    assert done.returncode == 0, done.stderr
    assert "c.answers.jsonl: 2 answers of assistant" in done.stdout


def test_a_file_of_an_earlier_import_is_pointed_at(tmp_path: Path) -> None:
    (tmp_path / "t.labels.jsonl").write_text("")
    table = written(tmp_path / "t.json", [{"question": "Is it so?"}])

    done = threadmed("import", "table", table, "--out", tmp_path / "t.jsonl")

    assert "t.labels.jsonl: was there before and is not of this import" in done.stdout


@pytest.mark.parametrize(
    ("format_and_row", "expected"),
    [
        (("cancer-myth", {"example_question": 3}), "row 1: example_question is 3"),
        (("threadmed-qa", {"a": 1}), "row 1: no key holds a list of turns"),
        (("messages", {"messages": 1}), "row 1: messages is 1"),
        (("table", {"body": "x"}), 'row 1: question is missing .*question = "body"'),
    ],
)
def test_a_wrong_shape_is_one_line_and_nothing_is_written(
    format_and_row: tuple[str, object], expected: str, tmp_path: Path
) -> None:
    kind, row = format_and_row
    out = tmp_path / "out" / "x.jsonl"

    done = threadmed("import", kind, written(tmp_path / "x.json", [row]), "--out", out)

    assert done.returncode == 1
    assert re.search(expected, complaint(done))
    assert not out.parent.exists()


@pytest.mark.parametrize(
    "arguments",
    [
        ("import", "reddit", "x", "--out", "y.jsonl"),
        ("import", "table", "x", "--out", "y"),
        ("import", "table", "x"),
    ],
)
def test_wrong_usage_is_status_2(arguments: tuple[str, ...]) -> None:
    assert threadmed(*arguments).returncode == 2


def test_a_missing_file_is_one_line(tmp_path: Path) -> None:
    done = threadmed(
        "import", "table", tmp_path / "no.csv", "--out", tmp_path / "y.jsonl"
    )

    assert "no.csv: no such file" in complaint(done)
