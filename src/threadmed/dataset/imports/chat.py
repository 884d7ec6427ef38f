"""Chats: messages with roles, as turns of a question and its answer."""

from collections.abc import Mapping, Sequence

from threadmed.dataset.imports.rows import Row, pick, shown
from threadmed.errors import InputError
from threadmed.records import Record, Turn


class ChatKeys(Record, frozen=True, kw_only=True):
    """How a chat is read."""

    list_key: str
    """Key of the list of messages in a row, for errors."""
    role: str
    content: str
    patient: tuple[str, ...]
    answering: tuple[str, ...]
    skip: tuple[str, ...]
    answering_is_called: str = "answering"
    """What a mapping file calls `answering`."""


def turns_of(
    row: Row, messages: Sequence[object], keys: ChatKeys
) -> tuple[tuple[Turn, ...], int]:
    """Read the messages of one chat as turns.

    Each message of the patient is a question. What answers it follows it, and several
    answers in a row are joined by an empty line; a question that another one follows
    at once has no answer.

    Args:
        row: Where the chat stands.
        messages: Its messages, oldest first.
        keys: How they are read.

    Returns:
        The turns, and how many answers came before any question and were passed over.

    Raises:
        InputError: If a message is not what it must be, or no patient says a word.
    """
    turns: list[tuple[str, list[str]]] = []
    passed = 0
    for number, message in enumerate(messages):
        role, text = _message(row, number, message, keys)
        if role in keys.patient:
            turns.append((text, []))
        elif role in keys.answering and turns and text:
            turns[-1][1].append(text)
        else:
            passed += role in keys.answering and not turns
    if not turns:
        raise InputError(
            f"{row.where}: {keys.list_key} holds no message of {' or '.join(keys.patient)}; "
            'expected a question; in a file for --mapping: patient = ["ROLE"]'
        )
    return tuple(
        Turn(question=question, answer="\n\n".join(answers) or None)
        for question, answers in turns
    ), passed


def _message(row: Row, number: int, message: object, keys: ChatKeys) -> tuple[str, str]:
    """Read role and text of a message."""
    place = f"{row.where}: {keys.list_key}[{number}]"
    if not isinstance(message, Mapping):
        raise InputError(
            f"{place} is {shown(message)}; expected an object with {keys.role} and "
            f"{keys.content}"
        )
    role, content = pick(message, keys.role), pick(message, keys.content)
    known = (*keys.patient, *keys.answering, *keys.skip)
    if not isinstance(role, str) or role not in known:
        mend = (
            f'skip = ["{role}"], or add it to patient or {keys.answering_is_called}'
            if isinstance(role, str)
            else 'role = "KEY"'
        )
        raise InputError(
            f"{place}.{keys.role} is {shown(role)}; expected one of "
            f"{', '.join(known)}; in a file for --mapping: {mend}"
        )
    text = _plain(content)
    if text is None or (role in keys.patient and not text):
        keys_there = ", ".join(map(str, message))
        raise InputError(
            f"{place}.{keys.content} is {shown(content)} (the message has "
            f'{keys_there}); expected text; in a file for --mapping: content = "KEY"'
        )
    return role, text


def _plain(content: object) -> str | None:
    r"""Give the text of a message, also where it comes in parts; None where it has none.

    An answer that only calls a tool is null, and has no words.

    Example:
        >>> _plain([{"type": "text", "text": "one"}, {"type": "text", "text": "two"}])
        'one\n\ntwo'
    """
    if content is None:
        return ""
    if isinstance(content, str):
        return content.strip()
    if not isinstance(content, list):
        return None
    texts = [part.get("text") for part in content if isinstance(part, Mapping)]
    if len(texts) < len(content) or not all(isinstance(text, str) for text in texts):
        return None
    return "\n\n".join(str(text).strip() for text in texts)
