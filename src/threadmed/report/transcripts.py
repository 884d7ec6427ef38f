"""Lays out every thread with labelled turns, so that settings stand side by side."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, assert_never

from threadmed.records import (
    SETTINGS,
    Answer,
    Label,
    Labelled,
    PanelScore,
    Score,
    Scored,
    ScoreOutcome,
    Setting,
    Thread,
    ThreadId,
    Verdict,
)
from threadmed.report.conversations import (
    Asked,
    Badge,
    Before,
    Conversation,
    Given,
    ModelView,
    Opinion,
    OtherLabel,
    Shown,
)
from threadmed.report.links import slugs, thread_slug
from threadmed.report.material import Found
from threadmed.report.numbers import MISSING, score
from threadmed.report.theme import SETTING_NAMES

Item = tuple[str, Setting, ThreadId, int]
"""Target, setting, thread, turn."""

MEANINGS: dict[Score, str] = {1: "corrected", 0: "partly corrected", -1: "not noticed"}
WHY: dict[ScoreOutcome, str] = {
    "scored": "scored",
    "blocked": "blocked by a content filter",
    "truncated": "cut off at the limit of tokens",
    "empty": "an empty reply",
    "failed": "no reply came",
    "unjudged": "the panel reached no score",
    "pending": "not yet answered and judged",
}
READS: dict[Setting, str] = {
    "multi_turn": "saw its own earlier answers",
    "target_turn": "saw only the questions",
    "oracle": "saw the physician\u2019s answers",
    "isolated": "saw this question alone",
}


class _Lookup:
    """Finds what belongs to an item."""

    def __init__(self, found: Found) -> None:
        self.found = found
        self.settings = [s for s in SETTINGS if s in found.manifest.study.settings]
        self.slugs = slugs(found.manifest.study.targets)
        self.answers: dict[Item, Answer] = {_item(a): a for a in found.answers}
        self.scores: dict[Item, PanelScore] = {_item(s): s for s in found.scores}
        self.verdicts: dict[Item, list[Verdict]] = {}
        for verdict in found.verdicts:
            self.verdicts.setdefault(_item(verdict), []).append(verdict)
        self.labels: dict[tuple[ThreadId, int], list[Label]] = {}
        for label in found.labels:
            self.labels.setdefault((label.thread_id, label.turn), []).append(label)

    def badge(self, item: Item) -> Badge | None:
        """Give the panel's badge, None where the item was never to be scored."""
        row = self.scores.get(item)
        return None if row is None else badge(row.score, WHY[row.outcome])


def _item(record: Answer | PanelScore | Verdict) -> Item:
    return (record.target, record.setting, record.thread_id, record.turn)


def badge(value: Score | None, why: str) -> Badge:
    """Show a score; a missing one is a dash with its reason.

    Example:
        >>> badge(1, "").meaning, badge(None, "no reply came").meaning
        ('corrected', 'no reply came')
    """
    if value is None:
        return Badge(text=MISSING, look="none", meaning=why, value="none")
    looks: dict[Score, Literal["plus", "zero", "minus"]] = {
        1: "plus",
        0: "zero",
        -1: "minus",
    }
    return Badge(
        text=score(value), look=looks[value], meaning=MEANINGS[value], value=str(value)
    )


def conversations(found: Found) -> tuple[Conversation, ...]:
    """Lay out every thread in which some question carries a misconception."""
    look = _Lookup(found)
    marked: dict[ThreadId, list[Labelled]] = {}
    for label in found.marked:
        marked.setdefault(label.thread_id, []).append(label)
    threads = [thread for thread in found.threads if thread.thread_id in marked]
    threads = [thread for thread in threads if _was_used(thread, found)]
    return tuple(
        _conversation(
            thread, sorted(marked[thread.thread_id], key=lambda m: m.turn), look
        )
        for thread in threads
    )


def _was_used(thread: Thread, found: Found) -> bool:
    """Leave out threads that the study did not draw; without answers show all."""
    used = {row.thread_id for row in found.scores}
    return not used or thread.thread_id in used


def _conversation(
    thread: Thread, marked: Sequence[Labelled], look: _Lookup
) -> Conversation:
    name = thread_slug(thread.thread_id)
    return Conversation(
        id=name,
        thread_id=thread.thread_id,
        n_turns=len(thread.turns),
        asked=tuple(
            _asked(thread, label, look, f"{name}-{label.turn}") for label in marked
        ),
    )


def _asked(thread: Thread, label: Labelled, look: _Lookup, name: str) -> Asked:
    turn = thread.turns[label.turn]
    labels = look.labels[thread.thread_id, label.turn]
    return Asked(
        id=name,
        turn=label.turn,
        question=turn.question,
        belief=label.belief,
        correction=label.correction,
        harm=label.harm,
        source=label.source,
        physician=turn.answer,
        others=tuple(
            OtherLabel(source=other.source, text=_said(other))
            for other in labels
            if other.source != label.source
        ),
        models=tuple(
            view
            for target in look.slugs
            if (view := _view(thread, label.turn, target, look, name)).given
        ),
    )


def _said(label: Label) -> str:
    if not isinstance(label, Labelled):
        return f"no label ({label.why})"
    if not label.misconception:
        return "no misconception"
    return label.belief or "a misconception"


def _view(
    thread: Thread, turn: int, target: str, look: _Lookup, name: str
) -> ModelView:
    item_name = f"{name}-{look.slugs[target]}"
    given = tuple(_given(thread.thread_id, turn, target, look, item_name))
    columns = [each.settings[0] for each in given]
    before = tuple(
        Before(
            turn=earlier,
            question=thread.turns[earlier].question,
            shown=tuple(
                _shown(thread, earlier, setting, target, look) for setting in columns
            ),
        )
        for earlier in range(turn)
    )
    return ModelView(id=item_name, model=target, before=before, given=given)


def _shown(
    thread: Thread, turn: int, setting: Setting, target: str, look: _Lookup
) -> Shown:
    """Say what a setting showed of an earlier turn, apart from its question."""
    shown = Shown(kind="nothing", text="no answer shown")
    match setting:
        case "multi_turn":
            item = (target, setting, thread.thread_id, turn)
            answer = look.answers.get(item)
            text, missing = answer.text if answer else "", "no answer of its own came"
            shown = Shown(kind="own", text=text, badge=look.badge(item))
        case "oracle":
            text = thread.turns[turn].answer or ""
            missing = "the physician did not answer this one"
            shown = Shown(kind="physician", text=text)
        case "target_turn":
            text, missing = "", "no answer shown"
        case "isolated":
            text, missing = "", "not even the question shown"
        case _:
            assert_never(setting)
    return shown if text else Shown(kind="nothing", text=missing)


def _given(
    thread_id: ThreadId, turn: int, target: str, look: _Lookup, name: str
) -> Iterable[Given]:
    """Give a model's answers to one question, those of one request only once."""
    shared: dict[object, list[Setting]] = {}
    for setting in look.settings:
        item = (target, setting, thread_id, turn)
        if item not in look.scores and item not in look.answers:
            continue
        answer = look.answers.get(item)
        request = answer.request if answer and answer.request else setting
        shared.setdefault((request, look.badge(item)), []).append(setting)
    for settings in shared.values():
        item = (target, settings[0], thread_id, turn)
        answer = look.answers.get(item)
        opinions = tuple(_opinion(v) for v in look.verdicts.get(item, []))
        scores = {o.badge.value for o in opinions if o.badge.look != "none"}
        yield Given(
            settings=tuple(settings),
            name=_names(settings),
            reads=READS[settings[0]] if turn else "saw this question alone",
            ids=tuple(f"{name}-{setting}" for setting in settings),
            badge=look.badge(item) or badge(None, WHY["pending"]),
            text=answer.text if answer else "",
            detail=answer.detail if answer else "",
            opinions=opinions,
            differ=len(scores) > 1,
        )


def _names(settings: Sequence[Setting]) -> str:
    first, *others = (SETTING_NAMES[setting] for setting in settings)
    return ", ".join([first, *(other.lower() for other in others)])


UNSCORED: Mapping[str, str] = {
    "malformed": "no valid reply after one re-ask",
    "refused": "refused to judge",
    "failed": "no reply came",
}


def _opinion(verdict: Verdict) -> Opinion:
    name = verdict.judge + (f", time {verdict.repeat + 1}" if verdict.repeat else "")
    if isinstance(verdict, Scored):
        return Opinion(
            judge=name,
            badge=badge(verdict.score, ""),
            words=verdict.explanation,
        )
    why = UNSCORED[verdict.why]
    words = f"{why}: {verdict.detail}" if verdict.detail else why
    return Opinion(judge=name, badge=badge(None, why), words=words)
