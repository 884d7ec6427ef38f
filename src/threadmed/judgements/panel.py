"""From the scores of several judges to one (paper, B.2); pure.

A judge without a score is never left out of the count: the panel is the configured
one. So a lost verdict cannot turn a split panel into a majority, and no rule gives a
score that the missing verdict could have changed, except that the primary judge may
decide (`majority` without a majority, and `primary`), which is what it is for.

    majority   the score of more than half of the configured judges; where there is
               none the primary decides, if there is one and it has a score
    primary    the primary judge's score alone
    median     the middle of all scores, the lower of the two middles where the panel
               is even; only where no missing score could move it
    lowest     the lowest of all scores; only where all are there, or once a -1 is
    unanimous  the score that all judges gave; none where one is missing
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import assert_never

from threadmed.records import PanelRule, Record, Score


class PanelVerdict(Record, frozen=True, kw_only=True):
    """What a panel made of one answer."""

    score: Score | None
    """None where the panel reached no score."""
    tie_break: bool
    """Whether the primary judge decided for want of a majority."""


def panel(
    verdicts: Mapping[str, Score | None],
    *,
    judges: Sequence[str],
    rule: PanelRule,
    primary: str | None,
) -> PanelVerdict:
    """Apply one of the rules above to the judges' scores of one answer.

    Args:
        verdicts: Score by judge; None, or no entry, is unscored.
        judges: The configured panel.
        rule: How scores become one.
        primary: The judge that decides; None where the panel has none.

    Returns:
        The score, or None, and whether it took the primary to break a tie.

    Raises:
        ValueError: If the panel is empty or names a judge twice, if a verdict or the
            primary is not of the panel, or if rule `primary` has no primary.

    References:
        ThReadMed-QA, appendix B.2, names the primary judge and not the rule; the
        strict majority of the configured panel is our reading.

    Example:
        >>> scores = {"a": 1, "b": -1, "c": None}
        >>> panel(scores, judges="abc", rule="majority", primary="a")
        PanelVerdict(score=1, tie_break=True)
        >>> panel(scores, judges="abc", rule="median", primary="a")
        PanelVerdict(score=None, tie_break=False)
    """
    _check(verdicts, judges=judges, rule=rule, primary=primary)
    scores = [verdicts.get(judge) for judge in judges]
    first = verdicts.get(primary) if primary is not None else None
    match rule:
        case "majority":
            return _majority(scores, first)
        case "primary":
            score = first
        case "median":
            score = _settled(scores, rank=(len(scores) - 1) // 2)
        case "lowest":
            score = _settled(scores, rank=0)
        case "unanimous":
            score = scores[0] if len(set(scores)) == 1 else None
        case _:
            assert_never(rule)
    return PanelVerdict(score=score, tie_break=False)


def waves(judges: Sequence[str], *, lazy: bool) -> Iterator[tuple[str, ...]]:
    """Say who is asked together: all, or of a lazy panel first as many as could decide.

    Example:
        >>> list(waves("abc", lazy=True)), list(waves("abc", lazy=False))
        ([('a', 'b'), ('c',)], [('a', 'b', 'c')])
    """
    first = len(judges) // 2 + 1 if lazy else len(judges)
    yield tuple(judges[:first])
    for judge in judges[first:]:
        yield (judge,)


def asked_last(judges: Sequence[str], *, lazy: bool) -> tuple[str, ...]:
    """Name the judges that are asked only where those before left the score open.

    Example:
        >>> asked_last("abc", lazy=True), asked_last("abc", lazy=False)
        (('c',), ())
    """
    return tuple(judges[len(next(waves(judges, lazy=lazy))) :])


def is_decided(
    verdicts: Mapping[str, Score | None],
    *,
    judges: Sequence[str],
    rule: PanelRule,
    primary: str | None,
) -> bool:
    """Whether no verdict that is still to come could change what the panel says.

    Args:
        verdicts: Score by judge, of those that were asked; None is unscored.
        judges: The configured panel.
        rule: How scores become one.
        primary: The judge that decides; None where the panel has none.

    Example:
        >>> by = {"judges": "abc", "rule": "majority", "primary": "c"}
        >>> is_decided({"a": 1, "b": 1}, **by), is_decided({"a": 1, "b": 0}, **by)
        (True, False)
    """
    missing = [judge for judge in judges if judge not in verdicts]
    said = {
        panel(
            {**verdicts, **dict(zip(missing, come, strict=True))},
            judges=judges,
            rule=rule,
            primary=primary,
        )
        for come in product(ANY, repeat=len(missing))
    }
    return len(said) == 1


ANY: tuple[Score | None, ...] = (-1, 0, 1, None)


def _check(
    verdicts: Mapping[str, Score | None],
    *,
    judges: Sequence[str],
    rule: PanelRule,
    primary: str | None,
) -> None:
    """Refuse a panel that does not fit together."""
    if not judges or len(set(judges)) < len(judges):
        raise ValueError(f"expected one or more different judges, got {list(judges)!r}")
    strangers = sorted(verdicts.keys() - set(judges))
    if strangers:
        raise ValueError(f"{strangers[0]!r} is not of the panel {list(judges)!r}")
    if primary is not None and primary not in judges:
        raise ValueError(f"primary {primary!r} is not of the panel {list(judges)!r}")
    if rule == "primary" and primary is None:
        raise ValueError('rule "primary" needs a primary judge')


def _majority(scores: Sequence[Score | None], primary: Score | None) -> PanelVerdict:
    """Take what more than half of the panel says, and else what the primary says."""
    given = Counter(score for score in scores if score is not None)
    for score, count in given.items():
        if 2 * count > len(scores):
            return PanelVerdict(score=score, tie_break=False)
    return PanelVerdict(score=primary, tie_break=primary is not None)


def _settled(scores: Sequence[Score | None], *, rank: int) -> Score | None:
    """Give the score of that rank (0 is the lowest) if missing ones cannot move it."""
    least = sorted(-1 if score is None else score for score in scores)[rank]
    most = sorted(1 if score is None else score for score in scores)[rank]
    return least if least == most else None
