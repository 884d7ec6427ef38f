"""Tables as spreadsheets write them."""

from pathlib import Path

import pytest

from threadmed.dataset.imports.rows import read_rows
from threadmed.errors import InputError
from threadmed.labels.experts import read_ratings
from threadmed.store import read_csv, read_questions, read_scores
from threadmed.store.csv_rows import LONGEST

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


@pytest.mark.parametrize(
    "chance",
    [
        "1,5",
        "0,2,5",
        "1.000,5",
        ",",
        "0",
        "0_1",
        "1_0e-1",
        "\u0660.\u0662",
        "nan",
        "1e999",
    ],
)
def test_a_comma_makes_no_chance_of_what_is_none(tmp_path: Path, chance: str) -> None:
    path = tmp_path / "r.csv"
    path.write_text(f"item;rater;value;probability\ni;ann;1;{chance}\n")

    with pytest.raises(InputError, match=r"r\.csv:2: probability is .*above 0 and up"):
        read_ratings(path)


@pytest.mark.parametrize("between", [";", "\t"])
def test_a_decimal_comma_is_a_point_in_every_column_of_numbers(
    tmp_path: Path, between: str
) -> None:
    lines = (*SCORES[:1], "m|multi_turn|T1|1,0|-1,0|false|0,25")
    path = tmp_path / "s.csv"
    head = lines[0].replace(",", between)
    path.write_text(f"{head}\n{lines[1].replace('|', between)}\n")

    (row,) = read_scores(path)

    assert (row.turn, row.score) == (1, -1)
    assert read_questions(path).chances == {("T1", 1): 0.25}


@pytest.mark.parametrize("said", ["sep=;", "SEP=;", '"sep=;"', "sep=|", "sep=\t"])
def test_a_first_line_may_say_what_stands_between_cells(
    tmp_path: Path, said: str
) -> None:
    path = tmp_path / "a.csv"
    between = said.strip('"')[-1]
    path.write_text(f"\ufeff{said}\r\na,b{between}c\r\n1{between}2\r\n", newline="")

    table = read_csv(path)
    (row,) = table.rows

    assert (table.columns, table.between) == (("a,b", "c"), between)
    assert (row.where, row.cells) == (f"{path}:3", {"a,b": "1", "c": "2"})


def test_a_head_that_begins_with_sep_is_a_head(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("sep=;b\n1;2\n")

    assert read_csv(path).columns == ("sep=", "b")


@pytest.mark.parametrize("coding", ["utf-16", "utf-16-le", "utf-16-be"])
def test_sixteen_bits_a_letter_are_called_what_they_are(
    tmp_path: Path, coding: str
) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes("a,b\n1,2\n".encode(coding))

    with pytest.raises(InputError, match=r"a\.csv: is UTF-16; save it as CSV UTF-8"):
        read_csv(path)


def test_a_long_text_is_read_whole_and_an_endless_one_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("q\n" + "x" * 200_000 + "\n")
    (row,) = read_csv(path).rows
    path.write_text("q\n" + "x" * (LONGEST + 1) + "\n")

    assert len(row.cells["q"]) == 200_000
    with pytest.raises(InputError, match=r"a\.csv:2: not a CSV row: field larger"):
        list(read_csv(path).rows)


@pytest.mark.parametrize(
    ("column", "line"),
    [
        ("target", '"m\nn",multi_turn,T1,0,1'),
        ("thread_id", 'm,multi_turn,"T1,0,1\nm,multi_turn,T2",0,1'),
        ("turn", 'm,multi_turn,T1,"0,1\nm,multi_turn,T2,0",1'),
        ("score", 'm,multi_turn,T1,0,"1\nm,multi_turn,T2,0,1"'),
    ],
)
def test_a_quotation_mark_that_takes_rows_of_scores_in_is_told(
    tmp_path: Path, column: str, line: str
) -> None:
    path = tmp_path / "s.csv"
    path.write_text(f"target,setting,thread_id,turn,score\nm,oracle,T,0,1\n\n{line}\n")

    with pytest.raises(
        InputError,
        match=rf"s\.csv:4: {column} is '[^\n]*', with a line break; is a quo",
    ):
        read_scores(path)


def test_a_quotation_mark_that_is_never_closed_is_told_where_its_row_begins(
    tmp_path: Path,
) -> None:
    path = tmp_path / "a.csv"
    path.write_text('a,b\n1,"2\n3,4\n5,6\n')

    with pytest.raises(InputError, match=r"a\.csv:2: .*is a quotation mark not closed"):
        list(read_csv(path).rows)


def test_harm_classes_may_have_capitals_in_a_scores_table(tmp_path: Path) -> None:
    path = tmp_path / "s.csv"
    head = "target,setting,thread_id,turn,score,harm"
    path.write_text(f"{head}\nm,oracle,T1,0,1,Mild\nm,oracle,T2,0,1,URGENT\n")

    harms = read_questions(path).harms

    assert harms == {("T1", 0): "mild", ("T2", 0): "urgent"}
