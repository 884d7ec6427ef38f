"""From the comments under a post to one linear conversation (paper, A.3); pure.

Every reply to the post roots a branch; a branch is its root with all descendants in
time order, and never a reply before what it replies to.
Among the branches that a physician answered in, the one whose first answer shares
most words with the post is selected.

Trees of real dumps have comments that reply to themselves, to each other in a circle,
or to something that was never archived; none of these can be reached from the post,
and they are counted as detached.
The order in which comments come changes nothing.
"""

import heapq
import re
from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from typing import Literal

from threadmed.dataset.options import BuildOptions
from threadmed.records import Record, Turn

Speaker = Literal["patient", "physician", "other"]

Fate = Literal["kept", "gone", "ignored"]
"""gone: deleted or removed; ignored: a bot's, a notice, or empty."""

WORD = re.compile(r"[^\W_]+(?:['\u2019][^\W_]+)*")

DropReason = Literal[
    "no_physician",
    "patient_deleted",
    "patient_perhaps_deleted",
    "too_much_removed",
    "too_few_follow_ups",
]
"""Why a post gives no thread."""


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

    @property
    def counts(self) -> bool:
        """Whether it is a patient's or physician's message with words."""
        return self.fate == "kept" and self.speaker != "other" and self.text != ""


class Branch(Record, frozen=True, kw_only=True):
    """A reply to the post with all that came of it."""

    nodes: tuple[Node, ...]
    """In time order, parents before children; the first is the root."""
    answers: tuple[Node, ...] = ()
    """The physicians' messages that are used, in the same order."""
    overlap: float = 0.0
    """How much the first of them has in common with the post."""


class Conversation(Record, frozen=True, kw_only=True):
    """What a post gives."""

    turns: tuple[Turn, ...]
    branch: Branch
    """The branch that was selected."""
    rivals: int
    """Other branches with a physician's answer."""


class Dropped(Record, frozen=True, kw_only=True):
    """Why a post gives no conversation."""

    reason: DropReason


def conversation(
    question: str, tree: Sequence[Branch], *, options: BuildOptions
) -> Conversation | Dropped:
    """Make the conversation of a post, or say why there is none.

    Args:
        question: The post's cleaned words.
        tree: The branches under it.
        options: How branches are selected and answers paired.

    Example:
        >>> nodes = [
        ...     Node(id="a", parent="", time=1, speaker="physician", text="Rest."),
        ...     Node(id="b", parent="a", time=2, speaker="patient", text="How long?"),
        ...     Node(id="c", parent="b", time=3, speaker="physician", text="A week."),
        ...     Node(id="d", parent="c", time=4, speaker="patient", text="And walk?"),
        ... ]
        >>> tree = branches(nodes)
        >>> made = conversation("My foot hurts", tree, options=BuildOptions())
        >>> [turn.answer for turn in made.turns]
        ['Rest.', 'A week.', None]
    """
    answered = [
        branch
        for branch in (_with_answers(one, options) for one in tree)
        if branch.answers
    ]
    if not answered:
        return Dropped(reason="no_physician")
    ranked = sorted(_compared(answered, words_of(question), options), key=_rank)
    judged = ranked[:1] if options.select_first else ranked
    reasons: list[DropReason] = []
    for branch in judged:
        turns = turns_of(question, branch, options=options)
        reason = why_drop(branch, turns, options=options)
        if reason is None:
            return Conversation(turns=turns, branch=branch, rivals=len(answered) - 1)
        reasons.append(reason)
    return Dropped(reason=reasons[0])


def branches(nodes: Iterable[Node]) -> tuple[Branch, ...]:
    """Give the branches under a post, by time of their roots.

    Args:
        nodes: The comments under it, in any order, each id once.
    """
    children: dict[str, list[Node]] = {}
    for node in nodes:
        children.setdefault(node.parent, []).append(node)
    roots = sorted(children.get("", []), key=_order)
    return tuple(Branch(nodes=_descent(root, children)) for root in roots)


def detached(nodes: Iterable[Node], tree: Sequence[Branch]) -> frozenset[str]:
    """Give the ids of the comments that cannot be reached from the post.

    Example:
        >>> nodes = [Node(id="a", parent="a", time=1, speaker="other")]
        >>> sorted(detached(nodes, branches(nodes)))
        ['a']
    """
    reached = {node.id for branch in tree for node in branch.nodes}
    return frozenset(node.id for node in nodes if node.id not in reached)


def _descent(root: Node, children: dict[str, list[Node]]) -> tuple[Node, ...]:
    """Order a root and its descendants by time, a child only after its parent."""
    waiting = [(_order(root), root)]
    ordered = []
    while waiting:
        _, node = heapq.heappop(waiting)
        ordered.append(node)
        for child in children.get(node.id, ()):
            heapq.heappush(waiting, (_order(child), child))
    return tuple(ordered)


def _order(node: Node) -> tuple[int, int, str]:
    """Time, and among equal times the lower id in base 36, which is the older."""
    return node.time, len(node.id), node.id


def overlap(
    question: AbstractSet[str],
    answer: AbstractSet[str],
    *,
    measure: Literal["words", "jaccard"],
) -> float:
    """Say how much two texts have in common.

    Args:
        question: Words of the post, title and body.
        answer: Words of the first physician's answer.
        measure: "words" counts distinct words in both, without regard to case;
            "jaccard" divides that by the distinct words in either, and lies in [0, 1].

    References:
        ThReadMed-QA, appendix A.3: "a word-overlap heuristic between the post text
        and the first physician response"; stop words are kept, since it names none.

    Example:
        >>> foot, hand = words_of("My left foot"), words_of("The left hand")
        >>> overlap(foot, hand, measure="words")
        1.0
        >>> overlap(foot, hand, measure="jaccard")
        0.2
    """
    shared = len(question & answer)
    if measure == "words":
        return float(shared)
    return shared / (len(question | answer) or 1)


def words_of(text: str) -> AbstractSet[str]:
    """Give the distinct words of a text, in lower case.

    Example:
        >>> sorted(words_of("Don't run; DON'T!"))
        ["don't", 'run']
    """
    return frozenset(WORD.findall(text.casefold()))


def _with_answers(branch: Branch, options: BuildOptions) -> Branch:
    answers = [node for node in branch.nodes if _is_answer(node)]
    if options.answers_to == "conversation":
        voices = {node.id for node in branch.nodes if node.speaker != "other"} | {""}
        answers = [node for node in answers if node.parent in voices]
    if options.physicians == "first":
        answers = [node for node in answers if node.author == answers[0].author]
    return Branch(nodes=branch.nodes, answers=tuple(answers))


def _compared(
    answered: Sequence[Branch], question: AbstractSet[str], options: BuildOptions
) -> Iterator[Branch]:
    for branch in answered:
        first = words_of(branch.answers[0].text)
        shared = overlap(question, first, measure=options.overlap)
        yield Branch(nodes=branch.nodes, answers=branch.answers, overlap=shared)


def _is_answer(node: Node) -> bool:
    return node.counts and node.speaker == "physician"


def _rank(branch: Branch) -> tuple[float, tuple[int, int, str]]:
    """Most in common first; among equals the earlier first answer, then the lower id."""
    return -branch.overlap, _order(branch.answers[0])


def turns_of(
    question: str, branch: Branch, *, options: BuildOptions
) -> tuple[Turn, ...]:
    """Pair the patient's messages with the physicians' answers.

    Every message of the patient opens a turn; a turn without an answer is an orphan
    (paper, A.4).
    """
    questions = [question]
    answers: list[list[str]] = [[]]
    used = {node.id for node in branch.answers}
    home = {"": 0}
    """Turn of a comment: its own, or that of the message it hangs under."""
    for node in branch.nodes:
        home[node.id] = home[node.parent]
        if node.id in used:
            turn = home[node.id] if options.pairing == "tree" else len(questions) - 1
            answers[turn].append(node.text)
        elif node.counts and node.speaker == "patient":
            if options.questions == "merged" and not answers[-1]:
                questions[-1] += f"\n\n{node.text}"
            else:
                questions.append(node.text)
                answers.append([])
            home[node.id] = len(questions) - 1
    last = 1 if options.answers == "first" else None
    return tuple(
        Turn(question=asked, answer="\n\n".join(given[:last]) or None)
        for asked, given in zip(questions, answers, strict=True)
    )


def why_drop(
    branch: Branch, turns: Sequence[Turn], *, options: BuildOptions
) -> DropReason | None:
    """Give the first reason why a branch is no conversation, or None."""
    if any(node.speaker == "patient" and node.fate == "gone" for node in branch.nodes):
        return "patient_deleted"
    if options.suspected_deletion == "strict" and _perhaps_deleted(branch):
        return "patient_perhaps_deleted"
    if _removed_share(branch) > options.max_removed_share:
        return "too_much_removed"
    if len(turns) - 1 < options.min_follow_ups:
        return "too_few_follow_ups"
    return None


def _perhaps_deleted(branch: Branch) -> bool:
    """Whether a comment of a deleted author stands where the patient's would.

    With its author a comment has lost the sign that it is the patient's; one that
    replies to a physician or the patient, and that a physician replied to, most
    likely is.
    """
    speaker = {node.id: node.speaker for node in branch.nodes}
    answered = {node.parent for node in branch.answers}
    return any(
        node.fate != "ignored"
        and node.speaker == "other"
        and not node.author
        and node.id in answered
        and speaker.get(node.parent, "other") != "other"
        for node in branch.nodes
    )


def _removed_share(branch: Branch) -> float:
    people = [node for node in branch.nodes if node.fate != "ignored"]
    return sum(node.fate == "gone" for node in people) / (len(people) or 1)
