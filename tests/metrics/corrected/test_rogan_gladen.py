import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from threadmed.metrics.corrected.adjusted import Adjusted
from threadmed.metrics.corrected.rogan_gladen import (
    ASSUMES,
    Known,
    corrected_share,
    corrected_variance,
    informedness_low,
    lang_reiczigel,
    plain_shares,
    rogan_gladen,
)
from threadmed.metrics.estimates import NotEstimable

PAPER = Known(true_yes=35, yes=38, true_no=27, no=34)


def test_the_known_numbers_are_met() -> None:
    found = rogan_gladen(380, 604, known=PAPER, threads=60)

    assert isinstance(found, Adjusted)
    assert found.value == pytest.approx(0.591826, abs=5e-7)
    assert (found.low, found.high) == pytest.approx((0.466605, 0.722869), abs=5e-7)
    assert found.n == 72


def test_the_plain_standard_error_is_the_known_one() -> None:
    # p = .629139, se = .921053, sp = .794118, J = .715170, theta = .591826:
    # [.233323/604 + .350258 x .072715/38 + .166606 x .163495/34] / .511469
    # = (.000386296 + .000670238 + .000801153) / .511469 = .00363209.
    of = plain_shares(380, 604, PAPER)

    assert of.corrected == pytest.approx(0.591826, abs=5e-7)
    assert corrected_variance(of) == pytest.approx(0.00363209, abs=5e-8)
    assert corrected_variance(of) ** 0.5 == pytest.approx(0.060267, abs=5e-7)


def test_a_perfect_judge_leaves_the_variance_of_a_share() -> None:
    of = plain_shares(50, 200, Known(true_yes=30, yes=30, true_no=30, no=30))

    assert corrected_variance(of) == pytest.approx(0.25 * 0.75 / 200)


def test_the_assumption_is_always_said() -> None:
    found = rogan_gladen(380, 604, known=PAPER, threads=60)

    assert isinstance(found, Adjusted)
    assert found.assumes == ASSUMES


@pytest.mark.parametrize(
    ("known", "reason"),
    [
        (
            Known(10, 19, 40, 50),
            "fewer than 20 labels of a class (19 corrected, 50 not)",
        ),
        (
            Known(40, 50, 10, 19),
            "fewer than 20 labels of a class (50 corrected, 19 not)",
        ),
        (Known(25, 50, 25, 50), "the judge may be no better than chance"),
        (Known(17, 30, 17, 30), "the judge may be no better than chance"),
    ],
)
def test_what_cannot_be_corrected_is_refused(known: Known, reason: str) -> None:
    assert rogan_gladen(300, 604, known=known, threads=60) == NotEstimable(
        reason=reason, n=known.yes + known.no
    )


def test_a_perfect_judge_is_left_as_it_is() -> None:
    assert corrected_share(0.37, 1.0, 1.0) == pytest.approx(0.37)


@settings(deadline=None)
@given(st.floats(0, 1), st.floats(0.55, 1), st.floats(0.55, 1))
def test_correcting_undoes_what_the_judge_does(
    truth: float, sensitivity: float, specificity: float
) -> None:
    said = truth * sensitivity + (1 - truth) * (1 - specificity)

    assert corrected_share(said, sensitivity, specificity) == pytest.approx(truth)


@settings(deadline=None)
@given(
    st.integers(0, 604),
    st.integers(20, 80),
    st.integers(20, 80),
    st.floats(0.6, 1),
    st.floats(0.6, 1),
)
def test_limits_hold_the_value_and_are_shares(
    hits: int, yes: int, no: int, se: float, sp: float
) -> None:
    known = Known(round(se * yes), yes, round(sp * no), no)
    found = rogan_gladen(hits, 604, known=known, threads=60)
    assume(isinstance(found, Adjusted))
    assert isinstance(found, Adjusted)

    assert 0 <= found.low <= found.value <= found.high <= 1
    assert found.low < found.high


def test_a_share_that_was_cut_says_so() -> None:
    # p = .18 with a judge that calls a fifth of the wrong ones right: theta below 0.
    found = rogan_gladen(110, 604, known=PAPER, threads=60)

    assert isinstance(found, Adjusted)
    assert found.value == 0
    assert found.flag == "cut to the range of a share"


def test_more_labels_and_items_narrow_the_interval() -> None:
    few = lang_reiczigel(380, 604, known=PAPER)
    more = lang_reiczigel(3800, 6040, known=Known(350, 380, 270, 340))

    assert more.high - more.low < (few.high - few.low) / 2.5
    assert informedness_low(Known(350, 380, 270, 340)) > informedness_low(PAPER)


def test_a_rate_that_the_known_errors_cannot_give_is_refused() -> None:
    found = rogan_gladen(0, 604, known=PAPER, threads=60)

    assert found == NotEstimable(
        reason="the judge's rate lies beyond what its known errors allow", n=72
    )
