"""An invented study with arms: a prompt, and answers changed on the way; and controls."""

from collections.abc import Sequence
from pathlib import Path

import msgspec
import numpy as np

from report.study_factory import write_run
from threadmed.labels.control import DrawnControl
from threadmed.records import (
    Answer,
    Intervention,
    Label,
    Labelled,
    PanelScore,
    ScoreRow,
    ThreadId,
)
from threadmed.store import (
    read_json,
    read_records,
    read_scores,
    write_json,
    write_records,
    write_scores,
)
from threadmed.study import Arm, Control, Folder, Intervening, RunManifest

ARMS = (
    Arm(name="warn", prompt="warn"),
    Arm(
        name="mend", intervention=Intervening(policy="every_failing", screen="Judge B")
    ),
)


def write_armed(root: Path, *, n_threads: int = 40) -> Folder:
    """Write a run of one target with two arms, half of them better, and controls."""
    folder = write_run(root, targets=["a"], n_threads=n_threads)
    rng = np.random.default_rng(3)
    manifest = read_json(folder.manifest, RunManifest)
    study = msgspec.structs.replace(
        manifest.study, arms=ARMS, control=Control(n=n_threads)
    )
    write_json(folder.manifest, msgspec.structs.replace(manifest, study=study))
    rows = read_scores(folder.scores)
    plain = [row for row in rows if row.setting == "multi_turn"]
    more = [_arm(row, "a+warn", rng) for row in rows]
    more += [_arm(row, "a+mend", rng) for row in plain]
    controls = _controls(folder, n_threads)
    more += _alarms(controls, rng)
    write_scores(folder.scores, [_panel(row) for row in (*rows, *more)])
    write_records(root / "controls.jsonl", controls)
    write_records(folder.interventions, _changes(plain, rng))
    answers = read_records(folder.answers, Answer)
    write_records(folder.answers, [*answers, *_answers(answers)])
    return folder


def _panel(row: ScoreRow) -> PanelScore:
    return msgspec.convert(
        {
            name: value
            for name, value in msgspec.structs.asdict(row).items()
            if name != "judge"
        },
        PanelScore,
    )


def _arm(row: ScoreRow, target: str, rng: np.random.Generator) -> ScoreRow:
    """Correct a third of what the target did not."""
    setting = "intervention" if target == "a+mend" else row.setting
    better = row.score is not None and row.turn and rng.random() < 0.33
    return msgspec.structs.replace(
        row, target=target, setting=setting, score=1 if better else row.score
    )


def _controls(folder: Folder, n: int) -> list[DrawnControl]:
    labels = read_records(folder.labels, Label)  # type: ignore[arg-type]
    none = [
        label
        for label in labels
        if isinstance(label, Labelled)
        and label.source == "reference"
        and not label.misconception
    ]
    return [
        DrawnControl(
            thread_id=label.thread_id,
            turn=label.turn,
            stratum=f"turn {label.turn}",
            population=4 * n,
            probability=0.25,
        )
        for label in none[:n]
    ]


def _alarms(
    controls: Sequence[DrawnControl], rng: np.random.Generator
) -> list[ScoreRow]:
    return [
        ScoreRow(
            target=target,
            setting="multi_turn",
            thread_id=ThreadId(control.thread_id),
            turn=control.turn,
            score=int(rng.choice([1, 0, -1], p=[0.7, 0.2, 0.1])),  # type: ignore[arg-type]
            outcome="scored",
            misconception=False,
        )
        for target in ("a", "a+warn")
        for control in controls
    ]


def _changes(plain: Sequence[ScoreRow], rng: np.random.Generator) -> list[Intervention]:
    return [
        Intervention(
            target="a+mend",
            thread_id=row.thread_id,
            turn=row.turn,
            act="replace",
            is_made=row.score != 1,
            why="failing" if row.score != 1 else "not_failing",
            score=row.score if rng.random() < 0.9 else 0,
        )
        for row in plain
        if row.score is not None
    ]


def _answers(answers: Sequence[Answer]) -> list[Answer]:
    found = []
    for answer in answers:
        found.append(msgspec.structs.replace(answer, target="a+warn"))
        if answer.setting == "multi_turn":
            found.append(
                msgspec.structs.replace(answer, target="a+mend", setting="intervention")
            )
    return found
