import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from threadmed.metrics.controls.identification import identification_uncertainty
from threadmed.metrics.controls.wrong_labels import AtShare, without_wrong, wrong_labels
from threadmed.metrics.estimates import Estimate, NotEstimable
from threadmed.metrics.intervals import clopper_pearson
from threadmed.records import Labelled, ThreadId

RATE = Estimate(
    value=0.2, low=0.1, high=0.3, level=0.95, n=80, threads=80, method="wilson"
)


def test_bounds_by_hand() -> None:
    # F = .2 and e = .1: (.2 - .1)/.9 = .1111 and .2/.9 = .2222.
    found = without_wrong(0.2, 0.2, share=0.1)

    assert (found.low, found.high) == pytest.approx((1 / 9, 2 / 9))


@settings(deadline=None)
@given(st.floats(0, 1), st.floats(0, 1), st.floats(0, 0.99))
def test_the_truth_lies_between_the_bounds(f: float, g: float, e: float) -> None:
    observed = (1 - e) * f + e * g

    found = without_wrong(observed, observed, share=e)

    assert found.low - 1e-9 <= f <= found.high + 1e-9


@settings(deadline=None)
@given(st.floats(0, 1), st.floats(0, 1), st.floats(0, 1))
def test_more_wrong_labels_say_less(rate: float, one: float, other: float) -> None:
    few, many = sorted((one, other))
    narrow, wide = (without_wrong(rate, rate, share=share) for share in (few, many))

    assert wide.low <= narrow.low + 1e-12
    assert narrow.high <= wide.high + 1e-12


def test_right_labels_leave_the_rate_as_it_is_and_wrong_ones_leave_nothing() -> None:
    assert without_wrong(0.2, 0.3, share=0) == AtShare(share=0, low=0.2, high=0.3)
    assert without_wrong(0.2, 0.3, share=1) == AtShare(share=1, low=0, high=1)


@pytest.mark.parametrize("share", [-0.1, 1.1, float("nan")])
def test_a_share_that_is_none_is_refused(share: float) -> None:
    with pytest.raises(ValueError, match="share from 0 to 1"):
        without_wrong(0.2, 0.2, share=share)


def test_what_experts_found_among_unlabelled_questions_sets_the_share() -> None:
    labels = [
        Labelled(
            thread_id=ThreadId(f"T{n}"), turn=0, misconception=n >= 400, source="a"
        )
        for n in range(500)
    ]
    experts = {(ThreadId(f"T{n}"), 0): n < 2 for n in range(40)}
    checked = identification_uncertainty([], labels, experts)

    found = wrong_labels(RATE, checked)

    # Two of 40 checked: e = .05, its exact upper limit .1692.
    most = clopper_pearson(2, 40).high
    assert isinstance(found.checked, AtShare)
    assert isinstance(found.widest, AtShare)
    assert found.checked.share == pytest.approx(0.05)
    assert found.checked.low == pytest.approx(0.15 / 0.95)
    assert found.widest.share == pytest.approx(most)
    assert found.widest.low == 0
    assert found.widest.high == pytest.approx(0.3 / (1 - most))


def test_without_experts_only_supposed_shares_are_tried() -> None:
    found = wrong_labels(RATE, None)
    unchecked = wrong_labels(RATE, identification_uncertainty([], [], {}))

    assert [each.share for each in found.supposed] == [0.01, 0.05, 0.1]
    assert isinstance(found.checked, NotEstimable)
    assert isinstance(unchecked.widest, NotEstimable)
    assert "unlabelled questions were checked" in unchecked.widest.reason


def test_without_a_rate_there_is_nothing_to_bound() -> None:
    nothing = NotEstimable(reason="no scored items", n=0, hits=0)

    found = wrong_labels(nothing, None)

    assert (found.supposed, found.checked, found.widest) == ((), nothing, nothing)
