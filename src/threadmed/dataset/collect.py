"""Gathers from records, in whatever order they come, what threads are made of.

Posts are read first, so that a comment costs one look-up where its post is of no use.
Of a person who is neither the patient nor one who answers no words are kept, only the
place in the tree.
"""

from collections import Counter
from collections.abc import Iterable, Iterator

import msgspec

from threadmed.dataset.clean import (
    RULES_AS_READ,
    RULES_CLEANED,
    Limits,
    cleaned,
    outside_window,
    why_drop_post,
)
from threadmed.dataset.copies import merged_comments, merged_posts
from threadmed.dataset.flair import Role, role_of
from threadmed.dataset.options import BuildOptions
from threadmed.dataset.raw import RawComment, RawPost
from threadmed.dataset.reddit import (
    Comment,
    Post,
    comment_from,
    plain_id,
    post_from,
)


class Roles:
    """Roles by flair, each flair looked at once."""

    def __init__(self, options: BuildOptions) -> None:
        self._options = options
        self._known: dict[str, tuple[str, Role]] = {}
        self._answering = (
            {"physician"}
            if options.roles == "physician"
            else {"physician", "clinician"}
        )

    def of(self, flair: str) -> Role:
        """Give the role of a flair."""
        return self.shared(flair)[1]

    def answers(self, flair: str) -> bool:
        """Whether the words of people with this flair are answers."""
        return self.of(flair) in self._answering

    def shared(self, flair: str) -> tuple[str, Role]:
        """Give a flair as the one string that all comments share, and its role."""
        found = self._known.get(flair)
        if found is None:
            role = role_of(
                flair,
                physicians_also=self._options.physicians_also,
                dual_role=self._options.dual_role,
                overrides=self._options.flair_roles,
            )
            found = self._known[flair] = (flair, role)
        return found


class Posts:
    """Takes submissions and gives those that are of use."""

    def __init__(self, limits: Limits, options: BuildOptions) -> None:
        self.read = 0
        self.dropped: Counter[str] = Counter()
        self._limits = limits
        self._subreddit = options.subreddit.casefold()
        self._copies: dict[str, list[Post]] = {}

    def accept(self, raw: RawPost) -> str | None:
        """Take a submission, or say what it lacks."""
        if raw.subreddit is not None and raw.subreddit.casefold() != self._subreddit:
            self.read += 1
            self.dropped["other_subreddit"] += 1
            return None
        post = post_from(raw)
        if isinstance(post, str):
            return post
        self.read += 1
        if outside_window(post, self._limits):
            # Only its id is needed any more, to tell its copies.
            post = msgspec.structs.replace(post, title="", body="")
        self._copies.setdefault(post.id, []).append(post)
        return None

    def kept(self) -> dict[str, Post]:
        """Give the posts that are of use, cleaned, by id; counts those that are not."""
        kept = {}
        for identity, copies in self._copies.items():
            self.dropped["duplicate"] += len(copies) - 1
            post = merged_posts(copies)
            why = why_drop_post(post, self._limits, rules=RULES_AS_READ)
            if why is None:
                post = cleaned(post)
                why = why_drop_post(post, self._limits, rules=RULES_CLEANED)
            if why is None:
                kept[identity] = post
            else:
                self.dropped[why] += 1
        self._copies.clear()
        self.dropped = +self.dropped
        return kept


class Comments:
    """Takes comments and gives them by post."""

    def __init__(self, posts: dict[str, Post], roles: Roles) -> None:
        self.read = 0
        self.dropped: Counter[str] = Counter()
        self._posts = posts
        self._roles = roles
        self._found: dict[str, list[Comment]] = {}

    def accept(self, raw: RawComment) -> str | None:
        """Take a comment, or say what it lacks."""
        identity = plain_id(raw.link_id)
        if not identity:
            return "no_post"
        post = self._posts.get(identity)
        if post is None:
            self.read += 1
            self.dropped["post_not_kept"] += 1
            return None
        flair, _ = self._roles.shared(raw.author_flair_text or "")
        comment = comment_from(
            raw,
            patient=post.author,
            flair=flair,
            is_answer=self._roles.answers(flair),
        )
        if isinstance(comment, str):
            return comment
        self.read += 1
        self._found.setdefault(identity, []).append(comment)
        return None

    def by_post(self) -> Iterator[tuple[Post, list[Comment]]]:
        """Give every kept post with its comments, each once; forgets them as it goes."""
        for identity, post in self._posts.items():
            copies = self._found.pop(identity, [])
            comments = list(_without_copies(copies))
            self.dropped["duplicate"] += len(copies) - len(comments)
            yield post, comments
        self.dropped = +self.dropped


def _without_copies(copies: Iterable[Comment]) -> Iterator[Comment]:
    by_id: dict[str, list[Comment]] = {}
    for copy in copies:
        by_id.setdefault(copy.id, []).append(copy)
    return map(merged_comments, by_id.values())
