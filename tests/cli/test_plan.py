"""How a plan is printed, and the study that it is mostly made for."""

import json
import re
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path

import pytest

from conftest import Server
from study_factory import MODELS, write_study
from threadmed.cli.plans import run_plan
from threadmed.errors import ModelError
from threadmed.llm.prices import price_of
from threadmed.records import Price
from threadmed.study import read_study, study_folder

Serve = Callable[..., Server]


def served(url: str) -> str:
    return "".join(
        f'\n[[models]]\nname = "{name}"\nmodel = "openai:{name}"\n'
        f'base_url = "{url}"\nprice = {{ input = 1.0, output = 1.0 }}\n'
        for name in MODELS
    )


def shown(text: str) -> list[str]:
    """The lines as they stand on a terminal."""
    return re.sub(r"\x1b\[[0-9;]*m", "", text).splitlines()


@pytest.fixture
def planned(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A study folder; no key is in the environment."""
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GOOGLE_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    write_study(tmp_path)
    return tmp_path


def test_a_plan_is_printed_without_a_key(
    planned: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run_plan(planned, check=False, json=None)

    lines = shown(capsys.readouterr().out)
    assert lines[0] == "tiny: 3 threads, 10 questions, 3 of them with a misconception"
    (good,) = [line.split() for line in lines if line.startswith("  good ")]
    assert good[:4] == ["good", "15", "11", "0"]
    (spared,) = [line for line in lines if line.startswith("judging equal answers")]
    assert spared.split()[-2] == "12"
    assert (
        lines[-1]
        == f"{planned / 'plan.json'}: this plan; after a part was run, plan again"
    )


def test_what_is_supposed_of_labels_stands_in_the_first_line(
    planned: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    study = planned / "study.toml"
    without = study.read_text().replace('labels = "reference.jsonl"\n', "")
    study.write_text(without)

    run_plan(planned, check=False, json=None)

    out = capsys.readouterr().out
    assert out.startswith(
        "tiny: 3 threads, 10 questions, about 1 of them supposed to carry a "
        "misconception (7.4 %)\n"
    )
    assert "\n- At most, if that share holds: every reply is" in out


def test_a_share_of_few_questions_is_told_apart_from_what_is_counted(
    planned: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    study = planned / "study.toml"
    study.write_text(study.read_text().replace('labels = "reference.jsonl"\n', ""))
    threads = (planned / "threads.jsonl").read_text().splitlines(keepends=True)
    (planned / "threads.jsonl").write_text(threads[0])

    run_plan(planned, check=False, json=None)

    assert capsys.readouterr().out.startswith(
        "tiny: 1 threads, 3 questions, about 0.2 of them supposed to carry a "
        "misconception (7.4 %); counted as 1: at least one, and all that are worded "
        "alike\n"
    )


def test_questions_that_are_left_out_stand_below_the_first_line(
    planned: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    study = planned / "study.toml"
    study.write_text(study.read_text().replace('model = "judge-a"\nlabels', "labels"))
    labels = (planned / "reference.jsonl").read_text().splitlines(keepends=True)
    (planned / "reference.jsonl").write_text("".join(labels[:9]))

    run_plan(planned, check=False, json=None)

    lines = capsys.readouterr().out.splitlines()
    assert lines[1] == "1 of 10 questions has no label and is left out."


def test_piped_it_is_plain_and_a_sentence_is_a_line(
    planned: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run_plan(planned, check=False, json=None)

    out = capsys.readouterr().out
    assert "\x1b" not in out
    assert "─" not in out
    (line,) = [line for line in out.splitlines() if line.startswith("- At most")]
    assert line.endswith(".")


def test_on_a_terminal_it_fits_into_80_columns_with_the_numbers_below_each_other(
    planned: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    study = planned / "study.toml"
    long = "meta-llama-3.3-70b-instruct-turbo"
    study.write_text(study.read_text().replace('"bad"', f'"{long}"'))

    run_plan(planned, check=False, json=None)

    out = capsys.readouterr().out
    lines = shown(out)
    table = lines[: lines.index("What this supposes")]
    assert "\x1b[1m" in out
    assert max(map(len, lines[:-1])) <= 80
    rows = [line for line in table if re.match(r" *(good|judge-[abc]|in all) ", line)]
    ends = {
        tuple(found.end() for found in re.finditer(r"\S+", line))[-7:] for line in rows
    }
    assert len(rows) == 6
    assert len(ends) == 1


def test_every_number_is_written_where_asked(
    planned: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "numbers.json"

    run_plan(planned, check=False, json=path)

    rows = json.loads(path.read_text())["rows"]
    assert [row["calls"] for row in rows if row["stage"] == "judge"] == [18, 18, 18]
    assert f"{path}: every number" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("usd", "said"),
    [
        (5.0, "it holds for the worst case, too"),
        (0.2, "it holds for what is expected, and not for the worst case"),
        (0.01, "it does not hold for what is expected"),
    ],
)
def test_a_plan_says_how_far_the_budget_goes(
    planned: Path, capsys: pytest.CaptureFixture[str], usd: float, said: str
) -> None:
    study = planned / "study.toml"
    study.write_text(study.read_text() + f"\n[budget]\nusd = {usd}\ntokens = 90000\n")

    run_plan(planned, check=False, json=None)

    out = capsys.readouterr().out
    assert said in out
    assert "The budget is 90,000 tokens; 0 are used, and " in out


def test_after_a_run_a_plan_says_what_is_paid_and_how_far_it_was_off(
    tmp_path: Path, serve: Serve, capsys: pytest.CaptureFixture[str]
) -> None:
    from threadmed.cli.commands import run_study

    write_study(tmp_path, models=served(serve().url))
    run_plan(tmp_path, check=False, json=None)
    run_study(tmp_path, only=None, budget=None)
    capsys.readouterr()

    run_plan(tmp_path, check=False, json=None)

    out = capsys.readouterr().out
    assert re.search(r"Paid so far: \d+ calls, 0\.\d+ USD\.", out)
    assert re.search(r"The last plan said .* for the \d+ calls .* \([+-]\d+%\)", out)
    (total,) = [line.split() for line in out.splitlines() if line[:6] == "in all"]
    # All that is needed is paid, and nothing is left to pay.
    assert total[3] == total[4]
    assert total[5:] == ["0", "0", "0.0000", "0.0000"]


def test_a_check_asks_each_model_once_and_is_not_journalled(
    tmp_path: Path, serve: Serve, capsys: pytest.CaptureFixture[str]
) -> None:
    server = serve()
    write_study(tmp_path, models=served(server.url))

    run_plan(tmp_path, check=True, json=None)

    out = capsys.readouterr().out
    assert server.count() == len(MODELS)
    assert not (tmp_path / "journal.sqlite").exists()
    assert out.count(" ok") == len(MODELS)
    assert re.search(r"5 calls, 0\.\d{6} USD; they are not in the journal", out)


def test_a_check_that_fails_names_the_models_and_says_why(
    planned: Path, serve: Serve, capsys: pytest.CaptureFixture[str]
) -> None:
    study = planned / "study.toml"
    text = study.read_text()
    for name in MODELS[1:]:
        url = f'"openai:{name}"\nbase_url = "{serve().url}"'
        text = text.replace(f'"openai:{name}"', url)
    study.write_text(text)

    with pytest.raises(ModelError, match="1 of 5 models cannot be used: good"):
        run_plan(planned, check=True, json=None)

    out = capsys.readouterr().out
    assert "the environment has no OPENAI_API_KEY" in out
    assert out.count(" ok") == 4


def test_the_papers_study_is_a_study_with_a_known_price_for_every_model(
    tmp_path: Path,
) -> None:
    folder = study_folder(tmp_path)
    folder.study.write_text(files("threadmed.cli").joinpath("paper.toml").read_text())

    study = read_study(folder)

    assert len(study.targets) == 5
    assert study.settings == ("multi_turn", "target_turn", "oracle")
    assert len(study.panel.judges) == 3
    assert study.panel.primary == study.identify.model == "gpt-4o"
    prices = {model.name: price_of(model) for model in study.models}
    assert (prices["gpt-5"].input, prices["gpt-5"].output) == (1.25, 10.0)
    assert prices["llama-3.3-70b"] == Price(input=0.0, output=0.0)
    assert set(prices) == {*study.targets, *study.panel.judges}
