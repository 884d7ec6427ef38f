"""Keeps the purse and the journal in step, attempt by attempt."""

from collections.abc import Callable

from threadmed.errors import Stopped
from threadmed.llm.budget import Purse, Worst
from threadmed.llm.faults import may_be_billed
from threadmed.llm.journal import Attempt, Entry, Journal, Unsettled
from threadmed.llm.model import Reply, Request
from threadmed.llm.prices import cost_usd
from threadmed.records import Price, Record, Stage, Usage


class Call(Record, frozen=True, kw_only=True):
    """One request to one model, on its way."""

    key: str
    stage: Stage
    model: str
    """The study's name for the model."""
    request: Request
    priority: int
    number: int
    """The lower, the earlier it was asked for."""
    price: Price
    worst: Worst


class Books:
    """Notes what every attempt comes to."""

    def __init__(
        self, journal: Journal, *, purse: Purse, clock: Callable[[], float]
    ) -> None:
        """Open the books; what the journal holds from earlier runs counts as spent."""
        self._journal = journal
        self._purse = purse
        self._clock = clock
        for spend in journal.spend():
            purse.pay(spend.cost_usd, spend.tokens_in + spend.tokens_out)
        purse.leave_unsettled(journal.unsettled())

    async def begin(self, call: Call) -> int:
        """Set an attempt's worst case aside and note it, before it is sent.

        Returns:
            The attempt's number.

        Raises:
            Stopped: If the budget does not hold for it.
            InputError: If the journal cannot be written.
        """
        await self._purse.hold(call.worst, model=call.model)
        attempt = Attempt(
            key=call.key,
            stage=call.stage,
            model=call.model,
            most_usd=call.worst.usd,
            most_tokens=call.worst.tokens,
            at=self._clock(),
        )
        try:
            # A budget holds over a crash only if what is sent is known after it.
            return await self._journal.begin(attempt, wait=self._purse.is_limited)
        except BaseException:
            self._purse.release(call.worst)
            raise

    def fail(self, call: Call, attempt: int, cause: Exception) -> None:
        """Note an attempt that brought no reply."""
        if may_be_billed(cause):
            usd, tokens = call.worst.usd, call.worst.tokens
            self._leave_unsettled(call)
        else:
            usd, tokens = 0.0, 0
        self._purse.release(call.worst)
        self._journal.fail(attempt, str(cause), most_usd=usd, most_tokens=tokens)

    def leave(self, call: Call) -> None:
        """Give up waiting for an attempt; in the journal it stays under way."""
        self._leave_unsettled(call)
        self._purse.release(call.worst)

    def _leave_unsettled(self, call: Call) -> None:
        worst = call.worst
        self._purse.leave_unsettled(
            Unsettled(attempts=1, most_usd=worst.usd, most_tokens=worst.tokens)
        )

    async def keep(
        self, call: Call, attempt: int, reply: Reply, *, content: bytes
    ) -> None:
        """Pay for a reply, and go on when it is in the journal.

        A server that does not count tokens cannot make a budget endless: a text
        without any is charged as the worst case.

        Args:
            call: The request.
            attempt: The number of the attempt that brought the reply.
            reply: What came back.
            content: What the key of the request is the sha256 of.

        Raises:
            InputError: If the journal cannot be written.
        """
        uncounted = bool(reply.text) and reply.usage == Usage()
        charged = call.worst.usage if uncounted else reply.usage
        cost = call.worst.usd if uncounted else cost_usd(call.price, charged)
        self._purse.pay(cost, charged.tokens_in + charged.tokens_out)
        self._purse.release(call.worst)
        entry = Entry(
            key=call.key,
            stage=call.stage,
            model=call.model,
            request=content,
            reply=reply,
            cost_usd=cost,
            charged=charged,
            at=self._clock(),
        )
        await self._journal.keep(entry, attempt=attempt)

    @property
    def waiting(self) -> int:
        """Number of calls that wait until the budget holds for them."""
        return self._purse.waiting

    def send_away(self, why: Stopped) -> None:
        """Let nobody wait any longer until the budget holds for a call."""
        self._purse.send_away(why)

    async def set_aside(self, call: Call) -> None:
        """Set the worst case of a call aside that is noted later, with others.

        Raises:
            Stopped: If the budget does not hold for it.
        """
        await self._purse.hold(call.worst, model=call.model)

    def put_back(self, call: Call) -> None:
        """Give back what was set aside, or reclaimed, for a call that was not sent."""
        self._purse.release(call.worst)

    def reclaim(self, call: Call) -> None:
        """Set the worst case of a call aside that an earlier run sent and left."""
        self._purse.reclaim(call.worst)
