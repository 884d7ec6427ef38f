"""What every request must pass: size, host, origin, session; and the headers back."""

from collections.abc import Mapping

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from threadmed.annotate.sessions import form_token

COOKIE = "threadmed"
MOST_BYTES = 64 * 1024
"""Of the body of a request; two texts of 4,000 characters fit with room to spare."""

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "img-src data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
"""No inline script or style, and nothing from elsewhere."""

HEADERS: Mapping[str, str] = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}

LOOPBACK = ("127.0.0.1", "localhost", "::1")


class TooLarge(Exception):  # noqa: N818 - says what is so; never leaves this module
    """A body went on after its limit."""


class Guard:
    """Refuses what is too large or from elsewhere, and sets headers on every reply."""

    def __init__(self, app: ASGIApp, *, hosts: tuple[str, ...]) -> None:
        self.app = app
        self.hosts = hosts
        """Names under which the server may be asked; empty is any."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        refusal = self._refusal(Headers(scope=scope), scope["method"])

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(HEADERS)
            await send(message)

        if refusal is not None:
            await refusal(scope, receive, with_headers)
            return
        try:
            await self.app(scope, _limited(receive), with_headers)
        except TooLarge:
            await _refuse(413, "too large")(scope, receive, with_headers)

    def _refusal(self, headers: Headers, method: str) -> PlainTextResponse | None:
        host = headers.get("host", "")
        # A name that leads here but is not ours is how a foreign page comes near.
        if self.hosts and _name(host) not in self.hosts:
            return _refuse(421, "this server does not go by that name")
        length = headers.get("content-length", "0")
        if not length.isdecimal() or int(length) > MOST_BYTES:
            return _refuse(413, "too large")
        if method not in {"GET", "HEAD"} and not _is_own(headers, host):
            return _refuse(403, "this came from another page")
        return None


def _name(host: str) -> str:
    """Give the host without its port.

    Example:
        >>> _name("[::1]:80"), _name("localhost:8000"), _name("a")
        ('::1', 'localhost', 'a')
    """
    if host.startswith("["):
        return host[1:].partition("]")[0]
    return host.partition(":")[0]


def _is_own(headers: Headers, host: str) -> bool:
    """Tell whether what changes something was sent by a page of this server."""
    origin = headers.get("origin")
    if origin is None:
        return headers.get("sec-fetch-site") == "same-origin"
    return origin.partition("://")[2] == host


def _refuse(status: int, why: str) -> PlainTextResponse:
    return PlainTextResponse(why, status_code=status)


def _limited(receive: Receive) -> Receive:
    """Count the bytes of a body that does not say its length."""
    seen = 0

    async def counted() -> Message:
        nonlocal seen
        message = await receive()
        seen += len(message.get("body", b""))
        if seen > MOST_BYTES:
            raise TooLarge
        return message

    return counted


def session_of(request: Request) -> str:
    """Give the token of the session's cookie; empty where there is none."""
    return request.cookies.get(COOKIE, "")


def has_form_token(request: Request, given: str) -> bool:
    """Tell whether a form or a request was made by a page of the same session."""
    session = session_of(request)
    return bool(session) and given == form_token(session)
