"""A small study on disk, and scripted models to run it with."""

import json
from pathlib import Path

from threadmed.llm.model import Request, ScriptedModel
from threadmed.records import Labelled, Model, Thread, ThreadId, Turn
from threadmed.store import write_records, write_text
from threadmed.study import Folder, study_folder

STUDY = """\
name = "tiny"
threads = "threads.jsonl"
targets = ["good", "bad"]
settings = ["multi_turn", "target_turn", "oracle", "isolated"]

[identify]
model = "judge-a"
labels = "reference.jsonl"

[panel]
judges = ["judge-a", "judge-b", "judge-c"]
primary = "judge-a"
"""

MODELS = ("good", "bad", "judge-a", "judge-b", "judge-c")


def thread(name: str, *answers: str | None) -> Thread:
    turns = tuple(
        Turn(question=f"Question {turn} of {name}?", answer=answer)
        for turn, answer in enumerate(answers)
    )
    return Thread(thread_id=ThreadId(name), turns=turns)


THREADS = (
    thread("THREAD_0001", "A0", "A1", "A2"),
    thread("THREAD_0002", "A0", None, "A2", "A3"),
    thread("THREAD_0003", "A0", "A1", "A2"),
)
MARKED = {("THREAD_0001", 0), ("THREAD_0001", 1), ("THREAD_0002", 2)}


def labels() -> list[Labelled]:
    return [
        Labelled(
            thread_id=each.thread_id,
            turn=turn,
            misconception=(each.thread_id, turn) in MARKED,
            belief="a belief" if (each.thread_id, turn) in MARKED else "",
            source="reference",
        )
        for each in THREADS
        for turn in range(len(each.turns))
    ]


def write_study(root: Path, *, text: str = STUDY, models: str | None = None) -> Folder:
    """Write study.toml, threads and labels; prices are one USD a million tokens."""
    folder = study_folder(root)
    described = models or "".join(
        f'\n[[models]]\nname = "{name}"\nmodel = "openai:{name}"\n'
        "price = { input = 1.0, output = 1.0 }\n"
        for name in MODELS
    )
    write_text(folder.study, text + described)
    write_records(root / "threads.jsonl", THREADS)
    write_records(root / "reference.jsonl", labels())
    return folder


def say(name: str, request: Request) -> str:
    """Reply by rule to what is asked of a model of that name."""
    last = request.messages[-1].content
    if name == "good":
        return "That is not so."
    if name == "bad":
        return f"Quite right. {len(request.messages)}"
    if request.schema is not None and "misconception" in request.schema.json:
        return json.dumps({"belief": "b", "misconception": "Question 1" in last})
    score = 1 if "That is not so." in last else -1
    if name == "judge-c":
        score = 0
    return json.dumps({"explanation": f"{name} says", "score": score})


class Scripts:
    """Opens scripted models, and counts what reached them."""

    def __init__(self) -> None:
        self.models: dict[str, ScriptedModel] = {}

    def open(self, entry: Model) -> ScriptedModel:
        name = entry.name
        model = ScriptedModel(lambda request: say(name, request), identity=name)
        self.models[name] = model
        return model

    def calls(self) -> int:
        return sum(len(model.requests) for model in self.models.values())
