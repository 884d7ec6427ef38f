"""From the branches under a post to one linear conversation (paper, A.3); pure.

Among the branches that a physician answered in, the one whose first answer shares
most words with the post is selected.
Every branch is accounted for with what became of it, so that an explanation is made
of the same facts as a build.
"""

from collections.abc import Iterable, Sequence
from typing import Literal

import msgspec

from threadmed.dataset.options import BuildOptions
from threadmed.dataset.threads.overlap import overlap, words_of
from threadmed.dataset.threads.pairing import Exchange, answers_of, exchanges_of, turns
from threadmed.dataset.threads.tree import Branch, Node, age
from threadmed.records import Record, Turn

DropReason = Literal[
    "no_physician",
    "patient_deleted",
    "patient_perhaps_deleted",
    "answer_removed",
    "too_much_removed",
    "first_unanswered",
    "too_few_follow_ups",
]
"""Why the branches of a post give no thread."""

OutOfPlay = Literal["no_physician", "patient_root", "lay_root"]
"""Why a branch is none of those to select from."""


class Candidate(Record, frozen=True, kw_only=True):
    """A branch and what may come of it."""

    branch: Branch
    exchanges: tuple[Exchange, ...] = ()
    first_answer: Node | None = None
    """The first of the answers that are used."""
    overlap: float | None = None
    """How much it has in common with the post; None where there is no other branch
    to choose from and nobody asked."""
    out_of_play: OutOfPlay | None = None
    """Why the branch may not be selected; None if it may."""
    reason: DropReason | None = None
    """Why it gives no thread where it is selected; None if it does."""


class Conversation(Record, frozen=True, kw_only=True):
    """What a post gives."""

    turns: tuple[Turn, ...]
    exchanges: tuple[Exchange, ...]
    """The comments behind each turn."""
    branch: Branch
    """The branch that was selected."""
    rivals: int
    """Other branches with a physician's answer."""
    candidates: tuple[Candidate, ...]
    """All branches, by time of their roots."""


class Dropped(Record, frozen=True, kw_only=True):
    """Why a post gives no conversation."""

    reason: DropReason
    candidates: tuple[Candidate, ...] = ()
    selected: Branch | None = None
    """The branch that the reason is of; None where none could be selected."""


def conversation(
    question: str,
    tree: Sequence[Branch],
    *,
    options: BuildOptions,
    compare_all: bool = False,
) -> Conversation | Dropped:
    """Make the conversation of a post, or say why there is none.

    Args:
        question: The post's cleaned words.
        tree: The branches under it.
        options: How branches are selected and answers paired.
        compare_all: Hold a branch against the post also where it is the only one, which
            changes nothing but what is told of it.

    Example:
        >>> from threadmed.dataset.threads.tree import branches
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
    candidates = candidates_of(tree, options=options)
    return selected(question, candidates, options=options, compare_all=compare_all)


def candidates_of(
    tree: Iterable[Branch], *, options: BuildOptions
) -> tuple[Candidate, ...]:
    """Say of each branch what may come of it; none is held against the post yet."""
    return tuple([_candidate(branch, options) for branch in tree])


def reason_of_all(candidates: Iterable[Candidate]) -> DropReason | None:
    """Give the reason why there is no conversation whichever branch is selected.

    Where all fail alike it is the same for each, and neither need they be compared nor
    the post be cleaned; None where the selection decides.
    """
    reasons = {one.reason for one in candidates if not one.out_of_play}
    if not reasons:
        return "no_physician"
    return reasons.pop() if len(reasons) == 1 else None


def selected(
    question: str,
    candidates: Sequence[Candidate],
    *,
    options: BuildOptions,
    compare_all: bool = False,
) -> Conversation | Dropped:
    """Select one of the branches under a post, as `conversation` does.

    Args:
        question: The post's cleaned words.
        candidates: The branches under it.
        options: How they are selected.
        compare_all: As `conversation` takes it.
    """
    if compare_all or sum(not one.out_of_play for one in candidates) > 1:
        candidates = _compared(candidates, question, options)
    ranked = sorted((one for one in candidates if not one.out_of_play), key=_rank)
    if not ranked:
        return Dropped(reason="no_physician", candidates=tuple(candidates))
    reasons: list[DropReason] = []
    for one in ranked[:1] if options.select_first else ranked:
        if one.reason is None:
            return Conversation(
                turns=turns(question, one.exchanges),
                exchanges=one.exchanges,
                branch=one.branch,
                rivals=len(ranked) - 1,
                candidates=tuple(candidates),
            )
        reasons.append(one.reason)
    return Dropped(
        reason=reasons[0], candidates=tuple(candidates), selected=ranked[0].branch
    )


def _candidate(branch: Branch, options: BuildOptions) -> Candidate:
    answers = answers_of(branch, options)
    why = why_out_of_play(branch, answers, options)
    if why is not None:
        return Candidate(branch=branch, out_of_play=why)
    exchanges = exchanges_of(branch, answers, options=options)
    return Candidate(
        branch=branch,
        exchanges=exchanges,
        first_answer=answers[0],
        reason=why_drop(branch, answers, exchanges, options=options),
    )


def _compared(
    candidates: Sequence[Candidate], question: str, options: BuildOptions
) -> tuple[Candidate, ...]:
    words = words_of(question, stop_words=options.stop_words)
    compared = []
    for one in candidates:
        if one.first_answer is not None:
            first = words_of(one.first_answer.text, stop_words=options.stop_words)
            shared = overlap(words, first, measure=options.overlap)
            compared.append(msgspec.structs.replace(one, overlap=shared))
        else:
            compared.append(one)
    return tuple(compared)


def _rank(candidate: Candidate) -> tuple[float, tuple[int, int, str]]:
    """Most in common first; among equals the earlier first answer, then the lower id."""
    first = candidate.first_answer or candidate.branch.nodes[0]
    return -(candidate.overlap or 0.0), age(first)


def why_out_of_play(
    branch: Branch, answers: Sequence[Node], options: BuildOptions
) -> OutOfPlay | None:
    """Give the reason why a branch may not be selected, or None."""
    if not answers:
        return "no_physician"
    match branch.nodes[0].speaker:
        case "patient" if options.patient_roots == "skip":
            return "patient_root"
        case "other" if options.lay_roots == "skip":
            return "lay_root"
        case _:
            return None


def why_drop(
    branch: Branch,
    answers: Sequence[Node],
    exchanges: Sequence[Exchange],
    *,
    options: BuildOptions,
) -> DropReason | None:
    """Give the first reason why a branch is no conversation, or None.

    Args:
        branch: The branch.
        answers: Those of its comments that are used as answers.
        exchanges: What they and the patient's messages were paired to.
        options: What is asked of a conversation.
    """
    lost = _why_lost(branch, answers, options)
    if lost is not None:
        return lost
    if options.first_unanswered == "drop" and not exchanges[0].answers:
        return "first_unanswered"
    if len(exchanges) - 1 < options.min_follow_ups:
        return "too_few_follow_ups"
    return None


def _why_lost(
    branch: Branch, answers: Sequence[Node], options: BuildOptions
) -> DropReason | None:
    """Give the first reason that lies in what is no longer there."""
    gone = [node.speaker for node in branch.nodes if node.fate == "gone"]
    if "patient" in gone:
        return "patient_deleted"
    if options.suspected_deletion == "strict" and _perhaps_deleted(branch, answers):
        return "patient_perhaps_deleted"
    if options.removed_answer == "drop_thread" and "physician" in gone:
        return "answer_removed"
    return "too_much_removed" if _is_too_much(len(gone), branch, options) else None


def _is_too_much(gone: int, branch: Branch, options: BuildOptions) -> bool:
    if gone == 0:
        return False
    people = sum([node.fate != "ignored" for node in branch.nodes])
    return gone / people > options.max_removed_share


def _perhaps_deleted(branch: Branch, answers: Sequence[Node]) -> bool:
    """Whether a comment of a deleted author stands where the patient's would.

    With its author a comment has lost the sign that it is the patient's; one that
    replies to a physician or the patient, and that a physician replied to, most
    likely is.
    """
    answered = {node.parent for node in answers}
    nameless = [
        node
        for node in branch.nodes
        if not node.author
        and node.fate != "ignored"
        and node.speaker == "other"
        and node.id in answered
    ]
    if not nameless:
        return False
    speaker = {node.id: node.speaker for node in branch.nodes}
    return any(speaker.get(node.parent, "other") != "other" for node in nameless)
