import json
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from threadmed.dataset.privacy.audit import (
    leaks_in_text,
    leaks_in_threads,
    unclean_lines,
    vocabulary,
)
from threadmed.dataset.privacy.known import Known
from threadmed.dataset.privacy.scrub import scrub_turns
from threadmed.records import Turn

KNOWN = Known(
    ids=frozenset({"abc123", "654321"}),
    accounts=frozenset({"Jo_Doe", "JoDoe", "pain", "user", "---", "true"}),
    times=frozenset({1558096496}),
)
"""The time is 2019-05-17 12:34:56 UTC."""


def line(text: object, thread: str = "THREAD_0001") -> str:
    return json.dumps(
        {"thread_id": thread, "turns": [{"question": text, "answer": None}]}
    )


def leaks(*texts: object) -> list[str]:
    data = "\n".join([*map(line, texts), ""]).encode()
    known = {"THREAD_0001": KNOWN}
    return leaks_in_threads("a.jsonl", data, known=known, words={"pain"})


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("thanks jodoe", "user name"),
        ("JODOE's", "user name"),
        ("_jo_doe_", "user name"),
        (r"jo\_doe", "user name"),
        ("jodoes, not jodoe", "user name"),
        ("ABC123", "id"),
        ("(654321)", "id"),
        ("1558096496", "time"),
        (1558096496, "time"),
        ("1558096496000", "time"),
        ("2019-05-17T12:34:56Z", "time"),
        ("on 2019-05-17 12:34:56", "time"),
        ("see HTTPS://x.org", "address"),
    ],
)
def test_a_trace_is_told_by_its_line_and_kind_alone(text: object, kind: str) -> None:
    assert leaks("fine", text) == [f"a.jsonl:2: {kind}"]


@pytest.mark.parametrize(
    "text",
    [
        "no pain, jodoes, xjodoe, abc1234, [user], [user 2]",
        "15580964961, 155809649600, 2019-05-17 12:34:57, 2019-05-17, 12:30",
        "---",
        True,
        None,
    ],
)
def test_what_only_resembles_a_trace_is_none(text: object) -> None:
    assert leaks(text) == []


def test_a_placeholder_does_not_hide_what_stands_beside_it() -> None:
    assert leaks("[user]jodoe") == ["a.jsonl:1: user name"]
    assert leaks("[jodoe]") == ["a.jsonl:1: user name"]


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        ("{", "no JSON, so that it cannot be searched"),
        ("[]", "no name of a released thread"),
        ('{"turns": []}', "no name of a released thread"),
        (line("x", "abc123"), "no name of a released thread"),
        (line("x", "THREAD_0002"), "a thread whose records are not known"),
    ],
)
def test_a_line_that_cannot_be_searched_is_a_leak(data: str, kind: str) -> None:
    assert leaks_in_threads("a.jsonl", data, known={"THREAD_0001": KNOWN}) == [
        f"a.jsonl:1: {kind}"
    ]


def test_only_the_very_line_that_was_searched_is_not_searched_again() -> None:
    dirty = line("by jodoe").encode()
    data = b"\n".join([dirty, dirty + b" "])

    known = {"THREAD_0001": KNOWN}
    assert leaks_in_threads("a.jsonl", data, known=known, clean={dirty}) == [
        "a.jsonl:2: user name"
    ]


def test_lines_about_a_thread_are_unclean_as_they_would_be_in_a_file() -> None:
    clean, dirty, other = (
        one.encode() for one in (line("fine"), line("ABC123"), line("x", "THREAD_0002"))
    )
    found = unclean_lines([clean, dirty, other], thread="THREAD_0001", known=KNOWN)

    assert found == [dirty, other]


@given(st.text("019 .:x\u00e9", max_size=14), st.text("019 .:x\u00e9", max_size=14))
def test_a_time_is_found_among_whatever_digits(before: str, after: str) -> None:
    assert leaks(f"{before}x1558096496x{after}") == ["a.jsonl:1: time"]


def test_a_table_is_searched_for_what_all_threads_are_known_by() -> None:
    table = b"flair,comments\nRN,654321\nRN Jo_Doe,1\nabc123,2\npain,3\n"

    assert leaks_in_text("a.csv", table, known=KNOWN, words={"pain"}) == [
        "a.csv:3: user name",
        "a.csv:4: id",
    ]
    assert leaks_in_text("a.csv", "flair\nRN\n1558096496", known=KNOWN) == [
        "a.csv:3: time"
    ]


def test_a_table_without_traces_is_clean() -> None:
    assert leaks_in_text("a.csv", "flair,comments\nRN,654321\n", known=KNOWN) == []


def test_numbers_and_keys_of_the_manifest_are_the_program_s() -> None:
    clean = json.dumps({"pain": 1558096496, "jodoe": ["654321", True, None, "RN"]})

    assert leaks_in_text("manifest.json", clean, known=KNOWN) == []
    assert leaks_in_text("manifest.json", '{"flair": ["RN jodoe"]}', known=KNOWN) == [
        "manifest.json: user name"
    ]


def test_words_that_stand_in_many_texts_are_a_vocabulary() -> None:
    texts = ["Nurse, RN", "nurse jo_doe", "RN"]

    assert vocabulary(texts) == {"nurse", "rn", "jo", "doe"}
    assert vocabulary(texts, at_least=2) == {"nurse", "rn"}


PIECES = ["JoDoe", "jo_doe", r"jo\_doe", "abc123", "1558096496", "user", "[", "]", "'s"]
MORE = [
    " ",
    "_",
    "-",
    ".",
    "x",
    "7",
    "@",
    "u/",
    "2019-05-17 12:34:56",
    "https://",
    "Dr. ",
]


@given(st.lists(st.sampled_from([*PIECES, *MORE]), max_size=12).map("".join))
def test_what_was_scrubbed_is_clean(text: str) -> None:
    (turn,) = scrub_turns(
        [Turn(question=text, answer=None)],
        known=KNOWN,
        words=("pain",),
        recognise=None,
        counts=Counter(),
    )

    assert leaks(turn.question) == []
