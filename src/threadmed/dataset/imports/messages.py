"""Chats as OpenAI's API takes them: a row has `messages`, each with role and content."""

from threadmed.dataset.imports.chat import ChatKeys, turns_of
from threadmed.dataset.imports.imported import (
    Imported,
    numbered,
    refuse_twice,
    thread_name,
)
from threadmed.dataset.imports.mapping import ChatMapping
from threadmed.dataset.imports.rows import Row, pick, wrong
from threadmed.records import Answer, Thread, ThreadId, Turn


def import_messages(rows: list[Row], mapping: ChatMapping) -> Imported:
    """Read chats as threads.

    What was answered is a model's, unless the mapping says that a physician answered:
    then it becomes the physician's answers of the threads.

    Raises:
        InputError: If a row is not what it must be; names row, message and value.
    """
    keys = ChatKeys(
        list_key=mapping.messages,
        role=mapping.role,
        content=mapping.content,
        patient=mapping.patient,
        answering=mapping.answering,
        skip=mapping.skip,
    )
    read = [turns_of(row, _list(row, mapping.messages), keys) for row in rows]
    chats = list(zip(_names(rows, mapping), (turns for turns, _ in read), strict=True))
    passed = sum(early for _, early in read)
    said = [f"{passed} answers before any question were passed over"] if passed else []
    if mapping.answers_by == "physician":
        threads = tuple(Thread(thread_id=name, turns=turns) for name, turns in chats)
        return Imported(threads=threads, said=tuple(said))
    said.append(
        f"answers are taken for those of a model called {mapping.target!r}; if a "
        'physician wrote them, say answers_by = "physician" in a file for --mapping'
    )
    return Imported(
        threads=tuple(_unanswered(name, turns) for name, turns in chats),
        answers=tuple(
            answer
            for name, turns in chats
            for answer in _answers(name, turns, target=mapping.target)
        ),
        said=tuple(said),
    )


def _list(row: Row, key: str) -> list[object]:
    messages = pick(row.cells, key)
    if isinstance(messages, list):
        return messages
    lists = [name for name, value in row.cells.items() if isinstance(value, list)]
    raise wrong(
        row,
        key,
        expected="a list of messages",
        mapping=f'messages = "{next(iter(lists), "KEY")}"',
    )


def _unanswered(name: ThreadId, turns: tuple[Turn, ...]) -> Thread:
    """Give the questions alone: what a model said is no physician's answer."""
    return Thread(
        thread_id=name,
        turns=tuple(Turn(question=turn.question, answer=None) for turn in turns),
    )


def _names(rows: list[Row], mapping: ChatMapping) -> list[ThreadId]:
    key = mapping.thread_id
    if key is None and all("thread_id" in row.cells for row in rows):
        key = "thread_id"
    if not key:
        return numbered("THREAD", len(rows))
    names = [thread_name(row, key) for row in rows]
    refuse_twice(rows, names, key=key)
    return names


def _answers(name: ThreadId, turns: tuple[Turn, ...], *, target: str) -> list[Answer]:
    """Give a model's answers; in the chat it saw its own before each of them."""
    return [
        Answer(
            target=target,
            setting="multi_turn",
            thread_id=name,
            turn=number,
            outcome="answered",
            text=turn.answer,
        )
        for number, turn in enumerate(turns)
        if turn.answer is not None
    ]
