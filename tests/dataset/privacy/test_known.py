from hypothesis import given
from hypothesis import strategies as st

from threadmed.dataset.privacy.known import (
    TOKEN,
    Known,
    ordinary_words,
    thread_ids,
    together,
    tokens_in,
)
from threadmed.records import Turn


def says(question: str, answer: str | None = None) -> tuple[Turn, ...]:
    return (Turn(question=question, answer=answer),)


def by(*accounts: str) -> Known:
    return Known(accounts=frozenset(accounts))


def test_a_name_that_three_other_threads_use_is_a_word() -> None:
    threads = {"a": says("x"), "b": says("a pain"), "c": says("b", "Pain!")}
    known = {"a": by("PAIN"), "b": by(), "c": by(), "d": by()}
    assert ordinary_words(threads, known) == set()

    assert ordinary_words(threads | {"d": says("pain")}, known) == {"pain"}


def test_somebody_who_writes_much_is_no_word_for_being_spoken_of() -> None:
    threads = {name: says("as gooddocsam wrote") for name in "abcdef"}
    known = {name: by("GoodDocSam") if name in "ab" else by() for name in "abcdef"}

    assert ordinary_words(threads, known) == set()


def test_a_thread_in_which_the_account_wrote_does_not_make_a_word_of_it() -> None:
    threads = {"a": says("pain"), "b": says("a pain"), "c": says("pain")}
    known = {"a": by("pain"), "b": by("pain"), "c": by()}

    assert ordinary_words(threads, known) == frozenset()


def test_a_name_that_is_called_as_one_is_no_word() -> None:
    threads = {"a": says("x"), "b": says("u/jodoe"), "c": says("@jodoe, jodoe2")}

    assert ordinary_words(threads, {"a": by("jodoe"), "b": by(), "c": by()}) == set()


def test_only_letters_alone_or_digits_alone_can_be_a_word() -> None:
    text = "covid19 omega-3 120 free-text"
    threads = {"a": says("x"), **dict.fromkeys("bcd", says(text))}
    known = {
        "a": Known(ids=frozenset({"120"}), accounts=frozenset({"covid19", "omega-3"})),
        "b": by("free"),
        "c": by(),
        "d": by(),
    }

    assert ordinary_words(threads, known) == {"120"}


@given(
    st.text(
        "aBK1 /@_-.'\u2019\u2014\u00b0\u00e9\u00bd\u0307\u212a\u0130\u24b6\n\x1f\x85",
        max_size=24,
    )
    | st.text()
)
def test_the_tokens_of_a_text_are_those_of_the_pattern(text: str) -> None:
    pattern = [t for t in TOKEN.findall(text.lower()) if t[0] not in "/@"]

    assert [token for token in tokens_in(text) if token[0] not in "/@"] == pattern


def test_names_in_capitals_or_with_a_dotted_one_are_words_in_lower_case() -> None:
    threads = {"a": says("x"), **dict.fromkeys("bcd", says("pain i\u0307s"))}
    known = {"a": by("PAIN", "\u0130s"), "b": by(), "c": by(), "d": by()}

    assert ordinary_words(threads, known) == {"pain"}


def test_what_all_threads_are_known_by_is_joined() -> None:
    both = together([by("a"), Known(ids=frozenset({"b"}), times=frozenset({1}))])

    assert both == Known(
        ids=frozenset({"b"}), accounts=frozenset({"a"}), times=frozenset({1})
    )


@given(st.sets(st.text("abcdef0123456789", min_size=1)), st.integers(0, 2**63 - 1))
def test_every_post_has_one_name_and_its_order_is_that_of_names(
    posts: set[str], seed: int
) -> None:
    names = thread_ids(posts, seed=seed)

    assert set(names) == posts
    assert list(names.values()) == [
        f"THREAD_{number:04}" for number in range(1, len(posts) + 1)
    ]
    assert names == thread_ids(sorted(posts, reverse=True), seed=seed)


def test_the_order_of_names_is_not_that_of_ids_and_depends_on_the_seed() -> None:
    posts = [f"a{n:03}" for n in range(200)]
    orders = {tuple(thread_ids(posts, seed=seed)) for seed in range(3)}

    assert len(orders) == 3
    assert tuple(posts) not in orders


def test_names_grow_wider_where_there_are_many() -> None:
    names = list(thread_ids([str(n) for n in range(10_000)], seed=0).values())

    assert names[0] == "THREAD_00001"
    assert names[-1] == "THREAD_10000"
    assert names == sorted(names)
