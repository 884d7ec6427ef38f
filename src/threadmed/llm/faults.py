"""What a failed attempt tells: who is to blame, and whether it may have been billed."""

import re

from threadmed.llm.model import RetryLater

BUSY = frozenset({429, 503, 529})
"""Statuses with which a model says that it has too much to do; 503 is Gemini's and
vLLM's word for it."""

NEVER_CONNECTED = re.compile(
    r"ConnectionRefused|gaierror|getaddrinfo|Name or service not known|"
    r"Temporary failure in name resolution|ConnectError|ConnectorError|"
    r"Connect call failed|All connection attempts failed|Network is unreachable|"
    r"No route to host"
)
"""Words of the errors of connections that never came to be."""


class TimedOut(RetryLater):
    """The engine waited no longer for a reply; it may be on its way all the same."""


def status_of(cause: Exception) -> int | None:
    """Give the HTTP status of a failure; None where it has none.

    Example:
        >>> status_of(RetryLater("slow down", status=429)), status_of(RetryLater("cut"))
        (429, None)
    """
    return cause.status if isinstance(cause, RetryLater) else None


def is_busy(cause: Exception) -> bool:
    """Tell whether the model asks for fewer calls, or for a pause."""
    asks = isinstance(cause, RetryLater) and cause.after_s is not None
    return asks or status_of(cause) in BUSY


def may_be_billed(cause: Exception) -> bool:
    """Tell whether the provider may have done the work and will charge for it.

    A refusal with a status or a time to wait is not charged, and a connection that
    never came to be carried nothing. A request whose reply broke off or did not come
    in time may well be on the bill.
    """
    return (
        isinstance(cause, RetryLater)
        and cause.after_s is None
        and status_of(cause) is None
        and not NEVER_CONNECTED.search(str(cause))
    )


def label_of(cause: Exception) -> str:
    """Name the kind of a failure in a few words, to be counted by."""
    status = status_of(cause)
    if status is not None:
        return f"HTTP {status}"
    if isinstance(cause, TimedOut):
        return "timed out"
    if is_busy(cause):
        return "asked to wait"
    return "no or broken reply" if may_be_billed(cause) else "no connection"
