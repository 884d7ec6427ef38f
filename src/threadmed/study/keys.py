"""Says which keys a table of a TOML file has, where it is given one that it has not."""

import re
from types import UnionType
from typing import Union, get_args, get_origin

import msgspec


def unknown_key(complaint: str, kind: object) -> str | None:
    """Put a complaint of msgspec about an unknown key into words.

    Args:
        complaint: What msgspec says.
        kind: The record that the whole file becomes.

    Returns:
        The table, the key, and the keys that there are; None where the complaint is
        about something else.

    Example:
        >>> class Inner(msgspec.Struct, forbid_unknown_fields=True):
        ...     one: int = 1
        >>> class Outer(msgspec.Struct):
        ...     inner: Inner
        >>> unknown_key("Object contains unknown field `on` - at `$.inner`", Outer)
        "[inner] has no key 'on'; it has one"
    """
    found = re.search(r"unknown field `([^`]+)`(?: - at `\$\.?([^`]*)`)?", complaint)
    if found is None:
        return None
    place = found[2] or ""
    record = kind
    for step in re.findall(r"\w+|\[[^\]]*\]", place):
        record = _inner(record, step)
    known = _keys(record)
    if not known:
        return None
    return f"{_table(place)} has no key {found[1]!r}; it has {', '.join(known)}"


def _keys(record: object) -> list[str]:
    if not (isinstance(record, type) and issubclass(record, msgspec.Struct)):
        return []
    return [field.encode_name for field in msgspec.structs.fields(record)]


def _inner(record: object, step: str) -> object:
    """Go one step down: into a list, or to what is under a key."""
    if step.startswith("["):
        return _record_in(get_args(record)[0]) if get_args(record) else None
    if isinstance(record, type) and issubclass(record, msgspec.Struct):
        for field in msgspec.structs.fields(record):
            if field.encode_name == step:
                return _record_in(field.type)
    return None


def _record_in(kind: object) -> object:
    """Take None away from what may be None."""
    if get_origin(kind) in {Union, UnionType}:
        return next(each for each in get_args(kind) if each is not type(None))
    return kind


def _table(place: str) -> str:
    """Write the place of a table as the file has it."""
    if not place:
        return "the top of the file"
    name = re.sub(r"\[[^\]]*\]", "", place)
    return f"[[{name}]]" if place.endswith("]") else f"[{name}]"
