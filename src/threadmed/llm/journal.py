"""Every reply that was paid for, one row a request key, in SQLite.

A reply is committed here before anything uses it, so that a killed run pays again for
at most what was in flight. Attempts are noted too while they are under way and when
they fail: what was sent and never came back may be on the bill.
"""

import asyncio
import sqlite3
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import msgspec

from threadmed.errors import InputError, boundary
from threadmed.llm.model import Reply, plain
from threadmed.llm.tables import bring_up_to_date, refuse_others
from threadmed.llm.writer import Statement, Writer, complaint
from threadmed.records import Record, Spend, Stage, Usage

# A reply that comes a second time was paid for a second time; the first one stays.
PUT = (
    "INSERT INTO replies VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) "
    "ON CONFLICT (key) DO UPDATE SET tokens_in = tokens_in + excluded.tokens_in, "
    "tokens_out = tokens_out + excluded.tokens_out, "
    "cost_usd = cost_usd + excluded.cost_usd"
)
BEGIN = "INSERT INTO attempts VALUES (?, ?, ?, ?, '', ?, ?, ?)"
FAIL = "UPDATE attempts SET why = ?, most_usd = ?, most_tokens = ? WHERE id = ?"
END = "DELETE FROM attempts WHERE id = ?"
# A batch that was cut off while it landed has lines whose attempts are settled: their
# numbers must not come again.
LAST = (
    "SELECT coalesce(max(id), 0) FROM "
    "(SELECT id FROM attempts UNION ALL SELECT attempt FROM batch_lines)"
)


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
    charged: Usage | None = None
    """The tokens that count against the budget; None is what the reply says."""
    at: float
    """Seconds since 1970."""


class Attempt(Record, frozen=True, kw_only=True):
    """One sending of a request, noted before it goes out."""

    key: str
    stage: Stage
    model: str
    most_usd: float
    """What it may come to at most."""
    most_tokens: int
    at: float
    """Seconds since 1970."""


class Unsettled(Record, frozen=True, kw_only=True):
    """Attempts that may be on the bill though no reply came of them."""

    attempts: int
    most_usd: float
    most_tokens: int


class Journal:
    """An open journal; one process a study at a time."""

    def __init__(self, path: Path, *, patience_s: float = 5.0) -> None:
        """Open the journal, and make it where there is none.

        Args:
            path: The file.
            patience_s: How long to wait for another program that has it locked.

        Raises:
            InputError: If another run holds it, if it is no journal, a damaged one or
                one of a newer version, or if it cannot be written.
        """
        self.path = path
        with self._plainly("opening"), ExitStack() as opened:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._lock = opened.enter_context(closing(_locked(path)))
            self._rows = opened.enter_context(closing(_connected(path, patience_s)))
            refuse_others(path, self._rows)
            self._rows.execute("PRAGMA journal_mode = WAL")
            bring_up_to_date(self._rows)
            self._attempts = int(self._rows.execute(LAST).fetchone()[0])
            self._writer = Writer(
                path, opened.enter_context(closing(_connected(path, patience_s)))
            )
            # All went well: what is open stays open until close().
            opened.pop_all()

    @contextmanager
    def _plainly(self, doing: str) -> Iterator[None]:
        """Say in one line what SQLite could not do."""
        try:
            yield
        except (sqlite3.Error, OSError) as cause:
            raise complaint(self.path, doing, cause) from cause

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
        """Commit a reply alone; it is on the disk when this returns.

        Raises:
            InputError: If it cannot be written (a full disk); nothing that was there
                is lost.
        """
        self._writer.put(((PUT, _row(entry)),))

    async def keep(self, entry: Entry, *, attempt: int) -> None:
        """Commit a reply with those that are ready too, and wait until it is there.

        Args:
            entry: The reply.
            attempt: The number of the attempt that brought it; it is settled by this.

        Raises:
            InputError: As put() does.
        """
        await self._writer.keep(((PUT, _row(entry)), (END, (attempt,))))

    async def begin(self, attempt: Attempt, *, wait: bool) -> int:
        """Note an attempt that is about to be made.

        Args:
            attempt: What is about to be sent.
            wait: Whether to go on only when the note is on the disk; without it a
                power cut may lose the notes of the last few milliseconds.

        Returns:
            The attempt's number.

        Raises:
            InputError: If the journal cannot be written; nothing should be sent then.
        """
        number, noted = self.number(attempt)
        if self._writer.trouble is not None:
            raise self._writer.trouble
        if not wait:
            self._writer.queue((noted,))
            return number
        try:
            await self._writer.keep((noted,))
        except asyncio.CancelledError:
            self.withdraw(number)
            raise
        return number

    def fail(
        self, attempt: int, why: str, *, most_usd: float, most_tokens: int
    ) -> None:
        """Note that an attempt failed, and what may be on the bill for it."""
        self._writer.queue(((FAIL, (plain(why), most_usd, most_tokens, attempt)),))

    def withdraw(self, attempt: int) -> None:
        """Forget an attempt that was noted and then not made."""
        self._writer.queue(((END, (attempt,)),))

    def unsettled(self) -> Unsettled:
        """Add up what may be on the bill for attempts that brought no reply.

        Attempts that were under way when a run was killed are among them.
        """
        with self._plainly("reading"):
            attempts, usd, tokens = self._rows.execute(
                "SELECT count(*), total(most_usd), coalesce(sum(most_tokens), 0)"
                " FROM attempts WHERE most_tokens > 0"
            ).fetchone()
        return Unsettled(attempts=attempts, most_usd=usd, most_tokens=tokens)

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

    async def flush(self) -> None:
        """Wait until all that was handed in is on the disk."""
        await self._writer.flush()

    def close(self) -> None:
        """Write what is left and let go of the file; may be called twice.

        Raises:
            InputError: If something is left that cannot be written.
        """
        with closing(self._lock), closing(self._rows):
            self._writer.close()

    def number(self, attempt: Attempt) -> tuple[int, Statement]:
        """Give an attempt its number, and the statement that notes it."""
        self._attempts += 1
        row = (
            self._attempts,
            attempt.key,
            attempt.stage,
            attempt.model,
            attempt.most_usd,
            attempt.most_tokens,
            attempt.at,
        )
        return self._attempts, (BEGIN, row)

    async def commit(self, *work: Statement) -> None:
        """Commit statements together, and wait until they are on the disk.

        Raises:
            InputError: If they cannot be written.
        """
        await self._writer.keep(work)

    def select(self, sql: str, *values: object) -> list[tuple[Any, ...]]:
        """Read rows.

        Raises:
            InputError: If the file is damaged.
        """
        with self._plainly("reading"):
            return self._rows.execute(sql, values).fetchall()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def _row(entry: Entry) -> tuple[object, ...]:
    charged = entry.charged or entry.reply.usage
    return (
        entry.key,
        entry.stage,
        entry.model,
        entry.request,
        msgspec.json.encode(entry.reply),
        charged.tokens_in,
        charged.tokens_out,
        entry.cost_usd,
        entry.at,
    )


def _connected(path: Path, patience_s: float) -> sqlite3.Connection:
    """Open a database; each connection is used by one thread at a time."""
    rows = sqlite3.connect(
        path, isolation_level=None, check_same_thread=False, timeout=patience_s
    )
    # A reply must outlive a power cut, not only a killed process.
    rows.execute("PRAGMA synchronous = FULL")
    return rows


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
