import pytest
from hypothesis import given
from hypothesis import strategies as st

from threadmed.report import numbers


@pytest.mark.parametrize(
    ("value", "text"),
    [(96 / 109, "88.1"), (35 / 198, "17.7"), (0, "0.0"), (1, "100.0"), (0.0004, "0.0")],
)
def test_a_share_is_a_percentage_with_one_decimal(value: float, text: str) -> None:
    assert numbers.percent(value) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.067, "+6.7"),
        (-0.025, "\u22122.5"),
        (0, "0.0"),
        (-0.0001, "0.0"),
        (0.0001, "0.0"),
    ],
)
def test_a_difference_has_a_sign_unless_it_is_printed_as_nothing(
    value: float, text: str
) -> None:
    assert numbers.points(value) == text


@pytest.mark.parametrize(
    ("value", "text"), [(0.00099, "<0.001"), (0.001, "0.001"), (0.0404, "0.040")]
)
def test_a_p_value_has_three_decimals(value: float, text: str) -> None:
    assert numbers.p_value(value) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [(0, "0.00"), (0.001, "<0.01"), (0.005, "0.01"), (1234.5, "1,234.50")],
)
def test_money_that_was_spent_is_never_printed_as_none(value: float, text: str) -> None:
    assert numbers.usd(value) == text


@pytest.mark.parametrize(
    ("ends", "text"),
    [
        (("55.4", "63.7"), "55.4\u201363.7"),
        (("\u22122.5", "+6.7"), "\u22122.5 to +6.7"),
        (("0.0", "+6.7"), "0.0 to +6.7"),
    ],
)
def test_a_range_with_signs_says_to(ends: tuple[str, str], text: str) -> None:
    assert numbers.span(*ends) == text


def test_a_small_whole_is_shown_as_counts_and_a_large_one_as_a_share() -> None:
    assert numbers.of(6, 32) == "6/32"
    assert numbers.of(279, 310) == "90.0% of 310"


def test_scores_have_the_true_minus() -> None:
    assert [numbers.score(value) for value in (-1, 0, 1)] == ["\u22121", "0", "+1"]


@given(st.floats(-1, 1))
def test_no_number_is_printed_with_a_hyphen_or_as_minus_nothing(value: float) -> None:
    for text in (
        numbers.points(value),
        numbers.mean_score(value),
        numbers.ratio(value),
        numbers.percent(value),
    ):
        assert "-" not in text
        assert text.strip("+\u22120.") or not text.startswith(("+", "\u2212"))
