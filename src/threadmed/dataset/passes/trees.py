"""The trees of a part that nobody has to look at; pure.

Of most posts it is plain from the rows of their comments that no physician answered,
or that the patient asked too little under every answer. They are accounted for here,
all at once; what is said of them is what `threadmed.dataset.threads.thread` says of
one post after the other.
"""

from collections.abc import Iterator, Mapping
from itertools import chain
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from threadmed.dataset.dumps.layout import (
    COMMENT_BOT,
    COMMENT_DELETED,
    COMMENT_EDITED,
    COMMENT_NAMELESS,
    COMMENT_NOTICE,
    COMMENT_OTHER_NAME,
    COMMENT_PATIENT,
    COMMENT_REMOVED,
    COMMENT_WORDS,
    POST_EDITED,
    Bools,
    has,
    number_of,
    numbers,
)
from threadmed.dataset.dumps.reddit import Comment, Post
from threadmed.dataset.options import BuildOptions
from threadmed.dataset.passes.rows import Rows, Written
from threadmed.dataset.roles import Roles
from threadmed.dataset.threads.reading import LOSSES, NOBODYS, CommentReason
from threadmed.dataset.threads.thread import Account

Places = npt.NDArray[np.int64]

REASONS: tuple[tuple[int, CommentReason], ...] = (
    (COMMENT_BOT, "bot"),
    (COMMENT_NOTICE, "notice"),
    (COMMENT_DELETED, "deleted"),
    (COMMENT_REMOVED, "removed"),
    (COMMENT_NAMELESS, "author_deleted"),
)
"""Why a comment is of no use, in the order in which the first counts."""

DETACHED = len(REASONS) + 1
"""The number after theirs: what its branch replies to is not there."""

NOBODY_NUMBERS = tuple(n for n, (_, why) in enumerate(REASONS, 1) if why in NOBODYS)
"""The numbers, from 1, of those that say that no person wrote it."""
GONE_NUMBERS = tuple(n for n, (_, why) in enumerate(REASONS, 1) if why in LOSSES)
"""The numbers, from 1, of those that say that its words are gone."""

USUAL: Mapping[str, str] = {
    "patient_roots": "branch",
    "lay_roots": "branch",
    "answers_to": "anyone",
    "removed_answer": "orphan",
    "first_unanswered": "keep",
}
"""Options without which no branch is short for sure."""


class Told(NamedTuple):
    """What was accounted for at once."""

    posts: int
    """Posts with comments."""
    copies: int
    """Records of comments, beyond the first of each."""


class Trees:
    """The posts of a part with comments under them, told apart by what is plain.

    Args:
        posts: The posts of the part.
        comments: All comments under those that are kept.
        options: What decides what is plain.
        roles: Roles by flair.
    """

    def __init__(
        self,
        posts: Written[Post],
        comments: Written[Comment],
        *,
        options: BuildOptions,
        roles: Roles,
    ) -> None:
        self._posts = posts
        self._comments = comments
        self._options = options
        is_copy = comments.is_copy
        rows = self._rows = comments.rows[~is_copy]
        others = numbers([number_of(comment.post) for comment in comments.rowless])
        self._ids, place = np.unique(
            np.concatenate([comments.rows["post"], others]), return_inverse=True
        )
        """The posts."""
        self._tree_of_rows: Places = place[: len(is_copy)]
        """For each row the place of its post among them."""
        self._tree: Places = self._tree_of_rows[~is_copy]
        """The same for each row that repeats none."""
        self._parents, is_sure = _parents(rows)
        self._roots = _roots(self._parents)
        self._whys = _whys(rows, self._roots)
        answers_by_flair = np.fromiter(map(roles.answers, comments.flairs), np.bool_)
        self._is_answering: Bools = answers_by_flair[rows["flair"]]
        is_unplain = self._unplain(is_sure & comments.is_alike[~is_copy])
        is_unplain[place[len(is_copy) :]] = True
        is_answer = self._is_answering & (self._whys == 0)
        is_answered = self._any(is_answer)
        self._is_short: Bools = is_answered & ~is_unplain & self._short(is_answer)
        self._is_told: Bools = ~is_unplain & (~is_answered | self._is_short)

    def _unplain(self, is_sure: Bools) -> Bools:
        """Say of each post whether its rows do not say what becomes of it.

        Args:
            is_sure: For each comment whether its copies are alike, and its parent is
                sure.
        """
        posts, is_answering = self._posts, self._is_answering
        rowless = numbers([number_of(post.id) for post in posts.rowless])
        unlike = posts.rows["id"][~posts.is_alike]
        # Where a patient is a physician more is counted, and the post may be dropped.
        is_patient = has(self._rows["flags"], COMMENT_PATIENT)
        is_unsure = ~is_sure | self._may_be_empty() | (is_answering & is_patient)
        if self._options.flair_of == "post":
            # Any comment may then be by somebody whose words are answers.
            is_unsure |= is_answering
        found: Bools = self._any(is_unsure)
        found |= np.isin(self._ids, np.concatenate([unlike, rowless]))
        return found

    def _any(self, those: Bools) -> Bools:
        """Say of each post whether any of its comments is one of those."""
        found: Bools = np.bincount(self._tree[those], minlength=len(self._ids)) > 0
        return found

    def _may_be_empty(self) -> Bools:
        flags = self._rows["flags"]
        has_words = has(flags, COMMENT_WORDS) & (self._options.edits == "keep")
        is_needed = has(flags, COMMENT_PATIENT) | self._is_answering
        found: Bools = (self._whys == 0) & is_needed & ~has_words
        return found

    def _short(self, is_answer: Bools) -> Bools:
        """Say of each post whether the patient surely asked too little.

        So it is where that holds in each branch with an answer, and where surely no other
        reason to drop the branch comes first (`branches.why_drop`): nothing of the
        patient is gone or perhaps gone, and of all others not too much.

        Args:
            is_answer: For each comment.
        """
        options = self._options
        if any(getattr(options, name) != usual for name, usual in USUAL.items()):
            return np.zeros(len(self._ids), np.bool_)
        flags, whys = self._rows["flags"], self._whys

        def count(those: Bools) -> Places:
            """Count them in the branch of each root."""
            return np.bincount(self._roots[those], minlength=len(whys))

        is_patient = has(flags, COMMENT_PATIENT)
        is_gone = np.isin(whys, GONE_NUMBERS)
        is_person = ~np.isin(whys, NOBODY_NUMBERS)
        people = np.maximum(count(is_person), 1)
        is_nameless = has(flags, COMMENT_NAMELESS) & is_person
        is_voice = (is_patient | (self._is_answering & ~is_nameless)) & is_person
        is_perhaps_patient = is_nameless & is_voice[self._parents]
        is_unsure = (count(is_answer) > 0) & (
            (count(is_patient & (whys == 0)) >= options.min_follow_ups)
            | (count(is_patient & is_gone) > 0)
            | (count(is_answer & is_perhaps_patient[self._parents]) > 0)
            | (count(is_gone) / people > options.max_removed_share)
        )
        found: Bools = ~self._any(is_unsure[self._roots])
        return found

    def records(self) -> tuple[Iterator[Post], Iterator[Comment]]:
        """Give the posts that have to be looked at, and all comments under them."""
        wanted = np.isin(self._posts.rows["id"], self._ids[~self._is_told])
        under = ~self._is_told[self._tree_of_rows]
        return (
            chain(self._posts.rowless, self._posts.records(wanted)),
            chain(self._comments.rowless, self._comments.records(under)),
        )

    def tell(self, account: Account) -> Told:
        """Account for the posts that `records` leaves out.

        Args:
            account: Counts what is met.

        Returns:
            How many posts that are, and how many copies of comments under them.
        """
        is_told = self._is_told[self._tree]
        is_used = is_told & (self._whys == 0)
        told = self._ids[self._is_told]
        for number, why in enumerate((*(why for _, why in REASONS), "detached"), 1):
            account.comments[why] += _count(is_told & (self._whys == number))
        is_edited = has(self._posts.rows["flags"], POST_EDITED) & ~self._posts.is_copy
        edited = np.isin(self._posts.rows["id"][is_edited], told)
        flags = self._rows["flags"]
        seen = account.observed
        seen["edited_posts"] += _count(edited)
        seen["edited_comments"] += _count(is_used & has(flags, COMMENT_EDITED))
        seen["patient_under_other_name"] += _count(
            is_used & has(flags, COMMENT_OTHER_NAME)
        )
        counts = np.bincount(self._rows["flair"][is_used])
        for number in np.flatnonzero(counts).tolist():
            account.flair[self._comments.flairs[number]] += int(counts[number])
        is_person = is_told
        if self._options.at_least_one_comment == "people":
            is_person = is_told & ~np.isin(self._whys, NOBODY_NUMBERS)
        commented, short = _count(self._any(is_person)), _count(self._is_short)
        account.posts["no_comments"] += len(told) - commented
        account.posts["no_physician"] += commented - short
        account.threads["too_few_follow_ups"] += short
        copies = self._tree_of_rows[self._comments.is_copy]
        return Told(posts=len(told), copies=_count(self._is_told[copies]))


def _count(those: Bools) -> int:
    return int(np.count_nonzero(those))


def _whys(rows: Rows, roots: Places) -> npt.NDArray[np.uint8]:
    """Number the reasons why comments are of no use, from 1; 0 for none.

    Args:
        rows: Of the comments.
        roots: The place where each one's branch begins; if that replies to a comment
            which is not there, the whole branch is detached.
    """
    found = np.where(rows["parent"][roots] == 0, 0, DETACHED).astype(np.uint8)
    for number, (flag, _) in reversed([*enumerate(REASONS, 1)]):
        found[has(rows["flags"], flag)] = number
    return found


def _parents(rows: Rows) -> tuple[Places, Bools]:
    """Give the place of the comment that each replies to, and whether that is sure.

    What replies to the post, or to nothing that is there, has its own place. What replies
    to a newer comment, or to one under another post, is not sure: where all under a post
    are, there is no circle.
    """
    own = np.arange(len(rows))
    if not len(rows):
        return own, np.ones(0, np.bool_)
    order = np.argsort(rows["id"], kind="stable")
    ids = rows["id"][order]
    place = np.searchsorted(ids, rows["parent"])
    parent = order[np.minimum(place, len(ids) - 1)]
    is_root = rows["parent"] == 0
    is_known = rows["id"][parent] == rows["parent"]
    is_there = (
        is_known
        & (rows["post"][parent] == rows["post"])
        & (rows["parent"] < rows["id"])
    )
    is_sure = is_root | is_there | ~is_known
    return np.where(is_there & ~is_root, parent, own), is_sure


def _roots(parents: Places) -> Places:
    """Give the place of the root of each comment's branch.

    Args:
        parents: Places of what they reply to, which is never newer.
    """
    roots = parents
    while True:
        further = roots[roots]
        if np.array_equal(further, roots):
            return roots
        roots = further
