"""What a plan reads from the journal, whoever holds it."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from threadmed.errors import InputError
from threadmed.llm.journal import Entry, Journal
from threadmed.llm.model import Reply
from threadmed.llm.tables import VERSION
from threadmed.records import Usage
from threadmed.run.lengths import count_messages
from threadmed.run.paid import Paid, read_paid


def entry(key: str, *, usage: Usage, cost: float = 0.5) -> Entry:
    return Entry(
        key=key,
        stage="answer",
        model="m",
        request=b'{"messages": [{"role": "user", "content": "hello world"}], "repeat": 0}',
        reply=Reply(outcome="answered", text="hm", usage=usage, served_by="s"),
        cost_usd=cost,
        at=1.0,
    )


@pytest.fixture
def path(tmp_path: Path) -> Iterator[Path]:
    """A journal of two replies, one of which says nothing of its tokens; it is held."""
    path = tmp_path / "journal.sqlite"
    with Journal(path) as journal:
        journal.put(entry("a", usage=Usage(tokens_in=9, tokens_out=5, reasoning=3)))
        journal.put(entry("b", usage=Usage(), cost=0.25))
        yield path


def read(path: Path) -> Paid:
    return read_paid(path, count=count_messages)


def test_a_journal_is_read_while_a_run_holds_it(path: Path) -> None:
    paid = read(path)

    seen = paid.seen["answer", "m"]
    assert set(paid.replies) == {"a", "b"}
    assert (seen.calls, seen.tokens_in, seen.tokens_out, seen.reasoning) == (2, 9, 5, 3)
    assert seen.cost_usd == 0.75
    # Only the reply that told its tokens says what a token of ours is to the model.
    assert (seen.told, seen.counted) == (1, 6)


def test_a_study_that_was_never_run_has_paid_nothing(tmp_path: Path) -> None:
    paid = read(tmp_path / "journal.sqlite")

    assert (paid.replies, paid.seen, paid.unsettled_usd) == ({}, {}, 0.0)
    assert list(tmp_path.iterdir()) == []


def test_attempts_without_a_reply_are_told(path: Path) -> None:
    with closing(sqlite3.connect(path)) as rows:
        rows.execute(
            "INSERT INTO attempts VALUES (1, 'c', 'answer', 'm', 'late', 0.125, 9, 1.0)"
        )
        rows.commit()

    assert read(path).unsettled_usd == 0.125


def test_a_journal_of_the_first_version_is_read(path: Path) -> None:
    with closing(sqlite3.connect(path)) as rows:
        rows.execute("DROP TABLE attempts")
        rows.execute("PRAGMA user_version = 1")
        rows.commit()

    assert len(read(path).replies) == 2


def test_an_empty_file_has_paid_nothing(tmp_path: Path) -> None:
    path = tmp_path / "journal.sqlite"
    path.touch()

    assert read(path).replies == {}


def test_a_journal_of_a_newer_version_is_one_line(path: Path) -> None:
    with closing(sqlite3.connect(path)) as rows:
        rows.execute(f"PRAGMA user_version = {VERSION + 1}")
        rows.commit()

    with pytest.raises(InputError, match="newer threadmed"):
        read(path)


def test_a_file_that_is_no_journal_is_one_line(tmp_path: Path) -> None:
    path = tmp_path / "journal.sqlite"
    path.write_bytes(b"no database at all, and long enough to be looked at" * 40)

    with pytest.raises(InputError, match="reading the journal: file is not a database"):
        read(path)


def test_a_reply_that_cannot_be_read_is_one_line_with_its_key(path: Path) -> None:
    with closing(sqlite3.connect(path)) as rows:
        rows.execute("UPDATE replies SET reply = 'torn' WHERE key = 'b'")
        rows.commit()

    with pytest.raises(InputError, match="reading the reply b"):
        read(path)
