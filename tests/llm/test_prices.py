import pytest

from threadmed.errors import StudyError
from threadmed.llm.prices import cost_usd, price_of
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
