"""Writes the viewer of conversations: a page, an index, and pieces with the words.

It opens from disk, where a page may not fetch: each piece is a script that hands its
threads to a function of the page, and is loaded when somebody looks at one of them.
"""

import hashlib
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

import msgspec

from threadmed.markup import UNSHOWN
from threadmed.report.blocks import Report
from threadmed.report.catalogue import index_of
from threadmed.report.conversations import Conversation, Index
from threadmed.report.links import VIEWER
from threadmed.report.material import Found
from threadmed.report.page import asset, environment
from threadmed.report.theme import style_variables
from threadmed.report.transcripts import conversations, judges_of
from threadmed.store import write_text

FOLDER = "conversations"
STYLES = ("page.css", "conversations.css")
SCRIPTS = ("conversations.js", "thread.js", "browse.js")
"""In the order in which they are loaded."""

PIECE_BYTES = 400_000
"""A piece is closed once it holds so much: quick to load for one thread, and few
enough of them for a search of all words."""

UNSAFE = re.compile(
    r"\\(?P<control>u00[01][0-9a-f]|[bf])|\\.|(?P<raw>["
    + "".join(chr(code) for code in UNSHOWN if code >= 0x7F)
    + "])|[<>&\u2028\u2029]"
)
"""In JSON: escapes of what is not shown, other escapes, what is not shown as it is, and
what a script inside a page, or an old reader of scripts, would stumble over."""


def write_viewer(root: Path, found: Found, report: Report) -> Index | None:
    """Write the viewer into the folder of a report.

    Args:
        root: The folder; the page goes into it, all else into conversations/.
        found: What the study folder holds.
        report: What the report's own page shows; name, notice and mark are its.

    Returns:
        The index, or None where no question carries a misconception; then nothing is
        written. Pieces of an earlier report are removed in either case.
    """
    folder = root / FOLDER
    hashes: list[str] = []
    placed: list[tuple[int, Conversation]] = []
    for threads, data in pieces(conversations(found)):
        number = len(hashes)
        hashes.append(hashlib.sha256(data.encode()).hexdigest()[:12])
        call = f'threadmed.piece({number},"{hashes[-1]}",{data});\n'
        write_text(folder / f"piece-{number:03}.js", call)
        placed += [(number, bare(thread)) for thread in threads]
    for old in folder.glob("piece-*.js"):
        if old.name not in {f"piece-{number:03}.js" for number in range(len(hashes))}:
            old.unlink()
    if not placed:
        (root / VIEWER).unlink(missing_ok=True)
        return None
    index = index_of(found, placed, judges=judges_of(found))
    index = msgspec.structs.replace(index, pieces=tuple(hashes))
    write_text(folder / "index.js", f"threadmed.index({script_json(index)});\n")
    _write_page(root, report, index)
    return index


def _write_page(root: Path, report: Report, index: Index) -> None:
    drawn = environment()
    html = drawn.get_template("viewer.html.j2").render(
        report=report, index=index, folder=FOLDER, scripts=(*SCRIPTS, "index.js")
    )
    write_text(root / VIEWER, html.translate(UNSHOWN))
    styles = "".join(asset(drawn, name) for name in STYLES)
    write_text(root / FOLDER / "viewer.css", style_variables() + styles)
    for name in SCRIPTS:
        write_text(root / FOLDER / name, asset(drawn, name))


def pieces(
    threads: Iterable[Conversation], *, size: int = PIECE_BYTES
) -> Iterator[tuple[list[Conversation], str]]:
    """Cut threads into pieces of about `size` characters of JSON, in their order."""
    kept: list[Conversation] = []
    texts: list[str] = []
    for thread in threads:
        kept.append(thread)
        texts.append(script_json(thread))
        if sum(len(text) for text in texts) >= size:
            yield kept, f"[{','.join(texts)}]"
            kept, texts = [], []
    if kept:
        yield kept, f"[{','.join(texts)}]"


def bare(thread: Conversation) -> Conversation:
    """Leave out the words, which the index does not need."""
    return msgspec.structs.replace(thread, said=(), opinions=(), changes=())


def script_json(value: object) -> str:
    r"""Write JSON that is safe inside a script, without what a page must not show.

    Example:
        >>> script_json(["</script>", "a\x1bb"])
        '["\\u003c/script\\u003e","a\ufffdb"]'
    """
    return UNSAFE.sub(_safe, msgspec.json.encode(value).decode())


def _safe(match: re.Match[str]) -> str:
    if match["control"] or match["raw"]:
        return "\N{REPLACEMENT CHARACTER}"
    text = match[0]
    return text if text.startswith("\\") else f"\\u{ord(text):04x}"
