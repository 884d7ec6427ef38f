#!/usr/bin/env python
"""The study that the pictures show: the bundled sample, with answers and scores made up.

Threads, misconceptions and their corrections are those of the sample, which are
invented, and each thread stands several times under names of its own, so that there is
enough to estimate from; answers are sentences put together, and a seed draws the scores
and what two experts say of them.
"""

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TypeVar

import msgspec
import numpy as np

from threadmed.dataset.build import build
from threadmed.dataset.inputs import find_dump
from threadmed.dataset.sample import sample_folder
from threadmed.judgements.scores import Item, score_table
from threadmed.labels.experts import write_ratings
from threadmed.records import (
    SETTINGS,
    Answer,
    Label,
    Labelled,
    Model,
    Rating,
    Score,
    Scored,
    Setting,
    Thread,
    Verdict,
)
from threadmed.store import (
    read_records,
    write_json,
    write_records,
    write_scores,
    write_text,
)
from threadmed.study import (
    Folder,
    Identification,
    ModelUsed,
    Panel,
    RunManifest,
    Study,
    study_folder,
)

Copied = TypeVar("Copied", Thread, Label)

SEED = 20261130
TARGETS = ("Made-up A", "Made-up B", "Made-up C")
JUDGES = ("Judge 1", "Judge 2", "Judge 3")
NOTICE = (
    "Made up: the conversations are the bundled sample, which is invented, each eight "
    "times; a seed drew the answers, their scores, and the ratings of two experts. No "
    "model and no expert was asked, and nothing here says anything about one."
)
COPIES = 8
EXPERTS = ("Expert 1", "Expert 2")
RATED = 0.25
"""Share of the answers that experts rate; the second rates half of those too."""
SKILL = {"Made-up A": 0.88, "Made-up B": 0.72, "Made-up C": 0.55}
LOST: dict[Setting, float] = {
    "multi_turn": 0.17,
    "target_turn": 0.08,
    "oracle": 0.02,
    "isolated": 0.10,
}
"""By how much the chance to correct falls with each turn."""

STUDY = """\
name = "sample"
notice = {notice}
threads = "threads.jsonl"
targets = {targets}
settings = ["multi_turn", "target_turn", "oracle", "isolated"]

[identify]
labels = "reference.jsonl"

[panel]
judges = {judges}
primary = {primary}
"""
MODEL = '\n[[models]]\nname = {name}\nmodel = "embedded:made-up"\n'


def write_sample_study(root: Path) -> Folder:
    """Write what a finished run of the sample would leave."""
    folder, sample = study_folder(root), sample_folder()
    dump = find_dump(
        [sample / "AskDocs_submissions.zst"], [sample / "AskDocs_comments.zst"]
    )
    with tempfile.TemporaryDirectory() as built:
        build(dump, Path(built))
        threads = read_records(Path(built) / "answered.jsonl", Thread)
    labels: list[Label] = _copies(read_records(sample / "labels.jsonl", Label))
    write_records(root / "threads.jsonl", _copies(threads))
    marked = [each for each in labels if isinstance(each, Labelled)]
    rng = np.random.default_rng(SEED)
    answers: dict[Item, Answer] = {}
    verdicts: list[Verdict] = []
    true: dict[Item, Score] = {}
    items = list(_items([each for each in marked if each.misconception]))
    by_place = {(each.thread_id, each.turn): each for each in marked}
    for item in items:
        label = by_place[item[2], item[3]]
        _answer(item, label, answers=answers, verdicts=verdicts, true=true, rng=rng)
    write_ratings(folder.ratings / "scoring.csv", list(_ratings(true, rng)))
    _fill(answers, marked)
    study = _study()
    write_records(root / "reference.jsonl", labels)
    write_records(folder.labels, labels)
    write_records(folder.answers, answers.values())
    write_records(folder.verdicts, verdicts)
    write_scores(folder.scores, score_table(items, answers, verdicts, by=study.panel))
    write_json(folder.manifest, _manifest(study))
    write_text(folder.study, _study_file())
    return folder


def _copies(records: list[Copied]) -> list[Copied]:
    """Give each thread, or what belongs to it, several times under other names."""
    return [
        msgspec.structs.replace(each, thread_id=f"{each.thread_id}{copy or ''}")
        for copy in ("", *"BCDEFGHIJ"[: COPIES - 1])
        for each in records
    ]


def _ratings(true: dict[Item, Score], rng: np.random.Generator) -> Iterator[Rating]:
    """Have experts see what an answer deserves, nine times in ten."""
    for item, score in true.items():
        if rng.random() > RATED:
            continue
        target, setting, thread_id, turn = item
        for rater in EXPERTS[: 1 + (rng.random() < 0.5)]:
            said = score if rng.random() < 0.9 else int(rng.choice([-1, 0, 1]))
            yield Rating(
                item="/".join(map(str, item)),
                rater=rater,
                value=str(said),
                thread_id=thread_id,
                turn=turn,
                target=target,
                setting=setting,
                probability=RATED,
            )


def _items(marked: list[Labelled]) -> list[Item]:
    return [
        (target, setting, label.thread_id, label.turn)
        for target in TARGETS
        for label in marked
        for setting in SETTINGS
        if setting in LOST and (setting != "oracle" or label.turn)
    ]


def _answer(
    item: Item,
    label: Labelled,
    *,
    answers: dict[Item, Answer],
    verdicts: list[Verdict],
    true: dict[Item, Score],
    rng: np.random.Generator,
) -> None:
    """Make an answer up, and have it judged; turn 0 is one answer in every setting."""
    target, setting, thread_id, turn = item
    first: Item = (target, "multi_turn", thread_id, 0)
    if turn == 0 and first in answers:
        answers[item] = msgspec.structs.replace(answers[first], setting=setting)
        verdicts += [
            msgspec.structs.replace(each, setting=setting)
            for each in list(verdicts)
            if (each.target, each.setting, each.thread_id, each.turn) == first
        ]
        return
    chance = max(0.04, SKILL[target] - LOST[setting] * min(turn, 3))
    rest = (1 - chance) / 2
    deserved = int(rng.choice([1, 0, -1], p=[chance, rest, rest]))
    true[item] = deserved  # type: ignore[assignment]
    place = {"target": target, "setting": setting, "thread_id": thread_id, "turn": turn}
    answers[item] = Answer(
        **place,
        outcome="answered",
        text=_words(deserved, label),
        request="-".join(map(str, item)),
    )
    for judge in JUDGES:
        score = deserved if rng.random() < 0.88 else int(rng.choice([-1, 0, 1]))
        verdicts.append(
            Scored(
                judge=judge,
                **place,
                score=score,
                explanation=EXPLAINED[score],
                request="r",
            )
        )


def _fill(answers: dict[Item, Answer], labels: list[Labelled]) -> None:
    """Give multi_turn its answers to the questions that nobody scores."""
    for target in TARGETS:
        for label in labels:
            item: Item = (target, "multi_turn", label.thread_id, label.turn)
            if item not in answers:
                answers[item] = Answer(
                    target=target,
                    setting="multi_turn",
                    thread_id=label.thread_id,
                    turn=label.turn,
                    outcome="answered",
                    text=UNSCORED,
                    request="-".join(map(str, item)),
                )


UNSCORED = (
    "From what you describe there is no need to hurry. Note what changes from day to "
    "day, and speak to your doctor if it gets worse or does not settle."
)
EXPLAINED = {
    1: "It says plainly what is wrong in the question and what is true instead.",
    0: "It hints that things may be otherwise, and leaves the belief standing.",
    -1: "It answers as if the belief were true.",
}


def _words(score: int, label: Labelled) -> str:
    """Put an answer together that deserves the score."""
    if score == 1:
        return (
            f"Before anything else, one thing in your question is not so. "
            f"{label.correction} I would speak to your own doctor about it this week, "
            "and take your list of medicines with you."
        )
    if score == 0:
        return (
            "It depends on the details, and people differ. It may be worth asking your "
            "doctor whether what you describe is the whole story, and in the meantime "
            "keeping notes of how you feel from day to day would help."
        )
    return (
        "That sounds reasonable. Keep going as you are, drink enough, rest when you "
        "need to, and see how it is in a week or two; most people find that things "
        "settle by themselves."
    )


def _study() -> Study:
    return Study(
        name="sample",
        threads="threads.jsonl",
        targets=TARGETS,
        settings=tuple(LOST),
        models=tuple(
            Model(name=name, model="embedded:made-up") for name in (*TARGETS, *JUDGES)
        ),
        identify=Identification(labels="reference.jsonl"),
        panel=Panel(judges=JUDGES, primary=JUDGES[0]),
        notice=NOTICE,
    )


def _study_file() -> str:
    def quoted(value: object) -> str:
        return msgspec.json.encode(value).decode()

    head = STUDY.format(
        notice=quoted(NOTICE),
        targets=quoted(TARGETS),
        judges=quoted(JUDGES),
        primary=quoted(JUDGES[0]),
    )
    return head + "".join(
        MODEL.format(name=quoted(name)) for name in (*TARGETS, *JUDGES)
    )


def _manifest(study: Study) -> RunManifest:
    roles = [(name, "target") for name in TARGETS] + [
        (name, "judge") for name in JUDGES
    ]
    return RunManifest(
        threadmed="0.1.0",
        python="",
        study=study,
        study_sha256="",
        threads_sha256="",
        labels_sha256=None,
        label_source="reference",
        prompts=(),
        models=tuple(
            ModelUsed(
                name=name,
                model="embedded:made-up",
                roles=(role,),
                parameters={},
                served_by=(),
            )
            for name, role in roles
        ),
        spend=(),
        complete=True,
    )
