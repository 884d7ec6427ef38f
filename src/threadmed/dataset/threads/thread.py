"""From a post and its comments to its thread, with account of everything met; pure.

What is said here of one post, `threadmed.dataset.passes.trees` says of many at once.
"""

from collections import Counter
from collections.abc import Container, Mapping, Sequence
from datetime import UTC, datetime

import msgspec

from threadmed.dataset.dumps.reddit import Comment, Post
from threadmed.dataset.options import BuildOptions
from threadmed.dataset.roles import Roles
from threadmed.dataset.threads.branches import (
    Conversation,
    Dropped,
    DropReason,
    candidates_of,
    reason_of_all,
    selected,
)
from threadmed.dataset.threads.clean import (
    Limits,
    cleaned,
    question_of,
)
from threadmed.dataset.threads.pairing import Exchange, TurnFlags, flags_of
from threadmed.dataset.threads.reading import (
    CommentReason,
    answering_of,
    in_answered_branches,
    nodes_of,
    why_unused,
    whys_of,
)
from threadmed.dataset.threads.tree import branches
from threadmed.records import Record, Turn


class Account(msgspec.Struct, kw_only=True):
    """What was met while threads were made; made in parts, and then added up."""

    comments: dict[str, int] = msgspec.field(default_factory=Counter)
    """Comments of no use, by reason."""
    posts: dict[str, int] = msgspec.field(default_factory=Counter)
    """Posts without a conversation to select, by reason."""
    threads: dict[str, int] = msgspec.field(default_factory=Counter)
    """Selected conversations that are no thread, by reason."""
    observed: dict[str, int] = msgspec.field(default_factory=Counter)
    flair: dict[str, int] = msgspec.field(default_factory=Counter)

    def __post_init__(self) -> None:
        """Let what was decoded count on from nothing, as what is new does."""
        for name in self.__struct_fields__:
            setattr(self, name, Counter(getattr(self, name)))

    def add(self, other: "Account") -> None:
        """Add what another part met.

        Example:
            >>> whole, part = Account(), Account(posts={"no_physician": 2})
            >>> whole.add(part)
            >>> whole.add(msgspec.json.decode(msgspec.json.encode(part), type=Account))
            >>> whole.posts["no_physician"], whole.posts["no_comments"]
            (4, 0)
        """
        for name in self.__struct_fields__:
            getattr(self, name).update(getattr(other, name))


class Made(Record, frozen=True, kw_only=True):
    """The thread of a post, and what is known of it beside its words."""

    turns: tuple[Turn, ...]
    exchanges: tuple[Exchange, ...]
    """The comments behind each turn."""
    flags: tuple[TurnFlags, ...]
    """One for each turn."""
    year: int
    """In which the post was written, UTC."""


def thread_of(
    post: Post,
    comments: Sequence[Comment],
    *,
    limits: Limits,
    options: BuildOptions,
    roles: Roles,
    account: Account,
) -> Made | None:
    """Make the thread of a post, or account for why there is none.

    Args:
        post: As it was read, its copies merged, and of use.
        comments: All comments under it, each once, in any order.
        limits: What comments are dropped by.
        options: How the conversation is made.
        roles: Roles by flair.
        account: Counts what is met.
    """
    by_id = {comment.id: comment for comment in comments}
    answering = answering_of(by_id, options=options, roles=roles)
    # Most posts end here: no tree is built and hardly a text is cleaned for them.
    whys = whys_of(by_id, answering=answering, limits=limits)
    for why in whys.values():
        account.comments[why] += 1
    _observe(post, by_id, whys=whys, answering=answering, account=account)
    unused = why_unused(post, comments, whys=whys, answering=answering, options=options)
    if unused or not answering:
        account.posts[unused or "no_physician"] += 1
        return None
    found = conversation_among(
        in_answered_branches(by_id, answering),
        post=post,
        whys=whys,
        answering=answering,
        limits=limits,
        options=options,
    )
    if not isinstance(found, Conversation):
        _account_for(found, account)
        return None
    account.observed["rival_branches"] += found.rivals
    return _made(post, found)


def conversation_among(
    comments: Sequence[Comment],
    *,
    post: Post,
    whys: Mapping[str, CommentReason],
    answering: Mapping[str, Comment],
    limits: Limits,
    options: BuildOptions,
) -> Conversation | DropReason:
    """Make the conversation of a post, or say why there is none.

    As little is done as tells: most posts are given up for what is there of whom, and
    only those that hang on their words are cleaned.

    Args:
        comments: Those of the branches that anybody answered in, in any order.
        post: As it was read.
        whys: Why some of the comments are of no use, by id.
        answering: Those by people whose words are answers, by id.
        limits: How words are cleaned.
        options: How the conversation is made.
    """
    nodes = nodes_of(comments, whys, answering=answering, limits=limits)
    tree = branches(nodes, order=options.order)
    candidates = candidates_of(tree, options=options)
    reason = reason_of_all(candidates)
    if reason is not None:
        return reason
    question = question_of(cleaned(post, limits), options.text)
    found = selected(question, candidates, options=options)
    return found.reason if isinstance(found, Dropped) else found


def _account_for(reason: DropReason, account: Account) -> None:
    if reason == "no_physician":
        account.posts[reason] += 1
    else:
        account.threads[reason] += 1


def _made(post: Post, found: Conversation) -> Made:
    return Made(
        turns=found.turns,
        exchanges=found.exchanges,
        flags=flags_of(found.exchanges, found.branch, is_post_edited=post.is_edited),
        year=datetime.fromtimestamp(post.created, UTC).year,
    )


def _observe(
    post: Post,
    comments: Mapping[str, Comment],
    *,
    whys: Mapping[str, CommentReason],
    answering: Container[str],
    account: Account,
) -> None:
    """Count what is seen of the comments that are of use."""
    every, seen = comments.values(), account.observed
    seen["edited_posts"] += post.is_edited
    edited = [comment.id for comment in every if comment.is_edited]
    seen["edited_comments"] += sum([identity not in whys for identity in edited])
    # Those of no use are few, and are taken off again.
    flairs = Counter([comment.flair for comment in every])
    flairs.subtract([comments[identity].flair for identity in whys])
    for flair, count in flairs.items():
        if count:
            account.flair[flair] += count
    patients = [one for one in every if one.is_patient and one.id not in whys]
    seen["patient_with_answering_flair"] += sum([p.id in answering for p in patients])
    if post.author:
        # Otherwise nobody can say under what name the post was.
        elsewhere = [one for one in patients if one.author not in {"", post.author}]
        seen["patient_under_other_name"] += len(elsewhere)
