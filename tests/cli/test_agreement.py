"""`threadmed agree` and `threadmed validate` as a person uses them."""

import asyncio
import json
from pathlib import Path

import pytest

from agreement_cases import FIRST, SECOND, three_raters, two
from command_line import complaint, threadmed
from study_factory import Scripts, write_study
from threadmed.cli.written import plain, points
from threadmed.labels.experts import write_ratings
from threadmed.metrics.agreement.coefficients import Coefficient
from threadmed.metrics.agreement.records import Agreement
from threadmed.metrics.agreement.validation import ScoringValidation, Validation
from threadmed.metrics.estimates import Estimate
from threadmed.records import Rating, ThreadId, Unlabelled
from threadmed.run import run
from threadmed.store import read_json, read_scores, write_records
from threadmed.study import Folder

VALUES = ("-1", "0", "1")


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    """A study that was run, with two experts who split on one answer."""
    folder = write_study(tmp_path_factory.mktemp("study"))
    asyncio.run(
        run(
            folder,
            open_model=Scripts().open,
            clock=lambda: 0.0,
            progress=lambda *_: None,
        )
    )
    rows = read_scores(folder.scores)
    write_ratings(
        folder.ratings / "scoring.csv",
        [
            Rating(
                item=f"i{number}",
                rater=rater,
                value="0" if (number, rater) == (0, "bo") else str(row.score),
                thread_id=row.thread_id,
                turn=row.turn,
                target=row.target,
                setting=row.setting,
            )
            for number, row in enumerate(rows)
            for rater in ("al", "bo")
        ],
    )
    return folder


def test_who_adjudicates_is_no_rater(tmp_path: Path) -> None:
    settled = [
        Rating(
            item=f"i{n}", rater="adjudicated", value="0", thread_id=ThreadId(f"T{n}")
        )
        for n in range(5)
    ]
    for name, more in (("plain", []), ("settled", settled)):
        write_ratings(tmp_path / f"{name}.csv", [*two(FIRST, SECOND, VALUES), *more])

    plain = threadmed("agree", tmp_path / "plain.csv")
    done = threadmed("agree", tmp_path / "settled.csv")

    assert plain.returncode == 0, plain.stderr
    said = "left out: what adjudicated says, which is no rater's\n"
    assert done.stdout == said + plain.stdout


def test_a_difference_that_rounds_to_nothing_has_no_minus() -> None:
    found = Estimate(
        value=-0.0,
        low=-0.00004,
        high=0.5,
        level=0.95,
        n=20,
        threads=20,
        method="wilson",
    )

    assert points(found) == "+0.0 [+0.0, +50.0] points, n = 20"
    assert plain(found) == "0.00 [0.00, 0.50] n = 20"


def test_two_raters_are_printed_and_written_with_every_number(tmp_path: Path) -> None:
    table, out = tmp_path / "r.csv", tmp_path / "out.json"
    write_ratings(table, two(FIRST, SECOND, VALUES))

    done = threadmed("agree", table, "--json", out, "--scale", "-1,0,1")

    assert done.returncode == 0, done.stderr
    for line in (
        "2 raters, 12 items, 12 rated by two or more, 0 by fewer; 0 of 24 ratings",
        "scale -1, 0, 1 (declared, ordinal)",
        "x and y, 12 of 12 items with both, 0 missing",
        "  raw agreement     75.0 [46.8, 91.1] n = 12",
        "  kappa             0.60 [0.03, 0.84] n = 12, fewer than 30 items",
        "  AC1               0.64 [",
        "  alpha, ordinal    0.82 [",
        "     -1    3    0    0",
        "  1: precision 83.3 [",
        f"{out}: every number",
    ):
        assert line in done.stdout
    found = read_json(out, Agreement)
    kappa = found.pairs[0].coefficients.kappa
    assert isinstance(kappa, Coefficient)
    assert (kappa.low, kappa.high) == pytest.approx((0.027214, 0.839219), abs=5e-7)


def test_three_raters_are_printed_together_and_in_pairs(tmp_path: Path) -> None:
    table = tmp_path / "r.csv"
    write_ratings(table, three_raters())

    done = threadmed("agree", table)

    assert done.returncode == 0, done.stderr
    assert "2 of 30 ratings missing" in done.stdout
    assert "scale -1, 0, 1 (the values that occur, ordinal)" in done.stdout
    assert "alpha, ordinal    0.80 [0.25, 0.96] n = 10" in done.stdout
    assert "kappa is Fleiss', of items with 3 ratings, 2 left out" in done.stdout
    assert "A and C, 8 of 10 items with both, 2 missing" in done.stdout
    assert "coefficients      - (fewer than 10 items to compare)" in done.stdout
    assert " nan" not in done.stdout


def test_a_wide_table_of_words_is_nominal_and_prints_no_weights(
    tmp_path: Path,
) -> None:
    table = tmp_path / "r.csv"
    rows = "".join(f"{n},yes,{'no' if n < 3 else 'yes'}\n" for n in range(40))
    table.write_text("item,x,y\n" + rows)

    done = threadmed("agree", table)

    assert done.returncode == 0, done.stderr
    assert "scale no, yes (the values that occur, nominal)" in done.stdout
    assert "kappa             0.00" in done.stdout
    assert "one of the raters used one value only" in done.stdout
    assert "linear" not in done.stdout
    assert "prevalence paradox: yes is 100 % of a rater's ratings" in done.stdout


def test_the_same_ratings_give_the_same_bytes(tmp_path: Path) -> None:
    table = tmp_path / "r.csv"
    write_ratings(table, three_raters())
    outs = [tmp_path / name for name in ("a.json", "b.json")]

    for out in outs:
        threadmed("agree", table, "--json", out)

    assert outs[0].read_bytes() == outs[1].read_bytes()


@pytest.mark.parametrize(
    ("text", "options", "said"),
    [
        ("item,x\na,1\n", (), "r.csv: has 1 raters; expected 2 to 20"),
        (
            "item," + ",".join(f"r{n}" for n in range(21)) + "\na" + ",1" * 21 + "\n",
            (),
            "r.csv: has 21 raters; expected 2 to 20",
        ),
        ("item,x,y\na,1,5\n", ("--scale", "-1,0,1"), "r.csv:2: y is '5': expected one"),
        ("item,x,y\na,1,5\n", ("--scale", "1"), "the scale '1' is not two values"),
        ("item,x,y\na,b,c\n", ("--level", "ordinal"), "r.csv: the values b, c have no"),
        ("item,x,y\na,,\n", (), "r.csv: the table holds no rating"),
        ("item,x,y\na,1\n", (), "r.csv:2: has 2 cells, and the head 3"),
    ],
)
def test_a_wrong_table_is_one_line(
    tmp_path: Path, text: str, options: tuple[str, ...], said: str
) -> None:
    table = tmp_path / "r.csv"
    table.write_text(text)

    done = threadmed("agree", table, *options)

    assert done.returncode == 1
    assert said in complaint(done)


def test_a_study_is_held_against_its_experts(study: Folder, tmp_path: Path) -> None:
    out = tmp_path / "v.json"

    done = threadmed("validate", study.root, "--json", out)

    # One answer to a first question stands in several settings.
    n = len(
        {
            (row.target, row.setting if row.turn else "", row.thread_id, row.turn)
            for row in read_scores(study.scores)
        }
    )
    assert done.returncode == 0, done.stderr
    for line in (
        "  - (there is no ratings/identification.csv)",
        f"  experts al, bo: {n} items, {n} by several, 0 adjudicated, 1 split, 0",
        "  experts agree     ",
        f"panel against experts, {n - 1} of {n} items with both, 1 missing",
        "(0 unrated, 1 split, 0 without a value)",
        "judge-a against experts",
        "judges among themselves, all items of the study",
        "judge-a and judge-b: 100.0 [",
        f"{out}: every number",
    ):
        assert line in done.stdout
    found = read_json(out, Validation)
    assert isinstance(found.scoring, ScoringValidation)
    assert found.scoring.panel.n_split == 1
    assert read_json(study.root / "validation.json", Validation) == found


def test_identification_is_printed_with_the_rates_of_yes(
    study: Folder, tmp_path: Path
) -> None:
    path = tmp_path / "i.jsonl"
    path.write_text(
        "".join(
            json.dumps(
                {
                    "item": f"{thread}.{turn}",
                    "rater": "al",
                    "value": turn == 1,
                    "thread_id": f"THREAD_000{thread}",
                    "turn": turn,
                }
            )
            + "\n"
            for thread in (1, 2, 3)
            for turn in range(3)
        )
    )

    done = threadmed("validate", study.root, "--identification", path)

    assert done.returncode == 0, done.stderr
    for line in (
        "  ceiling - (no item has ratings of two experts)",
        "judge-a against experts, 9 of 9 items with both, 0 missing",
        "  precision of yes  - (3 of 3, fewer than 5 scored items)",
        "  specificity       100.0 [",
        "panel against experts",
    ):
        assert line in done.stdout


def test_a_study_with_one_kind_of_ratings_says_which_is_not_there(
    tmp_path: Path,
) -> None:
    folder = write_study(tmp_path)
    threads = [("THREAD_0001", 0), ("THREAD_0001", 1)]
    write_records(
        folder.labels,
        [
            Unlabelled(
                thread_id=ThreadId(thread), turn=turn, why="malformed", source="gpt"
            )
            for thread, turn in threads
        ],
    )
    (tmp_path / "i.csv").write_text(
        "thread_id,turn,al\n\n" + "".join(f"{t},{n},yes\n" for t, n in threads)
    )

    done = threadmed("validate", folder.root, "--identification", tmp_path / "i.csv")

    assert done.returncode == 0, done.stderr
    assert (
        "gpt against experts, 0 of 2 items with both, 2 missing (0 unrated, 0 split, "
        "2 without a value)"
    ) in done.stdout
    assert "  - (there is no ratings/scoring.csv)" in done.stdout
    assert f"{folder.root / 'validation.json'}: every number" in done.stdout


def test_a_study_without_ratings_is_one_line(tmp_path: Path) -> None:
    folder = write_study(tmp_path)

    done = threadmed("validate", folder.root)

    assert done.returncode == 1
    assert "has neither identification.csv nor scoring.csv" in complaint(done)


@pytest.mark.parametrize("command", ["agree", "validate"])
def test_every_command_has_help_and_stands_in_the_readme(command: str) -> None:
    done = threadmed(command, "--help")

    readme = (Path(__file__).parents[2] / "README.md").read_text()
    assert done.returncode == 0
    assert f"threadmed {command}" in readme
