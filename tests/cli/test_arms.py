"""Arms on the command line, against a server."""

import json
from collections.abc import Callable
from pathlib import Path

from command_line import complaint, threadmed
from conftest import Server
from study_factory import MARKED, MODELS, STUDY, write_study
from threadmed.records import Intervention
from threadmed.store import read_json, read_records, read_scores
from threadmed.study import RunManifest

Serve = Callable[..., Server]

ARMS = """
[[arms]]
name = "warn"
prompt = "warn"
settings = ["multi_turn"]

[[arms]]
name = "own"
prompt = "prompts/own.md"
of = ["bad"]

[[arms]]
name = "first"
intervention = { policy = "first", act = "flag_and_correct" }

[[arms]]
name = "fix"
of = ["bad"]
intervention = { policy = "every_failing", act = "flag", screen = "judge-b" }
"""

OWN = "---prepare---\nList {{question}}\n---answer---\n{{question}}\n\n({{notes}})\n"


def served(server: Server) -> str:
    return "".join(
        f'\n[[models]]\nname = "{name}"\nmodel = "openai:{name}"\n'
        f'base_url = "{server.url}"\nprice = {{ input = 1.0, output = 1.0 }}\n'
        for name in MODELS
    )


def test_a_study_with_arms_is_planned_run_and_measured(
    tmp_path: Path, serve: Serve
) -> None:
    server = serve()
    folder = write_study(tmp_path, text=STUDY + ARMS, models=served(server))
    (tmp_path / "prompts").mkdir()
    (tmp_path / "prompts/own.md").write_text(OWN)

    planned = threadmed("plan", tmp_path)
    first = threadmed("run", tmp_path)
    paid, rows = server.count(), read_scores(folder.scores)
    second = threadmed("run", tmp_path)
    measured = threadmed("measure", folder.scores, "--json", tmp_path / "m.json")

    done = (planned, first, second, measured)
    assert [each.returncode for each in done] == [0] * 4, [d.stderr for d in done]
    assert server.count() == paid
    manifest = read_json(folder.manifest, RunManifest)
    assert manifest.complete
    assert sum(spend.calls for spend in manifest.spend) == paid
    names = {"good+warn", "bad+warn", "bad+own", "good+first", "bad+first", "bad+fix"}
    assert {row.target for row in rows} == names | {"good", "bad"}
    of_fix = [row for row in rows if row.target == "bad+fix"]
    assert {(row.setting, row.thread_id, row.turn) for row in of_fix} == {
        ("intervention", *place) for place in MARKED
    }
    changes = read_records(folder.interventions, Intervention)
    assert {each.target for each in changes} == {"good+first", "bad+first", "bad+fix"}
    written = json.loads((tmp_path / "m.json").read_text())
    groups = written["recommended"]["groups"]
    assert {group["target"] for group in groups} >= names


def test_a_study_with_arms_has_a_report(tmp_path: Path, serve: Serve) -> None:
    server = serve()
    text = STUDY + ARMS.replace('prompt = "prompts/own.md"', 'prompt = "recap"')
    write_study(tmp_path, text=text, models=served(server))
    assert threadmed("run", tmp_path).returncode == 0

    done = threadmed("report", tmp_path)

    assert done.returncode == 0, done.stderr
    assert Path(done.stdout.strip()).exists()


def test_an_arm_that_does_not_fit_is_one_line(tmp_path: Path) -> None:
    text = STUDY + '\n[[arms]]\nname = "x"\nintervention = { policy = "always" }\n'
    write_study(tmp_path, text=text)

    done = threadmed("run", tmp_path)

    assert "study.toml:16" in complaint(done)
    assert "always" in complaint(done)
    assert done.returncode == 1


def test_a_prompt_that_cannot_be_used_is_one_line(tmp_path: Path) -> None:
    text = STUDY + '\n[[arms]]\nname = "x"\nprompt = "own.md"\n'
    write_study(tmp_path, text=text)
    (tmp_path / "own.md").write_text("Be careful.\n---answer---\nAnswer well.\n")

    done = threadmed("plan", tmp_path)

    assert "own.md: the part answer does not show {{question}}" in complaint(done)
    assert done.returncode == 1
