"""The comments under a post as they are read: who speaks, and what is of no use; pure."""

from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Literal, get_args

from threadmed.dataset.clean import Limits, Reason, why_drop_comment, words_left
from threadmed.dataset.options import BuildOptions
from threadmed.dataset.reddit import Comment, Loss, Post
from threadmed.dataset.roles import Roles
from threadmed.dataset.tree import Branch, Fate, Node, Speaker, branches, detached
from threadmed.records import Record

LOSSES: frozenset[str] = frozenset(get_args(Loss))

NOBODYS = frozenset({"bot", "notice"})
"""Reasons for which a comment is none by a person."""

UnusedReason = Literal["no_comments", "patient_is_physician"]
"""Why the branches under a post are not looked at."""

CommentReason = Reason | Literal["detached"]


class Reading(Record, frozen=True, kw_only=True):
    """The comments under a post as a tree, and why some are of no use."""

    nodes: tuple[Node, ...]
    tree: tuple[Branch, ...]
    whys: dict[str, CommentReason | None]
    """By id, in the order of the comments."""


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


def reading(
    comments: Sequence[Comment],
    *,
    answering: AbstractSet[str],
    limits: Limits,
    options: BuildOptions,
) -> Reading:
    """Bring the comments under a post into a tree, and say which are of no use.

    Args:
        comments: All comments under the post, each once, in any order.
        answering: Ids of those by people whose words are answers.
        limits: What comments are dropped by.
        options: Says in what order a branch is.
    """
    whys: dict[str, CommentReason | None] = {
        comment.id: why_drop_comment(comment, limits) for comment in comments
    }
    nodes = tuple(
        _node(comment, whys[comment.id], answering=answering, limits=limits)
        for comment in comments
    )
    tree = branches(nodes, order=options.order)
    lost = detached(nodes, tree)
    for node in nodes:
        if whys[node.id] is None:
            whys[node.id] = _why_useless(node, lost)
    return Reading(nodes=nodes, tree=tree, whys=whys)


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


def _why_useless(node: Node, lost: AbstractSet[str]) -> CommentReason | None:
    if node.id in lost:
        return "detached"
    return "empty" if node.speaker != "other" and not node.text else None


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
