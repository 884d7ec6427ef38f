"""The comments under a post as a tree of branches (paper, A.1); pure.

Every reply to the post roots a branch; a branch is its root with all descendants, and
never a reply before what it replies to.

Trees of real dumps have comments that reply to themselves, to each other in a circle,
or to something that was never archived; none of these can be reached from the post,
and they are counted as detached.
The order in which comments come changes nothing.
"""

import heapq
from collections.abc import Collection, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from operator import lt
from typing import Literal

from threadmed.dataset.options import Order
from threadmed.records import Record

Speaker = Literal["patient", "physician", "other"]
"""physician: whoever answers, which may be other clinicians too by `roles`."""

Fate = Literal["kept", "gone", "ignored"]
"""gone: deleted or removed; ignored: a bot's or a notice."""


class Node(Record, frozen=True, kw_only=True, gc=False):
    """A comment, as far as the shape of a conversation depends on it."""

    id: str
    parent: str
    """Id of the comment that it replies to; empty for a reply to the post."""
    time: int
    speaker: Speaker
    author: str = ""
    """Name within the post; empty where the account is gone."""
    text: str = ""
    """Cleaned words of the patient and of physicians."""
    fate: Fate = "kept"
    is_edited: bool = False

    @property
    def counts(self) -> bool:
        """Whether it is a patient's or physician's message with words."""
        return self.fate == "kept" and self.speaker != "other" and self.text != ""


class Branch(Record, frozen=True, kw_only=True):
    """A reply to the post with all that came of it."""

    nodes: tuple[Node, ...]
    """Parents before children; the first is the root."""


def branches(nodes: Iterable[Node], *, order: Order = "time") -> tuple[Branch, ...]:
    """Give the branches under a post, by time of their roots.

    Args:
        nodes: The comments under it, in any order, each id once.
        order: "time" interleaves the side branches of a branch; "tree" gives each
            comment with all that came of it before the next.

    Example:
        >>> talk = [
        ...     Node(id="a", parent="", time=1, speaker="physician"),
        ...     Node(id="b", parent="a", time=2, speaker="patient"),
        ...     Node(id="c", parent="a", time=3, speaker="patient"),
        ...     Node(id="d", parent="b", time=4, speaker="physician"),
        ... ]
        >>> for order in ("time", "tree"):
        ...     print(*(node.id for node in branches(talk, order=order)[0].nodes))
        a b c d
        a b d c
    """
    children: dict[str, list[Node]] = {}
    for node in nodes:
        children.setdefault(node.parent, []).append(node)
    descent = _by_time if order == "time" else by_tree
    roots = sorted(children.get("", []), key=age)
    return tuple(Branch(nodes=descent(root, children)) for root in roots)


def detached(parents: Mapping[str, str]) -> AbstractSet[str]:
    """Give the ids of the comments that cannot be reached from the post.

    Args:
        parents: What each comment replies to, by id; empty for the post.

    Example:
        >>> sorted(detached({"a": "", "b": "a", "c": "c", "d": "gone"}))
        ['c', 'd']
    """
    arrives = {"": True}
    for start in parents:
        way = []
        place = start
        while place in parents and place not in arrives:
            arrives[place] = False  # for now, so that a circle ends
            way.append(place)
            place = parents[place]
        if arrives.get(place, False):
            arrives.update(dict.fromkeys(way, True))
    return {identity for identity in parents if not arrives[identity]}


def is_whole(ids: Collection[str], parents: Sequence[str]) -> bool:
    """Whether every comment replies to the post, or to one of a lower id that is there.

    Then there is neither a gap nor a circle, and none is detached. Nearly always it is
    so, since ids ascend with time and those under one post are nearly always of one
    length, in which they ascend as texts do; where it is not, look closely.

    Args:
        ids: The comments.
        parents: What they reply to, in the same order; empty for the post.

    Example:
        >>> is_whole(["a", "b"], ["", "a"]), is_whole(["a", "b"], ["", "gone"])
        (True, False)
    """
    return all(map(lt, parents, ids)) and set(ids).issuperset(filter(None, parents))


def age(node: Node) -> tuple[int, int, str]:
    """Time, and among equal times the lower id in base 36, which is the older."""
    return node.time, len(node.id), node.id


def by_tree(root: Node, children: Mapping[str, Sequence[Node]]) -> tuple[Node, ...]:
    """Order a root and its descendants so that each has its own right behind it."""
    waiting = [root]
    ordered = []
    while waiting:
        node = waiting.pop()
        ordered.append(node)
        waiting += sorted(children.get(node.id, ()), key=age, reverse=True)
    return tuple(ordered)


def _by_time(root: Node, children: Mapping[str, Sequence[Node]]) -> tuple[Node, ...]:
    """Order a root and its descendants by time, a child only after its parent."""
    waiting = [(age(root), root)]
    ordered = []
    while waiting:
        _, node = heapq.heappop(waiting)
        ordered.append(node)
        for child in children.get(node.id, ()):
            heapq.heappush(waiting, (age(child), child))
    return tuple(ordered)
