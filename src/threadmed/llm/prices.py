"""What a reply costs, in USD."""

from decimal import Decimal
from typing import TYPE_CHECKING

from threadmed.errors import StudyError
from threadmed.records import Model, Price, Usage

if TYPE_CHECKING:
    from genai_prices.types import TieredPrices

FREE = Price(input=0.0, output=0.0)


def price_of(entry: Model) -> Price:
    """Find the price of a model: the study's own, or the list price.

    Raises:
        StudyError: If there is neither; an unknown price is found before a run.

    Example:
        >>> price = price_of(Model(name="a", model="openai:gpt-4o"))
        >>> price.input, price.output, price.cached_input, price.cache_write
        (2.5, 10.0, 1.25, None)
    """
    if entry.price is not None:
        return entry.price
    provider, _, name = entry.model.partition(":")
    if provider == "inspect":
        # What Inspect reaches costs what its own provider asks.
        provider, _, name = name.partition("/")
    if provider == "embedded":
        return FREE
    listed = None if entry.base_url else _list_price(provider, name)
    if listed is None:
        raise StudyError(
            f"no list price is known for {entry.name} ({entry.model}); say in its "
            "[[models]] what a million tokens cost, as in "
            "price = { input = 2.5, output = 10.0 }, or 0.0 for a server of your own"
        )
    return listed


def _list_price(provider: str, name: str) -> Price | None:
    """Take a list price from genai-prices, as it was when that was released."""
    from genai_prices import Usage as Tokens
    from genai_prices import calc_price

    try:
        # A thousand of each: prices that rise with the length of a request start
        # far above that.
        found = calc_price(
            Tokens(input_tokens=1_000, output_tokens=1_000),
            model_ref=name,
            provider_id=provider,
        )
    except LookupError:
        return None
    listed = found.model_price
    return Price(
        input=float(found.input_price * 1_000),
        output=float(found.output_price * 1_000),
        cached_input=_lowest_tier(listed.cache_read_mtok),
        cache_write=_lowest_tier(listed.cache_write_mtok),
    )


def _lowest_tier(listed: "Decimal | TieredPrices | None") -> float | None:
    """Read a price that may rise with the length of a request."""
    if listed is None:
        return None
    return float(listed if isinstance(listed, Decimal) else listed.base)


def cost_usd(price: Price, usage: Usage) -> float:
    """Price the tokens of one reply.

    Example:
        >>> cost_usd(Price(input=2.0, output=10.0), Usage(tokens_in=1000, tokens_out=100))
        0.003
        >>> cached = Price(input=2.0, output=10.0, cached_input=0.2, cache_write=2.5)
        >>> cost_usd(cached, Usage(tokens_in=1000, cached_in=500, cache_write=400))
        0.0013
    """
    read = price.input if price.cached_input is None else price.cached_input
    written = price.input if price.cache_write is None else price.cache_write
    other = usage.tokens_in - usage.cached_in - usage.cache_write
    micro_usd = (
        other * price.input
        + usage.cached_in * read
        + usage.cache_write * written
        + usage.tokens_out * price.output
    )
    return micro_usd / 1e6


def worst_usd(price: Price, *, tokens_in: int, tokens_out: int) -> float:
    """Bound the price of a reply, whatever is read from a cache or written to one.

    Example:
        >>> price = Price(input=2.0, output=10.0, cached_input=0.2, cache_write=2.5)
        >>> worst_usd(price, tokens_in=1000, tokens_out=100)
        0.0035
    """
    dearest = max(price.input, price.cached_input or 0.0, price.cache_write or 0.0)
    return (tokens_in * dearest + tokens_out * price.output) / 1e6
