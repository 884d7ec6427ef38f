"""That every public function of the room shows what it gives."""

import ast
from pathlib import Path

import pytest

ROOM = Path(__file__).parents[2] / "src" / "threadmed" / "metrics"
MODULES = sorted(ROOM.rglob("*.py"))


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.stem)
def test_every_public_function_has_an_example_that_is_run(path: Path) -> None:
    functions = [
        node
        for node in ast.parse(path.read_text()).body
        if isinstance(node, ast.FunctionDef) and not node.name.startswith("_")
    ]

    assert [
        node.name for node in functions if ">>> " not in (ast.get_docstring(node) or "")
    ] == []


def test_there_are_functions_to_look_at() -> None:
    assert len(MODULES) > 50
