"""`threadmed measure` as a person uses it: what it prints, and what it writes."""

import json
from itertools import pairwise
from pathlib import Path

import msgspec
import pytest

from command_line import threadmed
from factories_scores import paper_scores
from threadmed.cli.numbers import lines
from threadmed.metrics import MeasureOptions, SideBySide, measure
from threadmed.metrics.course import SELECTION
from threadmed.records import PanelScore, Score, ScoreOutcome, ThreadId
from threadmed.store import write_scores


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("measure") / "scores.csv"
    write_scores(path, paper_scores())
    return path


def printed(rows: list[PanelScore], **options: object) -> list[str]:
    chosen = msgspec.convert({"thread_draws": 500, **options}, MeasureOptions)
    return list(lines(measure(rows, options=chosen)))


def test_json_holds_both_modes_and_what_differs(table: Path, tmp_path: Path) -> None:
    done = threadmed("measure", table, "--json", tmp_path / "out.json")

    assert done.returncode == 0, done.stderr
    both = msgspec.json.decode((tmp_path / "out.json").read_bytes(), type=SideBySide)
    assert both.recommended.options.mode == "recommended"
    assert both.as_published.options.mode == "as_published"
    assert len(both.differs) > 100
    assert done.stdout.endswith("every number, in both modes, and what differs\n")


def test_options_reach_the_numbers(table: Path, tmp_path: Path) -> None:
    done = threadmed(
        "measure", table, "--json", tmp_path / "out.json", "--level", "0.9",
        "--recovery-pairs", "next_labelled", "--p-value", "mid", "--seed", "4",
        "--mode", "as_published", "--working-correlation", "exchangeable",
    )  # fmt: skip

    assert done.returncode == 0, done.stderr
    options = json.loads((tmp_path / "out.json").read_text())["recommended"]["options"]
    assert (options["level"], options["seed"]) == (0.9, 4)
    assert (options["recovery_pairs"], options["p_value"]) == ("next_labelled", "mid")
    assert options["working_correlation"] == "exchangeable"
    assert "(next labelled turn)" in done.stdout
    assert "mcnemar, mid-p" in done.stdout
    assert "Intervals aim at 90 %" in done.stdout
    published = threadmed("measure", table, "--mode", "as_published")
    assert published.stdout.splitlines()[1] != done.stdout.splitlines()[1]


@pytest.mark.parametrize("level", ["0", "95", "1"])
def test_a_level_that_is_none_is_wrong_usage(table: Path, level: str) -> None:
    done = threadmed("measure", table, "--level", level)

    assert done.returncode == 2
    assert "--level" in done.stderr


def test_targets_are_compared_under_the_setting_that_the_table_has() -> None:
    rows = [
        msgspec.structs.replace(row, setting="isolated")
        for row in paper_scores()
        if row.setting == "multi_turn"
    ]

    heads = [line for line in printed(rows) if line.startswith("Targets in ")]

    assert heads == ["Targets in isolated, on the items that both have"]


def test_a_trend_says_what_it_took_threads_for_where_that_was_asked() -> None:
    plainly = "\n".join(printed(paper_scores()))
    found = printed(paper_scores(), working_correlation="exchangeable")

    trends = [line for line in found if line.startswith("  trend ")]
    assert "(exchangeable" not in plainly
    assert ", log odds a turn (exchangeable, alpha 0.75); a slope between" in trends[0]
    # Without a slope the reason is told: somebody asked for this one.
    assert trends[1].startswith("  trend         - (461 of 604, items of one thread ")
    assert trends[1].endswith(" and 1) (exchangeable)")


def test_the_parts_of_a_decline_are_printed_with_their_tests() -> None:
    found = "\n".join(printed(paper_scores()))

    assert "gpt-5, the decline by turn and within threads" in found
    assert "turn 1 and later: fall +31.3 [" in found
    assert "propagation +24.7 [" in found
    assert "(mcnemar; Holm of 8: " in found
    assert "of the fall, propagation 6" in found
    assert "  no fall at turn 7, 8: fewer than 20 scored items" in found
    assert "a step of multi_turn - target_turn: +3.0 [" in found
    assert "gpt-5 - haiku: +1.8 [" in found
    assert "(sign_flip; Holm of 10: " in found
    assert SELECTION in found
    assert "83 of 505 do" in found


def test_threads_that_go_on_are_told_of() -> None:
    found = "\n".join(printed(paper_scores()))

    assert "EPR           0.00 [0.00, " in found
    assert "(failures: 0 of 28 after a failure, 24 of 71 after a correction)" in found
    assert "no failure up to labelled turn 2 51.0 [" in found
    assert "flips         7.1 [" in found
    assert "both 1 and -1 25.3 [" in found


def test_items_left_out_and_unlike_supports_are_told_of() -> None:
    def row(setting: str, thread: int, score: Score | None) -> PanelScore:
        return PanelScore(
            target="m",
            setting=setting,  # type: ignore[arg-type]
            thread_id=ThreadId(f"T{thread}"),
            turn=1,
            score=score,
            outcome="unjudged" if score is None else "scored",
        )

    rows = [row("multi_turn", n, 0) for n in range(20)]
    rows += [row("oracle", n, 1 if n < 15 else None) for n in range(20)]

    found = "\n".join(printed(rows))

    assert "left out: 5 items that lack a score in one setting" in found
    assert "(multi_turn 20, oracle 15); 15 are in all" in found
    assert "remaining     0.0 [" in found


HEAD = "target,setting,thread_id,turn,score,judge,misconception,harm\n"


def test_judges_that_differ_without_a_primary_are_why_nothing_is_scored(
    tmp_path: Path,
) -> None:
    path = tmp_path / "scores.csv"
    rows = [
        f"m,multi_turn,T{n},{n % 2},{score},{judge},,\n"
        for n in range(8)
        for judge, score in (("a", 1), ("b", -1))
    ]
    path.write_text(HEAD + "\n".join(rows))

    done = threadmed("measure", path)
    decided = threadmed("measure", path, "--primary", "a")

    lines = done.stdout.splitlines()
    assert lines[0].startswith("8 of 8 items have no score: their judges differ, ")
    assert "--primary" in lines[0]
    # One refusal of the rates and one of the turns, and not one each.
    assert [line for line in lines if "no scored items" in line] == [
        "  PCR and PCS   - (0 of 0, no scored items)",
        "  no PCR at turn 0 (0 of 0), 1 (0 of 0): no scored items",
    ]
    assert not any(one == two == "" for one, two in pairwise(lines))
    assert "no score:" not in decided.stdout


def test_what_controls_and_harms_add_comes_after_the_groups(tmp_path: Path) -> None:
    path = tmp_path / "scores.csv"
    marked = [f"m,multi_turn,T{n},0,1,,yes,mild\n" for n in range(8)]
    controls = [f"m,multi_turn,C{n},0,0,,no,\n" for n in range(8)]
    path.write_text(HEAD + "".join(marked + controls))

    lines = threadmed("measure", path).stdout.splitlines()

    starts = ("m, multi_turn:", "Over-correction,", "Severity,", "Intervals aim")
    places = [
        next(at for at, line in enumerate(lines) if line.startswith(start))
        for start in starts
    ]
    assert places == sorted(places)


def test_arms_are_no_part_of_the_comparison_of_targets(tmp_path: Path) -> None:
    table, found = tmp_path / "scores.csv", tmp_path / "numbers.json"
    lines = ["target,setting,thread_id,turn,score,baseline"]
    for thread in range(12):
        for target, baseline in (("a", ""), ("b", ""), ("a+warn", "a")):
            score = (thread + len(target)) % 3 - 1
            lines.append(f"{target},multi_turn,T{thread},0,{score},{baseline}")
    table.write_text("\n".join(lines) + "\n")

    done = threadmed("measure", table, "--json", found)

    assert done.returncode == 0, done.stderr
    assert "Arms are not compared with other targets: a+warn (baseline a)." in (
        done.stdout
    )
    numbers = json.loads(found.read_text())
    for mode in ("recommended", "as_published"):
        pairs = [
            (each["first"]["target"], each["second"]["target"])
            for each in numbers[mode]["comparisons"]
        ]
        assert pairs == [("a", "b")]
        assert len(numbers[mode]["groups"]) == 3


def test_items_without_a_score_are_told_of_with_their_reasons(tmp_path: Path) -> None:
    ends: list[ScoreOutcome] = ["scored", "truncated", "truncated", "unjudged"]
    rows = [
        PanelScore(
            target="m",
            setting="isolated",
            thread_id=ThreadId(f"T{number}"),
            turn=0,
            score=1 if outcome == "scored" else None,
            outcome=outcome,
        )
        for number, outcome in enumerate(ends)
    ]
    write_scores(tmp_path / "scores.csv", rows)

    done = threadmed("measure", tmp_path / "scores.csv")

    assert (
        "m, isolated: 3 of 4 items without a score (2 truncated, 1 unjudged)\n"
        in done.stdout
    )
    write_scores(tmp_path / "scores.csv", rows[:1])
    assert "without" not in threadmed("measure", tmp_path / "scores.csv").stdout
