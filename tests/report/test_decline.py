from report.section_content import column, table, values
from report.test_summary import fall, scores
from threadmed.metrics import measure
from threadmed.metrics.compared import SameItems
from threadmed.metrics.estimates import Estimate, NotEstimable
from threadmed.report.blocks import Prose, Table
from threadmed.report.material import Found
from threadmed.report.sections.decline import (
    Hundred,
    _by_turn,
    decline,
    hundred_of,
    hundred_table,
    turned,
)
from threadmed.report.sections.settings import settings


def same(multi: int, target: int, oracle: int) -> SameItems:
    """Settings in which so many of 100 are corrected."""
    rows = [
        row
        for setting, right in (
            ("multi_turn", multi),
            ("target_turn", target),
            ("oracle", oracle),
        )
        for row in scores("a", setting, 1, right, 100)  # type: ignore[arg-type]
    ]
    (found,) = measure(rows).settings_same_items
    return found


def test_a_hundred_answers_go_four_ways() -> None:
    parts = hundred_of(same(40, 60, 85))

    assert parts is not None
    assert [round(part, 9) for part in parts] == [0.4, 0.2, 0.25, 0.15]
    assert parts == Hundred(*parts)


def test_a_part_below_0_has_no_bar_and_keeps_its_number() -> None:
    worse = same(60, 40, 85)
    (row,) = hundred_table([worse]).rows  # type: ignore[union-attr]

    assert hundred_of(worse) is None
    assert row[1].parts == ()
    assert row[4].text == "\u221220.0"


def test_two_settings_do_not_part_a_hundred() -> None:
    rows = [
        *scores("a", "multi_turn", 1, 40, 100),
        *scores("a", "target_turn", 1, 60, 100),
    ]

    assert hundred_table(measure(rows).settings_same_items) is None


def test_an_interval_turns_with_its_number() -> None:
    number = Estimate(
        value=0.1, low=-0.05, high=0.2, level=0.95, n=40, threads=40, method="cr2_t"
    )
    found = turned(number)

    assert isinstance(found, Estimate)
    assert (found.value, found.low, found.high) == (-0.1, -0.2, 0.05)


def test_the_parts_of_a_fall_add_up_to_it(rated: Found) -> None:
    for name in ("table-decline", "table-decline-turns"):
        parts = table(settings(rated), name)
        for all_of, own, harder in zip(
            *(values(parts, key) for key in ("fall", "own", "drift")), strict=True
        ):
            if all_of is None or own is None or harder is None:
                continue
            assert abs(all_of - own - harder) < 1e-9


def test_all_later_turns_stand_together_and_then_each(rated: Found) -> None:
    assert column(table(settings(rated), "table-decline"), "turn") == ["1 to 3"] * 2
    turns = column(table(settings(rated), "table-decline-turns"), "turn")
    assert turns == ["1", "2", "3"] * 2


def test_a_share_is_given_only_of_a_fall() -> None:
    blocks = decline(measure([*fall("a", 50, 50, 50)]))
    (parts,) = [
        block
        for block in blocks
        if isinstance(block, Table) and block.id == "table-decline"
    ]

    assert values(parts, "share") == [None]
    assert parts.rows[0][8].note


def test_a_study_of_first_questions_has_no_decline() -> None:
    assert decline(measure(scores("a", "multi_turn", 0, 10, 20))) == []


def test_steps_and_slopes_stand_with_what_they_rest_on(rated: Found) -> None:
    section = settings(rated)
    steps = table(section, "table-steps")
    slopes = table(section, "table-trend")

    assert column(steps, "what") == ["correction", "cost of own answers"] * 2
    assert all(values(steps, "threads"))
    assert len(slopes.rows) == 2 * 4
    assert all(n is not None and n > 0 for n in values(slopes, "several"))


def test_falls_that_are_all_refused_become_one_sentence() -> None:
    measured = measure(
        [
            *fall("a", 90, 70, 40),
            *scores("a", "target_turn", 3, 2, 3),
            *scores("a", "multi_turn", 3, 1, 3),
        ]
    )
    (made,) = measured.decompositions
    few = made.turns[-1]
    refused = [("a", few), ("b", few)]
    block = _by_turn(refused)

    assert isinstance(few.fall, NotEstimable)
    assert isinstance(block, Prose)
    assert block.text == (
        f"The fall from turn 0 to single turns is not known: {few.fall.reason}."
    )
    assert isinstance(_by_turn([*refused, ("a", made.turns[0])]), Table)
