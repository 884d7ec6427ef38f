"""Links open once, and the store holds nothing that opens them."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from threadmed.annotate import doors
from threadmed.annotate.ledger import Ledger


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    opened = Ledger(tmp_path / "annotation.sqlite")
    yield opened
    opened.close()


def test_a_link_opens_once_and_begins_a_session(ledger: Ledger) -> None:
    token = doors.new_link(ledger, "ann", at=1)
    assert doors.is_open(ledger, token)
    session = doors.come_in(ledger, token, at=2)

    assert session is not None
    assert doors.who(ledger, session) == "ann"
    assert not doors.is_open(ledger, token)
    assert doors.come_in(ledger, token, at=3) is None


def test_a_link_is_no_session_and_a_session_no_link(ledger: Ledger) -> None:
    token = doors.new_link(ledger, "ann", at=1)
    assert doors.who(ledger, token) is None
    session = doors.come_in(ledger, token, at=2) or ""
    assert doors.come_in(ledger, session, at=3) is None
    assert doors.who(ledger, "") is None


def test_a_new_link_ends_the_one_before_and_no_session(ledger: Ledger) -> None:
    first = doors.new_link(ledger, "ann", at=1)
    session = doors.come_in(ledger, doors.new_link(ledger, "ann", at=2), at=3) or ""
    other = doors.new_link(ledger, "bob", at=4)
    doors.new_link(ledger, "ann", at=5)

    assert not doors.is_open(ledger, first)
    assert doors.is_open(ledger, other)
    assert doors.who(ledger, session) == "ann"


def test_who_leaves_is_out(ledger: Ledger) -> None:
    session = doors.come_in(ledger, doors.new_link(ledger, "ann", at=1), at=2) or ""
    doors.leave(ledger, session)

    assert doors.who(ledger, session) is None


def test_the_store_holds_no_token(ledger: Ledger) -> None:
    token = doors.new_link(ledger, "ann", at=1)
    session = doors.come_in(ledger, token, at=2) or ""
    kept = repr(ledger.rows.execute("SELECT * FROM doors").fetchall())

    assert "ann" in kept
    assert token not in kept
    assert session not in kept
    assert doors.form_token(session) not in kept
