import json
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from threadmed.errors import InputError
from threadmed.labels.experts import (
    COLUMNS,
    IDENTIFICATION,
    SCORING,
    Reading,
    read_ratings,
    scale_reading,
    write_ratings,
)
from threadmed.records import Rating, ThreadId

RATINGS = [
    Rating(
        item="i1",
        rater="ann",
        value="-1",
        thread_id=ThreadId("T1"),
        turn=2,
        target="gpt",
        setting="oracle",
        probability=0.25,
        stratum="turn 2",
        note="A note, with a comma\nand a line",
        belief="that colds need pills",
    ),
    Rating(item="i1", rater="bob", value=None, thread_id=ThreadId("T1"), turn=2,
           target="gpt", setting="oracle"),
    Rating(item="i2", rater="ann", value="1"),
]  # fmt: skip


def table(folder: Path, text: str, name: str = "ratings.csv") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def values(ratings: list[Rating]) -> dict[tuple[str, str], str | None]:
    return {(rating.item, rating.rater): rating.value for rating in ratings}


def complaint(path: Path, reading: Reading = Reading()) -> str:  # noqa: B008 - it is frozen
    with pytest.raises(InputError) as caught:
        read_ratings(path, reading=reading)
    return str(caught.value).removeprefix(str(path.parent) + "/")


def test_what_was_written_is_read_back_the_same(tmp_path: Path) -> None:
    path = tmp_path / "new" / "scoring.csv"

    write_ratings(path, RATINGS)

    assert read_ratings(path) == RATINGS
    assert path.read_text().splitlines()[0] == ",".join(COLUMNS)


texts = st.text(st.characters(codec="utf-8", exclude_categories=["Cs"]))


@settings(deadline=None)
@given(st.lists(st.tuples(texts, texts, st.floats(0.01, 1)), min_size=1, max_size=5))
def test_notes_and_chances_survive_whatever_they_are(
    tmp_path_factory: pytest.TempPathFactory, said: list[tuple[str, str, float]]
) -> None:
    path = tmp_path_factory.mktemp("ratings") / "r.csv"
    ratings = [
        Rating(
            item=f"i{n}", rater="x", value="1", note=note, belief=belief, probability=p
        )
        for n, (note, belief, p) in enumerate(said)
    ]

    write_ratings(path, ratings)

    assert read_ratings(path) == ratings


def test_half_a_surrogate_does_not_stop_the_writing(tmp_path: Path) -> None:
    path = tmp_path / "r.csv"

    write_ratings(path, [Rating(item="a", rater="x", value="1", note="a\ud800b")])

    assert read_ratings(path)[0].note == "a?b"


def test_the_long_and_the_wide_form_say_the_same(tmp_path: Path) -> None:
    long = table(tmp_path, "item,rater,value\na,x,1\na,y,0\nb,x,-1\nb,y,\n", "l.csv")
    wide = table(tmp_path, "item,x,y\na,1,0\nb,-1,\n", "w.csv")

    assert read_ratings(long) == read_ratings(wide)
    assert values(read_ratings(wide))["b", "y"] is None


def test_a_table_of_scores_is_not_taken_for_one_of_ratings(tmp_path: Path) -> None:
    table = tmp_path / "scores.csv"
    table.write_text(
        "target,setting,thread_id,turn,score,outcome\nm,oracle,T1,1,1,scored\n"
    )

    with pytest.raises(InputError, match="scores.csv:1: is a table of scores"):
        read_ratings(table)


def test_a_wide_table_may_name_places_in_place_of_items(tmp_path: Path) -> None:
    path = table(
        tmp_path,
        "thread_id,turn,target,setting,x,y\nT1,2,m,oracle,1,0\nT1,3,m,oracle,,1\n",
    )

    first, _, third, _ = read_ratings(path)

    assert (first.thread_id, first.turn, first.target) == ("T1", 2, "m")
    assert first.setting == "oracle"
    assert (first.item, third.item) == ("T1/2/m/oracle", "T1/3/m/oracle")
    assert third.value is None


def test_the_order_of_columns_and_a_byte_order_mark_do_not_matter(
    tmp_path: Path,
) -> None:
    path = table(tmp_path, "\ufeffvalue,item,rater\r\n1,a,x\r\n")

    assert values(read_ratings(path)) == {("a", "x"): "1"}


def test_parquet_and_json_lines_hold_the_same_as_csv(tmp_path: Path) -> None:
    rows = [
        {"item": "a", "rater": "x", "value": 1.0, "turn": 3},
        {"item": "a", "rater": "y", "value": None, "turn": 3},
        {"item": "b", "rater": "x", "value": -1.0, "turn": None},
    ]
    parquet = tmp_path / "r.parquet"
    pl.DataFrame(rows).write_parquet(parquet)
    lines = table(
        tmp_path, "".join(json.dumps(row) + "\n\n" for row in rows), "r.jsonl"
    )
    text = table(tmp_path, "item,rater,value,turn\na,x,1,3\na,y,,3\nb,x,-1,\n")

    assert read_ratings(parquet) == read_ratings(text)
    assert read_ratings(lines) == read_ratings(text)


def test_a_missing_number_of_another_tool_is_missing(tmp_path: Path) -> None:
    path = tmp_path / "r.parquet"
    pl.DataFrame({"item": ["a"], "x": [float("nan")], "y": [True]}).write_parquet(path)

    found = values(read_ratings(path, reading=IDENTIFICATION))

    assert found == {("a", "x"): None, ("a", "y"): "yes"}


@pytest.mark.parametrize("text", ["yes", "Yes", "TRUE", "1", "1.0", " true "])
def test_a_yes_may_be_written_in_many_ways(tmp_path: Path, text: str) -> None:
    path = table(tmp_path, f"item,rater,value\na,x,{text}\n")

    assert read_ratings(path, reading=IDENTIFICATION)[0].value == "yes"


@pytest.mark.parametrize("text", ["no", "No", "FALSE", "0", "0.0"])
def test_a_no_may_be_written_in_many_ways(tmp_path: Path, text: str) -> None:
    path = table(tmp_path, f"item,rater,value\na,x,{text}\n")

    assert read_ratings(path, reading=IDENTIFICATION)[0].value == "no"


@pytest.mark.parametrize(
    ("text", "value"),
    [("-1.0", "-1"), ("+1", "1"), ("-0.0", "0"), ("0", "0")],
)
def test_a_score_may_be_written_as_a_float(
    tmp_path: Path, text: str, value: str
) -> None:
    path = table(tmp_path, f"item,rater,value\na,x,{text}\n")

    assert read_ratings(path, reading=SCORING)[0].value == value


@pytest.mark.parametrize(
    ("text", "value"), [("inf", "inf"), ("1_0", "1_0"), ("2.5", "2.5"), ("1e3", "1000")]
)
def test_only_a_plain_whole_number_is_spelt_anew(
    tmp_path: Path, text: str, value: str
) -> None:
    path = table(tmp_path, f"item,rater,value\na,x,{text}\n")

    assert read_ratings(path)[0].value == value


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("item,rater,value\na,x,2\n", "ratings.csv:2: value is '2': expected one of"),
        ("item,x,y\na,1,0\nb,1,good\n", "ratings.csv:3: y is 'good': expected one of"),
        ("item,rater,value\na,x,NA\n", "ratings.csv:2: value is 'NA': leave the cell"),
        ("item,rater,value\n,x,1\n", "ratings.csv:2: item must not be empty"),
        ("item,rater,value\na,,1\n", "ratings.csv:2: rater must not be empty"),
        ("item,rater\na,x\n", "ratings.csv:1: has no column value; found item, rater"),
        ("name,x\na,1\n", "ratings.csv:1: has no column item; found name, x"),
        ("thread_id,rater,value\na,x,1\n", "ratings.csv:1: has no column item"),
        ("item,thread_id\na,T\n", "ratings.csv:1: has no column of a rater"),
        ("item,rater,value,sore\na,x,1,2\n", "ratings.csv:1: column 'sore' is not"),
        ("item,x,x\na,1,1\n", "ratings.csv:1: column 'x' has no name or stands twice"),
        ("item,x,\na,1,1\n", "ratings.csv:1: column '' has no name or stands twice"),
        ("item,rater,value\na,x,1\na,x,1\n", "ratings.csv:3: x rates a a second time"),
        ("item,x\na,1\na,1\n", "ratings.csv:3: x rates a a second time"),
        ("item,rater,value\na,x\n", "ratings.csv:2: has 2 cells, and the head 3"),
        ('item,rater,value\na,x,"1\n', "ratings.csv:2: not a CSV row"),
        ("item,rater,value\n", "ratings.csv: has no rows"),
        ("", "ratings.csv:1: has no column item; found none"),
        (
            "item,rater,value,turn\na,x,1,2\na,y,1,3\n",
            "ratings.csv:3: turn of a is 3, and 2 in an earlier row",
        ),
        ("item,rater,value,turn\na,x,1,-1\n", "ratings.csv:2: turn is '-1': expected"),
        (
            "item,rater,value,setting\na,x,1,solo\n",
            "ratings.csv:2: setting is 'solo': expected one of multi_turn",
        ),
        (
            "item,rater,value,probability\na,x,1,0\n",
            "ratings.csv:2: probability is '0': expected a number above 0",
        ),
        (
            "item,rater,value,probability\na,x,1,half\n",
            "ratings.csv:2: probability is 'half'",
        ),
    ],
)
def test_a_wrong_table_names_file_line_and_column(
    tmp_path: Path, text: str, said: str
) -> None:
    assert complaint(table(tmp_path, text), SCORING).startswith(said)


def test_what_is_no_text_no_json_and_no_parquet_is_said(tmp_path: Path) -> None:
    raw = tmp_path / "r.csv"
    raw.write_bytes(b"item,rater,value\n\xff,x,1\n")
    lines = table(tmp_path, '{"item": "a"}\n{"item": ["a"]}\n', "r.jsonl")
    broken = table(tmp_path, "no such thing", "r.parquet")
    nested = tmp_path / "n.parquet"
    pl.DataFrame({"item": ["a"], "x": [[1]]}).write_parquet(nested)

    assert "not a text file in UTF-8" in complaint(raw)
    assert complaint(lines).startswith("r.jsonl:2: ")
    assert complaint(broken).startswith("r.parquet: reading Parquet")
    assert complaint(nested) == "n.parquet: column 'x' holds no single values"
    assert complaint(tmp_path / "none.csv") == "none.csv: no such file"


def test_an_empty_parquet_has_no_rows(tmp_path: Path) -> None:
    path = tmp_path / "r.parquet"
    pl.DataFrame({"item": [], "rater": [], "value": []}).write_parquet(path)

    assert complaint(path).startswith("r.parquet: has no rows")


def test_a_row_of_a_parquet_is_named_by_its_number(tmp_path: Path) -> None:
    path = tmp_path / "r.parquet"
    pl.DataFrame({"item": ["a", "b"], "x": ["1", "7"]}).write_parquet(path)

    assert complaint(path, SCORING).startswith("r.parquet: row 2: x is '7'")


def test_a_scale_is_read_as_a_person_writes_it() -> None:
    found = scale_reading("None, Mild ,3.0")

    assert found.values == ("None", "Mild", "3")
    assert found.read("mild") == "Mild"


def test_a_missing_mark_that_is_a_value_of_the_scale_is_one() -> None:
    assert scale_reading("NA,yes").read("na") == "NA"


@pytest.mark.parametrize("text", ["", "1", "1,1.0", "1,,2", "A,a"])
def test_a_scale_has_two_values_or_more_each_once(text: str) -> None:
    with pytest.raises(InputError, match="is not two values or more"):
        scale_reading(text)


@pytest.mark.parametrize("between", [";", "\t", "|"])
def test_a_decimal_comma_makes_no_category_of_its_own(
    tmp_path: Path, between: str
) -> None:
    said = "sep=|\n" if between == "|" else ""
    rows = "item;r1;r2\na;1,0;1\nb;0,5;0.5\nc;-1,000;-1\nd;well, so;well, so\n"
    path = table(tmp_path, said + rows.replace(";", between))

    found = values(read_ratings(path))

    assert [found[item, "r1"] for item in "abcd"] == ["1", "0.5", "-1", "well, so"]
    assert all(found[item, "r1"] == found[item, "r2"] for item in "abcd")


def test_a_decimal_comma_is_read_in_the_long_form_and_between_commas(
    tmp_path: Path,
) -> None:
    long = table(tmp_path, "item;rater;value\na;x;0,0\n")
    assert values(read_ratings(long, reading=SCORING)) == {("a", "x"): "0"}
    assert values(read_ratings(long, reading=IDENTIFICATION)) == {("a", "x"): "no"}

    commas = table(tmp_path, 'item,rater,value\na,x,"1,0"\nb,x,"1,2,3"\n')
    assert values(read_ratings(commas)) == {("a", "x"): "1", ("b", "x"): "1,2,3"}


@pytest.mark.parametrize(
    ("cell", "complaint"),
    [
        ('"1,000"', "a comma before three digits"),
        ('"-12,345,678"', "a comma before three digits"),
        ("\u0661", "the digits 0 to 9"),
        ("-\u0661.\u0660", "the digits 0 to 9"),
    ],
)
def test_a_number_that_can_be_two_is_refused(
    tmp_path: Path, cell: str, complaint: str
) -> None:
    path = table(tmp_path, f"item,rater,value\na,x,{cell}\n")

    with pytest.raises(InputError, match=rf":2: value is .*{complaint}"):
        read_ratings(path)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ('item,rater,value\n"a,x,1\nb",x,1\n', r":2: item is 'a,x,1\\nb', with a line"),
        ('item,rater,value\na,"x,1\nb,x",1\n', ":2: rater is"),
        ('item,rater,value\na,x,"1\nb,x,1"\n', ":2: value is"),
        ('item,x,y\na,1,0\nb,"1,0\nc,1",0\n', ":3: x is"),
        ('item,"x\ny"\na,1\n', r":1: the name of a column is 'x\\ny'"),
        ('item,rater,value,note\na,x,1,"so\nb,x,1,"\n', "note holds a row, 'b,x,1,'"),
        ('item,rater,note,value\na,x,"so,1\nb,x,so",1\n', "holds a row, 'b,x,so'"),
        ('item;rater;note;value\na;x;"so;1\nb;y;;0\nc;x;";1\n', "holds a row"),
    ],
)
def test_a_quotation_mark_that_takes_rows_in_is_told(
    tmp_path: Path, text: str, complaint: str
) -> None:
    with pytest.raises(InputError, match=rf"{complaint}.*is a quotation mark not clo"):
        read_ratings(table(tmp_path, text))


def test_a_note_may_have_several_lines(tmp_path: Path) -> None:
    note = "first, then\nb,x\nand: one, two, three\n"
    path = table(tmp_path, f'item,rater,value,note\na,x,1,"{note}"\nb,x,1,\n')

    assert [rating.note for rating in read_ratings(path)] == [note, ""]
