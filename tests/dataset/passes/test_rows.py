"""What is plain from rows is not looked at again."""

import os
from functools import partial
from pathlib import Path

import pytest

from dump_factory import Line, comment, post, written
from threadmed.dataset.dumps.layout import COMMENT_ROW, POST_ROW
from threadmed.dataset.dumps.reddit import Comment, Post
from threadmed.dataset.options import BuildOptions
from threadmed.dataset.passes.collect import Live, Reader, read_comments, read_posts
from threadmed.dataset.passes.rows import Written, plain_posts
from threadmed.dataset.passes.spill import Parts
from threadmed.dataset.passes.trees import Told, Trees
from threadmed.dataset.roles import Roles
from threadmed.dataset.threads.clean import limits_of
from threadmed.dataset.threads.thread import Account

pytestmark = pytest.mark.skipif(
    os.environ.get("THREADMED_PURE") == "1", reason="asked for without the scanner"
)

OPTIONS = BuildOptions()
READER = Reader(options=OPTIONS, limits=limits_of(OPTIONS), allow_partial=False)


def read(folder: Path, posts: list[Line]) -> Written[Post]:
    parts = Parts(folder / "posts", 1)
    (folder / "posts").mkdir()
    dump = written(folder / "RS.jsonl", posts)
    read_posts(dump, parts, None, reader=READER, progress=lambda *_: None)
    return Written([parts.path(0).read_bytes()], Post, POST_ROW)


def trees(folder: Path, comments: list[Line]) -> Trees:
    posts = read(folder, [post("p1")])
    parts = Parts(folder / "comments", 1)
    (folder / "comments").mkdir()
    taking = partial(read_comments, reader=READER, progress=lambda *_: None)
    dump = written(folder / "RC.jsonl", comments)
    taking(dump, parts, Live(authors={"p1": "patient_p1"}))
    under = Written([parts.path(0).read_bytes()], Comment, COMMENT_ROW)
    return Trees(posts, under, options=OPTIONS, roles=Roles(OPTIONS))


def plain(number: int, parent: str, who: str) -> Line:
    """A comment whose ids are as those of Reddit."""
    line = comment(f"p1_{number}", "p1", who, "rest the knee")
    kind = "t3" if parent == "p1" else "t1"
    return {**line, "id": f"c{number}", "parent_id": f"{kind}_{parent}"}


def test_a_post_with_words_enough_is_kept_by_its_row(tmp_path: Path) -> None:
    posts = read(tmp_path, [post("p1"), post("p2", selftext="short")])

    assert plain_posts(posts, OPTIONS).tolist() == [True, False]
    assert [head.id for head in posts.heads(plain_posts(posts, OPTIONS))] == ["p1"]


@pytest.mark.parametrize(
    ("who", "account"),
    [
        ("L", Account(posts={"no_physician": 1})),
        ("D", Account(threads={"too_few_follow_ups": 1})),
    ],
)
def test_a_tree_that_says_it_by_its_rows_is_not_looked_at(
    who: str, account: Account, tmp_path: Path
) -> None:
    told = Account()
    found = trees(tmp_path, [plain(1, "p1", who), plain(2, "c1", "P")])

    assert found.tell(told).posts == 1
    assert [list(records) for records in found.records()] == [[], []]
    assert (+told.posts, +told.threads) == (+account.posts, +account.threads)


GONE = {"body": "[removed]"}
NEWER = {"retrieved_on": 1_700_000_000}


@pytest.mark.parametrize(
    ("lines", "copies"),
    [
        ([plain(1, "p1", "D"), plain(2, "c1", "P"), plain(2, "c1", "P") | NEWER], 1),
        ([plain(1, "p1", "D") | GONE, plain(2, "c1", "P"), plain(3, "c2", "P")], 0),
        ([plain(1, "p1", "D"), plain(2, "c1", "P"), plain(4, "c3", "P")], 0),
        ([plain(1, "p1", "D"), plain(2, "c1", "L") | GONE, plain(3, "c2", "P")], 0),
    ],
    ids=["copies that are alike", "an answer gone", "a gap", "few of many gone"],
)
def test_what_is_plain_in_spite_of_copies_and_losses_is_not_looked_at(
    lines: list[Line], copies: int, tmp_path: Path
) -> None:
    found = trees(tmp_path, lines)

    assert found.tell(Account()) == Told(posts=1, copies=copies)
    assert [list(records) for records in found.records()] == [[], []]


@pytest.mark.parametrize(
    "other", [{"author_flair_text": None}, {"edited": 1_600_000_500}, GONE]
)
def test_copies_that_are_not_alike_are_looked_at(other: Line, tmp_path: Path) -> None:
    lines = [plain(1, "p1", "D"), plain(1, "p1", "D") | other]
    found = trees(tmp_path, lines)

    assert found.tell(Account()) == Told(posts=0, copies=0)
    assert len(list(found.records()[1])) == len(lines)


def test_posts_whose_copies_are_alike_are_kept_by_their_rows(tmp_path: Path) -> None:
    alike, unlike = post("p1"), post("p2")
    posts = read(tmp_path, [alike, alike | NEWER, unlike, unlike | {"edited": True}])

    assert plain_posts(posts, OPTIONS).tolist() == [True, True, False, False]
    assert posts.is_copy.tolist() == [False, True, False, False]


def test_a_tree_that_may_give_a_thread_is_looked_at(tmp_path: Path) -> None:
    talk = [("D", "p1"), ("P", "c1"), ("D", "c2"), ("P", "c3")]
    found = trees(
        tmp_path, [plain(n, parent, who) for n, (who, parent) in enumerate(talk, 1)]
    )

    assert found.tell(Account()).posts == 0
    posts, comments = found.records()
    assert [one.id for one in posts] == ["p1"]
    assert sorted(one.id for one in comments) == ["c1", "c2", "c3", "c4"]
