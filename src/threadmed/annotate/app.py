"""The web app: raters' pages, the organiser's page, and the way in to both."""

import sqlite3
from collections.abc import Callable
from typing import TypeVar
from urllib.parse import parse_qs

import msgspec
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from threadmed.annotate import sessions
from threadmed.annotate.export import export
from threadmed.annotate.guard import COOKIE, Guard, has_form_token, session_of
from threadmed.annotate.ledger import Ledger
from threadmed.annotate.opening import without_scoring
from threadmed.annotate.overview import overview
from threadmed.annotate.pages import STATIC, embedded, page, setup, static
from threadmed.annotate.tasks import TASK_NAMES, Said, TaskName
from threadmed.annotate.view import View, put_off, save, view
from threadmed.errors import InputError, ThreadmedError
from threadmed.records import ADJUDICATED
from threadmed.study import Folder

T = TypeVar("T")
TASK_OF: dict[str, TaskName] = {name: name for name in TASK_NAMES}


class Put(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Names an item."""

    item: str


class Handlers:
    """Answer requests, from the store, the study's folder and a clock."""

    def __init__(
        self,
        ledger: Ledger,
        folder: Folder,
        *,
        clock: Callable[[], float],
        address: str,
    ) -> None:
        self.ledger = ledger
        self.folder = folder
        self.clock = clock
        self.address = address
        """Where raters find the server."""

    def link(self, name: str) -> str:
        """Make a link that lets `name` in once."""
        token = sessions.new_link(self.ledger, name, at=self.clock())
        return f"{self.address}/enter?token={token}"

    def name_of(self, request: Request) -> str:
        """Name who asks; refuse whom nobody let in."""
        name = sessions.name_of(self.ledger, session_of(request))
        if name is None:
            raise HTTPException(401)
        return name

    def organiser(self, request: Request) -> None:
        """Refuse all but the organiser."""
        if self.name_of(request) != sessions.ORGANISER:
            raise HTTPException(403)

    def task_and_rater(self, request: Request) -> tuple[TaskName, str]:
        """Name the task that is asked for, and who rates."""
        task = TASK_OF.get(request.path_params["task"])
        name = self.name_of(request)
        if task is None or self.ledger.plan(task) is None:
            raise HTTPException(404)
        return task, ADJUDICATED if name == sessions.ORGANISER else name

    async def home(self, request: Request) -> Response:
        """Lead everybody to their page."""
        name = sessions.name_of(self.ledger, session_of(request))
        if name is None:
            return _message(401, "Please come in by your own link.")
        if name == sessions.ORGANISER:
            return RedirectResponse("/organiser", 303)
        for plan in self.ledger.plans():
            seen = view(self.ledger, plan.task, name)
            if seen.item is not None:
                return RedirectResponse(f"/rate/{plan.task}", 303)
        return RedirectResponse(f"/rate/{self.ledger.plans()[0].task}", 303)

    async def link_page(self, request: Request) -> Response:
        """Ask who holds a link to press a button: a mere look at it uses nothing up."""
        token = request.query_params.get("token", "")
        if not sessions.is_unused(self.ledger, token):
            return await self.home(request) if session_of(request) else _used()
        return HTMLResponse(page("enter.html.j2", token=token))

    async def use_link(self, request: Request) -> Response:
        """Begin a session."""
        form = await _form(request)
        session = sessions.begin_session(
            self.ledger, form.get("token", ""), at=self.clock()
        )
        if session is None:
            return _used()
        reply = RedirectResponse("/", 303)
        reply.set_cookie(
            COOKIE,
            session,
            httponly=True,
            samesite="strict",
            path="/",
            secure=request.headers.get("x-forwarded-proto") == "https",
        )
        return reply

    async def leave(self, request: Request) -> Response:
        """End a session."""
        await self._own_form(request)
        sessions.end_session(self.ledger, session_of(request))
        reply = RedirectResponse("/", 303)
        reply.delete_cookie(COOKIE, httponly=True, samesite="strict", path="/")
        return reply

    async def rate(self, request: Request) -> Response:
        """Give a rater's page, or the page on which disagreements are settled."""
        task, name = self.task_and_rater(request)
        names = tuple(plan.task for plan in self.ledger.plans())
        adjudicating = name == ADJUDICATED
        html = page(
            "rate.html.j2",
            setup=embedded(
                setup(
                    names,
                    task=task,
                    form=sessions.form_token(session_of(request)),
                    adjudicating=adjudicating,
                    rater=name,
                )
            ),
            task=task,
            names=names,
            who="Settling disagreements" if adjudicating else name,
            adjudicating=adjudicating,
            form=sessions.form_token(session_of(request)),
        )
        return HTMLResponse(html)

    async def item(self, request: Request) -> Response:
        """Tell what a rater's page shows."""
        task, name = self.task_and_rater(request)
        wanted = request.query_params.get("item")
        return _json(view(self.ledger, task, name, item=wanted))

    async def act(self, request: Request) -> Response:
        """Save, undo or put off, and tell what the page then shows."""
        task, name = self.task_and_rater(request)
        if not has_form_token(request, request.headers.get("x-form", "")):
            raise HTTPException(403)
        body, item, now = await request.body(), None, self.clock()
        match request.path_params["act"]:
            case "save":
                said = _decoded(body, Said)
                save(self.ledger, task, name, said, at=now)
            case "undo":
                item = self.ledger.undo(task, name, at=now)
            case "later":
                put_off(self.ledger, task, name, _decoded(body, Put).item)
            case _:
                raise HTTPException(404)
        return _json(view(self.ledger, task, name, item=item))

    async def overview(self, request: Request) -> Response:
        """Give the organiser's page, or only the part of it that changes."""
        self.organiser(request)
        part = request.url.path.endswith("/live")
        html = page(
            "live.html.j2" if part else "organiser.html.j2",
            tables=[overview(self.ledger, plan) for plan in self.ledger.plans()],
            raters=_raters(self.ledger),
            form=sessions.form_token(session_of(request)),
            told=None,
            missing=without_scoring(self.folder, self.ledger.plans()),
        )
        return HTMLResponse(html)

    async def order(self, request: Request) -> Response:
        """Do what the organiser orders: a fresh link, or the export."""
        self.organiser(request)
        form = await self._own_form(request)
        told: list[str]
        if request.path_params["order"] == "link":
            name = form.get("name", "")
            if name not in (*_raters(self.ledger), sessions.ORGANISER):
                raise HTTPException(404)
            told = [f"A link for {name}, good for one time:", self.link(name)]
        elif request.path_params["order"] == "export":
            paths = export(self.ledger, self.folder)
            told = ["Written:", *map(str, paths)] if paths else []
        else:
            raise HTTPException(404)
        html = page(
            "organiser.html.j2",
            tables=[overview(self.ledger, plan) for plan in self.ledger.plans()],
            raters=_raters(self.ledger),
            form=sessions.form_token(session_of(request)),
            told=told or ["There are no answers to export yet."],
            missing=without_scoring(self.folder, self.ledger.plans()),
        )
        return HTMLResponse(html)

    async def _own_form(self, request: Request) -> dict[str, str]:
        form = await _form(request)
        if not has_form_token(request, form.get("form", "")):
            raise HTTPException(403)
        return form

    async def static(self, request: Request) -> Response:
        """Give out a style or a script."""
        name = request.path_params["name"]
        if name not in STATIC:
            raise HTTPException(404)
        return Response(static(name), media_type=STATIC[name])


def build_app(handlers: Handlers, *, hosts: tuple[str, ...]) -> Starlette:
    """Put the app together.

    Args:
        handlers: What answers its requests.
        hosts: Names under which it may be asked; empty is any.
    """
    return Starlette(
        routes=[
            Route("/", handlers.home),
            Route("/enter", handlers.link_page, methods=["GET"]),
            Route("/enter", handlers.use_link, methods=["POST"]),
            Route("/leave", handlers.leave, methods=["POST"]),
            Route("/rate/{task}", handlers.rate),
            Route("/item/{task}", handlers.item),
            Route("/item/{task}/{act}", handlers.act, methods=["POST"]),
            Route("/organiser", handlers.overview),
            Route("/organiser/live", handlers.overview),
            Route("/organiser/{order}", handlers.order, methods=["POST"]),
            Route("/static/{name}", handlers.static),
        ],
        middleware=[Middleware(Guard, hosts=hosts)],
        exception_handlers={
            ThreadmedError: _known,
            HTTPException: _refused,
            sqlite3.Error: _unkept,
        },
    )


async def _form(request: Request) -> dict[str, str]:
    """Read a form in the plain encoding; of a name that stands twice, the first."""
    fields = parse_qs((await request.body()).decode("utf-8", "replace"))
    return {name: values[0] for name, values in fields.items()}


def _decoded(body: bytes, kind: type[T]) -> T:
    try:
        return msgspec.json.decode(body, type=kind)
    except (msgspec.MsgspecError, UnicodeDecodeError) as cause:
        raise InputError(f"not what this page sends: {cause}") from cause


def _raters(ledger: Ledger) -> tuple[str, ...]:
    names = (rater for plan in ledger.plans() for rater in plan.raters)
    return tuple(dict.fromkeys(names))


def _json(found: View) -> Response:
    return Response(msgspec.json.encode(found), media_type="application/json")


def _message(status: int, text: str) -> Response:
    return HTMLResponse(page("message.html.j2", text=text), status_code=status)


def _used() -> Response:
    return _message(
        403,
        "This link was used, or has been replaced. Ask the organiser for a new one.",
    )


REFUSALS = {
    401: "Please come in by your own link.",
    403: "This is not yours to see or to do.",
    404: "There is no such page.",
    405: "That cannot be done here.",
}


async def _refused(request: Request, error: Exception) -> Response:
    status = error.status_code if isinstance(error, HTTPException) else 500
    text = REFUSALS.get(status, "That did not work.")
    if request.url.path.startswith("/item/"):
        return _said(status, text)
    return _message(status, text)


async def _known(request: Request, error: Exception) -> Response:
    if request.url.path.startswith("/item/"):
        return _said(422, str(error))
    return _message(422, str(error))


async def _unkept(request: Request, error: Exception) -> Response:
    """Tell a rater that an answer could not be written, as on a full disk."""
    del request
    return _said(503, f"the store did not take it ({error})")


def _said(status: int, why: str) -> Response:
    body = msgspec.json.encode({"why": why})
    return Response(body, status_code=status, media_type="application/json")
