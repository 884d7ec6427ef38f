"""From a post and its comments to its thread, with account of everything met; pure."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import get_args

from threadmed.dataset.branches import (
    Conversation,
    DropReason,
    Fate,
    Node,
    Speaker,
    branches,
    conversation,
    detached,
)
from threadmed.dataset.clean import Limits, Reason, clean, why_drop_comment
from threadmed.dataset.collect import Roles
from threadmed.dataset.options import BuildOptions
from threadmed.dataset.reddit import Comment, Loss, Post
from threadmed.records import Turn

LOSSES: frozenset[str] = frozenset(get_args(Loss))


class Account:
    """What was met while threads were made."""

    def __init__(self) -> None:
        self.comments: Counter[str] = Counter()
        """Comments of no use, by reason."""
        self.posts: Counter[str] = Counter()
        """Posts without a conversation to select, by reason."""
        self.threads: Counter[str] = Counter()
        """Selected conversations that are no thread, by reason."""
        self.observed: Counter[str] = Counter()
        self.flair: Counter[str] = Counter()


def thread_of(
    post: Post,
    comments: Sequence[Comment],
    *,
    limits: Limits,
    options: BuildOptions,
    roles: Roles,
    account: Account,
) -> tuple[Turn, ...] | None:
    """Make the thread of a post, or account for why there is none.

    Args:
        post: Cleaned.
        comments: All comments under it, each once, in any order.
        limits: What comments are dropped by.
        options: How the conversation is made.
        roles: Roles by flair.
        account: Counts what is met.
    """
    whys = {comment.id: why_drop_comment(comment, limits) for comment in comments}
    nodes = [_node(comment, whys[comment.id], roles) for comment in comments]
    tree = branches(nodes)
    lost = detached(nodes, tree)
    _observe(post, comments, roles=roles, account=account)
    for node in nodes:
        why = whys[node.id] or _why_useless(node, lost)
        if why:
            account.comments[why] += 1
    if all(why in {"bot", "notice"} for why in whys.values()):
        account.posts["no_comments"] += 1
        return None
    made = conversation(_question(post, options), tree, options=options)
    if isinstance(made, Conversation):
        account.observed["rival_branches"] += made.rivals
        return made.turns
    _account_for(made.reason, account)
    return None


def _why_useless(node: Node, lost: frozenset[str]) -> str | None:
    if node.id in lost:
        return "detached"
    return "empty" if node.speaker != "other" and not node.text else None


def _account_for(reason: DropReason, account: Account) -> None:
    if reason == "no_physician":
        account.posts[reason] += 1
    else:
        account.threads[reason] += 1


def _question(post: Post, options: BuildOptions) -> str:
    parts = [post.body] if options.text == "body" else [post.title, post.body]
    return "\n\n".join(part for part in parts if part)


def _node(comment: Comment, why: Reason | None, roles: Roles) -> Node:
    fate = _fate(why)
    speaker = _speaker(comment, why, roles)
    has_words = fate == "kept" and speaker != "other"
    return Node(
        id=comment.id,
        parent=comment.parent,
        time=comment.created,
        speaker=speaker,
        author=comment.author,
        text=clean(comment.body) if has_words else "",
        fate=fate,
    )


def _fate(why: Reason | None) -> Fate:
    if why in LOSSES:
        return "gone"
    return "ignored" if why in {"bot", "notice"} else "kept"


def _speaker(comment: Comment, why: Reason | None, roles: Roles) -> Speaker:
    if why in {"bot", "notice", "author_deleted"}:
        return "other"
    if comment.is_patient:
        return "patient"
    is_physician = bool(comment.author) and roles.answers(comment.flair)
    return "physician" if is_physician else "other"


def _observe(
    post: Post, comments: Iterable[Comment], *, roles: Roles, account: Account
) -> None:
    account.observed["edited_posts"] += post.is_edited
    for comment in comments:
        account.flair[comment.flair] += 1
        account.observed["edited_comments"] += comment.is_edited
        if comment.is_patient:
            is_other_name = bool(comment.author) and comment.author != post.author
            account.observed["patient_under_other_name"] += is_other_name
            account.observed["patient_with_answering_flair"] += roles.answers(
                comment.flair
            )
