"""Why one post gives the thread it gives, or none; pure.

An explanation is made by the same functions as a build and so cannot differ from it.
`threadmed.dataset.threads.drawing` brings it to a terminal.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Literal

from threadmed.dataset.dumps.reddit import Comment, Post
from threadmed.dataset.options import BuildOptions
from threadmed.dataset.roles import Roles
from threadmed.dataset.threads.branches import (
    Candidate,
    Conversation,
    Dropped,
    DropReason,
    OutOfPlay,
    conversation,
)
from threadmed.dataset.threads.clean import (
    Limits,
    Reason,
    question_of,
    usable,
    words_left,
)
from threadmed.dataset.threads.pairing import Exchange, is_question, physicians_of
from threadmed.dataset.threads.reading import (
    NOBODYS,
    CommentReason,
    UnusedReason,
    answering_of,
    nodes_of,
    why_unused,
    whys_of,
)
from threadmed.dataset.threads.tree import Branch, Node, age, branches, by_tree
from threadmed.records import Record, Turn

NotUsed = Literal["thanks_alone", "left_out"]
"""Why a message of the patient or a physician is in no turn of its branch: it is thanks
alone, or the options take fewer answers."""

Verdict = Literal[
    "gives_thread", "fails", "passed_over", "out_of_play", "not_looked_at"
]
"""What became of a branch. fails: selected, or tried, and then no thread."""


class Remark(Record, frozen=True, kw_only=True):
    """A comment and what became of it."""

    id: str
    parent: str
    depth: int
    """0 for a reply to the post."""
    is_last: bool
    """Whether no later comment replies to the same parent."""
    after: int
    """Seconds since the post."""
    speaker: str
    """Such as "patient", "physician 2", "lay" or "bot"."""
    place: str
    """Its turn, as "q1" or "a1", counted from 0; empty where it is in none."""
    why: CommentReason | NotUsed | None
    """Why it is of no use; None where it is of use or only holds its place."""
    words: str
    """Its cleaned words as far as they were kept."""


class Limb(Record, frozen=True, kw_only=True):
    """A branch and what became of it."""

    root: str
    verdict: Verdict
    why: DropReason | OutOfPlay | None
    """Why it gives no thread, or would give none; None where it would."""
    overlap: float | None
    first_answer: str
    """Id of the answer that the post was held against; empty where there is none."""
    remarks: tuple[Remark, ...]
    """Each comment before those that reply to it."""


class Explanation(Record, frozen=True, kw_only=True):
    """What became of a post and of all that stands under it."""

    post: str
    comments: int
    why: Reason | UnusedReason | DropReason | None
    """Why the post gives no thread; None where it gives one."""
    question: str = ""
    """Empty where the post itself was dropped; then nothing under it is looked at."""
    limbs: tuple[Limb, ...] = ()
    detached: tuple[Remark, ...] = ()
    turns: tuple[Turn, ...] = ()


def explain(
    post: Post,
    comments: Sequence[Comment],
    *,
    limits: Limits,
    options: BuildOptions,
    roles: Roles,
) -> Explanation:
    """Say what becomes of a post and of every comment under it, and why.

    Args:
        post: As it was read, its copies merged; not cleaned.
        comments: All comments under it, each once, in any order.
        limits: What posts and comments are dropped by.
        options: How the conversation is made.
        roles: Roles by flair.
    """
    kept = usable(post, limits)
    if not isinstance(kept, Post):
        return Explanation(post=post.id, comments=len(comments), why=kept)
    by_id = {comment.id: comment for comment in comments}
    answering = answering_of(by_id, options=options, roles=roles)
    whys = whys_of(by_id, answering=answering, limits=limits)
    nodes = nodes_of(comments, whys, answering=answering, limits=limits)
    unused = why_unused(kept, comments, whys=whys, answering=answering, options=options)
    tree = branches(nodes, order=options.order)
    question = question_of(kept, options.text)
    found = conversation(question, tree, options=options, compare_all=True)
    teller = _Teller(
        by_id,
        start=kept.created,
        whys=whys,
        numbers=_numbers(nodes, found),
        roles=roles,
        limits=limits,
    )
    reached = {node.id for branch in tree for node in branch.nodes}
    return Explanation(
        post=post.id,
        comments=len(comments),
        why=unused or (found.reason if isinstance(found, Dropped) else None),
        question=question,
        limbs=tuple(_limbs(found, teller, options=options, unused=unused)),
        detached=tuple(
            teller.remark(node, depth=0, is_last=True)
            for node in sorted(nodes, key=age)
            if node.id not in reached
        ),
        turns=() if unused or isinstance(found, Dropped) else found.turns,
    )


class _Teller:
    """Tells of comments, with what is the same for all under a post."""

    def __init__(
        self,
        comments: Mapping[str, Comment],
        *,
        start: int,
        whys: Mapping[str, CommentReason],
        numbers: Mapping[str, int],
        roles: Roles,
        limits: Limits,
    ) -> None:
        self._start = start
        self._limits = limits
        self._comments = comments
        self._whys = whys
        self._roles = roles
        self._number = numbers

    def remark(
        self,
        node: Node,
        *,
        depth: int,
        is_last: bool,
        place: str = "",
        why: NotUsed | None = None,
    ) -> Remark:
        """Tell of one comment."""
        return Remark(
            id=node.id,
            parent=node.parent,
            depth=depth,
            is_last=is_last,
            after=node.time - self._start,
            speaker=self._speaker(node),
            place=place,
            why=self._whys.get(node.id) or why,
            words=node.text or self._words(node),
        )

    def _words(self, node: Node) -> str:
        """Give what somebody said who is neither patient nor physician."""
        if node.fate != "kept":
            return ""
        return words_left(self._comments[node.id].body, self._limits)

    def _speaker(self, node: Node) -> str:
        why = self._whys.get(node.id)
        if why in NOBODYS:
            return str(why)
        if node.speaker == "patient":
            return "patient"
        if not node.author:
            return "deleted account"
        role = self._roles.of(self._comments[node.id].flair)
        if node.speaker == "physician":
            kind = "clinician" if role == "clinician" else "physician"
            return f"{kind} {self._number[node.author]}"
        return role


def _numbers(nodes: Iterable[Node], found: Conversation | Dropped) -> dict[str, int]:
    """Number those who answer, the physicians of the thread as its flags do."""
    numbers = physicians_of(found.exchanges) if isinstance(found, Conversation) else {}
    for node in sorted(nodes, key=age):
        if node.speaker == "physician":
            numbers.setdefault(node.author, len(numbers) + 1)
    return numbers


def _limbs(
    found: Conversation | Dropped,
    teller: _Teller,
    *,
    options: BuildOptions,
    unused: UnusedReason | None,
) -> Iterator[Limb]:
    for one in found.candidates:
        first = one.first_answer
        yield Limb(
            root=one.branch.nodes[0].id,
            verdict="not_looked_at" if unused else _verdict(one, found, options),
            why=one.out_of_play or one.reason,
            overlap=one.overlap,
            first_answer=first.id if first else "",
            remarks=tuple(_remarks(one, teller, options)),
        )


def _verdict(
    one: Candidate, found: Conversation | Dropped, options: BuildOptions
) -> Verdict:
    if one.out_of_play:
        return "out_of_play"
    if isinstance(found, Conversation) and one.branch is found.branch:
        return "gives_thread"
    is_tried = not options.select_first and one.reason is not None
    if is_tried or (isinstance(found, Dropped) and one.branch is found.selected):
        return "fails"
    return "passed_over"


def _remarks(
    one: Candidate, teller: _Teller, options: BuildOptions
) -> Iterator[Remark]:
    places = dict(_places(one.exchanges))
    depth = {"": -1}
    for node, is_last in _drawn(one.branch):
        depth[node.id] = depth[node.parent] + 1
        place = places.get(node.id, "")
        yield teller.remark(
            node,
            depth=depth[node.id],
            is_last=is_last,
            place=place,
            why=None if place or not one.exchanges else _why_not(node, options),
        )


def _places(exchanges: Sequence[Exchange]) -> Iterator[tuple[str, str]]:
    for number, exchange in enumerate(exchanges):
        for node in exchange.questions:
            yield node.id, f"q{number}"
        for node in exchange.answers:
            yield node.id, f"a{number}"


def _why_not(node: Node, options: BuildOptions) -> NotUsed | None:
    if not node.counts:
        return None
    is_thanks = node.speaker == "patient" and not is_question(node, options)
    return "thanks_alone" if is_thanks else "left_out"


def _drawn(branch: Branch) -> Iterator[tuple[Node, bool]]:
    """Give each comment with all that came of it, and whether it is the last reply."""
    root = branch.nodes[0]
    children: dict[str, list[Node]] = {}
    for node in branch.nodes[1:]:
        children.setdefault(node.parent, []).append(node)
    last = _last(children)
    for node in by_tree(root, children):
        yield node, node is root or last[node.parent] == node.id


def _last(children: Mapping[str, Sequence[Node]]) -> dict[str, str]:
    return {parent: max(those, key=age).id for parent, those in children.items()}
