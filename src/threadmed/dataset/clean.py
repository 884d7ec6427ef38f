"""Text as people read it, and why a post or comment is of no use; pure."""

import html
import re
from collections.abc import Callable
from typing import Literal

import msgspec

from threadmed.dataset.reddit import Comment, Loss, Post
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
    "\u2060-\u2064\ufeff]"
)
"""Zero-width characters, marks of direction and control characters."""

LINK = re.compile(r"(!?)\[([^\[\]]*)\]\(")
ADDRESS = re.compile(r"[/#:]|\.\w")
"""What the target of a link holds, and a remark in brackets mostly does not."""
LONGEST_TARGET = 2_048
DEEPEST_TARGET = 8
"""Past either a bracket counts as never closed, which keeps the search linear."""

URL = re.compile(
    r"<?(?:https?:/{1,3}|www\.)[^\s<>\[\]]+>?"
    r"|(?<![\w/@.-])/?r/\w+/comments/[^\s<>\[\]]*"
    r"|(?<![\w/@.-])(?:[a-z0-9-]+\.)+(?:com|org|net|gov|edu|info|io|it|be|ly|uk|ca|au|de|eu)"
    r"/[^\s<>\[\]]*",
    re.IGNORECASE,
)
LEFT_BY_URL = re.compile(r"\(\s*\)|<\s*>|^\s*\[\w*\]:?\s*$", re.MULTILINE)
AFTER_URL = frozenset(".,;:!?'\"*_>")
"""Signs at the end of an address that belong to the sentence around it."""

BREAKS = re.compile(r"\n{3,}")

BOTS = frozenset(
    {
        "alternate-source-bot",
        "amputatorbot",
        "anti-gif-bot",
        "anti-haiku-bot",
        "automoderator",
        "autotldr",
        "b0trank",
        "botrickbateman",
        "clickablelinkbot",
        "commonmisspellingbot",
        "converter-bot",
        "could-of-bot",
        "dadjokes_bot",
        "fatfingerhelperbot",
        "gifreversingbot",
        "gifv-bot",
        "goodbot_badbot",
        "haikubot-1911",
        "haikusbot",
        "helperbot_",
        "image_linker_bot",
        "imgurtranscriber",
        "linkfixerbot",
        "metric_units",
        "phonebatterylevelbot",
        "profanitycounter",
        "remindmebot",
        "savevideo",
        "sneakpeekbot",
        "sub_doesnt_exist_bot",
        "thelinkfixerbot",
        "timezone_bot",
        "totesmessenger",
        "totes_meta_bot",
        "tweetposter",
        "useles-converter-bot",
        "vredditdownloader",
        "wikipedia_answer_bot",
        "wikisummarizerbot",
        "wikitextbot",
        "youtubefactsbot",
    }
)
"""Accounts of programs that answer unasked, by exact name without regard to case; no
rule on names that end in "bot", since people have such names."""


class Limits(Record, frozen=True, kw_only=True):
    """What the reasons below depend on."""

    start: int
    """First second of the window."""
    end: int
    """First second after it."""
    min_words: int
    bots: frozenset[str]
    """Names of bots in lower case."""


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
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if "&" in text:
        text = ENTITY.sub(lambda entity: html.unescape(entity[0]), text)
        text = TYPED_NOTHING.sub("", TYPED_SPACE.sub(" ", text))
    text = INVISIBLE.sub("", text)
    if "](" in text:
        text = _without_links(text)
    text = _without_urls(text)
    text = "\n".join([" ".join(line.split()) for line in text.split("\n")])
    if "\n\n\n" in text:
        text = BREAKS.sub("\n\n", text)
    return text.strip()


def _without_urls(text: str) -> str:
    # Most texts hold none, and looking at every letter for one is slow.
    if "/" not in text and "www." not in text.casefold():
        return text
    bare = URL.sub(_left_of_url, text)
    return text if bare == text else LEFT_BY_URL.sub("", bare)


def _without_links(text: str) -> str:
    # An image may be the text of a link, and so links may lie in each other.
    for _ in range(3):
        bare = _without_innermost_links(text)
        if bare == text:
            break
        text = bare
    return text


def _without_innermost_links(text: str) -> str:
    pieces: list[str] = []
    position = 0
    for link in LINK.finditer(text):
        end = _end_of_target(text, link.end())
        if link.start() < position or end is None:
            continue
        if not link[1] and not ADDRESS.search(text[link.end() : end - 1]):
            continue
        pieces += [text[position : link.start()], "" if link[1] else link[2]]
        position = end
    return "".join([*pieces, text[position:]])


def _end_of_target(text: str, start: int) -> int | None:
    """Find where the bracket that opened before `start` closes; None if it does not.

    A target is one word, and may have a title in quotes behind it.
    """
    depth = 1
    for place in range(start, min(len(text), start + LONGEST_TARGET)):
        sign = text[place]
        depth += (sign == "(") - (sign == ")")
        if sign == "\n" or depth > DEEPEST_TARGET:
            return None
        if depth == 0:
            _, _, title = text[start:place].strip().partition(" ")
            quoted = title.strip()[:1] in {"", '"', "'"}
            return place + 1 if quoted else None
    return None


def _left_of_url(match: re.Match[str]) -> str:
    url = match[0]
    end, surplus = len(url), url.count(")") - url.count("(")
    while end and (url[end - 1] in AFTER_URL or (url[end - 1] == ")" and surplus > 0)):
        surplus -= url[end - 1] == ")"
        end -= 1
    return url[end:].lstrip(">")


def cleaned(post: Post) -> Post:
    """Clean a post's words; one whose body was nothing but addresses is an image's."""
    body = clean(post.body)
    emptied = not body and post.body.strip() and post.medium == "text"
    return msgspec.structs.replace(
        post,
        title=clean(post.title),
        body=body,
        medium="image" if emptied else post.medium,
    )


def outside_window(post: Post, limits: Limits) -> Reason | None:
    """Drop what was not written in the time that is asked for."""
    inside = limits.start <= post.created < limits.end
    return None if inside else "outside_window"


def lost(item: Post | Comment, _: Limits) -> Reason | None:
    """Drop what was deleted or removed, each by its own name."""
    return item.loss


def nameless(item: Post | Comment, _: Limits) -> Reason | None:
    """Drop what nobody can be found to have written."""
    known = item.author or (isinstance(item, Comment) and item.is_patient)
    return None if known else "author_deleted"


def automatic(item: Post | Comment, limits: Limits) -> Reason | None:
    """Drop what a program wrote, and what moderators pin under every post."""
    if item.author.casefold() in limits.bots:
        return "bot"
    return "notice" if item.is_notice else None


def textless(post: Post, _: Limits) -> Reason | None:
    """Drop a post that is an image or a link, whatever its title says."""
    if post.body or post.medium == "text":
        return None
    return "image_only" if post.medium == "image" else "link_only"


def too_few_words(post: Post, limits: Limits) -> Reason | None:
    """Drop what is too short to be a question; title and body count together."""
    words = len(post.title.split()) + len(post.body.split())
    return "too_few_words" if words < limits.min_words else None


PostRule = Callable[[Post, Limits], Reason | None]
CommentRule = Callable[[Comment, Limits], Reason | None]

RULES_AS_READ: tuple[PostRule, ...] = (outside_window, lost, automatic, nameless)
"""For posts as they come, in this order; the first reason counts."""

RULES_CLEANED: tuple[PostRule, ...] = (textless, too_few_words)
"""For posts once they are cleaned."""

RULES_COMMENT: tuple[CommentRule, ...] = (automatic, lost, nameless)


def why_drop_post(
    post: Post, limits: Limits, *, rules: tuple[PostRule, ...]
) -> Reason | None:
    """Give the first reason to drop a post, or None to keep it."""
    return next((why for rule in rules if (why := rule(post, limits))), None)


def why_drop_comment(comment: Comment, limits: Limits) -> Reason | None:
    """Give the first reason to drop a comment, or None to keep it."""
    return next((why for rule in RULES_COMMENT if (why := rule(comment, limits))), None)
