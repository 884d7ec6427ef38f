"""The comments under a post as they are read: who speaks, and what is of no use; pure."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Literal, get_args

from threadmed.dataset.dumps.reddit import Comment, Loss, Post
from threadmed.dataset.options import BuildOptions
from threadmed.dataset.roles import Roles
from threadmed.dataset.threads.clean import (
    Limits,
    Reason,
    is_blank,
    is_plain,
    why_drop_comment,
    words_left,
)
from threadmed.dataset.threads.tree import Fate, Node, Speaker, detached

LOSSES: frozenset[str] = frozenset(get_args(Loss))

NOBODYS = frozenset({"bot", "notice"})
"""Reasons for which a comment is none by a person."""

UnusedReason = Literal["no_comments", "patient_is_physician"]
"""Why the branches under a post are not looked at."""

CommentReason = Reason | Literal["detached"]


def answering_of(
    comments: Iterable[Comment], *, options: BuildOptions, roles: Roles
) -> AbstractSet[str]:
    """Give the ids of the comments by people whose words are answers, by their flair.

    Args:
        comments: All comments under a post.
        options: Says how far a flair reaches.
        roles: Roles by flair.
    """
    flairs = {comment.flair for comment in comments}
    speaking = {flair for flair in flairs if roles.answers(flair)}
    if not speaking:
        return speaking
    found = {comment.id for comment in comments if comment.flair in speaking}
    if options.flair_of == "comment":
        return found
    names = {comment.author for comment in comments if comment.id in found} - {""}
    return found | {comment.id for comment in comments if comment.author in names}


def whys_of(
    comments: Sequence[Comment], *, answering: AbstractSet[str], limits: Limits
) -> dict[str, CommentReason | None]:
    """Give the first reason why each comment is of no use, or None, by id.

    Most posts need no more than that: no tree is built, and hardly a text is cleaned.

    Args:
        comments: All comments under a post, each once, in any order.
        answering: Ids of those by people whose words are answers.
        limits: What comments are dropped by.
    """
    whys: dict[str, CommentReason | None] = {
        comment.id: None
        if is_plain(comment, limits)
        else why_drop_comment(comment, limits)
        for comment in comments
    }
    for identity in detached({comment.id: comment.parent for comment in comments}):
        whys[identity] = whys[identity] or "detached"
    for comment in comments:
        if (comment.is_patient or comment.id in answering) and not whys[comment.id]:
            whys[comment.id] = "empty" if is_blank(comment.body, limits) else None
    return whys


def in_answered_branches(
    comments: Sequence[Comment], answering: AbstractSet[str]
) -> list[Comment]:
    """Give the comments of the branches in which anybody wrote whose words are answers.

    The others give no conversation, and need not be built.

    Args:
        comments: All comments under a post, in any order.
        answering: Ids of those by people whose words are answers.
    """
    parents = {comment.id: comment.parent for comment in comments}
    roots = set()
    seen: set[str] = set()
    for start in answering:
        place = start
        while place not in seen and parents.get(place):
            seen.add(place)
            place = parents[place]
        if parents.get(place) == "":
            roots.add(place)
    children: dict[str, list[Comment]] = defaultdict(list)
    for comment in comments:
        children[comment.parent].append(comment)
    found = [comment for comment in children[""] if comment.id in roots]
    # It grows while it is gone through.
    for comment in found:
        found += children.get(comment.id, ())
    return found


def nodes_of(
    comments: Iterable[Comment],
    whys: Mapping[str, CommentReason | None],
    *,
    answering: AbstractSet[str],
    limits: Limits,
) -> tuple[Node, ...]:
    """Bring the comments under a post to what a conversation depends on.

    Args:
        comments: All comments under the post, in any order.
        whys: Why they are of no use, by id.
        answering: Ids of those by people whose words are answers.
        limits: How their words are cleaned.
    """
    return tuple(
        _node(comment, whys[comment.id], answering=answering, limits=limits)
        for comment in comments
    )


def why_unused(
    post: Post,
    comments: Iterable[Comment],
    *,
    whys: Mapping[str, CommentReason | None],
    answering: AbstractSet[str],
    options: BuildOptions,
) -> UnusedReason | None:
    """Give the first reason why the branches under a post are not looked at, or None.

    Args:
        post: The post.
        comments: All comments under it.
        whys: Why they are of no use, by id.
        answering: Ids of those by people whose words are answers.
        options: What counts as a comment, and whether patients may be physicians.
    """
    if not _has_comment(post, whys, options):
        return "no_comments"
    if options.physician_patient == "drop" and any(
        comment.is_patient and comment.id in answering for comment in comments
    ):
        return "patient_is_physician"
    return None


def _has_comment(
    post: Post, whys: Mapping[str, CommentReason | None], options: BuildOptions
) -> bool:
    match options.at_least_one_comment:
        case "stated":
            return post.stated_comments > 0
        case "any":
            return len(whys) > 0
        case "people":
            return any(why not in NOBODYS for why in whys.values())


def _node(
    comment: Comment,
    why: CommentReason | None,
    *,
    answering: AbstractSet[str],
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
    comment: Comment, why: CommentReason | None, answering: AbstractSet[str]
) -> Speaker:
    if why in NOBODYS or why == "author_deleted":
        return "other"
    if comment.is_patient:
        return "patient"
    is_physician = comment.author != "" and comment.id in answering
    return "physician" if is_physician else "other"
