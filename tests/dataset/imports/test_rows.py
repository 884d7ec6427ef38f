from pathlib import Path

import polars as pl
import pytest

from threadmed.dataset.imports.rows import read_rows
from threadmed.errors import InputError


def written(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.json", '[{"q": "one"}, {"q": "two"}]'),
        ("a.json", '\ufeff{"data": [{"q": "one"}, {"q": "two"}]}'),
        ("a.jsonl", '{"q": "one"}\n\n{"q": "two"}\n'),
        ("a.csv", "\ufeffq\none\ntwo\n"),
        ("a.tsv", "q\none\ntwo\n"),
    ],
)
def test_each_kind_of_file_gives_the_same_rows(
    name: str, text: str, tmp_path: Path
) -> None:
    rows = read_rows(written(tmp_path / name, text))

    assert [dict(row.cells) for row in rows] == [{"q": "one"}, {"q": "two"}]


def test_parquet_gives_rows_with_lists(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    pl.DataFrame({"turns": [[{"q": "one", "a": None}]]}).write_parquet(path)

    (row,) = read_rows(path)

    assert row.cells == {"turns": [{"q": "one", "a": None}]}
    assert row.where == f"{path}: row 1"


def test_one_line_of_json_lines_is_one_row(tmp_path: Path) -> None:
    path = written(tmp_path / "a.jsonl", '{"turns": [{"q": "one"}], "id": 3}\n')

    assert [row.cells["id"] for row in read_rows(path)] == [3]


def test_one_of_several_lists_is_taken_by_its_key(tmp_path: Path) -> None:
    path = written(tmp_path / "a.json", '{"x": [{"q": 1}], "y": [{"q": 2}], "n": 0}')

    assert read_rows(path, inside="y")[0].cells == {"q": 2}
    with pytest.raises(InputError, match='rows = "x"'):
        read_rows(path)
    with pytest.raises(InputError, match="under 'z'; lists are under x, y"):
        read_rows(path, inside="z")


@pytest.mark.parametrize(
    ("name", "text", "complaint"),
    [
        ("a.json", "", "not JSON"),
        ("a.json", "[]", "has no rows"),
        ("a.json", "3", "holds 3; expected a list of objects"),
        ("a.json", '[{"q": 1}, 7]', "row 2: is 7; expected an object"),
        ("a.json", '[{"q": 1},', "not JSON"),
        ("a.jsonl", '{"q": 1}\n{"q": \n', "a.jsonl:2: not JSON"),
        ("a.jsonl", '{"q": 1}\n[1]\n', r"a.jsonl:2: is \[1\]; expected an object"),
        ("a.csv", "q,a\none\n", "a.csv:2: has 1 cells, and the head 2"),
        ("a.csv", "q,a\none,two,three\n", "a.csv:2: has 3 cells, and the head 2"),
        ("a.csv", 'q\n"one\n', "a.csv:2: not a CSV row"),
        ("a.csv", "q,a,q\n1,2,3\n", "a.csv:1: column 'q' stands twice"),
        ("a.csv", "q\n", "has no rows"),
        ("a.parquet", "PAR1", "not a Parquet file"),
    ],
)
def test_what_is_no_table_is_one_line(
    name: str, text: str, complaint: str, tmp_path: Path
) -> None:
    with pytest.raises(InputError, match=complaint):
        read_rows(written(tmp_path / name, text))


def test_a_table_that_is_no_text_is_one_line(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(b"q\n\xff\n")

    with pytest.raises(InputError, match="not a text file in UTF-8"):
        read_rows(path)
