"""What becomes of a part: the posts that are kept, then the threads under them; pure.

A part holds all that was found of its posts and of the comments under them, in any
order and from any number of files; what is made of it depends on neither.
"""

from collections import defaultdict
from collections.abc import Collection, Container, Iterable, Iterator, Sequence
from datetime import UTC, datetime
from itertools import chain
from typing import Literal, TypeVar

import numpy as np

from threadmed.dataset.dumps.copies import merged_comments, merged_posts
from threadmed.dataset.dumps.layout import (
    COMMENT_ROW,
    POST_ROW,
    Bools,
    number_of,
    numbers,
)
from threadmed.dataset.dumps.reddit import Comment, Post
from threadmed.dataset.options import BuildOptions
from threadmed.dataset.passes.collect import Reader
from threadmed.dataset.passes.rows import (
    Written,
    dropped_posts,
    plain_posts,
    years_of,
)
from threadmed.dataset.passes.spill import records
from threadmed.dataset.passes.trees import Trees
from threadmed.dataset.privacy.known import Known
from threadmed.dataset.roles import Roles
from threadmed.dataset.threads.clean import (
    RULES_AS_READ,
    Limits,
    Reason,
    has_surely_words,
    is_plain,
    outside_window,
    usable,
    why_drop_post,
)
from threadmed.dataset.threads.explain import Explanation, explain
from threadmed.dataset.threads.pairing import TurnFlags
from threadmed.dataset.threads.thread import Account, Made, thread_of
from threadmed.records import Record, Turn

Copy = TypeVar("Copy", Post, Comment)

Pieces = Sequence[bytes]
"""What was written to one part by one pass."""


class KeptPosts(Record, frozen=True, kw_only=True):
    """The posts of a part that are of use."""

    authors: dict[str, str]
    """Name of the author, empty where it is gone, by the post's id."""
    dropped: dict[str, int]
    years: dict[int, int]
    """Posts by the year, UTC, in which they were written."""


class TurnSource(Record, frozen=True, kw_only=True):
    """The comments that a turn is made of, by id."""

    questions: tuple[str, ...]
    """The patient's; the first question of a thread begins with the post."""
    answers: tuple[str, ...]


class Found(Record, frozen=True, kw_only=True):
    """A thread as it was made of a post, before anybody's traces are removed."""

    post: str
    year: int
    turns: tuple[Turn, ...]
    sources: tuple[TurnSource, ...]
    flags: tuple[TurnFlags, ...]
    known: Known


class Gathered(Record, frozen=True, kw_only=True):
    """What a part gave."""

    found: tuple[Found, ...]
    account: Account
    duplicates: int
    """Copies of comments beyond the first."""
    commented: int
    """Posts under which there is any comment."""


PostReason = Reason | Literal["no_comments"]


def keep_posts(posts: Pieces, *, reader: Reader) -> KeptPosts:
    """Give the posts of a part that are of use, their copies merged."""
    written = Written(posts, Post, POST_ROW)
    is_dropped, dropped = dropped_posts(written, reader.limits)
    plain, authors = _surely_kept(written, reader.options)
    years = years_of(written.rows["created"][plain & ~written.is_copy])
    is_done = plain | is_dropped
    dropped["duplicate"] += int(np.count_nonzero(is_done & written.is_copy))
    for copies in _by_id(chain(written.rowless, written.records(~is_done))):
        dropped["duplicate"] += len(copies) - 1
        post = merged_posts(copies, text_of=reader.options.copies)
        why: PostReason | None = _why_of_no_use(post, reader.limits)
        if reader.options.at_least_one_comment == "stated" and not why:
            why = None if post.stated_comments > 0 else "no_comments"
        if why is None:
            authors[post.id] = post.author
            years[year_of(post.created)] += 1
        else:
            dropped[why] += 1
    return KeptPosts(authors=authors, dropped=dict(+dropped), years=dict(years))


def _surely_kept(
    written: Written[Post], options: BuildOptions
) -> tuple[Bools, dict[str, str]]:
    """Give the rows of posts that are surely kept, and their authors by id."""
    plain = plain_posts(written, options)
    authors = {one.id: one.author for one in written.heads(plain & ~written.is_copy)}
    others = {
        one.id
        for one in written.heads(plain & written.is_copy)
        if authors[one.id] != one.author
    }
    if others:
        # Only merging tells whose it is.
        unsure = numbers([number_of(one) for one in others])
        plain &= ~np.isin(written.rows["id"], unsure)
    return plain, {one: who for one, who in authors.items() if one not in others}


def _why_of_no_use(post: Post, limits: Limits) -> Reason | None:
    if limits.edits == "keep" and has_surely_words(post.body, max(limits.min_words, 1)):
        # Cleaning is slow; only the words of posts that may give threads are needed.
        if is_plain(post, limits):
            return outside_window(post, limits)
        return why_drop_post(post, limits, rules=RULES_AS_READ)
    found = usable(post, limits)
    return None if isinstance(found, Post) else found


def year_of(created: int) -> int:
    """Give the year, UTC, of a time in seconds since 1970."""
    return datetime.fromtimestamp(created, UTC).year


def make_threads(posts: Pieces, comments: Pieces, *, reader: Reader) -> Gathered:
    """Make the threads of a part.

    Args:
        posts: What `read_posts` wrote to the part.
        comments: What `read_comments` wrote to it; all of them are under kept posts.
        reader: How everything was read.
    """
    roles, account = Roles(reader.options), Account()
    trees = Trees(
        Written(posts, Post, POST_ROW),
        Written(comments, Comment, COMMENT_ROW),
        options=reader.options,
        roles=roles,
    )
    told = trees.tell(account)
    looked_at, those = trees.records()
    under, merged_away = by_post(those, reader)
    found = []
    for copies in _by_id(post for post in looked_at if post.id in under):
        post = merged_posts(copies, text_of=reader.options.copies)
        made = thread_of(
            post,
            under[post.id],
            limits=reader.limits,
            options=reader.options,
            roles=roles,
            account=account,
        )
        if made is not None:
            # Also names that only one copy has.
            everyone = [*copies, *merged_away.get(post.id, ())]
            names = {copy.author for copy in everyone}
            found.append(_found(post, under[post.id], made, reader.limits, names))
    return Gathered(
        found=tuple(found),
        account=account,
        duplicates=told.copies
        + sum(len(copies) - len(under[post]) for post, copies in merged_away.items()),
        commented=told.posts + len(under),
    )


def explain_post(
    posts: Pieces, comments: Pieces, *, post: str, reader: Reader
) -> Explanation | None:
    """Say what became of a post, or None if it is not in the part."""
    under, _ = by_post(records(comments, Comment), reader)
    for found in merged(posts, {post}, reader):
        return explain(
            found,
            under.get(post, []),
            limits=reader.limits,
            options=reader.options,
            roles=Roles(reader.options),
        )
    return None


def by_post(
    comments: Iterable[Comment], reader: Reader
) -> tuple[dict[str, list[Comment]], dict[str, list[Comment]]]:
    """Give the comments under each post.

    Returns:
        Each comment once, its copies merged; and, only of posts where there are any,
        all copies.
    """
    under: dict[str, list[Comment]] = defaultdict(list)
    for comment in comments:
        under[comment.post].append(comment)
    copied: dict[str, list[Comment]] = {}
    for post, those in under.items():
        if len({comment.id for comment in those}) < len(those):
            copied[post] = those
            under[post] = [
                merged_comments(copies, text_of=reader.options.copies)
                for copies in _by_id(those)
            ]
    return dict(under), copied


def _by_id(copies: Iterable[Copy]) -> Iterable[list[Copy]]:
    found: dict[str, list[Copy]] = {}
    for copy in copies:
        found.setdefault(copy.id, []).append(copy)
    return found.values()


def merged(posts: Pieces, wanted: Container[str], reader: Reader) -> Iterator[Post]:
    """Give some of the posts, each once."""
    copies = (post for post in records(posts, Post) if post.id in wanted)
    for those in _by_id(copies):
        yield merged_posts(those, text_of=reader.options.copies)


def _found(
    post: Post,
    comments: Sequence[Comment],
    made: Made,
    limits: Limits,
    names: Collection[str],
) -> Found:
    return Found(
        post=post.id,
        year=year_of(post.created),
        turns=made.turns,
        sources=tuple(
            TurnSource(
                questions=tuple(node.id for node in exchange.questions),
                answers=tuple(node.id for node in exchange.answers),
            )
            for exchange in made.exchanges
        ),
        flags=made.flags,
        known=known_by(post, comments, limits, names),
    )


def known_by(
    post: Post,
    comments: Sequence[Comment],
    limits: Limits,
    names: Collection[str] = (),
) -> Known:
    """Give what a thread could be led back by: ids, names of people, and times.

    Args:
        post: The post.
        comments: All comments under it.
        limits: Says who are bots, and no people.
        names: Further names, of copies that were merged away.
    """
    everything: list[Post | Comment] = [post, *comments]
    everybody = {*names, *(item.author for item in everything)} - {""}
    return Known(
        ids=frozenset(item.id for item in everything),
        accounts=frozenset(n for n in everybody if n.casefold() not in limits.bots),
        times=frozenset(item.created for item in everything),
    )
