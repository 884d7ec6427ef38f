"""The calls that all contestants make: `python -m bench.runners.workload FOLDER`.

Written as a study for ours, and as one plain file for everybody else. The lengths are
the paper's (505 threads, 604 questions with a misconception, 3.8 questions a thread,
129 tokens a question); the words are invented.
"""

import argparse
import json
import random
from collections.abc import Iterator
from pathlib import Path

from bench.phrases import COMPLAINTS, DOINGS, PARTS, QUALITIES, THINGS
from threadmed.judgements import scoring_prompt
from threadmed.llm.prompt import Prompt, fill
from threadmed.records import Labelled, Record, Thread, ThreadId, Turn
from threadmed.store import write_json, write_records, write_text
from threadmed.study import Panel, study_folder

SEED = 20261130

PAPER = 505
"""Threads of the paper; what follows is for so many."""
QUESTIONS = 1_919
MISCONCEPTIONS = 604
ASKED = 1_564
"""Turns up to the last with a misconception, of all threads together: with three
judges 3,376 calls."""

TARGET = "target"
JUDGES = ("judge-a", "judge-b", "judge-c")
IN_FLIGHT = 100
MAX_TOKENS = 1024

STUDY = f"""\
name = "engine"
threads = "threads.jsonl"
targets = ["{TARGET}"]
settings = ["multi_turn"]

[identify]
labels = "reference.jsonl"

[panel]
judges = {json.dumps(JUDGES)}
primary = "{JUDGES[0]}"
"""

MODEL = """
[[models]]
name = "{name}"
model = "openai:{name}"
base_url = "{url}"
in_flight = {in_flight}
price = {{ input = 1.0, output = 1.0 }}
"""


class Planned(Record, frozen=True, kw_only=True):
    """A thread before it has words: its length, and its turns with a misconception."""

    questions: int
    labelled: tuple[int, ...]


def planned(threads: int, lot: random.Random) -> list[Planned]:
    """Draw the lengths of so many threads; the sums are the paper's, to scale."""
    questions, misconceptions, asked = (
        round(total * threads / PAPER) for total in (QUESTIONS, MISCONCEPTIONS, ASKED)
    )
    lengths = [min(14, 2 + int(lot.expovariate(1 / 2.4))) for _ in range(threads)]
    _fit(lengths, questions, lowest=[2] * threads, highest=[16] * threads, lot=lot)
    # Of two draws the later one: most threads go on until they are labelled.
    asks = [1 + max(lot.randrange(n), lot.randrange(n)) for n in lengths]
    _fit(asks, asked, lowest=[1] * threads, highest=lengths, lot=lot)
    labels = [1] * threads
    _fit(labels, misconceptions, lowest=labels[:], highest=asks, lot=lot)
    return [
        Planned(
            questions=length,
            labelled=(*sorted(lot.sample(range(asks - 1), count - 1)), asks - 1),
        )
        for length, asks, count in zip(lengths, asks, labels, strict=True)
    ]


def _fit(
    numbers: list[int],
    total: int,
    *,
    lowest: list[int],
    highest: list[int],
    lot: random.Random,
) -> None:
    """Move numbers by one, drawn by lot and within their bounds, until the sum fits."""
    while (missing := total - sum(numbers)) != 0:
        step = 1 if missing > 0 else -1
        at = lot.randrange(len(numbers))
        if lowest[at] <= numbers[at] + step <= highest[at]:
            numbers[at] += step


def _text(lot: random.Random, sentences: int) -> str:
    def sentence() -> str:
        what = f"{lot.choice(QUALITIES)} {lot.choice(COMPLAINTS)}"
        where = f"my {lot.choice(PARTS)}"
        return (
            f"The {what} in {where} {lot.choice(DOINGS)} the {lot.choice(THINGS)} "
            f"{lot.randrange(2, 60)} days ago."
        )

    return " ".join(sentence() for _ in range(sentences))


def threads_of(plan: list[Planned], lot: random.Random) -> Iterator[Thread]:
    """Put words into planned threads."""
    for number, each in enumerate(plan):
        turns = tuple(
            Turn(question=_text(lot, 7), answer=_text(lot, 4))
            for _ in range(each.questions)
        )
        yield Thread(thread_id=ThreadId(f"THREAD_{number:05}"), turns=turns)


def labels_of(thread: Thread, each: Planned) -> Iterator[Labelled]:
    """Label every question of a thread."""
    for turn in range(each.questions):
        is_one = turn in each.labelled
        yield Labelled(
            thread_id=thread.thread_id,
            turn=turn,
            misconception=is_one,
            belief="That this goes on for ever." if is_one else "",
            source="reference",
        )


def judging(prompt: Prompt) -> dict[str, object]:
    """Give what judges are asked, with {{question}} and {{answer}} to be replaced."""
    places = {name: ["{{" + name + "}}"] for name in ("question", "answer")}
    nothing: dict[str, list[str]] = {"prior_questions": [], "belief": []}
    messages = fill(prompt, places | nothing | {"correction": []})
    schema = prompt.schema
    assert schema is not None  # noqa: S101 - for types: the built-in prompt has one
    return {
        "messages": [{"role": each.role, "content": each.content} for each in messages],
        "schema_name": schema.name,
        "schema": json.loads(schema.json),
    }


def write(folder: Path, *, threads: int) -> None:
    """Write a workload."""
    lot = random.Random(SEED)
    plan = planned(threads, lot)
    made = list(threads_of(plan, lot))
    labelled = zip(made, plan, strict=True)
    write_records(folder / "threads.jsonl", made)
    labels = (one for pair in labelled for one in labels_of(*pair))
    write_records(folder / "reference.jsonl", labels)
    plain = {
        "target": TARGET,
        "judges": JUDGES,
        "in_flight": IN_FLIGHT,
        "max_tokens": MAX_TOKENS,
        "judging": judging(scoring_prompt(Panel())),
        "threads": [
            {
                "name": thread.thread_id,
                "questions": [turn.question for turn in thread.turns],
                "labelled": each.labelled,
            }
            for thread, each in zip(made, plan, strict=True)
        ],
    }
    write_json(folder / "workload.json", plain)
    labelled_turns = [each.labelled for each in plan]
    write_json(folder / "shape.json", {"labelled": labelled_turns})


def write_study(folder: Path, *, url: str) -> None:
    """Write study.toml for a server's address."""
    models = "".join(
        MODEL.format(name=name, url=url, in_flight=IN_FLIGHT)
        for name in (TARGET, *JUDGES)
    )
    write_text(study_folder(folder).study, STUDY + models)


def main() -> None:
    """Write the workload that was asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--threads", type=int, default=PAPER)
    options = parser.parse_args()
    write(options.folder, threads=options.threads)


if __name__ == "__main__":
    main()
