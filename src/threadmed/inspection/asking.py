"""Asks Inspect's models, equal requests once for all samples of a task.

Samples are independent in Inspect, but the turns of a conversation are not: what was
answered at turn 0 is part of every later turn's sample. Each request is therefore
named by its content, and whoever asks the same waits for the one that is under way.
"""

import hashlib
import os
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import anyio
import msgspec
from inspect_ai.model import GenerateConfig, ModelOutput, get_model, model_roles
from inspect_ai.model import Model as Inspected

from threadmed.errors import ModelUnavailable
from threadmed.inspection.material import inspect_name
from threadmed.llm.model import Ask, Failed, Replied, Request
from threadmed.llm.providers.inspect import chat_messages, config_for, reply_of
from threadmed.records import Model

Configure = Callable[[Request], GenerateConfig]
"""Says what goes out beside the messages of a request."""


class Shared:
    """What has been asked and answered within one task."""

    def __init__(self) -> None:
        self.outputs: dict[str, ModelOutput] = {}
        """Every output by the key of its request."""
        self._under_way: dict[str, anyio.Lock] = defaultdict(anyio.Lock)

    async def ask(
        self, model: Inspected, request: Request, *, config: GenerateConfig
    ) -> tuple[str, ModelOutput]:
        """Give the key of a request and its output, paid for once.

        A call that fails is forgotten: whoever waited for it tries for itself, and so
        does a sample that Inspect tries again.
        """
        key = _key(model, request, config)
        async with self._under_way[key]:
            if key not in self.outputs:
                self.outputs[key] = await model.generate(
                    chat_messages(request.messages), config=config
                )
        return key, self.outputs[key]


def ask_through(
    shared: Shared, model: Inspected, *, configure: Configure, epoch: int
) -> Ask:
    """Bind a model of Inspect's to one configuration, as our rooms ask models.

    Args:
        shared: Where equal requests meet.
        model: The model.
        configure: Says what goes out beside the messages.
        epoch: Counts from 1; each epoch asks anew.
    """

    async def ask(request: Request) -> Replied | Failed:
        numbered = msgspec.structs.replace(request, repeat=epoch - 1)
        config = configure(numbered)
        key, output = await shared.ask(model, numbered, config=config)
        try:
            return Replied(key=key, reply=reply_of(output))
        except ModelUnavailable as cause:
            return Failed(key=key, why=str(cause))

    return ask


def _key(model: Inspected, request: Request, config: GenerateConfig) -> str:
    """Name a request by the sha256 of all that makes it this one."""
    sent = config.model_dump_json(exclude_none=True)
    content = [str(model), request.messages, sent, request.repeat]
    return hashlib.sha256(msgspec.json.encode(content)).hexdigest()


def as_given(_: Request) -> GenerateConfig:
    """Add nothing: the task's configuration and the command line's hold."""
    return GenerateConfig()


def judge_model(entry: Model) -> Inspected:
    """Open a judge: the model that a role of its name is bound to, or the study's.

    Raises:
        StudyError: If Inspect has no provider for the study's model, and no role is
            bound.
    """
    name = None if entry.name in model_roles() else inspect_name(entry)
    # Inspect's own providers look for keys in the environment of the process, too.
    key = os.environ.get(entry.api_key_env) if entry.api_key_env else None
    options: dict[str, Any] = {}
    if entry.base_url and entry.model.startswith("openai:"):
        key = key or "none-needed"
        options["responses_api"] = False
    return get_model(
        name, role=entry.name, base_url=entry.base_url, api_key=key, **options
    )


def as_judged(entry: Model, model: Inspected) -> Configure:
    """Say what the study says of a judge, below what a bound role says of itself."""

    def configure(request: Request) -> GenerateConfig:
        return config_for(entry, request).merge(model.config)

    return configure


@contextmanager
def unwrapped() -> Iterator[None]:
    """Let a lone error out of its group: Inspect looks at an error's own class."""
    try:
        yield
    except BaseExceptionGroup as group:
        found: BaseException = group
        while isinstance(found, BaseExceptionGroup):
            found = found.exceptions[0]
        raise found from group
