"""Tables as spreadsheets write them."""

from pathlib import Path

import pytest

from threadmed.dataset.imports.rows import read_rows
from threadmed.errors import InputError
from threadmed.labels.experts import read_ratings
from threadmed.store import read_csv, read_questions, read_scores

SCORES = (
    "target,setting,thread_id,turn,score,misconception,probability",
    "m,multi_turn,T1,0,1,true,",
    'm,multi_turn,T1,1,-1,false,"0.25"',
)


def written(path: Path, lines: tuple[str, ...], *, between: str) -> Path:
    point = "," if between == ";" else "."
    cells = (line.replace(",", between).replace(".", point) for line in lines)
    path.write_text("\ufeff" + "\r\n".join([*cells, between * 3, ""]))
    return path


@pytest.mark.parametrize("between", [",", ";", "\t"])
def test_a_scores_table_may_have_semicolons_or_tabs(
    tmp_path: Path, between: str
) -> None:
    path = written(tmp_path / "s.csv", SCORES, between=between)

    rows = read_scores(path)

    assert [(row.thread_id, row.turn, row.score) for row in rows] == [
        ("T1", 0, 1),
        ("T1", 1, -1),
    ]
    assert read_questions(path).chances == {("T1", 1): 0.25}


@pytest.mark.parametrize("between", [",", ";", "\t"])
def test_a_ratings_table_may_have_semicolons_or_tabs(
    tmp_path: Path, between: str
) -> None:
    lines = ("item,rater,value,probability,note", "i1,ann,1,0.5,a b", "i1,bo,,0.5,")
    path = written(tmp_path / "r.csv", lines, between=between)

    ratings = read_ratings(path)

    assert [(one.rater, one.value, one.probability) for one in ratings] == [
        ("ann", "1", 0.5),
        ("bo", None, 0.5),
    ]


@pytest.mark.parametrize("between", [",", ";", "\t"])
def test_a_table_to_import_may_have_semicolons_or_tabs(
    tmp_path: Path, between: str
) -> None:
    lines = ("question,answer", "Is it so?,Yes", "Why?,")
    path = written(tmp_path / "q.csv", lines, between=between)

    assert [dict(row.cells) for row in read_rows(path)] == [
        {"question": "Is it so?", "answer": "Yes"},
        {"question": "Why?", "answer": ""},
    ]


@pytest.mark.parametrize(
    ("name", "text", "columns"),
    [
        ("a.csv", "a;b,c;d\n", ("a;b", "c;d")),
        ("a.csv", 'a;"b, c"\n', ("a", "b, c")),
        ("a.csv", "a\tb;c\n", ("a\tb", "c")),
        ("a.csv", "a, b\n", ("a", "b")),
        ("a.csv", "a\n1;2\n", ("a",)),
        ("a.tsv", "a,b\tc\n", ("a,b", "c")),
    ],
)
def test_the_head_alone_tells_what_stands_between_cells(
    tmp_path: Path, name: str, text: str, columns: tuple[str, ...]
) -> None:
    path = tmp_path / name
    path.write_text(text)

    assert read_csv(path).columns == columns


def test_commas_in_the_cells_of_a_table_with_semicolons_stay(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("question;answer\nIs it so, or not?;Yes, it is.\n")

    (row,) = read_csv(path).rows

    assert row.cells == {"question": "Is it so, or not?", "answer": "Yes, it is."}


def test_an_empty_cell_in_quotes_is_a_row_of_a_table_of_one_column(
    tmp_path: Path,
) -> None:
    path = tmp_path / "a.csv"
    path.write_text('q\n""\n\nx\n')

    assert [row.cells for row in read_csv(path).rows] == [{"q": ""}, {"q": "x"}]


@pytest.mark.parametrize("chance", ["1,5", "0,2,5", "1.000,5", ",", "0"])
def test_a_comma_makes_no_chance_of_what_is_none(tmp_path: Path, chance: str) -> None:
    path = tmp_path / "r.csv"
    path.write_text(f"item;rater;value;probability\ni;ann;1;{chance}\n")

    with pytest.raises(InputError, match=r"r\.csv:2: probability is .*above 0 and up"):
        read_ratings(path)
