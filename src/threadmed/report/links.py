"""Names of places in the viewer, and addresses that lead to them."""

import re
from collections.abc import Iterable, Sequence
from urllib.parse import urlencode

from threadmed.records import ScoreOutcome, Setting
from threadmed.report.conversations import Disagreement

VIEWER = "conversations.html"
"""The page of the conversations, beside the report's."""


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


def answers_link(
    target: str = "",
    setting: Setting | None = None,
    score: int | Sequence[int] | None = None,
    *,
    turn: int | None = None,
    outcome: ScoreOutcome | None = None,
    disagreement: Disagreement | None = None,
) -> str:
    """Give the address of the answers that a count stands for.

    Args:
        target: Name of a model; empty is all of them.
        setting: None is all.
        score: The panel's; several are any of these, None is any or none.
        turn: The turn of the question, from 0.
        outcome: How the answer ended.
        disagreement: How far the judges' scores lie apart.

    Example:
        >>> answers_link("Aster 5", "oracle", -1)
        'conversations.html#model=Aster+5&setting=oracle&score=-1'
        >>> answers_link(score=(0, -1), turn=2, disagreement="opposed")
        'conversations.html#turn=2&score=0%2C-1&judges=opposed'
    """
    scores = (score,) if isinstance(score, int) else score or ()
    return _address(
        model=target,
        setting=setting,
        turn=turn,
        score=",".join(str(one) for one in scores),
        outcome=outcome,
        judges=disagreement,
    )


def flips_link(
    better: Setting,
    worse: Setting,
    *,
    target: str = "",
    than: str = "",
    turn: int | None = None,
) -> str:
    """Give the address of what was corrected on one side and not on the other.

    Args:
        better: The setting in which it was corrected.
        worse: The one in which it was not; between models it may be the same.
        target: Name of the model that corrected; empty is each.
        than: Name of the model that did not; empty is the same one.
        turn: The turn of the question, from 0.

    Example:
        >>> flips_link("target_turn", "multi_turn", turn=2)
        'conversations.html#turn=2&flip=target_turn.multi_turn'
        >>> flips_link("oracle", "oracle", target="a", than="b")
        'conversations.html#model=a&setting=oracle&than=b'
    """
    is_one = better == worse
    return _address(
        model=target,
        setting=better if is_one else None,
        turn=turn,
        flip=None if is_one else f"{better}.{worse}",
        than=than,
    )


def answer_link(
    thread_id: str, turn: int, target_slug: str = "", setting: Setting | None = None
) -> str:
    """Give the address of a question, of a model's answers to it, or of one answer.

    Example:
        >>> answer_link("THREAD_0413", 2, "aster-5", "oracle")
        'conversations.html#t-0413-2-aster-5-oracle'
    """
    parts = (thread_slug(thread_id), str(turn), target_slug, setting)
    return f"{VIEWER}#{'-'.join(part for part in parts if part)}"


def _address(**wanted: str | int | None) -> str:
    """Leave out what is not asked for; turn 0 is."""
    given = {name: value for name, value in wanted.items() if value not in {None, ""}}
    return f"{VIEWER}#{urlencode(given)}"
