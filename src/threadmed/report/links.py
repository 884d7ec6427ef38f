"""Names of places on the page, and addresses that lead to them."""

import re
from collections.abc import Iterable
from urllib.parse import urlencode

from threadmed.records import Setting


def slug(text: str) -> str:
    """Turn a name into what an address can hold.

    Example:
        >>> slug("Aster 5"), slug("org/Model_7B")
        ('aster-5', 'org-model_7b')
    """
    return re.sub(r"[^a-z0-9_.]+", "-", text.lower()).strip("-") or "x"


def slugs(names: Iterable[str]) -> dict[str, str]:
    """Give every name a slug of its own; a second one alike gets a number.

    Example:
        >>> slugs(["a b", "a-b"])
        {'a b': 'a-b', 'a-b': 'a-b-2'}
    """
    given: dict[str, str] = {}
    for name in dict.fromkeys(names):
        wanted, number = slug(name), 2
        while wanted in given.values():
            wanted, number = f"{slug(name)}-{number}", number + 1
        given[name] = wanted
    return given


def thread_slug(thread_id: str) -> str:
    """Shorten the name of a thread for addresses.

    Example:
        >>> thread_slug("THREAD_0413")
        't-0413'
    """
    return f"t-{slug(thread_id.removeprefix('THREAD_'))}"


def answers_link(target: str, setting: Setting, score: int) -> str:
    """Give the address of the conversations that a count stands for.

    Example:
        >>> answers_link("a", "oracle", -1)
        '?model=a&setting=oracle&score=-1#conversations'
    """
    query = urlencode({"model": target, "setting": setting, "score": score})
    return f"?{query}#conversations"
