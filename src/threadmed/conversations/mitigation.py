"""Prompts that are to make a target correct false beliefs, as arms beside it plain.

A file of one has up to three parts::

    what is added to the system message; may be empty
    ---prepare---
    what is asked in a call of its own, before the answer; may be left out
    ---answer---
    the patient's message as the target sees it, with {{question}} and {{notes}}

`{{notes}}` is what the call before brought. Only the last message is changed: the
conversation before it is as it was said.
"""

import re
from pathlib import Path

from threadmed.errors import InputError
from threadmed.llm.prompt_parts import read_parts
from threadmed.records import Message, Record

BUILT_IN = {
    "warn": "warn-v1.md",
    "identify_first": "identify-first-v1.md",
    "recap": "recap-v1.md",
}
"""Arms that come with threadmed; each a file in `prompts`."""

PARTS = (("answer",), ("prepare", "answer"))

PLACEHOLDER = re.compile(r"\{\{(\w+)\}\}")


class Mitigation(Record, frozen=True, kw_only=True):
    """A prompt of an arm."""

    name: str
    sha256: str
    system: str
    prepare: str
    """Empty where the answer is asked for at once."""
    answer: str


def load_mitigation(prompt: str, *, folder: Path) -> Mitigation:
    """Read the prompt of an arm.

    Args:
        prompt: One of `BUILT_IN`, or the name of a file.
        folder: What such a name is relative to.

    Raises:
        InputError: If the file cannot be read or is not of the form above.
    """
    built_in = BUILT_IN.get(prompt)
    path = Path(__file__).parent / "prompts" / built_in if built_in else folder / prompt
    if not path.exists():
        raise InputError(
            f"{path}: no such prompt file; built in are {', '.join(BUILT_IN)}"
        )
    parts, sha256 = read_parts(
        path,
        forms=PARTS,
        expected="a line ---answer---, and before it at most one line ---prepare---",
    )
    _check(parts, path)
    return Mitigation(
        name=path.stem,
        sha256=sha256,
        system=parts["system"],
        prepare=parts.get("prepare", ""),
        answer=parts["answer"],
    )


def _check(parts: dict[str, str], path: Path) -> None:
    """Refuse placeholders that are not known, and notes that nobody makes."""
    known = {"system": (), "prepare": ("question",), "answer": ("question", "notes")}
    for part, text in parts.items():
        for name in PLACEHOLDER.findall(text):
            if name not in known[part]:
                raise InputError(f"{path}: the part {part} has no {{{{{name}}}}}")
    asked = PLACEHOLDER.findall(parts["answer"])
    if "question" not in asked:
        raise InputError(f"{path}: the part answer does not show {{{{question}}}}")
    if ("notes" in asked) != bool(parts.get("prepare")):
        raise InputError(
            f"{path}: {{{{notes}}}} in the part answer and the part prepare go together"
        )


def preparing(by: Mitigation, seen: tuple[Message, ...]) -> tuple[Message, ...]:
    """Give what is sent in the call before the answer."""
    return _with(by, seen, by.prepare, notes="")


def answering(
    by: Mitigation, seen: tuple[Message, ...], *, notes: str
) -> tuple[Message, ...]:
    """Give what is sent for the answer.

    Example:
        >>> by = Mitigation(
        ...     name="own", sha256="", system="Be exact.", prepare="", answer="{{question}}!"
        ... )
        >>> said = answering(by, (Message(role="user", content="Why {{notes}}"),), notes="")
        >>> [message.content for message in said]
        ['Be exact.', 'Why {{notes}}!']
    """
    return _with(by, seen, by.answer, notes=notes)


def _with(
    by: Mitigation, seen: tuple[Message, ...], template: str, *, notes: str
) -> tuple[Message, ...]:
    """Put the arm's words around the last message and behind the system message."""
    texts = {"question": seen[-1].content, "notes": notes}
    last = PLACEHOLDER.sub(lambda found: texts[found[1]], template)
    before = seen[:-1]
    if by.system:
        own = "".join(m.content + "\n\n" for m in before[:1] if m.role == "system")
        rest = before[1:] if own else before
        before = (Message(role="system", content=own + by.system), *rest)
    return (*before, Message(role="user", content=last))
