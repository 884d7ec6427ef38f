import re

import pytest

from threadmed.report.blocks import Column, Part, Scale, Stack, Strip, Table
from threadmed.report.sections.comparisons import kappa_scale
from threadmed.report.strips import is_cut, scale_head, stack, strip

SHARES = Scale(low=0, high=1, ticks=((0, "0"), (1, "100")))


NARROW = Scale(low=-0.5, high=0.5, ticks=(), zero=True)
LEFT, RIGHT = "L0,14.0L", "L124,14.0L"
"""Tips of arrows, at the edges of the drawing."""


def test_an_estimate_off_the_scale_has_an_arrow_and_no_dot() -> None:
    drawn = strip(Strip(value=0.9, low=0.4, high=0.99, label="x"), NARROW)

    assert "<circle" not in drawn
    assert (LEFT in drawn, RIGHT in drawn) == (False, True)
    assert 'class="axis"' in drawn


def test_nothing_but_an_arrow_is_drawn_of_what_is_wholly_off_the_scale() -> None:
    drawn = strip(Strip(value=-0.9, low=-0.95, high=-0.6, label="x"), NARROW)

    assert (LEFT in drawn, RIGHT in drawn) == (True, False)
    assert "<circle" not in drawn
    assert "s-blue" not in drawn


def test_an_interval_past_both_ends_has_two_smaller_arrows_and_its_dot() -> None:
    drawn = strip(Strip(value=0, low=-0.7, high=0.6, label="x"), NARROW)

    assert (LEFT in drawn, RIGHT in drawn) == (True, True)
    assert drawn.count("17.5Z") == 2
    assert '<circle cx="62.0"' in drawn


def test_an_interval_that_ends_with_the_scale_has_no_arrow() -> None:
    drawn = strip(Strip(value=1, low=0, high=1 + 1e-15, label="x"), SHARES)

    assert "<path" not in drawn
    assert '<circle cx="118.0"' in drawn


@pytest.mark.parametrize(
    ("strips", "low"),
    [
        ([Strip(value=0.3, low=0.1, label="")], 0),
        ([Strip(value=None, label="")], 0),
        ([Strip(value=0.3, low=-0.1, label="")], -0.5),
        ([Strip(value=0.3, low=0.1, label="", band=(-0.6, 0.2))], -1),
        ([Strip(value=0.3, low=0.1, label=""), Strip(value=-0.7, label="")], -1),
    ],
)
def test_an_axis_of_kappas_begins_where_the_least_of_them_needs_it(
    strips: list[Strip], low: float
) -> None:
    scale = kappa_scale([(each,) for each in strips])

    assert (scale.low, scale.high) == (low, 1)
    assert scale.ticks[0][0] == low
    for each in strips:
        assert RIGHT not in strip(each, scale)
        assert LEFT not in strip(each, scale)


@pytest.mark.parametrize(("high", "is_said"), [(0.4, False), (0.6, True)])
def test_a_table_says_what_an_arrow_means_where_it_has_one(
    high: float, *, is_said: bool
) -> None:
    drawn = Column(key="drawn", title="", align="drawing", scale=NARROW)
    table = Table(
        id="t",
        title="T",
        columns=(drawn,),
        rows=((Strip(value=0.1, low=0, high=high, label="x"),),),
    )

    assert is_cut(table) == is_said


def test_a_strip_without_an_estimate_has_a_reason_and_no_point() -> None:
    drawn = strip(Strip(value=None, label="no estimate: few"), SHARES)

    assert "<circle" not in drawn
    assert 'aria-label="no estimate: few"' in drawn


def test_labels_are_escaped() -> None:
    drawn = strip(Strip(value=0.5, label='"><script>'), SHARES)

    assert "<script" not in drawn


def test_the_parts_of_a_stack_fill_it() -> None:
    parts = (Part(share=0.25, colour="blue"), Part(share=0.75, colour="orange"))
    drawn = stack(Stack(parts=parts, label="a quarter"))
    widths = [
        float(width) for width in re.findall(r'width="([\d.]+)" height="13"', drawn)
    ]

    assert [round(width + 1.5) for width in widths] == [31, 92]


def test_an_empty_part_is_not_drawn() -> None:
    parts = (Part(share=0, colour="blue"), Part(share=1, colour="orange"))

    assert stack(Stack(parts=parts, label="none")).count("<rect") == 2


def test_the_head_of_a_strip_is_hidden_from_readers_of_text() -> None:
    assert 'aria-hidden="true"' in scale_head(SHARES)


def test_what_an_estimate_is_held_against_is_drawn_behind_it() -> None:
    drawn = strip(Strip(value=0.5, label="x", band=(0.25, 0.75)), SHARES)

    # 124 px less 6 at both ends: from 6 + 28 to 6 + 84
    assert '<rect x="34.0" y="0" width="56.0"' in drawn
    assert drawn.index("<rect") < drawn.index("<circle")


def test_parts_that_are_not_known_are_a_dash_with_its_reason() -> None:
    drawn = stack(Stack(parts=(), label="a part is below 0"))

    assert "<svg" not in drawn
    assert 'aria-label="a part is below 0"' in drawn
