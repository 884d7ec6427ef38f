from collections import Counter
from collections.abc import Collection

from hypothesis import given
from hypothesis import strategies as st

from threadmed.dataset.privacy.known import Known
from threadmed.dataset.privacy.scrub import (
    NOTHING,
    Recognise,
    Span,
    scrub_line,
    scrub_turns,
)
from threadmed.records import Turn

PIECES = [
    *("Dr. Smith", "dr Li", "My name is ", "my son's name is ", "Anna", "Max", "Smith"),
    *("call me ", "Thanks,", "Best, ", "\n", "\n- ", " ", ". ", "'s", "@", "u/", "/"),
    *(
        "jo_doe",
        "JoDoe",
        "name",
        "x9",
        "abc123",
        "jo@x.org",
        "1558096496",
        "123-45-6789",
    ),
    *("(212) 555-0187", "92F", "92", " years old", "I'm ", "aged ", "[name]", "[", "]"),
    *(
        "192.168.0.1",
        "a::b:c:1",
        "https://",
        "www.",
        "pain",
        "20 u/day",
        "MRN 4711",
        "+",
    ),
    *("\\_", "\\", "-", "_", "İ", "ninety years old", "2019-05-17 12:34:56", ", MD"),
]
TEXTS = st.lists(st.sampled_from(PIECES), max_size=12).map("".join) | st.text()
KNOWN = Known(
    ids=frozenset({"abc123", "x9"}),
    accounts=frozenset({"Jo_Doe", "JoDoe", "name", "pain", "-x-", "---", "user"}),
    times=frozenset({1558096496}),
)


def scrub(
    *texts: str,
    known: Known = KNOWN,
    words: Collection[str] = ("pain",),
    recognise: Recognise | None = None,
    counts: Counter[str] | None = None,
) -> list[str]:
    turns = [Turn(question=text, answer=None) for text in texts]
    out = scrub_turns(
        turns,
        known=known,
        words=words,
        recognise=recognise,
        counts=Counter() if counts is None else counts,
    )
    assert all(turn.answer is None for turn in out)
    return [turn.question for turn in out]


@given(st.lists(TEXTS, min_size=1, max_size=3))
def test_scrubbing_twice_finds_nothing_more(texts: list[str]) -> None:
    counts: Counter[str] = Counter()
    once = scrub(*texts)

    assert scrub(*once, counts=counts) == once
    assert not counts


@given(
    TEXTS, st.sampled_from(["Jo_Doe", "joDoe", "JODOE", "-x-", "abc123", "X9"]), TEXTS
)
def test_no_name_or_id_of_the_thread_survives(
    before: str, name: str, after: str
) -> None:
    (out,) = scrub(f"{before} {name} {after}")

    assert f" {name.lower()} " not in f" {out.lower()} "


@given(st.text("abc xyz,;:!?\n"))
def test_a_text_with_nothing_to_find_is_not_touched(text: str) -> None:
    counts: Counter[str] = Counter()

    assert scrub(text, known=NOTHING, counts=counts) == [text]
    assert not counts


def test_the_same_person_has_the_same_placeholder_in_all_turns() -> None:
    out = scrub(
        "Dr. Anna Smith and Dr. Li, jo@x.org",
        "Dr Smith? LI (lung injury), Jo@X.org, al@x.org; Li said",
    )

    assert out == [
        "Dr. [name] and Dr. [name 2], [e-mail]",
        "Dr [name]? LI (lung injury), [e-mail], [e-mail 2]; [name 2] said",
    ]


def test_a_question_and_its_answer_are_numbered_in_the_order_of_reading() -> None:
    turn = Turn(question="ask Dr. Li", answer="my name is Anna, not Li")
    (out,) = scrub_turns(
        [turn], known=NOTHING, words=(), recognise=None, counts=Counter()
    )

    assert out == Turn(
        question="ask Dr. [name]", answer="my name is [name 2], not [name]"
    )


def test_a_user_name_is_replaced_as_a_whole_word_in_any_case() -> None:
    out = scrub(r"JODOE's, jo\_doe, u/JoDoe, _jodoe_, jodoes, xjodoe")

    assert out == ["[user]'s, [user 2], [user], _[user]_, jodoes, xjodoe"]


def test_a_user_name_that_is_a_word_stays() -> None:
    assert scrub("no Pain, JoDoe") == ["no Pain, [user]"]
    assert scrub("no Pain", words=()) == ["no [user]"]


def test_a_user_name_like_a_placeholder_spares_the_placeholders() -> None:
    assert scrub("Dr. Li, name, jodoe, user") == [
        "Dr. [name], [user], [user 2], [user 3]"
    ]


def test_a_user_name_of_dashes_is_no_name() -> None:
    assert scrub("a\n---\nb") == ["a\n---\nb"]


def test_an_own_id_is_replaced() -> None:
    assert scrub("see ABC123, abc1234") == ["see [id], abc1234"]


def test_what_is_replaced_is_counted_by_kind() -> None:
    counts: Counter[str] = Counter()
    scrub("a@b.org c@d.org u/jo_doe, 92F", "@jo_doe, Dr. Li and Li", counts=counts)

    assert counts == {"e-mail": 2, "user": 1, "age": 1, "handle": 1, "name": 2}


def test_a_recogniser_adds_names_and_places_once() -> None:
    calls: list[str] = []

    def recognise(text: str) -> list[Span]:
        calls.append(text)
        spans = [(word, "name") for word in ("anna",)] + [("oslo", "place")]
        return [
            Span(text.index(word), text.index(word) + len(word), kind)  # type: ignore[arg-type]
            for word, kind in spans
            if word in text
        ]

    out = scrub("anna in oslo, Dr. Li", "not Anna, anna", recognise=recognise)

    assert out == ["[name] in [place], Dr. [name 2]", "not Anna, [name]"]
    assert calls == ["anna in oslo, Dr. Li", "not Anna, anna"]


def test_a_flair_is_no_message_and_has_no_signature() -> None:
    assert scrub_line("Best, Anna") == "Best, Anna"
    assert (
        scrub_line("RN jodoe, pain", known=KNOWN, words=("pain",)) == "RN [user], pain"
    )
