"""Preference pairs of judged answers, in the layout that TRL reads.

A pair is two answers to the same question after the same messages, of which the panel
scored one 1 and the other lower.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from itertools import product

from threadmed.conversations.settings import messages
from threadmed.judgements.scores import item_of, score_of
from threadmed.records import (
    Answer,
    Item,
    Message,
    Record,
    Score,
    ScoreRow,
    Setting,
    ThreadId,
)
from threadmed.run.export.held_out import telling
from threadmed.run.export.results import Results


class Rule(Record, frozen=True, kw_only=True):
    """Which two answers make a pair."""

    partly: bool = False
    """Whether partly corrected answers are rejected too, besides those of score -1."""
    unanimous: bool = False
    """Whether every judge must have given the panel's score, in all its verdicts."""


class Pair(Record, frozen=True, kw_only=True):
    """One line of train.jsonl; TRL reads the first three keys."""

    prompt: tuple[Message, ...]
    chosen: tuple[Message, ...]
    rejected: tuple[Message, ...]
    rule: str
    """What made it a pair, as in `panel 1 over panel -1`."""
    thread_id: ThreadId
    turn: int
    setting: Setting
    """The first in which both were asked; at turn 0 most settings are one."""
    chosen_from: str
    rejected_from: str


class Judged(Record, frozen=True, kw_only=True):
    """An answer with a score, and what its target had seen."""

    seen: tuple[Message, ...]
    target: str
    setting: Setting
    thread_id: ThreadId
    turn: int
    text: str
    score: Score


class Pairs(Record, frozen=True, kw_only=True):
    """The pairs, and what made none."""

    train: tuple[Pair, ...]
    judged: int
    """Answers with a score that were looked at."""
    held_out: int
    """Of those, answers in threads that are held out."""
    copies: int
    """Of those, answers in other threads that share a question with a held-out one."""
    split: int
    """Of those, answers left out since the judges do not agree."""
    arms: int
    """Answers of arms, which saw more than the conversation; not looked at."""


def preference_pairs(found: Results, *, held: frozenset[ThreadId], rule: Rule) -> Pairs:
    """Pair the answers of threads that are not held out.

    Args:
        found: A study.
        held: The threads whose answers, and whose words, must not get into a pair.
        rule: Which answers make a pair.

    Returns:
        Pairs in the order of thread, turn and messages, each once.
    """
    judged = list(_judged(found))
    away = [each for each in judged if each.thread_id in held]
    rest = [each for each in judged if each.thread_id not in held]
    copies = _copies(found, held)
    free = [each for each in rest if each.thread_id not in copies]
    usable = free
    if rule.unanimous:
        agreed = _agreed(found)
        usable = [each for each in free if _item(each) in agreed]
    return Pairs(
        train=tuple(_pairs(usable, rule)),
        judged=len(judged),
        held_out=len(away),
        copies=len(rest) - len(free),
        split=len(free) - len(usable),
        arms=sum(
            _is_counted(r) and r.target not in found.study.targets for r in found.rows
        ),
    )


def _copies(found: Results, held: frozenset[ThreadId]) -> frozenset[ThreadId]:
    """Name the other threads that share a telling question with a held-out one."""
    threads = found.threads.values()
    kept = {
        text for each in threads if each.thread_id in held for text in telling(each)
    }
    return frozenset(
        each.thread_id
        for each in threads
        if each.thread_id not in held and telling(each) & kept
    )


def _is_counted(row: ScoreRow) -> bool:
    return row.score is not None and row.misconception


def _judged(found: Results) -> Iterator[Judged]:
    """Give every scored answer of a target that was asked plainly."""
    answers = found.answer_of()
    for row in found.rows:
        answer = answers.get(item_of(row))
        if answer is None or row.score is None or not row.misconception:
            continue
        if row.target not in found.study.targets or row.thread_id not in found.threads:
            continue
        yield Judged(
            seen=_seen(found, answer, answers),
            target=row.target,
            setting=row.setting,
            thread_id=row.thread_id,
            turn=row.turn,
            text=answer.text,
            score=row.score,
        )


def _seen(
    found: Results, answer: Answer, answers: Mapping[Item, Answer]
) -> tuple[Message, ...]:
    """Give the messages that a target saw before it answered."""
    target, _, name, last = item_of(answer)
    before = {
        turn: answers[target, "multi_turn", name, turn].text
        for turn in range(last)
        if (target, "multi_turn", name, turn) in answers
    }
    return messages(
        answer.setting,
        found.threads[name],
        last,
        own_answers=before,
        system=found.study.answer.system,
        merge_questions=found.study.answer.merge_questions,
    )


def _item(each: Judged) -> Item:
    return (each.target, each.setting, each.thread_id, each.turn)


def _agreed(found: Results) -> frozenset[Item]:
    """Give the items on which every verdict of the whole panel is the same score."""
    said: dict[Item, dict[tuple[str, int], Score | None]] = defaultdict(dict)
    for verdict in found.verdicts:
        said[item_of(verdict)][verdict.judge, verdict.repeat] = score_of(verdict)
    panel = found.study.panel
    whole = {(j, n) for j in panel.judges for n in range(panel.repeats)}
    return frozenset(
        item
        for item, scores in said.items()
        if scores.keys() >= whole
        and len(set(scores.values())) == 1
        and None not in scores.values()
    )


def _pairs(judged: list[Judged], rule: Rule) -> Iterator[Pair]:
    """Pair what was said after the same messages."""
    groups: dict[tuple[ThreadId, int, tuple[Message, ...]], dict[str, Judged]]
    groups = defaultdict(dict)
    for each in judged:
        # Settings share an answer at turn 0, and models may say the same.
        groups[each.thread_id, each.turn, each.seen].setdefault(each.text, each)
    in_order = sorted(groups.items(), key=lambda group: (group[0][0], group[0][1]))
    for (name, turn, seen), said in in_order:
        good = [each for each in said.values() if each.score == 1]
        poor = [
            each
            for each in said.values()
            if each.score == -1 or (rule.partly and each.score == 0)
        ]
        for better, worse in product(good, poor):
            yield Pair(
                prompt=seen,
                chosen=(Message(role="assistant", content=better.text),),
                rejected=(Message(role="assistant", content=worse.text),),
                rule=f"panel 1 over panel {worse.score}"
                + (", all judges agree" if rule.unanimous else ""),
                thread_id=name,
                turn=turn,
                setting=better.setting,
                chosen_from=better.target,
                rejected_from=worse.target,
            )
