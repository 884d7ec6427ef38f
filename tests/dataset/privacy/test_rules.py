import re
from collections.abc import Iterator

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from threadmed.dataset.privacy import contacts, names, numbers
from threadmed.dataset.privacy.ages import AGES
from threadmed.dataset.privacy.contacts import CONTACTS
from threadmed.dataset.privacy.names import STATEMENTS
from threadmed.dataset.privacy.numbers import CROWDED, is_crowded, number_rules
from threadmed.dataset.privacy.rules import Rule, needed, thread_text

TIME = 1558096496
WORDS = contacts.WORDS | names.WORDS | numbers.WORDS
RULES: dict[str, Rule[object]] = {
    f"{room} {place}": rule  # type: ignore[misc]
    for room, rules in {
        "contacts": CONTACTS,
        "numbers": number_rules({TIME}),
        "ages": AGES,
        "statements": STATEMENTS,
    }.items()
    for place, rule in enumerate(rules)
}

PIECES = [
    *("my ", "name", "NAME", " is ", "is: ", "'s ", "\u2019s ", "Anna", "Li", "Smith"),
    *("call", "called ", "Call me ", "please ", "Dr", "DR", "dr", "Mr", "Mrs", "Prof"),
    *("Doctor", "Drs. ", "Professor ", "essor", ", MD", ", M.D.", ", DO", ", PA-C"),
    *("@", "u/", "/u/", "user/", "jo_doe", "gmail", "Yahoo", ".com", " at ", " dot "),
    *("(at)", "[at}", "{AT}", "(dot)", "Kik", "insta", "user name", "username", ":"),
    *("mail.org", "http", "://", "www.", "r/AskDocs/comments/", "b.ly/", "#1234", "#"),
    *("MRN", "ssn", "case no. ", "case", " num ", "member", " id", "NHS number"),
    *(" #", "4711", "12-34"),
    *("(212) 555-0187", "555 0187", "tel ", "+44 20 ", "1234567", str(TIME), "10.0."),
    *("2019-05-17 12:34:56", "192.168.0.1", ".1.2", "a::b:c:1", "fe80:", "::", "9"),
    *("92", "F", "M ", " years old", "I'm ", "aged ", "101", "129", "ninety", " yo"),
    *(
        " ",
        "\n",
        ". ",
        ", ",
        "-",
        "_",
        "\\",
        "\u00e9",
        "\u0130",
        "\u017f",
        "\u212a",
        "x",
    ),
]
TEXTS = st.lists(st.sampled_from(PIECES), max_size=8).map("".join) | st.text()


def lowered(text: str) -> str:
    return "".join(c.lower() if len(c.lower()) == 1 else c for c in text)


def found_by(rule: Rule[object], texts: list[str]) -> Iterator[object]:
    for text in texts:
        yield from rule.find(text, lowered(text))


@pytest.mark.parametrize("name", RULES)
@given(texts=st.lists(TEXTS, min_size=1, max_size=3))
def test_no_rule_that_finds_anything_is_left_out(name: str, texts: list[str]) -> None:
    rule = RULES[name]

    if next(found_by(rule, texts), None) is not None:
        assert needed([rule], thread_text(texts, WORDS)) == [rule.find]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("contacts 0", "see WWW.x.org"),
        ("contacts 0", "b.ly/x7"),
        ("contacts 1", "jo@mail.org"),
        ("contacts 2", "jo_doe AT gmail dot com"),
        ("contacts 2", "jo [at] mail.org"),
        ("contacts 2", "jo at mail dot org"),
        ("contacts 3", "U/jo_doe"),
        ("contacts 4", "@jo_doe"),
        ("contacts 5", "User name: jo_doe"),
        ("contacts 6", "jo#1234"),
        ("numbers 0", "192.168.0.1"),
        ("numbers 1", "a::b:c:1"),
        ("numbers 2", "(212) 555-0187"),
        ("numbers 3", "MRN4711"),
        ("numbers 3", "Member ID4711"),
        ("numbers 3", "case number4711"),
        ("ages 0", "92 years old"),
        ("ages 0", "aged 101"),
        ("ages 1", "Ninety-two years old"),
        ("statements 0", "NAME: Anna"),
        ("statements 1", "please call me Anna"),
        ("statements 2", "Drs. Li and Ray"),
        ("statements 5", "\u2019Doctor Li"),
        ("statements 8", "Professor Li"),
        ("statements 10", "Anna Smith, M.D."),
    ],
)
def test_a_rule_is_needed_where_it_finds_something_and_else_not(
    name: str, text: str
) -> None:
    rule = RULES[name]

    assert list(found_by(rule, [text]))
    assert needed([rule], thread_text(["it hurts", text], WORDS)) == [rule.find]
    assert needed([rule], thread_text(["it hurts", "a lot, 20mg."], WORDS)) == []


NAMES = st.text("abiks019", min_size=1, max_size=4)
AROUND = st.text(
    " _-\u2019\u00e9abiIkKsS019\u0130\u0131\u017f\u212a\u0307\n", max_size=8
)


@given(AROUND, NAMES, AROUND)
@example("J\u0130", "i", "")
@example("i\u0307", "x", "")
@example("i\u0307", "s", "\u0307\u017f")
def test_a_name_that_stands_alone_in_any_case_is_among_the_words(
    before: str, name: str, after: str
) -> None:
    for text in (before + name + after, before + after):
        if re.search(rf"(?<![^\W_]){name}(?![^\W_])", text, re.IGNORECASE):
            assert thread_text([text], frozenset({name})).words == {name}


@given(st.text("019 ().-/x\u00e9\u0663", max_size=24))
def test_seven_digits_close_together_are_never_overlooked(text: str) -> None:
    if CROWDED.search(text):
        assert is_crowded(thread_text([text], frozenset()).data)
