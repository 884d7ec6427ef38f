from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from threadmed.dataset.privacy.names import ALONE, DASHED, SIGNED, ends_in_lower_case
from threadmed.dataset.privacy.scrub import NOTHING, scrub_turns
from threadmed.records import Turn


def scrubbed(text: str) -> str:
    turn = Turn(question=text, answer=None)
    (out,) = scrub_turns(
        [turn], known=NOTHING, words=(), recognise=None, counts=Counter()
    )
    return out.question


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("my name is Anna", "my name is [name]"),
        ("My name is Anna Smith and I", "My name is [name] and I"),
        ("MY NAME IS ANNA SMITH", "MY NAME IS [name]"),
        ("My name is April. In April I", "My name is [name]. In April I"),
        ("Hi, name's Anna, 30", "Hi, name's [name], 30"),
        ("Name: Anna Smith\nAge: 30", "Name: [name]\nAge: 30"),
        ("my son's name is Jonas", "my son's name is [name]"),
        ("her first name is Zoë", "her first name is [name]"),
        (
            "I'm called Bob. Please call me Al",
            "I'm called [name]. Please call me [name 2]",
        ),
        ("this is Dr. Smith", "this is Dr. [name]"),
        ("dr Jones, DR. LEE", "dr [name], DR. [name 2]"),
        ("Dr. Anna B. Smith-Jones's office", "Dr. [name]'s office"),
        ("Dr. O'Brien and Dr. van der Berg", "Dr. [name] and Dr. [name 2]"),
        ("Dr A Smith, Dr.J.R. Meyer", "Dr [name], Dr.[name 2]"),
        ("Drs. Kim and Wu agree", "Drs. [name] and [name 2] agree"),
        ("Doctor Smith, Mrs Smith", "Doctor [name], Mrs [name]"),
        ("my dr Jones on Monday", "my dr [name] on Monday"),
        ("I saw Anna B. Smith, MD today", "I saw [name], MD today"),
        ("It hurts.\n\nThanks,\nAnna", "It hurts.\n\nThanks,\n[name]"),
        ("It hurts. Best, J. Smith", "It hurts. Best, [name]"),
        ("It hurts.\nKind regards, Anna Smith", "It hurts.\nKind regards, [name]"),
        ("It hurts.\n- Anna", "It hurts.\n- [name]"),
        ("It hurts. Thank you! Mary", "It hurts. Thank you! [name]"),
        ("Thanks!\n\nAnna Smith, RN", "Thanks!\n\n[name], RN"),
        (
            "It hurts. Thanks, Anna Brandt, anna@example.org, 212-555-0187",
            "It hurts. Thanks, [name], [e-mail], [phone]",
        ),
    ],
)
def test_a_stated_name_is_replaced(text: str, expected: str) -> None:
    assert scrubbed(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "my name is not important",
        "My Name Is Not Important",
        "I am Rh negative. I'm Caucasian. This is Lupus. I'm Type 1",
        "The brand name is Zoloft, the drug's name is Lexapro",
        "Generic name: Sertraline",
        "Dr Google, Dr. Pepper, Dr. Oz, DR Congo, Dr Visit today",
        "My Doctor Prescribed Zoloft, My Dr Won't Listen, Doctor Says No",
        "I saw the dr. Blood tests came back. Asked my dr. Yesterday I",
        "MS, an MR Angio, Mr. and Ms.",
        "I called Walgreens, they called Monday, call me ASAP",
        "Board Certified, MD; Emergency Medicine, DO; Pediatric Cardiology, MD",
        "It hurts. Thanks Everyone",
        "It hurts. Thank You So Much",
        "Thanks!\nEdit: typo",
        "Meds:\n- Lexapro",
        "I take these.\n- Zoloft\n- Lexapro",
        "Best Practice",
        "- Anna",
        "Thanks,",
    ],
)
def test_other_capitals_stay(text: str) -> None:
    assert scrubbed(text) == text


def test_a_stated_name_is_replaced_wherever_it_stands_in_capitals() -> None:
    text = "My name is Anna Smith. So Anna coughs, ANNA, anna; Annabel, Anna's cough"

    assert scrubbed(text) == (
        "My name is [name]. So [name] coughs, [name], anna; Annabel, [name]'s cough"
    )


@pytest.mark.parametrize(
    "text",
    [
        "Dr. [name] found Crohn's disease, a Crohn syndrome",
        "My name is [name]. Mark the spot, mark it",
        "My name is [name]. Will it heal? I May",
    ],
)
def test_a_name_that_is_a_word_too_leaves_the_word(text: str) -> None:
    name = {"f": "Crohn", "M": "Mark", "W": "Will"}[
        text.split("[name]")[1].strip(" .")[0]
    ]

    assert scrubbed(text.replace("[name]", name)) == text


def test_a_name_that_is_a_word_too_is_found_inside_of_a_sentence() -> None:
    text = "My son's name is Max. I gave Max the max dose. Max dose is 3"

    assert scrubbed(text) == (
        "My son's name is [name]. I gave [name] the max dose. Max dose is 3"
    )


ENDS = ["Thanks,", "Best, ", "Take care. ", "Anna", "\u00c9va", "O'Neil", "van ", "B. "]
ENDS += ["Smith-Jones", ", MD", " M.D.", "- ", "~", "!", ".", "*", " ", "it hurts", "x"]


@given(st.lists(st.sampled_from(ENDS), max_size=6).map("".join))
def test_whatever_could_be_a_signature_ends_with_a_word_in_capitals(text: str) -> None:
    last = text.rstrip()

    if any(pattern.search(last) for pattern in (SIGNED, ALONE, DASHED)):
        assert not ends_in_lower_case(last)


def test_a_message_that_ends_in_lower_case_has_no_signature() -> None:
    assert ends_in_lower_case("Thanks, Anna said so.")
    assert not ends_in_lower_case("it hurts. Thanks, Anna.")
