"""Types of records to words and to JSON Schema; the records themselves say it all."""

import ast
import inspect
import textwrap
from collections.abc import Iterator, Mapping
from itertools import pairwise
from types import NoneType, UnionType
from typing import (
    Annotated,
    Any,
    Literal,
    NamedTuple,
    NewType,
    Union,
    get_args,
    get_origin,
)

import msgspec

from threadmed.records import Record

Hint = object
"""A type as it stands behind the name of a field."""
Names = Mapping[type[Record], str]
"""What each record is called; the module's name goes first where two have one name."""
Schema = dict[str, object]

PLAIN: Mapping[object, tuple[str, str]] = {
    str: ("text", "string"),
    int: ("whole number", "integer"),
    float: ("number", "number"),
    bool: ("true or false", "boolean"),
    NoneType: ("null", "null"),
}
"""What people and what JSON Schema call a type."""


class Field(NamedTuple):
    """A field of a record as it is written."""

    name: str
    hint: Hint
    about: str
    """The docstring under it, on one line."""


def bare(hint: Hint) -> Hint:
    """Take what only narrows a type, or names it anew, off it.

    Example:
        >>> bare(Annotated[int, "above 0"])
        <class 'int'>
    """
    while get_origin(hint) is Annotated or isinstance(hint, NewType):
        hint = hint.__supertype__ if isinstance(hint, NewType) else get_args(hint)[0]
    return hint


def parts_of(hint: Hint) -> tuple[Hint, ...]:
    """Give what a union, a row or a mapping is made of, without values of Literal."""
    if get_origin(hint) is Literal:
        return ()
    return tuple(bare(part) for part in get_args(hint) if part is not Ellipsis)


def fields_of(record: type[Record]) -> tuple[Field, ...]:
    """List the fields of a record; the tag that tells it from others goes first."""
    about = _docstrings(record)
    fields = tuple(
        Field(field.encode_name, bare(field.type), about.get(field.name, ""))
        for field in msgspec.structs.fields(record)
    )
    config = record.__struct_config__
    if config.tag_field is None or config.tag is None:
        return fields
    tag: Hint = Literal.__getitem__(config.tag)
    return (Field(config.tag_field, tag, "Tells what this is."), *fields)


def _docstrings(record: type[Record]) -> dict[str, str]:
    """Read the docstrings that stand under fields, those of parents included."""
    said: dict[str, str] = {}
    for each in reversed(record.__mro__):
        if not issubclass(each, Record) or each is Record:
            continue
        (found,) = ast.parse(textwrap.dedent(inspect.getsource(each))).body
        body = found.body if isinstance(found, ast.ClassDef) else []
        for field, below in pairwise(body):
            match field, below:
                case (
                    ast.AnnAssign(target=ast.Name(id=name)),
                    ast.Expr(value=ast.Constant(value=str(text))),
                ):
                    said[name] = " ".join(text.split())
                case _:
                    pass
    return said


def records_in(record: type[Record]) -> tuple[type[Record], ...]:
    """List a record and all that it is made of, each where it is first needed."""
    found: dict[type[Record], None] = {}
    waiting: list[Hint] = [record]
    while waiting:
        hint = waiting.pop()
        inside: tuple[Hint, ...] = parts_of(hint)
        if isinstance(hint, type) and issubclass(hint, Record):
            if hint in found:
                continue
            found[hint] = None
            inside = tuple(field.hint for field in fields_of(hint))
        waiting += reversed(inside)
    return tuple(found)


def names_of(records: tuple[type[Record], ...]) -> Names:
    """Name records, those that share a name by their module as well."""
    short = [record.__name__ for record in records]
    return {
        record: record.__name__
        if short.count(record.__name__) == 1
        else f"{record.__module__.rpartition('.')[2]}.{record.__name__}"
        for record in records
    }


def schema_of(hint: Hint, names: Names) -> Schema:
    """Give the JSON Schema of a type, which refers to records by their names.

    Raises:
        TypeError: If JSON has nothing like it.

    Example:
        >>> schema_of(tuple[int, ...] | None, {})
        {'anyOf': [{'type': 'array', 'items': {'type': 'integer'}}, {'type': 'null'}]}
    """
    if isinstance(hint, type) and issubclass(hint, Record):
        return {"$ref": f"#/$defs/{names[hint]}"}
    if hint in PLAIN:
        return {"type": PLAIN[hint][1]}
    if hint in (object, Any):
        return {}
    return _schema_of_many(hint, [schema_of(part, names) for part in parts_of(hint)])


def _schema_of_many(hint: Hint, inside: list[Schema]) -> Schema:
    origin = get_origin(hint)
    if origin is Literal:
        return {"enum": list(get_args(hint))}
    if origin in (Union, UnionType):
        return {"anyOf": inside}
    if origin is dict:
        return {"type": "object", "additionalProperties": inside[1]}
    if origin in (tuple, list):
        if Ellipsis in get_args(hint) or origin is list:
            return {"type": "array", "items": inside[0]}
        return {"type": "array", "prefixItems": inside, "items": False}
    raise TypeError(f"JSON has nothing like {hint!r}")


def words_of(hint: Hint, names: Names) -> str:
    """Give a type in words, for Markdown.

    Example:
        >>> words_of(tuple[int, ...] | None, {}), words_of(Literal["a", 1], {})
        ('list of whole number, or null', '`"a"` or `1`')
    """
    if isinstance(hint, type) and issubclass(hint, Record):
        return f"[{names[hint]}](#{anchor(names[hint])})"
    if hint in PLAIN:
        return PLAIN[hint][0]
    if hint in (object, Any):
        return "anything"
    return _words_of_many(hint, [words_of(part, names) for part in parts_of(hint)])


def _words_of_many(hint: Hint, inside: list[str]) -> str:
    origin = get_origin(hint)
    if origin is Literal:
        values = (msgspec.json.encode(value).decode() for value in get_args(hint))
        return " or ".join(f"`{value}`" for value in values)
    if origin in (Union, UnionType):
        several = any(part.startswith("list of") for part in inside)
        return (", or " if several else " or ").join(inside)
    if origin is dict:
        return f"object of {inside[1]}"
    if Ellipsis in get_args(hint) or origin is list:
        return f"list of {inside[0]}"
    return f"list of {', '.join(inside)}"


def anchor(name: str) -> str:
    """Give the anchor that a heading has on a Markdown page.

    Example:
        >>> anchor("compared.Loss")
        'comparedloss'
    """
    return "".join(c for c in name.lower() if c.isalnum() or c in "-_")


def first_line(record: type[Record]) -> str:
    """Give the sentence that a record begins with, on one line."""
    about, _, _ = inspect.cleandoc(record.__doc__ or "").partition("\n\n")
    return " ".join(about.split())


def described(record: type[Record], names: Names) -> Iterator[str]:
    """Write a record as a section of a Markdown page."""
    yield from (f"### {names[record]}", "", first_line(record), "")
    yield from ("| field | is | means |", "| --- | --- | --- |")
    for field in fields_of(record):
        kind = words_of(field.hint, names).replace("|", "\\|")
        about = field.about.replace("|", "\\|")
        yield f"| `{field.name}` | {kind} | {about} |"
    yield ""
