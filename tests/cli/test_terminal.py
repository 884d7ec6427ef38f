"""What other people's files hold does not reach a terminal as a command."""

from pathlib import Path

import pytest

from command_line import complaint, threadmed
from threadmed.cli.terminal import printable

HEAD = "target,setting,thread_id,turn,score"


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ("a\x1b]0;title\x07b", r"a\x1b]0;title\x07b"),
        ("a\rb\x08\x7f\x9b", r"a\rb\x08\x7f\x9b"),
        ("pay \u202e001", r"pay \u202e001"),
        ("half \ud83d", r"half \ud83d"),
        ("two\nlines,\ta tab", "two\\nlines,\ta tab"),
        ("\u00fc \u0416 \u6f22 \u2013 \U0001f468\u200d\u2695\ufe0f", None),
    ],
)
def test_only_what_a_terminal_obeys_is_escaped(given: str, shown: str | None) -> None:
    assert printable(given) == (given if shown is None else shown)


def test_colours_stay_where_they_are_ours() -> None:
    drawn = "\x1b[1;31mred\x1b[0m and \x1b[2J"

    assert printable(drawn, with_colours=True) == "\x1b[1;31mred\x1b[0m and \\x1b[2J"
    assert "\x1b" not in printable(drawn)


def test_a_name_in_a_scores_table_is_printed_without_its_control_characters(
    tmp_path: Path,
) -> None:
    path = tmp_path / "s.csv"
    path.write_text(f"{HEAD}\nm\x1b[2J,multi_turn,T1,0,1\n")

    done = threadmed("measure", path)

    assert "\x1b" not in done.stdout + done.stderr
    assert r"m\x1b[2J, multi_turn: 1 of 1 items" in done.stdout


def test_a_next_line_in_a_name_makes_no_line(tmp_path: Path) -> None:
    path = tmp_path / "r.csv"
    rows = "".join(f'i{n},"a\u0085PCR 99.0",1\ni{n},b,1\n' for n in range(2))
    path.write_text(f"item,rater,value\n{rows}")

    shown = threadmed("agree", path).stdout

    assert r"  a\x85PCR 99.0: 2 items" in shown
    assert "\u0085" not in shown


def test_a_line_break_in_a_name_forges_no_result(tmp_path: Path) -> None:
    path = tmp_path / "s.csv"
    path.write_text(f'{HEAD}\n"x: 1 of 1\n  PCR 99.0\n\ny",multi_turn,T1,0,1\n')

    done = threadmed("measure", path)

    assert done.stdout == ""
    assert r"s.csv:2: target is 'x: 1 of 1\n  PCR 99.0\n\ny', with" in complaint(done)


def test_an_error_that_quotes_a_file_is_printed_without_control_characters(
    tmp_path: Path,
) -> None:
    path = tmp_path / "s.csv"
    path.write_text("a\x1b]0;x\x07,b\n1,2\n")

    assert r"found a\x1b]0;x\x07, b" in complaint(threadmed("measure", path))
