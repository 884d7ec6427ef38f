"""Links open once, and the store holds nothing that opens them."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from threadmed.annotate import sessions
from threadmed.annotate.ledger import Ledger


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    opened = Ledger(tmp_path / "annotation.sqlite")
    yield opened
    opened.close()


def test_a_link_opens_once_and_begins_a_session(ledger: Ledger) -> None:
    token = sessions.new_link(ledger, "ann", at=1)
    assert sessions.is_unused(ledger, token)
    session = sessions.begin_session(ledger, token, at=2)

    assert session is not None
    assert sessions.name_of(ledger, session) == "ann"
    assert not sessions.is_unused(ledger, token)
    assert sessions.begin_session(ledger, token, at=3) is None


def test_a_link_is_no_session_and_a_session_no_link(ledger: Ledger) -> None:
    token = sessions.new_link(ledger, "ann", at=1)
    assert sessions.name_of(ledger, token) is None
    session = sessions.begin_session(ledger, token, at=2) or ""
    assert sessions.begin_session(ledger, session, at=3) is None
    assert sessions.name_of(ledger, "") is None


def test_a_new_link_ends_the_one_before_and_no_session(ledger: Ledger) -> None:
    first = sessions.new_link(ledger, "ann", at=1)
    session = (
        sessions.begin_session(ledger, sessions.new_link(ledger, "ann", at=2), at=3)
        or ""
    )
    other = sessions.new_link(ledger, "bob", at=4)
    sessions.new_link(ledger, "ann", at=5)

    assert not sessions.is_unused(ledger, first)
    assert sessions.is_unused(ledger, other)
    assert sessions.name_of(ledger, session) == "ann"


def test_who_leaves_is_out(ledger: Ledger) -> None:
    session = (
        sessions.begin_session(ledger, sessions.new_link(ledger, "ann", at=1), at=2)
        or ""
    )
    sessions.end_session(ledger, session)

    assert sessions.name_of(ledger, session) is None


def test_the_store_holds_no_token(ledger: Ledger) -> None:
    token = sessions.new_link(ledger, "ann", at=1)
    session = sessions.begin_session(ledger, token, at=2) or ""
    kept = repr(ledger.rows.execute("SELECT * FROM tokens").fetchall())

    assert "ann" in kept
    assert token not in kept
    assert session not in kept
    assert sessions.form_token(session) not in kept
