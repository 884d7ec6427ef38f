from itertools import count

import pytest

from threadmed.cli.progress import shown


def ticking(monkeypatch: pytest.MonkeyPatch, *, step: float) -> None:
    """Let every look at the clock take some seconds."""
    times = count(0.0, step)
    monkeypatch.setattr("time.monotonic", lambda: next(times))


def test_elsewhere_than_on_a_terminal_progress_is_a_line_in_ten_seconds(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    ticking(monkeypatch, step=1.0)

    with shown(more=lambda: "0.5000 USD") as report:
        for done in range(24):
            report("answers of m", done, 24)
        report("answers of m", 24, 24)

    assert capsys.readouterr().err.splitlines() == [
        "answers of m 0 of 24, 1 s, 0.5000 USD",
        "answers of m 10 of 24, 11 s, 0.5000 USD",
        "answers of m 20 of 24, 21 s, 0.5000 USD",
        "answers of m 24 of 24, 26 s, 0.5000 USD",
    ]


def test_a_long_run_is_a_line_a_tenth_and_one_where_something_begins(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    ticking(monkeypatch, step=1.0)

    with shown() as report:
        for done in range(201):
            report("answers", done, 200)
            if done == 110:
                report("verdicts", 0, 10)

    lines = capsys.readouterr().err.splitlines()
    # Of 200 every twentieth is said, though there are twenty times of ten seconds.
    assert [line.split(" of ")[0] for line in lines[:6]] == [
        "answers 0", "answers 20", "answers 40", "answers 60", "answers 80", "answers 100"
    ]  # fmt: skip
    assert lines[6].startswith("answers 110 of 200; verdicts 0 of 10, ")
    assert len(lines) == 12


def test_what_hardly_moves_is_said_once_a_minute(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    ticking(monkeypatch, step=20.0)

    with shown() as report:
        for done in range(10):
            report("answers", done, 1_000)

    assert [line.split(" of ")[0] for line in capsys.readouterr().err.splitlines()] == [
        "answers 0",
        "answers 3",
        "answers 6",
        "answers 9",
    ]


def test_all_that_is_under_way_stands_in_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    ticking(monkeypatch, step=0.5)

    with shown() as report:
        report("a", 0, 2)
        report("b", 1, 1)
        report("a", 2, 2)

    assert capsys.readouterr().err.splitlines() == [
        "a 0 of 2, 0 s", "a 2 of 2; b 1 of 1, 2 s",
    ]  # fmt: skip


def test_how_far_it_came_is_said_where_it_stopped_too(
    capsys: pytest.CaptureFixture[str],
) -> None:
    def broken() -> None:
        with shown() as report:
            report("a", 0, 2)
            report("a", 1, 2)
            raise ValueError("stop")

    with pytest.raises(ValueError, match="stop"):
        broken()

    assert capsys.readouterr().err.splitlines()[-1].startswith("a 1 of 2, ")


def test_bytes_have_a_rate_and_the_time_left_and_a_file_is_told_once_done(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    times = iter([0.0, 1.0, 10.0, 20.0, 99.0, 99.0])
    monkeypatch.setattr("time.monotonic", lambda: next(times))

    with shown(unit="bytes") as report:
        for done in (0, 1_000_000, 10_000_000, 40_000_000, 40_000_000):
            report("reading a", done, 40_000_000)
        report("reading b", 50, 50)

    assert capsys.readouterr().err.splitlines() == [
        "reading a 0 B of 40.0 MB",
        "reading a 10.0 MB of 40.0 MB, 1.0 MB/s, 30 s left",
        "reading a 40.0 MB of 40.0 MB, 2.0 MB/s",
        "reading b 50 B of 50 B",
    ]


@pytest.mark.parametrize("unit", ["", "bytes"])
def test_on_a_terminal_progress_is_a_bar(
    unit: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "120")

    with shown(unit=unit) as report:
        report("reading a.zst", 0, 100)
        report("reading a.zst", 100, 100)

    assert "reading a.zst" in capsys.readouterr().err
