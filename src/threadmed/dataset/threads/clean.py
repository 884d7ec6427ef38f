"""Text as people read it, and why a post or comment is of no use; pure."""

import html
import re
from collections.abc import Callable
from datetime import UTC, date, datetime
from typing import Literal

import msgspec

from threadmed.dataset.bots import BOTS
from threadmed.dataset.dumps.reddit import Comment, Loss, Post
from threadmed.dataset.options import BuildOptions, FirstQuestion
from threadmed.dataset.threads.links import without_links, without_urls
from threadmed.records import Record

Reason = (
    Loss
    | Literal[
        "outside_window",
        "author_deleted",
        "bot",
        "notice",
        "image_only",
        "link_only",
        "too_few_words",
        "empty",
    ]
)
"""Why something is dropped."""

ENTITY = re.compile(
    r"&(?:amp|lt|gt|quot|apos|nbsp|#[0-9]{1,7}|#x[0-9a-f]{1,6});", re.IGNORECASE
)
"""What Reddit escapes, always with its semicolon: html.unescape alone would also turn
"&copy" inside of an address into a sign."""

TYPED_SPACE = re.compile(r"&(?:nbsp|#160|#x?a0);", re.IGNORECASE)
TYPED_NOTHING = re.compile(r"&#(?:x200b|8203);", re.IGNORECASE)
"""Reddit's editors write these as text; they are still there after unescaping."""

INVISIBLE = re.compile(
    "[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\u00ad\u200b-\u200f\u202a-\u202e"
    "\u2060-\u2064\u2066-\u2069\ufeff]"
)
"""Zero-width characters, marks of direction and control characters."""

SPACES = re.compile("  +")
BREAKS = re.compile(r"\n{3,}")

EDIT = re.compile(
    r"^[^\w\n]*(?:"
    r"(?:edit(?:ed)?|updated?|eta)[^\w\n]*(?:\d+[^\w\n]*)?(?:[:.,;!)\]*_\u2013\u2014-]|$)"
    r"|edit(?:ed)? to add\b|(?-i:EDIT|UPDATE|ETA)\b)",
    re.IGNORECASE | re.MULTILINE,
)
"""A line with which people begin what they add later; "Updated my vaccines" is none."""


class Limits(Record, frozen=True, kw_only=True):
    """What the reasons below depend on."""

    start: int
    """First second of the window."""
    end: int
    """First second after it."""
    min_words: int
    bots: frozenset[str]
    """Names of bots in lower case."""
    text: FirstQuestion = "title_and_body"
    image_posts: Literal["drop", "keep_title"] = "drop"
    crossposts: Literal["drop", "keep"] = "drop"
    edits: Literal["keep", "cut"] = "keep"
    deleted_post_author: Literal["drop", "is_submitter"] = "drop"


def limits_of(options: BuildOptions) -> Limits:
    """Give what the reasons depend on, as options have it.

    Example:
        >>> limits_of(BuildOptions()).start
        1420070400
    """
    return Limits(
        start=_first_second(options.window_start),
        end=_first_second(options.window_end),
        min_words=options.min_words,
        # An empty name is nobody's: it stands for an account that is gone.
        bots=BOTS | {name.casefold() for name in options.known_bots} - {""},
        text=options.text,
        image_posts=options.image_posts,
        crossposts=options.crossposts,
        edits=options.edits,
        deleted_post_author=options.deleted_post_author,
    )


def _first_second(day: date) -> int:
    return int(datetime(day.year, day.month, day.day, tzinfo=UTC).timestamp())


def clean(text: str) -> str:
    r"""Give the text as a reader sees it, without addresses.

    Entities are undone once, links become their text, images and addresses go,
    invisible characters go, and space is made even; line breaks stay.

    Example:
        >>> clean("BP &gt; 140, see [this](https://x.org/a_(b)) or www.who.int/x .")
        'BP > 140, see this or .'
        >>> clean("typed &amp;gt;\r\n\r\n\r\n&amp;#x200B;\r\nend  ")
        'typed &gt;\n\nend'
    """
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    if "&" in text:
        text = _unescaped(text)
    # What is printable but for its breaks holds no other space and nothing invisible.
    is_plain = text.replace("\n", "").isprintable()
    if not is_plain:
        text = INVISIBLE.sub("", text)
    text = without_urls(without_links(text))
    text = _evened(text) if is_plain else _evened_anew(text)
    if "\n\n\n" in text:
        text = BREAKS.sub("\n\n", text)
    return text.strip()


def _unescaped(text: str) -> str:
    text = ENTITY.sub(lambda entity: html.unescape(entity[0]), text)
    return TYPED_NOTHING.sub("", TYPED_SPACE.sub(" ", text))


def _evened(text: str) -> str:
    """Make space even where there is none but spaces and line breaks."""
    if "  " in text:
        text = SPACES.sub(" ", text)
    if "\n" in text:
        text = text.replace(" \n", "\n").replace("\n ", "\n")
    return text


def _evened_anew(text: str) -> str:
    return "\n".join([" ".join(line.split()) for line in text.split("\n")])


def words_left(text: str, limits: Limits) -> str:
    """Clean a text, and cut what was added to it where that is asked for."""
    text = clean(text)
    return without_edits(text) if limits.edits == "cut" else text


def without_edits(text: str) -> str:
    r"""Cut a cleaned text where it says that it was edited.

    Example:
        >>> without_edits("My knee hurts.\n\n**EDIT 2:** it is the left one")
        'My knee hurts.'
        >>> without_edits("Updated my vaccines last week")
        'Updated my vaccines last week'
    """
    edit = EDIT.search(text)
    return text if edit is None else text[: edit.start()].rstrip()


def is_blank(text: str, limits: Limits) -> bool:
    """Whether nothing is left of a text once it is cleaned."""
    # Cleaning is slow, and most texts hold words that it cannot take away.
    if limits.edits == "keep" and (SURE_WORD.match(text) or has_surely_words(text, 1)):
        return False
    return not words_left(text, limits)


SURE_WORD = re.compile(r"[^\W_][\w'\u2019]*[.,:;!?]*(?!\S)")
"""What most texts begin with, and cleaning never takes: where nothing stands before a
word and no letter follows its signs, it is in no link and no address."""

LOOKED_AT = 120
"""Characters of a text in which enough words are looked for."""


def has_surely_words(text: str, least: int) -> bool:
    """Whether at least so many words are left of a text whatever cleaning takes away.

    Cleaning takes links, addresses and signs, none of which is of letters and digits
    alone; only the text of an image may be, so that a text that may hold one is not sure.
    The scanner in C has a stricter test (native/text.h), which may be true of no text of
    which this is not.

    Example:
        >>> has_surely_words("Is this mole on my arm bad?", 5)
        True
        >>> has_surely_words("![of my left arm today](x.png)", 5)
        False
    """
    words = text[:LOOKED_AT].split()
    if len(text) > LOOKED_AT:
        # The last may go on beyond what is looked at.
        del words[-1:]
    if _may_hold_an_image(text):
        return False
    for word in words:
        least -= word.isalnum()
        if least <= 0:
            return True
    return least <= 0


def _may_hold_an_image(text: str) -> bool:
    """Whether cleaning may find "](": also what stands for it, or keeps it apart."""
    return (
        "](" in text
        or "&#" in text
        or ("]" in text and ("&" in text or INVISIBLE.search(text) is not None))
    )


def usable(post: Post, limits: Limits) -> Post | Reason:
    """Clean a post, or say why it is of no use.

    Args:
        post: As it was read, its copies merged.
        limits: What posts are dropped by.
    """
    why = why_drop_post(post, limits, rules=RULES_AS_READ)
    if why is not None:
        return why
    post = cleaned(post, limits)
    return why_drop_post(post, limits, rules=RULES_CLEANED) or post


def cleaned(post: Post, limits: Limits) -> Post:
    """Clean a post's words; one whose body was nothing but addresses is an image's."""
    raw = post.body
    if limits.crossposts == "keep" and not raw.strip():
        raw = post.crossposted
    body = words_left(raw, limits)
    emptied = not body and raw.strip() and post.medium == "text" and not clean(raw)
    return msgspec.structs.replace(
        post,
        title=clean(post.title),
        body=body,
        medium="image" if emptied else post.medium,
    )


def question_of(post: Post, text: FirstQuestion) -> str:
    """Give the first question: the cleaned words of a post that are asked for."""
    parts = [post.body] if text == "body" else [post.title, post.body]
    return "\n\n".join(part for part in parts if part)


def outside_window(post: Post, limits: Limits) -> Reason | None:
    """Drop what was not written in the time that is asked for."""
    inside = limits.start <= post.created < limits.end
    return None if inside else "outside_window"


def lost(item: Post | Comment, _: Limits) -> Reason | None:
    """Drop what was deleted or removed, each by its own name."""
    return item.loss


def nameless(item: Post | Comment, limits: Limits) -> Reason | None:
    """Drop what nobody can be found to have written."""
    if isinstance(item, Comment):
        known = item.author != "" or item.is_patient
    else:
        known = item.author != "" or limits.deleted_post_author == "is_submitter"
    return None if known else "author_deleted"


def automatic(item: Post | Comment, limits: Limits) -> Reason | None:
    """Drop what a program wrote, and what moderators pin under every post."""
    if item.author.casefold() in limits.bots:
        return "bot"
    return "notice" if item.is_notice else None


def textless(post: Post, limits: Limits) -> Reason | None:
    """Drop a post that is an image or a link, unless its title is enough."""
    if post.body or post.medium == "text":
        return None
    if limits.image_posts == "keep_title" and limits.text == "title_and_body":
        return None
    return "image_only" if post.medium == "image" else "link_only"


def too_few_words(post: Post, limits: Limits) -> Reason | None:
    """Drop what is too short to be a question; without any word nothing is one."""
    words = len(question_of(post, limits.text).split())
    return "too_few_words" if words < max(limits.min_words, 1) else None


PostRule = Callable[[Post, Limits], Reason | None]
CommentRule = Callable[[Comment, Limits], Reason | None]

RULES_AS_READ: tuple[PostRule, ...] = (outside_window, lost, automatic, nameless)
"""For posts as they come, in this order; the first reason counts.

Of a post that the scanner in C calls plain (native/posts.h) none of them holds.
"""

RULES_CLEANED: tuple[PostRule, ...] = (textless, too_few_words)
"""For posts once they are cleaned."""

RULES_COMMENT: tuple[CommentRule, ...] = (automatic, lost, nameless)
"""For comments, in this order.

The scanner in C sets a flag for each of them (native/comments.h), and
`threadmed.dataset.passes.trees` goes by these flags in the same order.
"""


def why_drop_post(
    post: Post, limits: Limits, *, rules: tuple[PostRule, ...]
) -> Reason | None:
    """Give the first reason to drop a post, or None to keep it."""
    return next((why for rule in rules if (why := rule(post, limits))), None)


def is_plain(item: Post | Comment, limits: Limits) -> bool:
    """Whether no rule for comments, nor one for posts as they come, can drop it.

    Of a post, that it is outside of the window has to be seen besides.
    """
    return (
        item.loss is None
        and item.author != ""
        and not item.is_notice
        and item.author.casefold() not in limits.bots
    )


def why_drop_comment(comment: Comment, limits: Limits) -> Reason | None:
    """Give the first reason to drop a comment, or None to keep it."""
    for rule in RULES_COMMENT:
        why = rule(comment, limits)
        if why is not None:
            return why
    return None
