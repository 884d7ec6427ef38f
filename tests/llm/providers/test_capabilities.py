import msgspec
import pytest

from threadmed.llm.model import Request
from threadmed.llm.providers.capabilities import (
    DEFAULTS,
    TABLE,
    Known,
    departures,
    known,
    most_tokens,
    shape,
    temperature_of,
)
from threadmed.records import Capabilities, Message, Model

LOCAL = "http://127.0.0.1:9/v1"


def model(name: str, **more: object) -> Model:
    return msgspec.convert({"name": "m", "model": name, **more}, Model)


def said(*roles: str) -> tuple[Message, ...]:
    """Give messages of these roles, whose texts are their numbers."""
    plain = [{"role": role, "content": str(n)} for n, role in enumerate(roles)]
    return msgspec.convert(plain, tuple[Message, ...])


@pytest.mark.parametrize(
    ("name", "temperature", "schema"),
    [
        ("openai:gpt-4o", "any", "schema"),
        ("openai:gpt-4o-2024-05-13", "any", "json"),
        ("openai:gpt-4", "any", "none"),
        ("openai:gpt-4.1-mini", "any", "schema"),
        ("openai:gpt-5", "one", "schema"),
        ("openai:gpt-5.1-2025-11-13", "one", "schema"),
        ("openai:gpt-5-chat-latest", "any", "schema"),
        ("openai:o3-mini", "one", "schema"),
        ("openai:o1-mini", "one", "none"),
        ("anthropic:claude-3-opus-20240229", "any", "none"),
        ("anthropic:claude-opus-4-20250514", "any", "none"),
        ("anthropic:claude-sonnet-4-5-20250929", "any", "schema"),
        ("anthropic:claude-opus-4-6", "any", "schema"),
        ("anthropic:claude-opus-4-7", "none", "schema"),
        ("anthropic:claude-sonnet-5", "none", "schema"),
        ("anthropic:claude-haiku-5-5", "none", "schema"),
        ("google:gemini-2.5-pro", "any", "schema"),
        ("google:gemma-3-27b-it", "any", "none"),
        ("nobody:knows-this", "any", "schema"),
    ],
)
def test_the_table_knows_what_a_model_takes(
    name: str, temperature: str, schema: str
) -> None:
    takes = known(model(name))

    assert (takes.temperature, takes.schema) == (temperature, schema)


@pytest.mark.parametrize(
    ("name", "reasons"),
    [
        ("openai/gpt-5-mini", True),
        ("openai/gpt-oss-120b", True),
        ("deepseek-reasoner", True),
        ("Qwen/Qwen3-32B", True),
        ("Qwen/Qwen3-30B-A3B-Instruct-2507", False),
        ("meta-llama/Llama-3.3-70B-Instruct", False),
        ("turbo1-8b", False),
    ],
)
def test_a_server_of_ones_own_is_known_by_the_models_name(
    name: str, *, reasons: bool
) -> None:
    assert (known(model(f"openai:{name}", base_url=LOCAL)).reasoning > 0) == reasons


def test_the_study_goes_before_the_table() -> None:
    own = {"temperature": "any", "reasoning": 0}

    takes = known(model("openai:gpt-5", capabilities=own))

    assert (takes.temperature, takes.reasoning) == ("any", 0)
    assert takes.max_tokens == "max_completion_tokens"


def test_a_capability_that_there_is_not_is_an_error_of_the_study() -> None:
    with pytest.raises(msgspec.ValidationError, match="temprature"):
        model("openai:gpt-5", capabilities={"temprature": "any"})


def test_a_study_and_the_table_speak_of_the_same_things() -> None:
    assert set(Capabilities.__struct_fields__) == set(Known.__struct_fields__)
    assert set(TABLE) == set(DEFAULTS)


def test_the_temperature_that_is_sent_is_one_that_the_model_takes() -> None:
    assert temperature_of(model("openai:gpt-4o", temperature=0.3)) == 0.3
    assert temperature_of(model("openai:gpt-5", temperature=0.3)) == 1.0
    assert temperature_of(model("openai:gpt-5", temperature="none")) is None
    assert temperature_of(model("anthropic:claude-opus-5", temperature=0.3)) is None


@pytest.mark.parametrize(
    ("name", "temperature", "words"),
    [
        ("openai:gpt-4o", 0.0, ()),
        (
            "openai:gpt-5",
            0.0,
            ("m takes no temperature but 1, so 1 is sent and not 0",),
        ),
        ("openai:gpt-5", 1.0, ()),
        ("openai:gpt-5", "none", ()),
        ("anthropic:claude-opus-5", 0.0, ("m takes no temperature, so none is sent",)),
    ],
)
def test_what_is_not_done_as_the_study_wants_is_said(
    name: str, temperature: object, words: tuple[str, ...]
) -> None:
    assert departures(model(name, temperature=temperature)) == words


def test_room_for_reasoning_is_added_to_the_stages_limit_and_not_to_the_studys() -> (
    None
):
    asked = Request(messages=said("user"), max_tokens=100)

    assert most_tokens(model("openai:gpt-5"), asked) == 100 + 8192
    assert most_tokens(model("openai:gpt-5", max_tokens=300), asked) == 300


def test_messages_that_a_model_takes_are_left_as_they_are() -> None:
    messages = said("system", "user", "user", "assistant", "user")

    assert shape(messages, Known()).messages == messages
    assert shape(messages, Known()).changes == ()


def test_messages_of_one_role_are_joined_in_their_order() -> None:
    shaped = shape(said("system", "user", "user", "assistant"), Known(alternate=True))

    assert [(m.role, m.content) for m in shaped.messages] == [
        ("system", "0"),
        ("user", "1\n\n2"),
        ("assistant", "3"),
    ]
    assert shaped.changes == ("joined",)


def test_without_a_system_role_only_the_first_question_holds_that_text() -> None:
    shaped = shape(said("system", "user", "user"), Known(system=False))

    assert [(m.role, m.content) for m in shaped.messages] == [
        ("user", "0\n\n1"),
        ("user", "2"),
    ]
    assert shaped.changes == ("system as user",)
