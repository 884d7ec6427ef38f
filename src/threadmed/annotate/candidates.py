"""Reads from a study folder what there is to rate; an edge."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TypeVar, assert_never

from threadmed.annotate.items import Candidate, Earlier, Shown
from threadmed.annotate.tasks import TaskName
from threadmed.errors import InputError
from threadmed.judgements.scores import item_of
from threadmed.labels.selection import deciding_source, misconceptions, select_threads
from threadmed.records import (
    Answer,
    Item,
    Label,
    Labelled,
    Question,
    Record,
    Scored,
    Setting,
    Thread,
    ThreadId,
    Verdict,
)
from threadmed.store import read_records, read_scores
from threadmed.study import Folder, Study

T = TypeVar("T")

DOUBTFUL = 2.0
"""Weight of what is likelier to teach something: questions that somebody labels, and
answers on which judges differ. A convention: as the chances are known, a corrected rate
stays right whatever it is (docs/methods.md, Corrected PCR and PCS)."""


class Sources(Record, frozen=True, kw_only=True):
    """What was read of a study."""

    threads: tuple[Thread, ...]
    labels: tuple[Label, ...]
    source: str
    """Whose labels decide what is answered; empty where there are no labels."""


def read_candidates(
    folder: Folder, study: Study, task: TaskName
) -> tuple[Candidate, ...]:
    """Collect what may be drawn for a task.

    Raises:
        InputError: If there is nothing to rate yet, or a file is malformed.
    """
    sources = _sources(folder, study)
    match task:
        case "identification":
            return tuple(_questions(sources))
        case "scoring":
            return tuple(_answers(folder, study, sources))
        case _:
            assert_never(task)


def _sources(folder: Folder, study: Study) -> Sources:
    options = study.identify
    given = _labels(folder.root / options.labels) if options.labels else ()
    threads = select_threads(
        read_records(folder.root / study.threads, Thread),
        given,
        by=study.select,
        seed=study.seed,
    )
    source = deciding_source(given, model=options.model, wanted=options.source)
    written = _labels(folder.labels) if folder.labels.exists() else given
    return Sources(threads=threads, labels=written, source=source)


def _labels(path: Path) -> tuple[Label, ...]:
    return tuple(read_records(path, Label))  # type: ignore[arg-type]


def _band(turn: int) -> str:
    return f"turn {turn}" if turn < 2 else "turn 2 or later"


def _questions(sources: Sources) -> Iterable[Candidate]:
    """Give every question; those that some source marks are twice as likely."""
    said: dict[Question, dict[str, bool | None]] = defaultdict(dict)
    for label in sources.labels:
        marked = label.misconception if isinstance(label, Labelled) else None
        said[label.thread_id, label.turn][label.source] = marked
    for thread in sources.threads:
        for turn, asked in enumerate(thread.turns):
            labels = said[thread.thread_id, turn]
            group = _group(set(labels.values()))
            yield Candidate(
                thread_id=thread.thread_id,
                turn=turn,
                stratum=(group, _band(turn)),
                weight=1.0 if group == "labelled no" else DOUBTFUL,
                shown=Shown(
                    question=asked.question, earlier=_before(thread, turn, answers=True)
                ),
            )


def _group(values: set[bool | None]) -> str:
    """Say what the labellers of a question made of it together.

    Example:
        >>> _group({True, None}), _group({True, False}), _group({None})
        ('labelled yes', 'labels differ', 'not labelled')
    """
    said = values - {None}
    if not said:
        return "not labelled"
    if len(said) > 1:
        return "labels differ"
    return "labelled yes" if True in said else "labelled no"


def _before(thread: Thread, turn: int, *, answers: bool) -> tuple[Earlier, ...]:
    earlier: list[Earlier] = []
    for passed in thread.turns[:turn]:
        earlier.append(Earlier(who="patient", text=passed.question))
        if answers and passed.answer:
            earlier.append(Earlier(who="physician", text=passed.answer))
    return tuple(earlier)


def _answers(folder: Folder, study: Study, sources: Sources) -> Iterable[Candidate]:
    """Give every answer to a labelled turn; those that share a request only once."""
    if not (folder.answers.exists() and folder.scores.exists()):
        raise InputError(
            f"{folder.answers}: there are no answers to score yet; "
            f"`threadmed run {folder.root}` first, or --task identification"
        )
    threads = {thread.thread_id: thread for thread in sources.threads}
    beliefs = misconceptions(sources.labels, sources.source)
    judged = _judged(folder)
    for answer in _distinct(read_records(folder.answers, Answer), study.settings):
        label = beliefs.get((answer.thread_id, answer.turn))
        thread = threads.get(answer.thread_id)
        if label is None or thread is None:
            continue
        group, weight = judged.get(item_of(answer), ("not scored", DOUBTFUL))
        yield Candidate(
            thread_id=answer.thread_id,
            turn=answer.turn,
            target=answer.target,
            setting=answer.setting,
            stratum=(group, answer.setting, answer.target, _band(answer.turn)),
            weight=weight,
            shown=Shown(
                question=thread.turns[answer.turn].question,
                earlier=_before(thread, answer.turn, answers=False),
                belief=label.belief,
                answer=answer.text,
            ),
        )


def _distinct(
    answers: Sequence[Answer], settings: Sequence[Setting]
) -> Iterable[Answer]:
    """Give answers that can be scored; of one request's that of the first setting."""
    seen: set[tuple[str, ThreadId, int, str]] = set()
    known = [a for a in answers if a.setting in settings and not a.repeat]
    for answer in sorted(known, key=lambda answer: settings.index(answer.setting)):
        request = answer.request or answer.setting
        key = (answer.target, answer.thread_id, answer.turn, request)
        if answer.outcome == "answered" and key not in seen:
            seen.add(key)
            yield answer


def _judged(folder: Folder) -> Mapping[Item, tuple[str, float]]:
    """Say the panel's score of each answer, and how likely that is to be drawn."""
    scores: dict[Item, set[int]] = defaultdict(set)
    if folder.verdicts.exists():
        verdicts: list[Verdict] = read_records(folder.verdicts, Verdict)  # type: ignore[arg-type]
        for verdict in verdicts:
            if isinstance(verdict, Scored):
                scores[item_of(verdict)].add(verdict.score)
    if len(folder.scores.read_text(encoding="utf-8").splitlines()) <= 1:
        return {}
    judged = {}
    for row in read_scores(folder.scores):
        item = item_of(row)
        if row.score is not None:
            differ = len(scores[item]) > 1
            name = f"score {row.score}" + (", judges differ" if differ else "")
            judged[item] = (name, DOUBTFUL if differ else 1.0)
    return judged
