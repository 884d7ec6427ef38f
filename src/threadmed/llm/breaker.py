"""When to give a model up, so that the others go on without it."""

import math

BREAK_AFTER = 5
"""Requests in a row that do not get through before a model counts as out of reach."""

REFUSED_AFTER = 20
"""Requests in a row that are refused before a model counts as set up wrongly.

Only a model that has never replied is given up for this: the longest conversations
go first, and several in a row may be too long for it."""

FIRST_REST_S = 15.0
LONGEST_REST_S = 120.0

OUTAGE_S = 900.0
"""How long a model that did reply in this run may be out of reach before it is given
up; until then it is tried again, after longer and longer rests."""

MEND = "what was paid for is kept, so mend this and run again"


class Breaker:
    """Watches one model: is it there, is it having an outage, is it given up?"""

    def __init__(self, name: str, *, has_replied_before: bool) -> None:
        """Begin to watch.

        Args:
            name: The study's name for the model, for messages.
            has_replied_before: Whether an earlier run had replies: what it refuses
                is then the fault of the request.
        """
        self._name = name
        self._replied_before = has_replied_before
        self._replied_at: float | None = None
        self._lost = 0
        self._refused = 0
        self._rest_s = 0.0
        self.why = ""
        """Why the model is given up; empty while it is not."""

    @property
    def has_replied(self) -> bool:
        """Whether there was a reply in this run."""
        return self._replied_at is not None

    def replied(self, now: float) -> None:
        """Take note of a reply at a time in seconds."""
        self._replied_at = now
        self._lost = 0
        self._refused = 0
        self._rest_s = 0.0

    def give_up(self, why: str) -> None:
        """Give the model up at once: no request to it will ever succeed."""
        self.why = self.why or why

    def refused(self, why: str) -> None:
        """Take note of a request that was refused for good."""
        self._refused += 1
        self._lost = 0  # whoever refuses is there
        never_replied = not (self.has_replied or self._replied_before)
        if never_replied and self._refused >= REFUSED_AFTER:
            self._break(why, self._refused)

    def lost(self, why: str, *, now: float) -> float:
        """Take note of a request that did not get through after its last attempt.

        Returns:
            Seconds for which the model is to be left alone; 0 where it need not.
        """
        self._lost += 1
        if self._lost < BREAK_AFTER:
            return 0.0
        if self._silence_s(now) > OUTAGE_S:
            self._break(why, self._lost)
            return 0.0
        return self._next_rest_s()

    def failed(self, why: str, *, now: float) -> float:
        """Take note of a failed attempt; it matters in an outage alone.

        Returns:
            Seconds for which the model is to be left alone; 0 where it need not.
        """
        if not self._rest_s:
            return 0.0
        if self._silence_s(now) > OUTAGE_S:
            self._break(why, self._lost)
            return 0.0
        return self._next_rest_s()

    def _silence_s(self, now: float) -> float:
        """Say how long there was no reply; a model that never replied is not waited for."""
        return math.inf if self._replied_at is None else now - self._replied_at

    def _next_rest_s(self) -> float:
        doubled = max(FIRST_REST_S, self._rest_s * 2)
        self._rest_s = min(LONGEST_REST_S, doubled)
        return self._rest_s

    def _break(self, why: str, in_a_row: int) -> None:
        self.give_up(
            f"{self._name} cannot be reached: {in_a_row} requests in a row "
            f"failed, the last one with: {why}; {MEND}"
        )
