"""What the pages about studies and imports tell people to write can be read."""

import re
import tomllib
from importlib.resources import files
from pathlib import Path

import msgspec
import pytest

from command_line import complaint, threadmed
from threadmed.dataset.imports.mapping import ChatMapping, TableMapping
from threadmed.study import Study
from threadmed.study.checks import complaints

DOCS = Path(__file__).parents[2] / "docs"


def blocks(page: str, kind: str) -> list[str]:
    text = (DOCS / page).read_text(encoding="utf-8")
    return re.findall(rf"```{kind}\n(.*?)```", text, re.DOTALL)


@pytest.mark.parametrize("page", ["local-server.md", "three-vendors.md"])
def test_the_study_of_a_page_has_nothing_to_complain_of(page: str) -> None:
    (text,) = blocks(page, "toml")

    study = msgspec.convert(tomllib.loads(text), Study, strict=True)

    assert list(complaints(study)) == []
    assert study.targets
    assert study.panel.judges


def test_the_mappings_of_the_page_about_imports_can_be_read() -> None:
    _, chat, table = (tomllib.loads(text) for text in blocks("import.md", "toml"))

    assert msgspec.convert(chat, ChatMapping).answers_by == "physician"
    assert msgspec.convert(table, TableMapping).thread_id == "case"


def test_the_complaint_on_the_page_is_the_one_that_is_printed(tmp_path: Path) -> None:
    path = tmp_path / "posts.json"
    path.write_text('[{"id": 1, "body": "Is it so?"}]')
    shown = next(
        line
        for text in blocks("import.md", "")
        for line in text.splitlines()
        if line.startswith("threadmed: posts.json")
    )

    done = threadmed("import", "table", path, "--out", tmp_path / "posts.jsonl")

    assert complaint(done).replace(f"{tmp_path}/", "") == shown


@pytest.mark.parametrize("command", ["import", "export"])
def test_the_command_has_help_and_stands_in_the_readme(command: str) -> None:
    readme = (DOCS.parent / "README.md").read_text(encoding="utf-8")

    assert threadmed(command, "--help").returncode == 0
    assert f"threadmed {command}" in readme
    assert f"docs/{command}.md" in readme


def test_the_models_that_a_new_study_offers_in_comments_can_be_read() -> None:
    text = files("threadmed.cli").joinpath("study.toml").read_text("utf-8")
    offered = re.findall(r"^(?:# .*\n)+", text, re.MULTILINE)
    models = [
        re.sub(r"^# ", "", block, flags=re.MULTILINE)
        for block in offered
        if block.startswith("# [[models]]")
    ]

    study = msgspec.convert(
        tomllib.loads(text + "\n" + "\n".join(models)), Study, strict=True
    )

    assert list(complaints(study)) == []
    assert [each.model for each in study.models[1:]] == [
        "openai:meta-llama/Llama-3.3-70B-Instruct",
        "embedded:smollm2-135m",
    ]
