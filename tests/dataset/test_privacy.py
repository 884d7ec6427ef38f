from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from threadmed.dataset.privacy import scrub, thread_ids


@pytest.mark.parametrize(
    ("text", "scrubbed"),
    [
        ("mail jo.doe+x@mail.example.org.", "mail [e-mail]."),
        ("ask u/jo_doe or /u/Jo-Doe2, please", "ask [user] or [user], please"),
        ("(u/jo_doe)", "([user])"),
        (r"u/jo\_doe and _u/foo1_", "[user] and [user]"),
        ("see /user/jodoe, user/jodoe", "see [user], [user]"),
        ("thanks u/l-jones", "thanks [user]"),
        (r"@jo\_doe or @jo.doe.", "[handle] or [handle]."),
        ("@jo_doe knows", "[handle] knows"),
        ("call 555-234-5678", "call [phone]"),
        ("call 212-555-0187 now", "call [phone] now"),
        ("call (212) 555-0187", "call [phone]"),
        ("call +44 20 7946 0958", "call [phone]"),
        ("call 020 7946 0958", "call [phone]"),
    ],
)
def test_what_leads_to_a_person_is_replaced(text: str, scrubbed: str) -> None:
    assert scrub(text, counts=Counter()) == scrubbed


@pytest.mark.parametrize(
    "text",
    [
        "20 u/day of insulin, 0.5 u/kg",
        "BP 120/80, pulse 72, TSH 0.4-4.0",
        "WBC 4500-11000, platelets 150,000-400,000",
        "on 2021-05-17 and 05/17/2021",
        "ferritin 12 @ 6 weeks",
        "ICD 10: M54.5; NPI none",
        "takes 1/2 tablet w/ food, 3x/day",
    ],
)
def test_medicine_is_left_alone(text: str) -> None:
    assert scrub(text, counts=Counter()) == text


def test_what_is_replaced_is_counted_by_kind() -> None:
    counts: Counter[str] = Counter()
    scrub("a@b.org c@d.org u/jo_doe", counts=counts)
    scrub("@jo_doe", counts=counts)

    assert counts == {"e-mail": 2, "user": 1, "handle": 1}


@given(st.text())
def test_scrubbing_twice_finds_nothing_more(text: str) -> None:
    counts: Counter[str] = Counter()
    once = scrub(text, counts=Counter())

    assert scrub(once, counts=counts) == once
    assert not counts


@given(st.sets(st.text("abcdef0123456789", min_size=1)), st.integers(0, 2**63 - 1))
def test_every_post_has_one_name_and_its_order_is_that_of_names(
    posts: set[str], seed: int
) -> None:
    names = thread_ids(posts, seed=seed)

    assert set(names) == posts
    assert list(names.values()) == [
        f"THREAD_{number:04}" for number in range(1, len(posts) + 1)
    ]
    assert names == thread_ids(sorted(posts, reverse=True), seed=seed)


def test_the_order_of_names_is_not_that_of_ids_and_depends_on_the_seed() -> None:
    posts = [f"a{n:03}" for n in range(200)]
    orders = {tuple(thread_ids(posts, seed=seed)) for seed in range(3)}

    assert len(orders) == 3
    assert tuple(posts) not in orders


def test_names_grow_wider_where_there_are_many() -> None:
    names = list(thread_ids([str(n) for n in range(10_000)], seed=0).values())

    assert names[0] == "THREAD_00001"
    assert names[-1] == "THREAD_10000"
    assert names == sorted(names)
