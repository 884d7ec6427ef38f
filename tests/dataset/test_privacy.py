import re
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from threadmed.dataset.privacy import scrub, thread_ids


def scrubbed(text: str) -> str:
    return scrub(text, counts=Counter())


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("mail jo.doe+x@mail.example.org, thanks", "mail [e-mail], thanks"),
        ("u/some_one said so", "[user] said so"),
        ("thank you /u/some-one!", "thank you [user]!"),
        ("as U/SomeOne wrote", "as [user] wrote"),
        ("I am @some_one there", "I am [handle] there"),
        ("call +44 20 7946 0958 at night", "call [phone] at night"),
        ("(555) 234-5678", "[phone]"),
        ("555.234.5678 or 555 234 5678", "[phone] or [phone]"),
        ("020 7946 0958", "[phone]"),
        ("07700900123", "[phone]"),
    ],
)
def test_what_leads_to_a_person_becomes_a_placeholder(text: str, kept: str) -> None:
    assert scrubbed(text) == kept


@pytest.mark.parametrize(
    "text",
    [
        "BP 120/80, pulse 61, 98.6 F, 500 mg x 3, 5'5, 190 lbs",
        "20 u/day, then 30 U/kg, ALT 140 U/L, 400 IU/mL",
        "platelets 150-400, WBC 4.0-11.0, 2019-2021, 1,000-2,000 kcal",
        "on 12/03/2019 at 10:30, 3 - 4 weeks, 100 200 300",
        "meet @ 3pm, 2 @ 5 mg",
        "and/or, w/o, s/p, he/she",
        "code I21.4, lot 20190312, 1234567",
    ],
)
def test_what_medicine_writes_stays(text: str) -> None:
    assert scrubbed(text) == text


def test_what_was_replaced_is_counted_by_kind() -> None:
    counts: Counter[str] = Counter()
    scrub("a@b.org, c@d.org and u/someone", counts=counts)

    assert counts == Counter({"e-mail": 2, "user": 1})


@given(st.text(alphabet="ab@u/.0123 ()+-_[]"))
def test_scrubbing_twice_is_scrubbing_once(text: str) -> None:
    assert scrubbed(scrubbed(text)) == scrubbed(text)


@given(st.sets(st.text(alphabet="abc123", min_size=1)), st.integers(0, 2**63 - 1))
def test_names_are_a_numbering_that_order_does_not_change(
    posts: set[str], seed: int
) -> None:
    names = thread_ids(sorted(posts), seed=seed)

    assert names == thread_ids(sorted(posts, reverse=True), seed=seed)
    assert set(names) == posts
    assert list(names.values()) == [
        f"THREAD_{number:04}" for number in range(1, len(posts) + 1)
    ]


def test_the_order_of_the_names_is_not_that_of_the_posts_and_hangs_on_the_seed() -> (
    None
):
    posts = [f"p{number:03}" for number in range(100)]

    assert list(thread_ids(posts, seed=0)) != posts
    assert list(thread_ids(posts, seed=0)) != list(thread_ids(posts, seed=1))


def test_names_grow_where_four_digits_are_too_few() -> None:
    names = thread_ids([str(number) for number in range(10_001)], seed=0)

    assert all(re.fullmatch(r"THREAD_\d{5}", name) for name in names.values())
