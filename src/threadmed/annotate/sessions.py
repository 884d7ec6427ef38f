"""Who may come in: links that open once, and the sessions that they begin.

Only hashes are kept: who reads the store cannot come in with it.
"""

import hashlib
import secrets
from typing import Literal

from threadmed.annotate.ledger import Ledger

ORGANISER = "organiser"
"""The one who sees names and agreement; no rater can be called so."""

Kind = Literal["link", "session"]


def _hash(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()


def _new_token(ledger: Ledger, kind: Kind, name: str, at: float) -> str:
    token = secrets.token_urlsafe(24)
    ledger.rows.execute(
        "INSERT INTO tokens (hash, kind, name, at) VALUES (?, ?, ?, ?)",
        (_hash(token), kind, name, at),
    )
    return token


def new_link(ledger: Ledger, name: str, *, at: float) -> str:
    """Give a token that lets `name` in once; older ones that were not used end."""
    ledger.rows.execute(
        "DELETE FROM tokens WHERE kind = 'link' AND name = ? AND used IS NULL", (name,)
    )
    return _new_token(ledger, "link", name, at)


def begin_session(ledger: Ledger, token: str, *, at: float) -> str | None:
    """Use up a link and begin a session.

    Returns:
        The session's token for a cookie; None where the link is not known or used.
    """
    with ledger.writing():
        row = ledger.rows.execute(
            "UPDATE tokens SET used = ? WHERE hash = ? AND kind = 'link' "
            "AND used IS NULL RETURNING name",
            (at, _hash(token)),
        ).fetchone()
        return _new_token(ledger, "session", row[0], at) if row else None


def is_unused(ledger: Ledger, token: str) -> bool:
    """Tell whether a link would still let somebody in."""
    row = ledger.rows.execute(
        "SELECT 1 FROM tokens WHERE hash = ? AND kind = 'link' AND used IS NULL",
        (_hash(token),),
    ).fetchone()
    return row is not None


def name_of(ledger: Ledger, session: str) -> str | None:
    """Name whose session a cookie is of; None where it is of none."""
    row = ledger.rows.execute(
        "SELECT name FROM tokens WHERE hash = ? AND kind = 'session'", (_hash(session),)
    ).fetchone()
    return row[0] if row else None


def end_session(ledger: Ledger, session: str) -> None:
    """End a session."""
    ledger.rows.execute("DELETE FROM tokens WHERE hash = ?", (_hash(session),))


def form_token(session: str) -> str:
    """Give what every form and request of a session must bring along."""
    return _hash(f"form:{session}")[:32]
