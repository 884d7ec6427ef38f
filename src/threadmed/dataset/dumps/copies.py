"""One record of the copies that a dump holds of it; pure.

Dumps are merged from several sources and taken at several times.
"""

from collections.abc import Sequence
from typing import Literal, TypeVar

import msgspec

from threadmed.dataset.dumps.reddit import Comment, Loss, Post

Copy = TypeVar("Copy", Post, Comment)

FINAL: frozenset[Loss] = frozenset(
    {"deleted", "deleted_by_user", "deleted_later", "removed_for_legal_reasons"}
)
"""A person's or a court's wish, which no other copy of the record overrules; what a
moderator removed may have been approved again."""

TextOf = Literal["latest", "first"]
"""Whose words count where a dump holds several copies of a record."""


def merged_posts(copies: Sequence[Post], *, text_of: TextOf = "latest") -> Post:
    """Make one post of its copies; their order is nothing.

    The latest copy decides, except that a deletion in any copy is honoured, that a
    removal of unknown date is taken for the latest, and that a name wins over none.
    """
    if len(copies) == 1:
        return copies[0]
    latest_first = sorted(copies, key=_age, reverse=True)
    latest, loss = latest_first[0], _loss(latest_first)
    worded = _worded(latest_first, text_of)
    return msgspec.structs.replace(
        latest,
        author=next((copy.author for copy in latest_first if copy.author), ""),
        title="" if loss else worded.title,
        body="" if loss else worded.body,
        loss=loss,
    )


def merged_comments(
    copies: Sequence[Comment], *, text_of: TextOf = "latest"
) -> Comment:
    """Make one comment of its copies, by the rules for posts.

    A flair wins over none; and the words are those of the latest copy that has them,
    since a copy without a flair did not keep them.

    Example:
        >>> old = Comment(id="a", parent="", created=1, author="x", flair="Physician",
        ...               is_patient=False, body="Yes.", is_notice=False,
        ...               is_edited=False, post="p", loss=None, retrieved=10)
        >>> new = msgspec.structs.replace(old, flair="", body="", retrieved=20)
        >>> both = merged_comments([new, old])
        >>> both.flair, both.body
        ('Physician', 'Yes.')
    """
    if len(copies) == 1:
        return copies[0]
    latest_first = sorted(copies, key=_age, reverse=True)
    loss = _loss(latest_first)
    body = _worded(
        [copy for copy in latest_first if copy.body] or latest_first, text_of
    ).body
    return msgspec.structs.replace(
        latest_first[0],
        author=next((copy.author for copy in latest_first if copy.author), ""),
        flair=next((copy.flair for copy in latest_first if copy.flair), ""),
        is_patient=any(copy.is_patient for copy in copies),
        body="" if loss else body,
        loss=loss,
    )


def _worded(latest_first: Sequence[Copy], text_of: TextOf) -> Copy:
    """Give the copy whose words count."""
    there = [copy for copy in latest_first if copy.loss is None] or latest_first
    return latest_first[0] if text_of == "latest" else there[-1]


def _age(copy: Post | Comment) -> tuple[int, bool, bytes]:
    return copy.retrieved, copy.loss is not None, msgspec.json.encode(copy)


def _loss(latest_first: Sequence[Post | Comment]) -> Loss | None:
    for copy in latest_first:
        if copy.loss in FINAL or (copy.loss and copy.retrieved < 0):
            return copy.loss
    return latest_first[0].loss
