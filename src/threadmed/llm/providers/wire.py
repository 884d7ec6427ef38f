"""What HTTP says of a call that brought no reply, read alike for every provider."""

import json
from collections.abc import Mapping
from email.utils import parsedate_to_datetime
from typing import TypeVar
from urllib.parse import urlsplit

import msgspec

from threadmed.errors import ModelError, ModelUnavailable, StudyError
from threadmed.llm.model import RetryLater, plain
from threadmed.records import Model

WAIT_FOR = frozenset({408, 409, 425, 429})
"""Statuses below 500 after which another attempt may succeed."""

NEVER = frozenset({401, 402, 403, 404})
"""Statuses after which no request to this model will succeed."""

Body = TypeVar("Body")

SHOWN = 300
"""Characters of a provider's message that are kept."""

START = 100
"""Of a body that is not what it should be."""


def address(entry: Model, official: str) -> str:
    """Give the server's address, spelt in one way: it is written to the journal.

    Raises:
        StudyError: If it holds a password or a query, or is no address.
    """
    url = (entry.base_url or official).strip().rstrip("/")
    complaint = _complaint(url)
    if complaint:
        raise StudyError(f"{entry.name}: base_url {complaint}")
    return url


def _complaint(url: str) -> str:
    """Say what is wrong with an address, without showing it; empty is nothing."""
    if not _is_whole(url):
        return (
            "is no address of a server; expected one as in http://localhost:8000/v1, "
            "with a host's name in its xn-- form where it has other letters"
        )
    parts = urlsplit(url)
    if "@" in parts.netloc:
        return (
            "holds a password or a user's name, which would be written down with "
            "every reply; put it into the environment and name it in api_key_env"
        )
    if parts.query or parts.fragment:
        return (
            "holds a query or a fragment, which no call could carry and which would "
            "be written down with every reply; leave out what follows ? or #"
        )
    return ""


def _is_whole(url: str) -> bool:
    """Tell whether an address has all that an address needs."""
    try:
        parts = urlsplit(url)
        is_web = parts.scheme in {"http", "https"} and bool(parts.hostname)
        has_port = parts.port != 0
    except ValueError:  # a port out of range, or half a bracket
        return False
    is_plain = url.isascii() and url.isprintable() and " " not in url
    return is_web and has_port and is_plain


def key_of(entry: Model, environment: Mapping[str, str], *usual: str) -> str:
    """Find the key.

    Args:
        entry: May name the variable that holds it.
        environment: Where to look.
        usual: The variables that the provider's own tools read.

    Raises:
        ModelError: If it is not there, or cannot be one; a server of one's own may
            do without.
    """
    variables = (entry.api_key_env,) if entry.api_key_env else usual
    for variable in variables:
        # A line end that came along with the key would be no header's value.
        if key := environment.get(variable, "").strip():
            _refuse_odd(entry, key, variable)
            return key
    if entry.base_url and entry.api_key_env is None:
        return "none-needed"
    raise ModelError(
        f"{entry.name}: the environment has no {variables[0]}; set it to the key of "
        f"{entry.model}, or name another variable in api_key_env"
    )


def _refuse_odd(entry: Model, key: str, variable: str) -> None:
    """Refuse what no header can carry, such as the quotation marks of a text editor."""
    if not (key.isascii() and key.isprintable()):
        raise ModelError(
            f"{entry.name}: what the environment has as {variable} is no key: it holds "
            "a letter or a line end that no key has; copy the key anew"
        )


def not_installed(entry: Model, *, extra: str) -> ModelError:
    """Say how to install the package that a provider needs."""
    return ModelError(
        f"{entry.name}: {entry.model} needs a package that is not installed; install "
        f"it with pip install 'threadmed[{extra}]'"
    )


def clean(text: str, key: str) -> str:
    """Bring a message to one line of bearable length, without the key.

    A lone surrogate, which JSON can spell and no file can hold, is replaced.

    Example:
        >>> clean("wrong   key sk-1", "sk-1")
        'wrong key ***'
    """
    return " ".join(plain(text).replace(key, "***").split())[:SHOWN]


def start_of(body: bytes | str, key: str) -> str:
    """Show how a body begins that is not what it should be.

    The key goes first: of a key that is cut in two, no half would be found.

    Example:
        >>> start_of(b"you sent sk-1", "sk-1")
        'you sent ***'
    """
    text = body if isinstance(body, str) else body.decode("utf-8", "replace")
    return clean(text, key)[:START]


def root(error: BaseException) -> str:
    """Say what lies under an error: an SDK calls a refused connection a time-out."""
    # Under a time-out there is only the cancellation that it is made of.
    while isinstance(error.__cause__, Exception):
        error = error.__cause__
    return f"{type(error).__name__}: {error}"


def refused(status: int, why: str, *, who: str, after_s: float | None) -> Exception:
    """Tell what may succeed later from what breaks the model, and from the rest.

    Args:
        status: Of HTTP.
        why: One line, cleaned.
        who: The model as an error names it.
        after_s: Seconds that the server asks to wait.
    """
    if status in NEVER:
        return ModelError(f"{who}: {why}")
    if status >= 500 or status in WAIT_FOR:
        return RetryLater(why, after_s=after_s, status=status)
    return ModelUnavailable(why)


def wait_s(headers: Mapping[str, str]) -> float | None:
    """Read how many seconds a server asks to wait; None where it does not say.

    A date is taken against the server's own, so that no clock of ours has to be right.

    Args:
        headers: Of the reply; names are asked for in lower case.

    Example:
        >>> wait_s({"retry-after": "2.5"}), wait_s({"retry-after-ms": "200"})
        (2.5, 0.2)
        >>> then, now = "Wed, 21 Oct 2026 07:28:09 GMT", "Wed, 21 Oct 2026 07:28:00 GMT"
        >>> wait_s({"retry-after": then, "date": now})
        9.0
        >>> wait_s({"retry-after": "soon"})
    """
    asked = headers.get("retry-after", "")
    milliseconds = _number(headers.get("retry-after-ms", ""))
    if milliseconds is not None:
        return milliseconds / 1_000
    seconds = _number(asked)
    return _until(asked, headers.get("date", "")) if seconds is None else seconds


def _number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if 0 <= number < float("inf") else None


def _until(date: str, now: str) -> float | None:
    try:
        apart = parsedate_to_datetime(date) - parsedate_to_datetime(now)
    except (TypeError, ValueError):
        return None
    return max(0.0, apart.total_seconds())


def decode(body: bytes | str, kind: type[Body]) -> Body:
    """Read a reply's body; the SDKs take whatever a server sends for one.

    Raises:
        ValueError: If it is not of that kind.
    """
    try:
        # The library's own reader: msgspec's refuses the lone surrogates that some
        # models' texts hold, and that reply was paid for.
        return msgspec.convert(json.loads(body), kind)
    except RecursionError as error:
        raise ValueError(str(error)) from None
