import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from threadmed.metrics import measure
from threadmed.metrics.controls.control import ControlRate, Known, over_correction
from threadmed.metrics.controls.identification import identification_uncertainty
from threadmed.metrics.estimates import Estimate, NotEstimable
from threadmed.metrics.weighted import weighted_rate
from threadmed.records import Labelled, PanelScore, Question, Score, Setting, ThreadId

SCORES: tuple[Score, ...] = (-1, 0, 1)


def row(
    number: int,
    score: Score | None,
    turn: int = 0,
    target: str = "m",
    setting: Setting = "multi_turn",
    *,
    misconception: bool = False,
) -> PanelScore:
    return PanelScore(
        target=target,
        setting=setting,
        thread_id=ThreadId(f"T{number:03}"),
        turn=turn,
        score=score,
        outcome="unjudged" if score is None else "scored",
        misconception=misconception,
    )


def only(rows: list[PanelScore], known: Known | None = None) -> ControlRate:
    (rate,) = over_correction(rows, known=known).rates
    return rate


def value(found: object) -> float:
    assert isinstance(found, Estimate)
    return found.value


def test_false_alarms_and_doubts_by_hand() -> None:
    # 20 controls: 3 false alarms, 5 doubts, 10 quiet, 2 without a score.
    scores = [-1] * 3 + [0] * 5 + [1] * 10 + [None] * 2
    rows = [row(n, score) for n, score in enumerate(scores)]  # type: ignore[arg-type]

    rate = only(rows)

    assert (rate.n_items, rate.n_scored, rate.n_threads) == (20, 18, 18)
    assert (rate.n_false_alarms, rate.n_doubts, rate.coverage) == (3, 5, 0.9)
    assert value(rate.false_alarms) == pytest.approx(3 / 18)
    assert value(rate.doubts) == pytest.approx(8 / 18)
    assert value(rate.none_of_missing) == pytest.approx(3 / 20)
    assert value(rate.all_of_missing) == pytest.approx(5 / 20)


def test_controls_count_by_the_inverse_of_their_chance() -> None:
    # Turn 0: 4 controls at chance .1, all quiet; turn 1: 6 at chance .3, all false
    # alarms. Weights 10 and 10/3: 20/(40 + 20) = 1/3.
    rows = [row(n, 1) for n in range(4)] + [row(n, -1, turn=1) for n in range(4, 10)]
    chances: dict[Question, float] = {
        (each.thread_id, each.turn): 0.3 if each.turn else 0.1 for each in rows
    }

    found = over_correction(rows, known=Known(chances=chances))

    assert found.is_weighted
    assert value(found.rates[0].false_alarms) == pytest.approx(1 / 3)
    assert [(each.turn, each.n_items) for each in found.rates[0].by_turn] == [
        (0, 4),
        (1, 6),
    ]


def test_one_missing_chance_lets_all_count_alike_and_says_so() -> None:
    rows = [row(n, -1 if n < 2 else 1) for n in range(10)]
    chances: dict[Question, float] = {
        (each.thread_id, 0): 0.1 + n / 20 for n, each in enumerate(rows[1:])
    }

    found = over_correction(rows, known=Known(chances=chances))

    assert not found.is_weighted
    assert value(found.rates[0].false_alarms) == pytest.approx(0.2)
    assert any("all count alike" in line for line in found.warnings)


def test_controls_enter_no_rate_of_correction() -> None:
    labelled = [
        row(n, SCORES[n % 3], turn=n % 2, misconception=True) for n in range(30)
    ]
    controls = [row(n, -1, turn=2 + n % 2) for n in range(30)]

    plain, mixed = measure(labelled), measure([*controls, *labelled])

    assert mixed.n_without_misconception == 30
    assert (
        msgspec.structs.replace(mixed.groups[0], n_without_misconception=0)
        == plain.groups[0]
    )
    assert mixed.decompositions == plain.decompositions
    (pair,) = over_correction([*controls, *labelled]).pairs
    assert pair.pcr == plain.groups[0].pcr
    assert value(pair.false_alarms) == 1


@settings(deadline=None)
@given(st.lists(st.sampled_from(SCORES), min_size=10, max_size=30))
def test_neither_the_order_of_rows_nor_other_targets_change_a_rate(
    scores: list[Score],
) -> None:
    rows = [row(n // 2, score, turn=n % 2) for n, score in enumerate(scores)]
    others = [row(n, 1, target="other") for n in range(10)]
    mixed = [*others, *rows[::-1]]

    found = over_correction(mixed).rates

    assert found[1] == only(rows)
    assert found[1].n_false_alarms + found[1].n_doubts + scores.count(1) == len(scores)


def test_what_is_shown_without_its_control_is_said() -> None:
    rows = [
        *(row(n, 1, misconception=True) for n in range(6)),
        *(row(n, 1, target="m+warn", misconception=True) for n in range(6)),
        *(row(n, 1, setting="oracle", turn=1, misconception=True) for n in range(6)),
        *(row(n, 1, turn=1) for n in range(6)),
    ]

    found = over_correction(rows)

    assert "m in oracle has no control" in found.warnings[0]
    assert "m+warn has no control" in found.warnings[1]
    pairs = {(pair.target, pair.setting): pair.false_alarms for pair in found.pairs}
    assert isinstance(pairs["m", "multi_turn"], Estimate)
    assert pairs["m+warn", "multi_turn"] == NotEstimable(
        reason="no control was asked", n=0
    )


def test_a_table_without_any_control_is_warned_of_once() -> None:
    rows = [
        row(n, 1, target=target, misconception=True)
        for n in range(6)
        for target in ("a", "b")
    ]

    found = over_correction(rows)

    assert found.rates == ()
    assert found.warnings == (
        "no control was asked: what is corrected that was not wrong is not known",
    )


def test_an_empty_table_says_nothing() -> None:
    found = over_correction([])

    assert (found.rates, found.pairs, found.warnings) == ((), (), ())


def test_low_coverage_is_warned_of() -> None:
    rows = [row(n, None if n < 3 else 1) for n in range(20)]

    assert any("85 % of the" in line for line in over_correction(rows).warnings)


def test_experts_say_which_controls_are_sure_and_how_many_are_not() -> None:
    rows = [row(n, -1 if n < 10 else 1) for n in range(40)]
    # The expert finds a misconception in five of the ten that were alarmed at.
    experts: dict[Question, bool] = {
        (ThreadId(f"T{n:03}"), 0): n < 5 for n in range(30)
    }
    labels = [
        Labelled(
            thread_id=each.thread_id, turn=0, misconception=False, source="reference"
        )
        for each in rows
    ] + [
        Labelled(
            thread_id=ThreadId(f"U{n}"), turn=0, misconception=True, source="reference"
        )
        for n in range(9)
    ]
    yes: dict[Question, bool] = {(ThreadId(f"U{n}"), 0): True for n in range(9)}
    checked = identification_uncertainty(rows, labels, experts | yes)

    found = over_correction(rows, known=Known(experts=experts, identification=checked))

    assert value(found.rates[0].false_alarms) == pytest.approx(0.25)
    # 25 confirmed, five of them false alarms.
    assert value(found.rates[0].confirmed) == pytest.approx(0.2)
    assert found.recall == checked.recall
    assert not any("no expert" in line for line in found.warnings)
    wrong = found.rates[0].wrong_labels.checked
    assert not isinstance(wrong, NotEstimable)
    assert wrong.share == pytest.approx(5 / 30)


def test_rates_are_those_of_the_weighted_estimator() -> None:
    import numpy as np

    scores = [SCORES[n % 3] for n in range(24)]
    rows = [row(n // 3, score, turn=n % 3) for n, score in enumerate(scores)]
    chances: dict[Question, float] = {
        (each.thread_id, each.turn): (each.turn + 1) / 4 for each in rows
    }

    rate = only(rows, Known(chances=chances))

    assert rate.false_alarms == weighted_rate(
        np.array([score == -1 for score in scores], dtype=float),
        np.array([4 / (n % 3 + 1) for n in range(24)]),
        np.arange(24) // 3,
    )
