import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agreement_cases import three_raters
from threadmed.errors import InputError
from threadmed.metrics.agreement.raters import (
    SCORES,
    consensus,
    number_of,
    scale_of,
    tabulate,
)
from threadmed.records import ADJUDICATED, Rating, ThreadId


def rows(*said: tuple[str, str, str | None]) -> list[Rating]:
    return [Rating(item=item, rater=rater, value=value) for item, rater, value in said]


def test_numbers_that_occur_are_a_scale_in_their_order() -> None:
    found = scale_of(rows(("a", "x", "10"), ("a", "y", "-1"), ("b", "x", "2")))

    assert found.values == ("-1", "2", "10")
    assert (found.level, found.is_declared) == ("ordinal", False)
    assert found.numbers is not None
    assert found.numbers.tolist() == [-1, 2, 10]


def test_words_are_nominal_unless_somebody_says_their_order() -> None:
    said = rows(("a", "x", "mild"), ("a", "y", "grave"))
    declared = scale_of(said, declared=("none", "mild", "grave"), level="ordinal")

    assert scale_of(said).level == "nominal"
    assert (declared.size, declared.level, declared.numbers) == (3, "ordinal", None)


def test_words_without_an_order_cannot_be_ordinal() -> None:
    with pytest.raises(InputError, match=r"grave, mild have no order of their own"):
        scale_of(rows(("a", "x", "mild"), ("a", "y", "grave")), level="ordinal")


def test_numbers_may_be_taken_for_names() -> None:
    assert scale_of(rows(("a", "x", "1")), level="nominal").level == "nominal"


def test_a_table_without_a_rating_has_no_scale() -> None:
    with pytest.raises(InputError, match="every value is empty"):
        scale_of(rows(("a", "x", None)))


def test_what_has_too_many_values_is_no_category() -> None:
    said = rows(*((f"{n}", "x", f"text {n}") for n in range(51)))

    with pytest.raises(InputError, match="there are 51 different values"):
        scale_of(said)


@pytest.mark.parametrize("text", ["", "yes", "nan", "inf", "1,5"])
def test_what_is_no_plain_number_is_none(text: str) -> None:
    assert number_of(text) is None


def test_missing_ratings_are_no_place_on_the_scale() -> None:
    found = tabulate(three_raters(), SCORES)

    assert found.raters == ("A", "B", "C")
    assert found.codes[4].tolist() == [1, 1, -1]
    assert found.counts(3)[4].tolist() == [0, 2, 0]
    assert (found.rated(0, 1).sum(), found.rated(0, 2).sum()) == (10, 8)
    assert not found.has_threads


def test_items_of_one_thread_are_one_cluster_and_others_their_own() -> None:
    said = [
        Rating(item="a", rater="x", value="1", thread_id=ThreadId("T")),
        Rating(item="b", rater="x", value="1", thread_id=ThreadId("T")),
        Rating(item="T", rater="x", value="1"),
        Rating(item="d", rater="x", value="1"),
    ]

    found = tabulate(said, SCORES)

    assert found.clusters.tolist() == [0, 0, 1, 2]
    assert found.has_threads


def test_more_than_half_of_those_who_rated_decide() -> None:
    found = consensus(
        rows(
            *(("a", "x", "1"), ("a", "y", "1"), ("a", "z", "0")),
            *(("b", "x", "1"), ("b", "y", "0")),
            *(("c", "x", "1"), ("c", "y", None)),
            *(("d", "x", None), ("d", "y", None)),
            *(("e", "x", "1"), ("e", "y", "0"), ("e", "z", "-1")),
        )
    )

    assert found.values == {"a": "1", "c": "1"}
    assert found.split == {"b", "e"}
    assert found.unrated == {"d"}


def test_half_is_no_majority() -> None:
    said = [("a", f"r{n}", value) for n, value in enumerate(("1", "1", "0", "-1"))]

    assert consensus(rows(*said)).split == {"a"}


def test_an_adjudicated_rating_settles_its_item() -> None:
    found = consensus(
        rows(
            *(("a", "x", "1"), ("a", "y", "0"), ("a", ADJUDICATED, "0")),
            *(("b", "x", "1"), ("b", "y", "1"), ("b", ADJUDICATED, "-1")),
            *(("c", "x", "1"), ("c", "y", "0"), ("c", ADJUDICATED, None)),
        )
    )

    assert found.values == {"a": "0", "b": "-1"}
    assert found.split == {"c"}
    assert found.adjudicated == {"a", "b"}


votes = st.lists(
    st.tuples(
        st.sampled_from("abcd"),
        st.sampled_from(["x", "y", "z", ADJUDICATED]),
        st.sampled_from(["-1", "0", "1", None]),
    ),
    unique_by=lambda vote: vote[:2],
)


@settings(deadline=None)
@given(votes)
def test_every_item_has_a_consensus_is_split_or_unrated(
    said: list[tuple[str, str, str | None]],
) -> None:
    found = consensus(rows(*said))
    turned = consensus(rows(*reversed(said)))

    parts = [set(found.values), set(found.split), set(found.unrated)]
    assert set.union(*parts) == {item for item, _, _ in said}
    assert sum(map(len, parts)) == len({item for item, _, _ in said})
    assert (turned.values, turned.split) == (found.values, found.split)


def test_values_that_differ_in_capitals_alone_are_not_counted_as_two() -> None:
    said = rows(("a", "x", "Yes"), ("a", "y", "yes"))

    with pytest.raises(InputError, match="'Yes' and 'yes' differ in nothing but cap"):
        scale_of(said)

    assert scale_of(said[:1]).values == ("Yes",)
