"""The tables of a journal, from version to version."""

import sqlite3
from pathlib import Path

from threadmed.errors import InputError

REPLIES = """
CREATE TABLE replies (
    key TEXT PRIMARY KEY,
    stage TEXT NOT NULL,
    model TEXT NOT NULL,
    request BLOB NOT NULL,
    reply BLOB NOT NULL,
    tokens_in INTEGER NOT NULL,
    tokens_out INTEGER NOT NULL,
    cost_usd REAL NOT NULL,
    at REAL NOT NULL
) WITHOUT ROWID
"""

ATTEMPTS = """
CREATE TABLE attempts (
    id INTEGER PRIMARY KEY,
    key TEXT NOT NULL,
    stage TEXT NOT NULL,
    model TEXT NOT NULL,
    why TEXT NOT NULL,
    most_usd REAL NOT NULL,
    most_tokens INTEGER NOT NULL,
    at REAL NOT NULL
)
"""

BATCHES = """
CREATE TABLE batches (
    ticket TEXT PRIMARY KEY,
    id TEXT NOT NULL,
    model TEXT NOT NULL,
    state TEXT NOT NULL,
    lines INTEGER NOT NULL,
    price_share REAL NOT NULL,
    submitted_at REAL NOT NULL
) WITHOUT ROWID
"""

BATCH_LINES = """
CREATE TABLE batch_lines (
    attempt INTEGER PRIMARY KEY,
    ticket TEXT NOT NULL,
    call BLOB NOT NULL,
    content BLOB NOT NULL
)
"""

STEPS = (REPLIES, ATTEMPTS, BATCHES, BATCH_LINES)
"""What leads from each version to the next; a new table is a new step at the end."""

VERSION = len(STEPS)
"""Of the tables; a journal of a newer version is refused."""


def version_of(rows: sqlite3.Connection) -> int:
    """Read the version of an open journal; 0 is a new file."""
    (version,) = rows.execute("PRAGMA user_version").fetchone()
    return int(version)


def refuse_others(path: Path, rows: sqlite3.Connection) -> None:
    """Refuse a file that is not ours to write to, before anything is written.

    Raises:
        InputError: If it is of a newer version, of something else, or damaged.
    """
    version = version_of(rows)
    if version > VERSION:
        raise InputError(
            f"{path}: is of version {version}, this threadmed reads up to "
            f"{VERSION}; take the newer threadmed"
        )
    (tables,) = rows.execute("SELECT count(*) FROM sqlite_master").fetchone()
    if version == 0 and tables:
        raise InputError(
            f"{path}: is a database of something else; move it out of the study folder"
        )
    (found,) = rows.execute("PRAGMA quick_check(1)").fetchone()
    if found != "ok":
        damage = sqlite3.DatabaseError(" ".join(str(found).split()))
        damage.sqlite_errorname = "SQLITE_CORRUPT"
        raise damage


def bring_up_to_date(rows: sqlite3.Connection) -> None:
    """Make the tables of a new file, or add what an older version has not."""
    version = version_of(rows)
    if version == VERSION:
        return
    rows.execute("BEGIN IMMEDIATE")
    for step in STEPS[version:]:
        rows.execute(step)
    rows.execute(f"PRAGMA user_version = {VERSION}")
    rows.execute("COMMIT")
