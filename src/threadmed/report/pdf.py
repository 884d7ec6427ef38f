"""PDFs that are the same bytes whenever they hold the same.

What draws them keeps fonts in a hash table, which each process walks another way:
objects change their places and numbers, and nothing else does.
"""

import re
from itertools import pairwise

REFERENCE = re.compile(rb"(\d+) 0 R\b")
STREAM = re.compile(rb"\bstream\r?\n")
Objects = dict[int, bytes]


def ordered(pdf: bytes) -> bytes:
    """Write a PDF anew, its objects in the order in which they refer to each other.

    Args:
        pdf: With one table of all objects and none packed, as svg2pdf writes.

    Raises:
        ValueError: If it is built in another way.
    """
    head, objects, trailer = _taken_apart(pdf)
    root = re.search(rb"/Root (\d+) 0 R", trailer)
    if root is None:
        raise ValueError("a PDF without a root object")
    numbers = _numbered(objects, int(root[1]))
    body, places = bytearray(head), []
    for old, new in numbers.items():
        places.append(len(body))
        body += b"%d 0 obj\n%b\nendobj\n\n" % (new, _renumbered(objects[old], numbers))
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    size = len(places) + 1
    ending = b"trailer\n<<\n  /Size %d\n  /Root 1 0 R\n>>" % size
    start = len(body)
    body += b"xref\n0 %d\n0000000000 65535 f \n%b%b" % (size, table, ending)
    return bytes(body) + b"\nstartxref\n%d\n%%%%EOF" % start


def _taken_apart(pdf: bytes) -> tuple[bytes, Objects, bytes]:
    """Give what stands before the first object, the objects by number, the trailer."""
    start = re.search(rb"startxref\s+(\d+)\s+%%EOF\s*$", pdf)
    if start is None or not pdf[int(start[1]) :].startswith(b"xref"):
        raise ValueError("a PDF without a plain table of objects")
    table, _, trailer = pdf[int(start[1]) :].partition(b"trailer")
    places = sorted(int(at) for at in re.findall(rb"(\d{10}) \d{5} n", table))
    objects = {}
    for begin, end in pairwise([*places, int(start[1])]):
        match = re.fullmatch(
            rb"(\d+) 0 obj\s(.*)\sendobj\s*", pdf[begin:end], re.DOTALL
        )
        if match is None:
            raise ValueError(f"no object at byte {begin} of a PDF")
        objects[int(match[1])] = _with_sorted_fonts(match[2])
    return pdf[: places[0]], objects, trailer


def _numbered(objects: Objects, root: int) -> dict[int, int]:
    """Number what can be reached from the root, each before what it refers to."""
    numbers: dict[int, int] = {}
    waiting = [root]
    while waiting:
        at = waiting.pop()
        if at in numbers:
            continue
        numbers[at] = len(numbers) + 1
        names, _ = _parted(objects[at])
        waiting += reversed([int(number) for number in REFERENCE.findall(names)])
    return numbers


def _renumbered(inside: bytes, numbers: dict[int, int]) -> bytes:
    names, stream = _parted(inside)
    return (
        REFERENCE.sub(lambda match: b"%d 0 R" % numbers[int(match[1])], names) + stream
    )


def _parted(inside: bytes) -> tuple[bytes, bytes]:
    """Part what an object says from the bytes that it carries."""
    match = STREAM.search(inside)
    at = match.start() if match else len(inside)
    return inside[:at], inside[at:]


def _with_sorted_fonts(inside: bytes) -> bytes:
    r"""Sort the names of fonts, which are lists of one entry a line.

    Example:
        >>> print(_with_sorted_fonts(b"/Font <<\n/b 2 0 R\n/a 1 0 R\n>>").decode())
        /Font <<
        /a 1 0 R
        /b 2 0 R
        >>
    """
    names, stream = _parted(inside)

    def in_order(match: re.Match[bytes]) -> bytes:
        return match[1] + b"".join(sorted(match[2].splitlines(keepends=True)))

    return re.sub(rb"(/Font <<\n)((?:\s*/\w+ \d+ 0 R\n)+)", in_order, names) + stream
