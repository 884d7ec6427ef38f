"""The comments under a post as they are read: who speaks, and what is of no use; pure."""

from collections.abc import Container, Iterable, Mapping, Sized
from itertools import chain
from typing import Literal, get_args

from threadmed.dataset.dumps.reddit import Comment, Loss, Post
from threadmed.dataset.options import BuildOptions
from threadmed.dataset.roles import Roles
from threadmed.dataset.threads.clean import (
    Limits,
    Reason,
    is_blank,
    why_drop_comment,
    words_left,
)
from threadmed.dataset.threads.tree import Fate, Node, Speaker, detached, is_whole

LOSSES: frozenset[str] = frozenset(get_args(Loss))

NOBODYS = frozenset({"bot", "notice"})
"""Reasons for which a comment is none by a person."""

UnusedReason = Literal["no_comments", "patient_is_physician"]
"""Why the branches under a post are not looked at."""

CommentReason = Reason | Literal["detached"]


def answering_of(
    comments: Mapping[str, Comment], *, options: BuildOptions, roles: Roles
) -> dict[str, Comment]:
    """Give the comments by people whose words are answers, by id.

    Args:
        comments: All comments under a post, by id.
        options: Says how far a flair reaches.
        roles: Roles by flair.
    """
    answers = roles.answers_by_flair
    found = {
        one: comment for one, comment in comments.items() if answers[comment.flair]
    }
    if options.flair_of == "post" and found:
        names = {comment.author for comment in found.values()} - {""}
        found |= {one: said for one, said in comments.items() if said.author in names}
    return found


def whys_of(
    comments: Mapping[str, Comment],
    *,
    answering: Mapping[str, Comment],
    limits: Limits,
) -> dict[str, CommentReason]:
    """Give the first reason why a comment is of no use, by id; only where there is one.

    Most posts need no more than that: no tree is built, and hardly a text is cleaned.

    Args:
        comments: All comments under a post, by id, in any order.
        answering: Those by people whose words are answers, by id.
        limits: What comments are dropped by.
    """
    bots, every = limits.bots, comments.values()
    # So many comments come by here that a call for each, of `is_plain`, takes long.
    unplain = [
        comment
        for comment in every
        if comment.loss is not None
        or comment.author == ""
        or comment.is_notice
        or comment.author.casefold() in bots
    ]
    whys: dict[str, CommentReason] = {}
    for comment in unplain:
        why = why_drop_comment(comment, limits)
        if why is not None:
            whys[comment.id] = why
    parents = [comment.parent for comment in every]
    if not is_whole(comments, parents):
        for identity in detached(dict(zip(comments, parents, strict=True))):
            whys.setdefault(identity, "detached")
    patients = [comment for comment in every if comment.is_patient]
    for comment in chain(patients, answering.values()):
        if comment.id not in whys and is_blank(comment.body, limits):
            whys[comment.id] = "empty"
    return whys


def in_answered_branches(
    comments: Mapping[str, Comment], answering: Iterable[str]
) -> list[Comment]:
    """Give the comments of the branches in which anybody wrote whose words are answers.

    The others give no conversation, and need not be built.

    Args:
        comments: All comments under a post, by id, in any order.
        answering: Ids of those by people whose words are answers.
    """
    children: dict[str, list[Comment]] = {}
    for comment in comments.values():
        if comment.parent:
            children.setdefault(comment.parent, []).append(comment)
    seen: set[str] = set()
    found = []
    for start in answering:
        place = start
        while place not in seen and place in comments:
            seen.add(place)
            if not comments[place].parent:
                found.append(comments[place])
            place = comments[place].parent
    # It grows while it is gone through.
    for comment in found:
        found += children.get(comment.id, ())
    return found


def nodes_of(
    comments: Iterable[Comment],
    whys: Mapping[str, CommentReason],
    *,
    answering: Container[str],
    limits: Limits,
) -> tuple[Node, ...]:
    """Bring the comments under a post to what a conversation depends on.

    Args:
        comments: All comments under the post, in any order.
        whys: Why some of them are of no use, by id.
        answering: Those by people whose words are answers, by id.
        limits: How their words are cleaned.
    """
    return tuple(
        _node(comment, whys.get(comment.id), answering=answering, limits=limits)
        for comment in comments
    )


def why_unused(
    post: Post,
    comments: Sized,
    *,
    whys: Mapping[str, CommentReason],
    answering: Mapping[str, Comment],
    options: BuildOptions,
) -> UnusedReason | None:
    """Give the first reason why the branches under a post are not looked at, or None.

    Args:
        post: The post.
        comments: All comments under it.
        whys: Why some of them are of no use, by id.
        answering: Those by people whose words are answers, by id.
        options: What counts as a comment, and whether patients may be physicians.
    """
    if not _has_comment(post, comments, whys=whys, options=options):
        return "no_comments"
    if options.physician_patient == "drop" and any(
        comment.is_patient for comment in answering.values()
    ):
        return "patient_is_physician"
    return None


def _has_comment(
    post: Post,
    comments: Sized,
    *,
    whys: Mapping[str, CommentReason],
    options: BuildOptions,
) -> bool:
    match options.at_least_one_comment:
        case "stated":
            return post.stated_comments > 0
        case "any":
            return len(comments) > 0
        case "people":
            nobodys = sum(why in NOBODYS for why in whys.values())
            return nobodys < len(comments)


def _node(
    comment: Comment,
    why: CommentReason | None,
    *,
    answering: Container[str],
    limits: Limits,
) -> Node:
    fate = _fate(why)
    speaker = _speaker(comment, why, answering)
    has_words = fate == "kept" and speaker != "other"
    return Node(
        id=comment.id,
        parent=comment.parent,
        time=comment.created,
        speaker=speaker,
        author=comment.author,
        text=words_left(comment.body, limits) if has_words else "",
        fate=fate,
        is_edited=comment.is_edited,
    )


def _fate(why: CommentReason | None) -> Fate:
    if why in LOSSES:
        return "gone"
    return "ignored" if why in NOBODYS else "kept"


def _speaker(
    comment: Comment, why: CommentReason | None, answering: Container[str]
) -> Speaker:
    if why in NOBODYS or why == "author_deleted":
        return "other"
    if comment.is_patient:
        return "patient"
    is_physician = comment.author != "" and comment.id in answering
    return "physician" if is_physician else "other"
