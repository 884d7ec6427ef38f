import pytest
from hypothesis import given
from hypothesis import strategies as st

from threadmed.dataset.options import Measure
from threadmed.dataset.threads.overlap import STOP_WORDS, overlap, words_of


@given(st.text(), st.text(), st.sampled_from(["words", "jaccard", "coefficient"]))
def test_overlap_is_symmetric_and_knows_no_case(
    post: str, reply: str, measure: Measure
) -> None:
    question, answer = words_of(post), words_of(reply)
    shared = overlap(question, answer, measure=measure)

    assert shared == overlap(answer, question, measure=measure)
    assert shared >= 0
    assert measure == "words" or shared <= 1
    assert words_of("Left KNEE") == words_of("left knee") == {"left", "knee"}


@pytest.mark.parametrize(
    ("measure", "expected"), [("words", 2.0), ("jaccard", 0.4), ("coefficient", 2 / 3)]
)
def test_two_of_five_words_are_shared(measure: Measure, expected: float) -> None:
    # {left, knee, hurts, now} and {left, knee, rest}: 2 shared, 5 in either, 3 in one.
    question, answer = words_of("left knee hurts now"), words_of("rest left knee")

    assert overlap(question, answer, measure=measure) == pytest.approx(expected)


@pytest.mark.parametrize("measure", ["words", "jaccard", "coefficient"])
def test_nothing_is_shared_with_a_text_without_words(measure: Measure) -> None:
    assert overlap(words_of(""), words_of("..."), measure=measure) == 0


def test_stop_words_are_in_lower_case_and_say_nothing_about_health() -> None:
    assert all(word == word.casefold() for word in STOP_WORDS)
    assert STOP_WORDS.isdisjoint({"left", "right", "pain", "blood", "doctor", "week"})


@given(st.text())
def test_dropping_stop_words_drops_nothing_else(text: str) -> None:
    dropped = words_of(text) - words_of(text, stop_words="dropped")

    assert {word.replace("\u2019", "'") for word in dropped} <= STOP_WORDS
