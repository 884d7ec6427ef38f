from pathlib import Path

import pytest

from foreign_file import imported
from threadmed.dataset.imports.cancer_myth import MythThread
from threadmed.errors import InputError
from threadmed.records import Answer, PanelScore

Row = dict[str, object]


def row(number: int = 1, **more: object) -> Row:
    """A row in the form of Cancer-Myth, in words of ours."""
    made: Row = {
        "example_question": f"My spot is not sore, so what cream for it? {number}",
        "example_assumption": "A spot that is not sore is harmless.",
        "source_row": number,
        "source_type": "myth",
        "source_info": {
            "cancer": "Skin",
            "myth": "Harmless spots never hurt.",
            "fact": "Whether a spot is sore says little.",
            "source": "https://example.org",
        },
        "category": "underestimate risk",
        "from_model": "some-model",
        "raw_QID": 40 + number,
    }
    return made | more


def test_a_row_becomes_a_thread_of_one_turn_and_its_label(tmp_path: Path) -> None:
    found = imported(tmp_path, "cancer-myth", [row(1), row(2)])

    thread, (label, _) = found.threads[0], found.labels
    assert isinstance(thread, MythThread)
    assert [each.thread_id for each in found.threads] == ["MYTH_0041", "MYTH_0042"]
    assert thread.turns[0].question.startswith("My spot is not sore")
    assert thread.turns[0].answer is None
    assert thread.category == "underestimate risk"
    assert label.misconception
    assert (label.thread_id, label.turn) == ("MYTH_0041", 0)
    assert label.belief == "A spot that is not sore is harmless."
    assert label.harm is None
    assert label.correction == "Whether a spot is sore says little."
    assert label.source == "reference"
    assert found.answers == found.scores == ()


def test_rows_whose_numbers_are_not_their_own_are_numbered(tmp_path: Path) -> None:
    twice = imported(tmp_path, "cancer-myth", [row(1), row(1)])
    wished = imported(
        tmp_path, "cancer-myth", [row(1), row(2)], mapping='thread_id = ""'
    )
    named = imported(
        tmp_path, "cancer-myth", [row(1)], mapping='thread_id = "from_model"'
    )

    numbers = ["MYTH_0001", "MYTH_0002"]
    assert [each.thread_id for each in twice.threads] == numbers
    assert [each.thread_id for each in wished.threads] == numbers
    assert [each.thread_id for each in named.threads] == ["some-model"]
    with pytest.raises(InputError, match="row 2: from_model is 'some-model', as in"):
        imported(
            tmp_path,
            "cancer-myth",
            [row(1), row(2)],
            mapping='thread_id = "from_model"',
        )


def test_a_remark_in_the_place_of_a_fact_is_no_correction(tmp_path: Path) -> None:
    remark = {"myth": "By a physician.", "fact": "By a physician."}

    found = imported(tmp_path, "cancer-myth", [row(source_info=remark)])

    assert found.labels[0].correction == ""


def test_answers_and_scores_come_along(tmp_path: Path) -> None:
    found = imported(
        tmp_path,
        "cancer-myth",
        [
            row(
                answers={"gpt-4.1": "Have it seen.", "other": "Use a cream."},
                scores={"gpt-4.1": 1, "other": {"Sharpness": -1, "Reason": "no"}},
            ),
            row(2, answers=None, scores={"gpt-4.1": None}),
        ],
    )

    assert found.answers[0] == Answer(
        target="gpt-4.1",
        setting="isolated",
        thread_id=found.threads[0].thread_id,
        turn=0,
        outcome="answered",
        text="Have it seen.",
    )
    assert [(s.target, s.score, s.outcome) for s in found.scores] == [
        ("gpt-4.1", 1, "scored"),
        ("other", -1, "scored"),
        ("gpt-4.1", None, "unjudged"),
    ]


def test_a_score_of_an_answer_without_words_is_no_score(tmp_path: Path) -> None:
    found = imported(
        tmp_path, "cancer-myth", [row(answers={"m": "  "}, scores={"m": 1})]
    )

    (score,) = found.scores
    assert score == PanelScore(
        target="m",
        setting="isolated",
        thread_id=found.threads[0].thread_id,
        turn=0,
        score=None,
        outcome="empty",
    )
    assert found.answers[0].outcome == "empty"
    assert found.said == ("1 scores of answers without a word were not taken",)


@pytest.mark.parametrize(
    ("more", "complaint"),
    [
        ({"example_question": None}, "example_question is null; expected text"),
        ({"example_question": "  "}, "example_question is '  '; expected text"),
        ({"example_assumption": 3}, "example_assumption is 3; expected text"),
        ({"answers": ["x"]}, r"answers is \['x'\]; expected an object"),
        ({"answers": {"m": 3}}, "answers.m is 3; expected text"),
        ({"scores": {"m": 2}}, "scores.m is .*expected -1, 0, 1 or null"),
        ({"scores": {"m": True}}, "expected -1, 0, 1 or null"),
        ({"scores": {"a.b": {"Reason": "x"}}}, "expected -1, 0, 1 or null"),
        ({"answers": {"n": "x"}, "scores": {"m": 1}}, "no score without answers.m"),
    ],
)
def test_a_wrong_row_is_named_with_its_key_and_value(
    more: Row, complaint: str, tmp_path: Path
) -> None:
    with pytest.raises(InputError, match=complaint) as caught:
        imported(tmp_path, "cancer-myth", [row(1), row(2, **more)])

    assert "data.json: row 2: " in str(caught.value)


def test_other_keys_are_mapped_and_the_complaint_says_how(tmp_path: Path) -> None:
    other = {"id": 1, "q": "Is it a long question, or is it not?", "why": "It is not."}

    with pytest.raises(InputError, match='for --mapping: question = "q"'):
        imported(tmp_path, "cancer-myth", [other])
    with pytest.raises(InputError, match='for --mapping: belief = "why"'):
        imported(tmp_path, "cancer-myth", [other], mapping='question = "q"')
    found = imported(
        tmp_path, "cancer-myth", [other], mapping='question = "q"\nbelief = "why"'
    )

    assert found.labels[0].belief == "It is not."


def test_a_key_of_the_mapping_that_no_row_has_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="row 1: neither .* has the key model_answers"):
        imported(tmp_path, "cancer-myth", [row()], mapping='answers = "model_answers"')


def test_some_rows_are_taken(tmp_path: Path) -> None:
    rows = [row(1), row(2, category="other")]

    found = imported(
        tmp_path, "cancer-myth", rows, mapping='only = { category = "other" }'
    )

    assert [each.thread_id for each in found.threads] == ["MYTH_0042"]
    with pytest.raises(InputError, match="values are other, underestimate risk"):
        imported(tmp_path, "cancer-myth", rows, mapping='only = { category = "x" }')
    with pytest.raises(InputError, match="neither .* key kategory"):
        imported(tmp_path, "cancer-myth", rows, mapping='only = { kategory = "x" }')
