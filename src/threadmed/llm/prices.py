"""What a reply costs, in USD."""

from threadmed.errors import StudyError
from threadmed.records import Model, Price, Usage

FREE = Price(input=0.0, output=0.0)


def price_of(entry: Model) -> Price:
    """Find the price of a model: the study's own, or the list price.

    Raises:
        StudyError: If there is neither; an unknown price is found before a run.

    Example:
        >>> price_of(Model(name="a", model="openai:gpt-4o"))
        Price(input=2.5, output=10.0)
    """
    if entry.price is not None:
        return entry.price
    provider, _, name = entry.model.partition(":")
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
    return Price(
        input=float(found.input_price * 1_000), output=float(found.output_price * 1_000)
    )


def cost_usd(price: Price, usage: Usage) -> float:
    """Price the tokens of one reply.

    Example:
        >>> cost_usd(Price(input=2.0, output=10.0), Usage(tokens_in=1000, tokens_out=100))
        0.003
    """
    return (usage.tokens_in * price.input + usage.tokens_out * price.output) / 1e6
