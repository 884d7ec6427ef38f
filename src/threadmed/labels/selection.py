"""Which threads and which labels a study goes by; pure."""

import hashlib
from collections.abc import Iterable, Mapping, Sequence

from threadmed.errors import StudyError
from threadmed.records import Label, Labelled, Question, Thread
from threadmed.study import Selection


def select_threads(
    threads: Sequence[Thread], given: Iterable[Label], *, by: Selection, seed: int
) -> tuple[Thread, ...]:
    """Choose the threads of a study, in the order of their ids.

    Args:
        threads: All that there are.
        given: Labels that came with the data; where there are any, a draw is made
            among the threads that have a misconception by them.
        by: What the study says.
        seed: Decides the draw; a thread's lot depends on the seed and its own id
            alone, so a larger draw holds the smaller one.

    Raises:
        StudyError: If the study names a thread that is not there.
    """
    by_id = {thread.thread_id: thread for thread in threads}
    absent = [name for name in by.thread_ids if name not in by_id]
    if absent:
        raise StudyError(f"select.thread_ids: {absent[0]} is not among the threads")
    chosen = sorted(set(by.thread_ids) or by_id)
    if by.threads is not None:
        marked = {label.thread_id for label in given if _is_marked(label)}
        among = [name for name in chosen if not marked or name in marked]
        chosen = sorted(sorted(among, key=lambda name: _lot(seed, name))[: by.threads])
    return tuple(by_id[name] for name in chosen)


def _is_marked(label: Label) -> bool:
    return isinstance(label, Labelled) and label.misconception


def _lot(seed: int, name: str) -> bytes:
    return hashlib.sha256(f"{seed}:{name}".encode()).digest()


def deciding_source(
    given: Iterable[Label], *, model: str | None, wanted: str | None
) -> str:
    """Say whose labels decide what is answered.

    Args:
        given: Labels that came with the data.
        model: The identifier; None is none.
        wanted: What the study says; None leaves it to this rule: the labels that
            came with the data, and the identifier's where there are none.

    Raises:
        StudyError: If the labels are of several sources and the study does not
            choose, or if it chooses one that there is not.

    Example:
        >>> deciding_source([], model="gpt-4o", wanted=None)
        'gpt-4o'
    """
    sources = sorted({label.source for label in given})
    known = [*sources, *([model] if model else [])]
    if wanted is not None and wanted not in known:
        raise StudyError(
            f"identify.source is {wanted!r}; there are labels of {', '.join(known)}"
        )
    if wanted is None and len(sources) > 1:
        raise StudyError(
            f"the labels are of {', '.join(sources)}; say in identify.source whose "
            "decide what is answered"
        )
    return wanted or known[0]


def misconceptions(labels: Iterable[Label], source: str) -> Mapping[Question, Labelled]:
    """Collect the questions that carry a misconception by one source.

    Raises:
        StudyError: If the source labels one question twice.
    """
    found: dict[Question, Labelled] = {}
    seen: set[Question] = set()
    for label in labels:
        if label.source != source:
            continue
        question = (label.thread_id, label.turn)
        if question in seen:
            raise StudyError(
                f"{source} labels turn {label.turn} of {label.thread_id} twice"
            )
        seen.add(question)
        if isinstance(label, Labelled) and label.misconception:
            found[question] = label
    return found
