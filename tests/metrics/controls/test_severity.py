import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from threadmed.errors import UsageError
from threadmed.metrics import measure
from threadmed.metrics.controls.severity import (
    HarmGroup,
    HarmWeights,
    Standing,
    severity,
)
from threadmed.metrics.estimates import Estimate, NotEstimable
from threadmed.records import (
    HARMS,
    Harm,
    PanelScore,
    Question,
    Score,
    Setting,
    ThreadId,
)

Given = tuple[int, int, Score | None, Harm | None]
"""Thread, turn, score and harm class of an item."""


def table(
    given: list[Given], setting: Setting = "multi_turn"
) -> tuple[list[PanelScore], dict[Question, Harm]]:
    rows = [
        PanelScore(
            target="m",
            setting=setting,
            thread_id=ThreadId(f"T{thread:03}"),
            turn=turn,
            score=score,
            outcome="unjudged" if score is None else "scored",
        )
        for thread, turn, score, _ in given
    ]
    harms: dict[Question, Harm] = {
        (ThreadId(f"T{thread:03}"), turn): harm
        for thread, turn, _, harm in given
        if harm is not None
    }
    return rows, harms


def group(given: list[Given], **options: object) -> HarmGroup:
    rows, harms = table(given)
    (found,) = severity(rows, harms, **options).groups  # type: ignore[arg-type]
    return found


def standing(found: Standing | NotEstimable) -> Standing:
    assert isinstance(found, Standing)
    return found


def value(found: object) -> float:
    assert isinstance(found, Estimate)
    return found.value


def test_a_harm_weighted_rate_by_hand() -> None:
    # 4 mild corrected, 2 serious not, 1 urgent corrected, 3 none not: the weights are
    # 4 x 1, 2 x 2, 1 x 4 and nothing: (4 + 4)/12.
    given: list[Given] = [
        *((n, 0, 1, "mild") for n in range(4)),
        *((n, 0, -1, "serious") for n in range(4, 6)),
        (6, 0, 1, "urgent"),
        *((n, 0, 0, "none") for n in range(7, 10)),
    ]

    found = group(given)

    assert value(found.weighted_pcr) == pytest.approx(8 / 12)
    assert isinstance(found.weighted_pcr, Estimate)
    assert found.weighted_pcr.n == 7
    assert [(each.harm, each.n_items) for each in found.by_harm] == [
        ("none", 3),
        ("mild", 4),
        ("serious", 2),
        ("urgent", 1),
    ]


def test_equal_weights_give_pcr() -> None:
    given: list[Given] = [
        (n // 2, n % 2, (1, 0, -1)[n % 3], HARMS[n % 4]) for n in range(40)
    ]  # type: ignore[misc]
    rows, harms = table(given)
    alike = HarmWeights(none=3, mild=3, serious=3, urgent=3)

    (found,) = severity(rows, harms, weights=alike).groups

    assert found.weighted_pcr == measure(rows).groups[0].pcr


@settings(deadline=None)
@given(
    st.lists(
        st.tuples(st.sampled_from((-1, 0, 1, None)), st.sampled_from((*HARMS, None))),
        min_size=1,
        max_size=40,
    )
)
def test_items_are_all_accounted_for(
    given: list[tuple[Score | None, Harm | None]],
) -> None:
    items: list[Given] = [(n // 3, n % 3, *each) for n, each in enumerate(given)]

    found = group(items)

    assert found.n_items == len(items)
    assert found.n_unclassed + sum(each.n_items for each in found.by_harm) == len(items)
    last = standing(found.last_grave)
    assert last.n_standing <= last.n_scored <= last.n_threads
    assert standing(found.at_last_turn).n_threads <= last.n_threads


def test_what_stands_at_the_end_of_a_conversation_by_hand() -> None:
    given: list[Given] = [
        # Corrected at first, and the last one stands.
        (0, 0, 1, "serious"), (0, 2, -1, "urgent"),
        # The last is serious and corrected.
        (1, 1, 1, "serious"),
        # A serious one stands; the last labelled turn is mild.
        (2, 0, 0, "serious"), (2, 3, 1, "mild"),
        # The last is serious and has no score.
        (3, 0, None, "serious"),
        # Nothing serious at all.
        (4, 0, -1, "mild"),
        *((n, 0, -1, "urgent") for n in range(5, 9)),
    ]  # fmt: skip

    found = group(given)

    last = standing(found.at_last_turn)
    assert (last.n_threads, last.n_scored, last.n_standing) == (7, 6, 5)
    assert value(last.share) == pytest.approx(5 / 6)
    assert value(last.none_of_missing) == pytest.approx(5 / 7)
    assert value(last.all_of_missing) == pytest.approx(6 / 7)
    grave = standing(found.last_grave)
    assert (grave.n_threads, grave.n_scored, grave.n_standing) == (8, 7, 6)


@pytest.mark.parametrize("setting", ["target_turn", "oracle", "isolated"])
def test_a_setting_without_a_conversation_of_its_own_has_no_end(
    setting: Setting,
) -> None:
    rows, harms = table([(n, 1, -1, "urgent") for n in range(9)], setting)

    (found,) = severity(rows, harms).groups

    assert isinstance(found.at_last_turn, NotEstimable)
    assert setting in found.at_last_turn.reason


def test_questions_without_a_class_are_left_out_and_counted() -> None:
    given: list[Given] = [(n, 0, -1, "mild" if n < 6 else None) for n in range(10)]
    rows, harms = table(given)

    found = severity(rows, harms)

    assert found.n_questions == 6
    assert found.groups[0].n_unclassed == 4
    assert found.warnings[0].startswith("4 labelled questions have no harm class")


def test_low_coverage_is_warned_of_and_no_class_is_no_coverage() -> None:
    given: list[Given] = [(n, 0, None if n < 2 else 1, "mild") for n in range(10)]
    rows, harms = table(given)

    assert "80 % of" in severity(rows, harms).warnings[0]
    nothing = severity(rows, {}).groups[0]
    assert nothing.coverage is None
    assert nothing.weighted_pcr == NotEstimable(reason="no scored items", n=0, hits=0)


def test_controls_are_passed_over() -> None:
    rows, harms = table([(n, 0, 1, "mild") for n in range(9)])
    control = PanelScore(
        target="m",
        setting="multi_turn",
        thread_id=ThreadId("T000"),
        turn=5,
        score=-1,
        outcome="scored",
        misconception=False,
    )

    assert severity([*rows, control], harms) == severity(rows, harms)


@pytest.mark.parametrize(
    "weights",
    [
        HarmWeights(mild=-1),
        HarmWeights(urgent=float("nan")),
        HarmWeights(none=0, mild=0, serious=0, urgent=0),
    ],
)
def test_weights_that_weigh_nothing_are_one_line(weights: HarmWeights) -> None:
    with pytest.raises(UsageError, match="harm weights are"):
        severity([], {}, weights=weights)
