"""How much a model is asked at once and in a minute."""

RATIO = 0.7
"""What a model that says it has too much to do is left of the calls at once."""

PROBES = 3
"""Calls at once to a model that has not replied yet in this run: a wrong key or a
quota that is gone is then found before a whole wave of calls is refused."""

MINUTE_S = 60.0


class Width:
    """Calls at once, by additive increase and multiplicative decrease.

    It starts with a few probes and is as wide as the study allows from the first reply
    on. Being told to slow down cuts it, once for all the calls that were under way
    together; a full round of replies widens it by one.

    References:
        Chiu and Jain (1989), Analysis of the increase and decrease algorithms for
        congestion avoidance; one cut a round as in TCP (RFC 5681, 3.2).

    Example:
        >>> width = Width(10)
        >>> width.calls, width.replied(), width.calls
        (3, None, 10)
        >>> width.cut(began=0.0, now=1.0), width.cut(began=0.5, now=1.5), width.calls
        (True, False, 7)
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._width = float(most)
        self._probes: int | None = PROBES
        self._cut_at = float("-inf")

    @property
    def calls(self) -> int:
        """How many may be under way now; at least 1, at most what the study allows."""
        whole = int(self._width)
        return whole if self._probes is None else min(whole, self._probes)

    def probe(self, calls: int) -> None:
        """Let no more than so many through until a reply comes."""
        self._probes = calls

    def replied(self) -> None:
        """Take note of a reply: it ends the probing, and a round of them widens."""
        if self._probes is not None:
            self._probes = None
        else:
            self._width = min(float(self._most), self._width + 1.0 / self._width)

    def cut(self, *, began: float, now: float) -> bool:
        """Take note that a call was told to slow down.

        Args:
            began: When that call began, in seconds; one that began before the last
                cut tells nothing new.
            now: The time, in the same seconds.

        Returns:
            Whether the width was cut.
        """
        if began < self._cut_at:
            return False
        self._width = max(1.0, self._width * RATIO)
        self._cut_at = now
        return True


class Rate:
    """So much in a minute, spread evenly, with one second's worth at once.

    Where every taking is 1, no minute has more than `per_minute` of them. A taking that
    is larger than a second's worth goes as soon as the rate has caught up with what was
    taken before it.

    Example:
        >>> rate = Rate(60, now=0.0)
        >>> rate.delay_s(1, now=0.0), rate.take(1, now=0.0), rate.delay_s(1, now=0.25)
        (0.0, None, 0.75)
    """

    def __init__(self, per_minute: int, *, now: float) -> None:
        self._most = max(1.0, per_minute // MINUTE_S)
        self._a_second = (per_minute - self._most + 1) / MINUTE_S
        self._left = self._most
        self._at = now

    def _refill(self, now: float) -> None:
        grown = self._left + (now - self._at) * self._a_second
        self._left, self._at = min(self._most, grown), now

    def delay_s(self, amount: float, *, now: float) -> float:
        """Say how long to wait before so much may be taken; 0 is at once."""
        self._refill(now)
        return max(0.0, (min(amount, self._most) - self._left) / self._a_second)

    def take(self, amount: float, *, now: float) -> None:
        """Take so much; a negative amount gives back what was not needed."""
        self._refill(now)
        self._left = min(self._most, self._left - amount)
