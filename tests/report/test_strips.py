import re

from threadmed.report.blocks import Part, Scale, Stack, Strip
from threadmed.report.strips import scale_head, stack, strip

SHARES = Scale(low=0, high=1, ticks=((0, "0"), (1, "100")))


def test_what_lies_off_the_scale_is_drawn_at_its_end() -> None:
    narrow = Scale(low=-0.5, high=0.5, ticks=(), zero=True)
    drawn = strip(Strip(value=0.9, low=0.4, high=0.99, label="x"), narrow)

    assert 'cx="118.0"' in drawn
    assert 'class="axis"' in drawn


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
