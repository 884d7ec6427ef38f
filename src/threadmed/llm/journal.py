"""Every reply that was paid for, one row a request key, in SQLite.

A reply is committed here before anything uses it, so that a killed run pays again for
at most what was in flight.
"""

import sqlite3
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from types import TracebackType
from typing import Self

import msgspec

from threadmed.errors import InputError, boundary
from threadmed.llm.model import Reply
from threadmed.records import Record, Spend, Stage

VERSION = 1
"""Of the tables; a journal of a newer version is refused."""

TABLE = """
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


class Entry(Record, frozen=True, kw_only=True):
    """One reply as it is journalled."""

    key: str
    stage: Stage
    model: str
    """The study's name for the model."""
    request: bytes
    """Identity, messages, parameters as sent and repeat number, as JSON."""
    reply: Reply
    cost_usd: float
    at: float
    """Seconds since 1970."""


class Journal:
    """An open journal; one process a study at a time."""

    def __init__(self, path: Path) -> None:
        """Open the journal, and make it where there is none.

        Raises:
            InputError: If another run holds it, if it is no journal or one of a newer
                version, or if it cannot be written.
        """
        self.path = path
        with self._plainly("opening"), ExitStack() as opened:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._lock = opened.enter_context(closing(_locked(path)))
            self._rows = sqlite3.connect(path, isolation_level=None)
            opened.enter_context(closing(self._rows))
            self._check()
            self._rows.execute("PRAGMA journal_mode = WAL")
            # A reply must outlive a power cut, not only a killed process.
            self._rows.execute("PRAGMA synchronous = FULL")
            self._make()
            # All went well: what is open stays open until close().
            opened.pop_all()

    def _version(self) -> int:
        (version,) = self._rows.execute("PRAGMA user_version").fetchone()
        return int(version)

    def _check(self) -> None:
        """Refuse a file that is not ours to write to, before anything is written."""
        version = self._version()
        if version > VERSION:
            raise InputError(
                f"{self.path}: is of version {version}, this threadmed reads up to "
                f"{VERSION}; take the newer threadmed"
            )
        (tables,) = self._rows.execute("SELECT count(*) FROM sqlite_master").fetchone()
        if version == 0 and tables:
            raise InputError(
                f"{self.path}: is a database of something else; move it out of the "
                "study folder"
            )

    def _make(self) -> None:
        if self._version() == 0:
            self._rows.execute("BEGIN")
            self._rows.execute(TABLE)
            self._rows.execute(f"PRAGMA user_version = {VERSION}")
            self._rows.execute("COMMIT")

    @contextmanager
    def _plainly(self, doing: str) -> Iterator[None]:
        """Say in one line what SQLite could not do."""
        try:
            yield
        except (sqlite3.Error, OSError) as cause:
            raise InputError(f"{self.path}: {doing} the journal: {cause}") from cause

    def get(self, key: str) -> Reply | None:
        """Give the reply to a request that was paid for before.

        Raises:
            InputError: If the file is damaged.
        """
        with self._plainly("reading"):
            row = self._rows.execute(
                "SELECT reply FROM replies WHERE key = ?", (key,)
            ).fetchone()
        if row is None:
            return None
        with boundary(InputError, f"{self.path}: reading the reply {key}"):
            return msgspec.json.decode(row[0], type=Reply)

    def put(self, entry: Entry) -> None:
        """Commit a reply; it is on the disk when this returns.

        Raises:
            InputError: If it cannot be written (a full disk); nothing that was there
                is lost.
        """
        row = (
            entry.key,
            entry.stage,
            entry.model,
            entry.request,
            msgspec.json.encode(entry.reply),
            entry.reply.usage.tokens_in,
            entry.reply.usage.tokens_out,
            entry.cost_usd,
            entry.at,
        )
        with self._plainly("writing to"):
            self._rows.execute(
                "INSERT INTO replies VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", row
            )

    def spend(self) -> tuple[Spend, ...]:
        """Add up what was paid, by stage and model in the order of their names."""
        with self._plainly("reading"):
            rows = self._rows.execute(
                "SELECT stage, model, count(*), sum(tokens_in), sum(tokens_out),"
                " sum(cost_usd) FROM replies GROUP BY stage, model"
                " ORDER BY stage, model"
            ).fetchall()
        return tuple(
            Spend(
                stage=stage,
                model=model,
                calls=calls,
                reused=0,
                tokens_in=tokens_in,
                tokens_out=tokens_out,
                cost_usd=cost,
            )
            for stage, model, calls, tokens_in, tokens_out, cost in rows
        )

    def close(self) -> None:
        """Let go of the file; may be called twice."""
        self._rows.close()
        self._lock.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def _locked(path: Path) -> sqlite3.Connection:
    """Hold the study for this process; the system lets go when the process ends.

    The lock is an exclusive transaction on an empty database beside the journal:
    SQLite's own locking works on every system that it runs on.

    Raises:
        InputError: If another process holds it.
    """
    lock = sqlite3.connect(f"{path}.lock", isolation_level=None, timeout=0)
    try:
        lock.execute("BEGIN EXCLUSIVE")
    except sqlite3.OperationalError as cause:
        lock.close()
        if "locked" not in str(cause):
            raise
        raise InputError(
            f"{path}: another run holds this study; wait for it, or stop it"
        ) from cause
    return lock
