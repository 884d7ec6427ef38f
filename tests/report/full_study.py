"""A study of full size: 505 threads, five models, four settings, in invented words.

`python tests/report/full_study.py DIR` writes one to look at; lengths are those that
posts, models and judges really have, and the sentences mean nothing.
"""

import sys
from collections.abc import Iterator
from pathlib import Path

import msgspec
import numpy as np

from report.study_factory import run_manifest
from threadmed.judgements.scores import score_table
from threadmed.records import (
    SETTINGS,
    Answer,
    Item,
    Labelled,
    Model,
    Scored,
    Thread,
    ThreadId,
    Turn,
    Unscored,
    Verdict,
)
from threadmed.store import write_json, write_records, write_scores
from threadmed.study import Folder, Identification, Panel, Study, study_folder

N_THREADS = 505
TARGETS = ("Aster 5", "Borage 4.5", "Clover Flash", "Aster 4", "Dill 70B")
JUDGES = ("Aster 4", "Borage L", "Dill 70B")
NEEDLE = "quinsy"
"""A word that one answer holds, and nothing else."""

WORDS = [
    "pressure",
    "tablet",
    "evening",
    "knee",
    "cough",
    "salt",
    "kidney",
    "reading",
    "doctor",
    "week",
    "pain",
    "sleep",
    "dose",
    "blood",
    "fever",
    "skin",
    "heart",
    "breath",
    "stomach",
    "test",
    "water",
    "walk",
    "rash",
    "muscle",
    "vein",
    "normal",
    "worse",
    "better",
    "twice",
    "daily",
    "never",
    "often",
    "after",
    "before",
    "without",
    "through",
    "because",
    "although",
    "perhaps",
    "rather",
    "again",
    "still",
    "little",
    "much",
    "too",
    "and",
    "but",
    "so",
    "if",
    "when",
    "take",
    "stop",
    "ask",
    "measure",
    "rest",
    "wait",
    "feel",
    "think",
    "call",
    "check",
    "keep",
    "change",
    "raise",
    "lower",
]


class Writer:
    """Makes up text of the lengths wanted; the same seed gives the same words."""

    def __init__(self, rng: np.random.Generator) -> None:
        self.rng = rng
        self.sentences = [self._sentence() for _ in range(3_000)]

    def _sentence(self) -> str:
        words = self.rng.choice(WORDS, size=int(self.rng.integers(5, 22)))
        return " ".join(words).capitalize() + "."

    def text(self, characters: float) -> str:
        """Write about so many characters; the median of a long-tailed length."""
        wanted = characters * float(np.exp(self.rng.normal(0, 0.5)))
        numbers = self.rng.integers(len(self.sentences), size=1 + int(wanted / 72))
        return " ".join(self.sentences[number] for number in numbers)


def write_full_study(root: Path, *, n_threads: int = N_THREADS) -> Folder:
    """Write what a run over all threads, models and settings leaves."""
    made = _Made(np.random.default_rng(20261130))
    for number in range(n_threads):
        made.add(ThreadId(f"THREAD_{number:04}"))
    folder, study = study_folder(root), made.study
    places = list(made.scored)
    middle = len(places) // 2
    made.say_needle(next(place for place in places[middle:] if place[3]))
    write_records(root / study.threads, made.threads)
    write_records(folder.labels, made.labels)
    write_records(folder.answers, made.answers.values())
    write_records(folder.verdicts, made.verdicts)
    scores = score_table(places, made.answers, made.verdicts, by=study.panel)
    write_scores(folder.scores, scores)
    write_json(folder.manifest, run_manifest(study))
    return folder


class _Made:
    """Gathers what is made up, thread by thread."""

    def __init__(self, rng: np.random.Generator) -> None:
        self.rng = rng
        self.writer = Writer(rng)
        self.study = Study(
            name="invented-study-of-full-size",
            threads="data/answered.jsonl",
            targets=TARGETS,
            settings=SETTINGS,
            models=tuple(
                Model(name=name, model=f"openai:{name}")
                for name in dict.fromkeys((*TARGETS, *JUDGES, "Finder"))
            ),
            identify=Identification(model="Finder", labels="reference.jsonl"),
            panel=Panel(judges=JUDGES, primary=JUDGES[0]),
        )
        self.threads: list[Thread] = []
        self.labels: list[Labelled] = []
        self.answers: dict[Item, Answer] = {}
        self.verdicts: list[Verdict] = []
        self.scored: dict[Item, None] = {}

    def add(self, name: ThreadId) -> None:
        """Make one thread with its labels, answers and verdicts."""
        n_turns = int(self.rng.choice([3, 4, 5, 7, 9], p=[0.45, 0.25, 0.15, 0.1, 0.05]))
        turns = tuple(
            Turn(question=self.writer.text(480), answer=self.writer.text(330))
            for _ in range(n_turns)
        )
        self.threads.append(Thread(thread_id=name, turns=turns))
        marked = sorted(
            {int(self.rng.integers(n_turns))}
            | {turn for turn in range(n_turns) if self.rng.random() < 0.35}
        )
        for turn in marked:
            self.labels.append(
                Labelled(
                    thread_id=name,
                    turn=turn,
                    misconception=True,
                    belief=self.writer.text(60),
                    correction=self.writer.text(90),
                    harm="mild",
                    source="reference",
                )
            )
        for target in TARGETS:
            for item in self._items(target, name, marked):
                self._answer(item, is_scored=item[3] in marked)

    def _items(self, target: str, name: ThreadId, marked: list[int]) -> Iterator[Item]:
        for setting in SETTINGS:
            asked = range(marked[-1] + 1) if setting == "multi_turn" else marked
            for turn in asked:
                if setting != "oracle" or turn:
                    yield (target, setting, name, turn)

    def _answer(self, item: Item, *, is_scored: bool) -> None:
        target, setting, name, turn = item
        key = repr((target, "first" if turn == 0 else setting, name, turn))
        first: Item = (target, "multi_turn", name, 0)
        place = {"target": target, "setting": setting, "thread_id": name, "turn": turn}
        if is_scored:
            self.scored[item] = None
        if turn == 0 and first in self.answers:
            self.answers[item] = msgspec.structs.replace(
                self.answers[first], setting=setting
            )
            return
        outcome = "blocked" if self.rng.random() < 0.02 else "answered"
        self.answers[item] = Answer(
            **place,
            outcome=outcome,
            text=self.writer.text(1_500) if outcome == "answered" else "",
            request=key,
        )
        if is_scored and outcome == "answered":
            self._judge(place)

    def _judge(self, place: dict) -> None:
        settings = SETTINGS if place["turn"] == 0 else (place["setting"],)
        true = int(self.rng.choice([1, 0, -1], p=[0.5, 0.2, 0.3]))
        for judge in JUDGES:
            score = true if self.rng.random() < 0.8 else int(self.rng.integers(-1, 2))
            words = self.writer.text(200)
            for setting in settings:
                if setting == "oracle" and place["turn"] == 0:
                    continue
                name = {**place, "setting": setting, "judge": judge, "request": "r"}
                if self.rng.random() < 0.01:
                    self.verdicts.append(Unscored(**name, why="malformed"))
                else:
                    self.verdicts.append(Scored(**name, score=score, explanation=words))

    def say_needle(self, item: Item) -> None:
        """Hide the word in one answer that no other setting shares."""
        answer = self.answers[item]
        self.answers[item] = msgspec.structs.replace(
            answer, outcome="answered", text=f"{answer.text} {NEEDLE.capitalize()}."
        )


if __name__ == "__main__":
    print(write_full_study(Path(sys.argv[1])).root)
