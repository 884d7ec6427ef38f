"""Posts and comments as they are written down by hand, and who wrote them when.

Nothing here can be taken for anybody's: a user name is longer than Reddit allows,
and an id starts with a prefix that Reddit has not come to.
"""

import datetime as dt
import hashlib
from collections.abc import Sequence
from typing import Literal

import msgspec

WORDS = (
    "amber", "barley", "candle", "dapple", "ember", "fennel", "gravel", "hollow",
    "island", "jasper", "kettle", "lantern", "marble", "nettle", "orchard", "pebble",
    "quarry", "ribbon", "saddle", "thimble", "umbrella", "velvet", "walnut", "yonder",
)  # fmt: skip

# First second of the earliest month that the sample knows, so that ids grow with time.
START = int(dt.datetime(2014, 12, 1, tzinfo=dt.UTC).timestamp())
DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"

BOTS = ("AutoModerator", "RemindMeBot")

State = Literal["there", "deleted", "removed", "author", "reddit", "automod", "gone"]
"""deleted, author: by its writer; removed, reddit, automod: by somebody else; gone: the
account was deleted and the text is still there."""


class Comment(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A comment and what hangs under it."""

    by: str
    """op, lay (the flair of laypeople at that time), a bot's name, or a flair."""
    text: str = ""
    state: State = "there"
    edited: bool = False
    twice: bool = False
    """Whether the dump holds it a second time, then without its flair."""
    replies: tuple["Comment", ...] = ()


class Post(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A post and the comments under it."""

    when: str
    """Year and month, as in 2019-05."""
    title: str
    body: str = ""
    state: State = "there"
    why: str = ""
    """For the reader of the file: what the post is there for."""
    author: str = ""
    """A bot's name; empty for a patient."""
    op_flair: str = ""
    """Empty for the flair of laypeople at that time."""
    subreddit: str = "AskDocs"
    media: Literal["none", "image", "gallery", "link"] = "none"
    edited: bool = False
    twice: bool = False
    comments: tuple[Comment, ...] = ()


def draw(key: str, below: int) -> int:
    """Draw a number from 0 up to `below` that depends on the key alone."""
    digest = hashlib.blake2b(key.encode(), digest_size=8).digest()
    return int.from_bytes(digest) % below


def pick(key: str, choices: Sequence[str]) -> str:
    """Pick one of the choices by the key alone."""
    return choices[draw(key, len(choices))]


def user_name(key: str, start: str = "") -> str:
    """Invent a user name of more than the 20 characters that Reddit allows."""
    words = [start or pick(f"{key}/0", WORDS), pick(f"{key}/1", WORDS)]
    words += [pick(f"{key}/2", WORDS), f"{1000 + draw(f'{key}/3', 9000)}"]
    name = "_".join(words)
    return name if len(name) > 20 else f"{name}_invented"


def moment(post: Post) -> int:
    """Second at which a post was written: anywhere in the first 26 days of a month."""
    year, month = (int(part) for part in post.when.split("-"))
    first = dt.datetime(year, month, 1, tzinfo=dt.UTC)
    return int(first.timestamp()) + draw(f"{post.title}/moment", 26 * 86_400)


def month_of(second: int) -> str:
    """Year and month of a moment, UTC, as in 2019-05."""
    return f"{dt.datetime.fromtimestamp(second, tz=dt.UTC):%Y-%m}"


def delay(key: str, by: str) -> int:
    """Seconds until somebody answers: bots at once, patients after a day or more."""
    if by in BOTS:
        return 2
    if by == "op":
        return 40_000 + draw(key, 200_000)
    return 900 + draw(key, 30_000)


def base36(number: int, width: int) -> str:
    """Write a number in Reddit's digits."""
    digits = ""
    for _ in range(width):
        number, digit = divmod(number, 36)
        digits = DIGITS[digit] + digits
    return digits


def post_id(second: int) -> str:
    """Make the id of a post written then: later is larger."""
    return "zz" + base36((second - START) // 5, 5)


def comment_id(second: int, key: str) -> str:
    """Make the id of a comment written then: later is larger."""
    return "zz" + base36((second - START) * 7 + draw(key, 7), 6)


def lay_flair(month: str) -> str | None:
    """What a layperson's flair says in that month."""
    if month < "2017-01":
        return None
    if month < "2019-07":
        return "This user has not yet been verified."
    if month < "2021-07":
        return "Layperson/not verified as healthcare professional"
    return "Layperson/not verified as healthcare professional."
