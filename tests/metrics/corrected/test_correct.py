"""The door `correct`, on made studies whose truth is known."""

from collections.abc import Mapping

import numpy as np
import pytest

from threadmed.metrics.corrected.adjusted import Adjusted
from threadmed.metrics.corrected.correct import UNWEIGHTED, correct
from threadmed.metrics.corrected.label_budget import LabelsNeeded
from threadmed.metrics.corrected.records import (
    Corrected,
    CorrectionOptions,
    Expert,
    JudgeCorrection,
)
from threadmed.metrics.estimates import Estimate, NotEstimable
from threadmed.records import Item, PanelScore, Setting, ThreadId

FAST = CorrectionOptions(draws=200)


def made(
    targets: Mapping[str, float],
    *,
    settings: tuple[Setting, ...] = ("multi_turn",),
    n: int = 200,
    seed: int = 0,
) -> tuple[list[PanelScore], dict[Item, Expert]]:
    """Rows of a judge that errs on a sixth, and the truth of every item."""
    rng = np.random.default_rng(seed)
    rows, truth = [], {}
    for target, share in targets.items():
        for setting in settings:
            for number in range(n):
                chances = [(1 - share) / 2, (1 - share) / 2, share]
                true = rng.choice([-1, 0, 1], p=chances)
                said = true if rng.random() < 0.84 else rng.choice([-1, 0, 1])
                thread = ThreadId(f"T{number // 2:03}")
                item = (target, setting, thread, number % 2)
                rows.append(
                    PanelScore(
                        target=target,
                        setting=setting,
                        thread_id=thread,
                        turn=number % 2,
                        score=int(said),
                        outcome="scored",
                    )
                )
                truth[item] = Expert(int(true))
    return rows, truth


def drawn(truth: dict[Item, Expert], m: int, *, seed: int = 1) -> dict[Item, Expert]:
    """Keep m labels of every target and setting."""
    rng = np.random.default_rng(seed)
    kept = {}
    for name in dict.fromkeys(item[:2] for item in truth):
        held = [item for item in truth if item[:2] == name]
        for at in rng.choice(len(held), m, replace=False):
            kept[held[at]] = truth[held[at]]
    return kept


def only(found: JudgeCorrection) -> Corrected:
    (group,) = found.groups
    return group


def test_a_group_has_its_rate_by_judge_by_experts_and_by_both() -> None:
    rows, truth = made({"a": 0.5})

    group = only(correct(rows, drawn(truth, 60), options=FAST))

    assert isinstance(group.pcr.judge, Estimate)
    assert isinstance(group.pcr.humans, Estimate)
    assert isinstance(group.pcr.corrected, Estimate)
    assert (group.n_judged, group.n_labels, group.n_label_threads > 30) == (
        200,
        60,
        True,
    )
    assert group.pcr.judge.n == 200
    assert group.pcr.humans.n == group.pcr.corrected.n == 60
    assert group.lam is not None
    assert 0.3 < group.lam < 1
    width = group.pcr.corrected.high - group.pcr.corrected.low
    assert width < group.pcr.humans.high - group.pcr.humans.low
    assert isinstance(group.pcs.corrected, Estimate)
    assert isinstance(group.to_halve, LabelsNeeded)
    assert group.sampling == "assumed_random"


def test_few_labels_leave_the_experts_beside_the_judge() -> None:
    rows, truth = made({"a": 0.5})

    group = only(correct(rows, drawn(truth, 20), options=FAST))

    assert group.pcr.corrected == NotEstimable(reason="fewer than 30 labels", n=20)
    assert isinstance(group.pcr.humans, Estimate)
    assert isinstance(group.pcr.judge, Estimate)
    assert group.lam is None
    assert "20 labels are too few for a correction" in group.warnings


def test_no_labels_at_all_are_a_result_too() -> None:
    rows, _ = made({"a": 0.5})

    group = only(correct(rows, {}, options=FAST))

    assert isinstance(group.pcr.humans, NotEstimable)
    assert isinstance(group.rogan_gladen, NotEstimable)
    assert isinstance(group.inverted_pcr, NotEstimable)
    assert isinstance(group.to_halve, NotEstimable)


def test_a_table_without_scores_says_so() -> None:
    assert correct([], {}).warnings == ("the table has no judged item",)


def test_plain_ppi_believes_the_judge() -> None:
    rows, truth = made({"a": 0.5})
    options = CorrectionOptions(draws=200, tuning="plain")

    assert only(correct(rows, drawn(truth, 60), options=options)).lam == 1


def test_recorded_chances_are_used_and_others_assumed() -> None:
    rows, truth = made({"a": 0.5})
    labels = drawn(truth, 60)
    known = {item: one._replace(probability=0.3) for item, one in labels.items()}

    plain, weighed = (
        correct(rows, labels, options=FAST),
        correct(rows, known, options=FAST),
    )

    assert only(weighed).sampling == "recorded"
    assert only(weighed).pcr == only(plain).pcr  # equal chances weigh nothing
    assumed = "assumes that the labelled items are a random sample of the judged"
    assert assumed in only(plain).warnings
    assert assumed not in only(weighed).warnings


def test_unlike_chances_change_the_rate_and_unsteady_ones_are_warned_of() -> None:
    rows, truth = made({"a": 0.5})
    labels = drawn(truth, 60)
    known = {
        item: one._replace(probability=0.9 if one.score == 1 else 0.03)
        for item, one in labels.items()
    }

    plain, weighed = (only(correct(rows, x, options=FAST)) for x in (labels, known))

    assert isinstance(plain.pcr.humans, Estimate)
    assert isinstance(weighed.pcr.humans, Estimate)
    assert weighed.pcr.humans.value < plain.pcr.humans.value / 2
    assert "one label counts more than 20 times another" in weighed.warnings


def test_methods_that_weight_by_nothing_are_refused_with_unlike_chances() -> None:
    rows, truth = made({"a": 0.5})
    labels = drawn(truth, 60)
    alike = {item: one._replace(probability=0.3) for item, one in labels.items()}
    unlike = {
        item: one._replace(probability=0.6 if one.score == 1 else 0.3)
        for item, one in labels.items()
    }

    made_of = [correct(rows, x, options=FAST) for x in (labels, alike, unlike)]

    assert [UNWEIGHTED in each.warnings for each in made_of] == [False, False, True]
    group = made_of[-1].groups[0]
    for number in (group.rogan_gladen, group.inverted_pcr, group.inverted_pcs):
        assert isinstance(number, NotEstimable)
        assert number.reason == UNWEIGHTED
    assert isinstance(group.pcr.corrected, Estimate)


def test_labels_by_verdict_are_poststratified_and_weighted() -> None:
    rows, truth = made({"a": 0.7}, n=400)
    place = {(r.target, r.setting, r.thread_id, r.turn): r.score for r in rows}
    labels: dict[Item, Expert] = {}
    for score in (-1, 0, 1):
        held = [item for item in truth if place[item] == score][:25]
        labels |= {item: truth[item] for item in held}
    options = CorrectionOptions(draws=200, by_verdict=True)

    group = only(correct(rows, labels, options=options))
    naive = only(correct(rows, labels, options=FAST))

    assert group.sampling == "by_verdict"
    assert isinstance(group.post_stratified, Estimate)
    assert isinstance(group.pcr.humans, Estimate)
    assert isinstance(naive.pcr.humans, Estimate)
    # Weighted by verdict, the experts alone are the post-stratified rate.
    assert group.pcr.humans.value == pytest.approx(group.post_stratified.value)
    assert naive.pcr.humans.value < group.pcr.humans.value - 0.15
    assert isinstance(naive.post_stratified, NotEstimable)


def test_labels_that_differ_from_the_rest_are_warned_of() -> None:
    rows, truth = made({"a": 0.5})
    first = {item: one for item, one in truth.items() if item[3] == 0}

    found = only(correct(rows, first, options=FAST))

    assert found.imbalances[0].of == "turn"
    assert any("differ in turn" in text for text in found.warnings)


def test_labels_of_one_target_are_no_sample_of_all() -> None:
    rows, truth = made({"a": 0.5, "b": 0.6})
    labels = {item: truth[item] for item in truth if item[0] == "a"}

    found = correct(rows, labels, options=FAST)

    assert any("target a" in text for text in found.warnings)


def test_labels_of_unjudged_and_of_unknown_items_are_counted() -> None:
    rows, truth = made({"a": 0.5})
    lost = rows[0]
    rows[0] = PanelScore(
        target="a",
        setting="multi_turn",
        thread_id=lost.thread_id,
        turn=lost.turn,
        score=None,
        outcome="unjudged",
    )
    truth["b", "oracle", ThreadId("T1"), 1] = Expert(1)

    found = correct(rows, truth, options=FAST)

    assert only(found).n_unjudged == 1
    assert "1 labelled items have no score of the panel" in only(found).warnings
    assert found.n_unmatched == 1
    assert "1 labels fit no item of the table" in found.warnings
    assert found.n_labels == 199


def test_a_judge_that_never_errs_is_warned_of() -> None:
    rows, _ = made({"a": 0.5})
    labels = {
        (r.target, r.setting, r.thread_id, r.turn): Expert(r.score)
        for r in rows[:50]
        if r.score is not None
    }

    assert any(
        "takes it for perfect" in w for w in only(correct(rows, labels)).warnings
    )


def test_pooled_labels_correct_a_target_without_any_and_say_what_they_assume() -> None:
    rows, truth = made({"a": 0.5, "b": 0.6}, n=400)
    labels = drawn({item: truth[item] for item in truth if item[0] == "a"}, 200)

    other = correct(rows, labels, options=FAST).groups[1]

    assert other.n_labels == 0
    assert isinstance(other.rogan_gladen, Adjusted)
    assert "errs alike" in other.rogan_gladen.assumes
    assert isinstance(other.inverted_pcr, Estimate)
    assert "errs alike" in other.inverted_pcr.flag
    assert other.rogan_gladen.low < 0.6 < other.rogan_gladen.high


def test_few_labels_of_each_target_give_their_mean() -> None:
    rows, truth = made({"a": 0.3, "b": 0.5, "c": 0.7})

    found = correct(rows, drawn(truth, 15), options=FAST)

    (mean,) = found.means
    assert mean.targets == ("a", "b", "c")
    assert mean.n_labels == 45
    assert isinstance(mean.corrected, Estimate)
    assert mean.corrected.low < 0.5 < mean.corrected.high
    assert isinstance(mean.judge, Estimate)
    assert all(isinstance(g.pcr.corrected, NotEstimable) for g in found.groups)


def test_differences_are_paired_and_corrected() -> None:
    rows, truth = made({"a": 0.7, "b": 0.3}, settings=("multi_turn", "oracle"))

    found = correct(rows, truth, options=FAST).differences

    assert [(one.first, one.second) for one in found] == [
        (("a", "multi_turn"), ("b", "multi_turn")),
        (("a", "oracle"), ("a", "multi_turn")),
        (("b", "oracle"), ("b", "multi_turn")),
    ]
    gap = found[0].difference
    assert isinstance(gap.corrected, Estimate)
    assert isinstance(gap.judge, Estimate)
    assert isinstance(gap.humans, Estimate)
    # Every item is labelled: the correction is the experts' own difference.
    assert gap.corrected.value == pytest.approx(gap.humans.value)
    assert found[0].n_judged == found[0].n_labels == 200


def test_chances_of_both_sides_are_multiplied_and_that_is_said() -> None:
    rows, truth = made({"a": 0.7, "b": 0.3})
    known = {
        item: one._replace(probability=0.5 if item[3] else 0.8)
        for item, one in truth.items()
    }

    (found,) = correct(rows, known, options=FAST).differences

    assert found.warnings == (
        "takes items of the two sides for drawn independently of each other",
    )


def test_the_order_of_rows_changes_nothing() -> None:
    rows, truth = made({"a": 0.5, "b": 0.6})
    labels = drawn(truth, 40)
    by_target = sorted(rows, key=lambda row: (row.target, -row.turn, row.thread_id))

    assert correct(by_target, labels, options=FAST) == correct(
        rows, labels, options=FAST
    )
