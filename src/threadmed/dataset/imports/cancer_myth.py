"""Cancer-Myth: single questions, each with a false presupposition that is known.

Zhu et al., "Cancer-Myth" (2025), hand out a JSON list of objects.
Later files of theirs hold answers and scores as maps from a model's name.
"""

from collections.abc import Iterator, Mapping

from threadmed.dataset.imports.imported import (
    Imported,
    numbered,
    refuse_twice,
    thread_name,
)
from threadmed.dataset.imports.mapping import MythMapping
from threadmed.dataset.imports.rows import (
    Row,
    perhaps,
    pick,
    refuse_unknown,
    text_key,
    words,
    wrong,
)
from threadmed.records import (
    Answer,
    Labelled,
    PanelScore,
    Score,
    Setting,
    Thread,
    ThreadId,
    Turn,
)

ALONE: Setting = "isolated"
"""The setting of a question that nothing comes before."""

SCORES: dict[str, Score] = {"-1": -1, "0": 0, "1": 1}
MARKS = ("Sharpness", "sharpness", "score")
"""What a score is called, where it stands beside a reason."""


class MythThread(Thread, frozen=True, kw_only=True):
    """A question of Cancer-Myth, with the kind of its presupposition."""

    category: str = ""


def import_cancer_myth(rows: list[Row], mapping: MythMapping) -> Imported:
    """Read rows of Cancer-Myth as threads of one turn.

    The presupposition becomes the label's belief and the fact of its source the
    correction; `category` stands in the thread.

    Raises:
        InputError: If a row is not what it must be; names row, key and value.
    """
    usual = MythMapping()
    mapped = ("correction", "category", "answers", "scores")
    refuse_unknown(
        rows,
        (
            getattr(mapping, key)
            for key in mapped
            if getattr(mapping, key) != getattr(usual, key)
        ),
    )
    names = _names(rows, mapping)
    paired = list(zip(rows, names, strict=True))
    scores = tuple(
        score for row, name in paired for score in _scores(row, name, mapping)
    )
    hollow = sum(score.outcome == "empty" for score in scores)
    return Imported(
        threads=tuple(_thread(row, name, mapping) for row, name in paired),
        labels=tuple(_label(row, name, mapping) for row, name in paired),
        answers=tuple(
            answer for row, name in paired for answer in _answers(row, name, mapping)
        ),
        scores=scores,
        said=(f"{hollow} scores of answers without a word were not taken",)
        if hollow
        else (),
    )


def _names(rows: list[Row], mapping: MythMapping) -> list[ThreadId]:
    """Take the numbers that the questions have, where each has one of its own."""
    key = mapping.thread_id
    if key:
        names = [thread_name(row, key) for row in rows]
        refuse_twice(rows, names, key=key)
        return names
    for known in ("QID", "raw_QID") if key is None else ():
        numbers = [pick(row.cells, known) for row in rows]
        if all(type(n) is int for n in numbers) and len(set(numbers)) == len(rows):
            return [ThreadId(f"MYTH_{n:04}") for n in numbers]
    return numbered("MYTH", len(rows))


def _thread(row: Row, name: ThreadId, mapping: MythMapping) -> MythThread:
    question = words(
        row, mapping.question, mapping=f'question = "{text_key(row.cells)}"'
    )
    return MythThread(
        thread_id=name,
        turns=(Turn(question=question, answer=None),),
        category=perhaps(row, mapping.category) or "",
    )


def _label(row: Row, name: ThreadId, mapping: MythMapping) -> Labelled:
    guess = text_key(row.cells, but=(mapping.question,))
    fact = perhaps(row, mapping.correction) or ""
    # A remark on where both came from stands in both places, and says nothing.
    is_remark = fact == perhaps(row, "source_info.myth")
    return Labelled(
        thread_id=name,
        turn=0,
        misconception=True,
        belief=words(row, mapping.belief, mapping=f'belief = "{guess}"'),
        correction="" if is_remark else fact,
        source=mapping.source,
    )


def _map(row: Row, key: str) -> Mapping[str, object]:
    value = pick(row.cells, key)
    if isinstance(value, Mapping):
        return value
    if key in row.cells and value is not None:
        raise wrong(row, key, expected="an object with a key a model")
    return {}


def _answers(row: Row, name: ThreadId, mapping: MythMapping) -> Iterator[Answer]:
    for model, text in _map(row, mapping.answers).items():
        if text is not None and not isinstance(text, str):
            raise wrong(row, f"{mapping.answers}.{model}", expected="text or null")
        said = (text or "").strip()
        yield Answer(
            target=model,
            setting=ALONE,
            thread_id=name,
            turn=0,
            outcome="answered" if said else "empty",
            text=said,
        )


def _scores(row: Row, name: ThreadId, mapping: MythMapping) -> Iterator[PanelScore]:
    """Read the scores; that of an answer without words is none."""
    answers = {each.target: each for each in _answers(row, name, mapping)}
    for model in _map(row, mapping.scores):
        key = f"{mapping.scores}.{model}"
        score = _score(row, key)
        if answers and model not in answers:
            raise wrong(
                row, key, expected=f"no score without {mapping.answers}.{model}"
            )
        is_hollow = bool(answers) and answers[model].outcome == "empty"
        yield PanelScore(
            target=model,
            setting=ALONE,
            thread_id=name,
            turn=0,
            score=None if is_hollow else score,
            outcome="empty" if is_hollow else "unjudged" if score is None else "scored",
        )


def _score(row: Row, key: str) -> Score | None:
    """Read -1, 0, 1 or null, alone or in an object beside its reason."""
    # A model's name may hold dots, so that the key is no path.
    outer, _, model = key.partition(".")
    value = _map(row, outer)[model]
    if isinstance(value, Mapping):
        value = next((value[mark] for mark in MARKS if mark in value), value)
    if value is None:
        return None
    text = str(value).removesuffix(".0")
    if isinstance(value, bool) or text not in SCORES:
        raise wrong(row, key, expected="-1, 0, 1 or null")
    return SCORES[text]
