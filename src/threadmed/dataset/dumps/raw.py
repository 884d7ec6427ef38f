"""Records as they may stand in a dump; pure.

The layout changed nearly every year between 2015 and 2023: a field is declared with
every type that it has had, and only with a default where it may be absent.
Fields that the build does not need are passed over while decoding.
"""

import msgspec

Number = int | float | str | None


class Meta(msgspec.Struct, gc=False):
    """What Arctic Shift adds since 2023-11."""

    was_deleted_later: bool | None = None
    removal_type: str | None = None
    retrieved_2nd_on: Number = None


NOTHING = msgspec.Raw(b"null")


class Crossposted(msgspec.Struct, gc=False):
    """The post that another is a crosspost of, as it is nested since 2017-08."""

    author: str | None = None
    selftext: str | None = None


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
    num_comments: Number = None
    crosspost_parent_list: msgspec.Raw = NOTHING
    """A list of `Crossposted`, decoded where it is wanted."""
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
