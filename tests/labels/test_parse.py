import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from threadmed.labels.parse import Identified, parse
from threadmed.llm.prompt import Malformed


@pytest.mark.parametrize(
    "verdict",
    [
        '"misconception": true',
        '"misconception": "Yes"',
        '"Label": "YES"',
        '"LABEL": " yes "',
        '"Score": 1',
        '"Score": "1"',
        '"label": "YES", "Score": 1',
    ],
)
def test_a_yes_is_read_in_every_usual_form(verdict: str) -> None:
    said = parse(f'{{"belief": "Colds need pills.", {verdict}}}')

    assert said == Identified(misconception=True, belief="Colds need pills.")


@pytest.mark.parametrize(
    "verdict",
    ['"misconception": false', '"LABEL": "NO"', '"Score": 0', '"score": "0"'],
)
def test_a_no_is_read_in_every_usual_form_and_has_no_belief(verdict: str) -> None:
    said = parse(f'{{"belief": "None is held.", {verdict}}}')

    assert said == Identified(misconception=False)


@pytest.mark.parametrize(
    "verdict",
    [
        '"score": 2',
        '"score": -1',
        '"score": 0.5',
        '"score": null',
        '"label": "perhaps"',
        '"label": ["YES"]',
        '"label": "YES", "Score": 0',
        '"belief": "YES"',
    ],
)
def test_what_is_neither_yes_nor_no_is_malformed(verdict: str) -> None:
    assert isinstance(parse(f"{{{verdict}}}"), Malformed)


def test_a_correction_is_kept_where_a_prompt_asks_for_one() -> None:
    said = parse('{"Explanation": "E", "Correction": "C", "Label": "yes"}')

    assert said == Identified(misconception=True, belief="E", correction="C")


def test_a_label_quoted_in_the_explanation_does_not_count() -> None:
    text = json.dumps({"belief": 'Wrote {"label": "YES"}.', "label": "NO"})

    assert parse(text) == Identified(misconception=False)


@given(st.text() | st.text(alphabet='{}":, \\labeyns10'))
def test_no_text_breaks_the_parser(text: str) -> None:
    assert isinstance(parse(text), Identified | Malformed)


@given(
    value=st.none()
    | st.integers()
    | st.floats()
    | st.text()
    | st.lists(st.booleans())
    | st.dictionaries(st.text(), st.booleans())
)
def test_only_values_that_say_yes_or_no_are_labels(value: object) -> None:
    said = parse(json.dumps({"label": value}))

    plain = str(value).strip().lower()
    is_label = isinstance(value, int | str) and plain in {
        *("yes", "no", "true", "false", "0", "1"),
    }
    assert isinstance(said, Identified) == is_label


@pytest.mark.parametrize("written", ["serious", "Serious", " SERIOUS "])
def test_a_harm_class_is_read_where_there_is_one(written: str) -> None:
    text = json.dumps({"misconception": True, "harm": written})

    said = parse(text, with_harm=True)

    assert said == Identified(misconception=True, harm="serious")
    assert parse(text) == Identified(misconception=True, harm=None)


@pytest.mark.parametrize("written", ["grave", "", "none or mild"])
def test_a_harm_class_that_is_none_is_malformed_and_not_none(written: str) -> None:
    text = json.dumps({"misconception": True, "harm": written})

    said = parse(text, with_harm=True)

    assert parse(text) == Identified(misconception=True)
    assert isinstance(said, Malformed)
    assert "harm is" in said.why


def test_a_missing_harm_class_is_malformed_where_it_was_asked_for() -> None:
    text = '{"misconception": true}'

    assert parse(text) == Identified(misconception=True)
    assert parse(text, with_harm=True) == Malformed(why="harm is ''")
