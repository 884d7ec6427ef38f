"""A provider of Inspect's that answers by rule, and a study that names it."""

import gc
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from study_factory import MODELS, STUDY, say, write_study
from threadmed.llm.model import Request, Schema
from threadmed.records import Message
from threadmed.study import Folder

if TYPE_CHECKING:
    from inspect_ai.log import EvalLog

Says = Callable[[str, Request], str]

INSPECTED = "".join(
    f'\n[[models]]\nname = "{name}"\nmodel = "inspect:scripted/{name}"\n'
    "price = { input = 1.0, output = 1.0 }\n"
    for name in MODELS
)


class Script:
    """What the provider says, and what it was asked."""

    def __init__(self) -> None:
        self.says: Says = say
        self.asked: list[tuple[str, Request]] = []

    def calls(self, name: str) -> int:
        return sum(asked == name for asked, _ in self.asked)


CURRENT = Script()


def _register() -> None:
    from inspect_ai.model import (
        ChatMessage,
        GenerateConfig,
        ModelAPI,
        ModelOutput,
        ModelUsage,
        modelapi,
    )
    from inspect_ai.tool import ToolChoice, ToolInfo

    @modelapi(name="scripted")
    class Scripted(ModelAPI):
        async def generate(
            self,
            input: list[ChatMessage],  # noqa: A002 - the name is Inspect's
            tools: list[ToolInfo],
            tool_choice: ToolChoice,
            config: GenerateConfig,
        ) -> ModelOutput:
            del tools, tool_choice
            wanted = config.response_schema
            schema = (
                Schema(name=wanted.name, json=wanted.json_schema.model_dump_json())
                if wanted
                else None
            )
            request = Request(
                messages=tuple(
                    Message(role=message.role, content=message.text)
                    for message in input
                    if message.role != "tool"
                ),
                max_tokens=config.max_tokens or 0,
                schema=schema,
            )
            CURRENT.asked.append((self.model_name, request))
            said = CURRENT.says(self.model_name, request)
            output = ModelOutput.from_content(self.model_name, said)
            if said.startswith("[filtered]"):
                output.choices[0].stop_reason = "content_filter"
            output.usage = ModelUsage(input_tokens=7, output_tokens=3, total_tokens=10)
            return output


@pytest.fixture(scope="session")
def _provider() -> None:
    _register()


@pytest.fixture
def script(_provider: None) -> Iterator[Script]:
    """What Inspect's models say in this test."""
    CURRENT.says, CURRENT.asked = say, []
    yield CURRENT
    CURRENT.says, CURRENT.asked = say, []


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    """A study whose models are reached through Inspect."""
    return write_study(tmp_path / "study", text=STUDY, models=INSPECTED)


@pytest.fixture
def evaluate(tmp_path: Path, script: Script) -> "Iterator[Callable[..., EvalLog]]":
    """Run the task in Inspect itself, in this process."""
    del script
    # Inspect leaves streams unclosed; that is no finding about our code.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)
        yield _evaluation(tmp_path)
        gc.collect()


def _evaluation(tmp_path: Path) -> Callable[..., "EvalLog"]:
    def run(folder: Folder, target: str = "good", **options: object) -> "EvalLog":
        from inspect_ai import eval as inspect_eval

        from threadmed.inspection.tasks import conversations

        (log,) = inspect_eval(
            conversations(str(folder.root)),
            model=f"scripted/{target}",
            log_dir=str(tmp_path / "logs"),
            display="none",
            **options,  # type: ignore[arg-type]
        )
        return log

    return run
