from itertools import permutations

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from threadmed.dataset.dumps.copies import merged_comments, merged_posts
from threadmed.dataset.dumps.reddit import Comment, Post

POST = Post(
    id="a",
    created=1,
    author="ann",
    title="T",
    body="old",
    medium="text",
    is_notice=False,
    is_edited=False,
    loss=None,
    retrieved=10,
)
COMMENT = Comment(
    id="c",
    parent="",
    created=1,
    author="bob",
    post="p",
    flair="Physician",
    is_patient=False,
    body="yes",
    is_notice=False,
    is_edited=False,
    loss=None,
    retrieved=10,
)
change = msgspec.structs.replace


def test_the_latest_copy_of_a_post_decides() -> None:
    latest = change(POST, body="new", retrieved=20)

    assert merged_posts([POST, latest]).body == "new"
    assert merged_posts([latest, POST]).body == "new"


def test_a_deletion_in_any_copy_is_honoured() -> None:
    deleted = change(POST, body="", loss="deleted", retrieved=5)
    merged = merged_posts([POST, deleted])

    assert (merged.loss, merged.title, merged.body) == ("deleted", "", "")


def test_a_removal_that_was_taken_back_counts_no_more() -> None:
    removed = change(POST, body="", loss="removed", retrieved=5)

    assert merged_posts([removed, POST]).loss is None
    assert merged_posts([change(removed, retrieved=15), POST]).loss == "removed"


def test_a_removal_of_unknown_date_is_taken_for_the_latest() -> None:
    removed = change(POST, body="", loss="removed", retrieved=-1)

    assert merged_posts([POST, removed]).loss == "removed"


def test_a_name_and_a_flair_win_over_none() -> None:
    bare = change(COMMENT, author="", flair="", body="", retrieved=20)
    merged = merged_comments([COMMENT, bare])

    assert (merged.author, merged.flair, merged.body) == ("bob", "Physician", "yes")


def test_a_comment_is_the_patients_if_any_copy_says_so() -> None:
    assert merged_comments([COMMENT, change(COMMENT, is_patient=True)]).is_patient


def test_a_lost_comment_keeps_no_words() -> None:
    deleted = change(COMMENT, body="", loss="deleted", retrieved=-1)

    assert merged_comments([COMMENT, deleted]).body == ""


def test_one_copy_is_itself() -> None:
    assert merged_posts([POST]) is POST
    assert merged_comments([COMMENT]) is COMMENT


COPIES = st.builds(
    Comment,
    id=st.just("c"),
    parent=st.sampled_from(["", "p"]),
    created=st.just(1),
    author=st.sampled_from(["", "bob"]),
    flair=st.sampled_from(["", "Physician"]),
    is_patient=st.booleans(),
    body=st.sampled_from(["", "yes", "no"]),
    is_notice=st.booleans(),
    is_edited=st.booleans(),
    loss=st.sampled_from([None, "deleted", "removed"]),
    retrieved=st.integers(-1, 1),
)


@given(st.lists(COPIES, min_size=1, max_size=4))
def test_the_order_of_copies_changes_nothing(copies: list[Comment]) -> None:
    assert len({merged_comments(order) for order in permutations(copies)}) == 1
