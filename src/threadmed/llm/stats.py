"""What became of the calls to each model in this run: for progress and for plans."""

from collections import Counter
from collections.abc import Mapping

from threadmed.records import Record


class Stats(Record, frozen=True, kw_only=True):
    """The calls to one model in this run, so far."""

    sent: int
    """Attempts that went out."""
    replied: int
    reused: int
    """Requests that the journal had a reply to."""
    shared: int
    """Requests that waited for an equal one under way."""
    batched: int
    """Requests that came to their end in a batch."""
    failed: int
    """Requests that got no reply after their last attempt."""
    retried: Mapping[str, int]
    """Attempts that failed where another one may not, by what was wrong."""
    waited_s: float
    """Seconds that requests paused before another attempt, all together."""
    latency_s: float | None
    """Mean time from sending to reply; None where there was none."""
    under_way: int
    waiting: int
    """Requests that wait for a place."""
    width: int
    """Calls that may be under way at once now."""
    broken: str
    """Why the model was given up; empty where it was not."""


class Count:
    """Counts while the calls are made."""

    def __init__(self) -> None:
        self.sent = 0
        self.replied = 0
        self.reused = 0
        self.shared = 0
        self.batched = 0
        self.failed = 0
        self.retried: Counter[str] = Counter()
        self.waited_s = 0.0
        self.took_s = 0.0

    def stats(self, *, under_way: int, waiting: int, width: int, broken: str) -> Stats:
        """Say how things stand."""
        return Stats(
            sent=self.sent,
            replied=self.replied,
            reused=self.reused,
            shared=self.shared,
            batched=self.batched,
            failed=self.failed,
            retried=dict(self.retried),
            waited_s=self.waited_s,
            latency_s=self.took_s / self.replied if self.replied else None,
            under_way=under_way,
            waiting=waiting,
            width=width,
            broken=broken,
        )
