from pathlib import Path

import pytest

from foreign_file import imported
from threadmed.dataset.imports import read_data
from threadmed.errors import InputError

NAMED = """
thread_id = "case"
turn = "n"
question = "patient"
answer = "doctor"
misconception = "wrong"
belief = "what"
harm = "how_bad"
source = "two nurses"
"""


def row(case: object, n: object, **more: object) -> dict[str, object]:
    return {
        "case": case, "n": n, "patient": f"Question {n} of {case}?", "doctor": "Yes.",
        "wrong": "no", "what": None, "how_bad": None,
    } | more  # fmt: skip


def test_turns_are_put_together_and_in_order(tmp_path: Path) -> None:
    rows = [
        row("b", 2, doctor=None),
        row(7, 1, wrong="TRUE", what="It is so.", how_bad="serious"),
        row("b", 1),
        row("b", 3, wrong=None),
    ]

    found = imported(tmp_path, "table", rows, mapping=NAMED)

    first, second = found.threads
    assert (first.thread_id, second.thread_id) == ("b", "7")
    assert [turn.question for turn in first.turns] == [
        "Question 1 of b?", "Question 2 of b?", "Question 3 of b?",
    ]  # fmt: skip
    assert [turn.answer for turn in first.turns] == ["Yes.", None, "Yes."]
    assert [(x.thread_id, x.turn, x.misconception) for x in found.labels] == [
        ("b", 0, False), ("b", 1, False), ("7", 0, True),
    ]  # fmt: skip
    label = found.labels[2]
    assert (label.belief, label.harm, label.source) == (
        "It is so.", "serious", "two nurses",
    )  # fmt: skip


def test_a_harm_class_that_nobody_gave_is_none_of_the_classes(tmp_path: Path) -> None:
    rows = [
        row("a", 1, wrong=1, how_bad=""),
        row("b", 1, wrong=1, how_bad="None"),
        row("c", 1, wrong=0, how_bad="mild"),
        row("d", 1, wrong=1),
    ]

    found = imported(tmp_path, "table", rows, mapping=NAMED)

    assert [label.harm for label in found.labels] == [None, "none", None, None]


def test_columns_with_our_names_need_no_mapping(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text(
        "thread_id,turn,question,answer,belief,note\n"
        "T1,0,Why?,,It is so.,x\nT1,1,How?,So.,,x\n"
    )

    found = read_data("table", path)

    assert [turn.answer for turn in found.threads[0].turns] == [None, "So."]
    assert [(label.turn, label.misconception) for label in found.labels] == [(0, True)]
    assert found.said == (
        (
            "columns: thread_id = 'thread_id', turn = 'turn', question = 'question', "
            "answer = 'answer', belief = 'belief'"
        ),
    )


def test_without_a_name_a_row_is_a_thread_and_without_a_number_rows_are_in_order(
    tmp_path: Path,
) -> None:
    rows = [{"q": "One?", "t": "x"}, {"q": "Two?", "t": "x"}]

    alone = imported(tmp_path, "table", rows, mapping='question = "q"')
    joined = imported(
        tmp_path, "table", rows, mapping='question = "q"\nthread_id = "t"'
    )

    assert [each.thread_id for each in alone.threads] == ["THREAD_0001", "THREAD_0002"]
    assert alone.said == ("columns: question = 'q'; every row is a thread",)
    assert [turn.question for turn in joined.threads[0].turns] == ["One?", "Two?"]
    assert "turns are in the order of their rows" in joined.said[0]


@pytest.mark.parametrize(
    ("rows", "complaint"),
    [
        ([row("a", 1), row("a", 3)], "n is 3, and the thread lacks turn 2"),
        ([row("a", 1), row("a", 1)], "n is 1, and the thread stands twice"),
        ([row("a", 0), row("b", 1)], "n is 1, and the thread lacks turn 0"),
        ([row("a", "first")], "n is 'first'; expected a whole number"),
        ([row("a", n=True)], "n is True; expected a whole number"),
        ([row("a", -1)], "n is -1; expected a whole number"),
        ([row(None, 0)], "case is null; expected the name of a thread"),
        ([row("a", 0, patient="")], "patient is ''; expected text.*question = "),
        ([row("a", 0, doctor=3)], "doctor is 3; expected text or null.*answer = "),
        ([row("a", 0, wrong="perhaps")], "wrong is 'perhaps'; expected yes, no"),
        ([row("a", 0, what="It is so.")], "what is 'It is so.'; expected nothing"),
        ([row("a", 0, what=3)], "what is 3; expected text"),
        ([row("a", 0, wrong=1, how_bad="bad")], "how_bad is 'bad'; expected one of"),
    ],
)
def test_a_wrong_row_is_named_with_its_column_and_value(
    rows: list[object], complaint: str, tmp_path: Path
) -> None:
    with pytest.raises(InputError, match=complaint) as caught:
        imported(tmp_path, "table", rows, mapping=NAMED)

    assert f"data.json: row {len(rows)}: " in str(caught.value)


def test_a_column_that_no_row_has_is_named(tmp_path: Path) -> None:
    mapping = NAMED.replace('"doctor"', '"docotr"')

    with pytest.raises(InputError, match="row 1: neither .* has the key docotr"):
        imported(tmp_path, "table", [row("a", 0)], mapping=mapping)


def test_where_counting_starts_can_be_said(tmp_path: Path) -> None:
    rows = [row("a", 1), row("a", 2)]

    found = imported(tmp_path, "table", rows, mapping=NAMED + "first_turn = 1")

    assert len(found.threads[0].turns) == 2
    with pytest.raises(InputError, match="lacks turn 0"):
        imported(tmp_path, "table", rows, mapping=NAMED + "first_turn = 0")


def test_a_table_without_questions_is_told_how_to_map_them(tmp_path: Path) -> None:
    with pytest.raises(InputError, match='question is missing .*question = "body"'):
        imported(tmp_path, "table", [{"id": "7", "body": "Is it so, then?"}])


def test_a_key_that_no_mapping_has_is_named_with_its_line(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="mapping.toml:2: .*qestion"):
        imported(tmp_path, "table", [row("a", 0)], mapping='turn = "n"\nqestion = "q"')


def test_a_turn_may_have_a_decimal_comma(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("thread_id;turn;question\nT;1,0;Two?\nT;0,0;One?\n")

    (thread,) = read_data("table", path).threads

    assert [turn.question for turn in thread.turns] == ["One?", "Two?"]


def test_a_question_may_have_lines_and_the_name_of_a_thread_none(
    tmp_path: Path,
) -> None:
    path = tmp_path / "a.csv"
    path.write_text('thread_id,turn,question\nT,0,"Is it\nso?"\n"T,1,x\nU",0,Why?\n')

    with pytest.raises(InputError, match=r"a\.csv:4: thread_id is 'T,1,x\\nU', with a"):
        read_data("table", path)


def test_a_post_longer_than_the_csv_module_takes_by_itself_is_imported(
    tmp_path: Path,
) -> None:
    path = tmp_path / "a.csv"
    path.write_text(f"question\n{'so ' * 60_000}?\n")

    (thread,) = read_data("table", path).threads

    assert len(thread.turns[0].question) == 180_001
