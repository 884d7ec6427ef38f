import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from threadmed.dataset.clean import (
    RULES_AS_READ,
    RULES_CLEANED,
    Limits,
    clean,
    cleaned,
    why_drop_comment,
    why_drop_post,
)
from threadmed.dataset.reddit import Comment, Post

LIMITS = Limits(start=100, end=200, min_words=5, bots=frozenset({"remindmebot"}))


def post(**changes: object) -> Post:
    fields: dict[str, object] = {
        "id": "a",
        "created": 150,
        "author": "ann",
        "title": "My knee hurts",
        "body": "since Monday",
        "medium": "text",
        "is_notice": False,
        "is_edited": False,
        "loss": None,
        "retrieved": -1,
    }
    return Post(**{**fields, **changes})  # type: ignore[arg-type]


def comment(**changes: object) -> Comment:
    fields: dict[str, object] = {
        "id": "c",
        "parent": "",
        "created": 160,
        "author": "bob",
        "flair": "",
        "is_patient": False,
        "body": "",
        "is_notice": False,
        "is_edited": False,
        "loss": None,
        "retrieved": -1,
    }
    return Comment(**{**fields, **changes})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("raw", "read"),
    [
        ("a &amp;gt; b", "a &gt; b"),
        ("5 &lt; 6 &amp; 7", "5 < 6 & 7"),
        ("&#39;x&#39; &quot;y&quot;", "'x' \"y\""),
        ("AT&T &copyright", "AT&T &copyright"),
        ("a&amp;nbsp;b &amp;#x200B; c", "a b c"),
        ("a\u200bb\ufeffc", "abc"),
        ("one\r\n\r\n\r\n\r\ntwo \t three", "one\n\ntwo three"),
        ("[a page](https://x.org/y)", "a page"),
        ("[a](https://x.org/a_(b)_(c)) z", "a z"),
        ('[a](https://x.org/y "title") z', "a z"),
        ("[100](mg a day) as said", "[100](mg a day) as said"),
        ("[one](/r/AskDocs/wiki) two", "one two"),
        ("an ![img](abc123) image", "an image"),
        ("[![x](https://i.org/a.png)](https://x.org)", ""),
        ("[open](https://x.org and on", "[open]( and on"),
        ("see https://x.org/a?b=1&amp;c=2.", "see ."),
        ("see (https://x.org/a_(b)) there", "see there"),
        ("see <https://x.org> there", "see there"),
        ("www.x.org/y is it", "is it"),
        ("imgur.com/a/xyz shows it", "shows it"),
        ("r/AskDocs/comments/abc/x/ was mine", "was mine"),
        ("take 1/2 or and/or a.m./p.m.", "take 1/2 or and/or a.m./p.m."),
        ("[1]: https://x.org\nend", "end"),
        ("*bold* and > quoted stay", "*bold* and > quoted stay"),
        ("", ""),
    ],
)
def test_a_text_is_given_as_a_reader_sees_it(raw: str, read: str) -> None:
    assert clean(raw) == read


@given(st.text())
def test_no_text_breaks_cleaning_and_none_keeps_loose_space(text: str) -> None:
    read = clean(text)

    assert read == read.strip()
    assert "\n\n\n" not in read
    assert "  " not in read
    assert "\u200b" not in read
    assert "http://" not in read.casefold()


@given(st.text(alphabet='ab [](!)/."h<>\n', max_size=60))
def test_broken_links_lose_no_word(text: str) -> None:
    words = clean(f"first {text} last").split()

    assert words[0].startswith("first")
    assert words[-1].endswith("last")


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({}, None),
        ({"created": 99}, "outside_window"),
        ({"created": 200}, "outside_window"),
        ({"created": 199, "loss": "removed"}, "removed"),
        ({"author": ""}, "author_deleted"),
        ({"author": "RemindMeBot"}, "bot"),
        ({"is_notice": True}, "notice"),
        ({"created": 99, "loss": "removed"}, "outside_window"),
    ],
)
def test_a_post_is_dropped_for_the_first_reason_that_holds(
    changes: dict[str, object], reason: str | None
) -> None:
    assert why_drop_post(post(**changes), LIMITS, rules=RULES_AS_READ) == reason


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({}, None),
        ({"title": "Knee", "body": "hurts a lot"}, "too_few_words"),
        ({"title": "What is this thing here", "body": ""}, None),
        ({"body": "", "medium": "image"}, "image_only"),
        ({"body": "", "medium": "link"}, "link_only"),
        ({"medium": "image"}, None),
        ({"title": "a b c d e", "body": "![img](x1)"}, "image_only"),
        ({"title": "a b c d e", "body": "https://x.org"}, "image_only"),
    ],
)
def test_a_cleaned_post_is_dropped_where_it_says_too_little(
    changes: dict[str, object], reason: str | None
) -> None:
    ready = cleaned(post(**changes))

    assert why_drop_post(ready, LIMITS, rules=RULES_CLEANED) == reason


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({}, None),
        ({"author": "remindmebot", "loss": "removed"}, "bot"),
        ({"is_notice": True}, "notice"),
        ({"loss": "deleted", "author": ""}, "deleted"),
        ({"author": ""}, "author_deleted"),
        ({"author": "", "is_patient": True}, None),
        ({"author": "talbot"}, None),
    ],
)
def test_a_comment_is_dropped_for_the_first_reason_that_holds(
    changes: dict[str, object], reason: str | None
) -> None:
    assert why_drop_comment(comment(**changes), LIMITS) == reason


@pytest.mark.parametrize("sign", ["[a](", "](", "((", "[", "https://a)", "&amp;"])
def test_cleaning_takes_time_in_proportion_to_the_text(sign: str) -> None:
    text = sign * (300_000 // len(sign))
    start = time.process_time()
    clean(text)

    # 300,000 signs are the longest body that dumps are known to hold. It takes well
    # under a second; what looks far ahead at every sign takes half a minute.
    assert time.process_time() - start < 10
