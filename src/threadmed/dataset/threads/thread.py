"""From a post and its comments to its thread, with account of everything met; pure."""

from collections import Counter
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from datetime import UTC, datetime

import msgspec

from threadmed.dataset.dumps.reddit import Comment, Post
from threadmed.dataset.options import BuildOptions
from threadmed.dataset.roles import Roles
from threadmed.dataset.threads.branches import (
    Conversation,
    Dropped,
    DropReason,
    conversation,
)
from threadmed.dataset.threads.clean import (
    Limits,
    cleaned,
    question_of,
)
from threadmed.dataset.threads.pairing import Exchange, TurnFlags, flags_of
from threadmed.dataset.threads.reading import (
    NOBODYS,
    CommentReason,
    answering_of,
    in_answered_branches,
    nodes_of,
    why_unused,
    whys_of,
)
from threadmed.dataset.threads.tree import branches
from threadmed.records import Record, Turn

SMALL_LOSSES: frozenset[str | None] = NOBODYS | {None}
"""Reasons to drop a comment which say nothing of what people wrote."""


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
    answering = answering_of(comments, options=options, roles=roles)
    # Most posts end here: no tree is built and hardly a text is cleaned for them.
    whys = whys_of(comments, answering=answering, limits=limits)
    _count(whys, account)
    used = [comment for comment in comments if whys[comment.id] is None]
    _observe(post, used, answering=answering, account=account)
    unused = why_unused(post, comments, whys=whys, answering=answering, options=options)
    if unused or not answering:
        account.posts[unused or "no_physician"] += 1
        return None
    if _is_short(comments, whys, answering=answering, options=options):
        account.threads["too_few_follow_ups"] += 1
        return None
    those = in_answered_branches(comments, answering)
    nodes = nodes_of(those, whys, answering=answering, limits=limits)
    question = question_of(cleaned(post, limits), options.text)
    tree = branches(nodes, order=options.order)
    made = conversation(question, tree, options=options)
    if isinstance(made, Dropped):
        _account_for(made.reason, account)
        return None
    account.observed["rival_branches"] += made.rivals
    return _made(post, made)


def _is_short(
    comments: Sequence[Comment],
    whys: Mapping[str, CommentReason | None],
    *,
    answering: AbstractSet[str],
    options: BuildOptions,
) -> bool:
    """Whether a post can only be said to have too few follow-ups.

    So it is where nothing of anybody is lost and a physician answered, but the patient
    wrote too little in all branches together; no tree says more.
    """
    if not SMALL_LOSSES.issuperset(whys.values()):
        return False
    default = (options.patient_roots, options.lay_roots, options.answers_to)
    if default != ("branch", "branch", "anyone") or options.first_unanswered == "drop":
        return False
    return sum(comment.is_patient for comment in comments) < (
        options.min_follow_ups
    ) and any(
        comment.author
        and not comment.is_patient
        and comment.id in answering
        and whys[comment.id] is None  # a moderator's notice is no answer
        for comment in comments
    )


def _count(whys: Mapping[str, CommentReason | None], account: Account) -> None:
    for why in whys.values():
        if why:
            account.comments[why] += 1


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
    comments: Sequence[Comment],
    *,
    answering: AbstractSet[str],
    account: Account,
) -> None:
    seen = account.observed
    seen["edited_posts"] += post.is_edited
    seen["edited_comments"] += sum([comment.is_edited for comment in comments])
    for flair in [comment.flair for comment in comments]:
        account.flair[flair] += 1
    for comment in [comment for comment in comments if comment.is_patient]:
        # Of a post whose author is gone nobody can say under what name it was.
        is_other_name = comment.author not in {"", post.author} and post.author
        seen["patient_under_other_name"] += bool(is_other_name)
        seen["patient_with_answering_flair"] += comment.id in answering
