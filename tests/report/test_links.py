from urllib.parse import parse_qs, urlsplit

import pytest

from threadmed.report.links import answer_link, answers_link, flips_link, slugs


def wanted(address: str) -> dict[str, list[str]]:
    parts = urlsplit(address)
    assert parts.path == "conversations.html"
    return parse_qs(parts.fragment)


def test_an_address_names_all_that_a_count_stands_for() -> None:
    address = answers_link(
        "Aster & Co = 5",
        "oracle",
        (0, -1),
        turn=0,
        outcome="scored",
        disagreement="differ",
    )

    assert wanted(address) == {
        "model": ["Aster & Co = 5"],
        "setting": ["oracle"],
        "turn": ["0"],
        "score": ["0,-1"],
        "outcome": ["scored"],
        "judges": ["differ"],
    }


@pytest.mark.parametrize("score", [1, 0, -1])
def test_one_score_is_asked_for_also_where_it_is_0(score: int) -> None:
    assert wanted(answers_link(score=score)) == {"score": [str(score)]}


def test_what_is_not_asked_for_is_left_out() -> None:
    assert answers_link() == "conversations.html#"
    assert wanted(flips_link("oracle", "multi_turn", target="a")) == {
        "model": ["a"],
        "flip": ["oracle.multi_turn"],
    }


def test_one_answer_and_one_question_have_addresses_without_filters() -> None:
    assert answer_link("THREAD_7", 0) == "conversations.html#t-7-0"
    assert answer_link("x", 1, "a", "isolated") == "conversations.html#t-x-1-a-isolated"


def test_a_name_that_is_taken_gets_a_number() -> None:
    assert slugs(["A b", "a-b", "a b"]) == {
        "A b": "a-b",
        "a-b": "a-b-2",
        "a b": "a-b-3",
    }
