import asyncio
import math
import os
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest
from msgspec.structs import replace

from threadmed.errors import InputError
from threadmed.llm.journal import Attempt, Entry, Journal
from threadmed.llm.model import Reply
from threadmed.llm.tables import VERSION
from threadmed.records import Usage


def entry(key: str = "k", *, stage: str = "answer", cost: float = 0.5) -> Entry:
    return Entry(
        key=key,
        stage="judge" if stage == "judge" else "answer",
        model="m",
        request=b"{}",
        reply=Reply(
            outcome="truncated",
            text="half \ud7ff \U0001f9b7",
            detail="length",
            usage=Usage(tokens_in=3, tokens_out=2),
            served_by="m-1",
        ),
        cost_usd=cost,
        at=1.0,
    )


def test_a_reply_comes_back_as_it_was_after_the_journal_was_closed(
    tmp_path: Path,
) -> None:
    with Journal(tmp_path / "j.sqlite") as journal:
        journal.put(entry())

    with Journal(tmp_path / "j.sqlite") as journal:
        assert journal.get("k") == entry().reply
        assert journal.get("other") is None


def test_spending_is_added_up_by_stage_and_model(tmp_path: Path) -> None:
    with Journal(tmp_path / "j.sqlite") as journal:
        for key, stage in (("a", "answer"), ("b", "answer"), ("c", "judge")):
            journal.put(entry(key, stage=stage))

        spend = journal.spend()

    assert [(s.stage, s.calls, s.tokens_in, s.cost_usd) for s in spend] == [
        ("answer", 2, 6, 1.0),
        ("judge", 1, 3, 0.5),
    ]


def test_a_second_run_of_the_same_study_is_refused_in_one_line(tmp_path: Path) -> None:
    with (
        Journal(tmp_path / "j.sqlite"),
        pytest.raises(InputError, match="another run holds this study"),
    ):
        Journal(tmp_path / "j.sqlite")


def test_a_journal_of_a_newer_version_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "j.sqlite"
    with sqlite3.connect(path) as rows:
        rows.execute("PRAGMA user_version = 99")
    rows.close()
    before = path.read_bytes()

    for _ in range(2):  # the lock is let go of, too
        with pytest.raises(InputError, match="is of version 99, this threadmed reads"):
            Journal(path)

    assert path.read_bytes() == before


def test_a_database_of_something_else_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "j.sqlite"
    with sqlite3.connect(path) as rows:
        rows.execute("CREATE TABLE recipes (name TEXT)")
    rows.close()
    before = path.read_bytes()

    with pytest.raises(InputError, match="is a database of something else"):
        Journal(path)

    assert path.read_bytes() == before


def test_a_row_that_cannot_be_read_is_one_line_that_names_the_file(
    tmp_path: Path,
) -> None:
    path = tmp_path / "j.sqlite"
    with Journal(path) as journal:
        journal.put(entry())
    with sqlite3.connect(path) as rows:
        rows.execute("UPDATE replies SET reply = '{}'")
    rows.close()

    with (
        Journal(path) as journal,
        pytest.raises(InputError, match=r"j\.sqlite: reading the reply k: "),
    ):
        journal.get("k")


def test_a_full_disk_is_one_line_and_loses_nothing(
    tmp_path: Path,
) -> None:
    """Stands in for a full disk, which SQLite reports in the same way."""
    resource = pytest.importorskip("resource")
    path = tmp_path / "j.sqlite"
    with Journal(path) as journal:
        journal.put(entry())
        soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
        kept = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        # No file may grow by more than this: the next reply is larger.
        resource.setrlimit(resource.RLIMIT_FSIZE, (64_000, hard))
        try:
            with pytest.raises(InputError, match=r"j\.sqlite: writing to the journal"):
                journal.put(msgspec.structs.replace(entry("l"), request=bytes(200_000)))
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
            signal.signal(signal.SIGXFSZ, kept)
        journal.put(entry("m"))
        assert [journal.get(key) is None for key in "klm"] == [False, True, False]

    # There was room again at the end.
    with Journal(path) as journal:
        assert all(journal.get(key) for key in "klm")


def test_a_file_that_is_no_journal_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "j.sqlite"
    path.write_text("not a database, but long enough to be taken for one" * 9)
    before = path.read_bytes()

    with pytest.raises(InputError, match=r"j\.sqlite: opening the journal"):
        Journal(path)

    assert path.read_bytes() == before


def test_a_folder_that_cannot_be_written_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")

    with pytest.raises(InputError, match="opening the journal"):
        Journal(tmp_path / "file" / "j.sqlite")


def test_a_reply_outlives_a_process_that_is_killed_right_after_it(
    tmp_path: Path,
) -> None:
    child = (
        "import os, signal, sys\n"
        "from pathlib import Path\n"
        "from threadmed.llm.journal import Entry, Journal\n"
        "from threadmed.llm.model import Reply\n"
        "from threadmed.records import Usage\n"
        "journal = Journal(Path(sys.argv[1]))\n"
        "reply = Reply(outcome='answered', text='paid', usage=Usage(), served_by='m')\n"
        "journal.put(Entry(key='k', stage='answer', model='m', request=b'{}',"
        " reply=reply, cost_usd=1.0, at=1.0))\n"
        "os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    path = tmp_path / "j.sqlite"

    done = subprocess.run(
        [sys.executable, "-c", child, str(path)], check=False, env=dict(os.environ)
    )

    assert done.returncode == -signal.SIGKILL
    with Journal(path) as journal:
        reply = journal.get("k")
    assert reply is not None
    assert reply.text == "paid"


def attempt(key: str = "k", *, usd: float = 0.25) -> Attempt:
    return Attempt(
        key=key, stage="answer", model="m", most_usd=usd, most_tokens=7, at=1.0
    )


def commits(path: Path) -> int:
    """Count the commits in a write-ahead log, by SQLite's description of the file.

    A head of 32 bytes is followed by frames of 24 bytes and a page each; the second
    number of a frame is 0 unless it ends a commit.
    """
    log = Path(f"{path}-wal").read_bytes()
    page = int.from_bytes(log[8:12], "big")
    frames = range(32, len(log), 24 + page)
    return sum(any(log[frame + 4 : frame + 8]) for frame in frames)


def test_replies_that_are_ready_together_are_committed_together(
    tmp_path: Path,
) -> None:
    path = tmp_path / "j.sqlite"

    async def many(journal: Journal) -> None:
        keeping = (journal.keep(entry(str(n)), attempt=n) for n in range(50))
        await asyncio.gather(*keeping)

    with Journal(path) as journal:
        journal.put(entry("alone"))
        before = commits(path)
        asyncio.run(many(journal))

        assert before >= 1
        assert commits(path) - before <= 2
        assert all(journal.get(str(n)) for n in range(50))


def test_whoever_keeps_a_reply_goes_on_only_when_another_process_can_read_it(
    tmp_path: Path,
) -> None:
    path = tmp_path / "j.sqlite"

    async def one(journal: Journal, key: str) -> int:
        await journal.keep(entry(key), attempt=1)
        with sqlite3.connect(path) as rows:
            sql = "SELECT count(*) FROM replies WHERE key = ?"
            (found,) = rows.execute(sql, (key,)).fetchone()
        rows.close()
        return int(found)

    async def many(journal: Journal) -> list[int]:
        return await asyncio.gather(*(one(journal, str(n)) for n in range(30)))

    with Journal(path) as journal:
        assert asyncio.run(many(journal)) == [1] * 30


def test_a_reply_that_cannot_be_written_does_not_take_its_neighbours_with_it(
    tmp_path: Path,
) -> None:
    async def three(journal: Journal) -> list[BaseException | None]:
        bad = replace(entry("k"), cost_usd=math.nan)
        keeping = (
            journal.keep(each, attempt=1) for each in (entry("a"), bad, entry("b"))
        )
        return await asyncio.gather(*keeping, return_exceptions=True)

    journal = Journal(tmp_path / "j.sqlite")

    first, second, third = asyncio.run(three(journal))

    # Not a number is no cost: stands in for any row that the disk does not take.
    assert (first, third) == (None, None)
    assert isinstance(second, InputError)
    assert journal.get("a")
    assert journal.get("b")
    with pytest.raises(InputError, match="writing to the journal"):
        journal.close()


def test_what_is_left_when_the_loop_ends_is_written_by_close(tmp_path: Path) -> None:
    async def leave(journal: Journal) -> None:
        keeping = asyncio.create_task(journal.keep(entry(), attempt=1))
        await asyncio.sleep(0)
        keeping.cancel()

    with Journal(tmp_path / "j.sqlite") as journal:
        asyncio.run(leave(journal))

    with Journal(tmp_path / "j.sqlite") as journal:
        assert journal.get("k")


def test_an_attempt_is_unsettled_until_its_reply_is_there_or_it_surely_cost_nothing(
    tmp_path: Path,
) -> None:
    async def some(journal: Journal) -> list[float]:
        numbers = [await journal.begin(attempt(key), wait=True) for key in "abcd"]
        sums = [journal.unsettled().most_usd]
        await journal.keep(entry("a"), attempt=numbers[0])
        sums.append(journal.unsettled().most_usd)
        journal.fail(numbers[1], "HTTP 429", most_usd=0.0, most_tokens=0)
        journal.withdraw(numbers[2])
        journal.fail(numbers[3], "timed out", most_usd=0.25, most_tokens=7)
        await journal.flush()
        return [*sums, journal.unsettled().most_usd]

    with Journal(tmp_path / "j.sqlite") as journal:
        assert asyncio.run(some(journal)) == [1.0, 0.75, 0.25]

    # It may still be on the bill when the next run opens the journal.
    with Journal(tmp_path / "j.sqlite") as journal:
        assert journal.unsettled().attempts == 1
        number = asyncio.run(journal.begin(attempt("e"), wait=True))
        assert number == 5
        assert journal.unsettled().most_tokens == 14


def test_an_attempt_that_is_called_off_before_it_is_noted_leaves_nothing(
    tmp_path: Path,
) -> None:
    async def call_off(journal: Journal) -> None:
        beginning = asyncio.create_task(journal.begin(attempt(), wait=True))
        await asyncio.sleep(0)
        beginning.cancel()
        with pytest.raises(asyncio.CancelledError):
            await beginning
        await journal.flush()

    with Journal(tmp_path / "j.sqlite") as journal:
        asyncio.run(call_off(journal))

        assert journal.unsettled().attempts == 0


VERSION_1 = """
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
) WITHOUT ROWID;
INSERT INTO replies VALUES ('k', 'answer', 'm', '{}',
    '{"outcome":"answered","text":"hi","usage":{"tokens_in":3},"served_by":"m-1"}',
    3, 0, 0.5, 1.0);
PRAGMA user_version = 1;
"""


def test_a_journal_of_version_1_is_brought_up_to_date_in_place(tmp_path: Path) -> None:
    path = tmp_path / "j.sqlite"
    with sqlite3.connect(path) as rows:
        rows.executescript(VERSION_1)
    rows.close()

    for number in (1, 2):  # the second time there is nothing left to do
        with Journal(path) as journal:
            reply = journal.get("k")
            assert reply is not None
            assert reply.text == "hi"
            assert asyncio.run(journal.begin(attempt(), wait=True)) == number

    with sqlite3.connect(path) as rows:
        assert rows.execute("PRAGMA user_version").fetchone() == (VERSION,)
    rows.close()


def filled(path: Path) -> None:
    with Journal(path) as journal:
        for number in range(40):
            big = msgspec.structs.replace(entry(str(number)), request=b"x" * 3_000)
            journal.put(big)


@pytest.mark.parametrize("share", [0.3, 0.6, 0.95])
def test_a_journal_that_is_cut_off_is_one_line_that_says_what_to_do(
    tmp_path: Path, share: float
) -> None:
    path = tmp_path / "j.sqlite"
    filled(path)
    whole = path.read_bytes()
    path.write_bytes(whole[: int(len(whole) * share)])
    before = path.read_bytes()

    with pytest.raises(InputError, match=r"j\.sqlite: .*damaged.*\.recover") as caught:
        Journal(path)

    assert "\n" not in str(caught.value)
    assert path.read_bytes() == before


def test_a_journal_with_a_page_of_garbage_is_one_line_that_says_what_to_do(
    tmp_path: Path,
) -> None:
    path = tmp_path / "j.sqlite"
    filled(path)
    with path.open("r+b") as file:
        file.seek(4096)
        file.write(b"\xa7" * 4096)

    with pytest.raises(InputError, match=r"j\.sqlite: .*damaged.*\.recover"):
        Journal(path)


def test_a_journal_that_another_program_writes_to_is_one_line(tmp_path: Path) -> None:
    path = tmp_path / "j.sqlite"
    with Journal(path):
        pass
    viewer = sqlite3.connect(path, isolation_level=None)
    viewer.execute("BEGIN EXCLUSIVE")
    try:
        with Journal(path, patience_s=0.01) as journal:
            with pytest.raises(InputError, match="another program has it open"):
                journal.put(entry())
            viewer.execute("ROLLBACK")
    finally:
        viewer.close()

    # It was written in the end.
    with Journal(path) as journal:
        assert journal.get("k")
