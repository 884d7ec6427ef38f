from collections import Counter
from collections.abc import Mapping
from itertools import product
from statistics import median_low
from typing import get_args

import pytest

from threadmed.judgements import PanelVerdict, panel
from threadmed.judgements.panel import is_decided
from threadmed.records import PanelRule, Score

JUDGES = ("a", "b", "c")
SCORES: tuple[Score, ...] = (-1, 0, 1)
# Every table of three judges, each with a score or without: 4^3.
TABLES: list[dict[str, Score | None]] = [
    dict(zip(JUDGES, scores, strict=True))
    for scores in product((*SCORES, None), repeat=3)
]


def decide(
    table: Mapping[str, Score | None], rule: PanelRule, primary: str | None = "a"
) -> PanelVerdict:
    return panel(table, judges=JUDGES, rule=rule, primary=primary)


def completions(table: Mapping[str, Score | None]) -> list[dict[str, Score]]:
    """List every table that could have been, had no verdict been lost."""
    choices = [SCORES if score is None else (score,) for score in table.values()]
    return [dict(zip(table, scores, strict=True)) for scores in product(*choices)]


def only(scores: set[Score]) -> Score | None:
    return scores.pop() if len(scores) == 1 else None


@pytest.mark.parametrize("table", TABLES, ids=str)
def test_a_majority_is_of_the_configured_panel_and_else_the_primary_decides(
    table: dict[str, Score | None],
) -> None:
    # Of three judges two are a majority; two scored judges that differ, or a single
    # one, are not.
    often = [s for s, n in Counter(table.values()).items() if n >= 2 and s is not None]
    first = table["a"]
    expected = (
        PanelVerdict(score=often[0], tie_break=False)
        if often
        else PanelVerdict(score=first, tie_break=first is not None)
    )

    assert decide(table, "majority") == expected


@pytest.mark.parametrize("table", TABLES, ids=str)
def test_without_a_primary_a_split_panel_has_no_score(
    table: dict[str, Score | None],
) -> None:
    verdict = decide(table, "majority", primary=None)

    often = [s for s, n in Counter(table.values()).items() if n >= 2 and s is not None]
    assert verdict == PanelVerdict(score=often[0] if often else None, tie_break=False)


@pytest.mark.parametrize("table", TABLES, ids=str)
def test_the_primary_rule_asks_nobody_else(table: dict[str, Score | None]) -> None:
    for primary in JUDGES:
        verdict = decide(table, "primary", primary)

        assert verdict == PanelVerdict(score=table[primary], tie_break=False)


@pytest.mark.parametrize("table", TABLES, ids=str)
def test_a_median_stands_only_where_no_lost_score_could_move_it(
    table: dict[str, Score | None],
) -> None:
    possible: set[Score] = {median_low(c.values()) for c in completions(table)}

    assert decide(table, "median") == PanelVerdict(
        score=only(possible), tie_break=False
    )


@pytest.mark.parametrize("table", TABLES, ids=str)
def test_the_lowest_stands_only_where_no_lost_score_could_move_it(
    table: dict[str, Score | None],
) -> None:
    possible: set[Score] = {min(c.values()) for c in completions(table)}

    assert decide(table, "lowest") == PanelVerdict(
        score=only(possible), tie_break=False
    )


@pytest.mark.parametrize("table", TABLES, ids=str)
def test_unanimity_needs_every_judge(table: dict[str, Score | None]) -> None:
    a, b, c = table.values()

    score = a if a == b == c else None
    assert decide(table, "unanimous") == PanelVerdict(score=score, tie_break=False)


@pytest.mark.parametrize("rule", get_args(PanelRule))
def test_no_rule_makes_a_score_of_nothing(rule: PanelRule) -> None:
    assert decide({}, rule) == PanelVerdict(score=None, tie_break=False)


@pytest.mark.parametrize("rule", get_args(PanelRule))
@pytest.mark.parametrize("score", SCORES)
def test_every_rule_follows_a_panel_of_one_mind(rule: PanelRule, score: Score) -> None:
    table = dict.fromkeys(JUDGES, score)

    assert decide(table, rule) == PanelVerdict(score=score, tie_break=False)


@pytest.mark.parametrize("rule", get_args(PanelRule))
@pytest.mark.parametrize("table", TABLES, ids=str)
def test_a_judge_without_an_entry_is_a_judge_without_a_score(
    table: dict[str, Score | None], rule: PanelRule
) -> None:
    scored = {judge: score for judge, score in table.items() if score is not None}

    assert decide(scored, rule) == decide(table, rule)


@pytest.mark.parametrize("rule", ["majority", "median", "lowest", "unanimous"])
@pytest.mark.parametrize("table", TABLES, ids=str)
def test_the_order_of_judges_decides_nothing(
    table: dict[str, Score | None], rule: PanelRule
) -> None:
    turned = panel(table, judges=JUDGES[::-1], rule=rule, primary="a")

    assert turned == decide(table, rule)


def test_a_lost_verdict_does_not_shrink_the_panel() -> None:
    # One of two scored judges is no majority of three, and b is not the primary.
    table: dict[str, Score | None] = {"a": None, "b": 1, "c": None}

    assert decide(table, "majority") == PanelVerdict(score=None, tie_break=False)


@pytest.mark.parametrize(
    ("scores", "median"),
    [((-1, 1), -1), ((0, 1), 0), ((-1, -1), -1), ((1, 1), 1), ((1, None), None)],
)
def test_an_even_panel_takes_the_lower_of_its_two_middles(
    scores: tuple[Score | None, ...], median: Score | None
) -> None:
    table = dict(zip("ab", scores, strict=True))

    assert panel(table, judges="ab", rule="median", primary=None).score == median


def test_two_judges_that_differ_are_a_tie() -> None:
    verdict = panel({"a": 0, "b": 1}, judges="ab", rule="majority", primary="b")

    assert verdict == PanelVerdict(score=1, tie_break=True)


@pytest.mark.parametrize(
    ("judges", "primary", "complaint"),
    [
        ((), None, "one or more different judges"),
        (("a", "a"), None, "one or more different judges"),
        (("a", "b"), "z", "primary 'z' is not of the panel"),
        (("a",), None, "'b' is not of the panel"),
    ],
)
def test_a_panel_that_does_not_fit_together_is_refused(
    judges: tuple[str, ...], primary: str | None, complaint: str
) -> None:
    with pytest.raises(ValueError, match=complaint):
        panel(
            {"b": 1} if judges else {}, judges=judges, rule="majority", primary=primary
        )


def test_the_primary_rule_needs_a_primary() -> None:
    with pytest.raises(ValueError, match="needs a primary judge"):
        decide({"a": 1}, "primary", primary=None)


@pytest.mark.parametrize("rule", get_args(PanelRule))
@pytest.mark.parametrize("table", TABLES, ids=str)
def test_what_is_decided_early_is_what_the_whole_panel_says(
    table: dict[str, Score | None], rule: PanelRule
) -> None:
    for asked in range(len(JUDGES) + 1):
        said = {judge: table[judge] for judge in JUDGES[:asked]}
        if is_decided(said, judges=JUDGES, rule=rule, primary="a"):
            assert decide(said, rule) == decide(table, rule)


@pytest.mark.parametrize(
    ("said", "rule", "decided"),
    [
        ({"a": 1, "b": 1}, "majority", True),
        ({"a": 1, "b": 0}, "majority", False),
        ({"a": None, "b": 1}, "majority", False),
        ({"a": 0}, "primary", True),
        ({"b": -1}, "lowest", True),
        ({"a": 1, "b": 1}, "lowest", False),
        ({"a": 1, "b": 0}, "unanimous", True),
        ({"a": 0, "b": 0}, "median", True),
    ],
)
def test_a_panel_is_decided_once_nobody_could_change_it(
    said: dict[str, Score | None],
    rule: PanelRule,
    decided: bool,  # noqa: FBT001 - a column of the table
) -> None:
    found = is_decided(said, judges=JUDGES, rule=rule, primary="a")

    assert found == decided
