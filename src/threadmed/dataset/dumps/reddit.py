"""What a line of a dump becomes; pure.

Posts and comments of all years are brought to one form here. What is said here of
records as nearly all are, the scanner in C says too (native/fields.h, posts.h and
comments.h); docs/decisions/021 lists what has to be changed in both.
"""

import re
from typing import Literal

import msgspec

from threadmed.dataset.dumps.raw import (
    NOTHING,
    Crossposted,
    Number,
    RawComment,
    RawPost,
)
from threadmed.records import Record

Loss = Literal[
    "deleted",
    "deleted_by_user",
    "deleted_later",
    "removed",
    "removed_later",
    "removed_by_moderator",
    "removed_by_automod",
    "removed_by_reddit",
    "removed_for_legal_reasons",
    "author_banned",
]
"""Why the words of a post or comment are not there, or may not be used."""

Fault = Literal["no_id", "no_time", "no_post"]
"""Why a record that could be read cannot be used."""

CATEGORIES: dict[str, Loss] = {
    "deleted": "deleted_by_user",
    "author": "deleted_by_user",
    "moderator": "removed_by_moderator",
    "automod_filtered": "removed_by_automod",
    "reddit": "removed_by_reddit",
    "anti_evil_ops": "removed_by_reddit",
    "community_ops": "removed_by_reddit",
    "copyright_takedown": "removed_for_legal_reasons",
    "content_takedown": "removed_for_legal_reasons",
}
"""`removed_by_category` of submissions since 2019-09."""

MARKERS: dict[str, Loss] = {
    "deleted": "deleted",
    "deleted by user": "deleted_by_user",
    "removed": "removed",
    "removed by moderator": "removed_by_moderator",
    "unavailable": "removed",
}
"""What stands in square brackets in place of a text."""

MAY_BE_MARKER = re.compile(r"[\s\\]*\[")

IMAGE_HINTS = frozenset({"image", "hosted:video", "rich:video"})
IMAGE_HOSTS = frozenset({"i.redd.it", "v.redd.it", "imgur.com", "i.imgur.com"})
NOBODY = frozenset({"", "[deleted]", "[removed]"})
"""Names that stand for a deleted account; no two of them are one person."""


class Post(Record, frozen=True, kw_only=True, gc=False, array_like=True):
    """A submission in the one form that the build works with.

    The order of the fields is that in which the scanner in C writes them too.
    """

    id: str
    created: int
    """Seconds since 1970, UTC."""
    author: str
    """Empty where the account is gone."""
    title: str
    body: str
    medium: Literal["text", "image", "link"]
    is_notice: bool
    is_edited: bool
    loss: Loss | None
    retrieved: int
    """Seconds since 1970 at which this copy was taken; -1 where it is not said."""
    crossposted: str = ""
    """Body of the post that it is a crosspost of, if that is by the same person."""
    stated_comments: int = 0
    """How many comments Reddit said that there are; stale in nearly every dump."""


class Comment(Record, frozen=True, kw_only=True, gc=False, array_like=True):
    """A comment in the one form that the build works with.

    The order of the fields is that in which the scanner in C writes them too.
    """

    post: str
    """Id of the post that it stands under."""
    id: str
    parent: str
    """Id of the comment that it replies to; empty for a reply to the post."""
    created: int
    author: str
    flair: str
    is_patient: bool
    """Written by the author of the post."""
    body: str
    """Empty also where nobody will need the words."""
    is_notice: bool
    is_edited: bool
    loss: Loss | None
    retrieved: int


def post_from(raw: RawPost) -> Post | Fault:
    """Bring a submission to one form, or say what it lacks."""
    identity, created = plain_id(raw.id), whole(raw.created_utc)
    if not identity:
        return "no_id"
    if created is None:
        return "no_time"
    loss = _loss_of_post(raw) or _loss(raw, raw.selftext or "")
    return Post(
        id=identity,
        created=created,
        author=author_of(raw.author),
        title="" if loss else raw.title or "",
        body="" if loss else raw.selftext or "",
        medium=_medium(raw),
        is_notice=is_notice(raw),
        is_edited=bool(raw.edited),
        loss=loss,
        retrieved=_retrieved(raw),
        crossposted="" if loss else _crossposted(raw),
        stated_comments=whole(raw.num_comments) or 0,
    )


def _crossposted(raw: RawPost) -> str:
    if raw.selftext or raw.crosspost_parent_list == NOTHING:
        return ""
    try:
        parents = msgspec.json.decode(
            raw.crosspost_parent_list, type=list[Crossposted] | None
        )
    except msgspec.MsgspecError:
        return ""
    of_same = (one for one in parents or () if raw.author and one.author == raw.author)
    return next((one.selftext or "" for one in of_same), "")


def comment_from(
    raw: RawComment, *, post: str, patient: str, is_answer: bool
) -> Comment | Fault:
    """Bring a comment to one form, or say what it lacks.

    Args:
        raw: The comment.
        post: Id of the post that it stands under.
        patient: Author of that post; before 2017-07 there is no `is_submitter`.
        is_answer: Whether the flair is one whose words are kept; of other people
            but the patient only the place in the tree is.
    """
    identity, created = plain_id(raw.id), whole(raw.created_utc)
    if not identity:
        return "no_id"
    if created is None:
        return "no_time"
    author = author_of(raw.author)
    is_patient = bool(raw.is_submitter) or (author != "" and author == patient)
    loss = _loss(raw, raw.body or "")
    is_needed = loss is None and (is_patient or is_answer)
    return Comment(
        post=post,
        id=identity,
        parent=_parent(raw),
        created=created,
        author=author,
        flair=raw.author_flair_text or "",
        is_patient=is_patient,
        body=raw.body or "" if is_needed else "",
        is_notice=is_notice(raw),
        is_edited=bool(raw.edited),
        loss=loss,
        retrieved=_retrieved(raw),
    )


def plain_id(value: str | int | None) -> str:
    """Bring an id to bare lower-case base 36; empty where there is none.

    Example:
        >>> plain_id("t1_c6a0"), plain_id("c6a0"), plain_id(949032), plain_id(None)
        ('c6a0', 'c6a0', 'kca0', '')
    """
    if value is None:
        return ""
    if isinstance(value, str):
        low = value.strip().lower()
        return low[3:] if low[:1] == "t" and low[2:3] == "_" else low
    digits = ""
    while value > 0:
        value, digit = divmod(value, 36)
        digits = "0123456789abcdefghijklmnopqrstuvwxyz"[digit] + digits
    return digits


LAST_SECOND = 253_402_300_799
"""Of the year 9999; what lies beyond, or so far before 1970, is no time and no count."""


def whole(value: Number) -> int | None:
    """Bring a number, such as a time, to a whole one; None where it is none.

    Example:
        >>> whole("1577837100.0"), whole(1577837000.0), whole("soon")
        (1577837100, 1577837000, None)
    """
    if value is None:
        return None
    if type(value) is int:
        return value if -LAST_SECOND <= value <= LAST_SECOND else None
    try:
        number = value if isinstance(value, int) else float(value)
    except ValueError:
        return None
    return int(number) if abs(number) <= LAST_SECOND else None


def author_of(name: str | None) -> str:
    """Give a name, or nothing where it stands for a deleted account."""
    return "" if name is None or name.strip() in NOBODY else name


def _parent(raw: RawComment) -> str:
    """Give the id of the comment that a comment replies to.

    Empty for a reply to the post; null is how an API said so.

    Example:
        >>> _parent(RawComment(body="", link_id="t3_a", parent_id="t1_B2"))
        'b2'
        >>> _parent(RawComment(body="", link_id="a", parent_id="a"))
        ''
    """
    parent = raw.parent_id
    if isinstance(parent, str) and parent.strip().lower()[:3] == "t3_":
        return ""
    plain = plain_id(parent)
    return "" if plain == plain_id(raw.link_id) else plain


def is_notice(raw: RawPost | RawComment) -> bool:
    """Whether a moderator pinned it."""
    return raw.distinguished in {"moderator", "admin"} and bool(raw.stickied)


def _retrieved(raw: RawPost | RawComment) -> int:
    """Say when this copy was taken, in seconds since 1970; -1 where it is not said."""
    if type(raw.retrieved_on) is int and raw.retrieved_utc is None is raw.meta:
        time = whole(raw.retrieved_on)
        return -1 if time is None else time
    times = [raw.retrieved_on, raw.retrieved_utc]
    if raw.meta is not None:
        times.append(raw.meta.retrieved_2nd_on)
    return max((time for time in map(whole, times) if time is not None), default=-1)


def _medium(raw: RawPost) -> Literal["text", "image", "link"]:
    if (
        raw.is_gallery
        or raw.post_hint in IMAGE_HINTS
        or (raw.domain or "").lower() in IMAGE_HOSTS
    ):
        return "image"
    return "link" if raw.is_self is False else "text"


def _loss_of_post(raw: RawPost) -> Loss | None:
    if marker(raw.title or "") is not None:
        return "deleted_by_user"
    if raw.removed_by_category and not (raw.meta and raw.meta.was_deleted_later):
        return CATEGORIES.get(raw.removed_by_category, "removed")
    return None


def _loss(raw: RawPost | RawComment, text: str) -> Loss | None:
    """Say why a text may not be used, or None.

    Args:
        raw: The record.
        text: Its words, which may be only a marker.
    """
    if raw.meta is not None and raw.meta.was_deleted_later:
        removed = (raw.meta.removal_type or "").startswith("removed")
        return "removed_later" if removed else "deleted_later"
    if raw.removal_reason == "legal":
        return "removed_for_legal_reasons"
    if (whole(raw.banned_at_utc) or 0) > 0:
        return "author_banned"
    return marker(text)


def marker(text: str) -> Loss | None:
    """Tell a text that only says that there is none from a text about removing.

    Example:
        >>> marker("[deleted]"), marker("[ Removed by Reddit ]")
        ('deleted', 'removed_by_reddit')
        >>> marker("Removed my appendix last week"), marker("the [removed] mole")
        (None, None)
    """
    if text[:1].isalnum() or len(text) > 200 or not MAY_BE_MARKER.match(text):
        return None
    plain = " ".join(text.replace("\\", "").casefold().split())
    if not (plain.startswith("[") and plain.endswith("]") and plain.count("[") == 1):
        return None
    words = plain[1:-1].strip()
    if words.startswith("removed by reddit"):
        return "removed_by_reddit"
    return MARKERS.get(words)
