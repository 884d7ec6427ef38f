import os
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from threadmed.errors import InputError
from threadmed.llm.journal import Entry, Journal
from threadmed.llm.model import Reply
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


def test_a_journal_that_cannot_grow_loses_nothing_that_was_in_it(
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

    with Journal(path) as journal:
        assert [journal.get(key) is None for key in "klm"] == [False, True, False]


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
