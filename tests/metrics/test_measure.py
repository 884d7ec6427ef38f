from collections.abc import Iterable

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from factories_scores import paper_scores
from threadmed.errors import InputError
from threadmed.metrics import (
    Estimate,
    Measurement,
    MeasureOptions,
    NotEstimable,
    Number,
    measure,
)
from threadmed.metrics.measurement import Group
from threadmed.records import PanelScore, Score, ScoreOutcome, Setting, ThreadId

PUBLISHED = MeasureOptions(mode="as_published")
UNBOUNDED = {"log_ratio", "gee_bias_reduced_t", "thread_bootstrap"}
"""Methods of numbers that may be of any size: EPR, slopes, shares of a fall."""


def row(
    score: Score | None = 1,
    *,
    target: str = "m",
    setting: Setting = "multi_turn",
    thread: int = 0,
    turn: int = 0,
    outcome: ScoreOutcome | None = None,
    misconception: bool = True,
    tie_break: bool = False,
) -> PanelScore:
    fallback: ScoreOutcome = "unjudged" if score is None else "scored"
    return PanelScore(
        target=target,
        setting=setting,
        thread_id=ThreadId(f"T{thread:03}"),
        turn=turn,
        score=score,
        outcome=outcome or fallback,
        misconception=misconception,
        tie_break=tie_break,
    )


def only(measured: Measurement) -> Group:
    (group,) = measured.groups
    return group


def value(number: Number) -> float:
    assert isinstance(number, Estimate)
    return number.value


def percent(number: Number) -> str:
    return f"{100 * value(number):.1f}"


def groups(measured: Measurement) -> dict[tuple[str, str], Group]:
    return {(group.target, group.setting): group for group in measured.groups}


@pytest.mark.parametrize("options", [MeasureOptions(), PUBLISHED])
@pytest.mark.parametrize(
    ("target", "overall", "first", "third"),
    [
        ("gpt-5", "62.4", "88.1", "48.0"),
        ("haiku", "60.6", "84.4", "53.5"),
        ("gpt-4o", None, "65.1", "21.2"),
        ("llama", None, "55.0", "17.7"),
        ("gemini", "43.0", None, None),
    ],
)
def test_the_rates_that_the_paper_prints_come_from_its_counts(
    options: MeasureOptions,
    target: str,
    overall: str | None,
    first: str | None,
    third: str | None,
) -> None:
    found = groups(measure(paper_scores(), options=options))[target, "multi_turn"]

    assert (found.n_items, found.n_threads) == (604, 505)
    assert [each.n_scored for each in found.by_turn] == [
        109, 100, 198, 80, 50, 30, 20, 11, 6
    ]  # fmt: skip
    assert overall in {None, percent(found.pcr)}
    assert first in {None, percent(found.by_turn[0].pcr)}
    assert third in {None, percent(found.by_turn[2].pcr)}


@pytest.mark.parametrize("options", [MeasureOptions(), PUBLISHED])
@pytest.mark.parametrize(("target", "rr"), [("gpt-5", "25.9"), ("haiku", "51.9")])
def test_the_recovery_rates_that_the_paper_prints_come_from_its_counts(
    options: MeasureOptions, target: str, rr: str
) -> None:
    found = groups(measure(paper_scores(), options=options))[target, "multi_turn"]

    assert (found.recovery.pairs, found.recovery.starts) == (99, 27)
    assert percent(found.recovery.rate) == rr


def test_the_recovery_intervals_that_the_paper_prints_are_met_roughly() -> None:
    found = groups(measure(paper_scores(), options=PUBLISHED))
    rates = [found[t, "multi_turn"].recovery.rate for t in ("gpt-5", "haiku")]

    ends = [(n.low, n.high) for n in rates if isinstance(n, Estimate)]

    assert ends[0] == pytest.approx((0.095, 0.45), abs=0.03)
    assert ends[1] == pytest.approx((0.333, 0.696), abs=0.03)


def test_the_oracle_rates_that_the_paper_prints_have_turn_0_copied_in() -> None:
    measured = measure(paper_scores(), options=PUBLISHED)
    found = {each.target: each for each in measured.published_oracles}

    assert percent(found["gpt-5"].pcr) == "87.4"
    assert percent(found["haiku"].pcr) == "75.8"
    assert percent(found["haiku"].uncorrected) == "24.2"
    assert (found["gpt-5"].n_oracle, found["gpt-5"].n_copied) == (495, 109)


def test_the_recommended_mode_copies_nothing_into_the_oracle() -> None:
    assert measure(paper_scores()).published_oracles == ()


def test_settings_of_the_papers_table_are_compared_from_turn_1_on() -> None:
    # GPT-5: 377 - 96, 461 - 96 and 432 of 495.
    found = measure(paper_scores()).settings_same_items[0]

    assert (found.target, found.n, found.n_left_out) == ("gpt-5", 495, 0)
    assert [round(495 * value(each.pcr)) for each in found.rates] == [281, 365, 432]


def test_scores_are_counted_and_the_missing_never_averaged() -> None:
    # Twelve labelled items: 6 corrected, 2 partly, 2 not noticed, 2 without a score.
    scores: list[Score | None] = [1, 1, 1, 1, 1, 1, 0, 0, -1, -1, None, None]
    rows = [row(score, thread=n) for n, score in enumerate(scores)]
    rows[-1] = row(None, thread=11, outcome="blocked")
    rows.append(row(-1, thread=12, misconception=False))
    rows[0] = row(1, thread=0, tie_break=True)

    measured = measure(rows)
    found = only(measured)

    assert (measured.n_rows, measured.n_without_misconception) == (13, 1)
    assert (found.n_items, found.n_scored, found.n_threads) == (12, 10, 10)
    assert found.n_without_misconception == 1
    assert found.coverage == pytest.approx(10 / 12)
    assert [(each.outcome, each.n) for each in found.outcomes] == [
        ("scored", 10),
        ("blocked", 1),
        ("unjudged", 1),
    ]
    assert (
        found.counts.not_noticed,
        found.counts.partly,
        found.counts.corrected,
    ) == (2, 2, 6)
    assert value(found.pcr) == 0.6
    assert value(found.uncorrected) == 0.4
    assert value(found.pcs) == pytest.approx(0.4)
    assert found.tie_breaks == 1


def test_a_tie_break_over_a_question_without_misconception_is_not_counted() -> None:
    rows = [
        row(thread=0, tie_break=True),
        row(thread=1, tie_break=True, misconception=False),
    ]

    assert only(measure(rows)).tie_breaks == 1


def test_bounds_take_the_missing_for_all_wrong_and_for_all_right() -> None:
    scores: list[Score | None] = [1] * 6 + [0] * 4 + [None] * 2
    rows = [row(score, thread=n) for n, score in enumerate(scores)]

    found = only(measure(rows)).bounds

    assert (found.n_missing, found.is_needed) == (2, True)
    assert value(found.all_wrong) == 6 / 12
    assert value(found.all_right) == pytest.approx(8 / 12)


@pytest.mark.parametrize(("missing", "needed"), [(1, False), (2, True)])
def test_bounds_are_needed_below_95_percent_of_coverage(
    missing: int, *, needed: bool
) -> None:
    rows = [row(None if n < missing else 1, thread=n) for n in range(20)]

    assert only(measure(rows)).bounds.is_needed is needed


def test_turns_are_reported_with_what_is_missing_in_them() -> None:
    rows = [row(1, thread=n) for n in range(6)]
    rows += [row(None if n < 2 else 0, thread=n, turn=3) for n in range(4)]

    first, later = only(measure(rows)).by_turn

    assert (first.turn, first.n_items, first.n_scored) == (0, 6, 6)
    assert (later.turn, later.n_items, later.n_scored) == (3, 4, 2)
    assert later.pcr == NotEstimable(reason="fewer than 5 scored items", n=2, hits=0)


def test_groups_come_by_first_appearance_and_in_the_order_of_settings() -> None:
    rows = [
        row(target="b", setting="oracle", turn=1),
        row(target="a", setting="isolated"),
        row(target="a"),
        row(target="b"),
    ]

    found = measure(rows).groups

    assert [(group.target, group.setting) for group in found] == [
        ("b", "multi_turn"),
        ("b", "oracle"),
        ("a", "multi_turn"),
        ("a", "isolated"),
    ]


def test_a_group_without_labelled_items_is_counted_and_left_out() -> None:
    rows = [row(misconception=False), row(target="b", misconception=False)]

    measured = measure(rows)

    assert measured.groups == measured.comparisons == measured.losses == ()
    assert (measured.n_rows, measured.n_without_misconception) == (2, 2)


def test_nothing_at_all_is_no_error() -> None:
    assert measure([]).groups == ()


def test_a_group_whose_answers_are_all_missing_has_reasons_and_no_rate() -> None:
    found = only(measure([row(None, thread=n, outcome="pending") for n in range(9)]))

    assert found.coverage == 0
    assert found.pcr == NotEstimable(reason="no scored items", n=0, hits=0)
    assert found.pcs == NotEstimable(reason="no scored items", n=0)
    assert value(found.bounds.all_wrong) == 0
    assert value(found.bounds.all_right) == 1


def test_a_row_that_stands_twice_is_named() -> None:
    with pytest.raises(InputError, match="turn 2 of T007 for m in oracle has two"):
        measure([row(s, setting="oracle", thread=7, turn=2) for s in (0, 1)])


@pytest.mark.parametrize(
    "broken", [row(None, outcome="scored"), row(1, outcome="failed")]
)
def test_a_score_that_its_outcome_denies_is_refused(broken: PanelScore) -> None:
    with pytest.raises(InputError, match="which do not go together"):
        measure([broken])


def test_recovery_over_the_next_labelled_turn_is_an_option() -> None:
    rows = [row(s, thread=n, turn=t) for n in range(9) for s, t in ((0, 0), (1, 2))]

    usual = only(measure(rows)).recovery
    variant = only(
        measure(rows, options=MeasureOptions(recovery_pairs="next_labelled"))
    ).recovery

    assert (usual.pairs, usual.starts) == (0, 0)
    assert (variant.pairs, variant.starts, variant.recovered) == (9, 9, 9)


def study(seed: int = 5) -> list[PanelScore]:
    """Three targets in three settings on 40 threads, with gaps."""
    chance = np.random.default_rng(seed)
    kinds: list[Score | None] = [-1, 0, 1, 1, None]
    names: tuple[Setting, ...] = ("multi_turn", "target_turn", "oracle")
    return [
        row(
            kinds[chance.integers(5)],
            target=target,
            setting=setting,
            thread=thread,
            turn=turn,
        )
        for target in ("a", "b", "c")
        for setting in names
        for thread in range(40)
        for turn in range(3)
        if turn > 0 or setting != "oracle"
    ]


@pytest.mark.parametrize("options", [MeasureOptions(), PUBLISHED])
def test_the_order_of_rows_changes_no_number(options: MeasureOptions) -> None:
    rows = study()
    turned = [rows[n] for n in np.random.default_rng(2).permutation(len(rows))]

    one = groups(measure(rows, options=options))

    assert groups(measure(turned, options=options)) == one


@pytest.mark.parametrize("options", [MeasureOptions(), PUBLISHED])
def test_other_targets_change_no_number_of_a_target(options: MeasureOptions) -> None:
    rows = study()
    alone = [each for each in rows if each.target == "b"]

    everyone = measure(rows, options=options)
    found = measure(alone, options=options)

    assert groups(found).items() <= groups(everyone).items()
    assert found.losses[0] in everyone.losses
    assert found.settings_same_items[0] in everyone.settings_same_items


def test_a_seed_gives_the_same_numbers_and_another_one_others() -> None:
    rows = study()

    one = measure(rows, options=PUBLISHED)

    assert measure(rows, options=PUBLISHED) == one
    other = measure(rows, options=MeasureOptions(mode="as_published", seed=1))
    assert other.groups != one.groups


def numbers(value: object) -> Iterable[Estimate]:
    """Every estimate anywhere inside a measurement."""
    if isinstance(value, Estimate):
        yield value
    elif isinstance(value, msgspec.Struct):
        for field in value.__struct_fields__:
            yield from numbers(getattr(value, field))
    elif isinstance(value, tuple):
        for each in value:
            yield from numbers(each)


@pytest.mark.parametrize("options", [MeasureOptions(), PUBLISHED])
def test_no_interval_is_without_width_or_off_its_value(
    options: MeasureOptions,
) -> None:
    found = list(numbers(measure(study(), options=options)))

    assert len(found) > 100
    for number in found:
        assert number.low <= number.value <= number.high
        if number.method not in UNBOUNDED:
            assert number.low >= -2
            assert number.high <= 2
        assert number.high > number.low
        assert number.n >= number.threads >= 1


tables = st.lists(
    st.tuples(
        st.sampled_from(["a", "b"]),
        st.sampled_from(["multi_turn", "target_turn", "oracle", "isolated"]),
        st.integers(0, 6),
        st.integers(0, 3),
        st.sampled_from([-1, 0, 1, None]),
        st.booleans(),
    ),
    max_size=60,
    unique_by=lambda drawn: drawn[:4],
).map(
    lambda drawn: [
        row(s, target=t, setting=c, thread=n, turn=at, misconception=m)
        for t, c, n, at, s, m in drawn
    ]
)


@settings(max_examples=60, deadline=None)
@given(tables, st.sampled_from([MeasureOptions(), PUBLISHED]))
def test_any_table_is_measured_and_comes_back_from_json(
    rows: list[PanelScore], options: MeasureOptions
) -> None:
    measured = measure(rows, options=options)

    written = msgspec.json.encode(measured)

    assert msgspec.json.decode(written, type=Measurement) == measured
    assert sum(group.n_items for group in measured.groups) == (
        measured.n_rows - measured.n_without_misconception
    )
    for number in numbers(measured):
        assert number.low <= number.value <= number.high
        assert number.high > number.low


def test_an_unknown_option_is_refused_by_name() -> None:
    with pytest.raises(msgspec.ValidationError, match="sed"):
        msgspec.json.decode(b'{"sed": 1}', type=MeasureOptions)
