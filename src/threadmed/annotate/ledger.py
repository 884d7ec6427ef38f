"""The store of what raters say: one SQLite file, each answer kept before it is told.

Answers are never changed or removed: what is undone is marked, what is said again is
a further row, and the last row that is not undone is what holds.
"""

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import msgspec

from threadmed.annotate.items import Item
from threadmed.annotate.sampling import Draw, Plan
from threadmed.annotate.tasks import TASK_NAMES, Said, TaskName
from threadmed.errors import InputError
from threadmed.records import Record

SCHEMA = """
CREATE TABLE IF NOT EXISTS plans (task TEXT PRIMARY KEY, plan BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS items (
    item TEXT PRIMARY KEY, task TEXT NOT NULL, place INTEGER NOT NULL,
    record BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS queues (
    task TEXT NOT NULL, rater TEXT NOT NULL, place INTEGER NOT NULL,
    item TEXT NOT NULL REFERENCES items, PRIMARY KEY (task, rater, item));
CREATE TABLE IF NOT EXISTS entries (
    seq INTEGER PRIMARY KEY AUTOINCREMENT, task TEXT NOT NULL, rater TEXT NOT NULL,
    item TEXT NOT NULL REFERENCES items, said BLOB NOT NULL, at REAL NOT NULL,
    undone REAL, source TEXT NOT NULL DEFAULT '', key TEXT UNIQUE);
CREATE INDEX IF NOT EXISTS entries_by_rater ON entries (task, rater, item);
CREATE TABLE IF NOT EXISTS put_off (
    seq INTEGER PRIMARY KEY AUTOINCREMENT, task TEXT NOT NULL, rater TEXT NOT NULL,
    item TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS tokens (
    hash TEXT PRIMARY KEY, kind TEXT NOT NULL, name TEXT NOT NULL, at REAL NOT NULL,
    used REAL);
CREATE TABLE IF NOT EXISTS facts (name TEXT PRIMARY KEY, value TEXT NOT NULL);
"""


class Entry(Record, frozen=True, kw_only=True):
    """An answer that holds."""

    seq: int
    task: TaskName
    rater: str
    said: Said
    at: float
    """When it was saved, in seconds since 1970."""
    source: str = ""
    """The kit that it came from; empty is the web page."""


class Ledger:
    """The open store of one study's ratings."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as cause:
            raise InputError(
                f"{path.parent}: cannot keep ratings here: {cause.strerror}"
            ) from cause
        try:
            self.rows = sqlite3.connect(path, isolation_level=None, timeout=10)
            self.rows.execute("PRAGMA journal_mode=WAL")
            # FULL: an answer is on the disk, and not only on its way, when it is told.
            self.rows.execute("PRAGMA synchronous=FULL")
            self.rows.executescript(SCHEMA)
        except sqlite3.Error as cause:
            raise InputError(f"{path}: not a store of ratings: {cause}") from cause

    def close(self) -> None:
        """Close the file."""
        self.rows.close()

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Do several writes or none; the others wait."""
        self.rows.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            self.rows.execute("ROLLBACK")
            raise
        self.rows.execute("COMMIT")

    def plan(self, task: TaskName) -> Plan | None:
        """Give the plan of a task; None where nothing was drawn for it."""
        row = self.rows.execute(
            "SELECT plan FROM plans WHERE task = ?", (task,)
        ).fetchone()
        return msgspec.json.decode(row[0], type=Plan) if row else None

    def plans(self) -> tuple[Plan, ...]:
        """Give every plan that there is."""
        found = (self.plan(task) for task in TASK_NAMES)
        return tuple(plan for plan in found if plan is not None)

    def add(self, draw: Draw) -> None:
        """Keep a draw; a task has one."""
        task = draw.plan.task
        encode = msgspec.json.encode
        with self.writing():
            self.rows.execute(
                "INSERT INTO plans VALUES (?, ?)", (task, encode(draw.plan))
            )
            self.rows.executemany(
                "INSERT INTO items VALUES (?, ?, ?, ?)",
                [
                    (item.item, task, at, encode(item))
                    for at, item in enumerate(draw.items)
                ],
            )
            self.rows.executemany(
                "INSERT INTO queues VALUES (?, ?, ?, ?)",
                [
                    (task, rater, at, item)
                    for rater, queue in draw.queues.items()
                    for at, item in enumerate(queue)
                ],
            )

    def items(self, task: TaskName) -> tuple[Item, ...]:
        """Give the drawn items of a task, in the order of the draw."""
        rows = self.rows.execute(
            "SELECT record FROM items WHERE task = ? ORDER BY place", (task,)
        )
        return tuple(msgspec.json.decode(row[0], type=Item) for row in rows)

    def item(self, name: str) -> Item:
        """Give one item.

        Raises:
            InputError: If there is none of that name.
        """
        row = self.rows.execute(
            "SELECT record FROM items WHERE item = ?", (name,)
        ).fetchone()
        if row is None:
            raise InputError(f"there is no item {name!r}")
        return msgspec.json.decode(row[0], type=Item)

    def queue(self, task: TaskName, rater: str) -> tuple[str, ...]:
        """Give a rater's items in their order; what was put off comes last."""
        rows = self.rows.execute(
            "SELECT item FROM queues WHERE task = ? AND rater = ? ORDER BY place",
            (task, rater),
        )
        return self.with_put_off(task, rater, [row[0] for row in rows])

    def with_put_off(
        self, task: TaskName, rater: str, items: Sequence[str]
    ) -> tuple[str, ...]:
        """Move to the end what the rater put off, in the order of doing so."""
        rows = self.rows.execute(
            "SELECT item, max(seq) FROM put_off WHERE task = ? AND rater = ? "
            "GROUP BY item",
            (task, rater),
        )
        when = dict(rows.fetchall())
        return tuple(sorted(items, key=lambda item: when.get(item, 0)))

    def put_off(self, task: TaskName, rater: str, item: str) -> None:
        """Put an item at the end of a rater's queue."""
        self.rows.execute(
            "INSERT INTO put_off (task, rater, item) VALUES (?, ?, ?)",
            (task, rater, item),
        )

    def save(
        self, task: TaskName, rater: str, said: Said, *, at: float, source: str = ""
    ) -> None:
        """Keep an answer; the same one with the same key is not kept twice."""
        written = msgspec.json.encode(said)
        self.rows.execute(
            "INSERT INTO entries (task, rater, item, said, at, source, key) "
            "VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (key) DO NOTHING",
            (
                task,
                rater,
                said.item,
                written,
                at,
                source,
                f"{task}:{rater}:{written.decode()}" if said.key else None,
            ),
        )

    def undo(self, task: TaskName, rater: str, *, at: float) -> str | None:
        """Take back a rater's last answer that holds; give its item, or None."""
        with self.writing():
            row = self.rows.execute(
                "SELECT seq, item FROM entries WHERE task = ? AND rater = ? "
                "AND undone IS NULL ORDER BY seq DESC LIMIT 1",
                (task, rater),
            ).fetchone()
            if row is None:
                return None
            self.rows.execute(
                "UPDATE entries SET undone = ? WHERE seq = ?", (at, row[0])
            )
        return str(row[1])

    def holding(self, task: TaskName, rater: str | None = None) -> tuple[Entry, ...]:
        """Give the answers that hold, of one rater or of all, by time of the first.

        Of a rater and an item it is the last that is not undone.
        """
        rows = self.rows.execute(
            "SELECT seq, rater, said, at, source FROM entries JOIN ("
            "  SELECT max(seq) AS last, min(seq) AS first FROM entries "
            "  WHERE task = ? AND (? IS NULL OR rater = ?) AND undone IS NULL "
            "  GROUP BY rater, item) ON seq = last ORDER BY first",
            (task, rater, rater),
        )
        return tuple(
            Entry(
                seq=row[0],
                task=task,
                rater=row[1],
                said=msgspec.json.decode(row[2], type=Said),
                at=row[3],
                source=row[4],
            )
            for row in rows
        )

    def last_said(self, task: TaskName, rater: str, item: str) -> Said | None:
        """Give what a rater last said of an item, also where it was undone."""
        row = self.rows.execute(
            "SELECT said FROM entries WHERE task = ? AND rater = ? AND item = ? "
            "ORDER BY seq DESC LIMIT 1",
            (task, rater, item),
        ).fetchone()
        return msgspec.json.decode(row[0], type=Said) if row else None

    def fact(self, name: str) -> str | None:
        """Give a fact about the store; None where it is not known."""
        row = self.rows.execute(
            "SELECT value FROM facts WHERE name = ?", (name,)
        ).fetchone()
        return row[0] if row else None

    def note_fact(self, name: str, value: str) -> None:
        """Keep a fact about the store."""
        self.rows.execute("INSERT OR REPLACE INTO facts VALUES (?, ?)", (name, value))
