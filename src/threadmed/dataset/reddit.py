"""What a line of a dump becomes; pure.

Posts and comments of all years are brought to one form here.
"""

import math
from typing import Literal

from threadmed.dataset.raw import Number, RawComment, RawPost
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

IMAGE_HINTS = frozenset({"image", "hosted:video", "rich:video"})
IMAGE_HOSTS = frozenset({"i.redd.it", "v.redd.it", "imgur.com", "i.imgur.com"})
NOBODY = frozenset({"", "[deleted]", "[removed]"})
"""Names that stand for a deleted account; no two of them are one person."""


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
    loss = _loss_of_post(raw) or _loss(raw, raw.selftext or "")
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
    if raw.removed_by_category and not (raw.meta and raw.meta.was_deleted_later):
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
    if words.startswith("removed by reddit"):
        return "removed_by_reddit"
    return MARKERS.get(words)
