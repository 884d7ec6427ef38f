import html
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from factories_talk import comment, post
from threadmed.dataset.bots import BOTS
from threadmed.dataset.options import BuildOptions
from threadmed.dataset.threads.clean import (
    BREAKS,
    ENTITY,
    INVISIBLE,
    RULES_AS_READ,
    RULES_CLEANED,
    TYPED_NOTHING,
    TYPED_SPACE,
    Limits,
    clean,
    cleaned,
    is_blank,
    limits_of,
    usable,
    why_drop_comment,
    why_drop_post,
    without_edits,
    words_left,
)
from threadmed.dataset.threads.links import (
    LEFT_BY_URL,
    URL,
    _left_of_url,
    without_links,
)

LIMITS = Limits(start=100, end=200, min_words=5, bots=frozenset({"remindmebot"}))


@pytest.mark.parametrize(
    ("raw", "read"),
    [
        ("a &amp;gt; b", "a &gt; b"),
        ("5 &lt; 6 &amp; 7", "5 < 6 & 7"),
        ("&#39;x&#39; &quot;y&quot;", "'x' \"y\""),
        ("AT&T &copyright", "AT&T &copyright"),
        ("a&amp;nbsp;b &amp;#x200B; c", "a b c"),
        ("a\u200bb\ufeffc\u2066d\u2069", "abcd"),
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
    read = post(**{"created": 150, **changes})

    assert why_drop_post(read, LIMITS, rules=RULES_AS_READ) == reason


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
    ready = cleaned(post(**changes), LIMITS)

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


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("It hurts.\n\nEDIT: not any more", "It hurts."),
        ("It hurts.\nEdit 2 - gone", "It hurts."),
        ("It hurts.\n**Edit:** gone\nand more", "It hurts."),
        ("It hurts.\n\n*UPDATE* I went", "It hurts."),
        ("It hurts.\nUpdate: I went", "It hurts."),
        ("It hurts.\nETA I am 30", "It hurts."),
        ("It hurts.\nedited to add I am 30", "It hurts."),
        ("It hurts.\n(Edit) gone", "It hurts."),
        ("EDIT: gone", ""),
        ("It hurts. Edit: gone", "It hurts. Edit: gone"),
        ("It hurts.\nUpdated my vaccines", "It hurts.\nUpdated my vaccines"),
        ("It hurts.\nEdits are mine", "It hurts.\nEdits are mine"),
        ("It hurts.\neta waves help?", "It hurts.\neta waves help?"),
    ],
)
def test_what_was_added_can_be_cut(text: str, left: str) -> None:
    assert without_edits(text) == left


PIECES = [
    "", " ", "  ", "a", "**", "&amp;", "[", "](", "](/x)", "x.y/z", "www.x", "\u200b",
    "EDIT:", "\n", "knee", "don\u2019t", "a_b", ",", ".", "!", "?", ":", "<", "(", ")",
    "Www.", "w", "x.com", "/", "http:", "HTTPS://x", "r/a/comments/b", "![my knee",
    "[a](http://b)", "&nbsp;", "&amp;nbsp;", "&#10;", "&#13;", "&#x200B;", "\r", "\r\n",
    "]", "&#93;", "&amp;#x200B;", "\x00", "(y)", "\t", "\x1c", "\x85", "\xa0", "\u2028", "\u3000", "\u00e9",
]  # fmt: skip
"""What cleaning takes away, what only looks like it, and words between."""

PIECED = st.lists(st.sampled_from(PIECES)).map("".join)


@given(PIECED, st.sampled_from(["keep", "cut"]))
@settings(max_examples=500)
def test_a_text_is_blank_where_nothing_of_it_is_left(text: str, edits: str) -> None:
    limits = limits_of(BuildOptions(edits=edits))  # type: ignore[arg-type]

    assert is_blank(text, limits) == (words_left(text, limits) == "")


def cleaned_the_long_way(text: str) -> str:
    """Take every step of cleaning, whether or not there is anything for it."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    text = ENTITY.sub(lambda entity: html.unescape(entity[0]), text)
    text = TYPED_NOTHING.sub("", TYPED_SPACE.sub(" ", text))
    text = without_links(INVISIBLE.sub("", text))
    bare = URL.sub(_left_of_url, text)
    text = text if bare == text else LEFT_BY_URL.sub("", bare)
    text = "\n".join(" ".join(line.split()) for line in text.split("\n"))
    return BREAKS.sub("\n\n", text).strip()


@given(PIECED | st.text())
@settings(max_examples=500)
def test_no_step_that_is_left_out_would_change_a_text(text: str) -> None:
    assert clean(text) == cleaned_the_long_way(text)


def test_a_post_is_cleaned_or_dropped_with_a_reason() -> None:
    limits = limits_of(BuildOptions())

    ready = usable(post(title="My&amp;knee"), limits)
    assert ready == post(title="My&knee")
    assert usable(post(body="", title="Knee"), limits) == "too_few_words"
    assert usable(post(loss="removed"), limits) == "removed"


def test_a_crosspost_takes_its_words_only_where_it_has_none() -> None:
    limits = limits_of(BuildOptions(crossposts="keep"))
    empty = post(body=" ", crossposted="From &amp; elsewhere")

    assert cleaned(empty, limits).body == "From & elsewhere"
    assert cleaned(post(crossposted="From elsewhere"), limits).body == post().body


def test_a_body_that_was_all_edits_is_no_image() -> None:
    limits = limits_of(BuildOptions(edits="cut"))

    assert cleaned(post(body="EDIT: gone"), limits).medium == "text"


def test_names_of_bots_are_in_lower_case() -> None:
    assert {name.casefold() for name in BOTS} == BOTS
    assert "remindmebot" in limits_of(BuildOptions(known_bots=("Zed",))).bots
    assert "zed" in limits_of(BuildOptions(known_bots=("Zed",))).bots


@pytest.mark.parametrize(
    "text",
    ["see http://a.b/c" + "\n" * 40_000 + "x", "-\n" * 20_000, "\n[" * 20_000 + "www."],
)
def test_no_text_takes_time_out_of_proportion(text: str) -> None:
    """Any of these took minutes where a rule looked across lines."""
    begin = time.process_time()
    without_edits(clean(text))

    assert time.process_time() - begin < 2
