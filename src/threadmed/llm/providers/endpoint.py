"""Where a model is, and what is made of a call to it that went wrong."""

from collections.abc import Callable, Mapping
from typing import NamedTuple, Protocol, TypeVar

from threadmed.errors import ModelError
from threadmed.llm.model import Reply, RetryLater
from threadmed.llm.providers.wire import (
    address,
    clean,
    key_of,
    refused,
    root,
    start_of,
    wait_s,
)
from threadmed.records import Model, Usage

Body = TypeVar("Body", bytes, str)


class _Response(Protocol):
    @property
    def headers(self) -> Mapping[str, str]: ...


class StatusError(Protocol):
    """What the SDKs of OpenAI and Anthropic raise for a reply that is an HTTP error."""

    message: str
    status_code: int

    @property
    def response(self) -> _Response:
        """Give what the server sent."""


class Endpoint(NamedTuple):
    """Where a model is, and how it is called there."""

    who: str
    """The model as an error names it."""
    name: str
    """The provider's name for it."""
    url: str
    key: str
    """Never shown in an error."""

    # `typing.override` is not there before Python 3.12.
    def __repr__(self) -> str:  # type: ignore[explicit-override]
        # A key must not reach a log, and the usual text would hold it.
        return f"Endpoint({self.who!r}, {self.name!r})"

    def said(self, status: int, message: str) -> str:
        """Bring what a server said to one line."""
        return clean(f"HTTP {status}: {message}", self.key)

    def refused(self, error: StatusError) -> Exception:
        """Tell what may succeed later from what breaks the model, and from the rest."""
        return refused(
            error.status_code,
            self.said(error.status_code, error.message),
            who=self.who,
            after_s=wait_s(error.response.headers),
        )

    def unusable(self, why: str) -> ModelError:
        """Say that no request to the model will succeed: no money, or no key."""
        return ModelError(f"{self.who}: {why}")

    def broken(self, error: Exception) -> RetryLater:
        """Say that a connection broke or took too long, or brought no HTTP."""
        return RetryLater(clean(root(error), self.key))

    def blocked(self, why: str) -> Reply:
        """Make a reply of an error that says that a filter held something back."""
        return Reply(
            outcome="blocked", text="", detail=why, usage=Usage(), served_by=self.name
        )

    def read(self, body: Body, *, by: Callable[[Body], Reply], kind: str) -> Reply:
        """Read a reply's body.

        Args:
            body: As it came.
            by: Raises ValueError where it cannot be read.
            kind: What it should be, as in "message".

        Raises:
            RetryLater: If it cannot be read.
        """
        try:
            return by(body)
        except ValueError as error:
            start = start_of(body, self.key)
            why = f"the server's reply is no {kind} ({error}): {start}"
            raise RetryLater(clean(why, self.key)) from None


def endpoint(
    entry: Model, environment: Mapping[str, str], *usual: str, official: str
) -> Endpoint:
    """Find where a model is.

    Args:
        entry: How the study describes it.
        environment: Holds the key.
        usual: The variables that the provider's own tools read.
        official: The provider's own address.

    Raises:
        ModelError: If the key is not there.
        StudyError: If the address holds a password.
    """
    url = address(entry, official)
    return Endpoint(
        who=f"{entry.name} ({url})",
        name=entry.model.partition(":")[2],
        url=url,
        key=key_of(entry, environment, *usual),
    )
