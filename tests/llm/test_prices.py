import pytest

from threadmed.errors import StudyError
from threadmed.llm.prices import cost_usd, price_of, worst_usd
from threadmed.records import Model, Price, Usage


def test_the_studys_own_price_goes_before_the_list_price() -> None:
    own = Price(input=1.0, output=2.0)

    assert price_of(Model(name="a", model="openai:gpt-4o", price=own)) == own


def test_the_embedded_model_costs_nothing() -> None:
    price = price_of(Model(name="a", model="embedded:smollm2-135m"))

    assert price == Price(input=0.0, output=0.0)


def test_a_server_of_ones_own_has_no_list_price() -> None:
    entry = Model(name="a", model="openai:gpt-4o", base_url="http://127.0.0.1:1/v1")

    with pytest.raises(StudyError, match=r"no list price is known for a .*price ="):
        price_of(entry)


def test_an_unknown_model_names_the_key_to_set() -> None:
    with pytest.raises(StudyError, match="price = { input ="):
        price_of(Model(name="a", model="openai:nobody-knows-this"))


def test_tokens_in_and_out_have_each_their_price() -> None:
    # 2,000,000 x 2.5 / 1e6 + 100,000 x 10 / 1e6 = 5 + 1
    usage = Usage(tokens_in=2_000_000, tokens_out=100_000)

    assert cost_usd(Price(input=2.5, output=10.0), usage) == 6.0


def test_cached_tokens_have_their_list_price() -> None:
    price = price_of(Model(name="a", model="anthropic:claude-sonnet-4-5"))

    assert (price.cached_input, price.cache_write) == (0.3, 3.75)
    # 1,000 x 3 + 8,000 x 0.3 + 1,000 x 3.75 + 100 x 15 = 10,650 millionths
    usage = Usage(tokens_in=10_000, cached_in=8_000, cache_write=1_000, tokens_out=100)
    assert cost_usd(price, usage) == pytest.approx(0.01065)


def test_cached_tokens_cost_what_others_do_where_nothing_is_said() -> None:
    price = Price(input=2.0, output=0.0)

    assert cost_usd(price, Usage(tokens_in=100, cached_in=50, cache_write=50)) == 0.0002


def test_no_reply_costs_more_than_the_worst_case() -> None:
    price = Price(input=3.0, output=15.0, cached_input=0.3, cache_write=3.75)
    worst = worst_usd(price, tokens_in=1_000, tokens_out=100)

    for read, written in ((0, 0), (1_000, 0), (0, 1_000), (400, 600)):
        usage = Usage(
            tokens_in=1_000, tokens_out=100, cached_in=read, cache_write=written
        )
        assert cost_usd(price, usage) <= worst
    assert worst == cost_usd(
        price, Usage(tokens_in=1_000, tokens_out=100, cache_write=1_000)
    )


def test_a_price_that_rises_with_length_is_taken_at_its_start() -> None:
    price = price_of(Model(name="a", model="google:gemini-2.5-pro"))

    assert (price.input, price.cached_input) == (1.25, 0.125)
