import msgspec
import pytest

from factories_scores import paper_scores
from threadmed.metrics import (
    Estimate,
    MeasureOptions,
    NotEstimable,
    SideBySide,
    measure,
    side_by_side,
)
from threadmed.metrics.modes import (
    ALIKE,
    COPIED,
    ITEMS,
    NEITHER,
    PAIRS,
    REFUSED,
    named,
    why,
)

OPTIONS = MeasureOptions(draws=200, thread_draws=500)


@pytest.fixture(scope="module")
def both() -> SideBySide:
    return side_by_side(paper_scores(), options=OPTIONS)


def test_each_side_is_what_its_mode_measures_alone(both: SideBySide) -> None:
    rows = paper_scores()
    published = msgspec.structs.replace(OPTIONS, mode="as_published")

    assert both.recommended == measure(rows, options=OPTIONS)
    assert both.as_published == measure(rows, options=published)


def test_what_differs_is_named_with_both_numbers_and_why(both: SideBySide) -> None:
    found = {each.what: each for each in both.differs}

    rate = found["gpt-5, multi_turn: PCR"]
    assert rate.recommended == both.recommended.groups[0].pcr
    assert rate.as_published == both.as_published.groups[0].pcr
    assert rate.why == ITEMS
    assert found["haiku, multi_turn: RR"].why == PAIRS
    assert found["gpt-5, oracle, turn 8: PCR"].why == ALIKE
    assert "gpt-5, fall to turn 2: later" in found
    assert "gpt-5 and haiku in multi_turn, haiku: PCR" in found
    assert "gpt-5, settings on the same items, target_turn: PCR" in found


def test_no_two_differences_have_one_name(both: SideBySide) -> None:
    names = [each.what for each in both.differs]

    assert len(set(names)) == len(names)


def test_only_what_differs_is_listed(both: SideBySide) -> None:
    assert all(each.recommended != each.as_published for each in both.differs)
    same = {what for what, _ in named(both.recommended)} - {
        e.what for e in both.differs
    }
    assert "gpt-5, multi_turn: slope" in same


def test_the_copied_oracle_stands_beside_the_oracles_own(both: SideBySide) -> None:
    (found,) = (
        each
        for each in both.differs
        if each.what == "gpt-5, oracle: PCR over all turns"
    )

    assert isinstance(found.recommended, Estimate)
    assert isinstance(found.as_published, Estimate)
    assert (found.recommended.n, found.as_published.n) == (495, 604)
    assert found.why == COPIED


def test_both_sides_come_back_from_json(both: SideBySide) -> None:
    written = msgspec.json.encode(both)

    assert msgspec.json.decode(written, type=SideBySide) == both


def test_a_comparison_is_named_with_the_setting_that_it_is_in() -> None:
    rows = [
        msgspec.structs.replace(row, setting="isolated")
        for row in paper_scores()
        if row.setting == "multi_turn"
    ]

    whats = [what for what, _ in named(measure(rows, options=OPTIONS))]

    compared = [what for what in whats if " and " in what]
    assert compared
    assert all(" in isolated" in what for what in compared)


def test_a_table_of_nothing_differs_in_nothing() -> None:
    assert side_by_side([]).differs == ()


def test_reasons_follow_from_what_each_mode_has() -> None:
    refused = NotEstimable(reason="few", n=1)
    number = Estimate(
        value=0.5, low=0.2, high=0.8, level=0.95, n=9, threads=9, method="wilson"
    )

    assert why(refused, number) == REFUSED
    assert why(refused, refused) == NEITHER
    assert why(number, refused) == ALIKE
