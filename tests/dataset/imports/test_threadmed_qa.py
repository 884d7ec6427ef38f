"""No one here has seen the authors' files; each layout that they could have is tried."""

import json
import tempfile
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from foreign_file import imported
from threadmed.dataset.imports import read_data
from threadmed.errors import InputError

Talk = list[tuple[str, str | None]]

LAYOUTS: dict[str, Callable[[Talk], dict[str, object]]] = {
    "objects": lambda talk: {
        "qa_pairs": [
            {"patient_question": q, "physician_response": a, "score": 3}
            for q, a in talk
        ]
    },
    "chat": lambda talk: {
        "conversation": [
            {"role": role, "text": text}
            for q, a in talk
            for role, text in (("patient", q), ("physician", a))
            if text is not None
        ]
    },
    "pairs": lambda talk: {"dialogue": [[q, a] for q, a in talk]},
    "columns": lambda talk: {
        "turns": {"question": [q for q, _ in talk], "answer": [a for _, a in talk]}
    },
    "parallel": lambda talk: {
        "Patient Questions": [q for q, _ in talk],
        "doctor_answers": [a for _, a in talk],
    },
    "text": lambda talk: {
        "turns": json.dumps([{"question": q, "answer": a} for q, a in talk])
    },
}

SAID = st.text("abc ?", min_size=1).map(str.strip).filter(bool)
TALK = st.lists(st.tuples(SAID, st.none() | SAID), min_size=1, max_size=5)


@pytest.mark.parametrize("layout", LAYOUTS)
@given(talks=st.lists(TALK, min_size=1, max_size=4))
def test_each_layout_gives_back_the_threads_that_were_written(
    layout: str, talks: list[Talk]
) -> None:
    rows = [
        {"thread_id": f"t{n}", "title": "x", "n": 3} | LAYOUTS[layout](talk)
        for n, talk in enumerate(talks)
    ]
    with tempfile.TemporaryDirectory() as folder:
        found = imported(Path(folder), "threadmed-qa", rows)

    read = [[(t.question, t.answer) for t in each.turns] for each in found.threads]
    assert read == talks
    assert [each.thread_id for each in found.threads] == [
        f"t{n}" for n in range(len(talks))
    ]


def test_what_was_detected_is_said(tmp_path: Path) -> None:
    row = {"id": 9} | LAYOUTS["objects"]([("Is it so?", "No."), ("Why?", None)])

    found = imported(tmp_path, "threadmed-qa", [row])

    assert found.said == (
        (
            'detected: a thread a row, its turns as objects; turns = "qa_pairs", '
            'question = "patient_question", answer = "physician_response"; '
            'thread_id = "id"'
        ),
        (
            "first row: 1 thread, 2 questions, 1 with an answer; the first question "
            "begins 'Is it so?'"
        ),
    )


def test_parquet_is_read_like_json(tmp_path: Path) -> None:
    path = tmp_path / "train.parquet"
    rows = [LAYOUTS["objects"]([("Is it so?", None)]) | {"split": "test"}]
    pl.DataFrame(rows).write_parquet(path)

    found = read_data("threadmed-qa", path)

    assert found.threads[0].turns[0].question == "Is it so?"
    assert found.threads[0].thread_id == "THREAD_0001"


def test_labels_are_taken_where_they_are_mapped(tmp_path: Path) -> None:
    turns = [
        {"question": "A?", "answer": "No.", "flag": True, "why": "A is."},
        {"question": "B?", "answer": "No.", "flag": False},
    ]
    found = imported(
        tmp_path,
        "threadmed-qa",
        [{"turns": turns}],
        mapping='misconception = "flag"\nbelief = "why"\nsource = "the authors"',
    )

    assert [(x.turn, x.misconception, x.belief) for x in found.labels] == [
        (0, True, "A is."), (1, False, ""),
    ]  # fmt: skip
    assert {label.source for label in found.labels} == {"the authors"}


def test_a_key_for_labels_that_no_turn_has_is_named(tmp_path: Path) -> None:
    row = LAYOUTS["objects"]([("Is it so?", "No.")])

    with pytest.raises(InputError, match=r"qa_pairs\[0\]: neither .* key flag"):
        imported(tmp_path, "threadmed-qa", [row], mapping='misconception = "flag"')


def test_names_that_are_not_certain_are_asked_for_and_then_taken(
    tmp_path: Path,
) -> None:
    rows = [{"dialog": [{"x": "Is it so?", "y": "No."}]}]
    wish = 'turns = "dialog", question = "x", answer = "y"'

    with pytest.raises(InputError, match=f"is not certain; .*--mapping: {wish}"):
        imported(tmp_path, "threadmed-qa", rows)
    found = imported(tmp_path, "threadmed-qa", rows, mapping=wish.replace(", ", "\n"))

    assert found.threads[0].turns[0].answer == "No."


def test_several_places_are_all_named(tmp_path: Path) -> None:
    talk: Talk = [("Is it so?", "No.")]
    both = LAYOUTS["objects"](talk) | LAYOUTS["pairs"](talk)

    with pytest.raises(InputError, match="several places") as caught:
        imported(tmp_path, "threadmed-qa", [both])
    found = imported(tmp_path, "threadmed-qa", [both], mapping='turns = "dialogue"')

    assert 'turns = "qa_pairs"' in str(caught.value)
    assert 'turns = "dialogue"' in str(caught.value)
    assert found.threads[0].turns[0].question == "Is it so?"


def test_roles_with_other_names_are_mapped(tmp_path: Path) -> None:
    said = [{"who": "asker", "what": "Is it so?"}, {"who": "md", "what": "No."}]
    mapping = """
turns = "said"
role = "who"
content = "what"
patient = ["asker"]
physician = ["md"]
"""
    found = imported(tmp_path, "threadmed-qa", [{"said": said}], mapping=mapping)

    assert found.threads[0].turns[0].answer == "No."
    renamed = [{"role": "user", "content": "A?"}, {"role": "md", "content": "No."}]
    with pytest.raises(InputError, match="add it to patient or physician"):
        imported(tmp_path, "threadmed-qa", [{"said": renamed}])


def test_one_thread_in_two_subsets_is_said_and_one_subset_can_be_taken(
    tmp_path: Path,
) -> None:
    row = {"thread_id": "t"} | LAYOUTS["pairs"]([("Is it so?", "No.")])
    rows = [row | {"subset": "complete"}, row | {"subset": "answered"}]

    with pytest.raises(InputError, match="row 2: thread_id is 't', as in .*row 1"):
        imported(tmp_path, "threadmed-qa", rows)
    one = imported(
        tmp_path, "threadmed-qa", rows, mapping='only = { subset = "answered" }'
    )
    both = imported(tmp_path, "threadmed-qa", rows, mapping='thread_id = ""')

    assert (len(one.threads), len(both.threads)) == (1, 2)


@pytest.mark.parametrize(
    ("layout", "second", "complaint"),
    [
        ("objects", {"qa_pairs": []}, r"qa_pairs is \[\]; expected a list of turns"),
        ("objects", {"qa_pairs": ["x"]}, r"qa_pairs\[0\] is 'x'; expected an object"),
        ("objects", {"qa_pairs": [{"patient_question": 3}]}, "patient_question is 3"),
        (
            "objects",
            {"qa_pairs": [{"patient_question": "A?", "physician_response": 3}]},
            "physician_response is 3; expected text or null",
        ),
        ("pairs", {"dialogue": [["A?"]]}, r"dialogue\[0\] is \['A\?'\]; expected"),
        ("columns", {"turns": None}, "turns is null; expected lists"),
        (
            "columns",
            {"turns": {"question": ["A?"], "answer": ["B", "C"]}},
            "question has 1 entries and answer 2",
        ),
        ("parallel", {"Patient Questions": None}, "Patient Questions is null"),
    ],
)
def test_a_row_unlike_the_first_is_named_with_its_key_and_value(
    layout: str, second: dict[str, object], complaint: str, tmp_path: Path
) -> None:
    first = LAYOUTS[layout]([("Is it so?", "No.")])

    with pytest.raises(InputError, match=complaint) as caught:
        imported(tmp_path, "threadmed-qa", [first, first | second])

    assert "data.json: row 2: " in str(caught.value)


def test_a_file_without_turns_says_what_it_has(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"keys are q \('Is it so\?'\), a \('\['\)"):
        imported(tmp_path, "threadmed-qa", [{"q": "Is it so?", "a": "["}])
    with pytest.raises(InputError, match="talk is missing .*the list of turns"):
        imported(tmp_path, "threadmed-qa", [{"q": 1}], mapping='turns = "talk"')
