"""Draws the pages; decides nothing."""

import base64
import hashlib
import json
from functools import cache
from importlib.resources import files

import msgspec
from jinja2 import Environment, PackageLoader, StrictUndefined

from threadmed.annotate.tasks import TASKS, TaskName
from threadmed.markup import UNSHOWN

STATIC = {
    "rate.css": "text/css",
    "rate.js": "text/javascript",
    "web.js": "text/javascript",
    "organiser.js": "text/javascript",
}
"""The files that the server gives out, and nothing else."""


@cache
def _environment() -> Environment:
    return Environment(
        loader=PackageLoader("threadmed.annotate"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def page(template: str, **values: object) -> str:
    """Fill a template; all text in it is escaped."""
    html = _environment().get_template(template).render(tasks=TASKS, **values)
    return html.translate(UNSHOWN)


def static(name: str) -> str:
    """Give a file of our own.

    Raises:
        KeyError: If it is not one that is given out.
    """
    if name not in STATIC and name != "kit.js":
        raise KeyError(name)
    path = files("threadmed.annotate").joinpath("static", name)
    return path.read_text(encoding="utf-8")


def setup(tasks: tuple[TaskName, ...], **more: object) -> dict[str, object]:
    """Say to a page's script which tasks there are, and what else it must know."""
    return {"tasks": {name: msgspec.to_builtins(TASKS[name]) for name in tasks}} | more


def embedded(value: object) -> str:
    r"""Write a value as JSON that may stand inside of a script element.

    Example:
        >>> print(embedded({"text": "</script>"}))
        {"text": "\u003c/script>"}
    """
    text = json.dumps(msgspec.to_builtins(value), ensure_ascii=False)
    escapes = {"<": "\\u003c", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"}
    for sign, escape in escapes.items():
        text = text.replace(sign, escape)
    return text


def fingerprint(text: str) -> str:
    """Give what a content-security policy calls a script or style by.

    Example:
        >>> fingerprint("")
        "'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='"
    """
    digest = hashlib.sha256(text.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"
