"""A prompt file, cut at its dividing lines; edge."""

import hashlib
import re
from collections.abc import Collection
from pathlib import Path

from threadmed.errors import InputError


def read_parts(
    path: Path, *, forms: Collection[tuple[str, ...]], expected: str
) -> tuple[dict[str, str], str]:
    """Read a file and cut it at its dividing lines, such as `---user---`.

    Args:
        path: The file.
        forms: Names of the dividing lines, in their order, of each form it may have.
        expected: The same in words.

    Returns:
        The parts by name, of which the first is `system`; and the SHA-256 of the text
        with line ends as LF.

    Raises:
        InputError: If the file cannot be read or has none of the forms.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except FileNotFoundError as cause:
        raise InputError(f"{path}: no such prompt file") from cause
    except (OSError, UnicodeDecodeError) as cause:
        raise InputError(f"{path}: cannot read: {cause}") from cause
    pieces = re.split(r"^---(\w+)---[ \t]*$", text, flags=re.MULTILINE)
    names = tuple(pieces[1::2])
    if names not in forms:
        raise InputError(
            f"{path}: expected {expected}, found {', '.join(names) or 'none'}"
        )
    bodies = (piece.strip() for piece in pieces[::2])
    parts = dict(zip(("system", *names), bodies, strict=True))
    return parts, hashlib.sha256(text.encode()).hexdigest()
