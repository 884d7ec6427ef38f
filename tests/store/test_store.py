import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from threadmed.errors import InputError
from threadmed.records import PanelScore, Thread, ThreadId, Turn
from threadmed.store import (
    Questions,
    atomic,
    read_json,
    read_questions,
    read_records,
    read_scores,
    write_json,
    write_parquet,
    write_records,
    write_scores,
    write_text,
)

HEAD = "target,setting,thread_id,turn,score"
ROW = "m,multi_turn,THREAD_1,0,1"


def table(path: Path, *lines: str) -> Path:
    path.write_text("\n".join(lines) + "\n")
    return path


@given(st.lists(st.from_type(Thread), max_size=4))
def test_threads_come_back_from_json_lines_as_they_were(
    tmp_path_factory: pytest.TempPathFactory, threads: list[Thread]
) -> None:
    path = tmp_path_factory.mktemp("store") / "threads.jsonl"

    write_records(path, threads)

    assert read_records(path, Thread) == threads


def test_a_bad_line_is_named_with_its_file_line_and_field(tmp_path: Path) -> None:
    path = tmp_path / "threads.jsonl"
    path.write_text('{"thread_id": "T1", "turns": []}\n\n{"thread_id": 3}\n')

    with pytest.raises(InputError, match=r"threads\.jsonl:3: .*thread_id"):
        read_records(path, Thread)


def test_a_missing_file_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"none\.json: no such file"):
        read_json(tmp_path / "none.json", Thread)


def test_json_of_another_kind_is_refused(tmp_path: Path) -> None:
    write_json(tmp_path / "a.json", {"turns": 3})

    with pytest.raises(InputError, match=r"a\.json: Expected `array`|a\.json: Object"):
        read_json(tmp_path / "a.json", Thread)


def test_a_write_that_fails_leaves_what_was_there_and_nothing_else(
    tmp_path: Path,
) -> None:
    path = tmp_path / "a.txt"
    write_text(path, "before")

    def fail_halfway() -> None:
        with atomic(path) as temporary:
            temporary.write_text("half")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail_halfway()

    assert path.read_text() == "before"
    assert list(tmp_path.iterdir()) == [path]


def test_a_folder_that_cannot_be_written_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")

    with pytest.raises(InputError, match="cannot write"):
        write_text(tmp_path / "file" / "a.txt", "x")


def test_a_file_that_cannot_grow_is_one_line_and_the_old_one_stays(
    tmp_path: Path,
) -> None:
    path = tmp_path / "a.txt"
    write_text(path, "before")
    child = (
        "import resource, signal, sys\n"
        "from pathlib import Path\n"
        "from threadmed.errors import InputError\n"
        "from threadmed.store import write_text\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))\n"
        "try:\n"
        "    write_text(Path(sys.argv[1]), 'x' * 9000)\n"
        "except InputError as error:\n"
        "    print(error)\n"
    )

    done = subprocess.run(
        [sys.executable, "-c", child, str(path)],
        capture_output=True,
        text=True,
        check=True,
    )

    assert "a.txt: cannot write: File too large" in done.stdout
    assert path.read_text() == "before"
    assert list(tmp_path.iterdir()) == [path]


def test_parquet_holds_the_same_threads(tmp_path: Path) -> None:
    import polars as pl

    thread = Thread(
        thread_id=ThreadId("T1"),
        turns=(Turn(question="q", answer=None), Turn(question="r", answer="a")),
    )

    write_parquet(tmp_path / "t.parquet", [thread])

    rows = pl.read_parquet(tmp_path / "t.parquet").to_dicts()
    assert rows[0]["thread_id"] == "T1"
    assert rows[0]["turns"][1] == {"question": "r", "answer": "a"}
    assert rows[0]["turns"][0]["answer"] is None


def test_a_parquet_file_without_threads_has_the_same_columns(tmp_path: Path) -> None:
    import polars as pl

    write_parquet(tmp_path / "t.parquet", [])

    assert pl.read_parquet(tmp_path / "t.parquet").columns == ["thread_id", "turns"]


def test_scores_come_back_from_csv_as_they_were(tmp_path: Path) -> None:
    scores = [
        PanelScore(
            target="m",
            setting="oracle",
            thread_id=ThreadId("T,1"),
            turn=2,
            score=-1,
            outcome="scored",
            tie_break=True,
        ),
        PanelScore(
            target="m",
            setting="oracle",
            thread_id=ThreadId("T2"),
            turn=0,
            score=None,
            outcome="blocked",
            misconception=False,
        ),
    ]

    write_scores(tmp_path / "scores.csv", scores)

    rows = read_scores(tmp_path / "scores.csv")
    assert [(r.thread_id, r.score, r.outcome, r.tie_break) for r in rows] == [
        ("T,1", -1, "scored", True),
        ("T2", None, "blocked", False),
    ]
    assert [row.misconception for row in rows] == [True, False]


@pytest.mark.parametrize(
    ("written", "score"), [("1.0", 1), ("-1.0", -1), ("0", 0), ("", None)]
)
def test_a_score_may_be_written_as_a_float_or_be_empty(
    tmp_path: Path, written: str, score: int | None
) -> None:
    path = table(tmp_path / "s.csv", HEAD, f"m,multi_turn,T1,0,{written}")

    (row,) = read_scores(path)

    assert row.score == score
    assert row.outcome == ("unjudged" if score is None else "scored")


def test_lines_that_hold_nothing_are_passed_over(tmp_path: Path) -> None:
    path = table(tmp_path / "s.csv", HEAD, "", ROW, ",,,,", "   ")

    assert len(read_scores(path)) == 1


@pytest.mark.parametrize(
    ("lines", "complaint"),
    [
        (("target,setting,thread_id,score", "m,oracle,T,1"), "no column turn; found"),
        (("", ROW), "no column target"),
        ((HEAD + ",misconceptoin", ROW + ",1"), "'misconceptoin' is not known"),
        ((HEAD + ",score", ROW + ",1"), "'score' is not known or stands twice"),
        ((HEAD,), "has no rows"),
        (
            (HEAD, ROW, "m,multi_turn,T1,1,2"),
            r"s\.csv:3: score is '2'; expected one of empty, -1, 0, 1$",
        ),
        (
            (HEAD, ROW, "", ROW),
            r"s\.csv:4: .* stands twice for .*; first at .*s\.csv:2$",
        ),
        (('{"target": "m"}',), "looks like JSON; a CSV is expected"),
        (('[{"target": "m"},', '{"target": "n"}]'), "looks like JSON"),
        ((HEAD, "m,multi_turn,T1,1,nan"), "score is 'nan'"),
        ((HEAD, "m,multiturn,T1,1,1"), "setting is 'multiturn'"),
        ((HEAD, "m,multi_turn,T1,-1,1"), "turn is '-1'"),
        ((HEAD, "m,multi_turn,T1,x,1"), "turn is 'x'"),
        ((HEAD, "m,multi_turn,T1," + 30 * "9" + ",1"), "turn is '9999"),
        ((HEAD, '"m"x,multi_turn,T1,0,1', ROW), "not a CSV row"),
        ((HEAD, ROW, '"m,multi_turn,T1,1,1', ROW), "not a CSV row"),
        ((HEAD, ",multi_turn,T1,0,1"), "must not be empty"),
        ((HEAD, "m,multi_turn,T1,0"), r"s\.csv:2: has 4 cells, and the head 5"),
        ((HEAD, ROW + ",9"), "has 6 cells, and the head 5"),
        ((HEAD + ",outcome", ROW + ",blocked"), "'blocked' does not go with"),
        ((HEAD + ",outcome", "m,oracle,T,0,,lost"), "outcome is 'lost'"),
        ((HEAD + ",misconception", ROW + ",maybe"), "misconception is 'maybe'"),
    ],
)
def test_a_wrong_scores_table_is_refused_where_it_is_wrong(
    tmp_path: Path, lines: tuple[str, ...], complaint: str
) -> None:
    with pytest.raises(InputError, match=complaint):
        read_scores(table(tmp_path / "s.csv", *lines))


def test_a_table_that_is_no_text_is_refused(tmp_path: Path) -> None:
    (tmp_path / "s.csv").write_bytes(b"\xffA\x00")

    with pytest.raises(InputError, match="not a text file"):
        read_scores(tmp_path / "s.csv")


def test_a_cell_may_hold_line_ends_that_are_none_in_csv(tmp_path: Path) -> None:
    path = table(tmp_path / "s.csv", HEAD, "m\u2028n,multi_turn,T\u00851,0,1")

    (row,) = read_scores(path)

    assert (row.target, row.thread_id) == ("m\u2028n", "T\u00851")


def test_a_path_that_no_system_has_is_one_line() -> None:
    with pytest.raises(InputError, match="cannot read"):
        read_json(Path("a\0b"), Thread)


def scored(turn: int, *, target: str = "m") -> PanelScore:
    return PanelScore(
        target=target,
        setting="intervention",
        thread_id=ThreadId("T1"),
        turn=turn,
        score=1,
        outcome="scored",
        misconception=turn != 2,
    )


def test_what_is_known_of_questions_comes_back_from_a_scores_table(
    tmp_path: Path,
) -> None:
    known = Questions(
        harms={(ThreadId("T1"), 0): "urgent"}, chances={(ThreadId("T1"), 2): 1 / 3}
    )
    path = tmp_path / "scores.csv"

    write_scores(path, [scored(0), scored(1), scored(2)], questions=known)

    assert read_questions(path) == known
    assert [row.misconception for row in read_scores(path)] == [True, True, False]
    assert path.read_text().splitlines()[0].endswith(",tie_break,harm,probability")


def test_a_column_that_nothing_fills_is_not_written(tmp_path: Path) -> None:
    path = tmp_path / "scores.csv"

    write_scores(path, [scored(0)])
    plain = path.read_text()
    write_scores(
        path, [scored(0)], questions=Questions(harms={(ThreadId("T1"), 0): "mild"})
    )

    assert plain.splitlines()[0].endswith(",tie_break")
    assert path.read_text().splitlines()[0].endswith(",tie_break,harm")
    assert read_questions(path).chances == {}


@pytest.mark.parametrize(
    ("head", "cells", "complaint"),
    [
        ("harm", "grave", r"harm is 'grave'; expected one of none, mild"),
        ("probability", "0", r"probability is '0'; expected a number above 0"),
        ("probability", "often", r"probability is 'often'"),
        ("probability", "nan", r"probability is 'nan'"),
        ("harms", "mild", r"column 'harms' is not known"),
    ],
)
def test_what_a_table_says_of_questions_is_checked(
    tmp_path: Path, head: str, cells: str, complaint: str
) -> None:
    path = table(tmp_path / "s.csv", f"{HEAD},{head}", f"{ROW},{cells}")

    with pytest.raises(InputError, match=complaint):
        read_questions(path)


def test_rows_of_one_question_may_not_contradict_each_other(tmp_path: Path) -> None:
    other = ROW.replace("multi_turn", "oracle")
    path = table(tmp_path / "s.csv", f"{HEAD},harm", f"{ROW},mild", f"{other},urgent")

    with pytest.raises(InputError, match=r"s\.csv:3: harm of turn 0 of THREAD_1"):
        read_questions(path)


@pytest.mark.parametrize(
    ("baselines", "complaint"),
    [
        (("a", "b"), r"s\.csv:3: baseline of m1 is 'b', and 'a' in an earlier row"),
        (("m1", ""), r"baseline of m1 is m1, which has one itself"),
    ],
)
def test_a_baseline_is_one_target_that_is_no_arm(
    tmp_path: Path, baselines: tuple[str, str], complaint: str
) -> None:
    rows = [
        f"m1,multi_turn,T{n},0,1,{baseline}" for n, baseline in enumerate(baselines)
    ]
    path = table(
        tmp_path / "s.csv", "target,setting,thread_id,turn,score,baseline", *rows
    )

    with pytest.raises(InputError, match=complaint):
        read_questions(path)
