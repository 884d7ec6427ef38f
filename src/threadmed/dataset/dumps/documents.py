"""A file that is one JSON value, or a few, and not one record a line; pure."""

import json
import re
from collections.abc import Iterator

import msgspec

from threadmed.dataset.dumps.lines import BOM

START = re.compile(rb'\s*(?:\[|\{\s*"(?:data|metadata|error)"\s*:\s*[\[\{n])')
"""How a file begins that is not one record a line."""

LIST = re.compile(r'"data"\s*:\s*\[')
BETWEEN = re.compile(r"[\s,\0\ufeff]*")

READ = json.JSONDecoder(strict=False).raw_decode


class Elements(msgspec.Struct, frozen=True):
    """The records of a document, as JSON."""

    items: list[bytes]
    is_whole: bool
    """Whether the document ends where it should."""


class Page(msgspec.Struct):
    """What an API wraps its records in."""

    data: list[msgspec.Raw]


def elements(data: bytes) -> Elements | None:
    """Give the records of a document; None if it is none.

    Args:
        data: An array, a page of an API with its records under `data`, or several of
            these one after the other, whole or cut.

    Example:
        >>> elements(b'[{"id": "a"}, {"id": "b"}]').items
        [b'{"id": "a"}', b'{"id": "b"}']
        >>> elements(b'{"data": [{"id": "a"}, {"id')
        Elements(items=[b'{"id": "a"}'], is_whole=False)
    """
    bare = data.removeprefix(BOM)
    try:
        try:
            raws = msgspec.json.decode(bare, type=list[msgspec.Raw])
        except msgspec.ValidationError:
            raws = msgspec.json.decode(bare, type=Page).data
    except (ValueError, RecursionError):
        return _with_care(bare.decode(errors="replace"))
    return Elements(items=[bytes(raw) for raw in raws], is_whole=True)


def _with_care(text: str) -> Elements | None:
    """Go through values one by one, as far as they can be read."""
    items: list[bytes] = []
    place = _skip(text, 0)
    while place < len(text):
        page = _page(text, place) if text[place] == "{" else None
        if page is not None:
            records, place = page
            items += records
        else:
            start = _start_of_list(text, place)
            if start is None:
                return None
            array = _Array(text, start)
            items += array
            if array.end is None or text[place] == "{":
                return Elements(items=items, is_whole=False)
            place = array.end
        place = _skip(text, place)
    return Elements(items=items, is_whole=True)


def _page(text: str, place: int) -> tuple[list[bytes], int] | None:
    """Give the records of a whole page, and where it ends; None if it is none."""
    try:
        value, end = READ(text, place)
    except (ValueError, RecursionError):
        return None
    data = value.get("data")
    if not isinstance(data, list):
        return None
    dumped = (json.dumps(one, ensure_ascii=False) for one in data)
    return [one.encode("utf-8", "replace") for one in dumped], end


def _start_of_list(text: str, place: int) -> int | None:
    """Give where the elements of an array, or of a cut page, begin; None for neither."""
    if text[place] == "[":
        return place + 1
    found = LIST.search(text, place) if text[place] == "{" else None
    return found.end() if found else None


def _skip(text: str, place: int) -> int:
    found = BETWEEN.match(text, place)
    return found.end() if found else place


class _Array:
    """The elements of an array that begins before `start`."""

    def __init__(self, text: str, start: int) -> None:
        self.end: int | None = None
        """Where it ends; None where it does not."""
        self._text = text
        self._start = start

    def __iter__(self) -> Iterator[bytes]:
        place = _skip(self._text, self._start)
        while place < len(self._text):
            if self._text[place] == "]":
                self.end = place + 1
                return
            try:
                _, end = READ(self._text, place)
            except (ValueError, RecursionError):
                return
            yield self._text[place:end].encode("utf-8", "replace")
            place = _skip(self._text, end)
