import msgspec
import pytest

from threadmed.errors import InputError
from threadmed.judgements.scores import item_of, panel_scores, score_table
from threadmed.records import (
    Answer,
    AnswerOutcome,
    Item,
    PanelScore,
    Score,
    Scored,
    ScoreOutcome,
    ScoreRow,
    ThreadId,
    Unscored,
    Verdict,
)
from threadmed.study import Panel

PANEL = Panel(judges=("a", "b", "c"), primary="a")
ITEM: Item = ("m", "oracle", ThreadId("T1"), 1)


def answer(outcome: AnswerOutcome = "answered") -> Answer:
    return Answer(
        target="m", setting="oracle", thread_id=ThreadId("T1"), turn=1, outcome=outcome
    )


def verdict(judge: str, score: Score | None) -> Verdict:
    target, setting, thread_id, turn = ITEM
    if score is None:
        return Unscored(
            judge=judge,
            target=target,
            setting=setting,
            thread_id=thread_id,
            turn=turn,
            why="malformed",
            request="",
        )
    return Scored(
        judge=judge,
        target=target,
        setting=setting,
        thread_id=thread_id,
        turn=turn,
        score=score,
        explanation="",
        request="",
    )


def row_of(
    *scores: Score | None, outcome: AnswerOutcome | None = "answered"
) -> PanelScore:
    answers = {ITEM: answer(outcome)} if outcome else {}
    verdicts = [verdict(j, s) for j, s in zip("abc", scores, strict=False)]
    (row,) = score_table([ITEM], answers, verdicts, by=PANEL)
    return row


def test_a_majority_of_the_panel_is_the_score() -> None:
    row = row_of(-1, 1, 1)

    assert (row.score, row.outcome, row.tie_break) == (1, "scored", False)


def test_the_primary_judge_decides_where_all_differ() -> None:
    row = row_of(-1, 0, 1)

    assert (row.score, row.outcome, row.tie_break) == (-1, "scored", True)


def test_an_answered_item_without_a_panel_score_is_unjudged_and_has_no_score() -> None:
    row = row_of(None, 0, 1)

    assert (row.score, row.outcome) == (None, "unjudged")


@pytest.mark.parametrize("outcome", ["blocked", "truncated", "empty", "failed"])
def test_an_item_without_an_answer_keeps_the_answers_outcome(
    outcome: AnswerOutcome,
) -> None:
    row = row_of(outcome=outcome)

    assert (row.score, row.outcome) == (None, outcome)


def test_an_item_that_was_not_asked_is_pending() -> None:
    assert row_of(outcome=None).outcome == "pending"


def test_an_answer_that_not_all_judges_have_seen_is_pending() -> None:
    row = row_of(1, 1)

    assert (row.score, row.outcome) == (None, "pending")


def test_answers_verdicts_and_rows_are_about_the_same_item() -> None:
    assert item_of(answer()) == item_of(verdict("a", 1)) == ITEM


def judged(judge: str, score: Score | None, turn: int = 0) -> ScoreRow:
    return ScoreRow(
        target="m",
        setting="multi_turn",
        thread_id=ThreadId("T1"),
        turn=turn,
        score=score,
        outcome="scored" if score is not None else "unjudged",
        judge=judge,
    )


def test_a_table_of_panel_scores_is_taken_as_it_is() -> None:
    (row,) = panel_scores([judged("", 1)], rule="majority", primary=None)

    assert (row.score, row.outcome) == (1, "scored")


def test_judges_rows_become_one_by_the_rule() -> None:
    rows = [judged("a", 1), judged("b", 0), judged("c", 0)]

    (row,) = panel_scores(rows, rule="majority", primary=None)

    assert (row.score, row.outcome) == (0, "scored")


def test_without_a_primary_a_split_panel_gives_no_score_whatever_the_order() -> None:
    rows = [judged("a", 1), judged("b", 0)]

    for order in (rows, rows[::-1]):
        (row,) = panel_scores(order, rule="majority", primary=None)
        assert (row.score, row.outcome) == (None, "unjudged")


def test_a_judge_that_lacks_an_item_still_counts_in_the_panel() -> None:
    rows = [judged("a", 1), judged("a", 1, turn=1), judged("b", 1), judged("c", 1)]

    first, second = panel_scores(rows, rule="majority", primary="b")

    assert first.score == 1
    assert (second.score, second.outcome) == (None, "unjudged")


@pytest.mark.parametrize(
    ("rows", "primary", "complaint"),
    [
        ([judged("a", 1), judged("", 1, 1)], None, "^s.csv: some rows name a judge"),
        (
            [judged("a", 1), judged("a", 0)],
            None,
            "^s.csv: turn 0 .* stands twice for m in .* by a",
        ),
        ([judged("", 1), judged("", 0)], None, "^s.csv: .* twice for m in multi_turn$"),
        ([judged("a", 1)], "z", "^s.csv: .* 'z' is not in it; it has a"),
    ],
)
def test_a_table_that_contradicts_itself_is_refused(
    rows: list[ScoreRow], primary: str | None, complaint: str
) -> None:
    with pytest.raises(InputError, match=complaint):
        panel_scores(rows, rule="majority", primary=primary, table="s.csv")


def test_judges_who_disagree_on_the_label_are_refused() -> None:
    other = ScoreRow(
        target="m",
        setting="multi_turn",
        thread_id=ThreadId("T1"),
        turn=0,
        score=1,
        outcome="scored",
        judge="b",
        misconception=False,
    )

    with pytest.raises(InputError, match="carries a misconception in one"):
        panel_scores([judged("a", 1), other], rule="majority", primary=None)


@pytest.mark.parametrize(
    ("outcomes", "outcome"),
    [
        (("blocked", "blocked"), "blocked"),
        (("failed", "scored"), "unjudged"),
        (("scored", "failed"), "unjudged"),
        (("scored", "scored"), "unjudged"),
    ],
)
def test_an_answers_outcome_is_kept_only_where_all_rows_say_it(
    outcomes: tuple[ScoreOutcome, ScoreOutcome], outcome: ScoreOutcome
) -> None:
    rows = [
        msgspec.structs.replace(
            judged(judge, score if each == "scored" else None), outcome=each
        )
        for judge, score, each in zip("ab", (1, -1), outcomes, strict=True)
    ]

    (row,) = panel_scores(rows, rule="majority", primary=None)

    assert (row.score, row.outcome) == (None, outcome)


def test_the_primary_rule_needs_a_primary() -> None:
    with pytest.raises(InputError, match="needs to be told which judge"):
        panel_scores([judged("a", 1)], rule="primary", primary=None)


def test_rows_of_controls_say_that_there_is_no_misconception() -> None:
    other: Item = ("m", "oracle", ThreadId("T1"), 2)
    controls = {(ThreadId("T1"), 2)}

    rows = score_table([ITEM, other], {}, [], by=PANEL, controls=controls)

    assert [row.misconception for row in rows] == [True, False]
