"""Runs the web app until it is stopped."""

import socket
from collections.abc import Callable
from contextlib import suppress

import uvicorn

from threadmed.annotate import sessions
from threadmed.annotate.app import Handlers, build_app
from threadmed.annotate.guard import LOOPBACK
from threadmed.annotate.ledger import Ledger
from threadmed.annotate.opening import without_scoring
from threadmed.errors import InputError
from threadmed.study import Folder

EVERYWHERE = ("0.0.0.0", "::")  # noqa: S104 - what a person may ask for
"""Addresses on which no browser can call."""


def serve(
    ledger: Ledger,
    folder: Folder,
    *,
    host: str,
    port: int,
    clock: Callable[[], float],
    say: Callable[[str], None],
) -> None:
    """Serve the pages, and say by which links everybody comes in.

    Links are made anew at every start; sessions that were begun go on.

    Args:
        ledger: The store, with a plan in it.
        folder: The study's folder, for the export.
        host: Address to listen on.
        port: Port; 0 is any free one.
        clock: Gives seconds since 1970.
        say: Prints a line.

    Raises:
        InputError: If the address cannot be listened on.
    """
    listening = _listen(host, port)
    shown = socket.gethostname() if host in EVERYWHERE else _written(host)
    address = f"http://{shown}:{listening.getsockname()[1]}"
    handlers = Handlers(ledger, folder, clock=clock, address=address)
    raters = dict.fromkeys(name for plan in ledger.plans() for name in plan.raters)
    if missing := without_scoring(folder, ledger.plans()):
        say(missing)
    say("Links, each good for one time:")
    for name in (*raters, sessions.ORGANISER):
        say(f"  {name}: {handlers.link(name)}")
    hosts = LOOPBACK if host in LOOPBACK else ()
    config = uvicorn.Config(
        build_app(handlers, hosts=hosts),
        log_level="warning",
        access_log=False,
        server_header=False,
        lifespan="off",
        ws="none",
        http="h11",
        timeout_graceful_shutdown=2,
    )
    # It passes on the signal that ended it, once all is closed.
    with suppress(KeyboardInterrupt):
        uvicorn.Server(config).run(sockets=[listening])


def _written(host: str) -> str:
    return f"[{host}]" if ":" in host else host


def _listen(host: str, port: int) -> socket.socket:
    """Open the port before anything is said about it."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((host, port))
    except (OSError, OverflowError) as cause:
        listening.close()
        raise InputError(
            f"cannot listen on {host}:{port}: {cause}; choose another --port or --host"
        ) from cause
    listening.listen(128)
    return listening
