import pytest

from threadmed.cli.progress import shown


def test_elsewhere_than_on_a_terminal_progress_is_a_line_now_and_then(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with shown() as report:
        for done in range(101):
            report("answers of m", done, 100)

    lines = capsys.readouterr().err.splitlines()
    assert lines[0] == "answers of m 0 of 100"
    assert lines[-1] == "answers of m 100 of 100"
    assert len(lines) < 10


def test_all_that_is_under_way_stands_in_one_line(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with shown() as report:
        report("a", 0, 2)
        report("b", 1, 1)
        report("a", 2, 2)

    assert capsys.readouterr().err.splitlines()[-1] == "a 2 of 2; b 1 of 1"


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
