"""What a line of a dump becomes; pure.

The layout of a record changed nearly every year between 2015 and 2023, so the raw
records accept every type that a field has had, and everything is brought to one form
here.
"""

import math
from collections.abc import Sequence
from typing import Literal, TypeVar

import msgspec

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

FINAL: frozenset[Loss] = frozenset(
    {"deleted", "deleted_by_user", "deleted_later", "removed_for_legal_reasons"}
)
"""A person's or a court's wish, which no other copy of the record overrules; what a
moderator removed may have been approved again."""

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

IMAGE_HINTS = frozenset({"image", "hosted:video", "rich:video"})
IMAGE_HOSTS = frozenset({"i.redd.it", "v.redd.it", "imgur.com", "i.imgur.com"})
NOBODY = frozenset({"", "[deleted]", "[removed]"})
"""Names that stand for a deleted account; no two of them are one person."""

Number = int | float | str | None


class Meta(msgspec.Struct, gc=False):
    """What Arctic Shift adds since 2023-11."""

    was_deleted_later: bool | None = None
    was_initially_deleted: bool | None = None
    removal_type: str | None = None
    retrieved_2nd_on: Number = None


class RawPost(msgspec.Struct, gc=False, rename={"meta": "_meta"}):
    """A submission as it may stand in a dump."""

    title: str | None
    id: str | int | None = None
    author: str | None = None
    selftext: str | None = None
    subreddit: str | None = None
    created_utc: Number = None
    retrieved_on: Number = None
    retrieved_utc: Number = None
    edited: bool | float | str | None = None
    is_self: bool | None = None
    is_gallery: bool | None = None
    post_hint: str | None = None
    domain: str | None = None
    removed_by_category: str | None = None
    removal_reason: str | None = None
    banned_at_utc: Number = None
    distinguished: str | None = None
    stickied: bool | None = None
    meta: Meta | None = None


class RawComment(msgspec.Struct, gc=False, rename={"meta": "_meta"}):
    """A comment as it may stand in a dump."""

    body: str | None
    id: str | int | None = None
    link_id: str | int | None = None
    parent_id: str | int | None = None
    author: str | None = None
    author_flair_text: str | None = None
    created_utc: Number = None
    retrieved_on: Number = None
    retrieved_utc: Number = None
    edited: bool | float | str | None = None
    is_submitter: bool | None = None
    removal_reason: str | None = None
    banned_at_utc: Number = None
    distinguished: str | None = None
    stickied: bool | None = None
    meta: Meta | None = None


class Post(Record, frozen=True, kw_only=True, gc=False):
    """A submission in the one form that the build works with."""

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


class Comment(Record, frozen=True, kw_only=True, gc=False):
    """A comment in the one form that the build works with."""

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
    identity, created = plain_id(raw.id), seconds(raw.created_utc)
    if not identity:
        return "no_id"
    if created is None:
        return "no_time"
    loss = _loss(raw, raw.selftext or "") or _loss_of_post(raw)
    return Post(
        id=identity,
        created=created,
        author=_author(raw.author),
        title="" if loss else raw.title or "",
        body="" if loss else raw.selftext or "",
        medium=_medium(raw),
        is_notice=_is_notice(raw),
        is_edited=bool(raw.edited),
        loss=loss,
        retrieved=_retrieved(raw),
    )


def comment_from(
    raw: RawComment, *, patient: str, flair: str, is_answer: bool
) -> Comment | Fault:
    """Bring a comment to one form, or say what it lacks.

    Args:
        raw: The comment.
        patient: Author of its post; before 2017-07 there is no `is_submitter`.
        flair: The author's flair, shared between comments to save memory.
        is_answer: Whether the flair is one whose words are kept; of other people
            but the patient only the place in the tree is.
    """
    identity, created = plain_id(raw.id), seconds(raw.created_utc)
    if not identity:
        return "no_id"
    if created is None:
        return "no_time"
    author = _author(raw.author)
    parent = plain_id(raw.parent_id)
    is_root = _is_post(raw.parent_id) or parent == plain_id(raw.link_id)
    is_patient = bool(raw.is_submitter) or (author != "" and author == patient)
    loss = _loss(raw, raw.body or "")
    is_needed = loss is None and (is_patient or is_answer)
    return Comment(
        id=identity,
        parent="" if is_root else parent,
        created=created,
        author=author,
        flair=flair,
        is_patient=is_patient,
        body=raw.body or "" if is_needed else "",
        is_notice=_is_notice(raw),
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
        bare = value[3:] if value[:1] == "t" and value[2:3] == "_" else value
        return bare.strip().lower()
    digits = ""
    while value > 0:
        value, digit = divmod(value, 36)
        digits = "0123456789abcdefghijklmnopqrstuvwxyz"[digit] + digits
    return digits


def seconds(value: Number) -> int | None:
    """Bring a time to whole seconds; None where it is none.

    Example:
        >>> seconds("1577837100.0"), seconds(1577837000.0), seconds("soon")
        (1577837100, 1577837000, None)
    """
    if value is None or isinstance(value, int):
        return value
    try:
        number = float(value)
    except ValueError:
        return None
    return int(number) if math.isfinite(number) else None


Copy = TypeVar("Copy", Post, Comment)


def merged(copies: Sequence[Copy]) -> Copy:
    """Make one record of the copies that a dump holds of it; their order is nothing.

    The latest copy decides, except that a deletion in any copy is honoured, that a
    removal of unknown date is taken for the latest, and that a name or a flair wins
    over none.

    Example:
        >>> old = Comment(id="a", parent="", created=1, author="x", flair="Physician",
        ...               is_patient=False, body="Yes.", is_notice=False,
        ...               is_edited=False, loss=None, retrieved=10)
        >>> new = msgspec.structs.replace(old, flair="", retrieved=20)
        >>> merged([new, old]).flair
        'Physician'
    """
    if len(copies) == 1:
        return copies[0]
    latest_first = sorted(copies, key=_age, reverse=True)
    latest = latest_first[0]
    loss = _loss_of_copies(latest_first)
    author = next((copy.author for copy in latest_first if copy.author), "")
    if isinstance(latest, Post):
        words = {} if loss is None else {"title": "", "body": ""}
        return msgspec.structs.replace(latest, author=author, loss=loss, **words)
    body = next((copy.body for copy in latest_first if copy.body), "")
    return msgspec.structs.replace(
        latest,
        author=author,
        flair=next((c.flair for c in latest_first if isinstance(c, Comment) and c.flair), ""),
        is_patient=any(c.is_patient for c in latest_first if isinstance(c, Comment)),
        body="" if loss else body,
        loss=loss,
    )


def _age(copy: Post | Comment) -> tuple[int, bool, bytes]:
    return copy.retrieved, copy.loss is not None, msgspec.json.encode(copy)


def _loss_of_copies(latest_first: Sequence[Post | Comment]) -> Loss | None:
    for copy in latest_first:
        if copy.loss in FINAL or (copy.loss and copy.retrieved < 0):
            return copy.loss
    return latest_first[0].loss


def _author(name: str | None) -> str:
    return "" if name is None or name.strip() in NOBODY else name


def _is_post(parent: str | int | None) -> bool:
    """Whether a parent is the post; null is how an API said so."""
    return parent is None or (isinstance(parent, str) and parent[:3] == "t3_")


def _is_notice(raw: RawPost | RawComment) -> bool:
    return raw.distinguished in {"moderator", "admin"} and bool(raw.stickied)


def _retrieved(raw: RawPost | RawComment) -> int:
    times = [raw.retrieved_on, raw.retrieved_utc]
    if raw.meta is not None:
        times.append(raw.meta.retrieved_2nd_on)
    return max((time for time in map(seconds, times) if time is not None), default=-1)


def _medium(raw: RawPost) -> Literal["text", "image", "link"]:
    if (
        raw.is_gallery
        or raw.post_hint in IMAGE_HINTS
        or (raw.domain or "").lower() in IMAGE_HOSTS
    ):
        return "image"
    return "link" if raw.is_self is False else "text"


def _loss_of_post(raw: RawPost) -> Loss | None:
    if _marker(raw.title or "") is not None:
        return "deleted_by_user"
    if raw.removed_by_category:
        return CATEGORIES.get(raw.removed_by_category, "removed")
    return None


def _loss(raw: RawPost | RawComment, text: str) -> Loss | None:
    if raw.meta is not None and raw.meta.was_deleted_later:
        removed = (raw.meta.removal_type or "").startswith("removed")
        return "removed_later" if removed else "deleted_later"
    if raw.removal_reason == "legal":
        return "removed_for_legal_reasons"
    if (seconds(raw.banned_at_utc) or 0) > 0:
        return "author_banned"
    return _marker(text)


def _marker(text: str) -> Loss | None:
    """Tell a text that only says that there is none from a text about removing.

    Example:
        >>> _marker("[deleted]"), _marker("[ Removed by Reddit ]")
        ('deleted', 'removed_by_reddit')
        >>> _marker("Removed my appendix last week"), _marker("the [removed] mole")
        (None, None)
    """
    if len(text) > 200:
        return None
    plain = " ".join(text.replace("\\", "").casefold().split())
    if not (plain.startswith("[") and plain.endswith("]") and plain.count("[") == 1):
        return None
    words = plain[1:-1].strip()
    if words == "deleted":
        return "deleted"
    if words == "deleted by user":
        return "deleted_by_user"
    if words.startswith("removed by reddit"):
        return "removed_by_reddit"
    return "removed" if words in {"removed", "unavailable"} else None
