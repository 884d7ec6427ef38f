import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from threadmed.metrics.controls.identification import (
    Bound,
    Checks,
    identification_uncertainty,
    missed,
    true_pcr,
)
from threadmed.metrics.corrected.adjusted import Adjusted
from threadmed.metrics.estimates import Estimate, NotEstimable
from threadmed.records import Labelled, PanelScore, ThreadId


def adjusted(found: object) -> Adjusted:
    assert isinstance(found, Adjusted)
    return found


def checks(counts: list[int], *, checked: int) -> Checks:
    """Items that are corrected and true, corrected and not, neither way likewise."""
    corrected = np.repeat([1.0, 1, 0, 0], counts)
    true = np.repeat([1.0, 0, 1, 0], counts)
    order = np.random.default_rng(0).permutation(len(true))
    seen = np.full(len(true), np.nan)
    seen[order[:checked]] = true[order[:checked]]
    return Checks(corrected, seen, np.arange(len(true)))


def test_one_rate_by_hand() -> None:
    # w = .6; checked 19 with score 1, all true: q_1 = 19.5/20 = .975; 19 without, 9
    # true: q_0 = 9.5/20 = .475. A = .585, B = .19: .585/.775 = .754839.
    corrected = np.repeat([1.0, 0.0], [60, 40])
    seen = np.full(100, np.nan)
    seen[:19], seen[60:69], seen[69:79] = 1, 1, 0

    found = adjusted(true_pcr(Checks(corrected, seen, np.arange(100))))

    assert found.value == pytest.approx(0.754839, abs=1e-6)
    # SE^2 = 1/24 + .025/(.975 x 20) + .525/(.475 x 20) = .098212; SE .313388
    logit = np.log(0.585 / 0.19)
    low = 1 / (1 + np.exp(-(logit - 1.959964 * 0.313388)))
    assert found.low == pytest.approx(low, abs=1e-6)
    assert (found.n, found.threads, found.method) == (38, 38, "logit")


@settings(deadline=None)
@given(st.lists(st.integers(3, 60), min_size=4, max_size=4))
def test_a_rate_lies_within_its_limits(counts: list[int]) -> None:
    found = true_pcr(checks(counts, checked=sum(counts)))

    assert 0 < adjusted(found).low < adjusted(found).value < adjusted(found).high < 1


def test_a_perfect_identification_changes_little() -> None:
    found = adjusted(true_pcr(checks([300, 0, 200, 0], checked=500)))

    assert found.value == pytest.approx(0.6, abs=1e-3)


def test_what_cannot_be_said_is_refused() -> None:
    alike = Checks(np.ones(20), np.ones(20), np.arange(20))
    unseen = Checks(
        np.repeat([1.0, 0], 10), np.repeat([1.0, np.nan], 10), np.arange(20)
    )

    assert true_pcr(alike) == NotEstimable(reason="every item has the same score", n=20)
    assert true_pcr(unseen) == NotEstimable(
        reason="of the checked items 10 are corrected and 0 are not", n=10
    )


def test_few_checks_are_flagged() -> None:
    assert adjusted(true_pcr(checks([30, 5, 30, 5], checked=20))).flag == (
        "fewer than 30 checked"
    )
    assert adjusted(true_pcr(checks([30, 5, 30, 5], checked=60))).flag == ""


def test_alike_items_of_a_thread_widen_the_interval() -> None:
    one = checks([60, 20, 20, 20], checked=120)
    alone = adjusted(true_pcr(one))
    together = adjusted(true_pcr(one._replace(threads=np.arange(120) // 5)))

    assert together.value == alone.value
    assert together.high - together.low > alone.high - alone.low


def test_the_rate_among_true_misconceptions_covers() -> None:
    # 400 studies of 604 items, 72 checked; true PCR .5, of false ones .8.
    rng = np.random.default_rng(3)
    covered = 0
    for _ in range(400):
        true = rng.random(604) < 0.8
        corrected = (rng.random(604) < np.where(true, 0.5, 0.8)).astype(float)
        seen = np.full(604, np.nan)
        at = rng.choice(604, 72, replace=False)
        seen[at] = true[at]
        found = adjusted(true_pcr(Checks(corrected, seen, np.arange(604))))
        covered += found.low <= 0.5 <= found.high

    assert 0.92 <= covered / 400 <= 0.985


def test_missed_ones_are_a_number_of_questions() -> None:
    found = adjusted(missed(7, 27, 1000, threads=27))

    assert found.value == pytest.approx(1000 * 7 / 27)
    assert (found.low, found.high) == pytest.approx((111.145, 462.849), abs=1e-3)


def test_missed_ones_that_were_seen_are_there() -> None:
    assert adjusted(missed(3, 10, 10, threads=10)).low == 3


def test_without_controls_nothing_is_known_of_the_missed() -> None:
    assert missed(0, 4, 1000, threads=4) == NotEstimable(
        reason="fewer than 5 unlabelled questions were checked", n=4, hits=0
    )


def question(number: int, *, yes: bool) -> Labelled:
    return Labelled(
        thread_id=ThreadId(f"T{number:03}"), turn=0, misconception=yes, source="m"
    )


def row(number: int, score: int) -> PanelScore:
    return PanelScore(
        target="a",
        setting="multi_turn",
        thread_id=ThreadId(f"T{number:03}"),
        turn=0,
        score=1 if score else -1,
        outcome="scored",
    )


LABELS = [question(number, yes=number < 100) for number in range(300)]
ROWS = [row(number, number % 2) for number in range(100)]


def test_a_whole_study_by_hand() -> None:
    # 40 of the 100 labelled are checked, 30 are true; 50 of 200 others, 5 are missed.
    experts = {(ThreadId(f"T{n:03}"), 0): n % 4 != 0 for n in range(40)}
    experts |= {(ThreadId(f"T{n:03}"), 0): n % 10 == 0 for n in range(100, 150)}

    found = identification_uncertainty(ROWS, LABELS, experts)

    assert (found.n_labelled, found.n_unlabelled) == (100, 200)
    assert (found.n_checked, found.n_unlabelled_checked) == (40, 50)
    assert isinstance(found.precision, Estimate)
    assert found.precision.value == 0.75
    assert adjusted(found.missed).value == pytest.approx(20)
    (rate,) = found.rates
    true = adjusted(rate.true_pcr)
    # Score 1 are the odd ones, all 20 true; of the even ones 10 of 20.
    assert true.value == pytest.approx(20.5 / (20.5 + 10.5))
    assert isinstance(rate.with_missed, Bound)
    high = adjusted(found.missed).high
    assert rate.with_missed.low == pytest.approx(true.low * 75 / (75 + high))
    assert rate.with_missed.high == pytest.approx((true.high * 75 + high) / (75 + high))
    assert isinstance(found.recall, Bound)
    assert found.recall.low < 75 / 95 < found.recall.high
    assert found.warnings == ()


def test_nothing_checked_is_said() -> None:
    found = identification_uncertainty(ROWS, LABELS, {(ThreadId("X"), 0): True})

    assert isinstance(found.precision, NotEstimable)
    assert isinstance(found.recall, NotEstimable)
    assert isinstance(found.rates[0].with_missed, NotEstimable)
    assert found.warnings == (
        "1 checked questions have no label and were left out",
        "only 0 labelled questions were checked",
        "no unlabelled question was checked: what was missed is not known",
    )


def test_without_precision_there_is_no_recall() -> None:
    experts = {(ThreadId(f"T{n:03}"), 0): False for n in range(100, 150)}

    found = identification_uncertainty(ROWS, LABELS, experts)

    assert isinstance(found.missed, Adjusted)
    assert found.recall == NotEstimable(reason="no scored items", n=0, hits=0)
    assert isinstance(found.rates[0].with_missed, NotEstimable)


def test_where_no_checked_question_is_true_there_is_no_rate_among_true_ones() -> None:
    # Nothing checked is true, and nothing is missed among as many as there are.
    experts = {(ThreadId(f"T{n:03}"), 0): False for n in range(300)}

    found = identification_uncertainty(ROWS, LABELS, experts)

    none = NotEstimable(reason="no checked question was confirmed", n=100, hits=0)
    assert isinstance(found.recall, Bound)
    assert found.recall.low == 0
    assert found.rates[0].true_pcr == none
    assert found.rates[0].with_missed == none


@pytest.mark.parametrize("confirmed", [4, 5, 9, 10])
def test_a_rate_needs_some_confirmed_questions(confirmed: int) -> None:
    true = np.arange(60) % 30 < confirmed / 2
    found = true_pcr(
        Checks(np.repeat([1.0, 0.0], 30), _first(true, confirmed), np.arange(60))
    )

    if confirmed < 5:
        assert found == NotEstimable(
            reason="fewer than 5 checked questions were confirmed", n=60, hits=4
        )
    else:
        flag = "fewer than 10 confirmed" if confirmed < 10 else ""
        assert (adjusted(found).n, adjusted(found).flag) == (60, flag)


def _first(true: np.ndarray, confirmed: int) -> np.ndarray:
    """Let no more than so many be true."""
    return (true & (np.cumsum(true) <= confirmed)).astype(float)


def test_items_that_cannot_be_rated_have_no_bound_either() -> None:
    experts = {(ThreadId(f"T{n:03}"), 0): True for n in range(150)}
    rows = [row(number, 1) for number in range(100)]

    found = identification_uncertainty(rows, LABELS, experts)

    assert isinstance(found.rates[0].true_pcr, NotEstimable)
    assert found.rates[0].with_missed == found.rates[0].true_pcr


def test_unlabelled_and_unscored_rows_enter_no_rate() -> None:
    gone = PanelScore(
        target="a",
        setting="multi_turn",
        thread_id=ThreadId("T000"),
        turn=0,
        score=None,
        outcome="failed",
    )

    assert identification_uncertainty([gone], LABELS, {}).rates == ()
