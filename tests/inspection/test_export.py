import asyncio
import json
import math
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from study_factory import Scripts, write_study
from threadmed.errors import InputError
from threadmed.inspection.export import export_inspect
from threadmed.llm.model import ChatModel, ScriptedModel
from threadmed.records import Model, Scored, Verdict
from threadmed.run import run
from threadmed.store import read_records, read_scores
from threadmed.study import Folder

JUDGES = ("judge-a", "judge-b", "judge-c")


def conduct(
    folder: Folder, open_model: Callable[[Model], ChatModel] | None = None
) -> Folder:
    asyncio.run(
        run(
            folder,
            open_model=open_model or Scripts().open,
            clock=lambda: 1.0,
            progress=lambda *_: None,
        )
    )
    return folder


def read(path: Path) -> Any:
    from inspect_ai.log import read_eval_log

    return read_eval_log(str(path))


def value(log: Any, key: str) -> dict[tuple[str, ...], float]:
    return {
        (
            sample.metadata["target"],
            sample.metadata["setting"],
            sample.metadata["thread"],
            sample.metadata["turn"],
        ): sample.scores["judgements"].value[key]
        for sample in log.samples
    }


@pytest.mark.parametrize("name", ["log.eval", "log.json"])
def test_a_log_holds_every_score_of_the_study(tmp_path: Path, name: str) -> None:
    folder = conduct(write_study(tmp_path / "study"))

    path = export_inspect(folder, tmp_path / name)

    log = read(path)
    assert log.status == "success"
    assert value(log, "panel") == {
        (row.target, row.setting, row.thread_id, row.turn): row.score
        for row in read_scores(folder.scores)
    }
    verdicts: list[Verdict] = read_records(folder.verdicts, Verdict)  # type: ignore[arg-type]
    for judge in JUDGES:
        assert value(log, judge) == {
            (each.target, each.setting, each.thread_id, each.turn): each.score
            for each in verdicts
            if isinstance(each, Scored) and each.judge == judge
        }


def test_a_folder_gets_one_log_a_target(tmp_path: Path) -> None:
    folder = conduct(write_study(tmp_path / "study"))

    export_inspect(folder, tmp_path / "logs")

    logs = {path.name: read(path) for path in (tmp_path / "logs").iterdir()}
    assert {name: log.eval.model for name, log in logs.items()} == {
        "good.eval": "openai/good",
        "bad.eval": "openai/bad",
    }
    metrics = {
        score.name: {name: metric.value for name, metric in score.metrics.items()}
        for score in logs["good.eval"].results.scores
    }
    assert set(metrics) == {"panel", *JUDGES}
    assert metrics["panel"]["threadmed/pcr_multi_turn"] == 1.0
    assert metrics["judge-c"]["threadmed/mean_score_oracle"] == 0.0
    assert logs["good.eval"].stats.model_usage["openai/good"].output_tokens > 0


def test_a_sample_shows_the_conversation_that_the_target_saw(tmp_path: Path) -> None:
    folder = conduct(write_study(tmp_path / "study"))

    log = read(export_inspect(folder, tmp_path / "log.eval"))

    (sample,) = [s for s in log.samples if s.id == "bad/multi_turn/THREAD_0001/1"]
    assert [(message.role, message.text) for message in sample.messages] == [
        ("user", "Question 0 of THREAD_0001?"),
        ("assistant", "Quite right. 1"),
        ("user", "Question 1 of THREAD_0001?"),
        ("assistant", "Quite right. 3"),
    ]
    assert sample.metadata["misconception"] == "a belief"
    assert sample.scores["judgements"].answer == "Quite right. 3"
    assert "judge-b: -1. judge-b says" in sample.scores["judgements"].explanation


def test_what_is_missing_is_unscored_with_its_reason(tmp_path: Path) -> None:
    folder, scripts = write_study(tmp_path / "study"), Scripts()

    def opened(entry: Model) -> ChatModel:
        if entry.name == "judge-b":
            return ScriptedModel(lambda _: "I would rather not.", identity="b")
        if entry.name == "bad":
            return ScriptedModel(lambda _: "", identity="bad")
        return scripts.open(entry)

    conduct(folder, opened)

    log = read(export_inspect(folder, tmp_path / "log.eval"))

    by_target = {sample.metadata["target"]: sample.scores for sample in log.samples}
    empty, good = by_target["bad"]["judgements"], by_target["good"]["judgements"]
    assert all(math.isnan(score) for score in empty.value.values())
    assert (empty.reason, empty.metadata["outcome"]) == ("no_response", "empty")
    assert math.isnan(good.value["judge-b"])
    assert good.value["panel"] == 1
    panel = next(score for score in log.results.scores if score.name == "panel")
    assert (panel.scored_samples, panel.unscored_samples) == (11, 11)
    assert panel.metrics["threadmed/pcr_good oracle"].value == 1.0
    assert "threadmed/pcr_bad oracle" not in panel.metrics


def test_two_exports_of_one_run_hold_the_same(tmp_path: Path) -> None:
    folder = conduct(write_study(tmp_path / "study"))

    paths = [export_inspect(folder, tmp_path / f"{n}.json") for n in range(2)]

    first, second = (json.loads(path.read_text()) for path in paths)
    assert first["eval"] == second["eval"]
    assert first["results"] == second["results"]


def test_inspect_itself_opens_the_log(tmp_path: Path) -> None:
    folder = conduct(write_study(tmp_path / "study"))
    path = export_inspect(folder, tmp_path / "logs" / "log.eval")

    dumped = subprocess.run(
        [sys.executable, "-m", "inspect_ai", "log", "dump", str(path)],
        capture_output=True,
        text=True,
        check=True,
        cwd=tmp_path,
    )

    assert json.loads(dumped.stdout)["eval"]["task"] == "threadmed/conversations"


def test_a_study_that_has_not_been_run_is_one_line(tmp_path: Path) -> None:
    folder = write_study(tmp_path / "study")

    with pytest.raises(InputError, match=r"\.(jsonl|csv): no such file"):
        export_inspect(folder, tmp_path / "log.eval")

    assert not (tmp_path / "log.eval").exists()


def test_without_the_extra_the_error_says_how_to_install_it() -> None:
    # In a process of its own, in which the package cannot be found.
    script = (
        "import sys\n"
        "from pathlib import Path\n"
        "from threadmed.inspection.export import export_inspect\n"
        "from threadmed.study import study_folder\n"
        "assert 'inspect_ai' not in sys.modules\n"
        "sys.modules['inspect_ai'] = None\n"
        "export_inspect(study_folder(Path('study')), Path('log.eval'))\n"
    )

    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False
    )

    assert "ModelError: logs of Inspect need" in done.stderr
    assert "pip install 'threadmed[inspect]'" in done.stderr


def test_a_run_that_is_not_finished_gives_a_log_that_says_so(tmp_path: Path) -> None:
    folder = conduct(write_study(tmp_path / "study"))
    manifest = folder.manifest.read_text().replace(
        '"complete": true', '"complete": false'
    )
    folder.manifest.write_text(manifest)

    assert read(export_inspect(folder, tmp_path / "log.eval")).status == "cancelled"


def test_a_study_whose_labels_mark_nothing_is_one_line(tmp_path: Path) -> None:
    folder = conduct(write_study(tmp_path / "study"))
    reference = tmp_path / "study" / "reference.jsonl"
    reference.write_text(
        reference.read_text().replace('"misconception":true', '"misconception":false')
    )

    with pytest.raises(InputError, match=r"scores\.csv: holds no score"):
        export_inspect(folder, tmp_path / "log.eval")
