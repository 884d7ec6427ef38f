"""Which items of a table are one answer that stands in it several times; pure.

At turn 0 a target is asked the same in every setting, so that one answer and what was
said of it stand there once for each setting.
"""

from collections.abc import Hashable, Sequence

Item = tuple[str, str, str, int]
"""Target, setting, thread and turn."""


def first_alike(items: Sequence[Item], said: Sequence[Hashable]) -> list[int]:
    """Give for each item the place of the first that is the same answer.

    That is itself but at turn 0, where items of one target and question are one answer
    if the same was said of them. Scores that come from elsewhere may be of several
    answers; those that differ are not taken for one.

    Args:
        items: In the order of the table.
        said: Of each item, what the judges said.

    Example:
        >>> items = [("m", setting, "T1", turn)
        ...     for turn in (0, 1) for setting in ("multi_turn", "isolated")]
        >>> first_alike(items, [1, 1, 0, 0])
        [0, 0, 2, 3]
        >>> first_alike(items, [1, -1, 0, 0])
        [0, 1, 2, 3]
    """
    found: dict[Hashable, int] = {}
    firsts = []
    for at, ((target, setting, thread, turn), words) in enumerate(
        zip(items, said, strict=True)
    ):
        key = (target, setting if turn else None, thread, turn, words)
        firsts.append(found.setdefault(key, at))
    return firsts
