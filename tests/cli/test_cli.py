"""The command line as a person uses it: a process, its output, its status."""

import contextlib
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from command_line import complaint, threadmed
from conftest import Server
from factories_scores import paper_scores
from study_factory import MODELS, STUDY, write_study
from threadmed.records import Answer, Scored, Verdict
from threadmed.store import read_json, read_records, read_scores, write_scores
from threadmed.study import Folder, RunManifest, read_study, study_folder

Serve = Callable[..., Server]
DERIVED = ("labels", "answers", "verdicts", "scores", "manifest")
HEAVY = {"openai", "polars", "altair", "scipy", "numpy", "jinja2", "rich", "tenacity"}


def served(server: Server, *, more: str = "") -> str:
    return "".join(
        f'\n[[models]]\nname = "{name}"\nmodel = "openai:{name}"\n'
        f'base_url = "{server.url}"\nprice = {{ input = 1.0, output = 1.0 }}\n{more}'
        for name in MODELS
    )


def content(folder: Folder) -> dict[str, bytes]:
    return {name: getattr(folder, name).read_bytes() for name in DERIVED}


def commands() -> list[str]:
    """Every command that the help names."""
    said = threadmed("--help").stdout.partition("Commands:\n")[2]
    return re.findall(r"(?m)^  ([a-z]+) ", said)


def test_help_names_every_command_and_loads_nothing_heavy() -> None:
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "threadmed", "--help"],
        capture_output=True,
        text=True,
        check=True,
    )

    loaded = {
        line.rsplit("|")[-1].strip().split(".")[0] for line in done.stderr.splitlines()
    }
    assert loaded & HEAVY == set()
    for command in ("demo", "build", "init", "run", "report", "measure"):
        assert f"\n  {command} " in done.stdout


def test_every_command_has_help_and_stands_in_the_readme() -> None:
    readme = (Path(__file__).parents[2] / "README.md").read_text()

    found = commands()

    assert {"demo", "build", "hydrate", "init", "plan", "run"} < set(found)
    assert [name for name in found if f"threadmed {name}" not in readme] == []
    for name in found:
        done = threadmed(name, "--help")
        assert done.returncode == 0
        # What a person gives is called by a word of theirs, and not by our types.
        assert re.findall(r"--[a-z-]+ <list", done.stdout) == []


def test_a_folder_needs_a_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)

    done = threadmed("init", "")

    assert done.returncode == 2
    assert "DIR is empty" in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_the_version_is_printed() -> None:
    assert threadmed("--version").stdout.startswith("threadmed 0.")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("run", "nowhere"), "nowhere: no such folder; `threadmed init` makes one"),
        (("report", "nowhere"), "nowhere"),
        (("measure", "nowhere.csv"), "nowhere.csv: no such file"),
        (
            ("build", "--posts", "no.zst", "--comments", "no.zst", "--out", "x"),
            "no.zst: no such file",
        ),
    ],
)
def test_a_wrong_path_is_one_line_and_status_1(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    arguments: tuple[str, ...],
    said: str,
) -> None:
    monkeypatch.chdir(tmp_path)

    done = threadmed(*arguments)

    assert said in complaint(done)
    assert done.returncode == 1
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "arguments",
    [("run",), ("frobnicate",), ("measure", "x.csv", "--rule", "loudest"), ("build",)],
)
def test_wrong_usage_is_status_2(arguments: tuple[str, ...]) -> None:
    assert threadmed(*arguments).returncode == 2


def test_who_starts_it_without_an_output_gets_the_files_alone(tmp_path: Path) -> None:
    out, line = tmp_path / "study", "exec {} -m threadmed init {} <&- >&- 2>&-"

    done = subprocess.run(
        ["/bin/sh", "-c", line.format(sys.executable, out)],
        capture_output=True,
        check=False,
    )

    assert done.returncode == 0
    # Nothing that was printed went to a file in the place of the output.
    assert [path.name for path in out.iterdir()] == ["study.toml"]
    assert read_study(study_folder(out)).models


def test_a_broken_study_is_one_line_with_its_place(tmp_path: Path) -> None:
    folder = write_study(tmp_path)
    folder.study.write_text(folder.study.read_text().replace("primary =", "primry ="))

    done = threadmed("run", tmp_path)

    assert "study.toml:12" in complaint(done)
    assert "primry" in complaint(done)
    assert done.returncode == 1


def test_a_missing_key_is_one_line_before_anything_is_sent(tmp_path: Path) -> None:
    write_study(tmp_path)

    done = threadmed("run", tmp_path)

    assert "the environment has no OPENAI_API_KEY" in complaint(done)
    assert done.returncode == 1


def test_an_unknown_column_is_one_line(tmp_path: Path) -> None:
    table = tmp_path / "s.csv"
    table.write_text("target,setting,thread_id,turn,score,colour\nm,oracle,T,1,1,red\n")

    done = threadmed("measure", table)

    assert "'colour' is not known" in complaint(done)
    assert done.returncode == 1


def test_an_unreachable_server_is_one_line_and_nothing_is_lost(
    tmp_path: Path, serve: Serve
) -> None:
    server = serve()
    folder = write_study(tmp_path, models=served(server, more="attempts = 1\n"))
    assert threadmed("run", tmp_path).returncode == 0
    paid = server.count()
    server.stop()
    folder.study.write_text(folder.study.read_text() + "\n[answer]\nmax_tokens = 7\n")

    done = threadmed("run", tmp_path)

    assert "cannot be reached" in complaint(done)
    assert "mend this and run again" in complaint(done)
    assert "judge    judge-a: " in done.stdout
    assert done.returncode == 1
    assert paid > 0
    manifest = read_json(folder.manifest, RunManifest)
    assert not manifest.complete
    assert sum(spend.calls for spend in manifest.spend) == paid


def test_a_study_runs_against_a_server_to_a_report_and_a_rerun_pays_nothing(
    tmp_path: Path, serve: Serve
) -> None:
    server = serve()
    folder = write_study(tmp_path, models=served(server))

    first = threadmed("run", tmp_path)
    paid, files = server.count(), content(folder)
    second = threadmed("run", tmp_path)
    reported = threadmed("report", tmp_path)

    assert (first.returncode, second.returncode, reported.returncode) == (0, 0, 0)
    # Progress without a terminal: a line at the start, and how it ended.
    *_, told = [line for line in first.stderr.splitlines() if "verdicts of" in line]
    assert re.search(r"judge-c 22 of 22, [\d,]+ s, 0\.\d{4} USD$", told)
    assert server.count() == paid == len(_requests(folder))
    assert content(folder) == files
    assert reported.stdout.strip().endswith("index.html")
    assert Path(reported.stdout.strip()).exists()


def test_what_is_left_out_is_told_on_the_way_and_with_the_results(
    tmp_path: Path, serve: Serve
) -> None:
    text = STUDY.replace('model = "judge-a"\n', "")
    write_study(tmp_path, text=text, models=served(serve()))
    labels = (tmp_path / "reference.jsonl").read_text().splitlines(keepends=True)
    (tmp_path / "reference.jsonl").write_text("".join(labels[:8]))

    done = threadmed("run", tmp_path)

    said = "2 of 10 questions have no label and are left out"
    assert done.returncode == 0, done.stderr
    assert said in done.stderr.splitlines()
    assert done.stdout.splitlines()[0] == said


def _requests(folder: Folder) -> set[str]:
    """Every request that the study's files go back to, labels' aside."""
    answers = {answer.request for answer in read_records(folder.answers, Answer)}
    verdicts = read_records(folder.verdicts, Verdict)  # type: ignore[arg-type]
    judged = {v.request for v in verdicts if isinstance(v, Scored)}
    identified = {f"label {number}" for number in range(10)}
    return answers | judged | identified


def test_a_run_that_is_killed_pays_again_for_at_most_what_was_in_flight(
    tmp_path: Path, serve: Serve
) -> None:
    calm, server = serve(), serve("--latency", "0.05")
    undisturbed = write_study(tmp_path / "calm", models=served(calm))
    assert threadmed("run", tmp_path / "calm").returncode == 0
    folder = write_study(tmp_path / "killed", models=served(server))

    kills, in_flight = 5, 0
    for number in range(kills):
        child = subprocess.Popen(
            [sys.executable, "-m", "threadmed", "run", str(tmp_path / "killed")],
            stderr=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
        )
        begin = server.count("requests")
        while server.count("requests") == begin and child.poll() is None:
            time.sleep(0.005)
        time.sleep(0.03 * number)
        child.send_signal(signal.SIGKILL)
        child.wait()
        in_flight += len(MODELS) * 8  # the default of each model
    assert threadmed("run", tmp_path / "killed").returncode == 0

    assert calm.count() <= server.count() <= calm.count() + in_flight
    assert folder.scores.read_bytes() == undisturbed.scores.read_bytes()


def test_ctrl_c_stops_with_status_3_and_keeps_what_was_paid(
    tmp_path: Path, serve: Serve
) -> None:
    server = serve("--latency", "0.3")
    folder = write_study(tmp_path, models=served(server))
    child = subprocess.Popen(
        [sys.executable, "-m", "threadmed", "run", str(tmp_path)],
        stderr=subprocess.PIPE,
        text=True,
    )
    while server.count("requests") == 0:
        time.sleep(0.01)
    child.send_signal(signal.SIGINT)
    _, said = child.communicate()

    assert child.returncode == 3, said
    assert "finishing what is in flight" in said
    assert "everything paid for is in" in said
    manifest = read_json(folder.manifest, RunManifest)
    assert sum(spend.calls for spend in manifest.spend) == server.count() > 0


def test_ctrl_c_where_nothing_is_under_way_is_an_early_stop_too(
    tmp_path: Path,
) -> None:
    table = tmp_path / "scores.csv"
    os.mkfifo(table)
    started = subprocess.Popen(
        [sys.executable, "-m", "threadmed", "measure", table, "--json", table],
        stderr=subprocess.PIPE,
        text=True,
    )
    # It reads a table that never ends: once it has opened it, it is at work.
    with table.open("w"):
        for _ in range(100):
            # One that comes while a callback runs is lost, as Python has it.
            started.send_signal(signal.SIGINT)
            with contextlib.suppress(subprocess.TimeoutExpired):
                started.wait(timeout=0.5)
                break
    _, said = started.communicate(timeout=60)

    assert (started.returncode, said.startswith("threadmed: stopped")) == (3, True)


def test_a_second_ctrl_c_waits_for_nothing(tmp_path: Path, serve: Serve) -> None:
    server = serve("--latency", "40")
    folder = write_study(tmp_path, models=served(server))
    child = subprocess.Popen(
        [sys.executable, "-m", "threadmed", "run", str(tmp_path)],
        stderr=subprocess.PIPE,
        text=True,
    )
    while server.count("requests") == 0:
        time.sleep(0.01)
    child.send_signal(signal.SIGINT)
    time.sleep(1)
    assert child.poll() is None
    child.send_signal(signal.SIGINT)
    _, said = child.communicate(timeout=20)

    assert child.returncode == 3, said
    assert "Traceback" not in said
    assert not read_json(folder.manifest, RunManifest).complete


def test_a_model_that_cannot_be_used_is_given_up_and_the_others_go_on(
    tmp_path: Path, serve: Serve
) -> None:
    good, bad = serve(), serve("--key", "another-key")
    models = served(good)
    one = models.split("[[models]]")
    place = next(n for n, text in enumerate(one) if 'name = "bad"' in text)
    one[place] = one[place].replace(good.url, bad.url)
    folder = write_study(tmp_path, models="[[models]]".join(one))

    done = threadmed("run", tmp_path)

    assert done.returncode == 1
    assert "bad" in complaint(done)
    assert bad.count("requests") <= 3
    rows = read_scores(folder.scores)
    assert None not in {row.score for row in rows if row.target == "good"}
    assert {row.score for row in rows if row.target == "bad"} == {None}
    assert not read_json(folder.manifest, RunManifest).complete


def test_a_study_is_exported_for_inspect(tmp_path: Path, serve: Serve) -> None:
    write_study(tmp_path, models=served(serve()))
    threadmed("run", tmp_path)

    done = threadmed(
        "export", tmp_path, "--to", "inspect", "--out", tmp_path / "a.eval"
    )

    assert done.returncode == 0, done.stderr
    assert (tmp_path / "a.eval").stat().st_size > 1_000


def test_a_budget_stops_with_status_3(tmp_path: Path, serve: Serve) -> None:
    write_study(tmp_path, models=served(serve()))

    done = threadmed("run", tmp_path, "--budget", "0.004")

    assert "the budget of 0.004 USD is used up" in complaint(done)
    assert done.returncode == 3


def test_two_runs_of_one_study_at_once_are_refused(
    tmp_path: Path, serve: Serve
) -> None:
    server = serve("--latency", "1")
    write_study(tmp_path, models=served(server))
    first = subprocess.Popen(
        [sys.executable, "-m", "threadmed", "run", str(tmp_path)],
        stderr=subprocess.DEVNULL,
    )
    while server.count("requests") == 0:
        time.sleep(0.01)

    second = threadmed("run", tmp_path)
    first.kill()
    first.wait()

    assert "another run holds this study" in complaint(second)
    assert second.returncode == 1


def test_init_writes_a_study_that_can_be_read_and_overwrites_nothing(
    tmp_path: Path,
) -> None:
    first = threadmed("init", tmp_path / "new")
    again = threadmed("init", tmp_path / "new")

    assert first.returncode == 0
    assert read_study(study_folder(tmp_path / "new")).targets == ("gpt-4o",)
    assert "is there already" in complaint(again)
    assert again.returncode == 1


def test_measure_gives_the_papers_figures_from_a_table_that_holds_them(
    tmp_path: Path,
) -> None:
    table = tmp_path / "scores.csv"
    write_scores(table, paper_scores())

    done = threadmed("measure", table, "--json", tmp_path / "out.json")

    assert done.returncode == 0, done.stderr
    for figure in ("88.1", "84.4", "65.1", "55.0", "48.0", "53.5", "21.2", "17.7"):
        assert f" {figure} [" in done.stdout
    for figure in ("62.4", "60.6", "43.0", "25.9", "51.9"):
        assert f" {figure} [" in done.stdout
    both = json.loads((tmp_path / "out.json").read_text())
    for mode in ("recommended", "as_published"):
        group = both[mode]["groups"][0]
        assert round(100 * group["pcr"]["value"], 1) == 62.4
    assert both["differs"][0]["what"] == "gpt-5, multi_turn: PCR"


def test_measure_joins_the_judges_of_a_table(tmp_path: Path) -> None:
    rows = [
        f"m,multi_turn,T{n},0,{score},{judge}"
        for n in range(6)
        for judge, score in (("a", 1), ("b", 1), ("c", -1))
    ]
    table = tmp_path / "s.csv"
    table.write_text("target,setting,thread_id,turn,score,judge\n" + "\n".join(rows))

    done = threadmed("measure", table)
    lowest = threadmed("measure", table, "--rule", "lowest")

    assert "PCR           100.0 [" in done.stdout
    assert "PCR           0.0 [" in lowest.stdout


def test_scores_of_a_finished_run_are_measured_as_they_are(
    tmp_path: Path, serve: Serve
) -> None:
    folder = write_study(tmp_path, models=served(serve()))
    threadmed("run", tmp_path)

    done = threadmed("measure", folder.scores)

    assert done.returncode == 0, done.stderr
    scored = [row for row in read_scores(folder.scores) if row.setting == "oracle"]
    assert (
        f"good, oracle: {len(scored) // 2} of {len(scored) // 2} items" in done.stdout
    )


def test_a_result_that_cannot_be_printed_is_one_line(tmp_path: Path) -> None:
    table = tmp_path / "s.csv"
    table.write_text("target,setting,thread_id,turn,score\nm,oracle,T,1,1\n")

    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "threadmed", "measure", str(table)],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )

    assert "cannot print the result" in complaint(done)
    assert done.returncode == 1
