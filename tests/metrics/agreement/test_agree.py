import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agreement_cases import FIRST, SECOND, three_raters, two
from threadmed.metrics.agreement.agree import agree
from threadmed.metrics.agreement.coefficients import Coefficient, Reliability
from threadmed.metrics.agreement.raters import SCORES, YES_NO, scale_of
from threadmed.metrics.agreement.records import Agreement, Coefficients
from threadmed.metrics.estimates import Estimate, NotEstimable
from threadmed.records import Rating

KINDS = Coefficients.__struct_fields__


def estimate(found: Reliability) -> Coefficient:
    assert isinstance(found, Coefficient)
    return found


def test_the_pair_has_every_number_of_the_worked_table() -> None:
    found = agree(two(FIRST, SECOND, SCORES.values), scale=SCORES)
    (pair,) = found.pairs
    values = {kind: estimate(getattr(pair.coefficients, kind)).value for kind in KINDS}

    assert values == pytest.approx(
        {
            "kappa": 0.6,
            "kappa_linear": 0.727273,
            "kappa_quadratic": 0.833333,
            "ac1": 0.637280,
            "ac2_linear": 0.740696,
            "ac2_quadratic": 0.834862,
            "alpha_nominal": 0.614525,
            "alpha_ordinal": 0.821487,
            "alpha_interval": 0.839907,
        },
        abs=1e-6,
    )
    assert isinstance(pair.raw, Estimate)
    assert (pair.raw.hits, pair.raw.n) == (9, 12)
    assert pair.confusion.counts == ((3, 0, 0), (1, 1, 1), (0, 1, 5))


def test_two_raters_together_are_their_pair() -> None:
    found = agree(two(FIRST, SECOND, SCORES.values), scale=SCORES)

    assert found.overall.coefficients == found.pairs[0].coefficients
    assert (found.overall.fleiss_raters, found.overall.n_left_out_of_fleiss) == (0, 0)


def test_three_raters_have_every_number_of_the_worked_ratings() -> None:
    found = agree(three_raters(), scale=SCORES)
    coefficients = found.overall.coefficients
    values = {
        kind: estimate(getattr(coefficients, kind)).value
        for kind in KINDS
        if not kind.startswith("kappa")
    }

    assert values == pytest.approx(
        {
            "ac1": 0.712,
            "ac2_linear": 0.796226,
            "ac2_quadratic": 0.871429,
            "alpha_nominal": 0.6639,
            "alpha_ordinal": 0.802351,
            "alpha_interval": 0.820399,
        },
        abs=1e-6,
    )
    assert found.overall.fleiss_raters == 3
    assert found.overall.n_left_out_of_fleiss == 2
    assert isinstance(coefficients.kappa_linear, NotEstimable)
    assert isinstance(found.overall.raw, Estimate)
    assert found.overall.raw.value == pytest.approx(0.8)
    assert isinstance(found.overall.unanimous, Estimate)
    assert found.overall.unanimous.hits == 7


def test_fleiss_of_enough_items_is_that_of_the_complete_ones() -> None:
    twice = [
        Rating(item=f"{part}{row.item}", rater=row.rater, value=row.value)
        for part in "ab"
        for row in three_raters()
    ]

    found = agree(twice, scale=SCORES).overall

    assert estimate(found.coefficients.kappa).value == pytest.approx(0.597765, abs=5e-7)
    assert estimate(found.coefficients.kappa).n == 16


def test_missing_ratings_and_items_are_counted() -> None:
    found = agree(
        [*three_raters(), Rating(item="alone", rater="A", value="1")], scale=SCORES
    )

    assert (found.n_total, found.n_scored, found.n_missing) == (11, 10, 1)
    assert (found.n_ratings, found.n_ratings_missing) == (29, 4)
    assert [rater.n_rated for rater in found.raters] == [11, 10, 8]
    assert found.raters[2].counts == (2, 1, 5)
    assert [(pair.first, pair.second, pair.n_scored) for pair in found.pairs] == [
        ("A", "B", 10),
        ("A", "C", 8),
        ("B", "C", 8),
    ]
    assert all(pair.n_scored + pair.n_missing == 11 for pair in found.pairs)


def test_words_have_no_weights_and_no_intervals_between_them() -> None:
    said = two(FIRST, SECOND, ("a", "b", "c"))
    nominal = agree(said, scale=scale_of(said)).pairs[0].coefficients
    ordinal = (
        agree(said, scale=scale_of(said, declared=("a", "b", "c"), level="ordinal"))
        .pairs[0]
        .coefficients
    )

    for kind in ("kappa_linear", "kappa_quadratic", "ac2_linear", "alpha_ordinal"):
        assert getattr(nominal, kind) == NotEstimable(
            reason="the values have no order", n=12
        )
        assert isinstance(getattr(ordinal, kind), Coefficient)
    assert nominal.alpha_interval == NotEstimable(
        reason="the values have no order", n=12
    )
    assert ordinal.alpha_interval == NotEstimable(
        reason="the values are no numbers", n=12
    )


def test_the_prevalence_paradox_is_named() -> None:
    # 90 agree on no, 2 on yes, 4 + 4 part: raw 92 %, kappa .29, AC1 .91.
    first = np.array([0] * 90 + [1] * 2 + [0] * 4 + [1] * 4)
    second = np.array([0] * 90 + [1] * 2 + [1] * 4 + [0] * 4)
    found = agree(two(first, second, YES_NO.values), scale=YES_NO).pairs[0]

    assert len(found.warnings) == 1
    assert "prevalence paradox: no is 94 % of a rater's" in found.warnings[0]
    assert "kappa (0.29)" in found.warnings[0]


def test_balanced_ratings_have_no_paradox_however_far_they_part() -> None:
    first = np.array([0, 1] * 30)
    second = np.array([0, 1, 1, 0] * 15)

    assert (
        agree(two(first, second, YES_NO.values), scale=YES_NO).pairs[0].warnings == ()
    )


def test_raters_who_share_no_item_agree_in_nothing_that_can_be_said() -> None:
    rows = [Rating(item=f"{n}", rater="xy"[n % 2], value="1") for n in range(20)]
    found = agree(rows, scale=SCORES)

    assert (found.n_scored, found.n_missing) == (0, 20)
    assert found.pairs[0].coefficients.kappa == NotEstimable(
        reason="no items to compare", n=0
    )
    assert isinstance(found.overall.raw, NotEstimable)


def test_three_raters_who_share_no_item_have_reasons_too() -> None:
    rows = [Rating(item=f"{n}", rater="xyz"[n % 3], value="1") for n in range(30)]
    found = agree(rows, scale=SCORES).overall

    for kind in KINDS:
        assert isinstance(getattr(found.coefficients, kind), NotEstimable)
    assert found.fleiss_raters == 0


def test_items_that_one_alone_rated_do_not_make_up_for_those_that_several_did() -> None:
    rows = [*three_raters()[:12]]
    rows += [Rating(item=f"{n}", rater="A", value="0") for n in range(30)]
    found = agree(rows, scale=SCORES).overall.coefficients

    assert found.ac1 == NotEstimable(reason="fewer than 10 items to compare", n=4)


def test_three_raters_who_say_one_thing_have_a_reason() -> None:
    rows = [
        Rating(item=f"{n}", rater=rater, value="1")
        for n in range(20)
        for rater in "xyz"
    ]
    found = agree(rows, scale=SCORES).overall

    assert found.coefficients.ac1 == NotEstimable(
        reason="all ratings are the same", n=20
    )
    assert isinstance(found.raw, Estimate)
    assert (found.raw.value, found.raw.low < 1) == (1, True)


def test_threads_widen_the_intervals_of_three_raters() -> None:
    rng = np.random.default_rng(1)
    truth = rng.integers(0, 2, 60)
    said = {
        rater: np.where(np.repeat(rng.random(10), 6) < 0.2, 1 - truth, truth)
        for rater in "xyz"
    }
    rows = [
        row
        for rater, codes in said.items()
        for row in two(codes, codes, YES_NO.values, 6)
        if row.rater == "x"
        for row in [renamed(row, rater)]
    ]
    joined = agree(rows, scale=YES_NO)
    alone = agree([without_thread(row) for row in rows], scale=YES_NO)

    assert (joined.n_threads, alone.n_threads) == (10, 0)
    for kind in ("kappa", "ac1", "alpha_nominal"):
        wide = estimate(getattr(joined.overall.coefficients, kind))
        narrow = estimate(getattr(alone.overall.coefficients, kind))
        assert wide.value == pytest.approx(narrow.value)
        assert wide.high - wide.low > narrow.high - narrow.low


def renamed(row: Rating, rater: str) -> Rating:
    return Rating(item=row.item, rater=rater, value=row.value, thread_id=row.thread_id)


def without_thread(row: Rating) -> Rating:
    return Rating(item=row.item, rater=row.rater, value=row.value)


def test_one_rater_is_refused() -> None:
    with pytest.raises(ValueError, match="expected at least 2 raters, got 1"):
        agree([Rating(item="a", rater="x", value="1")], scale=SCORES)


def test_twenty_raters_are_compared_in_all_pairs() -> None:
    rng = np.random.default_rng(0)
    rows = [
        Rating(item=f"{n}", rater=f"r{rater:02}", value=SCORES.values[rng.integers(3)])
        for n in range(40)
        for rater in range(20)
    ]

    assert len(agree(rows, scale=SCORES).pairs) == 190


tables = st.lists(
    st.tuples(*[st.sampled_from(["-1", "0", "1", None])] * 3), min_size=1, max_size=30
)


@settings(deadline=None)
@given(tables, st.integers(1, 3))
def test_neither_the_order_of_rows_nor_the_names_of_items_change_a_number(
    table: list[tuple[str | None, ...]], seed: int
) -> None:
    rows = [
        Rating(item=f"i{n}", rater=rater, value=value)
        for n, values in enumerate(table)
        for rater, value in zip("ABC", values, strict=True)
    ]
    order = np.random.default_rng(seed).permutation(len(rows))
    moved = [
        Rating(
            item=f"other {rows[at].item}", rater=rows[at].rater, value=rows[at].value
        )
        for at in order
    ]

    one, other = agree(rows, scale=SCORES), agree(moved, scale=SCORES)

    assert rounded(one) == rounded(other)


def rounded(found: Agreement) -> object:
    def walk(value: object) -> object:
        if isinstance(value, float):
            return round(value, 7)
        if isinstance(value, dict):
            return {key: walk(each) for key, each in value.items()}
        return [walk(each) for each in value] if isinstance(value, list) else value

    return walk(msgspec.json.decode(msgspec.json.encode(found)))


@settings(deadline=None)
@given(tables)
def test_what_is_computed_is_written_and_read_back_the_same(
    table: list[tuple[str | None, ...]],
) -> None:
    rows = [
        Rating(item=f"i{n}", rater=rater, value=value)
        for n, values in enumerate(table)
        for rater, value in zip("ABC", values, strict=True)
    ]
    found = agree(rows, scale=SCORES)

    assert msgspec.json.decode(msgspec.json.encode(found), type=Agreement) == found


def test_a_table_without_threads_has_few_items_and_not_few_threads() -> None:
    threaded = two(FIRST[:8], SECOND[:8], SCORES.values)
    alone = [msgspec.structs.replace(row, thread_id=None) for row in threaded]

    def flag(rows: list[Rating]) -> str:
        raw = agree(rows, scale=SCORES).pairs[0].raw
        assert isinstance(raw, Estimate)
        return raw.flag

    assert (flag(alone), flag(threaded)) == ("few items", "few threads")
