"""What an answer must hold."""

import pytest

from threadmed.annotate.tasks import MOST_TEXT, TASKS, Said, complaint


def test_a_complete_answer_has_nothing_to_complain_of() -> None:
    assert complaint(TASKS["scoring"], Said(item="a", value="-1")) is None
    yes = Said(item="a", value="yes", belief="It cannot harm.")
    assert complaint(TASKS["identification"], yes) is None
    assert complaint(TASKS["identification"], Said(item="a", value="unsure")) is None


@pytest.mark.parametrize(
    ("said", "why"),
    [
        (Said(item="a", value=""), "expected one of yes, no, unsure"),
        (Said(item="a", value="1"), "expected one of yes, no, unsure"),
        (Said(item="a", value="yes", belief="  "), "belief is not said"),
        (Said(item="a", value="no", note="x" * (MOST_TEXT + 1)), "more than 4,000"),
    ],
)
def test_an_answer_that_is_not_complete_is_complained_of(said: Said, why: str) -> None:
    assert why in (complaint(TASKS["identification"], said) or "")


def test_no_two_choices_of_a_task_share_a_key() -> None:
    used = set("ufsoe?")
    for task in TASKS.values():
        keys = [choice.key for choice in task.choices]
        assert len(set(keys)) == 3
        assert not used & set(keys)
