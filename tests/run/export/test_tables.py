import csv
from pathlib import Path

import polars as pl
import pytest

from study_factory import THREADS, say, write_study
from study_that_ran import found_study
from threadmed.errors import InputError
from threadmed.llm.model import Request
from threadmed.metrics import measure
from threadmed.records import Intervention, PanelScore, ThreadId
from threadmed.run.export.results import read_results
from threadmed.run.export.tables import export_csv, items, tables, write_table
from threadmed.store import (
    Questions,
    read_questions,
    read_scores,
    write_records,
    write_scores,
)

Rows = list[dict[str, str]]


def read(path: Path) -> Rows:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_every_file_of_a_study_becomes_a_table(tmp_path: Path) -> None:
    folder = found_study(tmp_path / "study")

    paths = export_csv(folder, tmp_path / "out")

    assert {path.name for path in paths} == {
        "items.csv", "labels.csv", "answers.csv", "verdicts.csv", "scores.csv",
        "turns.csv",
    }  # fmt: skip
    assert read_scores(tmp_path / "out" / "scores.csv") == read_scores(folder.scores)
    turns = read(tmp_path / "out" / "turns.csv")
    assert [(row["question"], row["answer"]) for row in turns] == [
        (turn.question, turn.answer or "") for each in THREADS for turn in each.turns
    ]
    verdicts = read(tmp_path / "out" / "verdicts.csv")
    assert len(verdicts) == len(folder.verdicts.read_text().splitlines())
    assert {row["kind"] for row in verdicts} == {"scored"}


def test_an_item_stands_in_one_row_with_each_judges_score(tmp_path: Path) -> None:
    def mute(name: str, request: Request) -> str:
        return "no idea" if name == "judge-b" else say(name, request)

    folder = found_study(tmp_path / "study", says=mute)
    export_csv(folder, tmp_path / "out")

    rows = read(tmp_path / "out" / "items.csv")

    assert len(rows) == 22
    assert rows[0] == {
        "target": "good",
        "setting": "multi_turn",
        "thread_id": "THREAD_0001",
        "turn": "0",
        "question": "Question 0 of THREAD_0001?",
        "belief": "a belief",
        "correction": "",
        "outcome": "scored",
        "answer": "That is not so.",
        "score": "1",
        "tie_break": "true",
        "judge judge-a": "1",
        "judge judge-b": "",
        "judge judge-c": "0",
    }


def test_without_words_nothing_of_the_threads_or_of_beliefs_is_written(
    tmp_path: Path,
) -> None:
    folder = found_study(tmp_path / "study")

    paths = export_csv(folder, tmp_path / "out", words=False)

    text = "".join(path.read_text() for path in paths)
    assert "turns.csv" not in {path.name for path in paths}
    assert "Question 0" not in text
    assert "a belief" not in text
    assert "That is not so." in text


def test_interventions_become_a_table_where_there_are_any(tmp_path: Path) -> None:
    folder = found_study(tmp_path)
    made = Intervention(
        target="good+first",
        thread_id=ThreadId("THREAD_0001"),
        turn=0,
        act="replace",
        is_made=True,
        why="policy",
    )
    write_records(folder.root / "interventions.jsonl", [made])

    table = next(t for t in tables(read_results(folder)) if t.name == "interventions")

    assert table.rows == (
        ("good+first", "THREAD_0001", 0, None, "replace", True, "policy", None),
    )


def test_parquet_keeps_types_where_a_column_is_empty(tmp_path: Path) -> None:
    folder = found_study(tmp_path / "study")
    text = folder.scores.read_text()
    for score in ("-1", "1"):
        text = text.replace(f",{score},scored,", ",,unjudged,")
    folder.scores.write_text(text)
    table = items(read_results(folder))

    write_table(tmp_path / "items.parquet", table)

    frame = pl.read_parquet(tmp_path / "items.parquet")
    assert frame["score"].dtype == pl.Int64()
    assert frame["score"].null_count() == len(frame) == 22
    assert frame["tie_break"].dtype == pl.Boolean()
    assert frame["judge judge-a"].dtype == pl.Int64()


def test_numbers_of_an_exported_table_are_those_of_the_study(tmp_path: Path) -> None:
    folder = found_study(tmp_path / "study")
    export_csv(folder, tmp_path / "out")

    first, second = (
        measure(read_scores(path))
        for path in (folder.scores, tmp_path / "out" / "scores.csv")
    )

    assert first == second


def test_what_a_scores_table_says_of_questions_and_arms_is_exported(
    tmp_path: Path,
) -> None:
    folder = found_study(tmp_path / "study")
    columns = PanelScore.__struct_fields__
    rows = [
        PanelScore(**{column: getattr(row, column) for column in columns})
        for row in read_scores(folder.scores)
    ]
    said = Questions(
        harms={("THREAD_0001", 0): "serious", ("THREAD_0001", 1): "none"},
        chances={("THREAD_0002", 2): 1 / 3},
        baselines={"good": "bad"},
    )
    write_scores(folder.scores, rows, questions=said)

    export_csv(folder, tmp_path)
    table = next(t for t in tables(read_results(folder)) if t.name == "scores")
    write_table(tmp_path / "scores.parquet", table)

    assert (tmp_path / "scores.csv").read_bytes() == folder.scores.read_bytes()
    assert read_questions(tmp_path / "scores.csv") == said
    frame = pl.read_parquet(tmp_path / "scores.parquet")
    drawn = frame.filter(pl.col("thread_id") == "THREAD_0002")["probability"]
    assert drawn.dtype == pl.Float64()
    assert set(drawn) == {1 / 3}
    assert frame["harm"].null_count() == drawn.len()


def test_a_study_that_was_not_run_is_one_line(tmp_path: Path) -> None:
    folder = write_study(tmp_path)

    with pytest.raises(InputError, match="scores.csv: no such file; `threadmed run"):
        read_results(folder)
