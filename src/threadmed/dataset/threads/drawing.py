"""An explanation as a tree of lines for a terminal; pure."""

from collections.abc import Iterator, Sequence

from threadmed.dataset.threads.explain import Explanation, Limb, Remark, Verdict
from threadmed.records import Turn

WARNING = "This is from the dump and holds people's words: do not publish."

LONGEST_WORDS = 60
DEEPEST = 16
"""Levels that are drawn; what lies deeper says its depth, and the lines stay short."""

MEANINGS: dict[str, str] = {
    "outside_window": "it was not written in the window",
    "deleted": "it was deleted",
    "deleted_by_user": "its author deleted it",
    "deleted_later": "it was deleted after it was archived",
    "removed": "it was removed",
    "removed_later": "it was removed after it was archived",
    "removed_by_moderator": "a moderator removed it",
    "removed_by_automod": "a moderators' program removed it",
    "removed_by_reddit": "Reddit removed it",
    "removed_for_legal_reasons": "it was removed for legal reasons",
    "author_banned": "its author was banned",
    "author_deleted": "its author's account is gone",
    "bot": "a program wrote it",
    "notice": "a moderator pinned it",
    "image_only": "it is an image without a text",
    "link_only": "it is a link without a text",
    "too_few_words": "it has fewer words than min_words",
    "empty": "nothing is left of it once it is cleaned",
    "detached": "its line of parents does not lead to the post",
    "thanks_alone": "it is thanks alone, which is no question by thanks",
    "left_out": "answers, physicians or answers_to leave it out",
    "no_comments": "it has no comment that counts for at_least_one_comment",
    "patient_is_physician": "the patient's own flair answers, and physician_patient drops",
    "no_physician": "no physician's answer is in it",
    "patient_root": "it begins with the patient, and patient_roots skips those",
    "lay_root": "neither patient nor physician begins it, and lay_roots skips those",
    "patient_deleted": "a message of the patient was deleted or removed",
    "patient_perhaps_deleted": "a deleted account stands where the patient's would",
    "answer_removed": "a physician's answer was removed",
    "too_much_removed": "more than max_removed_share of it is gone",
    "first_unanswered": "the patient wrote again before anybody answered the post",
    "too_few_follow_ups": "the patient wrote fewer than min_follow_ups messages in it",
}
"""What each reason says of the post, comment or branch that it is of."""

VERDICTS: dict[Verdict, str] = {
    "gives_thread": "selected",
    "fails": "no thread",
    "passed_over": "passed over",
    "out_of_play": "not in play",
    "not_looked_at": "not looked at",
}


def lines(explanation: Explanation) -> Iterator[str]:
    """Draw an explanation, a line at a time.

    Args:
        explanation: What `threadmed.dataset.threads.explain.explain` gave.

    Example:
        >>> bare = Explanation(post="abc1", comments=0, why="too_few_words")
        >>> for line in lines(bare):
        ...     print(line or "-")
        This is from the dump and holds people's words: do not publish.
        -
        post abc1; comments were not looked at
        -
        no thread: too_few_words (it has fewer words than min_words)
    """
    yield WARNING
    yield ""
    for line in _drawing(explanation):
        # An id is what the dump says it is, and could steer the terminal.
        yield line if line.isprintable() else "".join(filter(str.isprintable, line))


def _drawing(explanation: Explanation) -> Iterator[str]:
    if not explanation.question:
        yield f"post {explanation.post}; comments were not looked at"
    else:
        yield f"post {explanation.post}, {counted(explanation.comments, 'comment')}"
        yield f"│  q0  {quoted(explanation.question)}"
        yield from _tree(explanation)
    yield ""
    yield from _outcome(explanation)


def _tree(explanation: Explanation) -> Iterator[str]:
    limbs = explanation.limbs
    for number, limb in enumerate(limbs, start=1):
        is_last = number == len(limbs) and not explanation.detached
        yield "│"
        yield f"{'└─' if is_last else '├─'} {_heading(limb)}"
        yield from _table(limb.remarks, margin="   " if is_last else "│  ")
    if explanation.detached:
        yield "│"
        yield f"└─ detached: {counted(len(explanation.detached), 'comment')}"
        yield from _table(explanation.detached, margin="   ")


def _heading(limb: Limb) -> str:
    parts = [f"branch {limb.root}", counted(len(limb.remarks), "comment")]
    if limb.overlap is not None:
        parts.append(f"overlap {limb.overlap:.4g} with {limb.first_answer}")
    return f"{', '.join(parts)}: {VERDICTS[limb.verdict]}{_because(limb)}"


def _because(limb: Limb) -> str:
    if limb.verdict == "not_looked_at":
        return ""
    if limb.verdict == "passed_over":
        failing = f"; it would fail: {limb.why}" if limb.why else ""
        return f", another one goes before it{failing}"
    return f", {reason(limb.why)}" if limb.why else ""


def _table(remarks: Sequence[Remark], *, margin: str) -> Iterator[str]:
    """Draw comments as rows of one table, their ids as a tree."""
    rows = [
        (
            f"{branch}{remark.id}",
            since(remark.after),
            remark.speaker,
            remark.place or "-",
            _last_cell(remark),
        )
        for branch, remark in zip(_branches(remarks), remarks, strict=True)
    ]
    wide = [max((len(row[column]) for row in rows), default=0) for column in range(4)]
    for one, after, speaker, place, rest in rows:
        yield (
            f"{margin}{one:<{wide[0]}}  {after:>{wide[1]}}  "
            f"{speaker:<{wide[2]}}  {place:<{wide[3]}}  {rest}"
        ).rstrip()


def _last_cell(remark: Remark) -> str:
    words = quoted(remark.words) if remark.words else ""
    if remark.why is None:
        return words
    return f"{words}  [{remark.why}]".strip()


def _branches(remarks: Sequence[Remark]) -> Iterator[str]:
    """Draw what stands before the id of each comment."""
    rails: list[str] = []
    for remark in remarks:
        del rails[max(remark.depth - 1, 0) :]
        fork = "└─ " if remark.is_last else "├─ "
        if remark.depth == 0:
            yield ""
        elif remark.depth > DEEPEST:
            yield f"{''.join(rails[:DEEPEST])}(depth {remark.depth}) "
        else:
            yield "".join(rails) + fork
        if remark.depth > 0:
            rails.append("   " if remark.is_last else "│  ")


def _outcome(explanation: Explanation) -> Iterator[str]:
    if explanation.why is not None:
        yield f"no thread: {reason(explanation.why)}"
        return
    turns = explanation.turns
    answered = sum(turn.answer is not None for turn in turns)
    yield f"thread: {counted(len(turns), 'question')}, {answered} answered"
    for number, turn in enumerate(turns):
        yield from _turn(number, turn)


def _turn(number: int, turn: Turn) -> Iterator[str]:
    yield f"   q{number}  {quoted(turn.question)}"
    answer = "none: an orphan" if turn.answer is None else quoted(turn.answer)
    yield f"   a{number}  {answer}"


def reason(name: str) -> str:
    """Give a reason and what it means.

    Example:
        >>> reason("bot")
        'bot (a program wrote it)'
    """
    return f"{name} ({MEANINGS[name]})"


def quoted(text: str) -> str:
    r"""Give the beginning of a text on one line, in quotes.

    Example:
        >>> quoted("My knee\n\nhurts")
        '"My knee hurts"'
        >>> len(quoted("knee " * 40))
        62
    """
    plain = " ".join(text.split())
    if len(plain) > LONGEST_WORDS:
        plain = f"{plain[: LONGEST_WORDS - 1]}…"
    return f'"{plain}"'


def since(seconds: int) -> str:
    """Say how long after the post something was, in its two largest units.

    Example:
        >>> since(45), since(7_500), since(3 * 86_400 + 4 * 3_600), since(-90)
        ('+45 s', '+2 h 05 min', '+3 d 04 h', '-1 min 30 s')
    """
    sign, rest = ("-" if seconds < 0 else "+"), abs(seconds)
    days, hours = divmod(rest // 3_600, 24)
    minutes, left = rest // 60 % 60, rest % 60
    if days:
        return f"{sign}{days} d {hours:02} h"
    if hours:
        return f"{sign}{hours} h {minutes:02} min"
    if minutes:
        return f"{sign}{minutes} min {left:02} s"
    return f"{sign}{left} s"


def counted(number: int, thing: str) -> str:
    """Give a number of things.

    Example:
        >>> counted(1, "comment"), counted(2, "comment")
        ('1 comment', '2 comments')
    """
    return f"{number:,} {thing}" + ("" if number == 1 else "s")
