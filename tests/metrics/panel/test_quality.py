"""The door `panel_quality`, and the variants with fewer judges."""

from collections.abc import Mapping

import numpy as np
import pytest

from threadmed.judgements.panel import panel as decide
from threadmed.metrics.corrected.records import Expert
from threadmed.metrics.estimates import Estimate, NotEstimable
from threadmed.metrics.panel.agreement import EffectiveJudges
from threadmed.metrics.panel.quality import (
    Judging,
    PanelOptions,
    PanelQuality,
    panel_quality,
)
from threadmed.metrics.panel.variants import BY_SELECTION, Panels, Rule, scores_of
from threadmed.records import Item, PanelScore, Score, Setting, ThreadId

JUDGES = ("gpt-4o", "claude-sonnet", "llama-3.3")
FAST = PanelOptions(draws=300)
Verdicts = dict[Item, dict[str, Score | None]]


def majority_of(judges: tuple[str, ...]) -> Rule:
    """The house's majority rule; without gpt-4o the first judge is primary."""
    primary = "gpt-4o" if "gpt-4o" in judges else judges[0]

    def rule(scores: tuple[Score | None, ...]) -> Score | None:
        said = dict(zip(judges, scores, strict=True))
        return decide(said, judges=judges, rule="majority", primary=primary).score

    return rule


JUDGING = Judging(JUDGES, majority_of, {"t1": "openai:gpt-5", "t2": "google:gemini-2"})


def made(verdicts: Mapping[str, list[tuple[int | None, ...]]]) -> Verdicts:
    """Verdicts of each target's items, two items a thread."""
    return {
        (target, "multi_turn", ThreadId(f"T{at // 2:03}"), at % 2): dict(
            zip(JUDGES, scores, strict=True)
        )
        for target, rows in verdicts.items()
        for at, scores in enumerate(rows)
    }


def quality(
    verdicts: Verdicts,
    *,
    experts: Mapping[Item, Expert] | None = None,
    judging: Judging = JUDGING,
) -> PanelQuality:
    rows = []
    for (target, setting, thread, turn), said in verdicts.items():
        found = decide(
            {judge: said[judge] for judge in judging.judges},
            judges=judging.judges,
            rule="majority",
            primary=judging.judges[0],
        )
        rows.append(
            PanelScore(
                target=target,
                setting=setting,
                thread_id=thread,
                turn=turn,
                score=found.score,
                outcome="unjudged" if found.score is None else "scored",
                tie_break=found.tie_break,
            )
        )
    return panel_quality(rows, verdicts, panel=judging, experts=experts, options=FAST)


def favouring() -> Verdicts:
    """gpt-4o finds all of t1 corrected, the others a third; of t2 all find half.

    With gpt-4o the panel of three says of t1 what the two others say where they agree.
    """
    first = [(1, 1, 1), (1, 1, -1), (1, -1, -1), (1, -1, 1), (1, -1, -1), (1, 0, -1)]
    second = [(1, 1, 1), (-1, -1, -1)]
    return made({"t1": first * 10, "t2": second * 30})


def test_a_targets_own_family_is_left_out_and_its_rank_falls() -> None:
    found = quality(favouring())

    mine, other = found.unrelated
    assert mine.left_out == ("gpt-4o",)
    # By all three: 1, 1, -1, 1, -1, and a tie that gpt-4o breaks: 4 of 6. By the two:
    # 1, then claude (primary now) 1, -1, -1, -1, 0: 2 of 6.
    assert isinstance(mine.whole, Estimate)
    assert isinstance(mine.pcr, Estimate)
    assert isinstance(mine.difference, Estimate)
    assert (mine.whole.hits, mine.pcr.hits, mine.n) == (40, 20, 60)
    assert mine.difference.value == pytest.approx(-1 / 3)
    assert mine.difference.low < -1 / 3 < mine.difference.high < 0
    assert (mine.rank_whole, mine.rank) == (1, 2)
    assert (other.rank_whole, other.rank) == (2, 1)
    assert mine.rank_moves is not None
    assert mine.rank_moves > 0.5
    assert other.difference == NotEstimable(reason="no judge is left out", n=60)


def test_each_judge_is_left_out_in_turn() -> None:
    found = quality(favouring())

    assert [(one.left_out[0], one.target) for one in found.without] == [
        (judge, target) for judge in JUDGES for target in ("t1", "t2")
    ]
    assert found.without[1].difference == NotEstimable(reason="no score changes", n=60)
    # The same samples of threads for leaving out gpt-4o: t2 does not change.
    assert isinstance(found.without[0].difference, Estimate)


def test_agreement_ties_and_families_are_said() -> None:
    found = quality(favouring())

    assert found.n_items == found.n_complete == 120
    assert isinstance(found.unanimity, Estimate)
    assert isinstance(found.majority, Estimate)
    assert isinstance(found.tie_breaks, Estimate)
    assert found.unanimity.hits == 70
    assert found.majority.hits == 110
    assert found.tie_breaks.hits == 10
    assert len(found.pairs) == 3
    assert {one.name: one.family for one in found.families} == {
        "gpt-4o": "OpenAI",
        "claude-sonnet": "Anthropic",
        "llama-3.3": "Meta",
        "t1": "OpenAI",
        "t2": "Google",
    }
    assert found.warnings == ("t1 is judged by its own family (OpenAI): gpt-4o",)


def test_a_judge_that_was_seldom_asked_and_an_unknown_model_are_named() -> None:
    lazy = made({"t3": [(1, 1, None), (1, -1, 1)] * 20})

    found = quality(lazy)

    assert found.n_complete == 20
    assert found.warnings[0].startswith("llama-3.3 scored 50 % of the items")
    assert found.warnings[1] == (
        "the family of t3 is not known: it counts as one of its own"
    )


def test_of_a_lazy_panel_nothing_rests_on_a_judge_asked_by_selection() -> None:
    lazy = made({"t1": [(1, 1, None), (1, -1, 1), (-1, 0, 0)] * 20})
    experts = {item: Expert(1) for item in lazy}
    judging = JUDGING._replace(selected=frozenset(JUDGES[2:]))

    found = quality(lazy, judging=judging, experts=experts)

    refused = (found.unanimity, found.majority, found.effective)
    assert {each.reason for each in refused} == {BY_SELECTION}  # type: ignore[union-attr]
    first, *others = found.pairs
    assert (first.first, first.second, first.n) == (*JUDGES[:2], 60)
    assert isinstance(first.raw, Estimate)
    assert all(isinstance(each.raw, NotEstimable) for each in others)
    assert all(isinstance(each.kappa, NotEstimable) for each in others)
    by_judge = {each.left_out[0]: each for each in found.without}
    assert isinstance(by_judge[JUDGES[2]].pcr, Estimate)
    for judge in JUDGES[:2]:
        assert by_judge[judge].pcr == NotEstimable(reason=BY_SELECTION, n=60)
        assert by_judge[judge].rank is None
    assert found.warnings[0].startswith("the panel is lazy: ")
    assert not any("% of the items" in warning for warning in found.warnings)


def test_the_effective_number_of_judges_needs_experts() -> None:
    verdicts = favouring()
    rng = np.random.default_rng(0)
    experts = {item: Expert(int(rng.choice([-1, 0, 1]))) for item in verdicts}

    without, with_experts = quality(verdicts), quality(verdicts, experts=experts)

    assert isinstance(without.effective, NotEstimable)
    assert not isinstance(with_experts.effective, NotEstimable)
    assert with_experts.effective.n_items == 120
    assert isinstance(with_experts.effective.number, Estimate)


def test_a_panel_of_one_has_no_parts() -> None:
    one = Judging(("gpt-4o",), majority_of, JUDGING.models)

    found = quality(favouring(), judging=one)

    assert found.without == ()
    assert found.pairs == ()
    assert found.effective == NotEstimable(reason="the panel has one judge", n=120)
    # Its only judge is t1's own family: nobody is left to judge t1.
    mine = found.unrelated[0]
    assert isinstance(mine.pcr, NotEstimable)
    assert mine.rank is None
    assert mine.difference == NotEstimable(
        reason="the judges that are left gave no score", n=0
    )


def test_items_that_only_one_of_part_and_whole_scores_are_counted() -> None:
    # Without a primary judge two of two must agree.
    def strict(judges: tuple[str, ...]) -> Rule:
        def rule(scores: tuple[Score | None, ...]) -> Score | None:
            said = dict(zip(judges, scores, strict=True))
            return decide(said, judges=judges, rule="majority", primary=None).score

        return rule

    found = quality(favouring(), judging=JUDGING._replace(rule_for=strict))

    mine = found.unrelated[0]
    # Kept: (1,1,1), (1,-1,-1) twice; split without gpt-4o: two of those with a
    # majority; the last has neither.
    assert (mine.n, mine.n_left_out) == (30, 20)


def test_an_empty_table_is_a_result_too() -> None:
    found = panel_quality([], {}, panel=JUDGING)

    assert found.n_items == 0
    assert isinstance(found.unanimity, NotEstimable)
    assert found.without == found.unrelated == ()


def test_the_same_seed_gives_the_same_numbers_in_any_order() -> None:
    verdicts = favouring()
    turned = dict(sorted(verdicts.items(), key=lambda one: (one[0][0], -one[0][3])))

    assert quality(turned).unrelated == quality(verdicts).unrelated


def test_a_rule_sees_missing_scores_as_none() -> None:
    seen = []

    def watch(judges: tuple[str, ...]) -> Rule:
        def rule(scores: tuple[Score | None, ...]) -> Score | None:
            seen.append((judges, scores))
            return None

        return rule

    panels = Panels(
        (), np.array([[1.0, np.nan], [1, np.nan], [-1, 0]]), ("a", "b"), watch
    )

    assert np.isnan(scores_of(panels, [0, 1, 2], ("a", "b"))).all()
    assert sorted(seen, key=str) == [(("a", "b"), (-1, 0)), (("a", "b"), (1, None))]


def test_one_answer_at_turn_0_counts_once_however_many_settings_it_stands_in() -> None:
    # Five threads of two turns: turn 0 is one answer for both settings, turn 1 is two.
    said = dict(zip(JUDGES, (1, 1, 0), strict=True))
    settings: tuple[Setting, ...] = ("multi_turn", "target_turn")
    verdicts: Verdicts = {
        ("t1", setting, ThreadId(f"T{thread}"), turn): dict(said)
        for setting in settings
        for thread in range(5)
        for turn in range(2)
    }

    found = quality(verdicts)

    assert found.n_items == found.n_complete == 15
    assert {pair.n for pair in found.pairs} == {15}
    assert isinstance(found.unanimity, Estimate)
    assert (found.unanimity.n, found.tie_breaks.n) == (15, 15)
    # What is said of a target in a setting rests on all of its items.
    assert {each.n for each in found.without} == {10}


def test_answers_at_turn_0_that_were_judged_otherwise_count_each() -> None:
    verdicts: Verdicts = {
        ("t1", "multi_turn", ThreadId("T1"), 0): dict.fromkeys(JUDGES, 1),
        ("t1", "target_turn", ThreadId("T1"), 0): dict.fromkeys(JUDGES, 0),
        ("t1", "isolated", ThreadId("T1"), 0): dict.fromkeys(JUDGES, 0),
    }

    assert quality(verdicts).n_items == 2


def test_an_expert_may_have_scored_the_answer_at_turn_0_in_any_setting() -> None:
    settings: tuple[Setting, ...] = ("multi_turn", "target_turn")
    verdicts: Verdicts = {
        ("t1", setting, ThreadId(f"T{thread:02}"), 0): dict(
            zip(JUDGES, (thread % 2, (thread // 2) % 2, 1), strict=True)
        )
        for setting in settings
        for thread in range(12)
    }
    experts = {item: Expert(1) for item in verdicts if item[1] == "target_turn"} | {
        ("t1", "multi_turn", ThreadId("T00"), 0): Expert(1)
    }

    found = quality(verdicts, experts=experts)

    assert isinstance(found.effective, EffectiveJudges)
    assert found.effective.n_items == 12
