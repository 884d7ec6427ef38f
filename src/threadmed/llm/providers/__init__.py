"""The makers of chat models, one module a provider; SDKs load when they are used."""

from collections.abc import Callable, Mapping

from threadmed.errors import StudyError
from threadmed.llm.model import ChatModel
from threadmed.records import Model

Environment = Mapping[str, str]
"""Where keys come from; the command line hands over the process's own."""


def open_model(entry: Model, *, environment: Environment) -> ChatModel:
    """Make the chat model that a study's entry describes; nothing is sent.

    Raises:
        StudyError: If its provider is not known.
        ModelError: If its extra is not installed, or its key is not there.
    """
    provider, colon, _ = entry.model.partition(":")
    if not colon or provider not in MAKERS:
        raise StudyError(
            f"{entry.name}: model is {entry.model!r}; expected PROVIDER:MODEL with one "
            f"of {', '.join(MAKERS)}, as in openai:gpt-4o"
        )
    return MAKERS[provider](entry, environment)


def _openai(entry: Model, environment: Environment) -> ChatModel:
    from threadmed.llm.providers.openai import OpenAIModel

    return OpenAIModel(entry, environment=environment)


def _anthropic(entry: Model, environment: Environment) -> ChatModel:
    from threadmed.llm.providers.anthropic import AnthropicModel

    return AnthropicModel(entry, environment=environment)


def _google(entry: Model, environment: Environment) -> ChatModel:
    from threadmed.llm.providers.google import GoogleModel

    return GoogleModel(entry, environment=environment)


def _inspect(entry: Model, environment: Environment) -> ChatModel:
    from threadmed.llm.providers.inspect import InspectModel

    return InspectModel(entry, environment=environment)


def _embedded(entry: Model, environment: Environment) -> ChatModel:
    del environment  # it needs no key
    from threadmed.llm.providers.embedded import EmbeddedModel

    return EmbeddedModel(entry)


MAKERS: Mapping[str, Callable[[Model, Environment], ChatModel]] = {
    "openai": _openai,
    "anthropic": _anthropic,
    "google": _google,
    "embedded": _embedded,
    "inspect": _inspect,
}
