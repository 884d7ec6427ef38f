"""A prompt: read from a file, filled with quoted texts, asked until its JSON is read.

A prompt file has two parts and, if it wants one, a third::

    what goes into the system message; may be empty
    ---user---
    what goes into the user message, with {{placeholders}}
    {{#earlier}}
    lines that are left out where {{earlier}} has nothing to show
    {{/earlier}}
    ---schema---
    the JSON schema that the reply is asked to follow

Patients write what they like, and so do the models that are judged.
What they wrote is therefore put in between fences that do not occur in it, in one
pass over the file's own text, and a verdict is read only from whole JSON objects,
never from the strings within them.
"""

import hashlib
import json
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import suppress
from pathlib import Path
from typing import Generic, Literal, TypeVar

import msgspec

from threadmed.errors import InputError
from threadmed.llm.model import Ask, Failed, Replied, Request, Schema, plain
from threadmed.llm.prompt_parts import read_parts
from threadmed.records import Message, Record

PARTS = ("user", "schema")
"""What may follow the system part, each after a line like ---user---."""

PLACEHOLDER = re.compile(r"\{\{([^{}\n]*)\}\}")
SECTION = re.compile(
    r"^\{\{#(\w+)\}\}\n(.*?)^\{\{/\1\}\}(?:\n|\Z)", re.MULTILINE | re.DOTALL
)

# Braces of prose, as in {this} or \boxed{1}: nothing in them can be a verdict.
PROSE = re.compile(r"""\{+[^{}"':]*\}+""")
# What some reasoning models put in front of their reply.
THOUGHTS = re.compile(r"\A\s*<think>.*?</think>", re.DOTALL)

AGAIN = (
    "I could not read that. "
    "Please reply once more with the JSON object alone, in the form described above."
)
"""The one re-ask after a reply that cannot be read."""

START = 200
"""Characters of an unreadable reply that are kept to be looked at."""

V = TypeVar("V")


class Prompt(Record, frozen=True, kw_only=True):
    """A prompt file that was read and checked."""

    name: str
    """The file's name without its ending, as in score-v1."""
    sha256: str
    """Of the file's text with line ends as LF, so that it is one on every system."""
    system: str
    user: str
    schema: Schema | None = None
    """None where the file has no such part; the reply is then free in form."""


class Malformed(Record, frozen=True, kw_only=True, tag="malformed", tag_field="kind"):
    """A reply that holds no verdict, or more than one."""

    why: str


class Reading(
    Record, Generic[V], frozen=True, kw_only=True, tag="reading", tag_field="kind"
):
    """The one verdict that a reply holds."""

    value: V
    texts: Mapping[str, str]
    """The strings that stand beside it in its object; keys in lower case."""


class Understood(
    Record, Generic[V], frozen=True, kw_only=True, tag="understood", tag_field="kind"
):
    """What a model said, and the key of the request that brought it."""

    value: V
    request: str


class Missing(Record, frozen=True, kw_only=True, tag="missing", tag_field="kind"):
    """Nothing that can be used, even after the re-ask."""

    why: Literal["malformed", "refused", "failed"]
    detail: str
    """For a person: what was wrong and how the reply began, or the failure."""
    request: str


def load_prompt(
    path: Path, *, required: AbstractSet[str], optional: AbstractSet[str] = frozenset()
) -> Prompt:
    """Read a prompt file.

    Args:
        path: The file; its form is described at the top of this module.
        required: Placeholders that the user part must show.
        optional: Placeholders that it may show.

    Raises:
        InputError: If the file cannot be read, lacks its user part, lacks or has a
            placeholder that it must or must not have, or has a schema that is no
            JSON object; names the file and the placeholder.
    """
    parts, sha256 = read_parts(
        path,
        forms=(PARTS[:1], PARTS),
        expected="one line ---user--- and after it at most one line ---schema---",
    )
    complaint = _complaint(parts, required=required, optional=optional)
    if complaint:
        raise InputError(f"{path}: {complaint}")
    return Prompt(
        name=path.stem,
        sha256=sha256,
        system=parts["system"],
        user=parts["user"],
        schema=_schema(parts.get("schema"), path),
    )


def _complaint(
    parts: Mapping[str, str], *, required: AbstractSet[str], optional: AbstractSet[str]
) -> str | None:
    """Say what is wrong with the placeholders, if anything."""
    user, known = parts["user"], required | optional
    unfolded = SECTION.sub(lambda section: section[2], user)
    asked = (*PLACEHOLDER.findall(unfolded), *(s[1] for s in SECTION.finditer(user)))
    for name in PLACEHOLDER.findall(parts["system"]):
        return f"placeholder {{{{{name}}}}} stands in the system part, which is fixed"
    for name in asked:
        if name not in known:
            listed = ", ".join(sorted(known))
            return f"unknown placeholder {{{{{name}}}}}; expected {listed}"
    for name in sorted(required):
        if name not in PLACEHOLDER.findall(_fold(user, {name})):
            return f"placeholder {{{{{name}}}}} is missing from the user part"
    return None


def _schema(text: str | None, path: Path) -> Schema | None:
    """Check a schema as far as being a JSON object goes."""
    if text is None:
        return None
    try:
        msgspec.json.decode(text, type=dict[str, object])
    except msgspec.DecodeError as cause:
        raise InputError(f"{path}: ---schema--- is no JSON object: {cause}") from cause
    return Schema(name=path.stem.replace("-", "_"), json=text)


def _fold(template: str, shown: Collection[str]) -> str:
    """Leave out the sections of what is not shown."""
    return SECTION.sub(lambda s: s[2] if s[1] in shown else "", template)


def fence(name: str, text: str, *, digits: int = 8) -> str:
    """Put a text between two lines that do not occur in it.

    Args:
        name: What the text is; becomes part of the opening line.
        text: Whatever somebody wrote.
        digits: Fewest hex digits of the code that closes the fence; it has more
            where the text holds these.

    Returns:
        The fenced text; the same for the same text, so that requests stay equal.

    Example:
        >>> print(fence("question", "Is it safe?"))
        <<<question 4b8d6ae8
        Is it safe?
        4b8d6ae8>>>
    """
    whole = hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()
    lengths = range(digits, len(whole) + 1)
    code = next(whole[:length] for length in lengths if whole[:length] not in text)
    return f"<<<{name} {code}\n{text}\n{code}>>>"


def fill(prompt: Prompt, quoted: Mapping[str, Sequence[str]]) -> tuple[Message, ...]:
    """Make the messages of a request from a prompt.

    Args:
        prompt: The prompt.
        quoted: For each placeholder the texts to show, each in its own fence; none
            leaves the placeholder empty and its section out.

    Returns:
        The system message, where the prompt has one, and the user message.
    """
    blocks = {
        name: "\n".join(fence(name, text) for text in texts)
        for name, texts in quoted.items()
    }
    shown = [name for name, texts in quoted.items() if texts]
    folded = _fold(prompt.user, shown)
    user = PLACEHOLDER.sub(lambda found: blocks.get(found[1], ""), folded)
    said = Message(role="user", content=user)
    if not prompt.system:
        return (said,)
    return (Message(role="system", content=prompt.system), said)


def quoted_objects(texts: Iterable[str]) -> list[Mapping[str, object]]:
    r"""Find all JSON objects in texts that somebody may quote, those within others too.

    Example:
        >>> quoted_objects(['So {"a": {"\u0062": 1}} or {b: 1}'])
        [{'a': {'b': 1}}, {'b': 1}]
    """
    decoder = json.JSONDecoder(object_pairs_hook=_entries, strict=False)
    found: list[Mapping[str, object]] = []
    for text in texts:
        for at in (place.start() for place in re.finditer(r"\{", text)):
            with suppress(ValueError, RecursionError):
                found.append(decoder.raw_decode(text, at)[0])
    return found


def read_verdict(
    text: str,
    *,
    keys: Collection[str],
    read: Callable[[object], V | None],
    forged: Collection[Mapping[str, object]] = (),
) -> Reading[V] | Malformed:
    r"""Find the one verdict in a reply.

    Prose and code fences around the JSON do not matter, nor does the case of keys.
    Only whole outermost objects count: an object within an object, or one quoted in
    a string, is never taken for the verdict, and a broken object spoils the reply.

    Args:
        text: The reply; anything.
        keys: Names that the verdict may have, in lower case.
        read: Gives the verdict for a JSON value, or None where the value is none.
        forged: Objects that are somebody else's: one that says nothing beyond one of
            them is passed over.

    Returns:
        The verdict, or why there is none: nothing found, a value that is none, or
        verdicts that contradict each other.

    Example:
        >>> read_verdict('So: {"Score": 1}', keys={"score"}, read=lambda v: v).value
        1
        >>> read_verdict("I would say 1.", keys={"score"}, read=lambda v: v).why
        'no JSON object with score'
    """
    objects = _objects(text)
    if isinstance(objects, Malformed):
        return objects
    found: list[Reading[V]] = []
    for entries in objects:
        if any(entries.items() <= each.items() for each in forged):
            continue
        for key in sorted(keys & entries.keys()):
            value = read(entries[key])
            if value is None:
                shown = plain(repr(entries[key])[:START])
                return Malformed(why=f"{key} is {shown}")
            found.append(Reading(value=value, texts=_texts(entries)))
    if not found:
        return Malformed(why=f"no JSON object with {' or '.join(sorted(keys))}")
    if any(reading.value != found[0].value for reading in found):
        return Malformed(why="verdicts that contradict each other")
    return found[0]


def _objects(text: str) -> list[dict[str, object]] | Malformed:
    """Decode the outermost JSON objects of a text, from left to right."""
    text = THOUGHTS.sub("", text)
    # Not strict: models break lines within strings.
    decoder = json.JSONDecoder(object_pairs_hook=_entries, strict=False)
    objects: list[dict[str, object]] = []
    at = text.find("{")
    while at >= 0:
        prose = PROSE.match(text, at)
        if prose:
            at = text.find("{", prose.end())
            continue
        try:
            entries, end = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            # What stands further right may be a quotation within this one.
            return Malformed(why="a JSON object that is broken")
        objects.append(entries)
        at = text.find("{", end)
    return objects


def _entries(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """Make a dict with keys in lower case; a key that stands twice is an error."""
    entries = {key.strip().lower(): value for key, value in pairs}
    if len(entries) < len(pairs):
        raise ValueError("a key stands twice")
    return entries


def _texts(entries: Mapping[str, object]) -> dict[str, str]:
    """Keep the strings of an object."""
    return {
        plain(key): plain(value)
        for key, value in entries.items()
        if isinstance(value, str)
    }


async def ask_for(
    request: Request, *, ask: Ask, parse: Callable[[str], V | Malformed]
) -> Understood[V] | Missing:
    """Ask a model for something that can be read, at most twice.

    A reply that cannot be read, is cut off or is empty is followed by one re-ask in
    the same conversation; a blocked reply and a failed request are final.

    Args:
        request: What is asked.
        ask: Asks the model.
        parse: Reads a reply.

    Returns:
        What was read, or why nothing was.
    """
    said = await ask(request)
    understood = _understand(said, parse)
    match said, understood:
        case Replied(), Missing(why="malformed"):
            again = msgspec.structs.replace(
                request, messages=(*request.messages, *_again(said.reply.text))
            )
            return _understand(await ask(again), parse)
        case _:
            return understood


def _again(text: str) -> tuple[Message, ...]:
    """Say what follows an unreadable reply; providers refuse an empty message."""
    asked = Message(role="user", content=AGAIN)
    if not text.strip():
        return (asked,)
    return (Message(role="assistant", content=text), asked)


def _understand(
    said: Replied | Failed, parse: Callable[[str], V | Malformed]
) -> Understood[V] | Missing:
    """Read one reply."""
    if isinstance(said, Failed):
        return Missing(why="failed", detail=said.why, request=said.key)
    reply, key = said.reply, said.key
    if reply.outcome == "blocked":
        return Missing(why="refused", detail=reply.detail, request=key)
    if reply.outcome == "answered":
        read = parse(reply.text)
    else:
        read = Malformed(why=f"a reply that is {reply.outcome}")
    if isinstance(read, Malformed):
        detail = f"{read.why}; the reply: {plain(reply.text[:START])}"
        return Missing(why="malformed", detail=detail, request=key)
    return Understood(value=read, request=key)
