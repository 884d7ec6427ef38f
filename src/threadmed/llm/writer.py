"""Commits what many callers have ready at the same time in one transaction.

A commit that outlives a power cut takes milliseconds on any disk, however little it
holds. While one is under way, on a thread of its own, whatever becomes ready waits and
goes into the next, so that the loop never waits for the disk.
"""

import asyncio
import sqlite3
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from threadmed.errors import InputError

Statement = tuple[str, Sequence[object]]
"""SQL and its values."""

Work = tuple[Statement, ...]
"""Statements that are committed together or not at all."""

ADVICE = {
    "SQLITE_FULL": "make room on the disk and run again; what was committed is kept",
    "SQLITE_IOERR": "make room on the disk, or mend it, and run again; what was "
    "committed is kept",
    "SQLITE_CORRUPT": "the file is damaged; what can be read of it is saved by "
    "`sqlite3 journal.sqlite .recover | sqlite3 saved.sqlite`: put that in its place, "
    "or a copy of yours; without one every reply is paid for again",
    "SQLITE_NOTADB": "it is no journal, or one whose beginning is damaged; put a copy "
    "of yours in its place, or move it out of the study folder",
    "SQLITE_BUSY": "another program has it open; close that and run again",
    "SQLITE_CANTOPEN": "look whether its folder may be written to, and whether what has "
    "its name, or that with .lock behind it, is a file",
    "SQLITE_READONLY": "it may not be written; change its permissions",
}
"""What to do, by the name that SQLite gives to what is wrong."""


def complaint(path: Path, doing: str, cause: Exception) -> InputError:
    """Say in one line what could not be done with a journal, and what to do."""
    name = getattr(cause, "sqlite_errorname", "") or ""
    advice = next((text for key, text in ADVICE.items() if name.startswith(key)), "")
    ending = f"; {advice}" if advice else ""
    return InputError(f"{path}: {doing} the journal: {cause}{ending}")


class Writer:
    """Writes to one database on a thread of its own."""

    def __init__(self, path: Path, rows: sqlite3.Connection) -> None:
        """Take over a connection; it was opened for use by any thread."""
        self._path = path
        self._rows = rows
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="journal")
        self._ready: list[tuple[Work, asyncio.Future[None] | None]] = []
        self._writing: asyncio.Task[None] | None = None
        self._unwritten: list[Work] = []
        self.trouble: InputError | None = None
        """Why the last commit failed; None while all is well."""

    def put(self, work: Work) -> None:
        """Commit alone; it is on the disk when this returns.

        Raises:
            InputError: If it cannot be written.
        """
        (error,) = self._thread.submit(self._commit, [work]).result()
        if error is not None:
            raise error

    def queue(self, work: Work) -> None:
        """Have work committed soon, with what else is ready; nobody waits for it."""
        self._enqueue(work, None)

    async def keep(self, work: Work) -> None:
        """Have work committed with what else is ready, and wait until it is.

        Raises:
            InputError: If it cannot be written; close() then tries it once more.
        """
        done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._enqueue(work, done)
        await done

    def _enqueue(self, work: Work, done: asyncio.Future[None] | None) -> None:
        self._ready.append((work, done))
        if self._writing is None or self._writing.done():
            self._writing = asyncio.get_running_loop().create_task(self._write())

    async def _write(self) -> None:
        """Commit batch after batch until nothing is ready."""
        loop = asyncio.get_running_loop()
        while self._ready:
            batch, self._ready = self._ready, []
            works = [work for work, _ in batch]
            commit = loop.run_in_executor(self._thread, self._commit, works)
            # Shielded: what the thread was given it commits, whoever leaves.
            errors = await asyncio.shield(commit)
            for (_, done), error in zip(batch, errors, strict=True):
                _tell(done, error)

    def _commit(self, works: Sequence[Work]) -> list[InputError | None]:
        """Commit all together; where that fails each alone, so that one spoils none."""
        self.trouble = None
        try:
            self._transact(statement for work in works for statement in work)
        except (sqlite3.Error, ValueError, OverflowError) as cause:
            # The last two are values that SQLite cannot hold; others must not be lost.
            if len(works) > 1:
                return [error for work in works for error in self._commit([work])]
            self._unwritten.extend(works)
            self.trouble = complaint(self._path, "writing to", cause)
            return [self.trouble]
        return [None] * len(works)

    def _transact(self, statements: Iterable[Statement]) -> None:
        self._rows.execute("BEGIN IMMEDIATE")
        try:
            for sql, values in statements:
                self._rows.execute(sql, values)
            self._rows.execute("COMMIT")
        finally:
            if self._rows.in_transaction:
                self._rows.execute("ROLLBACK")

    async def flush(self) -> None:
        """Wait until all that was queued is committed, or has failed."""
        while self._writing is not None and not self._writing.done():
            await asyncio.shield(self._writing)

    def close(self) -> None:
        """Commit what is left, try again what could not be written, end the thread.

        May be called twice.

        Raises:
            InputError: If something is left that cannot be written.
        """
        self._thread.shutdown()
        left = [*self._unwritten, *(work for work, _ in self._ready)]
        self._unwritten, self._ready = [], []
        errors = [error for error in self._commit(left) if error] if left else []
        self._rows.close()
        if errors:
            raise errors[0]


def _tell(done: asyncio.Future[None] | None, error: InputError | None) -> None:
    """Let whoever waits go on, or know why not."""
    if done is None or done.done():
        return
    if error is None:
        done.set_result(None)
    else:
        done.set_exception(error)
