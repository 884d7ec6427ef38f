"""One line of a dump that could not be decoded as it stands: mend it, or say why not.

Pure.
"""

import json
import re
from collections.abc import Callable
from typing import Generic, Literal, TypeVar

import msgspec

Raw = TypeVar("Raw")

BadLine = Literal["not_json", "not_object", "missing_field", "wrong_type"]
Repair = Literal["bom", "crlf", "nul", "utf8", "escape", "glued"]
"""glued: a line break is missing between two records."""

WHOLE_VALUE = re.compile(r" - at `\$\[[^\]]*\]`$")
"""How msgspec says that it is the record itself and not a field that is wrong."""

BOM = b"\xef\xbb\xbf"

PADDING = b"\0 \t\r"
"""What may stand around a line; unfinished downloads are filled with NULs."""


class Decoded(msgspec.Struct, Generic[Raw], frozen=True, kw_only=True):
    """A line's record, or records, and what had to be mended for it."""

    records: list[Raw]
    repairs: tuple[Repair, ...]


def is_blank(line: bytes) -> bool:
    """Whether a line holds nothing."""
    return not line.strip(PADDING)


def decode_line(
    line: bytes, decode: Callable[[str], list[Raw]]
) -> Decoded[Raw] | BadLine:
    r"""Decode one line with the least mending that makes it JSON.

    Args:
        line: The line without its break.
        decode: Decodes one JSON text after another, and raises what msgspec raises.

    Example:
        >>> decode = msgspec.json.Decoder(dict).decode_lines
        >>> decode_line(b'{"a": "\xff"}\0\0', decode)
        Decoded(records=[{'a': '\ufffd'}], repairs=('nul', 'utf8'))
        >>> decode_line(b'{"a": "x', decode)
        'not_json'
    """
    bare, repairs = _bared(line)
    text = bare.decode(errors="replace")
    if text.encode() != bare:
        repairs += ("utf8",)
    try:
        try:
            records = decode(text)
        except msgspec.ValidationError:
            raise
        except (msgspec.DecodeError, UnicodeError):
            records = decode(_with_plain_strings(text))
            repairs += ("escape",)
        if len(records) > 1:
            repairs += ("glued",)
        return Decoded(records=records, repairs=repairs)
    except msgspec.ValidationError as cause:
        return _complaint(str(cause))
    except (ValueError, RecursionError):
        return "not_json"


def _bared(line: bytes) -> tuple[bytes, tuple[Repair, ...]]:
    """Take off what stands around a line, and say what of it had to be mended."""
    bare = line.strip(PADDING)
    repairs: tuple[Repair, ...] = ()
    if bare.startswith(BOM):
        # Files that each begin with one were joined.
        bare = bare.removeprefix(BOM).strip(PADDING)
        repairs += ("bom",)
    if b"\0" in line[:1] + line[-1:]:
        repairs += ("nul",)
    return bare, repairs


def _complaint(message: str) -> BadLine:
    if "missing required field" in message:
        return "missing_field"
    return "not_object" if WHOLE_VALUE.search(message) else "wrong_type"


def _with_plain_strings(text: str) -> str:
    """Give the same JSON without half surrogates and raw control characters.

    The standard library reads both; what is half becomes U+FFFD.
    """
    written = json.dumps(json.loads(text, strict=False), ensure_ascii=False)
    return written.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
