"""What a terminal may be sent, and what stands for one that is not there."""

import os
import re
import sys

OBEYED = re.compile(
    "[\x00-\x08\x0a-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"
    "\ud800-\udfff]"
)
"""Control characters but the tab, marks that turn the direction of writing,
and halves of surrogates, which no output can hold.

A line feed is among them, since what is printed is a line: one within a name would
begin another, which could be taken for a result."""


COLOUR = re.compile(r"(\x1b\[[0-9;]*m)")
"""What turns a colour or weight of letters on and off."""


def printable(text: str, *, with_colours: bool = False) -> str:
    r"""Write as an escape what a terminal would obey instead of showing it.

    The text is a line; names and words in it come from files of other people, and
    from servers.

    Args:
        text: A line, which may hold anything.
        with_colours: Whether colours stay, since some of them are ours.

    Example:
        >>> print(printable("a\x1b[2Jb"))
        a\x1b[2Jb
    """
    if with_colours:
        parts = COLOUR.split(text)
        return "".join(
            part if COLOUR.fullmatch(part) else printable(part) for part in parts
        )
    return OBEYED.sub(lambda found: ascii(found[0])[1:-1], text)


def stand_in_for_closed() -> None:
    """Open what the process was started without of its standard streams.

    Else the next file to be opened takes the place, and is written to by whatever
    prints.
    """
    for name in ("stdin", "stdout", "stderr"):
        if getattr(sys, name) is None:
            place = os.open(os.devnull, os.O_RDWR)
            mode = "r" if name == "stdin" else "w"
            setattr(sys, name, os.fdopen(place, mode, encoding="utf-8"))
