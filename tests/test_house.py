"""The house rules that no linter checks."""

import ast
import re
import tomllib
from pathlib import Path
from typing import get_args

import pytest

ROOT = Path(__file__).parent.parent
MODULES = sorted((ROOT / "src").rglob("*.py"))
IN_C = sorted((ROOT / "src").rglob("*.[ch]"))


@pytest.mark.parametrize("path", [*MODULES, *IN_C], ids=lambda path: path.stem)
def test_a_module_stays_within_four_hundred_lines(path: Path) -> None:
    assert len(path.read_text().splitlines()) <= 400


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.stem)
def test_a_function_stays_within_fifty_lines(path: Path) -> None:
    long = [
        node.name
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and (node.end_lineno or 0) - node.lineno >= 50
    ]

    assert long == []


@pytest.mark.parametrize("path", IN_C, ids=lambda path: path.name)
def test_a_function_in_c_stays_within_fifty_lines(path: Path) -> None:
    bodies = re.findall(
        r"^[A-Za-z][^;=]*?\{\n(.*?)^\}", path.read_text(), re.MULTILINE | re.DOTALL
    )

    assert bodies or path.name == "scan.h"
    assert [body for body in bodies if body.count("\n") >= 50] == []


def test_no_module_is_a_bag() -> None:
    bags = {"utils", "helpers", "common", "base", "manager", "misc"}

    assert [path for path in MODULES if path.stem in bags] == []


def test_the_lock_is_hashed_and_names_no_address() -> None:
    lock = (ROOT / "requirements.lock").read_text()
    pinned = re.findall(r"^([a-z0-9-]+)==\S+(?: ;.*)? \\$", lock, re.MULTILINE)

    assert "://" not in lock
    assert len(pinned) > 50
    assert lock.count("--hash=sha256:") >= len(pinned)


def test_the_lock_holds_every_dependency_that_the_project_names() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    extras = project["project"]["optional-dependencies"].values()
    asked = [*project["project"]["dependencies"], *project["dependency-groups"]["dev"]]
    for extra in extras:
        asked.extend(extra)
    names = {re.split(r"[^A-Za-z0-9-]", line)[0].lower() for line in asked}
    lock = (ROOT / "requirements.lock").read_text()
    pinned = set(re.findall(r"^([a-z0-9-]+)==", lock, re.MULTILINE))

    assert names - pinned == set()


def test_the_changelog_and_the_citation_name_the_version() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    version = project["project"]["version"]
    module = (ROOT / "src/threadmed/__init__.py").read_text()

    assert f"## {version}" in (ROOT / "CHANGELOG.md").read_text()
    assert f"version: {version}" in (ROOT / "CITATION.cff").read_text()
    assert f'__version__ = "{version}"' in module


def test_every_function_that_the_methods_name_is_where_they_say() -> None:
    page = (ROOT / "docs/methods.md").read_text()
    named = set(re.findall(r"`((?:[a-z_]+\.)+[a-z_0-9]+)(?:\([^`]*\))?`", page))
    functions = {
        f"{path.parent.name}.{path.stem}.{node.name}"
        for path in MODULES
        for node in ast.parse(path.read_text()).body
        if isinstance(node, ast.FunctionDef)
    }
    modules = {path.stem for path in (ROOT / "src/threadmed/metrics").iterdir()}
    rooms = {"labels", "metrics"}

    strangers = [
        name
        for name in sorted(named)
        if name.partition(".")[0] in modules | rooms
        and not name.endswith((".jsonl", ".csv"))
        and name not in functions
        and f"metrics.{name}" not in functions
    ]

    assert len(named) > 50
    assert strangers == []


def test_every_method_of_an_interval_is_described_in_the_methods() -> None:
    from threadmed.metrics import estimates
    from threadmed.metrics.agreement import coefficients
    from threadmed.metrics.corrected import adjusted

    page = (ROOT / "docs/methods.md").read_text()
    kinds = (
        estimates.Method,
        adjusted.AdjustedMethod,
        coefficients.Coefficient.__annotations__["method"],
    )
    names = [name for kind in kinds for name in get_args(kind)]

    assert len(names) > 15
    assert [name for name in names if f"`{name}`" not in page] == []


def test_every_record_is_described_in_the_data_page() -> None:
    import threadmed.records as nouns

    page = (ROOT / "docs/data.md").read_text()
    records = [
        name
        for name, value in vars(nouns).items()
        if isinstance(value, type)
        and issubclass(value, nouns.Record)
        and value is not nouns.Record
    ]

    assert [name for name in records if f"`{name}`" not in page] == []
