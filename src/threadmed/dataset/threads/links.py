"""Links and addresses taken out of texts; pure."""

import re

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
WWW = re.compile(r"\.(?<=ww\.)", re.IGNORECASE)
SLASH = re.compile(
    r"/(?:(?<=:/)|(?<=comments/)|(?<=\.\w\w/)|(?<=\.\w\w\w/)|(?<=\.\w\w\w\w/))",
    re.IGNORECASE,
)
"""Each address holds one of them; what begins with one fixed sign is found quickly."""

LEFT_BY_URL = re.compile(
    r"\([^\S\n]*\)|<[^\S\n]*>|^[^\S\n]*\[\w*\]:?[^\S\n]*$", re.MULTILINE
)
AFTER_URL = frozenset(".,;:!?'\"*_>")
"""Signs at the end of an address that belong to the sentence around it."""


def without_links(text: str) -> str:
    """Put in place of each link the text that it stands behind, and nothing for images.

    Example:
        >>> without_links("see [this](https://x.org/a_(b)), not [100](mg a day)")
        'see this, not [100](mg a day)'
    """
    if "](" not in text:
        return text
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


def without_urls(text: str) -> str:
    """Take out addresses, and the brackets that stood around nothing else.

    Example:
        >>> without_urls("and/or (www.who.int/x), as imgur.com/a/xyz shows")
        'and/or , as  shows'
    """
    # Looking at every letter for an address is slow, and most texts hold none.
    if not (WWW.search(text) or SLASH.search(text)):
        return text
    bare = URL.sub(_left_of_url, text)
    return text if bare == text else LEFT_BY_URL.sub("", bare)


def _left_of_url(match: re.Match[str]) -> str:
    url = match[0]
    end, surplus = len(url), url.count(")") - url.count("(")
    while end and (url[end - 1] in AFTER_URL or (url[end - 1] == ")" and surplus > 0)):
        surplus -= url[end - 1] == ")"
        end -= 1
    return url[end:].lstrip(">")
