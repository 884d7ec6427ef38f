"""Posts and comments to the records that a dump of their month holds."""

import html
import re
from collections.abc import Iterator

import eras
import forum
import msgspec
from eras import Json
from forum import Comment, Post

WELCOME = (
    "Welcome. Nobody here can examine you: take what you read to the people who can. "
    "Please add age, sex, how long it has lasted, and the medicines that you take. "
    "If you think that it is an emergency, close this page and call for help."
)
WELCOMED_FROM = "2019-03"

CATEGORIES = {
    "deleted": "deleted",
    "removed": "moderator",
    "author": "author",
    "reddit": "reddit",
    "automod": "automod_filtered",
}
MARKS = {"deleted": "[deleted]", "author": "[deleted]"}

Record = dict[str, Json]


class Context(msgspec.Struct, frozen=True, kw_only=True):
    """What a comment has to know of the post that it is under."""

    post: Post
    id: str
    patient: str


class Line(msgspec.Struct, frozen=True, kw_only=True):
    """A record with the place in the file that it belongs to."""

    second: int
    copy: bool
    record: Record

    def place(self) -> tuple[bool, int, str]:
        """Order by time; what an archive added later comes last."""
        return self.copy, self.second, str(self.record["id"])


def text_of(item: Post | Comment, text: str) -> str:
    """Give the text as it stands in a dump: escaped once, or a mark in its place."""
    if item.state in {"there", "gone"}:
        return html.escape(text, quote=False)
    return MARKS.get(item.state, "[removed]")


def patient_name(post: Post) -> str:
    """Name the writer of a post; accounts made for one question are usual."""
    if post.author:
        return post.author
    start = "throwaway" if forum.draw(f"{post.title}/throwaway", 3) else ""
    return forum.user_name(post.title, start)


def dump_lines(posts: tuple[Post, ...]) -> tuple[list[Line], list[Line]]:
    """Make all records of submissions and of comments, each in the file's order.

    Raises:
        ValueError: If two records have drawn the same id.
    """
    submissions: list[Line] = []
    comments: list[Line] = []
    for post in posts:
        lines = list(comment_lines(post))
        comments += lines
        submissions += submission_lines(post, sum(not line.copy for line in lines))
    for lines in (submissions, comments):
        ids = [line.record["id"] for line in lines if not line.copy]
        if len(set(ids)) < len(ids):
            raise ValueError("two records have the same id: change a title by a word")
        lines.sort(key=Line.place)
    return submissions, comments


def submission_lines(post: Post, replies: int) -> Iterator[Line]:
    """Make the record of a post, and its copy where there is one."""
    second = forum.moment(post)
    record = submission(post, second, replies)
    yield Line(second=second, copy=False, record=record)
    if post.twice:
        copy = fetched_again(record)
        yield Line(second=second, copy=True, record=copy)


def fetched_again(record: Record) -> Record:
    """Copy a record as an archive took it a day later, when the flair was gone."""
    later: Record = {
        key: value + 86_400
        for key, value in record.items()
        if key.startswith("retrieved") and isinstance(value, int)
    }
    return record | later | {"author_flair_text": None}


def submission(post: Post, second: int, replies: int) -> Record:
    """Make the record of a post."""
    month = forum.month_of(second)
    gone = post.state in {"deleted", "author", "gone"}
    author = "[deleted]" if gone else patient_name(post)
    flair = None if gone or post.author else post.op_flair or forum.lay_flair(month)
    name = forum.post_id(second)
    blocked = post.state == "reddit"
    title = "[ Removed by Reddit ]" if blocked else html.escape(post.title, quote=False)
    record: Record = {
        "id": name,
        **eras.author_keys(author, flair, month, is_comment=False),
        "created_utc": eras.written(second, month, name),
        "title": title,
        "selftext": text_of(post, post.body),
        "subreddit": post.subreddit,
        "subreddit_id": "t5_zzask",
        "edited": eras.edited(post, second, month),
        "score": 1 + forum.draw(name, 40),
        "num_comments": stale(name, replies),
        **place_of(post, name),
        **eras.plain_keys("submission", month),
        **eras.retrieved(second, month, is_comment=False),
    }
    if eras.has_name(month, is_comment=False):
        record["name"] = f"t3_{name}"
    if month >= "2019-09":
        record["removed_by_category"] = CATEGORIES.get(post.state)
    if month < "2016-01":
        # An offset local time that no reader may take for the moment of writing.
        record["created"] = second + 28_800
    return eras.in_order(record, month)


def stale(name: str, replies: int) -> int:
    """Count comments as an archive that came too early or too late did."""
    return max(0, replies + (-1, 0, 0, 0, 0, 2)[forum.draw(f"{name}/stale", 6)])


def place_of(post: Post, name: str) -> Record:
    """Give the addresses of a post and the keys that tell a picture from a text."""
    slug = re.sub(r"[^a-z0-9]+", "_", post.title.lower())[:50].strip("_")
    permalink = f"/r/{post.subreddit}/comments/{name}/{slug}/"
    domain, url = f"self.{post.subreddit}", f"https://www.reddit.com{permalink}"
    if post.media == "image":
        domain, url = "i.redd.it", f"https://i.redd.it/{name}.jpg"
    if post.media == "gallery":
        domain, url = "reddit.com", f"https://www.reddit.com/gallery/{name}"
    keys: Record = {
        "domain": domain,
        "is_self": post.media in {"none", "link"},
        "permalink": permalink,
        "thumbnail": "self" if post.media in {"none", "link"} else "default",
        "url": url,
    }
    if post.media == "image":
        keys["post_hint"] = "image"
    if post.media == "gallery":
        keys["is_gallery"] = True
    return keys


def comment_lines(post: Post) -> Iterator[Line]:
    """Make the records of all comments under a post."""
    second = forum.moment(post)
    context = Context(
        post=post,
        id=forum.post_id(second),
        patient=patient_name(post),
    )
    welcomed = not post.author and post.when >= WELCOMED_FROM and post.state == "there"
    if welcomed:
        welcome = Comment(by="AutoModerator", text=WELCOME)
        yield from tree_lines(context, welcome, second, f"t3_{context.id}")
    for comment in post.comments:
        yield from tree_lines(context, comment, second, f"t3_{context.id}")


def tree_lines(
    context: Context, comment: Comment, before: int, parent: str
) -> Iterator[Line]:
    """Make the records of a comment and of what hangs under it."""
    key = f"{context.id}/{parent}/{comment.by}/{comment.text}/{comment.state}"
    second = before + forum.delay(key, comment.by)
    record = comment_record(context, comment, second, parent)
    yield Line(second=second, copy=False, record=record)
    if comment.twice:
        copy = fetched_again(record)
        yield Line(second=second, copy=True, record=copy)
    after = second
    for reply in comment.replies:
        yield from tree_lines(context, reply, after, f"t1_{record['id']}")
        after += 600


def who(
    context: Context, comment: Comment, key: str, month: str
) -> tuple[str, str | None]:
    """Name the writer of a comment and the flair that they had."""
    by = comment.by
    if comment.state == "deleted" or (by == "op" and context.post.state == "gone"):
        return "[deleted]", None
    if by in forum.BOTS:
        return by, None
    if by == "op":
        return context.patient, context.post.op_flair or forum.lay_flair(month)
    if by == "lay":
        return forum.user_name(key), forum.lay_flair(month)
    # Professionals come back: a few names for every flair.
    regular = forum.draw(f"{context.id}/{by}", 3)
    return forum.user_name(f"{by}/{regular}"), None if by == "unflaired" else by


def comment_record(
    context: Context, comment: Comment, second: int, parent: str
) -> Record:
    """Make the record of a comment."""
    month = forum.month_of(second)
    name = forum.comment_id(second, f"{parent}/{comment.by}/{comment.text}")
    author, flair = who(context, comment, name, month)
    score: Json = None if month in {"2017-10", "2017-11"} else 1 + forum.draw(name, 15)
    record: Record = {
        "id": name,
        **eras.author_keys(author, flair, month, is_comment=True),
        "body": text_of(comment, comment.text),
        "created_utc": eras.written(second, month, name),
        "link_id": f"t3_{context.id}",
        "parent_id": parent,
        "subreddit": context.post.subreddit,
        "subreddit_id": "t5_zzask",
        "edited": eras.edited(comment, second, month),
        "score": score,
        **eras.plain_keys("comment", month),
        **eras.retrieved(second, month, is_comment=True),
        **eras.is_submitter(author, context.patient, month, name),
    }
    if eras.has_name(month, is_comment=True):
        record["name"] = f"t1_{name}"
    if month >= "2018-04":
        record["subreddit_name_prefixed"] = f"r/{context.post.subreddit}"
    if month >= "2017-12":
        record["permalink"] = (
            f"/r/{context.post.subreddit}/comments/{context.id}/-/{name}/"
        )
    if author == "AutoModerator" and parent.startswith("t3_"):
        record |= {"distinguished": "moderator", "stickied": True}
    return eras.in_order(record, month)
