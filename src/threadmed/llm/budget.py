"""What the study may cost, in USD and in tokens, and what there is left of it."""

import asyncio
from collections.abc import Mapping
from decimal import Decimal

from threadmed.errors import Stopped
from threadmed.llm.journal import Unsettled
from threadmed.llm.model import Parameters, Request
from threadmed.llm.prices import worst_usd
from threadmed.records import Price, Record, Usage

A_MESSAGE = 16
"""Tokens around a message (its role, its ends) that no provider is known to exceed."""

BYTES_A_TOKEN = 4
"""Of English text, for what a request is expected to use; bounds never rely on it."""

SMALL = 0.01
"""USD below which an amount is written by its digits that are not 0."""

LIMITS = (
    "max_tokens",
    "max_completion_tokens",
    "maxOutputTokens",
    "max_output_tokens",
)
"""What the providers call the limit on a reply, reasoning included."""


class Worst(Record, frozen=True, kw_only=True):
    """The most that one attempt can come to."""

    usd: float
    usage: Usage
    expected: int
    """What it is likely to count for in tokens a minute: the text's tokens, and all
    that the reply may have."""

    @property
    def tokens(self) -> int:
        """In and out together."""
        return self.usage.tokens_in + self.usage.tokens_out


def worst_of(request: Request, *, price: Price, max_tokens: int) -> Worst:
    """Bound what an attempt can come to: no token is shorter than a byte.

    Args:
        request: What is asked.
        price: Of the model.
        max_tokens: Most tokens in the reply, reasoning included.
    """
    size = sum(len(message.content.encode()) for message in request.messages)
    size += len(request.schema.json.encode()) if request.schema else 0
    around = A_MESSAGE * len(request.messages)
    return Worst(
        usd=worst_usd(price, tokens_in=size + around, tokens_out=max_tokens),
        usage=Usage(tokens_in=size + around, tokens_out=max_tokens),
        expected=size // BYTES_A_TOKEN + around + max_tokens,
    )


def reply_limit(sent: Parameters, *, least: int) -> int:
    """Find the limit on a reply among what is sent, under whatever name.

    Args:
        sent: The parameters, as a model says that it sends them.
        least: What the study asks for: a model that reasons is given more.

    Example:
        >>> reply_limit({"generationConfig": {"maxOutputTokens": 900}}, least=512)
        900
    """
    inner = [value for value in sent.values() if isinstance(value, Mapping)]
    found = [
        value
        for parameters in (sent, *inner)
        for name in LIMITS
        if isinstance(value := parameters.get(name), int)
    ]
    return max(least, *found, 0)


def _digits(usd: float, *, least: int = 4) -> str:
    """Write an amount with as many digits as it takes to see it.

    Args:
        usd: The amount.
        least: Digits after the point that there are at least; a small amount has
            more, down to its second digit that is not 0.

    Example:
        >>> _digits(60, least=2), _digits(0.005, least=2), _digits(0.0000312)
        ('60.00', '0.005', '0.000031')
    """
    shown = Decimal(f"{usd:.2g}" if abs(usd) < SMALL else f"{usd:.4f}")
    whole, _, rest = f"{shown:f}".partition(".")
    return f"{whole}.{rest.rstrip('0'):0<{least}}"


class Purse:
    """Knows what is spent and what is set aside, and lets no attempt exceed the rest.

    Three sums stand against each limit: what replies cost; what attempts that never
    came back may have cost at most, in this run and before, for they may be on the
    bill; and the worst case of what is under way.
    """

    def __init__(self, *, usd: float | None = None, tokens: int | None = None) -> None:
        """Open a purse; None is no limit."""
        self._usd = usd
        self._tokens = tokens
        self.spent_usd = 0.0
        self.spent_tokens = 0
        self.unsettled = Unsettled(attempts=0, most_usd=0.0, most_tokens=0)
        self._held_usd = 0.0
        self._held_tokens = 0
        self._held = 0
        self.waiting = 0
        """Attempts that wait for others to land, since they do not fit now."""
        self._change = asyncio.Event()
        self._over: Stopped | None = None

    @property
    def is_limited(self) -> bool:
        """Whether there is any limit."""
        return self._usd is not None or self._tokens is not None

    def pay(self, usd: float, tokens: int) -> None:
        """Take note of what a reply cost."""
        self.spent_usd += usd
        self.spent_tokens += tokens

    def leave_unsettled(self, more: Unsettled) -> None:
        """Take note of what may be on the bill though no reply came of it."""
        so_far = self.unsettled
        self.unsettled = Unsettled(
            attempts=so_far.attempts + more.attempts,
            most_usd=so_far.most_usd + more.most_usd,
            most_tokens=so_far.most_tokens + more.most_tokens,
        )

    async def hold(self, worst: Worst, *, model: str) -> None:
        """Set the worst case of an attempt aside, once it fits.

        What is under way mostly costs less than was set aside for it, so an attempt
        that does not fit now waits for it to land.

        Raises:
            Stopped: If it does not fit though nothing is under way.
        """
        while not self._fits(worst, held_usd=self._held_usd, held=self._held_tokens):
            if not self._fits(worst, held_usd=0.0, held=0):
                raise Stopped(self._used_up(worst, model))
            self._change.clear()
            self.waiting += 1
            try:
                await self._change.wait()
            finally:
                self.waiting -= 1
            if self._over is not None:
                raise self._over
        self._take(worst)

    def send_away(self, why: Stopped) -> None:
        """Let nobody wait any longer for others to land."""
        self._over = why
        self._change.set()

    def reclaim(self, worst: Worst) -> None:
        """Set aside what an earlier run left unsettled: it is still under way."""
        so_far = self.unsettled
        rest = so_far.attempts - 1
        self.unsettled = Unsettled(
            attempts=rest,
            # Sums of floats drift: with no attempt unsettled, nothing is.
            most_usd=so_far.most_usd - worst.usd if rest else 0.0,
            most_tokens=so_far.most_tokens - worst.tokens,
        )
        self._take(worst)

    def _take(self, worst: Worst) -> None:
        self._held_usd += worst.usd
        self._held_tokens += worst.tokens
        self._held += 1

    def release(self, worst: Worst) -> None:
        """Give back what hold() set aside; pay() or leave_unsettled() comes before it."""
        self._held -= 1
        # Sums of floats drift: with nothing under way, nothing is set aside.
        self._held_usd = self._held_usd - worst.usd if self._held else 0.0
        self._held_tokens -= worst.tokens
        self._change.set()

    def _fits(self, worst: Worst, *, held_usd: float, held: int) -> bool:
        return self._fits_usd(worst, held_usd) and self._fits_tokens(worst, held)

    def _fits_usd(self, worst: Worst, held: float) -> bool:
        needed = self.spent_usd + self.unsettled.most_usd + held + worst.usd
        # What costs nothing is asked even where nothing is left.
        return self._usd is None or needed <= self._usd or worst.usd == 0.0

    def _fits_tokens(self, worst: Worst, held: int) -> bool:
        needed = self.spent_tokens + self.unsettled.most_tokens + held + worst.tokens
        return self._tokens is None or needed <= self._tokens

    def _used_up(self, worst: Worst, model: str) -> str:
        """Say which limit holds, and what stands against it."""
        unsettled = self.unsettled
        if self._fits_usd(worst, 0.0):
            limit, spent = f"{self._tokens} tokens", f"{self.spent_tokens} are spent"
            billed, most = f"{unsettled.most_tokens}", f"{worst.tokens}"
        else:
            limit = f"{_digits(self._usd or 0.0, least=2)} USD"
            spent = f"{_digits(self.spent_usd)} USD are spent"
            billed, most = _digits(unsettled.most_usd), _digits(worst.usd)
        unsure = (
            f", up to {billed} more may be on the bill for {unsettled.attempts} "
            "attempts that brought no reply"
            if unsettled.attempts
            else ""
        )
        return (
            f"the budget of {limit} is used up: {spent}{unsure}, and the next call to "
            f"{model} could cost up to {most}; what was paid for is kept, so raise "
            "it and run again"
        )
