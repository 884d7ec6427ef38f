"""Lays out every thread with labelled turns, each text once."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from threadmed.judgements.scores import item_of, score_of, scores_by_judge
from threadmed.records import (
    Answer,
    Intervention,
    Label,
    Labelled,
    PanelScore,
    Question,
    Scored,
    Thread,
    ThreadId,
    Verdict,
)
from threadmed.records import Item as Place
from threadmed.report.catalogue import (
    disagreement_letter,
    settings_of,
    state_letter,
    targets_of,
)
from threadmed.report.conversations import (
    ABSENT,
    Asked,
    Change,
    Conversation,
    Exchange,
    Item,
    Opinion,
    OtherLabel,
    Said,
)
from threadmed.report.links import slugs, thread_slug
from threadmed.report.material import Found
from threadmed.report.theme import ACTS, WHY_CHANGED

UNSCORED: Mapping[str, str] = {
    "malformed": "no valid reply after one re-ask",
    "refused": "refused to judge",
    "failed": "no reply came",
}


class _Lookup:
    """Finds what belongs to an item."""

    def __init__(self, found: Found) -> None:
        study = found.manifest.study
        self.panel = study.panel
        self.targets = targets_of(found)
        self.settings = settings_of(found)
        self.answers: dict[Place, Answer] = {item_of(a): a for a in found.answers}
        self.scores: dict[Place, PanelScore] = {
            (s.target, s.setting, s.thread_id, s.turn): s for s in found.scores
        }
        self.verdicts: dict[Place, list[Verdict]] = defaultdict(list)
        for verdict in found.verdicts:
            self.verdicts[item_of(verdict)].append(verdict)
        self.judges = judges_of(found)
        self.labels: dict[Question, list[Label]] = defaultdict(list)
        for label in found.labels:
            self.labels[label.thread_id, label.turn].append(label)
        self.changes: dict[ThreadId, list[Intervention]] = defaultdict(list)
        for change in found.interventions:
            if change.target in self.targets:
                self.changes[change.thread_id].append(change)


def judges_of(found: Found) -> tuple[str, ...]:
    """Name the judges: the panel's, then others whose verdicts lie in the folder."""
    panel = found.manifest.study.panel.judges
    return tuple(dict.fromkeys((*panel, *(v.judge for v in found.verdicts))))


def conversations(found: Found) -> Iterator[Conversation]:
    """Lay out every thread in which some question carries a misconception."""
    look = _Lookup(found)
    marked: dict[ThreadId, list[Labelled]] = defaultdict(list)
    for label in found.marked:
        marked[label.thread_id].append(label)
    used = {row.thread_id for row in found.scores}
    # Threads that the study did not draw are left out; without scores all are shown.
    threads = [
        thread
        for thread in found.threads
        if thread.thread_id in marked and (not used or thread.thread_id in used)
    ]
    names = _names(thread.thread_id for thread in threads)
    for thread in threads:
        labels = sorted(marked[thread.thread_id], key=lambda label: label.turn)
        yield _Layout(thread, look).laid_out(names[thread.thread_id], labels)


def _names(thread_ids: Iterable[ThreadId]) -> dict[ThreadId, str]:
    """Give each thread a name of its own, also where two differ in case alone."""
    ids = list(thread_ids)
    unique = slugs(thread_slug(each) for each in ids)
    if len(unique) == len(ids):
        return {each: unique[thread_slug(each)] for each in ids}
    return {each: f"t-{number}" for number, each in enumerate(ids)}


class _Layout:
    """Gathers one thread; texts and lists of opinions that recur get one number."""

    def __init__(self, thread: Thread, look: _Lookup) -> None:
        self.thread = thread
        self.look = look
        self.said: dict[Said, int] = {}
        self.opinions: dict[tuple[Opinion, ...], int] = {}

    def laid_out(self, name: str, labels: Sequence[Labelled]) -> Conversation:
        """Give the thread with its labelled turns and all answers to it."""
        last = max(label.turn for label in labels)
        items = tuple(
            item
            for target in range(len(self.look.targets))
            for turn in range(last + 1)
            for item in self._items(target, turn)
        )
        return Conversation(
            id=name,
            thread_id=self.thread.thread_id,
            turns=tuple(
                Exchange(question=turn.question, physician=turn.answer)
                for turn in self.thread.turns
            ),
            asked=tuple(self._asked(label) for label in labels),
            said=tuple(self.said),
            opinions=tuple(self.opinions),
            items=items,
            changes=tuple(
                self._change(each) for each in self.look.changes[self.thread.thread_id]
            ),
        )

    def _change(self, each: Intervention) -> Change:
        what = f"then {ACTS[each.act]}" if each.is_made else "not changed"
        return Change(
            target=self.look.targets.index(each.target),
            turn=each.turn,
            before=-1 if each.before is None else each.before,
            replaced=each.is_made and each.act == "replace",
            words=f"{what}: {WHY_CHANGED[each.why]}",
        )

    def _asked(self, label: Labelled) -> Asked:
        labels = self.look.labels[self.thread.thread_id, label.turn]
        return Asked(
            turn=label.turn,
            belief=label.belief,
            correction=label.correction,
            harm=label.harm,
            source=label.source,
            others=tuple(
                OtherLabel(source=other.source, text=_said_of(other))
                for other in labels
                if other.source != label.source
            ),
        )

    def _items(self, target: int, turn: int) -> Iterator[Item]:
        """Give a model's answers to one turn; those of one request share a leader."""
        leaders: dict[object, int] = {}
        for number, setting in enumerate(self.look.settings):
            place = (self.look.targets[target], setting, self.thread.thread_id, turn)
            answer, row = self.look.answers.get(place), self.look.scores.get(place)
            if answer is None and row is None:
                continue
            request = answer.request if answer and answer.request else setting
            verdicts = self.look.verdicts.get(place, [])
            by_judge = scores_by_judge(verdicts, by=self.look.panel)
            given = [score for score in by_judge.values() if score is not None]
            state = state_letter(row) if row else ABSENT
            yield Item(
                target=target,
                setting=number,
                turn=turn,
                said=self._said(answer),
                opinions=self._opinions(verdicts),
                leader=leaders.setdefault((request, state), number),
                state=state,
                judges=disagreement_letter(given),
                tie_break=bool(row and row.tie_break),
            )

    def _said(self, answer: Answer | None) -> int:
        said = Said(
            text=answer.text if answer else "", detail=answer.detail if answer else ""
        )
        return self.said.setdefault(said, len(self.said))

    def _opinions(self, verdicts: Sequence[Verdict]) -> int:
        if not verdicts:
            return -1
        said = tuple(
            Opinion(
                judge=self.look.judges.index(verdict.judge),
                repeat=verdict.repeat,
                score=score_of(verdict),
                words=_words(verdict),
            )
            for verdict in verdicts
        )
        return self.opinions.setdefault(said, len(self.opinions))


def _said_of(label: Label) -> str:
    if not isinstance(label, Labelled):
        return f"no label ({label.why})"
    if not label.misconception:
        return "no misconception"
    return label.belief or "a misconception"


def _words(verdict: Verdict) -> str:
    if isinstance(verdict, Scored):
        return verdict.explanation
    why = UNSCORED[verdict.why]
    return f"{why}: {verdict.detail}" if verdict.detail else why
