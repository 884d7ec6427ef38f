import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from threadmed.dataset.dumps.raw import Meta, RawComment, RawPost
from threadmed.dataset.dumps.reddit import (
    Comment,
    Post,
    comment_from,
    plain_id,
    post_from,
    whole,
)


def post(**fields: object) -> Post:
    raw = {"title": "T", "selftext": "words", "id": "a", "author": "ann"}
    made = post_from(RawPost(**{"created_utc": 5, **raw, **fields}))  # type: ignore[arg-type]
    assert isinstance(made, Post)
    return made


def comment(
    *, patient: str = "ann", is_answer: bool = False, **fields: object
) -> Comment:
    raw = {"body": "words", "id": "c", "link_id": "t3_a", "parent_id": "t3_a"}
    raw |= {"author": "bob"}
    made = comment_from(
        RawComment(**{"created_utc": 6, **raw, **fields}),  # type: ignore[arg-type]
        post="a",
        patient=patient,
        is_answer=is_answer,
    )
    assert isinstance(made, Comment)
    return made


@pytest.mark.parametrize(
    ("fields", "loss"),
    [
        ({}, None),
        ({"selftext": "[deleted]"}, "deleted"),
        ({"selftext": "[removed]"}, "removed"),
        ({"selftext": " \\[Deleted\\] "}, "deleted"),
        ({"selftext": "[ Removed by Reddit ]"}, "removed_by_reddit"),
        ({"selftext": "[ Removed by Reddit in response to a notice. ]"}, "removed_by_reddit"),
        ({"selftext": "[ Removed by moderator ]"}, "removed_by_moderator"),
        ({"title": "[deleted by user]", "selftext": ""}, "deleted_by_user"),
        ({"selftext": "", "removed_by_category": "moderator"}, "removed_by_moderator"),
        ({"selftext": "", "removed_by_category": "automod_filtered"}, "removed_by_automod"),
        ({"removed_by_category": "author"}, "deleted_by_user"),
        ({"removed_by_category": "content_takedown"}, "removed_for_legal_reasons"),
        ({"removed_by_category": "something new"}, "removed"),
        ({"meta": Meta(was_deleted_later=True)}, "deleted_later"),
        ({"meta": Meta(was_deleted_later=True, removal_type="removed by reddit")}, "removed_later"),
        (
            {"meta": Meta(was_deleted_later=True, removal_type="deleted"), "removed_by_category": "deleted"},
            "deleted_later",
        ),
        ({"removal_reason": "legal"}, "removed_for_legal_reasons"),
        ({"banned_at_utc": 1_500_000_000}, "author_banned"),
        ({"banned_at_utc": 0}, None),
        ({"selftext": "Removed my appendix"}, None),
        ({"selftext": "the [removed] mole"}, None),
        ({"selftext": "[deleted] [removed]"}, None),
        ({"selftext": "[a long remark]"}, None),
    ],
)  # fmt: skip
def test_a_post_that_is_lost_says_how(
    fields: dict[str, object], loss: str | None
) -> None:
    made = post(**fields)

    assert made.loss == loss
    assert (made.body == "") == (loss is not None)


@pytest.mark.parametrize(
    ("fields", "medium"),
    [
        ({}, "text"),
        ({"is_self": True}, "text"),
        ({"is_self": False}, "link"),
        ({"is_gallery": True}, "image"),
        ({"post_hint": "hosted:video"}, "image"),
        ({"domain": "I.redd.it", "is_self": False}, "image"),
        ({"post_hint": "link", "is_self": False}, "link"),
    ],
)
def test_a_post_is_a_text_an_image_or_a_link(
    fields: dict[str, object], medium: str
) -> None:
    assert post(**fields).medium == medium


@pytest.mark.parametrize(
    ("fields", "fault"),
    [({"id": None}, "no_id"), ({"created_utc": "soon"}, "no_time")],
)
def test_a_record_without_id_or_time_cannot_be_used(
    fields: dict[str, object], fault: str
) -> None:
    fields_of = {"id": "a", "created_utc": 5, **fields}

    assert post_from(RawPost(title="T", **fields_of)) == fault  # type: ignore[arg-type]
    made = comment_from(
        RawComment(body="x", **fields_of),  # type: ignore[arg-type]
        post="a",
        patient="ann",
        is_answer=False,
    )
    assert made == fault


@pytest.mark.parametrize(
    ("parent", "plain"),
    [
        ("t3_a", ""),
        (None, ""),
        ("a", ""),
        (10, ""),
        ("t1_k", "k"),
        ("k", "k"),
        (20, "k"),
    ],
)
def test_a_parent_is_known_in_every_notation(
    parent: str | int | None, plain: str
) -> None:
    assert comment(parent_id=parent).parent == plain


@pytest.mark.parametrize(
    ("fields", "patient", "is_patient"),
    [
        ({"author": "ann"}, "ann", True),
        ({"author": "bob"}, "ann", False),
        ({"author": "bob", "is_submitter": True}, "ann", True),
        ({"author": "[deleted]"}, "", False),
        ({"author": None}, "", False),
        ({"author": "[removed]"}, "[removed]", False),
    ],
)
def test_a_patient_is_known_by_mark_or_name_and_never_by_having_none(
    fields: dict[str, object], patient: str, *, is_patient: bool
) -> None:
    assert comment(patient=patient, **fields).is_patient is is_patient


def test_only_words_that_will_be_needed_are_kept() -> None:
    assert comment().body == ""
    assert comment(is_answer=True).body == "words"
    assert comment(author="ann").body == "words"
    assert comment(author="ann", body="[deleted]").body == ""


def test_a_notice_is_pinned_by_a_moderator() -> None:
    assert comment(distinguished="moderator", stickied=True).is_notice
    assert not comment(distinguished="moderator", stickied=False).is_notice
    assert not comment(stickied=True).is_notice


def test_a_copy_is_as_old_as_its_latest_retrieval() -> None:
    assert post().retrieved == -1
    assert post(retrieved_on="7").retrieved == 7
    assert post(retrieved_on=7, retrieved_utc=9.0).retrieved == 9
    assert post(retrieved_on=7, meta=Meta(retrieved_2nd_on=11)).retrieved == 11


def test_edits_of_every_type_are_seen() -> None:
    assert [post(edited=edited).is_edited for edited in (False, None, True, 1.5e9)] == [
        False, False, True, True
    ]  # fmt: skip


@given(st.integers(min_value=1, max_value=2**62))
def test_a_number_and_its_base_36_text_are_one_id(number: int) -> None:
    assert int(plain_id(number), 36) == number
    assert plain_id(f"t1_{plain_id(number).upper()}") == plain_id(number)


@pytest.mark.parametrize("value", ["nan", "inf", float("nan"), "", "x"])
def test_what_is_no_time_is_none(value: str | float) -> None:
    assert whole(value) is None


@pytest.mark.parametrize(
    ("fields", "text"),
    [
        ({"crosspost_parent_list": b'[{"author": "ann", "selftext": "of hers"}]'}, "of hers"),
        ({"crosspost_parent_list": b'[{"author": "eve", "selftext": "not hers"}]'}, ""),
        ({"crosspost_parent_list": b"null"}, ""),
        ({"crosspost_parent_list": b'"odd"'}, ""),
        ({"crosspost_parent_list": b'[{"author": "ann", "selftext": "x"}]', "selftext": "own"}, ""),
    ],
)  # fmt: skip
def test_the_text_of_an_own_crossposted_post_is_known(
    fields: dict[str, bytes | str], text: str
) -> None:
    raw = {
        key: msgspec.Raw(value) if isinstance(value, bytes) else value
        for key, value in fields.items()
    }

    assert post(**{"selftext": "", **raw}).crossposted == text
